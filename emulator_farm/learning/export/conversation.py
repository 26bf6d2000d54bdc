"""One step as the conversation that its model would have: the adapter's own prompt, and the reply to learn.

Everything comes from the adapter (`messages`, `frame`, `render`), so that what is trained on is what is served.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from agent_server.actions import Action, Answer, Finished
from agent_server.adapters import CURRENT, Adapter, ImagePart, Message, PromptInput, PromptSet, TextPart, Turn
from emulator_farm.episode import Episode, Step


@dataclass(frozen=True)
class Grammar:
    """How a model is spoken to."""

    adapter: Adapter
    prompts: PromptSet
    model: str = ""
    """For families whose pixel limits differ by model size."""
    language: str = "English"


@dataclass(frozen=True)
class Part:
    """A text, or the position of the step whose screenshot stands here."""

    text: str = ""
    step: int | None = None


@dataclass(frozen=True)
class Utterance:
    """One message."""

    role: str
    parts: tuple[Part, ...]


def prompt(episode: Episode, position: int, grammar: Grammar) -> list[Utterance]:
    """What the model is shown before its decision at `position` among the episode's moves, oldest first.

    Earlier replies are told in the recorded words where the episode was played by a model of this grammar, and in the
    grammar's words for the recorded action where it was not.
    """
    moves = episode.moves
    native = episode.header.adapter == grammar.adapter.name
    current = moves[position]
    given = PromptInput(
        goal=episode.header.goal,
        size=current.screen.size,
        turns=[_turn(step, native) for step in moves[:position]],
        app=current.screen.app,
        language=grammar.language,
        model=grammar.model,
    )
    messages = grammar.adapter.messages(given, grammar.prompts)
    return [Utterance(message.role, tuple(_parts(message, moves, position))) for message in messages]


def reply(moves: Sequence[Step], position: int, grammar: Grammar) -> str | None:
    """The decision at `position` in the model's grammar; None where the step before has said it already.

    Where the model answers with its last word, an answer and the `finished` after it are one reply.
    Raises Inexpressible, GeometryError for a screen that the model refuses, ValueError for a step without an action.
    """
    step = moves[position]
    decision = step.decision
    if decision is None or decision.action is None:
        raise ValueError(f"step {step.index} has no action")
    action: Action = decision.action
    if grammar.adapter.declaration.answer_in == "finished":
        if position and _answers_and_ends(moves, position - 1):
            return None
        if isinstance(action, Answer) and _answers_and_ends(moves, position):
            action = Finished(text=action.text)
    map_ = grammar.adapter.frame(step.screen.size, grammar.model).map
    return grammar.adapter.render(action, map_, decision.thought, decision.summary)


def _answers_and_ends(moves: Sequence[Step], position: int) -> bool:
    """Whether an answer stands at `position` and a `finished` without a text of its own after it."""
    actions = [step.decision.action if step.decision else None for step in moves[position : position + 2]]
    match actions:
        case [Answer(), Finished(status="success", text="")]:
            return True
        case _:
            return False


def _turn(step: Step, native: bool) -> Turn:
    decision = step.decision
    assert decision is not None, "moves have decisions"
    return Turn(
        thought=decision.thought,
        summary=decision.summary,
        action=decision.action,
        raw=decision.raw if native or decision.action is None else None,
        parse_error=decision.parse_error,
        size=step.screen.size,
        has_screenshot=True,
    )


def _parts(message: Message, moves: Sequence[Step], position: int) -> Iterator[Part]:
    for part in message.parts:
        match part:
            case TextPart(text=text):
                yield Part(text=text)
            case ImagePart(index=index):
                yield Part(step=position if index == CURRENT else index)
            case _:
                assert_never(part)
