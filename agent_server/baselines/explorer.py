"""The baseline: rules that read the UI tree. It knows Android's customs and English, no app and no task.

Rules are tried in order and the first that says something decides; which rules apply depends on what the goal wants.
What the rules need to remember travels in the history (`agent_server.baselines.memory`), so any replica can answer.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from agent_server.actions import Action, Finished, Press, Scroll, Wait
from agent_server.baselines.answers import answer
from agent_server.baselines.arrival import arrive, start
from agent_server.baselines.clauses import Intent
from agent_server.baselines.controls import choose, nudge, slide, toggle
from agent_server.baselines.forms import confirm, fill, kept
from agent_server.baselines.goal import Goal, read_goal
from agent_server.baselines.marks import Mark, anchors
from agent_server.baselines.memory import Memory, recall
from agent_server.baselines.navigation import enter_app, explore, pass_prompt
from agent_server.baselines.pickers import pick_duration, pick_time
from agent_server.baselines.promise import promising
from agent_server.baselines.removal import delete
from agent_server.baselines.reply import Decision, card, step_of
from agent_server.baselines.reply import answer as reply
from agent_server.baselines.screen import Screen
from agent_server.baselines.situation import Done, Move, Outcome, Rule, Situation, Stuck
from agent_server.errors import InvalidUiTree
from agent_server.schemas import ActResponse, HistoryTurn, ModelCard
from agent_server.ui_tree import parse_ui_tree

if TYPE_CHECKING:
    from agent_server.policy import Observation

_RULES: dict[Intent, tuple[Rule, ...]] = {
    "toggle": (toggle,),
    "create": (pick_time, pick_duration, fill, confirm),
    "delete": (delete,),
    "edit": (choose, pick_time, fill, confirm),
    "set": (nudge, slide, pick_time, pick_duration, kept, choose, fill, confirm),
    "start": (pick_duration, fill, start),
    "open": (arrive,),
    "find": (fill, arrive, confirm),
    "ask": (answer,),
    "other": (fill, arrive, confirm),
}
_PATIENCE = 3
"""Turns without a readable screen before the explorer tries to leave it."""


_LONG = 500_000
"""Characters of hierarchy, all samples together, above which deciding would hold up the event loop."""


class ExplorerPolicy:
    """Acts by rules on the UI tree of the observation; the screenshot is not looked at.

    The same observation gives the same action, unless `sampling.temperature` is above 0: then the order in which
    equally good ways are tried varies with the seed.
    """

    name = "baseline"

    def cards(self) -> list[ModelCard]:
        return [card(self.name).model_copy(update={"sampling": {"temperature": 0.0}})]

    async def act(self, observation: Observation) -> ActResponse:
        def answer_() -> ActResponse:
            return reply(self.name, observation, lambda sample: _decide(observation, sample))

        work = len(observation.ui_tree or "") * observation.sampling.n
        return await asyncio.to_thread(answer_) if work > _LONG else answer_()

    async def ready(self) -> None:
        return

    async def aclose(self) -> None:
        return


def _decide(observation: Observation, sample: int) -> Decision:
    try:
        tree = parse_ui_tree(observation.ui_tree or "")
    except InvalidUiTree as error:
        return _blind(observation.history, str(error))
    screen = Screen(tree, observation.size)
    if not screen.texts and not screen.elements:
        return _blind(observation.history, "the screen shows nothing that can be read")
    memory = recall(observation.history, screen)
    return decide(read_goal(observation.goal), screen, memory, _noise(observation, sample))


def decide(goal: Goal, screen: Screen, memory: Memory, noise: Callable[[str], float]) -> Decision:
    """The next action towards the first part of the goal that is not done; pure."""
    done = set(memory.done)
    reasons: list[str] = []
    for index, part in enumerate(goal.parts):
        if index in done:
            continue
        situation = Situation(part, index, screen, memory, noise)
        outcome = consult(situation)
        match outcome:
            case Done():
                done.add(index)
                reasons.append(outcome.reason)
            case Stuck():
                return _end(Finished(status="infeasible", text=outcome.reason), f"{outcome.reason}; I give up.")
            case Move():
                return _decision(situation, outcome, done, reasons)
    why = "; ".join(reasons) or "every part of the goal is done"
    return _end(Finished(), f"{why[:1].upper()}{why[1:]}.")


def consult(situation: Situation) -> Outcome:
    """Ask the rules in order."""
    for rule in (pass_prompt, enter_app, *_RULES[situation.part.intent]):
        outcome = rule(situation)
        if outcome is not None:
            return outcome
    return explore(situation)


def _decision(situation: Situation, move: Move, done: set[int], reasons: list[str]) -> Decision:
    screen = situation.screen
    mark = Mark(
        place=screen.place,
        digest=screen.digest,
        home=screen.home,
        end=situation.memory.end,
        anchors=anchors(screen) if isinstance(move.action, Scroll) else {},
        did=move.did,
        label=move.label,
        part=situation.index,
        done=sorted(done | {situation.index} if move.ends else done),
        flags=list(move.flags),
        seen={key: worth for key, worth in promising(situation).items() if key != move.did},
    )
    thought = " ".join([*(f"{reason[:1].upper()}{reason[1:]}." for reason in reasons), move.thought])
    return Decision(move.action, thought, move.summary, mark.model_dump(exclude_defaults=True))


def _end(action: Finished, thought: str) -> Decision:
    summary = "Finished." if action.status == "success" else "Gave up: the goal cannot be reached."
    return Decision(action, thought, summary, {})


def _blind(history: tuple[HistoryTurn, ...], why: str) -> Decision:
    """Without a screen to read: wait, then try to leave, then give up."""
    idle = 0
    for turn in reversed(history):
        if turn.action is not None and turn.action.type not in ("wait", "press"):
            break
        idle += 1
    actions: tuple[Action, str, str]
    if idle < _PATIENCE:
        actions = (Wait(), f"I cannot see the screen: {why}. I wait.", "Waited for a readable screen.")
    elif idle < 2 * _PATIENCE:
        actions = (Press(key="back"), f"I still cannot see the screen: {why}. I go back.", "Went back.")
    else:
        text = f"the screen stays unreadable: {why}"
        return _end(Finished(status="infeasible", text=text[:500]), f"{text}; I give up.")
    return Decision(*actions)


def _noise(observation: Observation, sample: int) -> Callable[[str], float]:
    """Gumbel noise on scores, scaled by a fifth of the temperature: sampling instead of the best."""
    temperature = observation.sampling.temperature or 0.0
    if temperature <= 0:
        return lambda _: 0.0
    origin = observation.sampling.seed
    if origin is None:
        origin = step_of(observation.history)

    def noise(key: str) -> float:
        uniform = random.Random(f"{origin}/{sample}/{key}").random()
        return -0.2 * temperature * math.log(-math.log(min(max(uniform, 1e-9), 1 - 1e-9)))

    return noise
