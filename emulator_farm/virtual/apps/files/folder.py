"""A folder as a list: open, select, sort, search, and what can be done to what is selected."""

import posixpath
from collections.abc import Callable, Hashable, Sequence
from functools import partial

from emulator_farm.virtual.apps.dates import short_text
from emulator_farm.virtual.apps.files.storage import ROOT, Entry, Storage, size_text
from emulator_farm.virtual.apps.files.viewer import FileInfo, TextFile
from emulator_farm.virtual.dialogs import TextPrompt, confirm, menu
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.material import filled_button, icon_button, scrolling, text_button, top_bar
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.widgets import (
    FILL,
    VIEW_GROUP,
    Action,
    Column,
    Disc,
    Icon,
    Paint,
    Row,
    Scroll,
    Text,
    TextField,
    Widget,
    pad,
)

IMAGES, AUDIO, VIDEO = (".jpg", ".jpeg", ".png", ".gif", ".webp"), (".mp3", ".ogg", ".wav"), (".mp4", ".webm")
TEXTS = (".txt", ".md", ".csv", ".json", ".xml", ".html", ".log", ".vcf", ".ics")
SORTS: dict[str, tuple[str, Callable[[Entry], int], bool]] = {
    "name": ("By file name (A to Z)", lambda entry: 0, False),
    "modified": ("By modified (newest first)", lambda entry: entry.modified, True),
    "size": ("By size (largest first)", lambda entry: entry.size, True),
}
_QUERY = "search_src_text"


