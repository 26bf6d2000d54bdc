"""Any vision model: tool calls and JSON as such models write them, well and badly, and what they are asked with."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from agent_server.actions import (
    ACTION_TYPES,
    Action,
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
    action_from_json,
    action_to_json,
)
from agent_server.adapters import (
    CURRENT,
    ImagePart,
    PromptInput,
    PromptSet,
    Turn,
    adapter_for_model,
    adapter_named,
)
from agent_server.backend import ChatBackend
from agent_server.geometry import Point, Size
from agent_server.images import check_image
from agent_server.model_policy import ModelPolicy
from agent_server.policy import Observation
from agent_server.schemas import ActResponse, ParseError, Sampling
from agent_server.scripted import ScriptedReply

TOOLS, JSON = adapter_named("openai"), adapter_named("openai-json")
BOTH = pytest.mark.parametrize("adapter", [TOOLS, JSON], ids=lambda adapter: adapter.name)
PHONE = Size(1080, 2400)
SQUARE = Size(1000, 1000)
MAP = TOOLS.frame(SQUARE).map
PLACE, OTHER = Point(500, 600), Point(500, 100)
EVERY: list[Action] = [
    Click(point=PLACE),
    DoubleClick(point=PLACE),
    LongPress(point=PLACE),
    LongPress(point=PLACE, duration_ms=1500),
    Drag(start=PLACE, end=OTHER),
    Scroll(direction="up"),
    Scroll(direction="down", start=PLACE),
    Scroll(direction="down", start=PLACE, end=OTHER),
    Type(text='say "hi"\n'),
    Press(key="volume_up"),
    OpenApp(app="设置"),
    Wait(seconds=2.5),
    Answer(text="7:30"),
    CallUser(text="Which one?"),
    Finished(text="done"),
    Finished(status="infeasible"),
]


def read(text, adapter=TOOLS, size=SQUARE):
    """On a screen of 1000x1000, units are pixels."""
    return adapter.parse(text, adapter.frame(size).map)


def call(name, /, **arguments):
    return "<tool_call>\n" + json.dumps({"name": name, "arguments": arguments}) + "\n</tool_call>"


@BOTH
@pytest.mark.parametrize("action", EVERY, ids=action_to_json)
def test_everything_can_be_said_and_is_read_by_both(adapter, action):
    written = adapter.render(action, MAP, "why", "dropped")
    for reader in (TOOLS, JSON):
        parsed = read(written, reader)
        assert (parsed.action, parsed.thought, parsed.summary) == (action, "why", None)
    assert read(adapter.render(action, MAP), adapter).thought is None


@BOTH
@pytest.mark.parametrize("action", EVERY, ids=action_to_json)
def test_the_action_as_this_service_writes_it_is_read_too(adapter, action):
    assert action == action_from_json(action_to_json(action))
    assert read(action_to_json(action), adapter).action == action


@BOTH
@pytest.mark.parametrize(
    "text",
    [
        call("click", thought="why", point=[500, 600]),
        call("click", point=[500, 600], thought="why"),
        call("functions.click", thought="why", point=[500, 600]),
        call("functions.click:0", thought="why", point=[500, 600]),
        call("tap", thought="why", point=[500, 600]),
        call("click", thought="why", point="[500, 600]"),
        call("click", thought="why", point=["500", "600"]),
        call("click", thought="why", point=[500.2, 599.8]),
        call("click", thought="why", point=[[500, 600]]),
        call("click", thought="why", point=[490, 590, 510, 610]),
        call("click", thought="why", point={"x": 500, "y": 600}),
        call("click", thought="why", x=500, y=600),
        call("click", reasoning="why", coordinate=[500, 600]),
        "why\n" + call("click", point=[500, 600]),
        "<think>why</think>" + call("click", point=[500, 600]),
        '<tool_call>{"name": "click", "arguments": "{\\"thought\\": \\"why\\", \\"point\\": [500, 600]}"}</tool_call>',
        '<tool_call>{"name": "click", "arguments": {"thought": "why", "point": [500, 600]}',
        "<tool_call>{'name': 'click', 'arguments': {'thought': 'why', 'point': (500, 600)}}</tool_call>",
        "<tool_call><function=click><parameter=thought>why</parameter><parameter=point>[500, 600]</parameter>",
        '{"thought": "why", "action": {"type": "click", "point": [500, 600]}}',
        '{"thought": "why", "action": {"name": "click", "arguments": {"point": [500, 600]}}}',
        '{"thought": "why", "action": {"action": "click", "point": [500, 600]}}',
        '{"thought": "why", "action": "click", "point": [500, 600]}',
        '{"thought": "why", "type": "click", "point": [500, 600]}',
        '{"reasoning": "why", "name": "click", "arguments": {"point": [500, 600]}}',
        '{"thought": "why", "action": {"type": "click", "point": [500, 600]',
        "{'thought': 'why', 'action': {'type': 'click', 'point': [500, 600],},}",
        "{“thought”： “why”， “action”： {“type”： “click”， “point”： [500， 600]}}",
        '```json\n{"thought": "why", "action": {"type": "click", "point": [500, 600]}}\n```',
        'why\n```json\n{"type": "click", "point": [500, 600]}\n```',
        '<|begin_of_box|>{"thought": "why", "action": {"type": "click", "point": [500, 600]}}<|end_of_box|>',
        '<think>why</think><answer><|begin_of_box|>{"type": "click", "point": [500, 600]}<|end_of_box|></answer>',
        'why {"action": {"type": "click", "point": [500, 600]}}',
        '{"tool_calls": [{"function": {"name": "click",'
        ' "arguments": "{\\"thought\\": \\"why\\", \\"point\\": [500, 600]}"}}]}',
        '{"tool_calls": [{"name": "click", "arguments": {"thought": "why", "point": [500, 600]}}]}',
        '{"function_call": {"name": "click", "arguments": {"thought": "why", "point": [500, 600]}}}',
        '{"name": "click", "input": {"thought": "why", "point": [500, 600]}}',
        '{"type": "tool_use", "id": "t1", "name": "click", "input": {"thought": "why", "point": [500, 600]}}',
        '{"function": "click", "parameters": {"thought": "why", "point": [500, 600]}}',
        '{"click": {"thought": "why", "point": [500, 600]}}',
        '{"thought": "why", "click": {"point": [500, 600]}}',
        '{"thought": "why", "action": {"click": {"point": [500, 600]}}}',
        "why\nclick(point=[500, 600])",
        "why\nAction: click(500, 600)",
    ],
)
def test_a_click_however_it_is_written(adapter, text):
    parsed = read(text, adapter)
    assert parsed.action == Click(point=PLACE)
    assert parsed.thought == "why"
    assert parsed.extra_actions == 0


@pytest.mark.parametrize(
    ("text", "action"),
    [
        (call("scroll", direction="down", start=None, end=None), Scroll(direction="down")),
        (call("scroll", direction="down", start=[500, 600]), Scroll(direction="down", start=PLACE)),
        (
            call("scroll", direction="up", start=[500, 600], end=[500, 100]),
            Scroll(direction="down", start=PLACE, end=OTHER),
        ),
        (call("swipe", direction="up"), Scroll(direction="down")),
        (call("long_press", point=[500, 600], duration_ms=None), LongPress(point=PLACE)),
        (call("press", key="back"), Press(key="back")),
        (call("press", key="Enter"), Press(key="enter")),
        (call("wait", seconds="2"), Wait(seconds=2)),
        (call("wait"), Wait(seconds=1)),
        (call("open_app", app="Clock"), OpenApp(app="Clock")),
        (call("type", text="a\n"), Type(text="a\n")),
        (call("type", text="</tool_call>{}"), Type(text="</tool_call>{}")),
        (call("ask_user", text="which?"), CallUser(text="which?")),
        (call("call_user"), CallUser()),
        (call("finished", status="success", text=None), Finished()),
        (call("finished"), Finished()),
        (call("finish", status="failed", text="no such app"), Finished(status="infeasible", text="no such app")),
        ('{"thought": "I see "Clock", tap it", "action": {"type": "open_app", "app": "Clock"}}', OpenApp(app="Clock")),
        ('[{"type": "wait", "seconds": 1}]', Wait(seconds=1)),
    ],
)
def test_actions(text, action):
    parsed = read(text)
    assert parsed.action == action
    assert parsed.extra_actions == 0


@BOTH
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The task is finished.", "malformed"),
        ("I cannot help with that.", "malformed"),
        ("Click the OK button at (500, 600).", "malformed"),
        ('{"thought": "why"}', "malformed"),
        ('{"thought": "why", "action": null}', "malformed"),
        ('{"thought": "cut off in the mid', "malformed"),
        ('{"thought": "why", "action": {"point": [500, 600]}}', "malformed"),
        ('{"type": "text", "text": "OK"}', "malformed"),
        ('<think>{"type": "wait"}</think>', "malformed"),
        ("<tool_call>\n</tool_call>", "malformed"),
        ('{"tool_calls": []}', "malformed"),
        ('{"tool_calls": ["click"]}', "malformed"),
        ('{"click": {"point": [5, 5]}, "wait": {}}', "malformed"),
        ('{"click": {}}', "malformed"),
        ('{"tool_calls": [{"name": "finished_maybe", "arguments": {}}]}', "unsupported"),
        (call("click"), "malformed"),
        (call("click", point=[500]), "malformed"),
        (call("drag", start=[1, 2]), "malformed"),
        (call("scroll"), "malformed"),
        (call("type"), "malformed"),
        (call("answer"), "malformed"),
        (call("finished", status="maybe"), "malformed"),
        (call("click", point=[540, 1200]), "out_of_range"),
        (call("click", point=[0.5, 0.25]), "out_of_range"),
        (call("press", key="camera"), "unsupported"),
        (call("hover", point=[5, 5]), "unsupported"),
        (call("web_search", query="weather"), "unsupported"),
    ],
)
def test_refusals(adapter, text, kind):
    parsed = read(text, adapter)
    assert parsed.action is None
    assert parsed.parse_error.kind == kind


def test_the_first_of_several_counts():
    both = call("press", key="back") + "\n" + call("wait", seconds=1)
    assert (read(both).action, read(both).extra_actions) == (Press(key="back"), 1)
    listed = '[{"type": "press", "key": "back"}, {"type": "wait", "seconds": 1}]'
    assert (read(listed, JSON).action, read(listed, JSON).extra_actions) == (Press(key="back"), 1)
    message = '{"tool_calls": [{"name": "press", "input": {"key": "back"}}, {"name": "wait", "input": {"seconds": 1}}]}'
    assert (read(message).action, read(message).extra_actions) == (Press(key="back"), 1)


def test_rendering():
    assert TOOLS.render(Click(point=PLACE), MAP, "why") == call("click", thought="why", point=[500, 600])
    assert JSON.render(Click(point=PLACE), MAP, "why") == (
        '{"thought": "why", "action": {"type": "click", "point": [500, 600]}}'
    )
    phone = TOOLS.frame(PHONE).map
    assert TOOLS.render(Click(point=Point(540, 1200)), phone) == call("click", point=[500, 500])
    against = Scroll(direction="up", start=PLACE, end=OTHER)
    assert TOOLS.render(against, MAP) == call("scroll", direction="down", start=[500, 600], end=[500, 100])
    tiny = TOOLS.frame(Size(4000, 4000)).map
    short = Scroll(direction="up", start=Point(4, 4), end=Point(5, 4))
    assert TOOLS.render(short, tiny) == call("scroll", direction="up", start=[1, 1])


def described(schema: dict[str, Any], value: object) -> bool:
    """Whether a value is what a schema of the few kinds that occur here describes."""
    if "anyOf" in schema:
        return any(described(choice, value) for choice in schema["anyOf"])
    match schema["type"]:
        case "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
            fields = schema["properties"]
            return (
                isinstance(value, dict)
                and value.keys() <= fields.keys()
                and all(described(field, value.get(name)) for name, field in fields.items())
            )
        case "array":
            fits = isinstance(value, list) and schema["minItems"] <= len(value) <= schema["maxItems"]
            return fits and all(described(schema["items"], item) for item in value)
        case "string":
            return isinstance(value, str) and value in schema.get("enum", [value])
        case "integer" | "number":
            number = isinstance(value, int) or (schema["type"] == "number" and isinstance(value, float))
            return number and schema.get("minimum", value) <= value <= schema.get("maximum", value)
        case "null":
            return value is None
        case kind:
            raise AssertionError(f"a schema of type {kind!r}")


@pytest.mark.parametrize("action", EVERY, ids=action_to_json)
def test_the_schemas_describe_what_is_said(action):
    tools = {
        tool["function"]["name"]: tool["function"] for tool in TOOLS.request_fields(PromptInput("g", PHONE))["tools"]
    }
    assert tools.keys() == ACTION_TYPES.keys()
    said = json.loads(TOOLS.render(action, MAP, "why").splitlines()[1])
    assert described(tools[said["name"]]["parameters"], said["arguments"])
    assert not described(tools[said["name"]]["parameters"], said["arguments"] | {"colour": "red"})
    assert not any(described(tool["parameters"], said) for tool in tools.values())
    reply = JSON.request_fields(PromptInput("g", PHONE))["response_format"]["json_schema"]["schema"]
    assert described(reply, json.loads(JSON.render(action, MAP, "why")))
    assert not described(reply, json.loads(JSON.render(action, MAP)))


@pytest.mark.parametrize("point", [[500, 1001], [-1, 5], [5], [5, 6, 7], "5, 6", [0.5, 0.5]])
def test_a_point_that_the_schemas_refuse(point):
    reply = JSON.request_fields(PromptInput("g", PHONE))["response_format"]["json_schema"]["schema"]
    assert not described(reply, {"thought": "", "action": {"type": "click", "point": point}})


def test_the_json_prompt_names_every_action_and_field():
    system, _ = JSON.messages(PromptInput("g", PHONE), PromptSet.load())
    text = system.parts[0].text
    for kind, model in ACTION_TYPES.items():
        assert f" {kind}" in text
        assert all(field in text for field in model.model_fields)


def conversation(adapter, turns, limit=None, app=None):
    prompt = PromptInput("buy milk", PHONE, turns, app=app)
    system, user = adapter.with_history(limit).messages(prompt, PromptSet.load())
    assert (system.role, user.role) == ("system", "user")
    text, image = user.parts
    assert image == ImagePart(CURRENT)
    return text.text.splitlines()


@BOTH
def test_earlier_steps_are_lines(adapter):
    turns = [
        Turn(raw="…", thought="Milk is\nin Shop.", action=OpenApp(app="Shop"), has_screenshot=True),
        Turn(action=Click(point=Point(540, 1200)), summary="I tapped."),
        Turn(action=Click(point=Point(50, 50)), size=Size(100, 100)),
        Turn(raw="no\nidea<|im_end|>", parse_error=ParseError(kind="malformed", message="there is\nno call")),
        Turn(),
    ]
    lines = conversation(adapter, turns, app="com.example.shop")
    assert lines[0] == "Task: buy milk"
    assert "App in front: com.example.shop" in lines
    steps = [
        '1. Milk is in Shop. -> open_app {"app": "Shop"}',
        '2. I tapped. -> click {"point": [500, 500]}',
        '3. click {"point": [500, 500]}',
        "4. no idea [not carried out: there is no call]",
        "5. nothing",
    ]
    assert lines[lines.index("Your steps so far:") + 1 :][:5] == steps
    limited = conversation(adapter, turns, limit=1)
    assert limited[limited.index("Your steps so far:") + 1] == steps[4]
    assert "Your steps so far:" not in conversation(adapter, turns, limit=0)
    assert "Your steps so far:" not in conversation(adapter, [])
    assert not any(line.startswith("App") for line in conversation(adapter, []))


def test_the_language_of_thoughts():
    system, _ = TOOLS.messages(PromptInput("g", PHONE, language="Chinese"), PromptSet.load())
    assert "in Chinese" in system.parts[0].text


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-5.2", "openai"),
        ("openai/gpt-4o", "openai"),
        ("claude-sonnet-5", "openai"),
        ("google/gemini-3-pro", "openai"),
        ("zai-org/GLM-4.5V", "openai"),
        ("zai-org/GLM-4.1V-9B-Thinking", "openai"),
        ("OpenGVLab/InternVL3_5-38B", "openai"),
        ("moonshotai/Kimi-VL-A3B-Instruct", "openai"),
        ("zai-org/AutoGLM-Phone-9B", "autoglm-phone"),
        ("Qwen/Qwen3-VL-8B-Instruct", "qwen3-vl"),
        ("/home/claude/GUI-Owl-1.5-8B-Instruct", "gui-owl-1.5"),
    ],
)
def test_models_that_no_other_family_takes(model, name):
    assert adapter_for_model(model).name == name


def decide(url: str, adapter: str, screenshot: bytes, **sampling: object) -> ActResponse:
    image = check_image(screenshot)
    observation = Observation("Open Wi-Fi", image.data, image.size, sampling=Sampling.model_validate(sampling))

    async def main() -> ActResponse:
        policy = ModelPolicy("m", adapter_named(adapter), ChatBackend([url], "m"), PromptSet.load())
        try:
            return await policy.act(observation)
        finally:
            await policy.aclose()

    return asyncio.run(main())


@pytest.mark.parametrize("constrained", [None, True])
def test_a_server_that_parses_calls(constrained, scripted, screenshot):
    function = {"name": "click", "arguments": json.dumps({"thought": "why", "point": [500, 500]})}
    message = {"content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]}
    body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}).encode()
    url, server = scripted(ScriptedReply(body=body), model="m")
    answer = decide(url, "openai", screenshot, constrained=constrained)
    assert (answer.action, answer.thought) == (Click(point=Point(540, 1200)), "why")
    assert answer.finish_reason == "tool_calls"
    asked = server.requests[0].body
    assert (asked["tool_choice"], asked["parallel_tool_calls"]) == ("required", False)
    assert all(tool["function"]["strict"] for tool in asked["tools"])
    assert asked.keys() == {"model", "messages", "stream", "n", "tools", "tool_choice", "parallel_tool_calls"}


@pytest.mark.parametrize("constrained", [None, True])
def test_a_server_that_holds_replies_to_a_schema(constrained, scripted, screenshot):
    url, server = scripted('{"thought": "why", "action": {"type": "click", "point": [500, 500]}}', model="m")
    answer = decide(url, "openai-json", screenshot, constrained=constrained, max_tokens=99)
    assert (answer.action, answer.thought) == (Click(point=Point(540, 1200)), "why")
    asked = server.requests[0].body
    assert asked["response_format"]["type"] == "json_schema"
    assert asked["response_format"]["json_schema"]["strict"] is True
    assert asked.keys() == {"model", "messages", "stream", "n", "max_tokens", "response_format"}
