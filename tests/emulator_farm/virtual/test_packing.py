"""Snapshots as bytes: whole, or refused."""

import json
import zlib

import pytest

from emulator_farm.virtual import rootfs
from emulator_farm.virtual.dialogs import confirm
from emulator_farm.virtual.graph import NotState
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.packing import MAGIC, pack, unpack
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.snapshot import put, take
from emulator_farm.virtual.state import state_of


@pytest.fixture
def phone() -> Phone:
    """A small phone with a dialog open."""
    phone = Phone(width=360, height=780, density=140)
    rootfs.populate(phone)
    phone.clock.hold()
    phone.files.write("/sdcard/photo.bin", bytes(range(256)))
    phone.start_activity(Intent(component=phone.packages.launcher("org.virtual.notes")))
    phone.swipe(180, 200, 180, 200, 800)
    assert phone.screen.popup is not None
    return phone


def changed(data: bytes, **values: object) -> bytes:
    """A packed snapshot with other values in its head."""
    body = zlib.decompress(data[len(MAGIC) :])
    end = 8 + int.from_bytes(body[:8], "big")
    text = json.dumps(json.loads(body[8:end]) | values).encode()
    return MAGIC + zlib.compress(len(text).to_bytes(8, "big") + text + body[end:])


def test_bytes_hold_everything(phone: Phone) -> None:
    other = Phone(width=360, height=780, density=140, seed=9)
    rootfs.populate(other)
    put(other, unpack(pack(take(phone))))
    assert other.png() == phone.png()
    assert other.hierarchy() == phone.hierarchy()
    assert state_of(other) == state_of(phone)
    other.key(4)
    phone.key(4)
    assert other.png() == phone.png()


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", MAGIC, MAGIC + b"nonsense", MAGIC + zlib.compress(b"\0" * 40)])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(NotState):
        unpack(data)


def test_a_snapshot_cut_short_is_refused(phone: Phone) -> None:
    data = pack(take(phone))
    with pytest.raises(NotState, match="damaged"):
        unpack(data[: len(data) // 2])


def test_another_build_is_refused(phone: Phone) -> None:
    with pytest.raises(NotState, match="another version"):
        unpack(changed(pack(take(phone)), build="0" * 64))


@pytest.mark.parametrize(
    "row",
    [
        ["object", {"class": ["subprocess", "Popen"]}, [], []],
        ["object", {"class": ["emulator_farm.virtual.fleet", "Fleet"]}, [], []],
        ["object", {"class": ["emulator_farm.virtual.phone", "UnknownProvider.__init__"]}, [], []],
        ["function", 0, ["os", "system", None, None, None], []],
        ["builtin", "__reduce__", [1], []],
        ["list", None, [{"function": ["os", "system", 0]}], []],
        ["list", None, [{"module": "os"}], []],
    ],
)
def test_nothing_outside_the_phone_can_be_named(phone: Phone, row: object) -> None:
    with pytest.raises(NotState):
        unpack(changed(pack(take(phone)), records=[row]))


def test_code_without_a_source_cannot_be_written(phone: Phone) -> None:
    popup = confirm("?", "Yes", lambda: None, phone.screen.dismiss)
    phone.screen.show(popup)
    with pytest.raises(NotState, match="test_packing"):
        pack(take(phone))
