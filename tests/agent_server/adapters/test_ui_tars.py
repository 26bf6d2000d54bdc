"""UI-TARS: replies as it writes them, well and badly, and the conversation it is asked in."""

from __future__ import annotations

import pytest

from agent_server.actions import (
    Answer,
    CallUser,
    Click,
    DoubleClick,
    Drag,
    Finished,
    LongPress,
    OpenApp,
    Press,
    Scroll,
    Type,
    Wait,
)
from agent_server.adapters import CURRENT, ImagePart, PromptInput, PromptSet, TextPart, Turn, adapter_named
from agent_server.errors import Inexpressible
from agent_server.geometry import Point, Size
from agent_server.schemas import ParseError

V10, V15 = adapter_named("ui-tars-1.0"), adapter_named("ui-tars-1.5")
PHONE = Size(1080, 2400)
SQUARE = Size(1000, 1000)


def read(text, adapter=V10, size=SQUARE):
    """On a screen of 1000x1000, units of 1.0 are pixels."""
    return adapter.parse(text, adapter.frame(size).map)


@pytest.mark.parametrize(
    "argument",
    [
        "start_box='<|box_start|>(495,30)<|box_end|>'",
        "start_box='(495,30)'",
        'start_box="(495,30)"',
        "start_box='[495,30]'",
        "start_box='495, 30'",
        "start_box='495 30'",
        "start_box='<bbox>495 30 495 30</bbox>'",
        "start_box='[490,25,500,35]'",
        "start_box='490, 25, 500, 35'",
        "start_box='<|box_start|>(490,25),(500,35)<|box_end|>'",
        "start_box='（495，30）'",
        "start_box=‘(495,30)’",
        "start_box=(495,30)",
        "start_box=[495, 30]",
        "start_box='(495.0,30.0)'",
        "point='<point>495 30</point>'",
        "point='<point>495 30'",
        "point=<point>495 30</point>",
        "point='(495,30)'",
        "x=495, y=30",
        "495, 30",
    ],
)
@pytest.mark.parametrize("ending", [")", "", ")<|im_end|>", ")[EOS]", "）"])
def test_coordinates(argument, ending):
    parsed = read(f"Thought: here\nAction: click({argument}{ending}")
    assert parsed.action == Click(point=Point(495, 30))
    assert parsed.thought == "here"


@pytest.mark.parametrize(
    ("call", "action"),
    [
        ("left_double(start_box='(1,2)')", DoubleClick(point=Point(1, 2))),
        ("drag('<point>1 2</point>', '<point>3 4</point>')", Drag(start=Point(1, 2), end=Point(3, 4))),
        ("drag(start_box='(1,2)' end_box='(3,4)')", Drag(start=Point(1, 2), end=Point(3, 4))),
        ("scroll('<point>1 2</point>', 'down')", Scroll(direction="down", start=Point(1, 2))),
        ("long_press(start_box='(1,2)', time='')", LongPress(point=Point(1, 2))),
        ("long_press(start_box='(1,2)', time='2')", LongPress(point=Point(1, 2), duration_ms=2000)),
        ("long_press(start_box='(1,2)', time=1500)", LongPress(point=Point(1, 2), duration_ms=1500)),
        ("LongPress(point='(1,2)')", LongPress(point=Point(1, 2))),
        ("drag(start_box='(1,2)', end_box='(3,4)')", Drag(start=Point(1, 2), end=Point(3, 4))),
        (
            "drag(start_point='<point>1 2</point>', end_point='<point>3 4</point>')",
            Drag(start=Point(1, 2), end=Point(3, 4)),
        ),
        ("scroll(direction='left')", Scroll(direction="left")),
        ("scroll(point='<point>500 600</point>', direction='down')", Scroll(direction="down", start=Point(500, 600))),
        ("scroll(start_box='(500,600)', direction='up')", Scroll(direction="up", start=Point(500, 600))),
        (
            "scroll(start_box='(5,700)', end_box='(5,300)')",
            Scroll(direction="down", start=Point(5, 700), end=Point(5, 300)),
        ),
        ("open_app(app_name='设置')", OpenApp(app="设置")),
        ("wait()", Wait(seconds=5)),
        ("wait", Wait(seconds=5)),
        ("wait(time=2)", Wait(seconds=2)),
        ("press_home()", Press(key="home")),
        ("press_back()", Press(key="back")),
        ("PressBack()", Press(key="back")),
        ("press_enter()", Press(key="enter")),
        ("call_user()", CallUser()),
        ("finished()", Finished()),
        ("finished(content='it's done, \"really\" (yes)')", Finished(text='it\'s done, "really" (yes)')),
        ("type(content='')", Type(text="")),
        (r"type(content='hello\n')", Type(text="hello\n")),
        ("type(content='hello\n')", Type(text="hello\n")),
        (r"type(content='it\'s')", Type(text="it's")),
        ("type(content='What's up, it's 5 o'clock')", Type(text="What's up, it's 5 o'clock")),
        ("type(text='Hello', start_box='(300,400)')", Type(text="Hello")),
        ("type（content=‘你好，“世界”（真的）’）", Type(text="你好，“世界”（真的）")),
        ("type(content='Action: click(start_box=\\'(1,2)\\')')", Type(text="Action: click(start_box='(1,2)')")),
    ],
)
def test_actions(call, action):
    parsed = read(f"Thought: here\nAction: {call}")
    assert parsed.action == action
    assert parsed.extra_actions == 0


