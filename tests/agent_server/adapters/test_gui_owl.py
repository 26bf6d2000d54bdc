"""GUI-Owl 1.0 and 1.5: tool calls as they write them, well and badly, and what they are asked with."""

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
from agent_server.adapters import (
    CURRENT,
    Absolute,
    ImagePart,
    PromptInput,
    PromptSet,
    TextPart,
    Turn,
    adapter_for_model,
    adapter_named,
)
from agent_server.errors import Inexpressible, UnknownName
from agent_server.geometry import Point, Size
from agent_server.schemas import ParseError

V10, V15 = adapter_named("gui-owl-1.0"), adapter_named("gui-owl-1.5")
PHONE = Size(1080, 2400)
SQUARE = Size(1000, 1000)
MAP = V15.frame(SQUARE).map


def read(text, adapter=V15, size=SQUARE):
    """On a screen of 1000x1000, units of 1.5 are pixels."""
    return adapter.parse(text, adapter.frame(size).map)


def call(**arguments):
    return "<tool_call>\n" + json.dumps({"name": "mobile_use", "arguments": arguments}) + "\n</tool_call>"


@pytest.mark.parametrize(
    ("arguments", "action"),
    [
        ({"action": "click", "coordinate": [5, 6]}, Click(point=Point(5, 6))),
        ({"action": "tap", "coordinate": [5, 6]}, Click(point=Point(5, 6))),
        ({"action": "double_tap", "coordinate": [5, 6]}, DoubleClick(point=Point(5, 6))),
        ({"action": "click", "coordinate": [4, 4, 6, 8]}, Click(point=Point(5, 6))),
        ({"action": "long_press", "coordinate": [5, 6], "time": 2}, LongPress(point=Point(5, 6), duration_ms=2000)),
        ({"action": "long_press", "coordinate": [5, 6]}, LongPress(point=Point(5, 6))),
        (
            {"action": "swipe", "coordinate": [5, 800], "coordinate2": [5, 300]},
            Scroll(direction="down", start=Point(5, 800), end=Point(5, 300)),
        ),
        (
            {"action": "swipe", "coordinate1": [5, 300], "coordinate2": [5, 800]},
            Scroll(direction="up", start=Point(5, 300), end=Point(5, 800)),
        ),
        ({"action": "type", "text": '{"a": {}}\n}}'}, Type(text='{"a": {}}\n}}')),
        ({"action": "system_button", "button": "Back"}, Press(key="back")),
        ({"action": "system_button", "button": "Enter"}, Press(key="enter")),
        ({"action": "key", "text": "volume_up"}, Press(key="volume_up")),
        ({"action": "open", "text": "Settings"}, OpenApp(app="Settings")),
        ({"action": "open_app", "text": "Settings"}, OpenApp(app="Settings")),
        ({"action": "wait", "time": 2}, Wait(seconds=2)),
        ({"action": "wait"}, Wait(seconds=1)),
        ({"action": "answer", "text": "42"}, Answer(text="42")),
        ({"action": "terminate", "status": "success"}, Finished()),
        ({"action": "terminate", "status": "failure"}, Finished(status="infeasible")),
    ],
)
@pytest.mark.parametrize("adapter", [V10, V15], ids=lambda adapter: adapter.name)
def test_actions(adapter, arguments, action):
    size = Size(1008, 1008) if adapter is V10 else SQUARE
    for text in (call(**arguments), call(**arguments).replace("mobile_use", "computer_use")):
        parsed = read(text, adapter, size)
        assert parsed.action == action
        assert parsed.extra_actions == 0


def test_turning_to_the_user():
    assert read(call(action="interact", text="Log in, please.")).action == CallUser(text="Log in, please.")
    assert read(call(action="interact")).action == CallUser()
    assert read(call(action="call_user", text="x")).action == CallUser(text="x")
    assert read(call(action="interact", text="x"), V10).parse_error.kind == "unsupported"
    assert read(call(action="ask_user", text="x")).parse_error.kind == "unsupported"


