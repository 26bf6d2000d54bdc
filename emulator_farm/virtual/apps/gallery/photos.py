"""All photos by day, albums, and one photo large."""

import posixpath
from collections.abc import Hashable
from functools import partial

from emulator_farm.virtual.apps.dates import day_text, time_text
from emulator_farm.virtual.apps.files.storage import size_text
from emulator_farm.virtual.apps.gallery.media import Picture, media_store
from emulator_farm.virtual.dialogs import confirm, dialog
from emulator_farm.virtual.material import bottom_bar, icon_button, list_item, scrolling, text_button, top_bar
from emulator_farm.virtual.screen import Popup, Screen
from emulator_farm.virtual.widgets import FILL, VIEW_GROUP, Column, Photo, Row, Space, Text, Widget, pad

COLUMNS = 3
TABS = (("photos", "Photos", "image"), ("albums", "Albums", "photo_library"))


class Gallery(Screen):
    """A grid of every image on the shared storage, the latest first; or the folders that hold them."""

    bar_backdrop = "surface_container"
    tab = "photos"
    album = ""

    def moment(self) -> Hashable:
        """Files may change behind the app's back."""
        return tuple(media_store(self.system).pictures())

    def on_back(self) -> bool:
        """Back leaves an album first."""
        was, self.album = bool(self.album), ""
        return was

    def build(self) -> Widget:
        """Bar, grid or albums, tabs."""
        pictures = media_store(self.system).pictures(self.album)
        if self.tab == "albums" and not self.album:
            title, rows = "Albums", self._albums(pictures)
        else:
            title, rows = self.album or "Photos", self._days(pictures)
        nothing = Text(id="empty", text="No photos", w=FILL, align="center", pad=pad(24, 96), color="outline")
        up = self._leave if self.album else None
        body = scrolling(rows or [nothing], "photo_grid")
        return Column(w=FILL, h=FILL, children=(top_bar(title, up=up), body, bottom_bar(TABS, self.tab, self._choose)))

    def _days(self, pictures: list[Picture]) -> list[Widget]:
        days: dict[str, list[Picture]] = {}
        for picture in pictures:
            days.setdefault(day_text(self.system, picture.date), []).append(picture)
        rows: list[Widget] = []
        for day, found in days.items():
            rows.append(Text(id="header", text=day, size=14, weight="medium", pad=pad(16, 10)))
            for start in range(0, len(found), COLUMNS):
                cells: list[Widget] = [self._cell(picture) for picture in found[start : start + COLUMNS]]
                cells += [Space(grow=1, h=120)] * (COLUMNS - len(cells))
                rows.append(Row(view=VIEW_GROUP, w=FILL, gap=2, pad=pad(0, 1), children=tuple(cells)))
        return rows

    def _cell(self, picture: Picture) -> Widget:
        words = f"Photo taken {day_text(self.system, picture.date)}, {time_text(self.system, picture.date)}"
        return Photo(
            id="photo", desc=words, grow=1, h=120, cover=True, data=self.system.files.read(picture.path),
            on_tap=lambda: self.open(PhotoPage, path=picture.path, album=self.album),
        )  # fmt: skip

    def _albums(self, pictures: list[Picture]) -> list[Widget]:
        names = sorted({picture.album for picture in pictures}, key=str.lower)
        rows: list[Widget] = []
        for name in names:
            found = [picture for picture in pictures if picture.album == name]
            cover = Photo(w=64, h=64, cover=True, data=self.system.files.read(found[0].path), hidden=True)
            count = "1 photo" if len(found) == 1 else f"{len(found)} photos"
            rows.append(
                list_item(name, count, leading=cover, title_id="album_name", summary_id="album_count",
                          on_tap=partial(self._enter, name))
            )  # fmt: skip
        return rows

    def _enter(self, album: str) -> None:
        self.album = album
        self.view.scroll.clear()

    def _leave(self) -> None:
        self.album = ""

    def _choose(self, tab: str) -> None:
        self.tab, self.album = tab, ""
        self.view.scroll.clear()


