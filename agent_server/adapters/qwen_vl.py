"""Qwen2.5-VL and Qwen3-VL Instruct with the `mobile_use` tool.

2.5 counts pixels of the resized image, whose size its tool description must state; 3 counts to 999 and writes Thought
and Action lines before the call. Earlier steps are told as a line of progress. Elements are located as JSON with a
`bbox_2d`, in 3 counting to 1000, not to 999.
"""

from __future__ import annotations

from dataclasses import dataclass

from agent_server.actions import OpenApp, Press
from agent_server.adapters.adapter import Absolute, Declaration, ModelFrame, Processor, Relative
from agent_server.adapters.box_grounder import BoxGrounder
from agent_server.adapters.mobile_use import MobileUse
from agent_server.adapters.pattern import PROSE
from agent_server.adapters.reply import Value
from agent_server.geometry import CoordinateMap, Size

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
class Qwen25Vl(MobileUse, BoxGrounder):
    """Qwen2.5-VL."""

    declaration: Declaration = QWEN_2_5_VL


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
    processor=Processor(patch=16, merge=2, min_pixels=65_536, max_pixels=16_777_216),
)  # fmt: skip


@dataclass(frozen=True)
class Qwen3Vl(MobileUse, BoxGrounder):
    """Qwen3-VL."""

    declaration: Declaration = QWEN_3_VL
    forms = tuple(form for form in MobileUse.forms if form.verb not in ("key", "open"))
    around = (f'(Thought: {PROSE}\n)?(Action: "{PROSE}"\n)?', "")

    def ground_frame(self, size: Size, model: str = "") -> ModelFrame:
        return ModelFrame(None, CoordinateMap.relative(size, 1000))

    def _reply(self, thought: str, summary: str, call: str) -> str:
        lines = [f"Thought: {thought}"] if thought else []
        return "\n".join([*lines, f'Action: "{summary}"', call] if summary else [*lines, call])

    def _key(self, action: Press) -> dict[str, Value]:
        raise self._inexpressible(action)

    def _open(self, action: OpenApp) -> dict[str, Value]:
        raise self._inexpressible(action)
