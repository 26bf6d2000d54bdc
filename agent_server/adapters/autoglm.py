"""AutoGLM-Phone (Zhipu): `<think>…</think><answer>do(action="Tap", element=[x, y])</answer>`, or `finish(message="…")`.

Coordinates count to 1000 (the prompt says 0 to 999; the vendor divides by 1000). Earlier steps are assistant turns,
their screenshots left out. Every verb but `finish` is the `action` of a `do`; the tags are often missing, so a call
counts where it ends the reply. The answer to a question is the message of `finish`; what cannot be read never finishes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from agent_server.adapters.any_syntax import ACTION_LINE, CALL_LINE, OBJECT_LINE, bare_reader, reader
from agent_server.adapters.arguments import TEXT, Arguments, normal
from agent_server.adapters.call_syntax import quoted, read_calls
from agent_server.adapters.coordinates import written_point
from agent_server.adapters.history import first_told, reply_of
from agent_server.adapters.literal import Scanner
from agent_server.adapters.pattern import PROSE, Form, calls, either, literal, verbs
from agent_server.adapters.phone_verbs import VERBS, phone_action, said_path
from agent_server.adapters.prompt import CURRENT, ImagePart, Message, PromptInput, TextPart
from agent_server.adapters.reply import Call, Reply, Unreadable
from agent_server.adapters.thoughts import defused, marker, only_remarks, outline, thinking, thinks_on
from agent_server.errors import Inexpressible
from agent_server.geometry import CoordinateMap, Point
from agent_server.prompts import PromptSet

_FORMS = (
    Form("Tap", '", element=[$x,$y])'),
    Form("Double Tap", '", element=[$x,$y])'),
    Form("Long Press", '", element=[$x,$y])'),
    Form("Swipe", '", start=[$x1,$y1], end=[$x2,$y2])'),
    Form("Type", '", text="$text")'),
    Form("Type_Name", '", text="$text")'),
    Form("Launch", '", app="$name")'),
    Form("Wait", '", duration="$seconds seconds")'),
    Form("Back", '")'),
    Form("Home", '")'),
    Form("Interact", '")'),
    Form("Take_over", '", message="$text")'),
)
"""What stands behind `do(action="`."""
_ENDS = (Form("finish", '(message="$text")'),)
_VERBS = VERBS | verbs(_ENDS) | {"do"}
_TAGGED = marker(r"<answer>", r"<tool_call>")
_LINE = marker(ACTION_LINE, CALL_LINE, OBJECT_LINE)
_INLINE = marker(r"(?<![\w.])(?=(?:do|finish)\s{0,3}[(（]\s{0,3}(?:action|message|['\"“]))")
_KEYS: dict[str, Key] = {
    "back": "back", "home": "home", "enter": "enter", "recent": "recents", "recents": "recents", "menu": "menu",
}  # fmt: skip
_ASKS = {"takeover", "interact"}
_ELSEWHERE = {"note", "callapi"}
"""Verbs that speak to the vendor's own service, not to a phone."""
_KNOWN = VERBS | verbs(_FORMS) | _KEYS.keys() | _ELSEWHERE


AUTOGLM_PHONE = Declaration(
    name="autoglm-phone",
    description="AutoGLM-Phone, 9B and 9B Multilingual (GLM-4.1V)",
    model_patterns=(r"autoglm[-_]?phone",),
    space=Relative(1000),
    images=1,
    history="turns",
    history_detail="every earlier reply as an assistant turn, without its screenshot",
    message_order="system; for each step: user: text, assistant: text; user: image, text",
    sampling={"temperature": 0.0, "top_p": 0.85, "frequency_penalty": 0.2, "max_tokens": 3000},
    scroll="finger-path",
    ends=("finished",),
    answer_in="finished",
    inexpressible=("drag", "press of other keys than back, home", "answer", "finished as infeasible"),
)


