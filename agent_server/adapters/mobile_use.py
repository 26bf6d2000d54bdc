"""The `mobile_use` tool, which Qwen-VL and the families trained from it call: one JSON object in `<tool_call>` tags.

`{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [x, y]}}`. Families differ in the verbs, in what
stands around the call, and in how earlier steps are told. Here is what most share: a scroll is a `swipe` of the finger
with start and end, and earlier steps are a line of progress.
"""

from __future__ import annotations

import json
import re
from collections.abc import Set
from dataclasses import dataclass
from typing import ClassVar, assert_never

from agent_server.actions import (
    Action,
    Answer,
    CallUser,
    Click,
    DoubleClick,
    Drag,
    Finished,
    Key,
    LongPress,
    OpenApp,
    Press,
    Scroll,
    Type,
    Wait,
)
from agent_server.adapters.adapter import Adapter, Constraint
from agent_server.adapters.any_syntax import ACTION_LINE, CALL_LINE, OBJECT_LINE, bare_reader, reader
from agent_server.adapters.arguments import TEXT, Arguments
from agent_server.adapters.ending import ended
from agent_server.adapters.history import map_of, one_line, progress
from agent_server.adapters.pattern import PROSE, Form, calls, literal, verbs
from agent_server.adapters.phone_verbs import VERBS, phone_action, said_path
from agent_server.adapters.prompt import Message, PromptInput, Turn
from agent_server.adapters.reply import Reply, Value, well_formed
from agent_server.adapters.thoughts import defused, marker, outline, sections, thinking, without_special_tokens
from agent_server.adapters.tool_call import resolved, write_tool_call
from agent_server.errors import Inexpressible
from agent_server.geometry import CoordinateMap, Point
from agent_server.prompts import PromptSet

_TAGGED = marker(r"<tool_call>", r"(?=<function[=\s])")
_UNTAGGED = marker(ACTION_LINE, OBJECT_LINE, CALL_LINE)
_HEADS = re.compile(r"^[ \t*#]*+(thought|action|observation)[ \t*]*+[:：][ \t*]*+", re.IGNORECASE | re.MULTILINE)
_CONCLUSION = re.compile(r"<conclusion>([^<]*+(?:<(?!/conclusion>)[^<]*+)*+)", re.IGNORECASE)
_BUTTONS: dict[Key, str] = {"back": "Back", "home": "Home", "menu": "Menu", "enter": "Enter"}
_KEYS: dict[Key, str] = {
    "recents": "app_switch",
    "delete": "del",
    "tab": "tab",
    "escape": "escape",
    "power": "power",
    "volume_up": "volume_up",
    "volume_down": "volume_down",
}