class PhotoPage(Screen):
    """The image at the extra `path`, or of the intent's data `file://PATH` or `content://media/…/ID`."""

    activity = ".app.PhotoActivity"
    on_wallpaper = True
    backdrop = "black"

    def created(self) -> None:
        """Find the image."""
        self.path = self.intent.extras.get("path", "")
        data = self.intent.data
        if data.startswith("file://"):
            files, path = self.system.files, data.removeprefix("file://")
            self.path = files.resolve(path) if files.exists(path) else path
        elif data.startswith("content://media/"):
            wanted = data.rpartition("/")[2]
            found = media_store(self.system).pictures()
            self.path = next((each.path for each in found if str(each.id) == wanted), "")

    def moment(self) -> Hashable:
        """The file may change behind the app's back."""
        return tuple(media_store(self.system).pictures())

    @property
    def around(self) -> list[Picture]:
        """What a swipe moves along."""
        return media_store(self.system).pictures(self.intent.extras.get("album", ""))

    def build(self) -> Widget:
        """Bar over the photo."""
        picture = next((each for each in self.around if each.path == self.path), None)
        back = icon_button("arrow_back", "Navigate up", self.close, color="white")
        if picture is None:
            gone = Text(id="message", text="No such photo", w=FILL, align="center", color="white", pad=pad(24, 96))
            return Column(w=FILL, h=FILL, bg="black", children=(Row(w=FILL, h=64, children=(back,)), gone))
        marked = picture.favorite
        star = icon_button(
            "favorite", "Remove from favorites" if marked else "Add to favorites",
            partial(media_store(self.system).favorite, picture.id, not marked), "action_favorite", "white", marked,
        )  # fmt: skip
        info = icon_button("info", "Details", lambda: self.show(self._details(picture)), "action_details", "white")
        delete = icon_button("delete", "Delete", lambda: self._ask(picture), "action_delete", "white")
        bar = Row(w=FILL, h=64, pad=pad(4), children=(back, Space(grow=1), star, info, delete))
        data = self.system.files.read(picture.path)
        name = posixpath.basename(picture.path)
        view = Photo(id="photo_view", desc=name, w=FILL, h=FILL, data=data, on_fling=self._fling)
        return Column(w=FILL, h=FILL, bg="black", children=(bar, view))

    def _fling(self, direction: str) -> bool:
        paths = [picture.path for picture in self.around]
        step = {"left": 1, "right": -1}.get(direction, 0)
        place = paths.index(self.path) + step if self.path in paths else 0
        if step and 0 <= place < len(paths):
            self.path = paths[place]
        return bool(step)

    def _details(self, picture: Picture) -> Popup:
        taken = f"{day_text(self.system, picture.date)}, {time_text(self.system, picture.date)}"
        facts = (
            ("Title", posixpath.basename(picture.path)),
            ("Time", taken),
            ("Width", str(picture.width)),
            ("Height", str(picture.height)),
            ("File size", size_text(picture.size)),
            ("Path", picture.path),
        )

        def build() -> Widget:
            lines = [Text(id="detail", text=f"{label}: {value}", size=15, w=FILL) for label, value in facts]
            return dialog("Details", lines, (text_button("Close", self.dismiss, "android:button1"),))

        return Popup(build)

    def _ask(self, picture: Picture) -> None:
        self.show(confirm("Delete this photo?", "Delete", lambda: self._delete(picture), self.dismiss))

    def _delete(self, picture: Picture) -> None:
        self.dismiss()
        paths = [each.path for each in self.around]
        media_store(self.system).remove(picture)
        left = [path for path in paths if path != picture.path]
        if left:
            self.path = left[min(paths.index(picture.path), len(left) - 1)]
        else:
            self.close()
