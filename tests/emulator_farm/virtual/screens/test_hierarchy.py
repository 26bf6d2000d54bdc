"""The UI tree says what the picture shows, to the pixel, in uiautomator's form."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops

from emulator_farm.virtual.hierarchy import escape
from emulator_farm.virtual.widgets import FILL, Column, Pad, Row, Scroll, Space, Stack, Text, TextField, Widget

ATTRIBUTES = (
    "index", "text", "resource-id", "class", "package", "content-desc", "checkable", "checked", "clickable", "enabled",
    "focusable", "focused", "scrollable", "long-clickable", "password", "selected", "bounds",
)  # fmt: skip
"""In the order of dumps from real phones."""
COLORS = [(200, 16 * n, 255 - 16 * n) for n in range(16)]
SCREENS = (
    "com.android.settings", "com.android.contacts", "com.android.deskclock", "org.virtual.notes",
    "com.android.launcher3", "com.android.messaging", "com.android.dialer", "com.android.calendar",
    "com.android.documentsui", "com.android.camera2", "com.android.gallery3d", "org.virtual.browser",
    "org.virtual.shop", "com.android.calculator2",
)  # fmt: skip


def box_of(image: Image.Image, color: tuple[int, int, int]) -> tuple[int, int, int, int] | None:
    """The rectangle around all pixels of a colour, None where there is none."""
    plain = Image.new("RGB", image.size, color)
    different = ImageChops.difference(image, plain)
    channels = different.split()
    worst = ImageChops.lighter(ImageChops.lighter(channels[0], channels[1]), channels[2])
    return worst.point(_IS_ZERO).getbbox()


_IS_ZERO = [255] + [0] * 255


def tiles() -> Widget:
    """Coloured areas in rows and columns, odd sizes, inside a viewport that begins and ends in the middle of a row."""
    rows = tuple(
        Row(
            w=FILL, gap=3.3, pad=Pad(1.7, 2.2, 0, 0), align="end",
            children=tuple(
                Space(id=f"tile{4 * row + n}", w=31.7 + 13 * n, h=70.9 + 11 * n, bg=COLORS[4 * row + n])
                for n in range(4)
            ),
        )
        for row in range(4)
    )  # fmt: skip
    view = Scroll(id="view", w=FILL, h=301, child=Column(w=FILL, gap=5.5, children=rows))
    return Column(w=FILL, h=FILL, pad=Pad(9.3, 133.3, 0, 0), children=(view,))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 500), st.sampled_from([(1080, 2400, 420), (720, 1280, 320), (1440, 3120, 560), (480, 800, 213)]))
def test_bounds_are_the_pixels(make_hand, offset: int, panel: tuple[int, int, int]) -> None:
    hand = make_hand(*panel)
    screen = hand.push(tiles)
    screen.view.scroll["view"] = offset
    image = hand.phone.frame()
    counts = {color: count for count, color in image.getcolors(1 << 16)}
    nodes = {node.id.rpartition("/")[2]: node.bounds for node in hand.nodes()}
    for number, color in enumerate(COLORS):
        bounds = nodes.get(f"tile{number}")
        if bounds is None:
            assert color not in counts
        else:
            area = (bounds[2] - bounds[0]) * (bounds[3] - bounds[1])
            assert image.crop(bounds).getcolors() == [(area, color)]
            assert counts[color] == area
    assert "tile0" in nodes or "tile15" in nodes


def test_a_whole_screen_of_text_is_inside_its_bounds(hand) -> None:
    hand.push(lambda: Column(w=FILL, h=FILL, bg=(255, 255, 255), pad=Pad(40, 40, 40, 40), gap=40, children=(
        Text(id="one", text="Ågjpqy §", size=40, color=(255, 0, 0)),
        Text(id="two", text="many words that wrap over more than one line of the screen", size=24, color=(0, 0, 255)),
    )))  # fmt: skip
    image = hand.phone.frame()
    for name, color in (("one", (255, 0, 0)), ("two", (0, 0, 255))):
        ink, bounds = box_of(image, color), hand.find(id=name).bounds
        assert bounds[0] - 2 <= ink[0]
        assert bounds[1] <= ink[1]
        assert ink[2] <= bounds[2] + 2
        assert ink[3] <= bounds[3] + 2
        assert ink[2] - ink[0] > 0.8 * (bounds[2] - bounds[0])


@pytest.mark.parametrize("package", SCREENS)
def test_every_screen_is_sound(hand, package: str) -> None:
    if package == "com.android.camera2":  # it asks before it shows itself
        hand.phone.packages.grant(package, "android.permission.ACCESS_FINE_LOCATION")
    hand.open(package)
    nodes = hand.nodes()
    for node in nodes:
        left, top, right, bottom = node.bounds
        assert 0 <= left < right <= 1080
        assert 0 <= top < bottom <= 2400
        assert node.attributes["package"] == package
        assert not node.id or re.fullmatch(r"[\w.]+:id/\w+", node.id)
        assert "." in node.view
    assert any(node.flag("clickable") for node in nodes)
    assert not any("NAF" in node.attributes for node in nodes)
    for node in nodes:
        if node.view.endswith("TextView") and node.bounds[3] - node.bounds[1] > 60:
            assert node.text


def test_attribute_order_is_that_of_real_dumps(hand) -> None:
    ours = re.search(r"<node ([^>]*)/?>", hand.phone.hierarchy())
    assert ours
    assert tuple(re.findall(r'([\w-]+)="', ours[1])) == ATTRIBUTES
    assert hand.phone.hierarchy().startswith(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">"
    )
    assert "\n" not in hand.phone.hierarchy()
    indexes = [child.attrib["index"] for child in ET.fromstring(hand.phone.hierarchy())[0][0]]
    assert indexes == [str(number) for number in range(len(indexes))]


@given(st.text())
def test_any_text_survives_the_xml(text: str) -> None:
    parsed = ET.fromstring(f'<a b="{escape(text)}"/>').attrib["b"]
    expected = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]", ".", text)
    assert parsed == expected


def test_escapes_as_android_writes_them() -> None:
    assert escape("a<b>&\"c'\n😀") == "a&lt;b&gt;&amp;&quot;c'&#10;&#128512;"


def test_flags(hand) -> None:
    values = {"plain": "", "secret": "pässword"}
    hand.push(lambda: Column(w=FILL, h=FILL, children=(
        TextField(id="plain", value=values["plain"], hint="Name", w=FILL, h=48),
        TextField(id="secret", value=values["secret"], password=True, w=FILL, h=48),
        Stack(id="silent", w=48, h=48, on_tap=lambda: None),
        Stack(id="held", w=48, h=48, desc="Held", on_long=lambda: None, enabled=False, selected=True),
        Text(id="ghost", text="not there", hidden=True),
        Space(w=10, h=10, bg="primary"),
    )))  # fmt: skip
    plain, secret = hand.find(id="plain"), hand.find(id="secret")
    assert plain.text == "Name"
    assert plain.flag("focusable")
    assert plain.flag("clickable")
    assert plain.flag("long-clickable")
    assert not plain.flag("focused")
    assert secret.text == "•" * 8
    assert secret.flag("password")
    assert hand.find(id="silent").attributes["NAF"] == "true"
    held = hand.find(id="held")
    assert held.flag("long-clickable")
    assert held.flag("selected")
    assert not held.flag("enabled")
    assert not hand.see(id="ghost")
    hand.tap(id="plain")
    assert hand.find(id="plain").flag("focused")


def test_a_dialog_is_the_active_window(hand) -> None:
    hand.page("DISPLAY_SETTINGS")
    hand.tap(text="Screen timeout")
    nodes = hand.nodes()
    assert nodes[0].bounds != (0, 0, 1080, 2400)
    chosen = [node.text for node in nodes if node.flag("checked")]
    assert chosen == ["1 minute"]
    assert not hand.see(text="Display")


def test_rows_cut_by_the_viewport_have_cut_bounds(hand) -> None:
    hand.open("com.android.settings")
    view = hand.find(id="recycler_view")
    assert view.flag("scrollable")
    row = hand.find(text="Apps")
    hand.phone.swipe(500, 1500, 500, 1500 - (row.bounds[1] + 20 - view.bounds[1]))
    cut = hand.find(text="Apps")
    assert cut.bounds[1] == view.bounds[1]
    assert cut.bounds[3] == row.bounds[3] - (row.bounds[1] + 20 - view.bounds[1])
    assert not hand.see(text="Network & internet")
