"""AgentCPM-GUI: replies as it writes them, well and badly, and the messages it is asked with."""

from __future__ import annotations

import json

import pytest

from agent_server.actions import CallUser, Click, Finished, LongPress, Press, Scroll, Type, Wait
from agent_server.adapters import CURRENT, ImagePart, PromptInput, PromptSet, TextPart, Turn, adapter_named
from agent_server.errors import Inexpressible
from agent_server.geometry import Point, Size

ADAPTER = adapter_named("agentcpm-gui")
SQUARE = Size(1000, 1000)
PHONE = Size(1080, 2400)
TAP = Click(point=Point(1, 2))


def read(text: str, size: Size = SQUARE):
    return ADAPTER.parse(text, ADAPTER.frame(size).map)


@pytest.mark.parametrize(
    ("entries", "action"),
    [
        ('"POINT":[1,2]', TAP),
        ('"POINT":[1,2],"duration":200', TAP),
        ('"POINT":[1,2],"duration":0', TAP),
        ('"POINT":[1,2],"STATUS":"continue"', TAP),
        ('"POINT":[1,2],"STATUS":"start"', TAP),
        ('"POINT":"1,2"', TAP),
        ('"POINT":"[1, 2]"', TAP),
        ('"POINT":["1","2"]', TAP),
        ('"POINT":[[1,2]]', TAP),
        ('"POINT":{"x":1,"y":2}', TAP),
        ('"POINT":[0,0,2,4]', TAP),
        ('"POINT":[1,2],"to":null,"PRESS":null,"TYPE":null', TAP),
        ('"POINT":[1,2],"reason":"it is there"', TAP),
        ('"POINT":[1,2],"duration":201', LongPress(point=Point(1, 2), duration_ms=201)),
        ('"POINT":[1,2],"duration":"1000"', LongPress(point=Point(1, 2), duration_ms=1000)),
        ('"POINT":[1,2],"duration":"1000 ms"', LongPress(point=Point(1, 2), duration_ms=1000)),
        ('"POINT":[1,2],"duration":1e9', LongPress(point=Point(1, 2), duration_ms=60_000)),
        ('"POINT":[5,9],"to":"up"', Scroll(direction="down", start=Point(5, 9))),
        ('"POINT":[5,9],"to":"Left"', Scroll(direction="right", start=Point(5, 9))),
        ('"POINT":[5,9],"to":"up","duration":800', Scroll(direction="down", start=Point(5, 9))),
        ('"POINT":[5,9],"to":[5,2]', Scroll(direction="down", start=Point(5, 9), end=Point(5, 2))),
        ('"POINT":[5,9],"to":"[5,2]"', Scroll(direction="down", start=Point(5, 9), end=Point(5, 2))),
        ('"PRESS":"HOME"', Press(key="home")),
        ('"PRESS":"BACK"', Press(key="back")),
        ('"PRESS":"ENTER"', Press(key="enter")),
        ('"PRESS":"back"', Press(key="back")),
        ('"PRESS":"APPSELECT"', Press(key="recents")),
        ('"TYPE":"hello"', Type(text="hello")),
        ('"TYPE":""', Type(text="")),
        ('"TYPE":42', Type(text="42")),
        ('"duration":500', Wait(seconds=0.5)),
        ('"duration":3000,"STATUS":"continue"', Wait(seconds=3)),
        ('"STATUS":"finish"', Finished()),
        ('"STATUS":"finish","duration":200', Finished()),
        ('"STATUS":"Finish"', Finished()),
        ('"STATUS":"satisfied"', Finished()),
        ('"STATUS":"impossible"', Finished(status="infeasible")),
        ('"STATUS":"interrupt"', Finished(status="infeasible")),
        ('"STATUS":"need_feedback"', CallUser()),
    ],
)
def test_actions(entries, action):
    for text in (f'{{"thought":"why",{entries}}}', f'{{{entries},"thought":"why"}}'):
        whole = read(text)
        assert (whole.action, whole.thought, whole.extra_actions) == (action, "why", 0)


@pytest.mark.parametrize(
    "text",
    [
        '{"POINT":[1,2]}',
        '{ "POINT" : [ 1 , 2 ] }',
        '{\n  "thought": "t",\n  "POINT": [1, 2]\n}',
        "{'thought': 'it\\'s', 'POINT': [1, 2]}",
        "{'thought': 'it's here', 'POINT': [1, 2]}",
        '{"thought":"tap "OK" now","POINT":[1,2]}',
        '{"thought":"a\nb","POINT":[1,2]}',
        '{"thought":"t","POINT":[1,2]',
        '{"thought":"t","POINT":[1,2',
        '{“thought”：“点”，“POINT”：[1，2]}',
        '```json\n{"POINT":[1,2]}\n```',
        '[{"POINT":[1,2]}]',
        'I will tap it: {"POINT":[1,2]}',
        '<think>maybe {"PRESS":"HOME"}</think>{"POINT":[1,2]}',
        '{"thought":"</think> {\\"PRESS\\":\\"HOME\\"}","POINT":[1,2]}',
        '{"thought":"first I look"}\n{"POINT":[1,2]}',
        '{"name":"act","arguments":{"POINT":[1,2]}}',
        '{"thought":"t","ACTION":{"POINT":[1,2]},"ARGS":{"duration":200},"STATUS":"continue"}',
        '{"point":[1,2],"status":"continue"}',
        '{"POINT":[1,2],}<|im_end|>',
    ],
)  # fmt: skip
def test_wrappings(text):
    parsed = read(text)
    assert (parsed.action, parsed.extra_actions) == (TAP, 0)


