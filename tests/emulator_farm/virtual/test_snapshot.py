"""A phone put back, or made into another, cannot be told from what it was: not now, and not by what it does next."""

import gc
import random
import threading
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulator_farm.virtual import rootfs
from emulator_farm.virtual.apps import APPS as SHIPPED
from emulator_farm.virtual.clock import Clock
from emulator_farm.virtual.defaults import LAUNCHER
from emulator_farm.virtual.graph import NotState
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shelf import MAX_SAVED, NoSnapshot, Saved, Shelf
from emulator_farm.virtual.snapshot import WrongPhone, put, take
from emulator_farm.virtual.state import state_of

APPS = tuple(sorted(app.package for app in SHIPPED if app.package != LAUNCHER))


def make(number: int = 0, **options: int) -> Phone:
    """A small phone whose time stands still."""
    size = {"width": 360, "height": 780, "density": 140} | options
    phone = Phone(f"virtual-{number}", seed=number, clock=Clock(datetime(2026, 3, 1, 9, 41, tzinfo=UTC)), **size)
    rootfs.populate(phone)
    phone.clock.hold()
    return phone


def launch(phone: Phone, package: str) -> None:
    phone.start_activity(Intent(component=phone.packages.launcher(package)))


def shown(phone: Phone) -> tuple[bytes, str]:
    return phone.frame().tobytes(), phone.hierarchy()


