"""A reply whose tokens were used up: half a number is no point, half a text is not typed, and what is whole counts."""

from __future__ import annotations

import pytest

from agent_server.actions import Click, Finished, LongPress, OpenApp, Press, Type, Wait
from agent_server.adapters import ADAPTERS
from agent_server.errors import Inexpressible
from agent_server.geometry import Point, Size

SIZE = Size(1080, 2400)
CALL = '<tool_call>\n{"name": "mobile_use", "arguments": {"action": '


@pytest.mark.parametrize(
    ("adapter", "text"),
    [
        ("mai-ui", CALL + '"click", "coordinate": [512, 7'),
        ("qwen2.5-vl", CALL + '"type", "text": "hello wor'),
        ("gui-owl-1.5", CALL + '"answer", "text": "The price is 4'),
        ("autoglm-phone", '<answer>do(action="Tap", element=[512,7'),
        ("autoglm-phone", 'finish(message="no, I coul'),
        ("agentcpm-gui", '{"thought":"x","POINT":[500,7'),
        ("agentcpm-gui", '{"thought":"x","POINT":[500,700],"duration":10'),
        ("gelab-zero", "action:CLICK\tpoint:512,7"),
        ("gelab-zero", "COMPLETE\treturn:The price is 4"),
        ("ui-venus-ground-1.5", "[500, 72"),
        ("ui-venus-1.0", "<action>Type(content='hello wor"),
        ("ui-tars-1.5", "Action: finished(content='The price is 4"),
    ],
)
def test_half_an_action_is_none(adapter, text):
    read = ADAPTERS[adapter].parse_cut(text, ADAPTERS[adapter].frame(SIZE).map)
    assert read.action is None
    assert read.parse_error.kind == "malformed"


@pytest.mark.parametrize(
    "action", [Click(point=Point(500, 700)), LongPress(point=Point(500, 700)), Type(text="a b"), OpenApp(app="Clock"),
               Press(key="back"), Wait(), Finished()],
)  # fmt: skip
@pytest.mark.parametrize("name", ADAPTERS)
def test_a_whole_action_counts_though_what_follows_it_was_cut(name, action):
    adapter = ADAPTERS[name]
    map = adapter.frame(SIZE).map
    try:
        written = adapter.render(action, map, "I think.", "I did it.")
    except Inexpressible:
        return
    read = adapter.parse_cut(written + "\n", map)
    assert read.parse_error is None
    assert read.action == adapter.parse(written, map).action


def test_two_places_are_no_box():
    for name, point in (("ui-venus-ground-1.5", Point(553, 1759)), ("ui-venus-ground-1.0", Point(506, 731))):
        read = ADAPTERS[name].parse("[512,733]\n[100,200]", ADAPTERS[name].frame(SIZE).map)
        assert read.action == Click(point=point)
        assert read.extra_actions == 1


def test_a_finish_that_is_only_thought_of_ends_nothing():
    adapter = ADAPTERS["autoglm-phone"]
    read = adapter.parse('<think>如果做完了就 finish(message="好了")', adapter.frame(SIZE).map)
    assert read.action is None
