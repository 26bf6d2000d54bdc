"""What a prompt is made from, and the chat that it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agent_server.actions import Action
from agent_server.geometry import Size
from agent_server.schemas import HistoryTurn, ParseError

CURRENT = -1
"""The index of the current screenshot in an `ImagePart`."""


@dataclass(frozen=True)
class TextPart:
    text: str


@dataclass(frozen=True)
class ImagePart:
    index: int
    """Position in `PromptInput.turns`, or CURRENT."""


@dataclass(frozen=True)
class Message:
    """One chat message; parts in the order in which the model must see them."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[TextPart | ImagePart, ...]


@dataclass(frozen=True)
class Turn:
    """One earlier step."""

    thought: str | None = None
    summary: str | None = None
    action: Action | None = None
    raw: str | None = None
    parse_error: ParseError | None = None
    size: Size | None = None
    """Of the screenshot that this step saw; None means that of the current one."""
    has_screenshot: bool = False

    @classmethod
    def of(cls, turn: HistoryTurn, size: Size | None = None) -> Turn:
        """The wire's turn; `size` is that of its screenshot, where it came with one."""
        return cls(
            thought=turn.thought,
            summary=turn.summary,
            action=turn.action,
            raw=turn.raw,
            parse_error=turn.parse_error,
            size=size,
            has_screenshot=turn.screenshot is not None,
        )


@dataclass(frozen=True)
class PromptInput:
    """What a prompt is made from."""

    goal: str
    size: Size
    """Of the current screenshot, in device pixels."""
    turns: Sequence[Turn] = ()
    """Earlier steps, oldest first."""
    app: str | None = None
    language: str = "English"
    """In which the model should think, where its prompt has a slot for that."""
    model: str = ""
    """The model's name, for families whose pixel limits differ by size."""
