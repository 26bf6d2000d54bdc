"""UI-TARS 1.0 and 1.5 (ByteDance Seed): `Thought: …` and `Action: click(start_box='…')` on lines of their own.

1.0 counts to 1000 and wraps coordinates in box tokens; 1.5 counts pixels of the resized image and wraps them in point
tags. Earlier steps are assistant turns; the last five screenshots are shown. A scroll's direction names where the view
goes. The answer to a question is the content of `finished`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
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
from agent_server.adapters.adapter import Absolute, Constraint, Declaration, Relative
from agent_server.adapters.any_syntax import CALL_LINE, FENCE, OBJECT_LINE, bare_reader, reader
from agent_server.adapters.arguments import TEXT, Arguments
from agent_server.adapters.call_syntax import quoted
from agent_server.adapters.coordinates import written_point
from agent_server.adapters.grounding import Grounder, Place
from agent_server.adapters.history import dialogue, first_told
from agent_server.adapters.literal import Scanner
from agent_server.adapters.pattern import PROSE, Form, calls, verbs
from agent_server.adapters.phone_verbs import VERBS, phone_action, said_path
from agent_server.adapters.prompt import Message, PromptInput, TextPart
from agent_server.adapters.reply import Call, Reply
from agent_server.adapters.thoughts import Outline, defused, marker, only_remarks, outline, sections, thinking
from agent_server.errors import Inexpressible
from agent_server.geometry import CoordinateMap, Point
from agent_server.prompts import PromptSet

_FORMS = (
    Form("type", "(content='$text')"),
    Form("press_back", "()"),
    Form("press_home", "()"),
    Form("wait", "()"),
    Form("call_user", "()"),
    Form("finished", "(content='$text')"),
)
_VERBS = VERBS | verbs(_FORMS)
_WAIT_S = 5.0
"""The vendor's prompt says that `wait()` sleeps for 5 seconds."""
_HEADED = marker(FENCE + r"[ \t*#>-]*+action[ \t*]*+[:：]", r"<(?:seed:)?tool_call>", r"(?=<function[=\s])")
_INLINE = marker(r"(?<!\w)action[ \t*]*+[:：](?=\s{0,4}[A-Za-z_]\w{0,40}[(（])")
_BARE = marker(CALL_LINE, OBJECT_LINE)
_HEADS = re.compile(
    r"^[ \t*#>-]*+(thought|reflection|action_summary|action|observation)[ \t*]*+[:：][ \t*]*+",
    re.IGNORECASE | re.MULTILINE,
)
_LINE_WITH_HEAD = re.compile(r"\s*\n\s*(?:[A-Za-z_]{1,20}[:：]|[A-Za-z_]\w{0,40}[(（])")
_BARE_BOX = re.compile(r"((?:start|end)_box\s?=\s?)(['\"])(\([^()'\"<>\n]{1,40}\))\2")
_KEYS = {"back": "press_back()", "home": "press_home()"}


