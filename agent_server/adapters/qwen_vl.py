"""Qwen2.5-VL and Qwen3-VL with the `mobile_use` tool: `<tool_call>{"name": …, "arguments": {…}}</tool_call>`.

2.5 counts pixels of the resized image, whose size its tool description must state; 3 counts to 999 and writes Thought
and Action lines before the call. A scroll is a `swipe` of the finger. Earlier steps are told as a line of progress.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import assert_never

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
from agent_server.adapters.adapter import (
    CURRENT,
    Absolute,
    Adapter,
    Declaration,
    ImagePart,
    Message,
    PromptInput,
    Relative,
    TextPart,
    Turn,
)
from agent_server.adapters.any_syntax import ACTION_LINE, CALL_LINE, OBJECT_LINE, bare_reader, reader
from agent_server.adapters.arguments import TEXT, Arguments
from agent_server.adapters.history import first_told, map_of, one_line
from agent_server.adapters.phone_verbs import VERBS, phone_action, said_path
from agent_server.adapters.reply import Reply, Unreadable, Value, well_formed
from agent_server.adapters.thoughts import defused, marker, outline, sections, thinking, without_special_tokens
from agent_server.adapters.tool_call import resolved, write_tool_call
from agent_server.errors import Inexpressible
from agent_server.geometry import CoordinateMap, Point
from agent_server.prompts import PromptSet

_VERBS = VERBS | {"answer", "terminate", "mobileuse"}
_TAGGED = marker(r"<tool_call>", r"(?=<function[=\s])")
_UNTAGGED = marker(ACTION_LINE, OBJECT_LINE, CALL_LINE)
_HEADS = re.compile(r"^[ \t*#]*+(thought|action|observation)[ \t*]*+[:：][ \t*]*+", re.IGNORECASE | re.MULTILINE)
_CONCLUSION = re.compile(r"<conclusion>([^<]*+)", re.IGNORECASE)
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
_SUCCESS = {"success", "succeeded", "successful", "complete", "completed"}
_FAILURE = {"failure", "fail", "failed", "infeasible", "impossible"}


@dataclass(frozen=True)
class QwenVl(Adapter):
    """What both versions share."""

    def split(self, text: str) -> Reply:
        found = outline(text, _TAGGED, reader(_VERBS)) or outline(text, _UNTAGGED, bare_reader(_VERBS))
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
                return self._end(arguments)
            case _:
                return phone_action(arguments)

    def _end(self, arguments: Arguments) -> Finished:
        status = str(arguments.value("status") or "").strip().lower()
        text = arguments.optional_text(*TEXT) or ""
        if status in _SUCCESS:
            return Finished(text=text)
        if status in _FAILURE:
            return Finished(status="infeasible", text=text)
        raise Unreadable(f"terminate needs the status success or failure and has {status[:40]!r}")

    def render(self, action: Action, map: CoordinateMap, thought: str | None = None, summary: str | None = None) -> str:
        """A scroll becomes a swipe whose open ends `phone_verbs.finger_path` fills; a hold without a time says 1 s."""
        call = write_tool_call(self._arguments(action, map))
        return "\n".join([*self._preface(defused(thought or "", _HEADS), defused(summary or "", _HEADS)), call])

    def _preface(self, thought: str, summary: str) -> list[str]:
        """What stands before the call."""
        return [thought] if thought else []

    def _arguments(self, action: Action, map: CoordinateMap) -> dict[str, Value]:
        match action:
            case Click():
                return {"action": "click", "coordinate": _point(action.point, map)}
            case LongPress():
                seconds = (action.duration_ms or 1000) / 1000
                return {"action": "long_press", "coordinate": _point(action.point, map), "time": _number(seconds)}
            case Scroll():
                start, end = said_path(action, map)
                return {"action": "swipe", "coordinate": _point(start, map), "coordinate2": _point(end, map)}
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
            case Finished() if not action.text:
                return {"action": "terminate", "status": "success" if action.status == "success" else "failure"}
            case DoubleClick() | Drag() | CallUser() | Finished():
                raise Inexpressible(f"{self.name} has no words for {action!r}")
            case _:
                assert_never(action)

    def _key(self, action: Press) -> dict[str, Value]:
        raise Inexpressible(f"{self.name} has no words for {action!r}")

    def _open(self, action: OpenApp) -> dict[str, Value]:
        raise Inexpressible(f"{self.name} has no words for {action!r}")

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
        first = first_told(prompt.turns, self.declaration.history_limit)
        steps = [self._step(turn, prompt) for turn in prompt.turns[first:]]
        system = self.filled(f"{self.name}.system", prompt, templates)
        user = self.filled(f"{self.name}.user", prompt, templates, steps, first)
        return [
            Message("system", (TextPart(system),)),
            Message("user", (TextPart(user), ImagePart(CURRENT))),
        ]


QWEN_2_5_VL = Declaration(
    name="qwen2.5-vl",
    description="Qwen2.5-VL Instruct, every size, with the mobile_use tool",
    model_patterns=(r"qwen[-_]?2[._]?5[-_]?vl",),
    space=Absolute(factor=28, min_pixels=3_136, max_pixels=12_845_056),
    images=1,
    history="text",
    history_detail="one clause for every earlier step: its summary or its call",
    message_order="system with the tool; user: text, image",
    sampling={"temperature": 0.0, "max_tokens": 2048},
    scroll="finger-path",
    ends=("finished",),
    answer_in="answer",
    inexpressible=("double_click", "drag", "call_user", "finished with a text"),
)


@dataclass(frozen=True)
class Qwen25Vl(QwenVl):
    """Qwen2.5-VL."""

    declaration: Declaration = QWEN_2_5_VL

    def _key(self, action: Press) -> dict[str, Value]:
        return {"action": "key", "text": _KEYS[action.key]}

    def _open(self, action: OpenApp) -> dict[str, Value]:
        return {"action": "open", "text": action.app}


QWEN_3_VL = Declaration(
    name="qwen3-vl",
    description="Qwen3-VL Instruct, every size, with the mobile_use tool",
    model_patterns=(r"qwen[-_]?3[-_]?vl",),
    space=Relative(999),
    images=1,
    history="text",
    history_detail="one clause for every earlier step: its summary or its call",
    message_order="system with the tool; user: text, image",
    sampling={"temperature": 0.0, "max_tokens": 2048},
    scroll="finger-path",
    ends=("finished",),
    answer_in="answer",
    inexpressible=(
        "double_click", "drag", "open_app", "press of other keys than back, home, menu, enter", "call_user",
        "finished with a text",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Qwen3Vl(QwenVl):
    """Qwen3-VL."""

    declaration: Declaration = QWEN_3_VL

    def _preface(self, thought: str, summary: str) -> list[str]:
        lines = [f"Thought: {thought}"] if thought else []
        return [*lines, f'Action: "{summary}"'] if summary else lines


def _lines(text: str) -> tuple[str, str]:
    """Thought and summary from the lines before a call; without a Thought: or Action: it is all thought."""
    parts = sections(text, _HEADS)
    summary = parts.get("action", "")
    if len(summary) > 1 and summary[0] == summary[-1] == '"':
        summary = summary[1:-1].strip()
    return parts.get("thought") or parts[""], summary


def _point(point: Point, map: CoordinateMap) -> list[Value]:
    x, y = map.to_model(point)
    return [round(x), round(y)]


def _number(seconds: float) -> int | float:
    return int(seconds) if float(seconds).is_integer() else seconds