@pytest.mark.parametrize(
    ("text", "thought", "summary"),
    [
        ("<thinking>\nwhy\n</thinking>\n{}\n<conclusion>\nI tapped.\n</conclusion>", "why", "I tapped."),
        ("<thinking>\nwhy\n</thinking>\n{}\n<conclusion>\nI tapped a < b", "why", "I tapped a < b"),
        ("<thinking>\nObservation: o\nThought: why\nAction: tap\n</thinking>\n{}", "why", "tap"),
        ("<thinking>why\nAction: Click(1, 2)</thinking>\n{}<conclusion>c</conclusion>", "why", "c"),
        ("<think>why</think>{}", "why", None),
        ('Action: Tap the "OK" button.\n{}', None, 'Tap the "OK" button.'),
        ('Action: "Tap OK"\n{}', None, "Tap OK"),
        ("<think>\nwhy\n</think>\n\nAction: Tap OK\n{}", "why", "Tap OK"),
        ("Action：点击确定\n{}", None, "点击确定"),
        ("**Action:** Tap OK\n{}<|im_end|>", None, "Tap OK"),
    ],
)
@pytest.mark.parametrize("adapter", [V10, V15], ids=lambda adapter: adapter.name)
def test_thoughts_and_summaries(adapter, text, thought, summary):
    parsed = read(text.replace("{}", call(action="wait")), adapter)
    assert parsed.action == Wait()
    assert (parsed.thought, parsed.summary) == (thought, summary)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ('Action: x\n<tool_call>\n{"name": "mobile_use", "arguments": {"action": "wait"}}', Wait()),
        ('Action: x\n<tool_call>\n{"name": "mobile_use", "arguments": {"action": "wait"}', Wait()),
        ('Action: x\n<tool_call>\n{"name": "mobile_use", "arguments": "{\\"action\\": \\"wait\\"}"}', Wait()),
        ('Action: x\n{"name": "mobile_use", "arguments": {"action": "wait"}}', Wait()),
        ('Action: x\n```json\n{"action": "wait"}\n```', Wait()),
        ("Action: x\n<tool_call>{'name': 'mobile_use', 'arguments': {'action': 'wait',}}</tool_call>", Wait()),
        ('Action: x\n<tool_call>{"name": "mobile_use", "arguments": {"action": "wait"}}}\n</tool_call>', Wait()),
        ("Action: click(coordinate=[5, 6])", Click(point=Point(5, 6))),
    ],
)
def test_what_is_almost_the_grammar(text, action):
    assert read(text).action == action


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Action: Tap the OK button.", "malformed"),
        ("Action: terminate", "malformed"),
        ("<thinking>" + call(action="wait") + "</thinking>", "malformed"),
        (call(action="swipe", coordinate=[5, 6]), "malformed"),
        (call(action="terminate"), "malformed"),
        (call(action="answer"), "malformed"),
        (call(action="click", coordinate=[1001, 5]), "out_of_range"),
        (call(action="key", text="camera"), "unsupported"),
        (call(action="key", text="clear"), "unsupported"),
        (call(action="left_mouse_down"), "unsupported"),
    ],
)
def test_refusals(text, kind):
    parsed = read(text)
    assert parsed.action is None
    assert parsed.parse_error.kind == kind


def test_the_first_of_several_counts():
    both = "Action: a\n" + call(action="click", coordinate=[1, 2]) + "\nAction: b\n" + call(action="wait")
    parsed = read(both)
    assert (parsed.action, parsed.summary, parsed.extra_actions) == (Click(point=Point(1, 2)), "a", 1)


def test_coordinates():
    assert V10.space() == Absolute(factor=28, min_pixels=3_136, max_pixels=10_035_200)
    assert V10.frame(PHONE).resized == (1092, 2408)
    assert read(call(action="click", coordinate=[546, 1204]), V10, PHONE).action == Click(point=Point(540, 1200))
    assert V10.frame(Size(4000, 6000)).resized == (2576, 3864)
    assert V15.frame(PHONE).resized is None
    assert read(call(action="click", coordinate=[500, 500]), V15, PHONE).action == Click(point=Point(540, 1200))
    assert V15.declaration.processor.factor == 32


def test_rendering():
    square = V10.frame(Size(1008, 1008)).map
    assert V10.render(Wait(seconds=2), square, "why", "I wait.") == (
        "<thinking>\nwhy\n</thinking>\n" + call(action="wait", time=2) + "\n<conclusion>\nI wait.\n</conclusion>"
    )
    assert V10.render(Wait(seconds=2), square) == call(action="wait", time=2)
    assert V15.render(Wait(seconds=2), MAP, None, "Wait.") == "Action: Wait.\n" + call(action="wait", time=2)
    assert V15.render(Wait(seconds=2), MAP, "why", '"Wait."') == (
        "<think>\nwhy\n</think>\nAction: Wait.\n" + call(action="wait", time=2)
    )
    assert V15.render(CallUser(text="x"), MAP) == call(action="interact", text="x")
    with pytest.raises(Inexpressible):
        V10.render(CallUser(text="x"), square)
    for action in (DoubleClick(point=Point(1, 2)), Drag(start=Point(1, 2), end=Point(3, 4)), Finished(text="x")):
        for adapter, map in ((V10, square), (V15, MAP)):
            with pytest.raises(Inexpressible):
                adapter.render(action, map)