@dataclass(frozen=True)
class MobileUse(Adapter):
    """A family that calls `mobile_use`."""

    forms: ClassVar[tuple[Form, ...]] = (
        Form("click", '", "coordinate": [$x, $y]'),
        Form("long_press", '", "coordinate": [$x, $y], "time": $seconds'),
        Form("swipe", '", "coordinate": [$x1, $y1], "coordinate2": [$x2, $y2]'),
        Form("type", '", "text": "$text"'),
        *(Form("system_button", f'", "button": "{button}"') for button in _BUTTONS.values()),
        *(Form("key", f'", "text": "{key}"') for key in _KEYS.values()),
        Form("open", '", "text": "$name"'),
        Form("wait", '", "time": $seconds'),
        Form("answer", '", "text": "$text"'),
        Form("terminate", '", "status": "success"'),
        Form("terminate", '", "status": "failure"'),
    )
    """The arguments of a call, behind `{"action": "`."""
    around: ClassVar[tuple[str, str]] = (f"({PROSE}\n)?", "")
    """Patterns of what stands before and behind the call."""
    asks: ClassVar[Set[str]] = frozenset()
    """The verbs, in lower case without underscores, with which this family turns to the user."""
    compact: ClassVar[bool] = False
    """Whether its JSON is written without spaces."""

    def split(self, text: str) -> Reply:
        known = VERBS | verbs(self.forms) | self.asks | {"mobileuse"}
        found = outline(text, _TAGGED, reader(known)) or outline(text, _UNTAGGED, bare_reader(known))
        if found is None:
            return Reply(thinking(text), problem="there is no <tool_call>")
        thought, summary = _lines(found.before)
        conclusion = _CONCLUSION.search(found.after)
        calls = tuple(map(resolved, found.calls))
        return Reply(thought, conclusion[1].strip() if conclusion else summary, calls, "the tool call names no action")

    def act(self, reply: Reply, map: CoordinateMap) -> Action:
        arguments = Arguments(reply.calls[0], map)
        match arguments.verb:
            case "answer":
                return Answer(text=arguments.text(*TEXT))
            case "terminate":
                return ended(arguments)
            case verb if verb in self.asks:
                return CallUser(text=arguments.optional_text(*TEXT) or "")
            case _:
                return phone_action(arguments)

    def render(self, action: Action, map: CoordinateMap, thought: str | None = None, summary: str | None = None) -> str:
        """A scroll's open ends are filled by `phone_verbs.finger_path`; a hold without a time says 1 s."""
        call = write_tool_call(self._arguments(action, map), compact=self.compact)
        return self._reply(defused(thought or "", _HEADS), defused(summary or "", _HEADS), call)

    def _reply(self, thought: str, summary: str, call: str) -> str:
        """The call with what stands around it; thought and summary may be empty."""
        return f"{thought}\n{call}" if thought else call

    def _arguments(self, action: Action, map: CoordinateMap) -> dict[str, Value]:
        match action:
            case Click():
                return {"action": "click", "coordinate": written(action.point, map)}
            case LongPress():
                seconds = (action.duration_ms or 1000) / 1000
                return {"action": "long_press", "coordinate": written(action.point, map), "time": _number(seconds)}
            case Scroll():
                start, end = said_path(action, map)
                return {"action": "swipe", "coordinate": written(start, map), "coordinate2": written(end, map)}
            case Type():
                return {"action": "type", "text": action.text}
            case Press() if action.key in _BUTTONS:
                return {"action": "system_button", "button": _BUTTONS[action.key]}
            case Press():
                return self._key(action)
            case OpenApp():
                return self._open(action)
            case Wait():
                return {"action": "wait", "time": _number(action.seconds)}
            case Answer():
                return {"action": "answer", "text": action.text}
            case CallUser():
                return self._ask(action)
            case Finished() if not action.text:
                return {"action": "terminate", "status": "success" if action.status == "success" else "failure"}
            case DoubleClick() | Drag() | Finished():
                raise self._inexpressible(action)
            case _:
                assert_never(action)

    def constraint(self, map: CoordinateMap) -> Constraint:
        said = calls([Form(form.verb, self._spaced(form.rest)) for form in self.forms], map)
        head = self._spaced('{"name": "mobile_use", "arguments": {"action": "')
        call = f"<tool_call>\n{literal(head)}{said}{literal('}}')}\n</tool_call>"
        return Constraint("regex", call.join(self.around))

    def _spaced(self, text: str) -> str:
        """JSON with spaces, or without where this family writes none."""
        return text.replace('": ', '":').replace(", ", ",") if self.compact else text

    def _key(self, action: Press) -> dict[str, Value]:
        return {"action": "key", "text": _KEYS[action.key]}

    def _open(self, action: OpenApp) -> dict[str, Value]:
        return {"action": "open", "text": action.app}

    def _ask(self, action: CallUser) -> dict[str, Value]:
        raise self._inexpressible(action)

    def _inexpressible(self, action: Action) -> Inexpressible:
        return Inexpressible(f"{self.name} has no words for {action!r}")

    def _step(self, turn: Turn, prompt: PromptInput) -> str:
        """An earlier step in words: its summary, else the arguments of its call, else the text that was no call."""
        if turn.parse_error and turn.raw:
            return one_line(without_special_tokens(turn.raw))
        reply = self.split(well_formed(turn.raw)) if turn.raw else Reply()
        summary = turn.summary or reply.summary
        if summary:
            return one_line(summary)
        if reply.calls:
            call = {"action": reply.calls[0].name, **reply.calls[0].arguments}
            return well_formed(json.dumps(call, ensure_ascii=False))
        if turn.action is None:
            return one_line(turn.raw or turn.thought or "nothing")
        try:
            return json.dumps(self._arguments(turn.action, map_of(self, turn, prompt)), ensure_ascii=False)
        except Inexpressible:
            return turn.action.model_dump_json(exclude_none=True)

    def messages(self, prompt: PromptInput, templates: PromptSet) -> list[Message]:
        """The tool as system message; the goal, earlier steps in words and the screenshot in one user message."""
        return progress(self, prompt, templates, self._step)


def written(point: Point, map: CoordinateMap) -> list[Value]:
    """A pixel as the tool's coordinate."""
    x, y = map.to_model(point)
    return [round(x), round(y)]


def _lines(text: str) -> tuple[str, str]:
    """Thought and summary from the lines before a call; without a Thought: or Action: it is all thought."""
    parts = sections(text, _HEADS)
    summary = parts.get("action", "")
    if len(summary) > 1 and summary[0] == summary[-1] == '"':
        summary = summary[1:-1].strip()
    return parts.get("thought") or parts[""], summary


def _number(seconds: float) -> int | float:
    return int(seconds) if float(seconds).is_integer() else seconds
