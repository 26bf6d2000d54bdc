"""The control that acts at random: what a suite gives away to luck."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Literal, assert_never, get_args

from agent_server.actions import Action, Answer, Click, Direction, Finished, LongPress, Press, Scroll, Type, Wait
from agent_server.baselines.reply import Decision, answer, card, step_of
from agent_server.errors import InvalidUiTree
from agent_server.geometry import Box, Point, Size
from agent_server.schemas import ActResponse, ModelCard
from agent_server.ui_tree import UiTree, parse_ui_tree

if TYPE_CHECKING:
    from agent_server.policy import Observation

_Kind = Literal["click", "scroll", "type", "back", "home", "long_press", "wait", "answer", "finished"]
_KINDS: tuple[_Kind, ...] = get_args(_Kind)
_WEIGHTS = (60, 14, 6, 7, 2, 3, 2, 2, 4)
_ON_A_NODE = 0.8
"""Share of touches that aim at the centre of something touchable; the rest goes anywhere."""


class RandomPolicy:
    """Legal actions at random; the same for the same seed, step and screen.

    The seed is `sampling.seed`, else comes from the session, else from the goal.
    """

    name = "random"

    def cards(self) -> list[ModelCard]:
        return [card(self.name)]

    async def act(self, observation: Observation) -> ActResponse:
        seed = observation.sampling.seed
        origin = observation.session or observation.goal if seed is None else seed
        step = step_of(observation.history)
        tree = _tree(observation.ui_tree)

        def decide(sample: int) -> Decision:
            dice = random.Random(f"{origin}/{step}/{sample}")
            action = _choose(dice, observation.goal, observation.size, tree)
            return Decision(action, "Chosen by chance.", f"Did {action.type.replace('_', ' ')} by chance.")

        return answer(self.name, observation, decide)

    async def ready(self) -> None:
        return

    async def aclose(self) -> None:
        return


def _tree(source: str | None) -> UiTree | None:
    if source is None:
        return None
    try:
        return parse_ui_tree(source)
    except InvalidUiTree:
        return None


def _choose(dice: random.Random, goal: str, size: Size, tree: UiTree | None) -> Action:
    kind = dice.choices(_KINDS, _WEIGHTS)[0]
    match kind:
        case "click":
            return Click(point=_point(dice, size, tree))
        case "long_press":
            return LongPress(point=_point(dice, size, tree))
        case "scroll":
            return Scroll(direction=dice.choice(get_args(Direction)))
        case "type":
            return Type(text=dice.choice(goal.split() or ["text"]))
        case "back":
            return Press(key="back")
        case "home":
            return Press(key="home")
        case "wait":
            return Wait()
        case "answer":
            labels = [node.label for node in tree if node.label] if tree else []
            return Answer(text=dice.choice(labels or ["yes", "no"]))
        case "finished":
            return Finished()
        case _:
            assert_never(kind)


def _point(dice: random.Random, size: Size, tree: UiTree | None) -> Point:
    if tree is not None and dice.random() < _ON_A_NODE:
        screen = Box(0, 0, size.width, size.height)
        centres = [
            node.bounds.centre
            for node in tree
            if node.clickable and node.bounds.area and screen.contains(node.bounds.centre)
        ]
        if centres:
            return dice.choice(centres)
    return Point(dice.randrange(size.width), dice.randrange(size.height))
