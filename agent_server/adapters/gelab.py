"""GELab-Zero and Step-GUI (StepFun): `<THINK>…</THINK>`, then a line of fields `key:value` with tabs between them.

`explain:…`, `action:CLICK`, `point:500,300`, `summary:…`; coordinates count to 1000. What the model remembers is the
summary that it wrote at its last step. INFO asks the user, COMPLETE ends with an answer, ABORT gives up. TYPE may name
the place of the text field; the vendor's runner types into what is focused, and so it is read here.
"""

from __future__ import annotations

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
    LongPress,
    OpenApp,
    Press,
    Scroll,
    Type,
    Wait,
    action_to_json,
)
from agent_server.adapters.adapter import Adapter, Constraint, Declaration, Relative
from agent_server.adapters.any_syntax import ACTION_LINE, CALL_LINE, OBJECT_LINE, bare_reader
from agent_server.adapters.arguments import TEXT, Arguments, normal
from agent_server.adapters.coordinates import written_point
from agent_server.adapters.fields import read_fields
from agent_server.adapters.history import first_told, map_of, one_line
from agent_server.adapters.pattern import PROSE, Form, calls, verbs
from agent_server.adapters.phone_verbs import VERBS, phone_action, said_path
from agent_server.adapters.prompt import CURRENT, ImagePart, Message, PromptInput, TextPart, Turn
from agent_server.adapters.reply import Call, Reply, well_formed
from agent_server.adapters.thoughts import defused, marker, outline, thinking, without_special_tokens
from agent_server.errors import Inexpressible
from agent_server.geometry import CoordinateMap, Point
from agent_server.prompts import PromptSet

_TEXT = ("return", *TEXT)
_SAME = {"awake": "open", "hotkey": "press", "back": "press_back", "home": "press_home"}
"""Verbs of this family by the names that `phone_verbs` has for them."""
_FORMS = (
    Form("CLICK", "\tpoint:$x,$y"),
    Form("LONGPRESS", "\tpoint:$x,$y"),
    Form("SLIDE", "\tpoint1:$x1,$y1\tpoint2:$x2,$y2"),
    Form("TYPE", "\tvalue:$text"),
    Form("AWAKE", "\tvalue:$name"),
    Form("WAIT", "\tvalue:$seconds"),
    Form("INFO", "\tvalue:$text"),
    Form("ABORT", "\tvalue:$text"),
    Form("COMPLETE", "\treturn:$text"),
)
_VERBS = VERBS | verbs(_FORMS)
_CALLS = marker(ACTION_LINE, CALL_LINE, OBJECT_LINE)
_VERB = re.compile(r"[A-Za-z][A-Za-z_ ]{0,30}")
_TAG = re.compile(r"<\s{0,3}(/?)\s{0,3}(?:think|tink|thinking|thought)\s{0,3}>", re.IGNORECASE)
_WRAPPING = re.compile(r"</?(?:answer|action)>|^[ \t]{0,8}```\w{0,10}[ \t]{0,8}$", re.IGNORECASE | re.MULTILINE)

