"""The policy server: a goal, a history and a screenshot in, one Android action out."""

__version__ = "0.1.0"
