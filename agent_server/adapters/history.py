"""Which earlier steps a prompt tells, and which of their screenshots it shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agent_server.actions import action_to_json
from agent_server.adapters.adapter import Adapter
from agent_server.adapters.prompt import CURRENT, ImagePart, Message, PromptInput, TextPart, Turn
from agent_server.adapters.thoughts import without_special_tokens
from agent_server.errors import Inexpressible
from agent_server.geometry import CoordinateMap
from agent_server.prompts import PromptSet


def first_told(turns: Sequence[Turn], limit: int | None) -> int:
    """The index of the first earlier step that is told; `limit` None tells all, 0 none."""
    return 0 if limit is None else max(0, len(turns) - limit)


def shown(turns: Sequence[Turn], images: int) -> frozenset[int]:
    """The indices of those steps whose screenshot is shown when `images` in all, the current one included, may be."""
    with_screenshot = [index for index, turn in enumerate(turns) if turn.has_screenshot]
    return frozenset(with_screenshot[-(images - 1) :] if images > 1 else ())


def map_of(adapter: Adapter, turn: Turn, prompt: PromptInput) -> CoordinateMap:
    """The coordinates of an earlier step's screenshot."""
    return adapter.frame(turn.size or prompt.size, prompt.model).map


def reply_of(adapter: Adapter, turn: Turn, prompt: PromptInput) -> str:
    """What the model said at an earlier step: its own text where known, else how it would have said the action.

    An action that its grammar lacks (another policy took that step) is shown as canonical JSON.
    """
    if turn.raw and turn.raw.strip():
        return without_special_tokens(turn.raw)
    if turn.action is None:
        return turn.thought or turn.summary or ""
    try:
        return adapter.render(turn.action, map_of(adapter, turn, prompt), turn.thought, turn.summary)
    except Inexpressible:
        return action_to_json(turn.action)


def dialogue(
    adapter: Adapter, prompt: PromptInput, first: int, said: Callable[[str], str] = lambda text: text
) -> list[Message]:
    """Steps from `first` on as user (screenshot, where it is shown) and assistant (reply), and the current screenshot.

    `said` is an earlier reply as this model must see it.
    """
    pictured = shown(prompt.turns, adapter.declaration.images)
    chat: list[Message] = []
    for index, turn in list(enumerate(prompt.turns))[first:]:
        if index in pictured:
            chat.append(Message("user", (ImagePart(index),)))
        if text := said(reply_of(adapter, turn, prompt)):
            chat.append(Message("assistant", (TextPart(text),)))
    return [*chat, Message("user", (ImagePart(CURRENT),))]


def progress(
    adapter: Adapter, prompt: PromptInput, templates: PromptSet, step: Callable[[Turn, PromptInput], str]
) -> list[Message]:
    """A system message, and a user message with the goal, earlier steps in words and the screenshot.

    `step` tells one earlier step. The templates are `<adapter>.system` and `<adapter>.user`.
    """
    first = first_told(prompt.turns, adapter.declaration.history_limit)
    steps = [step(turn, prompt) for turn in prompt.turns[first:]]
    system = adapter.filled(f"{adapter.name}.system", prompt, templates)
    user = adapter.filled(f"{adapter.name}.user", prompt, templates, steps, first)
    return [Message("system", (TextPart(system),)), Message("user", (TextPart(user), ImagePart(CURRENT)))]


def one_line(text: str) -> str:
    """Text without line breaks, for histories that tell one step a line."""
    return " ".join(line.strip() for line in text.splitlines() if line.strip())