@dataclass(frozen=True)
class UiTars(Grounder):
    """What both versions share."""

    forms: ClassVar[tuple[Form, ...]]
    """What one version says otherwise than the other."""

    nowhere: ClassVar[str]
    """The place of a click that says that there is nothing to click."""

    def split(self, text: str) -> Reply:
        found = (
            outline(text, _HEADED, reader(_VERBS))
            or _calls_only(outline(text, _INLINE, _read_inline))
            or outline(text, _BARE, bare_reader(_VERBS))
        )
        if found is None:
            thought, _ = _parts(text)
            return Reply(thinking(text) or thought, problem="there is no line that begins with Action:")
        thought, summary = _parts(found.before)
        return Reply(thought, summary, found.calls, "no call follows Action:")

    def act(self, reply: Reply, map: CoordinateMap) -> Action:
        arguments = Arguments(reply.calls[0], map)
        match arguments.verb:
            case "calluser":
                return CallUser(text=arguments.optional_text(*TEXT) or "")
            case "finished":
                return Finished(text=arguments.optional_text(*TEXT) or "")
            case _:
                return phone_action(arguments, wait_s=_WAIT_S)

    def render(self, action: Action, map: CoordinateMap, thought: str | None = None, summary: str | None = None) -> str:
        """The grammar has no place for the summary, nor for how long to wait: both are dropped.

        1.0 writes a scroll as a path, filled by `phone_verbs.finger_path` where the action leaves it open; 1.5 writes
        where it starts (the middle of the screen where the action does not say) and its direction, never its end.
        """
        told = defused(thought or "", _HEADS)
        return f"Thought: {told}\nAction: {self._call(action, map)}" if told else f"Action: {self._call(action, map)}"

    def render_place(self, place: Place | None, map: CoordinateMap, thought: str | None = None) -> str:
        """A click; the box is dropped."""
        if place is not None:
            return self.render(Click(point=place.point), map, thought)
        told = defused(thought or "", _HEADS)
        return f"Thought: {told}\nAction: click({self.nowhere})" if told else f"Action: click({self.nowhere})"

    def _call(self, action: Action, map: CoordinateMap) -> str:
        match action:
            case Click():
                return f"click({self._place('', action.point, map)})"
            case DoubleClick():
                return f"left_double({self._place('', action.point, map)})"
            case LongPress():
                return self._long_press(action, map)
            case Drag():
                return f"drag({self._place('start', action.start, map)}, {self._place('end', action.end, map)})"
            case Scroll():
                return self._scroll(action, map)
            case Type():
                return f"type(content={quoted(action.text)})"
            case Press() if action.key in _KEYS:
                return _KEYS[action.key]
            case OpenApp():
                return self._open(action)
            case Wait():
                return "wait()"
            case CallUser() if not action.text:
                return "call_user()"
            case Finished() if action.status == "success":
                return f"finished(content={quoted(action.text)})"
            case Answer() | CallUser() | Finished() | Press():
                raise Inexpressible(f"{self.name} has no words for {action!r}")
            case _:
                assert_never(action)

    def constraint(self, map: CoordinateMap) -> Constraint:
        return Constraint("regex", f"(Thought: {PROSE}\\n)?Action: {calls((*_FORMS, *self.forms), map)}")

    @abstractmethod
    def _place(self, which: str, point: Point, map: CoordinateMap) -> str:
        """A coordinate argument: `which` is "start", "end" or, for the only one, empty."""

    @abstractmethod
    def _long_press(self, action: LongPress, map: CoordinateMap) -> str: ...

    @abstractmethod
    def _scroll(self, action: Scroll, map: CoordinateMap) -> str: ...

    @abstractmethod
    def _open(self, action: OpenApp) -> str: ...

    def _said(self, text: str) -> str:
        """An earlier reply as the model must see it."""
        return text

    def messages(self, prompt: PromptInput, templates: PromptSet) -> list[Message]:
        first = first_told(prompt.turns, self.declaration.history_limit)
        opening = self.filled(self.name, prompt, templates, first_step=first)
        return [Message("user", (TextPart(opening),)), *dialogue(self, prompt, first, self._said)]


