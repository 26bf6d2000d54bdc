"""GUI-Owl 1.0 (Mobile-Agent-v3) and 1.5 (Mobile-Agent-v3.5) with the `mobile_use` tool.

1.0 counts pixels of the resized image, thinks in `<thinking>` and concludes in `<conclusion>`; the conclusions are the
history. 1.5 counts to 1000 and writes one `Action:` line before the call; of its history the last steps are turns with
their screenshots, the older ones lines. Neither acts after an answer: the vendor's loop ends there, or one step later.
"""

from __future__ import annotations

from dataclasses import dataclass

from agent_server.actions import CallUser
from agent_server.adapters.adapter import Absolute, Declaration, Processor, Relative
from agent_server.adapters.history import dialogue, first_told, shown
from agent_server.adapters.mobile_use import MobileUse
from agent_server.adapters.pattern import PROSE, Form
from agent_server.adapters.prompt import Message, PromptInput, TextPart
from agent_server.adapters.reply import Value
from agent_server.prompts import PromptSet

GUI_OWL_1_0 = Declaration(
    name="gui-owl-1.0",
    description="GUI-Owl 7B and 32B of Mobile-Agent-v3 (Qwen2.5-VL)",
    model_patterns=(r"gui[-_]?owl[-_](?:1[._]0|\d+b)(?!.*(?:desktop|pc))",),
    space=Absolute(factor=28, min_pixels=3_136, max_pixels=10_035_200),
    images=1,
    history="text",
    history_detail="one clause for every earlier step: its conclusion, else its call",
    message_order="system with the tool; user: text, image",
    sampling={"max_tokens": 2048},
    scroll="finger-path",
    ends=("finished", "answer"),
    answer_in="answer",
    inexpressible=("double_click", "drag", "call_user", "finished with a text"),
)


@dataclass(frozen=True)
class GuiOwl10(MobileUse):
    """GUI-Owl 1.0."""

    declaration: Declaration = GUI_OWL_1_0
    around = (f"(<thinking>\n{PROSE}\n</thinking>\n)?", f"(\n<conclusion>\n{PROSE}\n</conclusion>)?")

    def _reply(self, thought: str, summary: str, call: str) -> str:
        before = f"<thinking>\n{thought}\n</thinking>\n" if thought else ""
        return before + (f"{call}\n<conclusion>\n{summary}\n</conclusion>" if summary else call)


GUI_OWL_1_5 = Declaration(
    name="gui-owl-1.5",
    description="GUI-Owl 1.5 Instruct and Thinking, 2B to 32B (Qwen3-VL)",
    model_patterns=(r"gui[-_]?owl[-_]?1[._]5",),
    space=Relative(1000),
    images=5,
    history="turns",
    history_detail="the last 4 steps as turns with their screenshots, a line of what was done for each older one",
    message_order="system with the tool; user: text, image; for each recent step: assistant: text; user: image",
    sampling={"max_tokens": 2048},
    scroll="finger-path",
    ends=("finished", "answer"),
    answer_in="answer",
    inexpressible=("double_click", "drag", "finished with a text"),
    processor=Processor(patch=16, merge=2, min_pixels=65_536, max_pixels=16_777_216),
)


@dataclass(frozen=True)
class GuiOwl15(MobileUse):
    """GUI-Owl 1.5."""

    declaration: Declaration = GUI_OWL_1_5
    asks = frozenset({"interact", "calluser"})
    forms = (*MobileUse.forms, Form("interact", '", "text": "$text"'))
    around = (f"(<think>\n{PROSE}\n</think>\n)?(Action: {PROSE}\n)?", "")

    def _reply(self, thought: str, summary: str, call: str) -> str:
        while len(summary) > 1 and summary[0] == summary[-1] == '"':
            summary = summary[1:-1].strip()
        before = f"<think>\n{thought}\n</think>\n" if thought else ""
        return before + (f"Action: {summary}\n{call}" if summary else call)

    def _ask(self, action: CallUser) -> dict[str, Value]:
        return {"action": "interact", "text": action.text}

    def messages(self, prompt: PromptInput, templates: PromptSet) -> list[Message]:
        """The turns begin with the first step whose screenshot is shown; what lies before is told in lines."""
        first = first_told(prompt.turns, self.declaration.history_limit)
        pictured = shown(prompt.turns, self.declaration.images)
        recent = min((index for index in pictured if index >= first), default=len(prompt.turns))
        steps = [self._step(turn, prompt) for turn in prompt.turns[first:recent]]
        system = TextPart(self.filled(f"{self.name}.system", prompt, templates))
        opening = TextPart(self.filled(f"{self.name}.user", prompt, templates, steps, first))
        screen, *rest = dialogue(self, prompt, recent)
        return [Message("system", (system,)), Message("user", (opening, *screen.parts)), *rest]
