"""What the pages of Settings share: a way up, a large title that scrolls away, and rows bound to stored settings."""

from collections.abc import Callable, Sequence

from emulator_farm.virtual.dialogs import choice
from emulator_farm.virtual.material import icon_button, list_item, scrolling, switch_item
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.widgets import FILL, VIEW_GROUP, Action, Column, Pad, Row, Space, Stack, Text, Widget, pad

TITLE_DP = 88
LIST = "recycler_view"


class Page(Screen):
    """A page of Settings: `title` and `rows()`."""

    activity = ".SubSettings"
    title = ""

    def rows(self) -> Sequence[Widget]:
        """The rows below the title."""
        raise NotImplementedError

    def build(self) -> Widget:
        """Bar, title and rows."""
        scrolled = self.view.scroll.get(LIST, 0) > TITLE_DP * self.system.display.density / 160
        small = Text(text=self.title, size=20, grow=1, max_lines=1) if scrolled else Space(grow=1)
        bar = Row(
            id="action_bar", view=VIEW_GROUP, w=FILL, h=56, pad=pad(4),
            children=(icon_button("arrow_back", "Navigate up", self.close), small),
        )  # fmt: skip
        head = Stack(
            id="collapsing_toolbar", view="FrameLayout", desc=self.title, w=FILL, pad=Pad(24, 36, 24, 24),
            children=(Text(text=self.title, size=34),),
        )  # fmt: skip
        return Column(id="content_parent", w=FILL, h=FILL, children=(bar, scrolling((head, *self.rows()), LIST)))

    # -- rows

    def link(self, title: str, page: type[Screen], summary: str = "", icon: str = "", enabled: bool = True) -> Widget:
        """A row that opens another page."""
        return list_item(title, summary, icon, on_tap=lambda: self.open(page), enabled=enabled)

    def toggle(
        self,
        title: str,
        key: str,
        summary: str = "",
        on: str = "1",
        off: str = "0",
        icon: str = "",
        then: Callable[[bool], None] = lambda on: None,
    ) -> Widget:
        """A switch bound to a setting `namespace/key`, on where it holds `on` (any number but 0 where that is "1")."""
        namespace, _, name = key.partition("/")
        value = self.system.settings.get(namespace, name)
        checked = self.system.flag(namespace, name) if on == "1" else value == on

        def change(now: bool) -> None:
            self.system.settings.put(namespace, name, on if now else off)
            then(now)

        return switch_item(title, checked, change, summary, icon)

    def choose(self, title: str, key: str, options: Sequence[tuple[str, str]], enabled: bool = True) -> Widget:
        """A row that opens a list of (label, value) for a setting `namespace/key`; the first where it is not set."""
        namespace, _, name = key.partition("/")
        value = self.system.settings.get(namespace, name)
        values = [each for _, each in options]
        chosen = values.index(value) if value in values else 0 if value is None else -1
        summary = options[chosen][0] if chosen >= 0 else str(value)

        def choose(index: int) -> None:
            self.system.settings.put(namespace, name, values[index])
            self.dismiss()

        def ask() -> None:
            self.show(choice(title, [label for label, _ in options], chosen, choose, self.dismiss))

        return list_item(title, summary, on_tap=ask, enabled=enabled)


def plain(title: str, summary: str = "", on_tap: Action | None = None, enabled: bool = True, icon: str = "") -> Widget:
    """A row without a page behind it."""
    return list_item(title, summary, icon, on_tap=on_tap, enabled=enabled)


def note(text: str) -> Widget:
    """Small print."""
    return Text(id="android:title", text=text, size=14, color="on_surface_variant", w=FILL, pad=pad(24, 16))
