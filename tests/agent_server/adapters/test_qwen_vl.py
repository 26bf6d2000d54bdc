"""Qwen-VL: tool calls as it writes them, well and badly, and the messages it is asked with."""

from __future__ import annotations

import json

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
from agent_server.adapters import CURRENT, ImagePart, PromptInput, PromptSet, Turn, adapter_named
from agent_server.errors import Inexpressible
from agent_server.geometry import Point, Size
from agent_server.schemas import ParseError

Q25, Q3 = adapter_named("qwen2.5-vl"), adapter_named("qwen3-vl")
PHONE = Size(1080, 2400)
SQUARE = Size(999, 999)


def read(text, adapter=Q3, size=SQUARE):
    """On a screen of 999x999, units of Qwen3-VL are pixels."""
    return adapter.parse(text, adapter.frame(size).map)


def call(**arguments):
    return "<tool_call>\n" + json.dumps({"name": "mobile_use", "arguments": arguments}) + "\n</tool_call>"


@pytest.mark.parametrize(
    "text",
    [
        call(action="click", coordinate=[447, 81]),
        call(action="click", coordinate="[447, 81]"),
        call(action="click", coordinate=["447", "81"]),
        call(action="click", coordinate=[447.2, 80.8]),
        call(action="click", coordinate=[[447, 81]]),
        call(action="click", coordinate=[440, 80, 454, 82]),
        call(action="click", coordinate={"x": 447, "y": 81}),
        call(action="click", x=447, y=81),
        call(action="tap", coordinate=[447, 81]),
        call(action="left_click", coordinate=[447, 81]),
        call(action="Click", coordinate=[447, 81]),
        'mobile_use({"action": "click", "coordinate": [447, 81]})',
        '<tool_call>\n```json\n{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [447, 81]}}\n```',
        '<tool_call>\njson\n{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [447, 81]}}',
        call(action_type="click", coordinate=[447, 81]),
        call(action={"type": "click", "coordinate": [447, 81]}),
        '<tool_call>{"name": "mobile_use", "arguments": "{\\"action\\": \\"click\\", \\"coordinate\\": [447, 81]}"}',
        '<tool_call>{"name": "mobile_use", "action": "click", "coordinate": [447, 81]}</tool_call>',
        '<tool_call>{"name": "click", "arguments": {"coordinate": [447, 81]}}</tool_call>',
        '<tool_call>{"name": "computer_use", "arguments": {"action": "click", "coordinate": [447, 81]}}</tool_call>',
        '<tool_call>{"function": {"name": "mobile_use", "arguments": {"action": "click", "coordinate": [447, 81]}}}',
        '<tool_call>{"name": "mobile_use", "parameters": {"action": "click", "coordinate": [447, 81]}}',
        '<tool_call>{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [447, 81]}</tool_call>',
        '<tool_call>{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [447, 81',
        '<tool_call>{"name": "mobile_use", "arguments": {"action": "click", "coordinate": 447, 81}}</tool_call>',
        '<tool_call>{"name": "mobile_use", "arguments": {"action": "click", "coordinate": (447, 81)}}</tool_call>',
        '<tool_call>{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [447, 81],},}</tool_call>',
        "<tool_call>{'name': 'mobile_use', 'arguments': {'action': 'click', 'coordinate': [447, 81]}}</tool_call>",
        '<tool_call>{name: "mobile_use", arguments: {action: "click", coordinate: [447, 81]}}</tool_call>',
        "<tool_call>{“name”： “mobile_use”，“arguments”：{“action”：“click”，“coordinate”：[447，81]}}</tool_call>",
        '{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [447, 81]}}',
        '{"action": "click", "coordinate": [447, 81]}',
        '[{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [447, 81]}}]',
        '```json\n{"action": "click", "coordinate": [447, 81]}\n```',
        'Action: {"action": "click", "coordinate": [447, 81]}',
        'mobile_use(action="click", coordinate=[447, 81])',
        "<tool_call>click(coordinate=[447, 81])</tool_call>",
        "<tool_call><function=mobile_use><parameter=action>click</parameter>"
        "<parameter=coordinate>[447, 81]</parameter></function></tool_call>",
        "<tool_call><function=click>\n<parameter=coordinate>\n[447, 81]\n</parameter>\n</function>",
        '<tool_call><function name="click"><parameter name="coordinate">[447, 81]',
    ],
)
def test_forms_of_one_call(text):
    for thinking in ("", "Thought: a\n", "<think>{'action': 'wait'}</think>\n", "<thinking>a</thinking>"):
        assert read(thinking + text).action == Click(point=Point(447, 81))