GELAB_ZERO = Declaration(
    name="gelab-zero",
    description="GELab-Zero 4B and Step-GUI, 4B and 8B (Qwen3-VL)",
    model_patterns=(r"gelab[-_]?zero", r"step[-_]?gui"),
    space=Relative(1000),
    images=1,
    history="text",
    history_detail="the model's own summary from its last step, and the steps since that have none",
    message_order="user: text, image, text",
    sampling={"temperature": 0.1, "top_p": 0.95, "max_tokens": 4096},
    scroll="finger-path",
    ends=("finished",),
    answer_in="finished",
    inexpressible=(
        "double_click", "drag", "press", "answer",
        "texts that begin or end with a space or a line break, or hold a tab or a field of their own",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class GelabZero(Adapter):
    """GELab-Zero."""

    declaration: Declaration = GELAB_ZERO

    def split(self, text: str) -> Reply:
        parts = [
            (thought, read_fields(_WRAPPING.sub("", said))) for thought, said in _parts(without_special_tokens(text))
        ]
        whole = [(thought, calls) for thought, calls in parts if calls and _VERB.fullmatch(calls[0].name)]
        thought, calls = whole[0] if whole else parts[-1]
        if whole:
            calls = tuple(call for _, block in whole for call in block)
        else:
            found = outline(text, _CALLS, bare_reader(_VERBS))
            calls = found.calls if found and found.calls else calls
        if not calls:
            return Reply(thought or thinking(text), problem="no field action: follows the thinking")
        told = calls[0].arguments
        return Reply(thought or str(told.get("explain", "")), str(told.get("summary", "")), calls)

    def act(self, reply: Reply, map: CoordinateMap) -> Action:
        call = reply.calls[0]
        arguments = Arguments(Call(_SAME.get(normal(call.name), call.name), call.arguments, call.positional), map)
        match arguments.verb:
            case "complete":
                return Finished(text=arguments.optional_text(*_TEXT) or "")
            case "abort":
                return Finished(status="infeasible", text=arguments.optional_text(*_TEXT) or "")
            case "info":
                return CallUser(text=arguments.optional_text(*_TEXT) or "")
            case "wait":
                seconds = arguments.seconds("value", "seconds", "time", "duration")
                return Wait() if seconds is None else Wait(seconds=seconds)
            case _:
                return phone_action(arguments)

    def render(self, action: Action, map: CoordinateMap, thought: str | None = None, summary: str | None = None) -> str:
        """A scroll is a slide whose open ends `phone_verbs.finger_path` fills; how long to hold is left out.

        Raises Inexpressible also for a text that a field cannot hold: the grammar has no quotes.
        """
        fields = self._fields(action, map)
        told = _tagless(one_line(summary or "").replace("\t", " ").replace("\\t", "\\ t"))
        line = "\t".join(f"{key}:{value}" for key, value in fields.items())
        ending = f"\tsummary:{told}" if told else ""
        written = f"<THINK> {_tagless(thought or '')} </THINK>\n{line}{ending}\n"
        read = self.split(well_formed(written)).calls
        if len(read) != 1 or {"action": read[0].name, **read[0].arguments, "summary": ""} != fields | {"summary": ""}:
            raise Inexpressible(f"{self.name} has no quotes, and a field cannot hold the text of {action!r}")
        return written

    def _fields(self, action: Action, map: CoordinateMap) -> dict[str, str]:
        match action:
            case Click():
                return {"action": "CLICK", "point": _point(action.point, map)}
            case LongPress():
                return {"action": "LONGPRESS", "point": _point(action.point, map)}
            case Scroll():
                start, end = said_path(action, map)
                return {"action": "SLIDE", "point1": _point(start, map), "point2": _point(end, map)}
            case Type():
                return {"action": "TYPE", "value": action.text}
            case OpenApp():
                return {"action": "AWAKE", "value": action.app}
            case Wait():
                return {"action": "WAIT", "value": f"{action.seconds:g}"}
            case CallUser():
                return {"action": "INFO", "value": action.text}
            case Finished() if action.status == "success":
                return {"action": "COMPLETE", "return": action.text}
            case Finished():
                return {"action": "ABORT", "value": action.text}
            case DoubleClick() | Drag() | Press() | Answer():
                raise Inexpressible(f"{self.name} has no words for {action!r}")
            case _:
                assert_never(action)

    def constraint(self, map: CoordinateMap) -> Constraint:
        """With `explain` or without."""
        line = rf"(explain:{PROSE}\t)?action:{calls(_FORMS, map)}(\tsummary:{PROSE})?"
        return Constraint("regex", f"<THINK> {PROSE} </THINK>\n{line}\n")

    def _memory(self, prompt: PromptInput) -> list[str]:
        """The last summary, which tells all that came before it, and what was done since in words of its own."""
        told: list[str] = []
        for turn in prompt.turns[first_told(prompt.turns, self.declaration.history_limit) :]:
            own = self.split(well_formed(turn.raw)).summary if turn.raw and not turn.parse_error else ""
            told = [one_line(own)] if own else [*told, self._step(turn, prompt)]
        return told

    def _step(self, turn: Turn, prompt: PromptInput) -> str:
        if turn.summary:
            return one_line(turn.summary)
        if turn.action is None:
            return one_line(without_special_tokens(turn.raw or turn.thought or "")) or "…"
        try:
            fields = self._fields(turn.action, map_of(self, turn, prompt))
        except Inexpressible:
            return action_to_json(turn.action)
        return one_line(" ".join(f"{key}:{value}" for key, value in fields.items()))

    def messages(self, prompt: PromptInput, templates: PromptSet) -> list[Message]:
        before = self.filled(self.name, prompt, templates, self._memory(prompt))
        after = self.filled(f"{self.name}.after", prompt, templates)
        return [Message("user", (TextPart(before), ImagePart(CURRENT), TextPart(after)))]


def _parts(text: str) -> list[tuple[str, str]]:
    """What is said outside of thinking, part by part, each with the thinking before it; one part at least.

    The last part is what stands behind the last closing tag, or in an open block.
    """
    tags = list(_TAG.finditer(text))
    last, end = len(tags), len(text)
    while last and tags[last - 1][1] and not text[tags[last - 1].end() : end].strip():
        last, end = last - 1, tags[last - 1].start()
    parts = [_part(text, tags, index, tags[index].start()) for index in range(last) if _said_before(tags, index)]
    if last and not tags[last - 1][1]:
        return [*parts, ("", text[tags[last - 1].end() :] if end == len(text) else "")]
    return [*parts, _part(text, tags, last, end)]


def _said_before(tags: list[re.Match[str]], index: int) -> bool:
    """Whether no thinking ends or goes on where the tag at `index` stands."""
    return not tags[index][1] and (index == 0 or bool(tags[index - 1][1]))


def _part(text: str, tags: list[re.Match[str]], index: int, end: int) -> tuple[str, str]:
    """What is said between the tag before `index` and `end`, with the thinking that this tag closes."""
    if index == 0:
        return "", text[:end]
    closing = tags[index - 1]
    opened = tags[index - 2].end() if index > 1 else 0
    return text[opened : closing.start()].strip(), text[closing.end() : end]


def _tagless(text: str) -> str:
    """`text` fit to stand in a reply: no tag in it that a reader takes for the end or the beginning of thinking."""
    return _TAG.sub(lambda tag: tag.group().replace("<", "‹"), defused(text))


def _point(point: Point, map: CoordinateMap) -> str:
    return ",".join(written_point(point, map))
