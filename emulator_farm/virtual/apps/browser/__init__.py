"""Browser, an app of our own with a small built-in web; what it remembers is in `databases/browser.db`."""

from emulator_farm.virtual.apps.browser.store import PACKAGE, BrowserStore, browser_store
from emulator_farm.virtual.apps.browser.window import Browser
from emulator_farm.virtual.screen import App, Entry
from emulator_farm.virtual.system import System


def _ship(system: System) -> None:
    browser_store(system).ship()


APP = App(
    package=PACKAGE,
    label="Browser",
    icon="globe",
    color=(0, 131, 143),
    version="1.0",
    apk="/product/app/Browser/Browser.apk",
    provision=_ship,
    providers=(BrowserStore,),
    entries=(
        Entry(".MainActivity", Browser, launcher=True),
        Entry(".LinkActivity", Browser, ("android.intent.action.VIEW",), ("http://", "https://")),
        Entry(".SearchActivity", Browser, ("android.intent.action.WEB_SEARCH",)),
    ),
)
