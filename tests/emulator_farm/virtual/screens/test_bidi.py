"""Chinese and Arabic: no boxes, letters joined, words in their order, the caret where the text says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator_farm.virtual.bidi import levels, runs_left, shape, visual_order
from emulator_farm.virtual.fonts import typeface
from emulator_farm.virtual.text_flow import flow, offset_at, single

FACE = typeface("regular", 40)
ARABIC = "متصل"
MIXED = "Wi-Fi متصل 100% (5 GHz)"


def shown(text: str) -> str:
    """What stands on the line from left to right, before letters take their forms."""
    return "".join(text[index] for index in visual_order(levels(text)))


@pytest.mark.parametrize("text", ["网络和互联", "，。《》（）", "かな", "ﾊﾝｶｸ", "ＡＢＣ"])
def test_chinese_and_kana_are_drawn(text: str) -> None:
    box = FACE.mask("\u3400").tobytes()
    masks = {FACE.mask(char).tobytes() for char in text}
    assert len(masks) == len(text)
    assert box not in masks


def test_letters_take_the_form_of_their_place() -> None:
    assert shape("ببب") == "\ufe91\ufe92\ufe90"
    assert shape("ب") == "\ufe8f"
    assert shape("دب") == "\ufea9\ufe8f"
    assert shape("بد") == "\ufe91\ufeaa"
    assert shape("لا") == "\ufefb\u200b"
    assert shape("بلا") == "\ufe91\ufefc\u200b"
    assert shape("بَب") == "\ufe91\u064e\ufe90"
    assert shape("plain 12") == "plain 12"


def test_every_form_of_every_letter_is_in_the_font() -> None:
    box = FACE.mask("\ufdd0").tobytes()
    for letter in "ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهويىپچژگ":
        for text in (letter, f"ب{letter}ب", f"ب{letter}"):
            for char in shape(text):
                assert char == "\u200b" or FACE.mask(char).tobytes() != box, (letter, text)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("abc", "abc"),
        ("אבג", "גבא"),
        ("abc אבג def", "abc גבא def"),
        ("אבג abc דהו", "והד abc גבא"),
        ("אב 3:34 ג", "ג 3:34 בא"),
        ("אב 100%", "100% בא"),
        ("אב, abc.", ".abc ,בא"),
        ("12", "12"),
        ("", ""),
    ],
)
def test_order(text: str, order: str) -> None:
    assert shown(text) == order


def test_caret_and_touch_agree() -> None:
    for text in (ARABIC, MIXED, "abc", "中文 abc"):
        line = single(text, FACE, 2000)
        for left, right in FACE.spans(text):
            index = offset_at(line, FACE, left + (right - left) * 0.3)
            assert 0 <= index <= len(text)
        assert {offset_at(line, FACE, FACE.caret(text, index) + 0.01) for index in range(len(text) + 1)}
    assert FACE.caret(ARABIC, 0) == pytest.approx(FACE.width(ARABIC))
    assert FACE.caret(ARABIC, len(ARABIC)) == 0
    assert FACE.caret("abc", 3) == FACE.width("abc")


def test_chinese_breaks_between_characters_but_not_before_a_stop() -> None:
    width = FACE.width("一二三四") + 1
    assert [line.shown for line in flow("一二三四，五六七", FACE, width)] == ["一二三", "四，五六", "七"]
    assert [line.shown for line in flow("Wi-Fi网络", FACE, FACE.width("Wi-Fi网") + 1)] == ["Wi-Fi网", "络"]


@given(st.text(alphabet="abאבلاب 1:3%().中َ", max_size=24))
def test_nothing_is_lost(text: str) -> None:
    assert len(shape(text)) == len(text)
    assert sorted(visual_order(levels(text))) == list(range(len(text)))
    spans = FACE.spans(text)
    assert sum(right - left for left, right in spans) == pytest.approx(FACE.width(text))
    assert max((right for _, right in spans), default=0) == pytest.approx(FACE.width(text))
    for index in range(len(text) + 1):
        assert -0.01 <= FACE.caret(text, index) <= FACE.width(text) + 0.01
    if text and not runs_left(text):
        assert FACE.caret(text, 1) == FACE.width(text[:1])
    lines = flow(text, FACE, 120)
    assert "".join(text[line.start : line.end] for line in lines) == text