class Folder(Screen):
    """One folder after another below the shared storage."""

    sort = "name"
    hidden_too = False
    searching = False
    query = ""
    task = ""
    """move | copy while a place for what was selected is being chosen."""

    def created(self) -> None:
        """Start at the top."""
        self.folder = ROOT
        self.selected: list[str] = []
        self.carried: list[str] = []

    @property
    def storage(self) -> Storage:
        """The files."""
        return Storage(self.system.files)

    def moment(self) -> Hashable:
        """Files may change behind the app's back."""
        if self.searching:
            return tuple(self.storage.search(self.folder, self.query))
        return tuple(self.storage.entries(self.folder, self.hidden_too))

    def on_back(self) -> bool:
        """Back ends a selection, a search, then goes up."""
        if self.selected or self.searching:
            self.selected = []
            self._stop_searching()
        elif self.folder != ROOT:
            self._enter(posixpath.dirname(self.folder))
        elif self.task:
            self.task = ""
        else:
            return False
        return True

    def build(self) -> Widget:
        """Bar, path, list, and the button that ends a move."""
        if not self.system.files.is_dir(self.folder):
            self.folder = ROOT
        parts: list[Widget] = [self._bar()]
        if not self.searching:
            parts.append(self._path())
        rows = [self._row(entry) for entry in self._entries()]
        nothing = Text(id="message", text="No items", w=FILL, align="center", pad=pad(24, 96), color="outline")
        parts.append(scrolling(rows or [nothing], "dir_list"))
        if self.task:
            parts.append(self._choice())
        return Column(w=FILL, h=FILL, children=tuple(parts))

    def _entries(self) -> Sequence[Entry]:
        if self.searching:
            return self.storage.search(self.folder, self.query) if self.query else ()
        _, key, backwards = SORTS[self.sort]
        found = sorted(self.storage.entries(self.folder, self.hidden_too), key=key, reverse=backwards)
        return sorted(found, key=lambda entry: not entry.folder)

    # -- parts

    def _bar(self) -> Widget:
        if self.selected:
            return self._selection_bar()
        if self.searching:
            field = TextField(
                id=_QUERY, value=self.query, hint="Search this phone", on_change=self._type, action="search", grow=1,
                size=20, pad=pad(0, 12),
            )  # fmt: skip
            back = icon_button("arrow_back", "Stop searching", self._stop_searching)
            return Row(id="toolbar", view=VIEW_GROUP, w=FILL, h=64, pad=pad(4), gap=4, children=(back, field))
        device = self.system.settings.get("global", "device_name") or "Internal storage"
        title = {"move": "Move to", "copy": "Copy to"}.get(self.task)
        search = icon_button("search", "Search", self._search, "option_menu_search")
        more = icon_button("more_vert", "More options", self._more)
        name = device if self.folder == ROOT else posixpath.basename(self.folder)
        up = None if self.folder == ROOT else partial(self._enter, posixpath.dirname(self.folder))
        return top_bar(title or name, up=up, actions=(search, more))

    def _selection_bar(self) -> Widget:
        actions = (
            icon_button("delete", "Delete", self._ask_delete, "action_menu_delete"),
            icon_button("more_vert", "More options", self._more_of_selection),
        )
        return top_bar(
            f"{len(self.selected)} selected", up=self._unselect, up_icon="close", up_desc="Done", actions=actions
        )

    def _path(self) -> Widget:
        places = [ROOT]
        for name in self.folder[len(ROOT) :].split("/"):
            if name:
                places.append(f"{places[-1]}/{name}")
        parts: list[Widget] = []
        for place in places:
            if parts:
                parts.append(Icon(name="chevron_right", size=20))
            label = "Internal storage" if place == ROOT else posixpath.basename(place)
            ink: Paint = "primary" if place == self.folder else "on_surface_variant"
            parts.append(
                Text(id="breadcrumb_text", text=label, size=14, color=ink, pad=pad(8, 12), max_lines=1,
                     on_tap=partial(self._enter, place))
            )  # fmt: skip
        line = Row(pad=pad(16, 0), children=tuple(parts))
        return Scroll(id="horizontal_breadcrumb", view="HorizontalScrollView", axis="x", w=FILL, child=line)

    def _row(self, entry: Entry) -> Widget:
        on = entry.path in self.selected
        face = Disc(color="primary" if on else "outline", icon="check" if on else _icon(entry), size=40)
        detail = short_text(self.system, entry.modified * 1000)
        detail += f" • {entry.kind}" if entry.folder else f" • {size_text(entry.size)} • {entry.kind}"
        words = Column(
            grow=1, gap=2,
            children=(
                Text(id="android:title", text=entry.name, size=17, max_lines=1),
                Text(id="details", text=detail, size=13, color="on_surface_variant", max_lines=1),
            ),
        )  # fmt: skip
        return Row(
            id="item_root", view=VIEW_GROUP, w=FILL, min_h=68, pad=pad(16, 8), gap=16, selected=on,
            bg="secondary_container" if on else None, children=(face, words),
            on_tap=partial(self._toggle if self.selected else self._open, entry), on_long=partial(self._toggle, entry),
        )  # fmt: skip

    def _choice(self) -> Widget:
        label = self.task.capitalize()
        buttons = (
            text_button("Cancel", self._cancel_task, "android:button2"),
            filled_button(label, self._finish_task, "android:button1"),
        )
        return Row(
            id="container_save", w=FILL, justify="end", gap=8, pad=pad(16, 8), bg="surface_high", children=buttons
        )

    # -- moving about

    def _enter(self, folder: str) -> None:
        self.folder, self.selected = folder, []
        self._stop_searching()
        self.view.scroll.clear()

    def _open(self, entry: Entry) -> None:
        if entry.folder:
            self._enter(entry.path)
        elif entry.name.lower().endswith(IMAGES):
            self.system.tasks.start(Intent("android.intent.action.VIEW", f"file://{entry.path}", "image/*"))
        elif entry.name.lower().endswith(TEXTS):
            self.open(TextFile, path=entry.path)
        else:
            self.system.toast("Can't open file")

    def _search(self) -> None:
        self.searching = True
        self.view.focus_on(_QUERY)

    def _type(self, query: str) -> None:
        self.query = query

    def _stop_searching(self) -> None:
        self.searching, self.query = False, ""
        self.view.blur()

    def _more(self) -> None:
        items: list[tuple[str, Action]] = [("New folder", self._ask_folder)]
        items += [(label, partial(self._sort_by, key)) for key, (label, *_) in SORTS.items()]
        items.append(("Hide hidden files" if self.hidden_too else "Show hidden files", self._show_hidden))
        self.show(menu(items))

    def _sort_by(self, key: str) -> None:
        self.dismiss()
        self.sort = key

    def _show_hidden(self) -> None:
        self.dismiss()
        self.hidden_too = not self.hidden_too

    # -- changing files

    def _toggle(self, entry: Entry) -> None:
        if self.task:
            return
        if entry.path in self.selected:
            self.selected.remove(entry.path)
        else:
            self.selected.append(entry.path)

    def _unselect(self) -> None:
        self.selected = []

    def _more_of_selection(self) -> None:
        items: list[tuple[str, Action]] = [
            ("Copy to…", partial(self._start_task, "copy")),
            ("Move to…", partial(self._start_task, "move")),
            ("Select all", self._select_all),
        ]
        if len(self.selected) == 1:
            items += [("Rename", self._ask_name), ("Get info", self._info)]
        self.show(menu(items))

    def _select_all(self) -> None:
        self.dismiss()
        self.selected = [entry.path for entry in self._entries()]

    def _info(self) -> None:
        self.dismiss()
        path, self.selected = self.selected[0], []
        self.open(FileInfo, path=path)

    def _start_task(self, task: str) -> None:
        self.dismiss()
        self.carried, self.task = self.selected, task
        self._enter(self.folder)

    def _cancel_task(self) -> None:
        self.task, self.carried = "", []

    def _finish_task(self) -> None:
        action = self.storage.move if self.task == "move" else self.storage.copy
        for path in self.carried:
            self._attempt(partial(action, path, self.folder), f"Couldn't {self.task} some files")
        self._cancel_task()

    def _ask_delete(self) -> None:
        count = len(self.selected)
        what = f'"{posixpath.basename(self.selected[0])}"' if count == 1 else f"{count} items"
        self.show(confirm(f"Delete {what}?", "OK", self._delete, self.dismiss))

    def _delete(self) -> None:
        self.dismiss()
        for path in self.selected:
            self._attempt(partial(self.storage.remove, path), "Couldn't delete some files")
        self.selected = []

    def _ask_folder(self) -> None:
        self.show(TextPrompt("New folder", "", self._make_folder, self.dismiss, hint="Folder name").popup())

    def _make_folder(self, name: str) -> None:
        self.dismiss()
        self._attempt(partial(self.storage.make_folder, self.folder, name), "Failed to create folder")

    def _ask_name(self) -> None:
        name = posixpath.basename(self.selected[0])
        self.show(TextPrompt("Rename", name, self._rename, self.dismiss).popup())

    def _rename(self, name: str) -> None:
        self.dismiss()
        self._attempt(partial(self.storage.rename, self.selected[0], name), "Failed to rename document")
        self.selected = []

    def _attempt(self, action: Action, complaint: str) -> None:
        try:
            action()
        except OSError:
            self.system.toast(complaint)


def _icon(entry: Entry) -> str:
    if entry.folder:
        return "folder"
    name = entry.name.lower()
    for icon, suffixes in (("image", IMAGES), ("music_note", AUDIO), ("movie", VIDEO), ("description", TEXTS)):
        if name.endswith(suffixes):
            return icon
    return "article"