@pytest.mark.parametrize(
    ("text", "thought"),
    [
        ("Thought: a\nb\nAction: wait()", "a\nb"),
        ("Thought: a\n\nAction：wait()", "a"),
        ("**Thought:** a\n**Action:** wait()", "a"),
        ("Thought: a. Action: wait()", "a."),
        ("Thought: a\n```\nAction: wait()\n```", "a"),
        ("Thought: a\nAction:\n```python\nwait()\n```", "a"),
        ("Thought: a\nwait()", "a"),
        ("a\nAction: wait()", "a"),
        ("Thought: Action: click(start_box='(1,2)') failed\nAction: wait()", "Action: click(start_box='(1,2)') failed"),
        ("Thought: swipe(start_box='(1,2)')\n\nAction: wait()", "swipe(start_box='(1,2)')"),
        ("<think>Action: press_home()</think>\nThought: a\nAction: wait()", "a"),
        ("Reflection: r\nAction_Summary: s\nAction: wait()", "r"),
        ("Thought: a\nAction: I will wait() here", "a"),
        ("<think>a</think><seed:tool_call><function=wait></function></seed:tool_call>", "a"),
        ('Thought: a\nAction: {"action": "wait"}', "a"),
        ("Thought: a\nAction: {'name': 'wait', 'arguments': {}}", "a"),
        ("Action: wait()", None),
        ("wait()", None),
    ],
)
def test_frames(text, thought):
    parsed = read(text)
    assert parsed.action == Wait(seconds=5)
    assert parsed.thought == thought


def test_a_summary_line_is_kept():
    assert read("Reflection: r\nAction_Summary: s\nAction: wait()").summary == "s"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "malformed"),
        ("Thought: I think so.", "malformed"),
        ("Thought: click(start_box='(1,2)')", "malformed"),
        ("Thought: my last Action: click(start_box='(1,2)') did nothing.", "malformed"),
        ("<think>Action: click(start_box='(1,2)')</think>", "malformed"),
        ("Action:", "malformed"),
        ("Action: The task is not finished (see above).", "malformed"),
        ("Action: click(start_box='=')", "malformed"),
        ("Action: click(start_box='')", "malformed"),
        ("Action: click()", "malformed"),
        ("Action: click(start_box=None)", "malformed"),
        ("Action: click(start_box='(1,2,3)')", "malformed"),
        ("Action: type()", "malformed"),
        ("Action: scroll()", "malformed"),
        ("Action: drag(start_box='(1,2)')", "malformed"),
        ("Action: wait(time='soon')", "malformed"),
        ("Action: click(start_box='(-1,-1)')", "out_of_range"),
        ("Action: click(start_box='(1200,5)')", "out_of_range"),
        ("Action: click(start_box='(0.5,0.3)')", "out_of_range"),
        ("Action: click(start_box='[0,0,2000,2000]')", "out_of_range"),
        ("Action: hotkey(key='ctrl v')", "unsupported"),
        ("Action: hotkey(key='enter')", "unsupported"),
        ("Action: right_single(start_box='(1,2)')", "unsupported"),
        ("Action: juggle(balls=3)", "unsupported"),
        ("juggle(balls=3)", "unsupported"),
        ("Action: press(key='F5')", "unsupported"),
        ("Action: press(key='')", "malformed"),
    ],
)
def test_refusals(text, kind):
    parsed = read(text)
    assert parsed.action is None
    assert parsed.parse_error.kind == kind


@pytest.mark.parametrize(
    ("text", "extra"),
    [
        ("Action: click(start_box='(1,2)')\n\ntype(text='x', start_box='(3,4)')", 1),
        ("Action: click(start_box='(1,2)')\nAction: type(content='x')\nAction: wait()", 2),
        ("Thought: a\nAction: click(start_box='(1,2)')\nThought: b\nAction: wait()", 1),
        ("Action: click(start_box='(1,2)'\n\nAction: wait()", 1),
        ("Action: click(start_box='(1,2)'); wait()", 1),
    ],
)
def test_the_first_of_several_counts(text, extra):
    parsed = read(text)
    assert parsed.action == Click(point=Point(1, 2))
    assert parsed.extra_actions == extra