@pytest.mark.parametrize(
    ("arguments", "action"),
    [
        ({"action": "long_press", "coordinate": [1, 2], "time": 2}, LongPress(point=Point(1, 2), duration_ms=2000)),
        ({"action": "long_press", "coordinate": [1, 2]}, LongPress(point=Point(1, 2))),
        ({"action": "long_press", "coordinate": [1, 2], "time": 0}, LongPress(point=Point(1, 2))),
        (
            {"action": "long_press", "coordinate": [1, 2], "duration_ms": 90_000},
            LongPress(point=Point(1, 2), duration_ms=60_000),
        ),
        (
            {"action": "swipe", "coordinate": [500, 800], "coordinate2": [500, 200]},
            Scroll(direction="down", start=Point(500, 800), end=Point(500, 200)),
        ),
        ({"action": "swipe", "direction": "up"}, Scroll(direction="down")),
        ({"action": "scroll", "direction": "up"}, Scroll(direction="up")),
        (
            {"action": "swipe", "coordinate": [500, 500], "direction": "left"},
            Scroll(direction="right", start=Point(500, 500)),
        ),
        (
            {"action": "drag", "start_coordinate": [1, 2], "end_coordinate": [3, 4]},
            Drag(start=Point(1, 2), end=Point(3, 4)),
        ),
        ({"action": "type", "text": 'a\nb </tool_call> "c"\n'}, Type(text='a\nb </tool_call> "c"\n')),
        ({"action": "type", "text": 5}, Type(text="5")),
        ({"action": "type", "text": True}, Type(text="true")),
        ({"action": "type", "text": None}, Type(text="")),
        ({"action": "system_button", "button": "Back"}, Press(key="back")),
        ({"action": "system_button", "button": "home"}, Press(key="home")),
        ({"action": "system_button", "button": "Menu"}, Press(key="menu")),
        ({"action": "system_button", "button": "Enter"}, Press(key="enter")),
        ({"action": "key", "text": "volume_up"}, Press(key="volume_up")),
        ({"action": "key", "text": "KEYCODE_DEL"}, Press(key="delete")),
        ({"action": "key", "text": "187"}, Press(key="recents")),
        ({"action": "key", "keys": ["enter"]}, Press(key="enter")),
        ({"action": "navigate_back"}, Press(key="back")),
        ({"action": "open", "text": "Settings"}, OpenApp(app="Settings")),
        ({"action": "open", "name": "Settings"}, OpenApp(app="Settings")),
        ({"action": "wait", "time": 2}, Wait(seconds=2)),
        ({"action": "wait", "time": "2 seconds"}, Wait(seconds=2)),
        ({"action": "wait", "time": 600}, Wait(seconds=600)),
        ({"action": "wait", "time": 5000}, Wait(seconds=5)),
        ({"action": "wait", "time": "5000"}, Wait(seconds=5)),
        ({"action": "wait", "time": "5000 ms"}, Wait(seconds=5)),
        ({"action": "wait", "time": "5000 s"}, Wait(seconds=600)),
        ({"action": "wait", "time": 10_000_000}, Wait(seconds=600)),
        ({"action": "wait"}, Wait(seconds=1)),
        ({"action": "answer", "text": "42"}, Answer(text="42")),
        ({"action": "terminate", "status": "success"}, Finished()),
        ({"action": "terminate", "status": "failure"}, Finished(status="infeasible")),
        ({"action": "terminate", "status": "fail", "text": "why"}, Finished(status="infeasible", text="why")),
        ({"action": "double_click", "coordinate": [1, 2]}, DoubleClick(point=Point(1, 2))),
    ],
)
def test_actions(arguments, action):
    assert read(call(**arguments)).action == action


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ('{"action": "type", "text": "say "hi", ok"}', 'say "hi", ok'),
        ('{"action": "type", "text": "a\nb"}', "a\nb"),
        ("{'action': 'type', 'text': 'it's \"x\"'}", 'it\'s "x"'),
        ('{"action": "type", "text": "unclosed}', "unclosed"),
        ('{"action": "type", "text": unquoted words}', "unquoted words"),
        ('{"action": "type", "text": "" }', ""),
        ('{"action": "type", "text": "\\ud83d\\ude00"}', "😀"),
        ("{'action': 'type', 'text': '\\ud83d\\ude00',}", "😀"),
    ],
)
def test_text_in_what_is_almost_json(text, typed):
    assert read(f"<tool_call>\n{text}\n</tool_call>").action == Type(text=typed)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I cannot see a button.", "malformed"),
        ('Thought: x\nAction: "I tapped."', "malformed"),
        ("<tool_call>", "malformed"),
        ("<tool_call>\n</tool_call>", "malformed"),
        ("<tool_call>tap it</tool_call>", "malformed"),
        ('<tool_call>{"name": "mobile_use", "arguments": {}}</tool_call>', "malformed"),
        ('{"thought": "…", "result": [769, 70]}', "malformed"),
        ('<think>{"action": "click", "coordinate": [1, 2]}</think>', "malformed"),
        (call(action="click"), "malformed"),
        (call(action="click", coordinate=[5]), "malformed"),
        (call(action="click", coordinate=[True, False]), "malformed"),
        (call(action="click", coordinate={"a": 1}), "malformed"),
        (call(action="click", coordinate=[[[1, 2], 3], 4]), "malformed"),
        (call(action="click", coordinate="1 " * 500), "malformed"),
        (call(action="swipe", coordinate=[500, 800]), "malformed"),
        (call(action="type", text={"a": 1}), "malformed"),
        (call(action="type"), "malformed"),
        (call(action="answer"), "malformed"),
        (call(action="terminate"), "malformed"),
        (call(action="terminate", status="maybe"), "malformed"),
        (call(action="open"), "malformed"),
        (call(action="wait", time=-1), "malformed"),
        (call(action="click", coordinate=[1000, 5]), "out_of_range"),
        (call(action="click", coordinate=[-1, 5]), "out_of_range"),
        (call(action="key", text="camera"), "unsupported"),
        (call(action="key", text="ctrl+c"), "unsupported"),
        (call(action="key", keys=["ctrl", "c"]), "unsupported"),
        (call(action="key", keys=[["enter"]]), "malformed"),
        (call(action="key", keys=[]), "malformed"),
        (call(action="right_click", coordinate=[1, 2]), "unsupported"),
        (call(action="mouse_move", coordinate=[1, 2]), "unsupported"),
        (call(action="ask_user", text="which one?"), "unsupported"),
        (call(action="open", url="https://example.org"), "unsupported"),
    ],
)
def test_refusals(text, kind):
    parsed = read(text)
    assert parsed.action is None
    assert parsed.parse_error.kind == kind


