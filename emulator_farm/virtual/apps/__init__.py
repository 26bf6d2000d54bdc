"""The apps that ship with the phone. `emulator_farm.virtual.screen` says how one is declared."""

from ..screen import App
from . import launcher

APPS: tuple[App, ...] = (launcher.APP,)
