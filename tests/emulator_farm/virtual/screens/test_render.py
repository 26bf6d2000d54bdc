"""The picture: colours where they belong, the same on every run, and a PNG that holds exactly these pixels."""

import io
import struct
import threading
import zlib

import pytest
from PIL import Image, ImageChops

from emulator_farm.virtual.fonts import MASKS, MaskCache
from emulator_farm.virtual.picture import BandCache, encode_png
from emulator_farm.virtual.theme import DARK, LIGHT
from emulator_farm.virtual.widgets import FILL, Column, Disc, Pad, Radio, Slider, Space, Stack, Switch, Text, TextField


def colors(image: Image.Image, box: tuple[int, int, int, int]) -> set[tuple[int, int, int]]:
    return {color for _, color in image.crop(box).getcolors(1 << 16)}


def test_two_phones_draw_the_same(make_hand) -> None:
    pictures = []
    for _ in range(2):
        hand = make_hand()
        hand.open("com.android.settings")
        hand.tap(text="Display")
        pictures.append((hand.phone.png(), hand.phone.hierarchy()))
    assert pictures[0] == pictures[1]


def test_png_holds_the_frame(hand) -> None:
    for package in ("com.android.settings", "com.android.deskclock"):
        hand.open(package)
        image = Image.open(io.BytesIO(hand.phone.png()))
        image.load()
        assert image.format == "PNG"
        assert ImageChops.difference(image, hand.phone.frame()).getbbox() is None


@pytest.mark.parametrize("size", [(1, 1), (7, 59), (7, 60), (7, 61), (50, 121)])
def test_png_of_any_size(size: tuple[int, int]) -> None:
    image = Image.effect_noise(size, 90).convert("RGB")
    data = encode_png(image)
    back = Image.open(io.BytesIO(data))
    assert back.size == size
    assert ImageChops.difference(back, image).getbbox() is None
    width, height = struct.unpack(">II", data[16:24])
    assert (width, height) == size
    start = data.index(b"IDAT") + 4
    length = struct.unpack(">I", data[start - 8 : start - 4])[0]
    assert len(zlib.decompress(data[start : start + length])) == height * (3 * width + 1)


def test_raw_is_rgba(hand) -> None:
    raw = hand.phone.raw()
    assert len(raw) == 1080 * 2400 * 4
    assert raw[3::4] == b"\xff" * (1080 * 2400)
    assert Image.frombytes("RGBA", (1080, 2400), raw).convert("RGB").tobytes() == hand.phone.frame().tobytes()


def test_themes(hand) -> None:
    hand.open("com.android.settings")
    assert hand.phone.frame().getpixel((5, 1200)) == LIGHT["surface"]
    hand.phone.settings.put("secure", "ui_night_mode", "2")
    assert hand.phone.frame().getpixel((5, 1200)) == DARK["surface"]
    assert LIGHT.keys() == DARK.keys()


def test_switches_show_their_state(hand) -> None:
    hand.push(lambda: Column(w=FILL, h=FILL, children=(Switch(id="on", checked=True), Switch(id="off"))))
    image = hand.phone.frame()
    assert LIGHT["primary"] in colors(image, hand.find(id="on").bounds)
    assert LIGHT["primary"] not in colors(image, hand.find(id="off").bounds)


def test_disabled_is_grey(hand) -> None:
    hand.push(lambda: Column(w=FILL, h=FILL, children=(
        Slider(id="slider", value=50, w=FILL, enabled=False), Switch(id="switch", checked=True, enabled=False),
        TextField(id="field", value="fixed", w=FILL, enabled=False), Radio(id="radio", text="One"),
        Disc(id="disc", letter="A", color="error"), Disc(id="disc2", icon="person"),
    )))  # fmt: skip
    image = hand.phone.frame()
    for name in ("slider", "switch", "field"):
        assert LIGHT["primary"] not in colors(image, hand.find(id=name).bounds)
    assert LIGHT["error"] in colors(image, hand.find(id="disc").bounds)
    assert LIGHT["on_surface"] in colors(image, hand.find(id="radio").bounds)


