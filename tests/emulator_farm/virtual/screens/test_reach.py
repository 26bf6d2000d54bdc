"""Whatever can be tapped is on the screen or in a list that scrolls, and a tap on its middle goes to it."""

import itertools

import pytest

from emulator_farm.virtual.boxes import Box
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.widgets import Scroll

APPS = (
    "com.android.settings", "com.android.contacts", "com.android.messaging", "com.android.dialer",
    "com.android.calendar", "com.android.deskclock", "com.android.documentsui", "com.android.camera2",
    "com.android.gallery3d", "com.android.calculator2", "org.virtual.browser", "org.virtual.shop",
    "org.virtual.notes", "com.android.launcher3",
)  # fmt: skip
PANELS = ((1080, 2400, 420), (480, 800, 213), (1600, 2560, 320))
LOOKS = list(itertools.product(PANELS, (0, 1), (("1.0", "en-US"), ("1.3", "ar"))))


def cut_off(root: Box) -> list[str]:
    """What can be tapped and is less than two thirds on the screen, though no scrolling brings it there."""
    found: list[str] = []

    def visit(box: Box, scrolls: bool) -> None:
        if box.widget.on_tap and not scrolls:
            shown = max(0, box.visible.width) * max(0, box.visible.height)
            if shown < box.w * box.h * 2 / 3:
                found.append(f"{box.widget.id or box.widget.desc} at {tuple(box.rect)} shows {tuple(box.visible)}")
        for child in box.children:
            visit(child, scrolls or isinstance(box.widget, Scroll))

    visit(root, False)
    return found


def misses(hand) -> list[str]:
    """Clickable nodes whose middle belongs to something that is neither them nor in them nor floating over them."""
    window = hand.phone.scene().active
    boxes = [
        box for box in window.root.walk() if box.widget.on_tap and box.visible.width > 0 and box.visible.height > 0
    ]
    found = []
    for box in boxes:
        rect = box.visible
        x, y = (rect.left + rect.right) // 2, (rect.top + rect.bottom) // 2
        hit = next(other for other in window.at(x, y) if other.widget.on_tap)
        if hit is box or hit in box.walk() or "fab" in hit.widget.id or "floating" in hit.widget.id:
            continue
        found.append(f"{box.widget.id or box.widget.desc or box.widget} is hit as {hit.widget.id or hit.widget.desc}")
    return found


@pytest.mark.parametrize(("panel", "rotation", "look"), LOOKS)
def test_every_app(make_hand, panel: tuple[int, int, int], rotation: int, look: tuple[str, str]) -> None:
    hand = make_hand(*panel)
    phone = hand.phone
    phone.packages.grant("com.android.camera2", "android.permission.ACCESS_FINE_LOCATION")
    for key, value in (("font_scale", look[0]), ("system_locales", look[1]), ("user_rotation", str(rotation))):
        phone.settings.put("system", key, value)
    for package in APPS:
        hand.open(package)
        targets = [node.center for node in hand.nodes() if node.flag("clickable")]
        for index, target in enumerate([None, *targets[-6:]]):
            if target is not None:
                phone.force_stop(package)
                hand.open(package)
                phone.tap(*target)
            where = f"{phone.foreground().short}, tap {index} at {target}"
            root = phone.scene().active.root
            assert (where, cut_off(root), misses(hand)) == (where, [], [])


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("rotation", [0, 1])
def test_what_the_system_shows(make_hand, panel: tuple[int, int, int], rotation: int) -> None:
    hand = make_hand(*panel)
    phone = hand.phone
    phone.settings.put("system", "user_rotation", str(rotation))
    phone.ui.expand("settings")
    assert cut_off(phone.scene().active.root) == []
    phone.ui.collapse()
    phone.ask_permission("org.virtual.notes", "android.permission.CAMERA")
    assert cut_off(phone.scene().active.root) == []
    phone.ui.lock.set_pin("1234")
    phone.screen_on = False
    phone.screen_on = True
    phone.ui.dismiss_lock()
    assert cut_off(phone.scene().active.root) == []


def test_a_call_can_be_ended_on_a_phone_on_its_side(make_hand) -> None:
    hand = make_hand(480, 800, 213)
    hand.phone.settings.put("system", "user_rotation", "1")
    hand.phone.start_activity(Intent("android.intent.action.CALL", "tel:555"))
    hand.wait(5)
    hand.tap(desc="End call")
    hand.wait(5)
    assert not hand.see(desc="End call")


def test_digits_are_read_from_the_left_in_every_language(hand) -> None:
    hand.phone.settings.put("system", "system_locales", "ar")
    hand.open("com.android.calculator2")
    lefts = [hand.find(id=f"digit_{digit}").bounds[0] for digit in (7, 8, 9)]
    assert lefts == sorted(lefts)
    for digit in (7, 9):
        hand.tap(id=f"digit_{digit}")
    assert hand.find(id="formula").text == "79"


def test_units_are_translated_behind_numbers_only(hand) -> None:
    hand.phone.settings.put("system", "system_locales", "ar")
    hand.open("com.android.deskclock")
    assert "Alarm" in hand.texts()
