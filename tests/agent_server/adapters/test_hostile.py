"""Text made to hurt: reading takes time in proportion to its length, and no depth of nesting breaks it."""

from __future__ import annotations

import time

import pytest

from agent_server.adapters import ADAPTERS, Adapter
from agent_server.geometry import Size

LENGTH = 200_000
GRAMMARS = ["ui-venus-1.5", "ui-tars-1.0", "qwen3-vl", "autoglm-phone", "agentcpm-gui", "gelab-zero", "openai"]
HEADS = ["", "Action: type(content='", "<action>Click(box=", '<tool_call>{"name":"mobile_use","arguments":{"text":"']
UNITS = [
    "<think>", "</think>", "<think><action>Click(box=(1,2))", "<action>", "<action>f('a</action>", "Action: x\n",
    "\nAction: ", "\nAction: f", "Action: {1,", "f('a') x ", "'a',", "a='", "', a=", "') ", "')\n", "'", "\\'", "[",
    "[ \r\n", '{"a":', "{'a':'b'", "((", "1,", "1", "<tool_call>{'k':'v', ", '<tool_call>{"a":"\\',
    "\n[{<conclusion>", "<function=a><parameter=b>", " ", "\n", "`", "，", "<|", "Click(box=[",
]  # fmt: skip


def seconds_for(adapter: Adapter, text: str) -> float:
    """Processor time of reading one text."""
    map = adapter.frame(Size(1080, 2400)).map
    start = time.process_time()
    read = adapter.parse(text, map)
    took = time.process_time() - start
    assert (read.action is None) != (read.parse_error is None)
    return took


@pytest.mark.parametrize("name", GRAMMARS)
def test_time_grows_with_length_only(name):
    """A tenth of the length in less than two seconds, on any machine: what is quadratic takes longer."""
    adapter = ADAPTERS[name]
    slow = []
    for head in HEADS:
        for unit in UNITS:
            text = head + unit * (LENGTH // 10 // len(unit))
            if all(seconds_for(adapter, text) > 2.0 for _ in range(3)):
                slow.append((head, unit))
    assert slow == []


@pytest.mark.parametrize("name", GRAMMARS)
@pytest.mark.parametrize("unit", ["Action: x\n", "<action>f('a</action>", "'a',", "\n[{<conclusion>", "[ \r\n"])
def test_ten_times_the_length_takes_about_ten_times_as_long(name, unit):
    """200,000 characters take a third of a second; what is quadratic takes a hundred times as long as a tenth."""

    def seconds(length):
        text = "Thought: " + unit * (length // len(unit))
        return min(seconds_for(ADAPTERS[name], text) for _ in range(2))

    assert seconds(LENGTH) < 35 * seconds(LENGTH // 10) + 0.1


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=lambda adapter: adapter.name)
def test_a_reply_beyond_every_context_is_not_read(adapter):
    map = adapter.frame(Size(1080, 2400)).map
    start = time.process_time()
    read = adapter.parse("Finished(content='x')\n" * 3_000_000, map)
    assert time.process_time() - start < 0.3
    assert (read.action, read.parse_error.kind) == (None, "malformed")
    assert "66000000 characters" in read.parse_error.message


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=lambda adapter: adapter.name)
@pytest.mark.parametrize(
    "text",
    [
        "<action>Click(box=" + "(" * 100_000,
        "<action>Click(box=" + "[" * 500 + "1,2" + "]" * 500 + ")</action>",
        "Action: click(start_box=" + "{'a':" * 5_000 + "1" + "}" * 5_000 + ")",
        '<tool_call>{"name": "mobile_use", "arguments": ' + '{"a":' * 500 + "1" + "}" * 502 + "</tool_call>",
        '<tool_call>{"name": "mobile_use", "arguments": {"action": "click", "coordinate": ' + "[" * 100_000,
        '{"action": "click", "coordinate": ' + "[" * 300 + "1, 2" + "]" * 300 + "}",
    ],
    ids=range(6),
)
def test_nesting_without_end_is_malformed(adapter, text):
    read = adapter.parse(text, adapter.frame(Size(1080, 2400)).map)
    assert read.parse_error.kind == "malformed"


@pytest.mark.parametrize("number", ["9" * 5_000, "1e999", "-" + "9" * 400, "NaN", "Infinity", "0x10", "٣"])
@pytest.mark.parametrize(
    "frame",
    [
        ("qwen3-vl", '<tool_call>{{"action": "click", "coordinate": [{0}, 5]}}</tool_call>'),
        ("ui-venus-1.5", "<action>Click(box=({0}, 5))</action>"),
        ("ui-tars-1.0", "Action: click(start_box='({0},5)')"),
    ],
    ids=lambda frame: frame[0],
)
def test_numbers_that_are_none_or_too_big(frame, number):
    name, text = frame
    read = ADAPTERS[name].parse(text.format(number), ADAPTERS[name].frame(Size(1080, 2400)).map)
    assert read.action is None