@dataclass(frozen=True)
class AutoGlmPhone(Adapter):
    """AutoGLM-Phone."""

    declaration: Declaration = AUTOGLM_PHONE

    def split(self, text: str) -> Reply:
        for markers, read in ((_TAGGED, reader(_VERBS)), (_LINE, bare_reader(_VERBS)), (_INLINE, _read_last)):
            found = outline(text, markers, read)
            if found and found.calls and not (thinks_on(text) and normal(found.calls[0].name) == "finish"):
                return Reply(found.before, "", tuple(map(_resolved, found.calls)))
        return Reply(thinking(text), problem="there is neither do(…) nor finish(…) outside of the thinking")

    def act(self, reply: Reply, map: CoordinateMap) -> Action:
        arguments = Arguments(reply.calls[0], map)
        verb = arguments.verb
        if verb == "finish":
            return Finished(text=arguments.optional_text(*TEXT) or "")
        if verb == "do":
            raise Unreadable("do(…) names no action")
        if verb in _ASKS:
            return CallUser(text=arguments.optional_text(*TEXT) or "")
        if verb in _ELSEWHERE:
            raise Unreadable(f"{arguments.written} speaks to the vendor's service, not to a phone", "unsupported")
        if verb in _KEYS:
            return Press(key=_KEYS[verb])
        if verb == "typename":
            return Type(text=arguments.text(*TEXT))
        return phone_action(arguments)

    def render(self, action: Action, map: CoordinateMap, thought: str | None = None, summary: str | None = None) -> str:
        """A scroll becomes a swipe whose open ends `phone_verbs.finger_path` fills.

        The grammar has no place for the summary, nor for how long to hold: both are dropped.
        """
        return f"<think>{defused(thought or '')}</think>\n<answer>{self._call(action, map)}</answer>"

    def _call(self, action: Action, map: CoordinateMap) -> str:
        match action:
            case Click():
                return f'do(action="Tap", element={_point(action.point, map)})'
            case DoubleClick():
                return f'do(action="Double Tap", element={_point(action.point, map)})'
            case LongPress():
                return f'do(action="Long Press", element={_point(action.point, map)})'
            case Scroll():
                start, end = said_path(action, map)
                return f'do(action="Swipe", start={_point(start, map)}, end={_point(end, map)})'
            case Type():
                return f'do(action="Type", text={_quoted(action.text)})'
            case OpenApp():
                return f'do(action="Launch", app={_quoted(action.app)})'
            case Press() if action.key in ("back", "home"):
                return f'do(action="{action.key.capitalize()}")'
            case Wait():
                return f'do(action="Wait", duration="{action.seconds:g} seconds")'
            case CallUser():
                return f'do(action="Take_over", message={_quoted(action.text)})'
            case Finished() if action.status == "success":
                return f"finish(message={_quoted(action.text)})"
            case Drag() | Press() | Answer() | Finished():
                raise Inexpressible(f"{self.name} has no words for {action!r}")
            case _:
                assert_never(action)

    def constraint(self, map: CoordinateMap) -> Constraint:
        done = either([literal('do(action="') + calls(_FORMS, map), calls(_ENDS, map)])
        return Constraint("regex", f"<think>{PROSE}</think>\n?<answer>{done}</answer>")

    def messages(self, prompt: PromptInput, templates: PromptSet) -> list[Message]:
        """The goal stands in the first user turn, the app in the last: which one was open earlier is not known."""
        first = first_told(prompt.turns, self.declaration.history_limit)
        earlier = replace(prompt, app=None)
        chat = [Message("system", (TextPart(self.filled(f"{self.name}.system", prompt, templates)),))]
        template = f"{self.name}.first"
        for turn in prompt.turns[first:]:
            chat.append(Message("user", (TextPart(self.filled(template, earlier, templates)),)))
            chat.append(Message("assistant", (TextPart(reply_of(self, turn, prompt) or "…"),)))
            template = f"{self.name}.next"
        return [*chat, Message("user", (ImagePart(CURRENT), TextPart(self.filled(template, prompt, templates))))]


def _resolved(call: Call) -> Call:
    """`do(action="Tap", …)` as the call that it stands for; `do` with a first argument that is no verb stays."""
    if normal(call.name) != "do":
        return call
    rest = list(call.positional)
    spelt = rest.pop(0) if rest and isinstance(rest[0], dict) else {}
    named = {**(spelt if isinstance(spelt, dict) else {}), **call.arguments}
    if "action" not in named and rest and isinstance(rest[0], str) and normal(rest[0]) in _KNOWN:
        named["action"] = rest.pop(0)
    verb = named.pop("action", None)
    if not isinstance(verb, str) or not verb.strip():
        return call
    return Call(verb.strip(), named, rest, call.source)


def _read_last(scanner: Scanner) -> list[Call]:
    """Calls amid a line; those that do not end the reply are quotations."""
    calls = read_calls(scanner)
    return calls if only_remarks(scanner.text, scanner.pos) else []


def _point(point: Point, map: CoordinateMap) -> str:
    return f"[{','.join(written_point(point, map))}]"


def _quoted(text: str) -> str:
    return quoted(text, '"')
