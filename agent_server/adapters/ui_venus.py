"""UI-Venus-Navi 1.0 and UI-Venus 1.5 (inclusionAI): `<think>`, `<action>Click(box=(x, y))</action>`, `<conclusion>`.

1.0 counts pixels of the resized image, 1.5 counts to 1000. Both tell earlier steps as text, without the conclusion. An
answer is a `CallUser` with content, followed by `Finished`; an empty `CallUser` asks for help.
"""

from __future__ import annotations

import re
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
    LongPress,
    OpenApp,
    Press,
    Scroll,
    Type,
    Wait,
)
from agent_server.adapters.adapter import Absolute, Adapter, Constraint, Declaration, Relative
from agent_server.adapters.any_syntax import ACTION_LINE, CALL_LINE, OBJECT_LINE, bare_reader, reader
from agent_server.adapters.arguments import TEXT, Arguments
from agent_server.adapters.call_syntax import quoted
from agent_server.adapters.coordinates import written_point
from agent_server.adapters.history import first_told, one_line, reply_of
from agent_server.adapters.pattern import PROSE, Form, calls, verbs
from agent_server.adapters.phone_verbs import VERBS, finger_path, phone_action, said_path
from agent_server.adapters.prompt import CURRENT, ImagePart, Message, PromptInput, TextPart, Turn
from agent_server.adapters.reply import Reply, well_formed
from agent_server.adapters.thoughts import defused, marker, outline, thinking, without_special_tokens
from agent_server.errors import Inexpressible
from agent_server.geometry import CoordinateMap, Point
from agent_server.prompts import PromptSet

_FORMS = (
    Form("Click", "(box=($x, $y))"),
    Form("LongPress", "(box=($x, $y))"),
    Form("Drag", "(start=($x, $y), end=($x, $y))"),
    Form("Type", "(content='$text')"),
    Form("Launch", "(app='$name')"),
    Form("Wait", "()"),
    Form("PressBack", "()"),
    Form("PressHome", "()"),
    Form("PressEnter", "()"),
    Form("PressRecent", "()"),
    Form("CallUser", "(content='$text')"),
    Form("Finished", "(content='$text')"),
)
_VERBS = VERBS | verbs(_FORMS)
_TAGGED = marker(r"<action>", r"<tool_call>")
_UNTAGGED = marker(ACTION_LINE, CALL_LINE, OBJECT_LINE)
_CONCLUSION = re.compile(r"<conclusion>([^<]*+(?:<(?!/conclusion>)[^<]*+)*+)(?:</conclusion>)?", re.IGNORECASE)
_KEYS = {"back": "PressBack()", "home": "PressHome()", "enter": "PressEnter()", "recents": "PressRecent()"}


@dataclass(frozen=True)
class UiVenus(Adapter):
    """The grammar of both versions; they differ in coordinates, in `Scroll`, and in the messages."""

    scroll: ClassVar[Form] = Form("Scroll", "(start=($x1, $y1), end=($x2, $y2))")

    def split(self, text: str) -> Reply:
        found = outline(text, _TAGGED, reader(_VERBS)) or outline(text, _UNTAGGED, bare_reader(_VERBS))
        if found is None:
            return Reply(thinking(text), problem="there is no <action> outside of the thinking")
        conclusion = _CONCLUSION.search(found.after) or _CONCLUSION.search(found.before)
        return Reply(
            thought=_CONCLUSION.sub("", found.before).strip(),
            summary=conclusion[1].strip() if conclusion else "",
            calls=found.calls,
            problem="the <action> holds no call",
        )

    def act(self, reply: Reply, map: CoordinateMap) -> Action:
        arguments = Arguments(reply.calls[0], map)
        match arguments.verb:
            case "calluser":
                text = arguments.optional_text(*TEXT) or ""
                return Answer(text=text) if text else CallUser()
            case "finished":
                return Finished(text=arguments.optional_text(*TEXT) or "")
            case _:
                return phone_action(arguments)

    def render(self, action: Action, map: CoordinateMap, thought: str | None = None, summary: str | None = None) -> str:
        """A scroll that leaves its path open gets one through the middle of the screen (`phone_verbs.finger_path`).

        How long to hold or to wait cannot be said and is dropped.
        """
        call = self._call(action, map)
        return (
            f"<think>{defused(thought or '')}</think>\n<action>{call}</action>\n"
            f"<conclusion>{defused(summary or '')}</conclusion>"
        )

    def _call(self, action: Action, map: CoordinateMap) -> str:
        match action:
            case Click():
                return f"Click(box={_point(action.point, map)})"
            case LongPress():
                return f"LongPress(box={_point(action.point, map)})"
            case Drag():
                return f"Drag(start={_point(action.start, map)}, end={_point(action.end, map)})"
            case Scroll():
                return self._scroll(action, map)
            case Type():
                return f"Type(content={quoted(action.text)})"
            case OpenApp():
                return f"Launch(app={quoted(action.app)})"
            case Wait():
                return "Wait()"
            case Press() if action.key in _KEYS:
                return _KEYS[action.key]
            case Answer() if action.text:
                return f"CallUser(content={quoted(action.text)})"
            case CallUser() if not action.text:
                return "CallUser(content='')"
            case Finished() if action.status == "success":
                return f"Finished(content={quoted(action.text)})"
            case Answer() | CallUser() | Finished() | Press() | DoubleClick():
                raise Inexpressible(f"{self.name} has no words for {action!r}")
            case _:
                assert_never(action)

    def _scroll(self, action: Scroll, map: CoordinateMap) -> str:
        start, end = said_path(action, map)
        return f"Scroll(start={_point(start, map)}, end={_point(end, map)})"

    def constraint(self, map: CoordinateMap) -> Constraint:
        call = calls((*_FORMS, self.scroll), map)
        tags = f"<think>{PROSE}</think>\n?<action>{call}</action>\n?<conclusion>{PROSE}</conclusion>"
        return Constraint("regex", tags)

    def _step(self, turn: Turn, prompt: PromptInput) -> str:
        """Thought and action in the model's own text, on one line; what could not be read, as it was."""
        if turn.parse_error and turn.raw:
            return one_line(without_special_tokens(turn.raw))
        said = reply_of(self, turn, prompt)
        reply = self.split(well_formed(said))
        if not reply.calls:
            return one_line(said)
        call = reply.calls[0].source.replace("\n", "\\n")
        return f"<think>{one_line(reply.thought)}</think><action>{call}</action>"

    def _user(self, prompt: PromptInput, templates: PromptSet) -> Message:
        first = first_told(prompt.turns, self.declaration.history_limit)
        steps = [self._step(turn, prompt) for turn in prompt.turns[first:]]
        text = self.filled(self.name, prompt, templates, steps, first)
        return Message("user", (TextPart(text), ImagePart(CURRENT)))