def test_what_is_thought_stands_in_the_object_or_in_front_of_it():
    assert read('I look.\n```json\n{"POINT":[1,2]}\n```').thought == "I look."
    assert read('```json\n{"POINT":[1,2]}```').thought is None
    assert read('{"thought":"one"}{"thought":"two","POINT":[1,2]}').thought == "one"
    assert read('{"thought":"\\ud800","POINT":[1,2]}').thought == "\ufffd"


def test_an_action_comes_before_the_end_that_it_reports():
    parsed = read('{"POINT":[1,2],"STATUS":"finish"}')
    assert (parsed.action, parsed.extra_actions) == (TAP, 1)
    parsed = read('{"PRESS":"HOME"}\n{"STATUS":"finish"}')
    assert (parsed.action, parsed.extra_actions) == (Press(key="home"), 1)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The task is finished.", "malformed"),
        ('"STATUS":"finish"', "malformed"),
        ('{"thought":"finish"}', "malformed"),
        ('<think>{"STATUS":"finish"} would be wrong</think>', "malformed"),
        ('{"STATUS":"continue"}', "malformed"),
        ('{"STATUS":"done"}', "malformed"),
        ('{"STATUS":null}', "malformed"),
        ('{"POINT":[]}', "malformed"),
        ('{"POINT":[1]}', "malformed"),
        ('{"POINT":"the button"}', "malformed"),
        ('{"POINT":[1,2],"to":"invalid_direction"}', "malformed"),
        ('{"POINT":[1,2],"to":[1,2]}', "malformed"),
        ('{"POINT":[1,2],"duration":"long"}', "malformed"),
        ('{"POINT":[1,2],"duration":-5}', "malformed"),
        ('{"POINT":[1,2],"duration":NaN}', "malformed"),
        ('{"duration":true}', "malformed"),
        ('{"to":"up"}', "malformed"),
        ('{"POINT":[1,2],"TYPE":"x"}', "malformed"),
        ('{"PRESS":"BACK","TYPE":"x"}', "malformed"),
        ('{"PRESS":"BACK","CLEAR":null}', "malformed"),
        ('{"TYPE":["a"]}', "malformed"),
        ('{"action":"finish"}', "malformed"),
        ('{"type":"click"}', "malformed"),
        ('{"CLEAR":null}', "unsupported"),
        ('{"DEEP_LINK":null}', "unsupported"),
        ('{"PRESS":"CAMERA"}', "unsupported"),
        ('{"POINT":[540,1200]}', "out_of_range"),
        ('{"POINT":[-1,2]}', "out_of_range"),
        ('{"POINT":[0.5,0.5]}', "out_of_range"),
        ('{"POINT":[5,5],"to":[5,1200]}', "out_of_range"),
    ],
)
def test_what_cannot_be_read_is_never_done(text, kind):
    parsed = read(text)
    assert parsed.action is None
    assert parsed.parse_error.kind == kind


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Click(point=Point(5, 6)), '{"thought":"why","POINT":[5,6]}'),
        (LongPress(point=Point(5, 6)), '{"thought":"why","POINT":[5,6],"duration":1000}'),
        (LongPress(point=Point(5, 6), duration_ms=50), '{"thought":"why","POINT":[5,6],"duration":201}'),
        (Scroll(direction="down"), '{"thought":"why","POINT":[500,500],"to":"up"}'),
        (
            Scroll(direction="down", start=Point(5, 9), end=Point(5, 2)),
            '{"thought":"why","POINT":[5,9],"to":[5,2]}',
        ),
        (Type(text='"你好"\n'), '{"thought":"why","TYPE":"\\"你好\\"\\n"}'),
        (Wait(seconds=1.5), '{"thought":"why","duration":1500}'),
        (Finished(status="infeasible"), '{"thought":"why","STATUS":"impossible"}'),
    ],
)
def test_rendering(action, text):
    assert ADAPTER.render(action, ADAPTER.frame(SQUARE).map, "why", "then") == text


@pytest.mark.parametrize("action", [Finished(text="7:30"), CallUser(text="help"), Press(key="menu")])
def test_words_that_it_lacks(action):
    with pytest.raises(Inexpressible):
        ADAPTER.render(action, ADAPTER.frame(SQUARE).map)


@pytest.mark.parametrize(
    ("size", "sent"),
    [
        (PHONE, Size(504, 1120)),
        (Size(2400, 1080), Size(1120, 504)),
        (Size(1080, 1120), None),
        (Size(1121, 1121), Size(1120, 1120)),
        (Size(20, 3999), Size(5, 1120)),
        (Size(4000, 1), Size(1120, 1)),
    ],
)
def test_the_longer_side_is_brought_to_1120_and_coordinates_are_those_of_the_screen(size, sent):
    frame = ADAPTER.frame(size)
    assert frame.resized == sent
    assert frame.map.to_device(1000, 1000) == Point(size.width - 1, size.height - 1)


def test_no_earlier_step_is_told():
    turns = [Turn(raw='{"POINT":[1,2]}', action=TAP, has_screenshot=True)]
    system, user = ADAPTER.messages(PromptInput("买牛奶", PHONE, turns), PromptSet.load())
    schema = json.loads(system.parts[0].text.splitlines()[-1])
    assert schema["additionalProperties"] is False
    text, image = user.parts
    assert image == ImagePart(CURRENT)
    assert isinstance(text, TextPart)
    assert text.text.startswith("<Question>买牛奶</Question>")
    assert "POINT" not in text.text
    told = ADAPTER.with_history(None).messages(PromptInput("买牛奶", PHONE, turns), PromptSet.load())
    assert '1. {"POINT":[1,2]}' in told[1].parts[0].text
