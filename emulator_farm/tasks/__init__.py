"""Tasks: what to ask of an agent, how to set a phone up for it, and how to tell whether it was done."""
