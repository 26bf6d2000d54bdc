"""MAI-UI: compact tool calls as it writes them, well and badly, and the conversation it is asked in."""

from __future__ import annotations

import json
import re

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

MAI = adapter_named("mai-ui")
PHONE = Size(1080, 2400)
SQUARE = Size(999, 999)
MAP = MAI.frame(SQUARE).map


def read(text, size=SQUARE):
    """On a screen of 999x999, its units are pixels."""
    return MAI.parse(text, MAI.frame(size).map)


def call(**arguments):
    body = json.dumps({"name": "mobile_use", "arguments": arguments}, separators=(",", ":"))
    return f"<tool_call>\n{body}\n</tool_call>"


@pytest.mark.parametrize(
    ("arguments", "action"),
    [
        ({"action": "click", "coordinate": [299, 399]}, Click(point=Point(299, 399))),
        ({"action": "tap", "coordinate": [299, 399]}, Click(point=Point(299, 399))),
        ({"action": "click", "coordinate": [290, 390, 308, 408]}, Click(point=Point(299, 399))),
        ({"action": "click", "coordinate": "(299, 399)"}, Click(point=Point(299, 399))),
        ({"action": "click", "coordinate": ["299", "399"]}, Click(point=Point(299, 399))),
        ({"action": "double_click", "coordinate": [1, 2]}, DoubleClick(point=Point(1, 2))),
        ({"action": "long_press", "coordinate": [1, 2]}, LongPress(point=Point(1, 2))),
        ({"action": "type", "text": "a}}\nb"}, Type(text="a}}\nb")),
        ({"action": "swipe", "direction": "up"}, Scroll(direction="down")),
        ({"action": "swipe", "direction": "left", "coordinate": [5, 6]}, Scroll(direction="right", start=Point(5, 6))),
        ({"action": "scroll", "direction": "down"}, Scroll(direction="down")),
        (
            {"action": "swipe", "start_coordinate": [5, 600], "end_coordinate": [5, 100]},
            Scroll(direction="down", start=Point(5, 600), end=Point(5, 100)),
        ),
        ({"action": "open", "text": "设置"}, OpenApp(app="设置")),
        (
            {"action": "drag", "start_coordinate": [1, 2], "end_coordinate": [3, 4]},
            Drag(start=Point(1, 2), end=Point(3, 4)),
        ),
        (
            {"action": "drag", "start_coordinate": [0, 0, 2, 4], "end_coordinate": [2, 2, 4, 6]},
            Drag(start=Point(1, 2), end=Point(3, 4)),
        ),
        ({"action": "system_button", "button": "back"}, Press(key="back")),
        ({"action": "system_button", "button": "home"}, Press(key="home")),
        ({"action": "system_button", "button": "menu"}, Press(key="menu")),
        ({"action": "system_button", "button": "enter"}, Press(key="enter")),
        ({"action": "wait"}, Wait(seconds=1)),
        ({"action": "answer", "text": "7:30"}, Answer(text="7:30")),
        ({"action": "ask_user", "text": "Which one?"}, CallUser(text="Which one?")),
        ({"action": "ask_user"}, CallUser()),
        ({"action": "terminate", "status": "success"}, Finished()),
        ({"action": "terminate", "status": "fail"}, Finished(status="infeasible")),
        ({"action": "terminate", "status": "failure"}, Finished(status="infeasible")),
    ],
)
def test_actions(arguments, action):
    assert read(f"<thinking>\nwhy\n</thinking>\n{call(**arguments)}").action == action


def test_it_counts_to_999():
    assert read(call(action="click", coordinate=[299, 399]), PHONE).action == Click(point=Point(323, 959))
    assert read(call(action="click", coordinate=[999, 999]), PHONE).action == Click(point=Point(1079, 2399))
    assert read(call(action="click", coordinate=[1000, 5]), PHONE).parse_error.kind == "out_of_range"


@pytest.mark.parametrize(
    "frame",
    [
        "<thinking>\nwhy\n</thinking>\n{}",
        "<thinking>why</thinking>{}",
        "why</think>\n{}",
        "<think>why</thinking>\n{}",
        "<think>\nwhy\n</think>\n\n{}<|im_end|>",
        "<thinking>why\n{}",
        "<thinking>maybe " + call(action="terminate", status="success") + " but no</thinking>why {}",
        "why\n{}",
    ],
)
def test_thinking_in_any_tag(frame):
    parsed = read(frame.replace("{}", call(action="wait")))
    assert parsed.action == Wait()
    assert parsed.thought.endswith("why")
    assert parsed.extra_actions == 0


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name":"mobile_use","arguments":{"action":"answer","text":"it\\\'s \\"5\\"\\nor 6"}}</tool_call>',
        '<tool_call>{"name":"mobile_use","arguments":{"action":"answer","text":"it\'s "5"\\nor 6"}}</tool_call>',
        json.dumps({"name": "mobile_use", "arguments": '{"action": "answer", "text": "it\'s \\"5\\"\\nor 6"}'}),
        '```json\n{"name":"mobile_use","arguments":{"action":"answer","text":"it\'s \\"5\\"\\nor 6"}}\n```',
        '{"action":"answer","text":"it\'s \\"5\\"\\nor 6"}',
        '<tool_call>{"name":"mobile_use","arguments":{"action":"answer","text":"it\'s \\"5\\"\\nor 6"}}}</tool_call>',
        '<tool_call>{"name":"mobile_use","arguments":{"action":"answer","text":"it\'s \\"5\\"\\nor 6"}',
    ],
)
def test_what_is_almost_json(text):
    assert read(text).action == Answer(text='it\'s "5"\nor 6')


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<thinking>I am done.</thinking>", "malformed"),
        ('<grounding_think>x</grounding_think>\n<answer>\n{"coordinate": [5,6]}\n</answer>', "malformed"),
        (call(action="click"), "malformed"),
        (call(action="drag", start_coordinate=[1, 2]), "malformed"),
        (call(action="swipe"), "malformed"),
        (call(action="swipe", direction="north"), "malformed"),
        (call(action="swipe", coordinate=[1, 2]), "malformed"),
        (call(action="terminate"), "malformed"),
        (call(action="terminate", status="unknown"), "malformed"),
        (call(action="answer"), "malformed"),
        (call(action="click", coordinate=[0.31, 0.42]), "out_of_range"),
        (call(action="click", coordinate=[-1, -1]), "out_of_range"),
        (call(action="system_button", button="assistant"), "unsupported"),
        ('<tool_call>{"name":"maps_search","arguments":{"keywords":"coffee"}}</tool_call>', "unsupported"),
    ],
)
def test_refusals(text, kind):
    parsed = read(text)
    assert parsed.action is None
    assert parsed.parse_error.kind == kind