@pytest.mark.parametrize("adapter", [V10, V15], ids=lambda adapter: adapter.name)
def test_the_tool_is_json_and_lists_what_the_adapter_says(adapter):
    system, _ = adapter.messages(PromptInput("g", PHONE), PromptSet.load())
    text = system.parts[0].text
    tool = json.loads(text[text.index("<tools>\n") + 8 : text.index("\n</tools>")])
    map = adapter.frame(PHONE).map
    assert ("1092x2408" if adapter is V10 else "1000x1000") in tool["function"]["description"]
    said = set()
    for action in (
        Click(point=Point(5, 6)), LongPress(point=Point(5, 6)), Scroll(direction="up"), Type(text="x"), Wait(),
        Answer(text="x"), OpenApp(app="x"), CallUser(), Finished(), Press(key="back"), Press(key="power"),
    ):  # fmt: skip
        try:
            said.add(json.loads(adapter.render(action, map).splitlines()[1])["arguments"]["action"])
        except Inexpressible:
            continue
    assert said == set(tool["function"]["parameters"]["properties"]["action"]["enum"])


def test_the_history_of_1_0_is_its_conclusions():
    raw = "<thinking>\nwhy\n</thinking>\n" + call(action="wait") + "\n<conclusion>\nI waited\nlong.\n</conclusion>"
    turns = [
        Turn(raw=raw, action=Wait(), has_screenshot=True),
        Turn(raw=call(action="type", text="你好"), action=Type(text="你好")),
        Turn(raw="no\nidea", parse_error=ParseError(kind="malformed", message="nothing")),
        Turn(summary="told", action=Wait()),
    ]
    _, user = V10.messages(PromptInput("buy milk", PHONE, turns), PromptSet.load())
    text, image = user.parts
    assert image == ImagePart(CURRENT)
    assert "buy milk" in text.text
    (line,) = (line for line in text.text.splitlines() if "Step " in line)
    assert line.strip().removesuffix(";").partition("Step ")[2].split("; Step ") == [
        "1: I waited long.",
        '2: {"action": "type", "text": "你好"}',
        "3: no idea",
        "4: told",
    ]


def conversation(turns, limit=None):
    system, *chat = V15.with_history(limit).messages(PromptInput("buy milk", PHONE, turns), PromptSet.load())
    assert system.role == "system"
    opening, *parts = chat[0].parts
    assert "Instruction: buy milk" in opening.text
    lines = opening.text.partition("Previous actions:\n")[2].splitlines()
    return lines, [(chat[0].role, *parts), *((message.role, *message.parts) for message in chat[1:])]


def done(number, **facts):
    raw = f"Action: Do {number}.\n{call(action='wait')}"
    return Turn(raw=raw, action=Wait(), summary=f"Do {number}.", has_screenshot=True, **facts)


def test_the_first_step_of_1_5():
    assert conversation([]) == (["None yet."], [("user", ImagePart(CURRENT))])


def test_recent_steps_of_1_5_are_turns_and_older_ones_lines():
    turns = [done(number) for number in range(1, 7)]
    lines, chat = conversation(turns)
    assert lines == ["Step 1: Do 1.", "Step 2: Do 2."]
    expected = []
    for index in range(2, 6):
        expected += [("user", ImagePart(index)), ("assistant", TextPart(turns[index].raw))]
    assert chat == [*expected, ("user", ImagePart(CURRENT))]
    lines, chat = conversation(turns[:4])
    assert lines == ["None yet."]
    assert chat[0] == ("user", ImagePart(0))
    assert len(chat) == 9


def test_a_limited_history_of_1_5():
    turns = [done(number) for number in range(1, 8)]
    lines, chat = conversation(turns, limit=5)
    assert lines == ["Step 3: Do 3."]
    assert chat[0] == ("user", ImagePart(3))
    lines, chat = conversation(turns, limit=2)
    assert lines == ["None yet."]
    assert chat[0] == ("user", ImagePart(5))
    assert conversation(turns, limit=0) == (["None yet."], [("user", ImagePart(CURRENT))])


def test_steps_of_1_5_without_screenshots_are_lines_as_far_as_that_keeps_the_order():
    blind = Turn(raw="Action: Look.\n" + call(action="wait"), action=Wait())
    lines, chat = conversation([blind, done(2), blind, done(4)])
    assert lines == ["Step 1: Look."]
    assert [part for _, part in chat] == [
        ImagePart(1),
        TextPart(done(2).raw),
        TextPart(blind.raw),
        ImagePart(3),
        TextPart(done(4).raw),
        ImagePart(CURRENT),
    ]
    lines, chat = conversation([blind, blind])
    assert lines == ["Step 1: Look.", "Step 2: Look."]
    assert chat == [("user", ImagePart(CURRENT))]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("mPLUG/GUI-Owl-7B", "gui-owl-1.0"),
        ("mPLUG/GUI-Owl-32B", "gui-owl-1.0"),
        ("mPLUG/GUI-Owl-1.5-2B-Instruct", "gui-owl-1.5"),
        ("mPLUG/GUI-Owl-1.5-32B-Think", "gui-owl-1.5"),
        ("/models/gui_owl_1.5_8b", "gui-owl-1.5"),
    ],
)
def test_models(model, name):
    assert adapter_for_model(model).name == name


def test_desktop_models_are_not_taken_for_phones():
    with pytest.raises(UnknownName):
        adapter_for_model("mPLUG/GUI-Owl-7B-Desktop-RL")