UI_VENUS_1_0 = Declaration(
    name="ui-venus-1.0",
    description="UI-Venus-Navi 1.0, 7B and 72B (Qwen2.5-VL)",
    model_patterns=(r"ui[-_]?venus[-_]?navi", r"ui[-_]?venus[-_]?1[._]0(?!.*ground)"),
    space=Absolute(factor=28, min_pixels=830_000, max_pixels=937_664),
    space_by_model=((r"72b", Absolute(factor=28, min_pixels=3_136, max_pixels=12_845_056)),),
    images=1,
    history="text",
    history_detail="thought and action of every earlier step, in the model's own text",
    message_order="system; user: text, image",
    sampling={"temperature": 0.0, "top_p": 1.0, "top_k": -1, "repetition_penalty": 1.05, "max_tokens": 2048},
    scroll="finger-path",
    ends=("finished", "call_user"),
    answer_in="call_user",
    inexpressible=(
        "double_click", "press of other keys than back, home, enter, recents", "call_user with a text",
        "answer without one", "finished as infeasible",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class UiVenus10(UiVenus):
    """UI-Venus-Navi 1.0."""

    declaration: Declaration = UI_VENUS_1_0
    scroll = Form("Scroll", "(start=($x1, $y1), end=($x2, $y2), direction='$direction')")

    def _scroll(self, action: Scroll, map: CoordinateMap) -> str:
        start, end = (_point(point, map) for point in finger_path(action, map.device))
        return f"Scroll(start={start}, end={end}, direction='{action.direction}')"

    def messages(self, prompt: PromptInput, templates: PromptSet) -> list[Message]:
        system = self.filled(f"{self.name}.system", prompt, templates)
        return [Message("system", (TextPart(system),)), self._user(prompt, templates)]


UI_VENUS_1_5 = Declaration(
    name="ui-venus-1.5",
    description="UI-Venus 1.5, 2B, 8B and 30B-A3B (Qwen3-VL)",
    model_patterns=(r"ui[-_]?venus[-_]?1[._]5(?!.*ground)",),
    space=Relative(1000),
    images=1,
    history="text",
    history_detail="thought and action of the last 5 steps, in the model's own text",
    history_limit=5,
    message_order="user: text, image",
    sampling={"temperature": 0.0, "max_tokens": 2048},
    scroll="finger-path",
    ends=("finished", "call_user"),
    answer_in="call_user",
    inexpressible=UI_VENUS_1_0.inexpressible,
)


@dataclass(frozen=True)
class UiVenus15(UiVenus):
    """UI-Venus 1.5."""

    declaration: Declaration = UI_VENUS_1_5

    def messages(self, prompt: PromptInput, templates: PromptSet) -> list[Message]:
        return [self._user(prompt, templates)]


def _point(point: Point, map: CoordinateMap) -> str:
    return f"({', '.join(written_point(point, map))})"