def test_rendering():
    assert MAI.render(Click(point=Point(5, 6)), MAP, "why", "dropped") == (
        "<thinking>\nwhy\n</thinking>\n<tool_call>\n"
        '{"name":"mobile_use","arguments":{"action":"click","coordinate":[5,6]}}\n</tool_call>'
    )
    assert MAI.render(Wait(seconds=9), MAP) == call(action="wait")
    assert MAI.render(LongPress(point=Point(5, 6), duration_ms=3000), MAP) == call(
        action="long_press", coordinate=[5, 6]
    )
    assert MAI.render(Scroll(direction="down"), MAP) == call(action="swipe", direction="up")
    path = Scroll(direction="down", start=Point(5, 600), end=Point(5, 100))
    assert MAI.render(path, MAP) == call(action="swipe", direction="up", coordinate=[5, 600])
    assert MAI.render(Finished(status="infeasible"), MAP) == call(action="terminate", status="fail")
    assert MAI.render(Press(key="enter"), MAP) == call(action="system_button", button="enter")
    for action in (Press(key="recents"), Finished(text="x"), Finished(status="infeasible", text="x")):
        with pytest.raises(Inexpressible):
            MAI.render(action, MAP)


def test_the_prompt_lists_what_can_be_said():
    system, _, _ = MAI.messages(PromptInput("g", PHONE), PromptSet.load())
    listed = set(re.findall(r'^{"action": "(\w+)"', system.parts[0].text, re.MULTILINE))
    said = set()
    for action in (
        Click(point=Point(5, 6)), DoubleClick(point=Point(5, 6)), LongPress(point=Point(5, 6)), Type(text="x"),
        Drag(start=Point(5, 6), end=Point(7, 8)), Scroll(direction="up"), OpenApp(app="x"), Press(key="home"), Wait(),
        Answer(text="x"), CallUser(), Finished(),
    ):  # fmt: skip
        said.add(json.loads(MAI.render(action, MAP).splitlines()[1])["arguments"]["action"])
    assert listed == said


def conversation(turns, size=PHONE, limit=None):
    messages = MAI.with_history(limit).messages(PromptInput("buy milk", size, turns), PromptSet.load())
    assert messages[0].role == "system"
    assert messages[1].role == "user"
    assert messages[1].parts == (TextPart("buy milk"),)
    return [(message.role, *message.parts) for message in messages[2:]]


def test_the_first_step():
    assert conversation([]) == [("user", ImagePart(CURRENT))]


def test_every_reply_is_told_and_the_last_two_screenshots_are_shown():
    replies = [f"<thinking>\n{step}\n</thinking>\n{call(action='wait')}" for step in range(4)]
    turns = [Turn(raw=raw, action=Wait(), has_screenshot=True) for raw in replies]
    said = [("assistant", TextPart(raw)) for raw in replies]
    assert conversation(turns) == [
        said[0],
        said[1],
        ("user", ImagePart(2)),
        said[2],
        ("user", ImagePart(3)),
        said[3],
        ("user", ImagePart(CURRENT)),
    ]
    assert conversation(turns, limit=1) == [("user", ImagePart(3)), said[3], ("user", ImagePart(CURRENT))]
    assert conversation(turns, limit=0) == [("user", ImagePart(CURRENT))]


def test_a_drag_in_the_history_counts_to_999_at_both_ends():
    drag = Turn(action=Drag(start=Point(540, 1200), end=Point(1079, 2399)), thought="why")
    (_, told), _ = conversation([drag])
    assert told.text == (
        f"<thinking>\nwhy\n</thinking>\n{call(action='drag', start_coordinate=[500, 500], end_coordinate=[998, 999])}"
    )
    other_size = Turn(action=Drag(start=Point(10, 10), end=Point(19, 5)), size=Size(20, 20))
    (_, told), _ = conversation([other_size])
    assert told.text == call(action="drag", start_coordinate=[500, 500], end_coordinate=[949, 250])


def test_what_could_not_be_read_stays_as_it_was():
    error = ParseError(kind="malformed", message="nothing")
    chat = conversation([Turn(raw="I am lost<|im_end|>", parse_error=error), Turn(action=Press(key="power"))])
    assert chat[0] == ("assistant", TextPart("I am lost"))
    assert chat[1] == ("assistant", TextPart('{"type":"press","key":"power"}'))
