"""The emulator farm: make phones, play tasks, keep what is good."""