def test_the_first_of_several_counts():
    click, wait = call(action="click", coordinate=[1, 2]), call(action="wait")
    assert read(click + wait + wait).extra_actions == 2
    assert read(click + wait).action == Click(point=Point(1, 2))
    side_by_side = '<tool_call>{"action": "wait"}\n{"action": "wait"}</tool_call>'
    assert read(side_by_side).extra_actions == 1


@pytest.mark.parametrize(
    ("text", "thought", "summary"),
    [
        ('Thought: why\nAction: "I tapped."\n{}', "why", "I tapped."),
        ("Thought: why\nAction: I tapped.\n{}", "why", "I tapped."),
        ("why\n{}", "why", None),
        ("<think>why</think>\n{}", "why", None),
        ("<thinking>\nAction: tap\n</thinking>{}<conclusion>I tapped.</conclusion>", None, "I tapped."),
        ("{}", None, None),
    ],
)
def test_thoughts_and_summaries(text, thought, summary):
    parsed = read(text.replace("{}", call(action="wait")))
    assert parsed.action == Wait()
    assert (parsed.thought, parsed.summary) == (thought, summary)


def test_2_5_states_the_size_that_its_pixels_refer_to():
    frame = Q25.frame(PHONE)
    assert frame.resized == (1092, 2408)
    assert Q25.parse(call(action="click", coordinate=[935, 406]), frame.map).action == Click(point=Point(925, 405))
    system, _ = Q25.messages(PromptInput("g", PHONE), PromptSet.load())
    assert "1092x2408" in system.parts[0].text
    smaller = Q25.with_limits(max_pixels=1_000_000)
    system, _ = smaller.messages(PromptInput("g", PHONE), PromptSet.load())
    assert f"{smaller.frame(PHONE).resized}" in system.parts[0].text


