"""MAI-UI (Tongyi-MAI) with the `mobile_use` tool: `<thinking>`, then `<tool_call>` with compact JSON.

Coordinates count to 999. A scroll is a `swipe` that names the way of the finger and, if it likes, where. Every earlier
reply is an assistant turn, the last screenshots stand before theirs. The verbs of the extended prompt are read too:
`ask_user`, which is this family's call for the user, and `double_click`; tools beside `mobile_use` are refused.
Elements are located in `<answer>` tags.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from agent_server.actions import (
    Action,
    CallUser,
    DoubleClick,
    Drag,
    Finished,
    LongPress,
    Press,
    Scroll,
    Wait,
)
from agent_server.adapters.adapter import Declaration, Processor, Relative
from agent_server.adapters.arguments import opposite
from agent_server.adapters.grounding import Grounder, Place
from agent_server.adapters.history import dialogue, first_told
from agent_server.adapters.mobile_use import MobileUse, written
from agent_server.adapters.pattern import PROSE, Form
from agent_server.adapters.prompt import Message, PromptInput, TextPart
from agent_server.adapters.reply import Value
from agent_server.adapters.thoughts import defused
from agent_server.geometry import CoordinateMap
from agent_server.prompts import PromptSet

_BUTTONS = ("back", "home", "menu", "enter")

MAI_UI = Declaration(
    name="mai-ui",
    description="MAI-UI, 2B, 8B, 32B and 235B-A22B (Qwen3-VL)",
    model_patterns=(r"mai[-_]ui",),
    space=Relative(999),
    images=3,
    history="turns",
    history_detail="every earlier reply as an assistant turn",
    message_order="system with the actions; user: text; for each step: user: image, assistant: text; user: image",
    sampling={"temperature": 0.0, "top_p": 1.0, "top_k": -1, "repetition_penalty": 1.0, "max_tokens": 2048},
    scroll="finger-direction",
    ends=("finished", "answer"),
    answer_in="answer",
    inexpressible=("press of other keys than back, home, menu, enter", "finished with a text"),
    processor=Processor(patch=16, merge=2, min_pixels=65_536, max_pixels=16_777_216),
)


@dataclass(frozen=True)
class MaiUi(MobileUse, Grounder):
    """MAI-UI, every size."""

    declaration: Declaration = MAI_UI
    asks = frozenset({"askuser"})
    compact = True
    forms = (
        Form("click", '", "coordinate": [$x, $y]'),
        Form("double_click", '", "coordinate": [$x, $y]'),
        Form("long_press", '", "coordinate": [$x, $y]'),
        Form("type", '", "text": "$text"'),
        Form("swipe", '", "direction": "$direction"'),
        Form("swipe", '", "direction": "$direction", "coordinate": [$x, $y]'),
        Form("drag", '", "start_coordinate": [$x, $y], "end_coordinate": [$x, $y]'),
        Form("open", '", "text": "$name"'),
        *(Form("system_button", f'", "button": "{button}"') for button in _BUTTONS),
        Form("wait", '"'),
        Form("answer", '", "text": "$text"'),
        Form("ask_user", '", "text": "$text"'),
        Form("terminate", '", "status": "success"'),
        Form("terminate", '", "status": "fail"'),
    )
    around = (f"(<thinking>\n{PROSE}\n</thinking>\n)?", "")
    held_place = '<answer>\n{"coordinate":[$x,$y]}\n</answer>'

    def _reply(self, thought: str, summary: str, call: str) -> str:
        """The grammar has no place for the summary."""
        return f"<thinking>\n{thought}\n</thinking>\n{call}" if thought else call

    def _arguments(self, action: Action, map: CoordinateMap) -> dict[str, Value]:
        """How long to hold or to wait, and where a scroll ends, cannot be said and is dropped."""
        match action:
            case DoubleClick():
                return {"action": "double_click", "coordinate": written(action.point, map)}
            case LongPress():
                return {"action": "long_press", "coordinate": written(action.point, map)}
            case Drag():
                ends = {"start_coordinate": written(action.start, map), "end_coordinate": written(action.end, map)}
                return {"action": "drag", **ends}
            case Scroll():
                place = {} if action.start is None else {"coordinate": written(action.start, map)}
                return {"action": "swipe", "direction": opposite(action.direction), **place}
            case Press() if action.key in _BUTTONS:
                return {"action": "system_button", "button": action.key}
            case Wait():
                return {"action": "wait"}
            case Finished(status="infeasible", text=""):
                return {"action": "terminate", "status": "fail"}
            case _:
                return super()._arguments(action, map)

    def _key(self, action: Press) -> dict[str, Value]:
        raise self._inexpressible(action)

    def _ask(self, action: CallUser) -> dict[str, Value]:
        return {"action": "ask_user", "text": action.text}

    def render_place(self, place: Place | None, map: CoordinateMap, thought: str | None = None) -> str:
        """The box is dropped."""
        point = [-1, -1] if place is None else written(place.point, map)
        answer = f"<answer>\n{json.dumps({'coordinate': point}, separators=(',', ':'))}\n</answer>"
        told = defused(thought or "")
        return f"<grounding_think>\n{told}\n</grounding_think>\n{answer}" if told else answer

    def messages(self, prompt: PromptInput, templates: PromptSet) -> list[Message]:
        first = first_told(prompt.turns, self.declaration.history_limit)
        system, task = (self.filled(f"{self.name}.{part}", prompt, templates) for part in ("system", "user"))
        opening = [Message("system", (TextPart(system),)), Message("user", (TextPart(task),))]
        return [*opening, *dialogue(self, prompt, first)]
