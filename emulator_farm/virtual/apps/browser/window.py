"""The browser's window: address bar, page, menu; and the lists of history and bookmarks."""

from collections.abc import Hashable
from functools import partial

from emulator_farm.virtual.apps.browser.pages import OFFLINE, fetch, shown, typed
from emulator_farm.virtual.apps.browser.sites import HOME, SITES
from emulator_farm.virtual.apps.browser.store import Place, browser_store
from emulator_farm.virtual.apps.browser.web_view import WebView
from emulator_farm.virtual.apps.dates import short_text
from emulator_farm.virtual.dialogs import confirm, menu
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.material import icon_button, list_item, scrolling, text_button, top_bar
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.widgets import FILL, Action, Column, Row, Text, TextField, Widget, pad

_BAR = "url_bar"


class Browser(Screen):
    """One tab. The address comes as the intent's data; a web search as the extra `query`."""

    activity = ".MainActivity"

    def created(self) -> None:
        """Open the address, or the start page."""
        self.trail: list[str] = []
        self.place = -1
        self.typing = ""
        query = self.intent.extras.get("query", "")
        self.go(self.intent.data or (typed(query) if query else HOME))

    def build(self) -> Widget:
        """Bar and page."""
        focused = self.view.focus == _BAR
        if not focused:
            self.typing = shown(self.web.url)
        field = TextField(
            id=_BAR, value=self.typing, hint="Search or type web address", on_change=self._type, on_action=self._enter,
            action="go", select_on_focus=True, grow=1, size=16, pad=pad(16, 12), bg="surface_container", radius=24,
        )  # fmt: skip
        marked = browser_store(self.system).is_marked(self.web.url)
        star = icon_button(
            "star", "Remove bookmark" if marked else "Bookmark", partial(self._mark, not marked), "bookmark_button",
            filled=marked,
        )  # fmt: skip
        parts = (
            icon_button("home", "Home", partial(self.go, HOME), "home_button"),
            field,
            star,
            icon_button("more_vert", "More options", self._more, "menu_button"),
        )
        bar = Row(id="toolbar", w=FILL, h=64, pad=pad(4), gap=4, children=parts)
        return Column(w=FILL, h=FILL, children=(bar, self.web.build()))

    def moment(self) -> Hashable:
        """Bookmarks may change behind the app's back."""
        return browser_store(self.system).stamp

    def on_back(self) -> bool:
        """Back goes to the page before."""
        if self.place <= 0:
            return False
        self._show(self.place - 1)
        return True

    def go(self, url: str) -> None:
        """Open an address."""
        del self.trail[self.place + 1 :]
        self.trail.append(url)
        self._show(len(self.trail) - 1)
        if self.web.page.found:
            browser_store(self.system).visit(url, self.web.page.title)

    def _show(self, place: int) -> None:
        self.place = place
        url = self.trail[place]
        page = fetch(url, SITES) if self.online else OFFLINE
        self.web = WebView(self, page, url, self.go, self._send)
        self.view.blur()
        self.view.scroll.clear()

    def _send(self, url: str, fields: dict[str, str]) -> None:
        browser_store(self.system).submit(url, fields)

    @property
    def online(self) -> bool:
        """Whether the phone has a network."""
        on = self.system.flag
        return on("global", "wifi_on") or (on("global", "mobile_data") and not self.system.airplane)

    def _type(self, text: str) -> None:
        self.typing = text

    def _enter(self) -> None:
        if self.typing.strip():
            self.go(typed(self.typing))

    def _mark(self, on: bool) -> None:
        browser_store(self.system).mark(self.web.url, self.web.page.title, on)
        self.system.toast("Bookmarked" if on else "Bookmark removed")

    def _more(self) -> None:
        items: list[tuple[str, Action]] = [("Refresh", self._refresh)]
        if self.place + 1 < len(self.trail):
            items.append(("Forward", self._forward))
        items += [("Bookmarks", partial(self._list, Bookmarks)), ("History", partial(self._list, History))]
        self.show(menu(items))

    def _refresh(self) -> None:
        self.dismiss()
        self._show(self.place)

    def _forward(self) -> None:
        self.dismiss()
        self._show(self.place + 1)

    def _list(self, screen: type[Screen]) -> None:
        self.dismiss()
        self.open(screen)


class Places(Screen):
    """A list of addresses: a tap opens one, the cross removes it."""

    table = ""
    title = ""
    nothing = ""

    def places(self) -> list[Place]:
        """What is listed."""
        raise NotImplementedError

    def moment(self) -> Hashable:
        """The database may change behind the app's back."""
        return browser_store(self.system).stamp

    def build(self) -> Widget:
        """Bar and list."""
        places = self.places()
        clear = text_button("Clear", self._ask, "clear_all_button", enabled=bool(places))
        rows: list[Widget] = [self._row(place) for place in places]
        empty = Text(id="empty_view", text=self.nothing, w=FILL, align="center", pad=pad(24, 96), color="outline")
        bar = top_bar(self.title, up=self.close, actions=(clear,))
        return Column(w=FILL, h=FILL, children=(bar, scrolling(rows or [empty], "recycler_view")))

    def _row(self, place: Place) -> Widget:
        remove = icon_button("close", f"Remove {place.title}", partial(self._forget, place), "remove")
        detail = shown(place.url)
        if self.table == "history":
            detail += f" • {short_text(self.system, place.date)}"
        return list_item(
            place.title, detail, "globe", trailing=remove, title_id="title", summary_id="description", title_size=16,
            on_tap=partial(self._open, place),
        )  # fmt: skip

    def _open(self, place: Place) -> None:
        self.system.tasks.start(Intent("android.intent.action.VIEW", data=place.url, package=self.package))

    def _forget(self, place: Place) -> None:
        browser_store(self.system).forget(self.table, place.id)

    def _ask(self) -> None:
        self.show(confirm(f"Everything in {self.title} will be removed.", "Clear", self._clear, self.dismiss))

    def _clear(self) -> None:
        self.dismiss()
        browser_store(self.system).forget(self.table)


class History(Places):
    """Pages that were opened."""

    activity = ".HistoryActivity"
    table, title, nothing = "history", "History", "You’ll find your history here"

    def places(self) -> list[Place]:
        """The latest first."""
        return browser_store(self.system).history()


class Bookmarks(Places):
    """Pages that were marked."""

    activity = ".BookmarksActivity"
    table, title, nothing = "bookmarks", "Bookmarks", "You’ll find your bookmarks here"

    def places(self) -> list[Place]:
        """The oldest first."""
        return browser_store(self.system).bookmarks()
