"""`python -m emulator_farm`."""

from emulator_farm.cli import main

main()
