"""GELab-Zero and Step-GUI: replies as they write them, well and badly, and the message they are asked with."""

from __future__ import annotations

import pytest

from agent_server.actions import CallUser, Click, Finished, LongPress, OpenApp, Press, Scroll, Type, Wait
from agent_server.adapters import CURRENT, ImagePart, PromptInput, PromptSet, Turn, adapter_named
from agent_server.errors import Inexpressible
from agent_server.geometry import Point, Size
from agent_server.schemas import ParseError

ADAPTER = adapter_named("gelab-zero")
SQUARE = Size(1000, 1000)
PHONE = Size(1080, 2400)
TAP = Click(point=Point(1, 2))


def read(text: str, size: Size = SQUARE):
    return ADAPTER.parse(text, ADAPTER.frame(size).map)


@pytest.mark.parametrize(
    ("fields", "action"),
    [
        ("action:CLICK\tpoint:1,2", TAP),
        ("action:CLICK\tpoint:1 2", TAP),
        ("action:CLICK\tpoint:(1, 2)", TAP),
        ("action:CLICK\tpoint:[1,2]", TAP),
        ("action:CLICK\tpoint:1，2", TAP),
        ("action: CLICK\tpoint: 1,2", TAP),
        ("action：CLICK\tpoint：1,2", TAP),
        ("action:click\tpoint:1,2", TAP),
        ("point:1,2\taction:CLICK", TAP),
        ("action_type:CLICK\tpoint:1,2", TAP),
        ("action:CLICK\tpoint:0,0,2,4", TAP),
        ("action:LONGPRESS\tpoint:1,2", LongPress(point=Point(1, 2))),
        ("action:LONG_PRESS\tpoint:1,2", LongPress(point=Point(1, 2))),
        ("action:TYPE\tvalue:hello: world\tpoint:1,2", Type(text="hello: world")),
        ("action:TYPE\tvalue:a\nb", Type(text="a\nb")),
        ("action:TYPE\tvalue:", Type(text="")),
        ("action:TYPE\tvalue:你好\tkeyboard_exists:true", Type(text="你好")),
        ("action:TYPE\tvalue:x\treason:because", Type(text="x")),
        ("action:AWAKE\tvalue:淘宝", OpenApp(app="淘宝")),
        ("action:WAIT\tvalue:3", Wait(seconds=3)),
        ("action:WAIT\tvalue:2.5秒", Wait(seconds=2.5)),
        ("action:WAIT", Wait()),
        ("action:SLIDE\tpoint1:5,9\tpoint2:5,2", Scroll(direction="down", start=Point(5, 9), end=Point(5, 2))),
        ("action:SLIDE\tpoint1:9 5\tpoint2:2 5", Scroll(direction="right", start=Point(9, 5), end=Point(2, 5))),
        ("action:INFO\tvalue:Which one?", CallUser(text="Which one?")),
        ("action:COMPLETE\treturn:The answer: 7:30.", Finished(text="The answer: 7:30.")),
        ("action:COMPLETE\tvalue:done", Finished(text="done")),
        ("action:COMPLETE\treturn:", Finished()),
        ("action:ABORT\tvalue:no network", Finished(status="infeasible", text="no network")),
        ("action:ABORT", Finished(status="infeasible")),
        ("action:BACK", Press(key="back")),
        ("action:HOT_KEY\tkey:volume_up", Press(key="volume_up")),
    ],
)
def test_actions(fields, action):
    whole = read(f"<THINK> why </THINK>\nexplain:because\t{fields}\tsummary:then\n")
    assert (whole.action, whole.thought, whole.summary) == (action, "why", "then")
    assert whole.extra_actions == 0