def tap_on(phone: Phone, what: str) -> None:
    """Tap the middle of the first node with this text or description."""
    node = phone.hierarchy().split(f'"{what}"', 1)[1].split('bounds="[', 1)[1].split(']"', 1)[0]
    left, top, right, bottom = (int(part) for part in node.replace("][", ",").split(","))
    phone.tap((left + right) // 2, (top + bottom) // 2)


def monkey(phone: Phone, seed: int, moves: int) -> None:
    """The same moves for the same seed."""
    draw = random.Random(seed)
    width, height = phone.screen_size
    for _ in range(moves):
        x, y = draw.randrange(width), draw.randrange(height)
        match draw.choice("ttttssxkl"):
            case "t":
                phone.tap(x, y)
            case "s":
                phone.swipe(x, y, draw.randrange(width), draw.randrange(height))
            case "l":
                phone.swipe(x, y, x, y, 700)
            case "x":
                phone.text(draw.choice(("hello", "Ab 12", "7")))
            case _:
                phone.key(draw.choice((4, 4, 3, 66, 67, 187)))


@settings(max_examples=30)
@given(app=st.sampled_from(APPS), seed=st.integers(0, 10**6), moves=st.integers(0, 25))
def test_a_copy_shows_the_same_and_does_the_same_from_then_on(app: str, seed: int, moves: int) -> None:
    one, other = make(0), make(1)
    launch(one, app)
    monkey(one, seed, moves)
    put(other, take(one))
    assert shown(one) == shown(other)
    assert state_of(one) == state_of(other)
    before = state_of(one)
    monkey(other, seed + 1, 12)
    assert state_of(one) == before
    monkey(one, seed + 1, 12)
    assert shown(one) == shown(other)
    assert state_of(one) == state_of(other)


def editor_with_unsaved_name(phone: Phone) -> None:
    launch(phone, "com.android.contacts")
    tap_on(phone, "Create contact")
    phone.text("Ada Lovelace")
    phone.key(4)
    phone.key(4)


def alarm_time_picker(phone: Phone) -> None:
    launch(phone, "com.android.deskclock")
    tap_on(phone, "Add alarm")


def note_about_to_be_deleted(phone: Phone) -> None:
    launch(phone, "org.virtual.notes")
    phone.swipe(180, 200, 180, 200, 800)


def list_of_timeouts(phone: Phone) -> None:
    launch(phone, "com.android.settings")
    for _ in range(3):
        phone.swipe(180, 600, 180, 350)
    tap_on(phone, "Display")
    tap_on(phone, "Screen timeout")


@pytest.mark.parametrize(
    ("open_it", "answer"),
    [
        (editor_with_unsaved_name, "Discard"),
        (alarm_time_picker, "OK"),
        (note_about_to_be_deleted, "Delete"),
        (list_of_timeouts, "5 minutes"),
    ],
)
def test_a_dialog_works_on_the_copy_and_not_on_the_phone_it_came_from(
    open_it: Callable[[Phone], None], answer: str
) -> None:
    one, other = make(0), make(1)
    open_it(one)
    assert one.screen.popup is not None
    saved = take(one)
    put(other, saved)
    tap_on(other, answer)
    assert other.screen.popup is None
    assert one.screen.popup is not None
    put(one, saved)
    tap_on(one, answer)
    assert shown(one) == shown(other)


def test_loading_brings_back_settings_rows_files_packages_text_scroll_and_clipboard() -> None:
    phone = make()
    launch(phone, "com.android.contacts")
    phone.swipe(180, 600, 180, 400)
    tap_on(phone, "Search contacts")
    phone.text("gra")
    phone.key(29, meta=(113,))
    phone.key(31, meta=(113,))
    before, looks = state_of(phone), shown(phone)
    saved = take(phone)
    phone.text("zzz")
    phone.settings.put("system", "font_scale", "1.3")
    phone.delete("content://com.android.contacts/raw_contacts")
    phone.files.write("/sdcard/new.txt", b"x")
    phone.packages.install("org.example", "/data/app/x.apk")
    phone.set_size_override((300, 600))
    phone.reboot()
    assert state_of(phone) != before
    put(phone, saved)
    assert (state_of(phone), shown(phone)) == (before, looks)
    phone.key(279)
    assert "gra" in phone.hierarchy()


def test_one_snapshot_can_be_loaded_again_and_again() -> None:
    phone = make()
    launch(phone, "org.virtual.notes")
    saved, looks = take(phone), shown(phone)
    for seed in range(3):
        monkey(phone, seed, 15)
        put(phone, saved)
        assert shown(phone) == looks


def test_many_loads_leave_nothing_behind() -> None:
    one, other = make(0), make(1)
    launch(one, "com.android.contacts")
    saved = take(one)

    def count(loads: int) -> int:
        for _ in range(loads):
            put(other, saved)
        gc.collect()
        return len(gc.get_objects())

    first = count(5)
    assert count(60) - first < 60


def test_time_goes_on_from_the_moment_of_the_snapshot() -> None:
    ticks = [100.0]
    phone = Phone(clock=Clock(datetime(2026, 3, 1, 9, 41, tzinfo=UTC), lambda: ticks[0]))
    rootfs.populate(phone)
    launch(phone, "com.android.deskclock")
    phone.insert("content://com.android.deskclock/timers", {"length_ms": 60_000, "remaining_ms": 60_000})
    saved = take(phone)
    ticks[0] += 1000
    put(phone, saved)
    assert (phone.clock.now().minute, phone.clock.uptime_s()) == (41, 0)
    ticks[0] += 90
    assert phone.clock.now().minute == 42
    assert phone.clock.uptime_s() == 90


def test_a_held_clock_stands_still_and_goes_on_without_a_jump() -> None:
    ticks = [5.0]
    clock = Clock(datetime(2026, 3, 1, tzinfo=UTC), lambda: ticks[0])
    clock.hold()
    ticks[0] += 60
    assert (clock.held, clock.monotonic(), clock.now().minute) == (True, 5.0, 0)
    clock.hold(False)
    ticks[0] += 60
    assert (clock.held, clock.monotonic(), clock.now().minute) == (False, 65.0, 1)


def test_what_belongs_to_the_owner_stays() -> None:
    one, other = make(0), make(1)
    saved = take(one)
    other.faults.screencap = "black"
    other.latency.capture_s = 0.5
    put(other, saved)
    assert (other.serial, other.seed, other.faults.screencap, other.latency.capture_s) == ("virtual-1", 1, "black", 0.5)
    assert other.system.seed == 0, "what apps draw by it is the same"
    other.reset()
    assert (other.props["ro.serialno"], other.system.seed) == ("virtual-1", 1)


def test_each_load_is_another_life_of_the_phone() -> None:
    phone = make()

    def boot_id() -> bytes:
        return phone.files.read("/proc/sys/kernel/random/boot_id")

    saved, first = take(phone), boot_id()
    put(phone, saved)
    second = boot_id()
    put(phone, saved)
    assert len({first, second, boot_id()}) == 3


def test_a_finger_that_is_down_is_lifted() -> None:
    phone = make()
    launch(phone, "com.android.settings")
    phone.touch_down(180, 600)
    saved, looks = take(phone), shown(phone)
    put(phone, saved)
    phone.touch_move(180, 300)
    assert shown(phone) == looks


def test_a_phone_with_another_panel_is_refused_and_stays_as_it_was() -> None:
    other = make(1, width=400)
    looks = shown(other)
    with pytest.raises(WrongPhone, match="panel"):
        put(other, take(make()))
    assert shown(other) == looks


def test_a_phone_without_the_apps_is_refused() -> None:
    bare = Phone(
        width=360, height=780, density=140, apps=[app for app in make().system.apps.values() if not app.providers]
    )
    with pytest.raises(WrongPhone, match=r"has no content\."):
        put(bare, take(make()))


def test_what_cannot_be_copied_is_named() -> None:
    phone = make()
    phone.screen.lock = threading.Lock()  # type: ignore[attr-defined]
    with pytest.raises(NotState, match="lock"):
        take(phone)


def test_a_shelf_keeps_names_apart_but_for_the_shared_ones() -> None:
    shelf, saved = Shelf(), Saved(take(make()), 2000, False)
    shelf.save("a", "x", saved)
    shelf.save("a", "shared/y", saved)
    assert (shelf.names("a"), shelf.names("b")) == (["shared/y", "x"], ["shared/y"])
    with pytest.raises(NoSnapshot, match="no snapshot is named 'x'; saved are: shared/y"):
        shelf.get("b", "x")
    shelf.delete("b", "shared/y")
    assert shelf.names("a") == ["x"]
    for number in range(MAX_SAVED - 1):
        shelf.save("a", str(number), saved)
    shelf.save("a", "x", saved)
    with pytest.raises(NoSnapshot, match="delete one"):
        shelf.save("a", "more", saved)
    with pytest.raises(NoSnapshot, match="no name"):
        shelf.save("b", "shared/", saved)
