"""The camera: what the lens sees, a shutter, the last photo."""

from collections.abc import Hashable
from datetime import datetime, timedelta

from emulator_farm.virtual.apps.camera.lens import view
from emulator_farm.virtual.apps.gallery.media import STORAGE
from emulator_farm.virtual.files import FileTree
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.material import CENTER, icon_button
from emulator_farm.virtual.permission_dialog import request_permission
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.system import System
from emulator_farm.virtual.widgets import FILL, Column, Photo, Row, Space, Stack, Widget, pad

FOLDER = f"{STORAGE}/DCIM/Camera"
_SHIPPED = (timedelta(days=9, hours=3), timedelta(days=9, hours=2), timedelta(days=2), timedelta(hours=20))
"""How long ago the photos were taken that the phone comes with."""
LOCATION = "android.permission.ACCESS_FINE_LOCATION"
FLASH = ("auto", "on", "off")


class Viewfinder(Screen):
    """Takes photos into `/sdcard/DCIM/Camera`."""

    on_wallpaper = True
    backdrop = "black"
    selfie = False
    flash = "auto"

    def on_resume(self) -> None:
        """At first, ask whether photos may remember the place; a camera of the system's may take them in any case."""
        if not self.system.packages.refusals(self.package, LOCATION):
            request_permission(self, LOCATION, lambda granted: None)

    def moment(self) -> Hashable:
        """Photos may come and go behind the app's back."""
        return tuple(self._photos())

    def build(self) -> Widget:
        """Settings, view, shutter."""
        flash = icon_button("flashlight_on", f"Flash {self.flash}", self._next_flash, "flash_toggle_button", "white")
        top = Row(w=FILL, h=56, pad=pad(8), justify="center", children=(flash,))
        lens = Photo(id="preview_content", w=FILL, h=FILL, cover=True, data=view(self._number(), self.selfie))
        shutter = Stack(
            id="shutter_button", view="ImageView", desc="Shutter", w=80, h=80, bg="white", radius=40,
            on_tap=self._take, children=(Space(w=68, h=68, radius=34, bg=(225, 228, 232), anchor=CENTER),),
        )  # fmt: skip
        other = "Switch to back camera" if self.selfie else "Switch to front camera"
        switch = icon_button("sync", other, self._switch, "camera_toggle_button", "white")
        foot = Row(
            w=FILL, h=136, pad=pad(32), bg="black",
            children=(self._last(), Space(grow=1), shutter, Space(grow=1), switch),
        )  # fmt: skip
        return Column(id="camera_app_root", w=FILL, h=FILL, bg="black", children=(top, lens, foot))

    def _last(self) -> Widget:
        photos = self._photos()
        if not photos:
            return Space(w=48, h=48)
        data = self.system.files.read(photos[-1])
        return Photo(
            id="rounded_thumbnail_view", desc="Photo taken. Tap to open it.", w=48, h=48, cover=True, data=data,
            on_tap=lambda: self._open(photos[-1]),
        )  # fmt: skip

    def _photos(self) -> list[str]:
        files = self.system.files
        names = files.list(FOLDER) if files.is_dir(FOLDER) else []
        found = [f"{FOLDER}/{name}" for name in names if name.lower().endswith(".jpg")]
        return sorted(found, key=lambda path: (files.stat(path).mtime, path))

    def _number(self) -> int:
        return self.system.seed * 1000 + len(self._photos())

    def _take(self) -> None:
        save(self.system.files, self.system.now(), view(self._number(), self.selfie))

    def _open(self, path: str) -> None:
        self.system.tasks.start(Intent("android.intent.action.VIEW", f"file://{path}", "image/*"))

    def _switch(self) -> None:
        self.selfie = not self.selfie

    def _next_flash(self) -> None:
        self.flash = FLASH[(FLASH.index(self.flash) + 1) % len(FLASH)]


def save(files: FileTree, taken: datetime, data: bytes) -> str:
    """Put a photo into the camera's folder; its path."""
    files.mkdir(FOLDER, parents=True)
    stem, number = f"{FOLDER}/IMG_{taken:%Y%m%d_%H%M%S}", 0
    path = f"{stem}.jpg"
    while files.exists(path):
        number += 1
        path = f"{stem}_{number}.jpg"
    files.write(path, data, mtime=taken.timestamp())
    return path


def ship(system: System) -> None:
    """The photos that the phone comes with, and no others."""
    files = system.files
    if files.is_dir(FOLDER):
        files.remove(FOLDER, recursive=True)
    for number, ago in enumerate(_SHIPPED):
        save(files, system.shipped_at - ago, view(-1 - number, False))