@pytest.mark.parametrize(
    "text",
    [
        "<THINK>t</THINK>\nexplain:e\taction:CLICK\tpoint:1,2\tsummary:s",
        "<THINK>t</THINK>explain:e\taction:CLICK\tpoint:1,2\tsummary:s",
        "<think>t</think>\nexplain:e\taction:CLICK\tpoint:1,2\tsummary:s",
        "<TINK>t</TINK>\nexplain:e\taction:CLICK\tpoint:1,2\tsummary:s",
        "< THINK >t</ THINK >\nexplain:e\taction:CLICK\tpoint:1,2\tsummary:s",
        "</THINK>t</THINK>\nexplain:e\taction:CLICK\tpoint:1,2\tsummary:s",
        "<think>t</think>\n<THINK>u</THINK>\nexplain:e\taction:CLICK\tpoint:1,2\tsummary:s",
        "<THINK>explain:x\taction:COMPLETE\treturn:y</THINK>\nexplain:e\taction:CLICK\tpoint:1,2\tsummary:s",
        "explain:x\taction:COMPLETE\treturn:y</THINK><THINK>t</THINK>\nexplain:e\taction:CLICK\tpoint:1,2\tsummary:s",
        "<THINK>t\nexplain:e\taction:CLICK\tpoint:1,2\tsummary:s",
        "<THINK>t</THINK>\nexplain:e\taction:CLICK\tpoint:1,2\tsummary:s</THINK>",
        "<THINK>t</THINK>\nexplain:e\taction:CLICK\tpoint:1,2\tsummary:s<|im_end|>",
        "explain:e\taction:CLICK\tpoint:1,2\tsummary:s",
        "explain:e\\taction:CLICK\\tpoint:1,2\\tsummary:s",
        "explain:e\naction:CLICK\npoint:1,2\nsummary:s",
        "explain:e action:CLICK point:1,2 summary:s",
        "explain:e, action:CLICK, point:1,2, summary:s",
        "explain:e\taction:CLICK point:1,2\tsummary:s",
        "explain:e\taction:CLICK\tpoint:1,2 summary:s",
        "action:CLICK\tpoint:1,2",
        "<THINK>t</THINK>\n```\nexplain:e\taction:CLICK\tpoint:1,2\tsummary:s\n```",
        "<THINK>t</THINK>\n<answer>explain:e\taction:CLICK\tpoint:1,2\tsummary:s</answer>",
        "CLICK(point=1,2)",
        "action:CLICK(point=[1,2])",
        '{"action": "CLICK", "point": [1, 2]}',
    ],
)
def test_wrappings(text):
    parsed = read(text)
    assert (parsed.action, parsed.extra_actions) == (TAP, 0)
    assert parsed.summary in ("s", None)
    assert "explain" not in (parsed.thought or "").replace("explain:x", "")


def test_the_first_of_several_counts():
    parsed = read("explain:e\taction:CLICK\tpoint:1,2\tsummary:s\nexplain:f\taction:TYPE\tvalue:x\tsummary:u")
    assert (parsed.action, parsed.extra_actions, parsed.summary) == (TAP, 1, "s")


@pytest.mark.parametrize("between", ["", "\n", "```\n"])
def test_whole_replies_one_after_another_are_counted(between):
    one, two, three = (f"<THINK>t{x}</THINK>\nexplain:e\taction:CLICK\tpoint:{x},2\tsummary:s{x}\n" for x in (1, 3, 5))
    parsed = read(f"{one}{between}{two}{between}{three}")
    assert (parsed.action, parsed.extra_actions) == (TAP, 2)
    assert (parsed.thought, parsed.summary) == ("t1", "s1")
    assert read(f"action:CLICK\tpoint:1,2\n{two}").extra_actions == 1


def test_words_before_the_thinking_are_no_reply():
    parsed = read("I look first.\n<THINK>t</THINK>\naction:CLICK\tpoint:1,2\tsummary:s")
    assert (parsed.action, parsed.thought, parsed.extra_actions) == (TAP, "t", 0)