def test_slider_thumb_stands_at_its_value(hand) -> None:
    level = {"value": 0}
    hand.push(lambda: Column(w=FILL, h=FILL, children=(Slider(id="s", value=level["value"], w=FILL),)))

    def reach() -> int:
        left, top, right, bottom = hand.find(id="s").bounds
        row = hand.phone.frame().crop((left, (top + bottom) // 2, right, (top + bottom) // 2 + 1))
        return max(x for x in range(row.width) if row.getpixel((x, 0)) == LIGHT["primary"])

    ends = []
    for value in (0, 50, 100):
        level["value"] = value
        hand.phone.invalidate()
        ends.append(reach())
    assert ends[1] - ends[0] == pytest.approx(ends[2] - ends[1], abs=2)
    assert ends[2] > 1000


def test_a_dialog_dims_what_is_behind(hand) -> None:
    hand.page("DISPLAY_SETTINGS")
    hand.tap(text="Screen timeout")
    shade = hand.phone.frame().getpixel((5, 1200))
    assert shade == tuple(round(value * 0.55) for value in LIGHT["surface"])


def test_unknown_characters_are_boxes_not_errors(hand) -> None:
    hand.push(lambda: Column(w=FILL, h=FILL, pad=Pad(9, 9, 9, 9), children=(
        Text(id="cjk", text="日本", size=30), Text(id="none", text="\u200b"), Text(id="box", text="\U0001f600"),
    )))  # fmt: skip
    image = hand.phone.frame()
    assert LIGHT["on_surface"] in colors(image, hand.find(id="cjk").bounds)
    assert hand.find(id="box").text == "\U0001f600"


def test_borders_and_round_corners(hand) -> None:
    hand.push(lambda: Stack(w=FILL, h=FILL, children=(
        Space(id="card", w=100, h=60, bg="key", border="error", radius=20, anchor=(0.5, 0.5)),
    )))  # fmt: skip
    left, top, right, bottom = hand.find(id="card").bounds
    image = hand.phone.frame()
    assert image.getpixel((left, top)) == LIGHT["surface"]
    assert image.getpixel(((left + right) // 2, top)) == LIGHT["error"]
    assert image.getpixel(((left + right) // 2, (top + bottom) // 2)) == LIGHT["key"]


def test_selection_and_caret_are_drawn(hand) -> None:
    hand.open("org.virtual.notes")
    hand.tap(desc="New note")
    hand.phone.text("selected")
    bounds = hand.find(id="edit_title").bounds
    assert LIGHT["primary"] in colors(hand.phone.frame(), bounds)
    assert LIGHT["primary_container"] not in colors(hand.phone.frame(), bounds)
    hand.phone.key(29, meta=(113,))
    assert LIGHT["primary_container"] in colors(hand.phone.frame(), bounds)


def test_mask_cache_is_bounded() -> None:
    cache = MaskCache(1000)
    for number in range(30):
        cache.get(number, lambda: Image.new("L", (10, 10)))
    assert cache.size_bytes <= 1000
    kept = cache.get(29, lambda: Image.new("L", (1, 1)))
    assert kept.size == (10, 10)
    assert MASKS.size_bytes <= 8 * 1024 * 1024


def test_band_cache_is_bounded() -> None:
    cache = BandCache(200)
    first = cache.compress(b"a" * 500)
    assert cache.compress(b"a" * 500) is first
    for number in range(50):
        cache.compress(bytes([number]) * 500)
    again = cache.compress(b"a" * 500)
    assert again == first
    assert again is not first


def test_phones_may_draw_in_threads(make_hand) -> None:
    expected = make_hand().phone.png()
    results: list[bytes] = []
    threads = [threading.Thread(target=lambda: results.append(make_hand().phone.png())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


def test_status_bar_icons(hand) -> None:
    def bar() -> bytes:
        return hand.phone.frame().crop((500, 0, 1080, 63)).tobytes()

    hand.open("com.android.settings")
    seen = {bar()}
    for namespace, key, value in (
        ("global", "wifi_on", "0"), ("global", "bluetooth_on", "0"), ("global", "airplane_mode_on", "1"),
        ("global", "zen_mode", "1"), ("secure", "location_icon", "1"),
    ):  # fmt: skip
        hand.phone.settings.put(namespace, key, value)
        assert bar() not in seen
        seen.add(bar())


def test_toast_comes_and_goes(hand) -> None:
    hand.open("com.android.settings")
    before = hand.phone.png()
    hand.phone.system.toast("Saved")
    assert hand.phone.png() != before
    hand.wait(3)
    assert hand.phone.png() == before