UI_TARS_1_0 = Declaration(
    name="ui-tars-1.0",
    description="UI-TARS 1.0, 2B, 7B and 72B, SFT and DPO (Qwen2-VL)",
    model_patterns=(r"ui[-_]?tars[-_](?:1[._]0|\d+b[-_](?:sft|dpo))",),
    space=Relative(1000),
    images=5,
    history="turns",
    history_detail="every earlier reply as an assistant turn, box tokens restored",
    message_order="user: text; for each step: user: image, assistant: text; user: image",
    sampling={"temperature": 0.0, "top_p": 0.7, "max_tokens": 1000},
    scroll="finger-path",
    ends=("finished", "call_user"),
    answer_in="finished",
    inexpressible=(
        "open_app", "press of other keys than back, home", "call_user with a text", "answer",
        "finished as infeasible",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class UiTars10(UiTars):
    """UI-TARS 1.0."""

    declaration: Declaration = UI_TARS_1_0
    forms = (
        Form("click", "(start_box='<|box_start|>($x,$y)<|box_end|>')"),
        Form("left_double", "(start_box='<|box_start|>($x,$y)<|box_end|>')"),
        Form("long_press", "(start_box='<|box_start|>($x,$y)<|box_end|>', time='')"),
        Form("long_press", "(start_box='<|box_start|>($x,$y)<|box_end|>', time='$seconds')"),
        Form("drag", "(start_box='<|box_start|>($x,$y)<|box_end|>', end_box='<|box_start|>($x,$y)<|box_end|>')"),
        Form("scroll", "(start_box='<|box_start|>($x1,$y1)<|box_end|>', end_box='<|box_start|>($x2,$y2)<|box_end|>')"),
    )
    nowhere = "start_box='(-1,-1)'"
    held_place = "Action: click(start_box='($x,$y)')"

    def _place(self, which: str, point: Point, map: CoordinateMap) -> str:
        return f"{which or 'start'}_box='<|box_start|>({','.join(written_point(point, map))})<|box_end|>'"

    def _long_press(self, action: LongPress, map: CoordinateMap) -> str:
        time = "" if action.duration_ms is None else f"{action.duration_ms / 1000:g}"
        return f"long_press({self._place('start', action.point, map)}, time='{time}')"

    def _scroll(self, action: Scroll, map: CoordinateMap) -> str:
        start, end = said_path(action, map)
        return f"scroll({self._place('start', start, map)}, {self._place('end', end, map)})"

    def _open(self, action: OpenApp) -> str:
        raise Inexpressible(f"{self.name} has no words for {action!r}")

    def _said(self, text: str) -> str:
        """Servers drop the box tokens from what they return; the model was trained with them in its history."""
        return _BARE_BOX.sub(r"\1\2<|box_start|>\3<|box_end|>\2", text)


UI_TARS_1_5 = Declaration(
    name="ui-tars-1.5",
    description="UI-TARS 1.5, 7B (Qwen2.5-VL)",
    model_patterns=(r"ui[-_]?tars[-_]?1[._]5",),
    space=Absolute(factor=28, min_pixels=100 * 28 * 28, max_pixels=16_384 * 28 * 28),
    images=5,
    history="turns",
    history_detail="every earlier reply as an assistant turn",
    message_order="user: text; for each step: user: image, assistant: text; user: image",
    sampling={"temperature": 0.0, "top_p": 0.7, "max_tokens": 1000},
    scroll="view-direction",
    ends=("finished", "call_user"),
    answer_in="finished",
    inexpressible=(
        "press of other keys than back, home", "call_user with a text", "answer", "finished as infeasible",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class UiTars15(UiTars):
    """UI-TARS 1.5."""

    declaration: Declaration = UI_TARS_1_5
    forms = (
        Form("click", "(point='<point>$x $y</point>')"),
        Form("left_double", "(point='<point>$x $y</point>')"),
        Form("long_press", "(point='<point>$x $y</point>')"),
        Form("drag", "(start_point='<point>$x $y</point>', end_point='<point>$x $y</point>')"),
        Form("scroll", "(point='<point>$x $y</point>', direction='$direction')"),
        Form("open_app", "(app_name='$name')"),
    )
    nowhere = "point='<point>-1 -1</point>'"
    held_place = "Action: click(point='<point>$x $y</point>')"

    def _place(self, which: str, point: Point, map: CoordinateMap) -> str:
        name = f"{which}_point" if which else "point"
        return f"{name}='<point>{' '.join(written_point(point, map))}</point>'"

    def _long_press(self, action: LongPress, map: CoordinateMap) -> str:
        return f"long_press({self._place('', action.point, map)})"

    def _scroll(self, action: Scroll, map: CoordinateMap) -> str:
        start = action.start or Point(map.device.width // 2, map.device.height // 2)
        return f"scroll({self._place('', start, map)}, direction='{action.direction}')"

    def _open(self, action: OpenApp) -> str:
        return f"open_app(app_name={quoted(action.app)})"


def _parts(text: str) -> tuple[str, str]:
    """Thought and summary from the headed parts of a text; a text without heads is a thought."""
    parts = sections(text, _HEADS)
    thought = parts.get("thought") or parts.get("reflection") or parts[""]
    return thought, parts.get("action_summary", "")


def _calls_only(found: Outline | None) -> Outline | None:
    return found if found and found.calls else None


def _read_inline(scanner: Scanner) -> list[Call]:
    """Calls behind an Action: amid a line; those that do not end the reply or a step of it are quotations."""
    calls = reader(_VERBS)(scanner)
    if only_remarks(scanner.text, scanner.pos) or _LINE_WITH_HEAD.match(scanner.text, scanner.pos):
        return calls
    return []
