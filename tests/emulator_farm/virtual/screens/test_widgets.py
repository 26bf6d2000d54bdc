"""Laying widgets out: sizes, shares, gaps, alignment, text that wraps, viewports."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator_farm.virtual.boxes import Box, Rect, ViewState
from emulator_farm.virtual.fonts import icon_mask, icon_points, scaled, typeface, visible
from emulator_farm.virtual.layout import Layout
from emulator_farm.virtual.text_flow import flow, line_of, offset_at, single
from emulator_farm.virtual.widgets import (
    FILL,
    WRAP,
    Check,
    Column,
    Disc,
    Icon,
    Pad,
    Radio,
    Row,
    Scroll,
    Slider,
    Space,
    Stack,
    Switch,
    Text,
    TextField,
    Widget,
    pad,
)

AREA = Rect(0, 100, 400, 900)


def lay(widget: Widget, density: int = 160, state: ViewState | None = None, font_scale: float = 1.0) -> Box:
    return Layout(density, font_scale, state or ViewState()).fit(widget, AREA)


def rects(box: Box) -> list[tuple[int, int, int, int]]:
    return [tuple(child.rect) for child in box.children]


def test_a_tree_fills_its_area() -> None:
    assert lay(Space(w=10, h=10)).rect == AREA


def test_column_shares_what_is_left() -> None:
    box = lay(
        Column(children=(Space(w=FILL, h=100), Space(w=50, grow=1), Space(w=50, grow=3), Space(w=50, h=FILL)), gap=10)
    )
    assert rects(box) == [(0, 100, 400, 200), (0, 210, 50, 344), (0, 354, 50, 756), (0, 766, 50, 900)]


def test_row_aligns_and_justifies() -> None:
    row = Row(w=FILL, h=FILL, gap=20, align="end", justify="center", children=(Space(w=50, h=40), Space(w=70, h=60)))
    assert rects(lay(row)) == [(130, 860, 180, 900), (200, 840, 270, 900)]


def test_padding_and_stack_anchors() -> None:
    stack = Stack(
        pad=Pad(10, 20, 30, 40),
        children=(Space(w=60, h=40), Space(w=60, h=40, anchor=(1, 1)), Space(w=60, h=40, anchor=(0.5, 0))),
    )
    assert rects(lay(stack)) == [(10, 120, 70, 160), (310, 820, 370, 860), (160, 120, 220, 160)]


def test_sizes_are_dp() -> None:
    box = lay(
        Column(children=(Space(w=10.4, h=10), Switch(), Check(), Icon(name="add"), Disc(), Slider(w=FILL))), density=420
    )
    assert [(child.w, child.h) for child in box.children] == [
        (27, 26),
        (136, 84),
        (126, 126),
        (63, 63),
        (105, 105),
        (400, 126),
    ]


def test_min_height_and_wrapping_container() -> None:
    box = lay(Column(children=(Row(w=WRAP, min_h=72, children=(Space(w=30, h=10),)), Row(w=WRAP, min_h=72, h=20))))
    assert [(child.w, child.h) for child in box.children] == [(30, 72), (0, 20)]


def test_text_wraps_to_its_room() -> None:
    words = "one two three four five six seven eight nine ten eleven twelve"
    box = lay(Text(text=words, size=30))
    face = typeface("regular", 30)
    assert len(box.lines) > 1
    assert "".join(words[line.start : line.end] for line in box.lines) == words
    assert all(line.width <= 400 for line in box.lines)
    assert all(line.shown == words[line.start : line.end] for line in box.lines)
    column = lay(Column(children=(Text(text=words, size=30),)))
    assert column.children[0].h == face.line_height * len(box.lines)


@given(st.text(max_size=80), st.integers(1, 300))
def test_no_text_is_lost_by_wrapping(text: str, width: int) -> None:
    face = typeface("regular", 20)
    lines = flow(text, face, width)
    assert "".join(text[line.start : line.end] for line in lines) == text.replace("\n", "")
    assert all(line.width <= width or len(line.shown.strip(" ")) <= 1 for line in lines)
    assert lines[0].start == 0
    for position in range(len(text) + 1):
        line = lines[line_of(lines, position)]
        assert line.start <= position


def test_long_text_ends_in_an_ellipsis() -> None:
    face = typeface("regular", 20)
    text = "a rather long sentence that cannot fit"
    line = single(text, face, 120)
    assert line.shown.endswith("…")
    assert line.width <= 120
    assert (line.start, line.end) == (0, len(text))
    assert single("short", face, 120).shown == "short"
    lines = flow(text * 3, face, 120, max_lines=2)
    assert len(lines) == 2
    assert lines[1].shown.endswith("…")
    assert lines[1].width <= 120
    assert single("w", face, 1).shown == "…"


def test_caret_positions() -> None:
    face = typeface("regular", 20)
    line = single("hello", face, 500)
    assert [offset_at(line, face, x) for x in (-5, 0, 1000)] == [0, 0, 5]
    assert offset_at(line, face, face.width("hel") + 1) == 3


def test_viewport_clips_and_clamps() -> None:
    tall = Column(w=FILL, children=tuple(Space(id=f"r{n}", w=FILL, h=300) for n in range(5)))
    state = ViewState(scroll={"list": 450})
    box = lay(Scroll(id="list", child=tall), state=state)
    assert box.scroll_range == 1500 - 800
    rows = box.children[0].children
    assert [row.y for row in rows] == [-350, -50, 250, 550, 850]
    assert rows[0].visible.empty
    assert rows[1].visible == Rect(0, 100, 400, 250)
    assert rows[4].visible == Rect(0, 850, 400, 900)
    state.scroll["list"] = 9999
    lay(Scroll(id="list", child=tall), state=state)
    assert state.scroll["list"] == 700


def test_sideways_viewport() -> None:
    strip = Row(w=WRAP, children=tuple(Space(w=150, h=50) for _ in range(4)))
    box = lay(Scroll(id="strip", axis="x", child=strip), state=ViewState(scroll={"strip": 60}))
    assert box.scroll_range == 200
    assert [child.x for child in box.children[0].children] == [-60, 90, 240, 390]


def test_a_viewport_leaves_room_for_its_neighbours() -> None:
    tall = Space(w=FILL, h=2000)
    box = lay(Column(children=(Scroll(id="list", w=FILL, child=tall), Space(w=FILL, h=60))))
    assert rects(box) == [(0, 100, 400, 840), (0, 840, 400, 900)]


def test_placing_by_anchor() -> None:
    box = Layout(160, 1, ViewState()).place(Space(w=100, h=50), AREA, (1, 0))
    assert box.rect == Rect(300, 100, 400, 150)


def test_fields() -> None:
    state = ViewState()
    one = lay(Column(children=(TextField(id="one", value="x" * 90, w=FILL),)), state=state).children[0]
    assert one.shift == 0
    state.focus = "one"
    one = lay(Column(children=(TextField(id="one", value="x" * 90, w=FILL),)), state=state).children[0]
    assert one.shift > 0
    many = lay(Column(children=(TextField(id="two", value="a\nb\n", multiline=True, min_lines=2, w=FILL),))).children[0]
    assert len(many.lines) == 3
    radio = lay(Column(children=(Radio(text="Choice"),))).children[0]
    assert radio.w > 48


def test_font_scale_moves_small_text_more_than_large() -> None:
    assert scaled(12, 2.0) == 2.0
    assert scaled(24, 2.0) == 1.5
    assert scaled(200, 2.0) == 1.0
    assert 1 < scaled(45, 2.0) < 1.25
    small = lay(Column(children=(Text(text="x", size=12),)), font_scale=2.0).children[0].h
    fixed = lay(Column(children=(Text(text="x", size=12, fixed=True),)), font_scale=2.0).children[0].h
    assert small == 2 * fixed


def test_a_widget_without_layout_is_refused() -> None:
    with pytest.raises(TypeError, match="no layout for Widget"):
        lay(Widget())


def test_icons_and_invisible_characters() -> None:
    assert len(icon_points()) > 200
    assert icon_mask("wifi", 48).size == (48, 48)
    assert icon_mask("play_arrow", 48, True).tobytes() != icon_mask("play_arrow", 48, True, mirrored=True).tobytes()
    with pytest.raises(KeyError):
        icon_mask("no_such_icon", 48)
    assert visible("a\tb\u200d\ufe0fc\n\r") == "a    bc "
    assert typeface("regular", 20).advance("\u200b") == 0


def test_rectangles() -> None:
    a, b = Rect(0, 0, 10, 10), Rect(20, 20, 30, 30)
    assert a.clip(b).empty
    assert a.clip(b).width == 0
    assert a.contains(9, 9)
    assert not a.contains(10, 9)
    assert pad(3, 4) == Pad(3, 4, 3, 4)