def test_the_thinking_that_came_last_is_the_models_own():
    assert read("<think>theirs</think>\n<THINK> own </THINK>\naction:WAIT\tvalue:1").thought == "own"
    assert read("explain:because\taction:WAIT\tvalue:1").thought == "because"
    assert read("<think>nothing more</think>").thought == "nothing more"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<THINK>action:COMPLETE\treturn:x</THINK>", "malformed"),
        ("<THINK>t</THINK>\nexplain:everything is complete\tsummary:s", "malformed"),
        ("The task is COMPLETE.", "malformed"),
        ("COMPLETE", "malformed"),
        ("explain:e\taction:\tsummary:s", "malformed"),
        ("action:CLICK", "malformed"),
        ("action:CLICK\tpoint:1", "malformed"),
        ("action:CLICK\tpoint:the button", "malformed"),
        ("action:TYPE\tpoint:1,2", "malformed"),
        ("action:AWAKE\tvalue:", "malformed"),
        ("action:SLIDE\tpoint1:1,2", "malformed"),
        ("action:SLIDE\tpoint1:1,2\tpoint2:1,2", "malformed"),
        ("action:WAIT\tvalue:等待时间", "malformed"),
        ("action:FLY\tpoint:1,2", "unsupported"),
        ("action:complete the form\tpoint:1,2", "unsupported"),
        ("action:CLICK\tpoint:540,1200", "out_of_range"),
        ("action:CLICK\tpoint:-1,-1", "out_of_range"),
        ("action:CLICK\tpoint:0.5,0.5", "out_of_range"),
    ],
)
def test_what_cannot_be_read_is_never_done(text, kind):
    parsed = read(text)
    assert parsed.action is None
    assert parsed.parse_error.kind == kind
    assert len(parsed.parse_error.message) < 300


def test_rendering():
    map = ADAPTER.frame(SQUARE).map
    assert (
        ADAPTER.render(Click(point=Point(5, 6)), map, "why", "opened\tthe\nshop")
        == "<THINK> why </THINK>\naction:CLICK\tpoint:5,6\tsummary:opened the shop\n"
    )
    assert "action:SLIDE\tpoint1:500,700\tpoint2:500,300" in ADAPTER.render(Scroll(direction="down"), map)
    assert "action:COMPLETE\treturn:7:30" in ADAPTER.render(Finished(text="7:30"), map)
    assert "action:ABORT\tvalue:" in ADAPTER.render(Finished(status="infeasible"), map)


@pytest.mark.parametrize("text", [" x", "x\n", "a\tb:c", "a\nvalue:b", "a\\tsummary:b", "x<|im_end|>"])
def test_texts_that_no_field_holds(text):
    with pytest.raises(Inexpressible, match="no quotes"):
        ADAPTER.render(Type(text=text), ADAPTER.frame(SQUARE).map)


@pytest.mark.parametrize("text", ["a\tb", "a\nb", "value: x", "C:\\temp", "12:30", "a，b；c"])
def test_texts_that_a_field_holds(text):
    map = ADAPTER.frame(SQUARE).map
    assert ADAPTER.parse(ADAPTER.render(Type(text=text), map, "t", "s"), map).action == Type(text=text)


def told(turns, limit=None) -> str:
    (message,) = ADAPTER.with_history(limit).messages(PromptInput("买书", PHONE, turns), PromptSet.load())
    before, image, after = message.parts
    assert message.role == "user"
    assert image == ImagePart(CURRENT)
    assert "<THINK>" in after.text
    assert "任务：买书" in before.text
    return next(line for line in before.text.splitlines() if line.startswith("做过的事"))


FIRST = Turn(
    raw="<THINK>t</THINK>\nexplain:e\taction:AWAKE\tvalue:x\tsummary:opened\nthe shop", action=OpenApp(app="x")
)
SECOND = Turn(raw="explain:e\taction:CLICK\tpoint:1,2\tsummary:opened the shop, searched", action=TAP)
LOST = Turn(raw="no idea\nat all", parse_error=ParseError(kind="malformed", message="nothing"))


def test_the_last_summary_tells_all_that_came_before():
    assert told([]) == "做过的事：还没有"
    assert told([FIRST]) == "做过的事：opened the shop"
    assert told([FIRST, SECOND]) == "做过的事：opened the shop, searched"


def test_steps_since_the_last_summary_are_told_after_it():
    assert told([FIRST, LOST]) == "做过的事：opened the shop；no idea at all"
    other = [Turn(action=TAP), Turn(action=Press(key="back")), Turn(action=TAP, summary="done by another")]
    assert told([FIRST, *other]) == (
        '做过的事：opened the shop；action:CLICK point:1,1；{"type":"press","key":"back"}；done by another'
    )
    assert told([Turn()]) == "做过的事：…"


def test_a_limit_bounds_how_far_back_it_looks():
    assert told([FIRST, LOST], 1) == "做过的事：no idea at all"
    assert told([FIRST, LOST], 0) == "做过的事：还没有"
