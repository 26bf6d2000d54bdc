"""AgentCPM-GUI (OpenBMB): one compact JSON object, `{"thought":"…","POINT":[x,y]}`, and nothing else.

What is done follows from the keys: POINT is a tap, with a duration above 200 ms a hold, with `to` a movement of the
finger; PRESS, TYPE, or a duration alone. STATUS ends the task, alone or beside an action: then the action comes first.
Coordinates count to 1000; the longer side of a screenshot is brought to 1120 pixels. The model sees no earlier steps.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Mapping
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
from agent_server.adapters.adapter import Adapter, Constraint, Declaration, Relative
from agent_server.adapters.arguments import Arguments, opposite
from agent_server.adapters.history import first_told, one_line, reply_of
from agent_server.adapters.literal import Scanner
from agent_server.adapters.pattern import PROSE, Form, calls
from agent_server.adapters.phone_verbs import phone_action, said_path
from agent_server.adapters.prompt import CURRENT, ImagePart, Message, PromptInput, TextPart
from agent_server.adapters.reply import Call, Reply, Unreadable, Value, well_formed
from agent_server.adapters.thoughts import marker, outline, thinking
from agent_server.adapters.tool_call import read_object
from agent_server.errors import Inexpressible
from agent_server.geometry import CoordinateMap, Point
from agent_server.prompts import PromptSet

_LONGEST_TAP_MS = 200
"""What the schema has as the duration of a tap; more is a hold."""
_HOLD_MS = 1000
_PRIMITIVES = ("POINT", "PRESS", "TYPE", "CLEAR", "DEEP_LINK")
_NAMES = {name.lower(): name for name in (*_PRIMITIVES, "to", "duration", "STATUS", "thought")}
_INNER = ("action", "args", "arguments")
_OBJECT = marker(rf"(?=\{{\s{{0,20}}[\"'“‘]?(?:{'|'.join(_NAMES)})[\"'”’]?\s{{0,9}}[:：])")
_MILLISECONDS = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?)\s*(?:ms)?\s*")
_LETTERS = string.ascii_letters
_ENDS: dict[str, Action] = {
    "finish": Finished(),
    "satisfied": Finished(),
    "impossible": Finished(status="infeasible"),
    "interrupt": Finished(status="infeasible"),
    "need_feedback": CallUser(),
}
_BUTTONS: dict[Key, str] = {"back": "BACK", "home": "HOME", "enter": "ENTER"}
_FORMS = (
    Form("POINT", '":[$x,$y]'),
    Form("POINT", '":[$x,$y],"duration":$milliseconds'),
    Form("POINT", '":[$x,$y],"to":"$direction"'),
    Form("POINT", '":[$x1,$y1],"to":[$x2,$y2]'),
    *(Form("PRESS", f'":"{button}"') for button in _BUTTONS.values()),
    Form("TYPE", '":"$text"'),
    Form("duration", '":$milliseconds'),
    *(Form("STATUS", f'":"{status}"') for status in _ENDS),
)
"""What stands in the object, behind the first quote. The vendor's schema admits the same in any order and with spaces;
the model was trained to write it compactly, thought first."""

AGENTCPM_GUI = Declaration(
    name="agentcpm-gui",
    description="AgentCPM-GUI 8B (MiniCPM-V)",
    model_patterns=(r"agentcpm[-_]?gui",),
    space=Relative(1000, longest_side=1120),
    images=1,
    history="text",
    history_detail="nothing; with a limit above 0, the JSON of earlier steps",
    history_limit=0,
    message_order="system with the schema; user: text, image",
    sampling={"temperature": 0.1, "top_p": 0.3, "max_tokens": 2048},
    scroll="finger-direction",
    ends=("finished", "call_user"),
    answer_in=None,
    inexpressible=(
        "double_click", "drag", "open_app", "press of other keys than back, home, enter", "answer",
        "call_user with a text", "finished with a text",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class AgentCpmGui(Adapter):
    """AgentCPM-GUI."""

    declaration: Declaration = AGENTCPM_GUI

    def split(self, text: str) -> Reply:
        found = outline(text, _OBJECT, _read)
        if found is None:
            return Reply(thinking(text), problem="there is no JSON object with POINT, PRESS, TYPE, duration or STATUS")
        thoughts = [str(call.arguments["thought"]) for call in found.calls if call.arguments.get("thought")]
        thought = well_formed(thoughts[0]) if thoughts else _unfenced(found.before)
        calls = tuple(call for call in found.calls if call.name)
        return Reply(thought.strip(), "", calls, "the JSON object names no action")

    def act(self, reply: Reply, map: CoordinateMap) -> Action:
        call = reply.calls[0]
        entries = call.arguments
        if call.name == "status":
            if end := _ENDS.get(_status(entries)):
                return end
            raise Unreadable(f"there is no action beside the STATUS {_status(entries)[:40]!r}")
        done = [name for name in _PRIMITIVES if name in entries]
        if len(done) > 1:
            raise Unreadable(f"{' and '.join(done)} are several actions at once")
        if done in (["CLEAR"], ["DEEP_LINK"]):
            raise Unreadable(f"{done[0]} is not something that this service does on a phone", "unsupported")
        if "to" in entries and done != ["POINT"]:
            raise Unreadable("a movement needs POINT, where it begins")
        return phone_action(Arguments(_plain_call(entries), map))

    def render(self, action: Action, map: CoordinateMap, thought: str | None = None, summary: str | None = None) -> str:
        """The grammar has no place for the summary. A hold lasts at least 201 ms: less would be a tap."""
        told: dict[str, Value] = {"thought": thought.strip()} if thought and thought.strip() else {}
        return json.dumps(told | self._entries(action, map), ensure_ascii=False, separators=(",", ":"))

    def _entries(self, action: Action, map: CoordinateMap) -> dict[str, Value]:
        match action:
            case Click():
                return {"POINT": _point(action.point, map)}
            case LongPress():
                hold = max(action.duration_ms or _HOLD_MS, _LONGEST_TAP_MS + 1)
                return {"POINT": _point(action.point, map), "duration": hold}
            case Scroll():
                return self._scroll(action, map)
            case Press() if action.key in _BUTTONS:
                return {"PRESS": _BUTTONS[action.key]}
            case Type():
                return {"TYPE": action.text}
            case Wait():
                return {"duration": round(action.seconds * 1000)}
            case Finished() if not action.text:
                return {"STATUS": "finish" if action.status == "success" else "impossible"}
            case CallUser() if not action.text:
                return {"STATUS": "need_feedback"}
            case DoubleClick() | Drag() | OpenApp() | Press() | Answer() | CallUser() | Finished():
                raise Inexpressible(f"{self.name} has no words for {action!r}")
            case _:
                assert_never(action)

    def _scroll(self, action: Scroll, map: CoordinateMap) -> dict[str, Value]:
        """A path as two points; a direction from where it begins, or from the middle of the screen."""
        if action.start is not None and action.end is not None and action.start != action.end:
            start, end = said_path(action, map)
            return {"POINT": _point(start, map), "to": _point(end, map)}
        start = action.start or Point(map.device.width // 2, map.device.height // 2)
        return {"POINT": _point(start, map), "to": opposite(action.direction)}

    def constraint(self, map: CoordinateMap) -> Constraint:
        return Constraint("regex", rf'\{{("thought":"{PROSE}",)?"{calls(_FORMS, map)}\}}')

    def messages(self, prompt: PromptInput, templates: PromptSet) -> list[Message]:
        first = first_told(prompt.turns, self.declaration.history_limit)
        steps = [one_line(reply_of(self, turn, prompt)) for turn in prompt.turns[first:]]
        system = self.filled(f"{self.name}.system", prompt, templates)
        user = self.filled(f"{self.name}.user", prompt, templates, steps, first)
        return [Message("system", (TextPart(system),)), Message("user", (TextPart(user), ImagePart(CURRENT)))]


def _read(scanner: Scanner) -> list[Call]:
    """The calls of one object: its action, then the end of the task that it reports beside that.

    A call without a name holds a thought and nothing else.
    """
    start = scanner.pos
    written = read_object(scanner) or {}
    for inner in [value for key, value in written.items() if key.lower() in _INNER]:
        written |= inner if isinstance(inner, dict) else {}
    source = scanner.text[start : scanner.pos]
    entries = {name: value for key, value in written.items() if (name := _name(key)) and _given(name, value)}
    status = {name: entries.pop(name) for name in ("STATUS",) if name in entries}
    thought = {name: entries[name] for name in ("thought",) if name in entries}
    acts = any(name in entries for name in (*_PRIMITIVES, "to"))
    ends = _status(status) in _ENDS
    if acts or ("duration" in entries and not ends):
        more = [Call("status", status, (), source)] if ends else []
        return [Call("act", entries, (), source), *more]
    return [Call("status" if status else "", status | thought, (), source)]


def _name(key: str) -> str | None:
    """The key that is meant, whatever its case; but TYPE in small letters is what other grammars call a verb."""
    name = _NAMES.get(key.strip().lower())
    return None if name == "TYPE" and key.strip() != "TYPE" else name


def _given(name: str, value: Value) -> bool:
    """Whether an entry says something; the two keys without a value are written with null."""
    return value is not False if name in ("CLEAR", "DEEP_LINK") else value is not None


def _status(entries: Mapping[str, Value]) -> str:
    return str(entries.get("STATUS", "")).strip().lower()


def _plain_call(entries: Mapping[str, Value]) -> Call:
    """The action in the words of `phone_verbs`. Raises Unreadable for a duration that is none."""
    if "POINT" in entries:
        point, to = entries["POINT"], entries.get("to")
        if to is not None:
            towards = isinstance(to, str) and not any(map(str.isdigit, to))
            return Call("swipe", {"start": point, ("direction" if towards else "end"): to})
        duration = _milliseconds(entries.get("duration", _LONGEST_TAP_MS))
        if duration > _LONGEST_TAP_MS:
            return Call("long_press", {"point": point, "duration_ms": duration})
        return Call("click", {"point": point})
    if "PRESS" in entries:
        key = entries["PRESS"]
        return Call("press", {"key": "recents" if str(key).strip().upper() == "APPSELECT" else key})
    if "TYPE" in entries:
        return Call("type", {"text": entries["TYPE"]})
    return Call("wait", {"seconds": _milliseconds(entries["duration"]) / 1000})


def _milliseconds(value: Value) -> float:
    match = _MILLISECONDS.fullmatch(str(value)[:40])
    if match is None or isinstance(value, bool):
        raise Unreadable(f"the duration {str(value)[:40]!r} is no number of milliseconds")
    return float(match[1])


def _unfenced(text: str) -> str:
    """What stands before an object, without a code fence or list bracket that opens for it."""
    text = text.rstrip().removesuffix("[").rstrip()
    fence = text.rfind("```")
    return text[:fence].rstrip() if fence >= 0 and not text[fence + 3 :].strip(_LETTERS) else text


def _point(point: Point, map: CoordinateMap) -> list[Value]:
    x, y = map.to_model(point)
    return [round(x), round(y)]