def test_1_5_counts_pixels_of_the_resized_image():
    frame = V15.frame(PHONE)
    assert frame.resized == (1092, 2408)
    assert V15.parse("Action: click(point='<point>546 1204</point>')", frame.map).action == Click(
        point=Point(540, 1200)
    )


def test_rendering():
    point = Point(500, 250)
    old, new = V10.frame(SQUARE).map, V15.frame(PHONE).map
    assert (
        V10.render(Click(point=point), old, "why")
        == "Thought: why\nAction: click(start_box='<|box_start|>(500,250)<|box_end|>')"
    )
    assert V10.render(Scroll(direction="down"), old).count("box_start") == 2
    assert (
        V15.render(Scroll(direction="down", start=Point(540, 1200), end=Point(540, 9)), new)
        == "Action: scroll(point='<point>546 1204</point>', direction='down')"
    )
    assert V15.render(Scroll(direction="up"), new) == "Action: scroll(point='<point>546 1204</point>', direction='up')"
    assert V10.render(LongPress(point=point, duration_ms=1500), old).endswith("time='1.5')")
    assert V10.render(LongPress(point=point), old).endswith("time='')")
    assert V15.render(OpenApp(app="Tom's"), new) == r"Action: open_app(app_name='Tom\'s')"
    assert "two\nAction… x" in V10.render(Wait(), old, "two\nAction: x")
    for action in (OpenApp(app="Clock"), Answer(text="3"), Press(key="enter"), CallUser(text="help")):
        with pytest.raises(Inexpressible):
            V10.render(action, old)


def turn(step, screenshot=True):
    raw = f"Thought: step {step}\nAction: click(start_box='(5,{step})')<|im_end|>"
    return Turn(raw=raw, action=Click(point=Point(5, 5)), has_screenshot=screenshot, size=PHONE)


def shape(messages):
    return [
        (message.role, part.index if isinstance(part, ImagePart) else part.text)
        for message in messages
        for part in message.parts
    ]


def test_a_conversation_with_the_last_five_screenshots():
    first, *chat = V15.messages(PromptInput("buy milk", PHONE, [turn(n) for n in range(7)]), PromptSet.load())
    assert first.role == "user"
    assert "buy milk" in first.parts[0].text
    said = [f"Thought: step {n}\nAction: click(start_box='(5,{n})')" for n in range(7)]
    assert shape(chat) == [
        ("assistant", said[0]), ("assistant", said[1]), ("assistant", said[2]),
        ("user", 3), ("assistant", said[3]), ("user", 4), ("assistant", said[4]),
        ("user", 5), ("assistant", said[5]), ("user", 6), ("assistant", said[6]),
        ("user", CURRENT),
    ]  # fmt: skip


def test_1_0_gets_its_box_tokens_back():
    _, *chat = V10.messages(PromptInput("g", PHONE, [turn(1)]), PromptSet.load())
    assert chat[1].parts == (TextPart("Thought: step 1\nAction: click(start_box='<|box_start|>(5,1)<|box_end|>')"),)


def test_turns_without_screenshot_without_text_and_without_sense():
    turns = [
        turn(0, screenshot=False),
        Turn(raw="no\nidea", parse_error=ParseError(kind="malformed", message="nothing")),
        Turn(action=Press(key="recents"), thought="why"),
        Turn(action=Press(key="back"), thought="why"),
        Turn(thought="only thinking"),
        Turn(),
    ]
    _, *chat = V15.messages(PromptInput("g", PHONE, turns), PromptSet.load())
    assert shape(chat)[1:] == [
        ("assistant", "no\nidea"),
        ("assistant", '{"type":"press","key":"recents"}'),
        ("assistant", "Thought: why\nAction: press_back()"),
        ("assistant", "only thinking"),
        ("user", CURRENT),
    ]


def test_history_limits_and_language():
    turns = [turn(n) for n in range(4)]
    messages = V15.with_history(1).messages(PromptInput("g", PHONE, turns, language="Chinese"), PromptSet.load())
    assert [role for role, _ in shape(messages)] == ["user", "user", "assistant", "user"]
    assert "Write the Thought in Chinese" in messages[0].parts[0].text
    nothing = V15.with_history(0).messages(PromptInput("g", PHONE, turns), PromptSet.load())
    assert shape(nothing)[1:] == [("user", CURRENT)]