def test_3_counts_to_999():
    map = Q3.frame(Size(1440, 3120)).map
    assert Q3.frame(Size(1440, 3120)).resized is None
    assert Q3.parse(call(action="click", coordinate=[447, 81]), map).action == Click(point=Point(644, 253))


@pytest.mark.parametrize("adapter", [Q25, Q3], ids=lambda adapter: adapter.name)
def test_the_tool_is_json_and_lists_what_the_adapter_says(adapter):
    system, _ = adapter.messages(PromptInput("g", PHONE), PromptSet.load())
    text = system.parts[0].text
    tool = json.loads(text[text.index("<tools>\n") + 8 : text.index("\n</tools>")])
    verbs = set(tool["function"]["parameters"]["properties"]["action"]["enum"])
    map = adapter.frame(PHONE).map
    point = Point(5, 6)
    said = set()
    for action in (
        Click(point=point), LongPress(point=point), Scroll(direction="up"), Type(text="x"), Answer(text="x"),
        OpenApp(app="x"), Wait(), Finished(), Press(key="back"), Press(key="power"), Drag(start=point, end=point),
    ):  # fmt: skip
        try:
            said.add(json.loads(adapter.render(action, map).splitlines()[1])["arguments"]["action"])
        except Inexpressible:
            continue
    assert said == verbs


def test_rendering():
    map = Q3.frame(SQUARE).map
    assert Q3.render(Wait(seconds=2), map, "why", "I wait.") == (
        'Thought: why\nAction: "I wait."\n<tool_call>\n'
        '{"name": "mobile_use", "arguments": {"action": "wait", "time": 2}}\n</tool_call>'
    )
    assert Q25.render(Wait(seconds=2.5), map, "why", "dropped").startswith("why\n<tool_call>")
    assert '"time": 2.5' in Q25.render(Wait(seconds=2.5), map)
    assert '"text": "del"' in Q25.render(Press(key="delete"), map)
    assert '"text": "Clock"' in Q25.render(OpenApp(app="Clock"), map)
    assert '"status": "failure"' in Q3.render(Finished(status="infeasible"), map)
    assert '"text": "你好"' in Q3.render(Type(text="你好"), map)
    for action in (CallUser(), Finished(text="x"), OpenApp(app="Clock"), Press(key="power")):
        with pytest.raises(Inexpressible):
            Q3.render(action, map)


def progress(adapter, turns, **how):
    _, user = adapter.with_history(how.get("limit")).messages(PromptInput("buy milk", PHONE, turns), PromptSet.load())
    text, image = user.parts
    assert image == ImagePart(CURRENT)
    assert "buy milk" in text.text
    return [line for line in text.text.splitlines() if "Step " in line]


def test_progress():
    raw = 'Thought: why\nAction: "I tapped search."\n' + call(action="click", coordinate=[1, 2])
    turns = [
        Turn(raw=raw, action=Click(point=Point(1, 5)), has_screenshot=True),
        Turn(raw=call(action="type", text="你好"), action=Type(text="你好")),
        Turn(raw="no\nidea", parse_error=ParseError(kind="malformed", message="nothing")),
        Turn(action=Wait(seconds=3)),
        Turn(action=DoubleClick(point=Point(1, 2))),
        Turn(summary="told", action=Wait()),
        Turn(thought="only thinking"),
    ]
    (line,) = progress(Q3, turns)
    assert line.removesuffix("; ").split("; ")[0].endswith("Step 1: I tapped search.")
    assert line.strip().removesuffix(";").split("; ")[1:] == [
        'Step 2: {"action": "type", "text": "你好"}',
        "Step 3: no idea",
        'Step 4: {"action": "wait", "time": 3}',
        'Step 5: {"type":"double_click","point":[1,2]}',
        "Step 6: told",
        "Step 7: only thinking",
    ]
    assert progress(Q3, []) == []
    assert progress(Q3, turns, limit=0) == []
    (last,) = progress(Q3, turns, limit=2)
    assert "Step 6: told; Step 7: only thinking" in last
