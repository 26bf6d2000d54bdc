"""The apps that ship with the phone. `emulator_farm.virtual.screen` says how one is declared."""

from emulator_farm.virtual.apps import (
    browser,
    calculator,
    calendar,
    camera,
    clock,
    contacts,
    dialer,
    files,
    gallery,
    launcher,
    messages,
    notes,
    settings,
    shop,
)
from emulator_farm.virtual.screen import App

APPS: tuple[App, ...] = (
    launcher.APP,
    settings.APP,
    contacts.APP,
    notes.APP,
    clock.APP,
    messages.APP,
    dialer.APP,
    calendar.APP,
    files.APP,
    browser.APP,
    shop.APP,
    camera.APP,
    gallery.APP,
    calculator.APP,
)
