"""The rules: each a pure function from an episode to what is wrong with it, or nothing.

A rule judges what the record shows and never looks at a phone. Where the record cannot tell (no UI tree, a frame that
does not decode), the agent gets the benefit of the doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from agent_server.actions import Answer, CallUser, Click, DoubleClick, Drag, Finished, LongPress, Wait
from agent_server.geometry import Point
from emulator_farm.episode import Episode, Step
from emulator_farm.rule_settings import RuleName, RuleSettings
from emulator_farm.screens import is_outside, may_be_unchanged, stale, tree_of, unchanged
from emulator_farm.signatures import UNREADABLE, step_signature

QUESTION = "question"
"""The tag of a task that asks for an answer."""


@dataclass(frozen=True)
class Finding:
    """What a rule found. `step` is the position of the first bad step, None where it is the episode as a whole."""

    reason: RuleName
    detail: str
    step: int | None = None


Rule = Callable[[Episode, RuleSettings], Finding | None]


def no_terminal_action(episode: Episode, settings: RuleSettings) -> Finding | None:
    """The agent never said that it was done: a limit of ours ended the episode."""
    moves = episode.moves
    last = moves[-1].decision if moves else None
    if last is not None and isinstance(last.action, Finished | Answer | CallUser):
        return None
    return Finding("no_terminal_action", f"ended by {episode.end} after {len(moves)} steps")


def short_abnormal(episode: Episode, settings: RuleSettings) -> Finding | None:
    """A few steps and then an exit that is neither a finish nor a right "cannot be done"."""
    count = len(episode.moves)
    passed = episode.reward is not None and episode.reward >= settings.pass_mark
    if count >= settings.short_steps or passed or episode.end in ("finished", "answer"):
        return None
    return Finding("short_abnormal", f"ended by {episode.end} after {count} steps")


def repeated_action(episode: Episode, settings: RuleSettings) -> Finding | None:
    """The same action over and over. The first of them may have been right, so the second is the first bad step."""
    may_repeat = (f"{UNREADABLE} ", *(f"{name} " for name in settings.repeat_ignores))
    position = 0
    for sign, run in groupby(_signatures(episode, settings)):
        count = len(list(run))
        if count >= settings.repeat_count and not f"{sign} ".startswith(may_repeat):
            return Finding("repeated_action", f"{sign}, {count} times in a row from step {position}", position + 1)
        position += count
    return None


def cycle(episode: Episode, settings: RuleSettings) -> Finding | None:
    """A pattern of two or more actions played again and again. Its second round is where the bad part begins."""
    signs = _signatures(episode, settings)
    found = [
        (start, length)
        for length in range(2, settings.cycle_longest + 1)
        if (start := _first_cycle(signs, length, max(2 * length, settings.cycle_steps))) is not None
    ]
    if not found:
        return None
    start, length = min(found)
    pattern = " | ".join(signs[start : start + length])
    return Finding("cycle", f"{length} actions over and over from step {start}: {pattern}", start + length)


def no_change(episode: Episode, settings: RuleSettings) -> Finding | None:
    """Actions that left the screen as it was, but for the status bar. Waits and endings are not meant to change it."""
    alike = [
        (position, before.screen, after.screen)
        for position, (before, after) in enumerate(pairwise(episode.steps))
        if _should_change(before) and may_be_unchanged(before.screen, after.screen)
    ]
    if len(alike) < settings.no_change_count:
        return None
    dead = [position for position, before, after in alike if unchanged(before, after, settings.status_bar)]
    if len(dead) < settings.no_change_count:
        return None
    return Finding("no_change", f"{len(dead)} actions changed nothing: steps {', '.join(map(str, dead))}", dead[0])


def parse_failure(episode: Episode, settings: RuleSettings) -> Finding | None:
    """Replies that gave no action."""
    signs = _signatures(episode, settings)
    count = signs.count(UNREADABLE)
    if count < settings.parse_failures:
        return None
    first = signs.index(UNREADABLE)
    decision = episode.moves[first].decision
    error = decision.parse_error if decision else None
    why = f", first: {error.kind}: {error.message}" if error else ""
    return Finding("parse_failure", f"{count} unreadable replies{why}", first)


def point_outside(episode: Episode, settings: RuleSettings) -> Finding | None:
    """Taps where the UI tree has nothing but background."""
    missed: list[tuple[int, Point]] = []
    for position, step in enumerate(episode.moves):
        point = _touched(step)
        if point is None:
            continue
        tree = tree_of(step.screen)
        if tree is not None and is_outside(tree, point):
            missed.append((position, point))
    if len(missed) < settings.points_outside:
        return None
    position, point = missed[0]
    return Finding("point_outside", f"{len(missed)} taps on nothing, first at ({point.x}, {point.y})", position)


def black_frame(episode: Episode, settings: RuleSettings) -> Finding | None:
    """A frame without a single pixel that is not black: protected, asleep, or a capture that failed."""
    for position, step in enumerate(episode.steps):
        if "black" in step.screen.flags:
            return Finding("black_frame", f"the frame of step {position} is black", position)
    return None


def missing_frame(episode: Episode, settings: RuleSettings) -> Finding | None:
    """A step without a picture, or an episode without a step."""
    if not episode.steps:
        return Finding("missing_frame", "the episode has no frames", 0)
    for position, step in enumerate(episode.steps):
        if not step.screen.image:
            return Finding("missing_frame", f"step {position} has no frame", position)
    return None


def stale_frame(episode: Episode, settings: RuleSettings) -> Finding | None:
    """A frame that shows an earlier moment: app, activity or UI tree went on, but not one pixel did."""
    for position, (before, after) in enumerate(pairwise(episode.steps), start=1):
        evidence = stale(before.screen, after.screen)
        if evidence is not None:
            return Finding(
                "stale_frame", f"step {position} has the picture of the one before, but {evidence}", position
            )
    return None


def answer_missing(episode: Episode, settings: RuleSettings) -> Finding | None:
    """The task asks a question, and no action of the agent has a text that could be the answer."""
    if QUESTION not in episode.header.tags:
        return None
    for step in episode.moves:
        action = step.decision.action if step.decision else None
        if isinstance(action, Answer | Finished) and action.text.strip():
            return None
    return Finding("answer_missing", "the task asks a question and no answer was given")


def checker_failed(episode: Episode, settings: RuleSettings) -> Finding | None:
    """The check gave less than the pass mark; or, without a check, the agent did not claim success."""
    if episode.reward is None:
        unclaimed = episode.status != "success"
        return Finding("checker_failed", f"no check, and the agent ended by {episode.end}") if unclaimed else None
    if episode.reward >= settings.pass_mark:
        return None
    return Finding("checker_failed", f"reward {episode.reward:g}" + (f": {episode.reason}" if episode.reason else ""))


RULES: dict[RuleName, Rule] = {
    "no_terminal_action": no_terminal_action,
    "short_abnormal": short_abnormal,
    "repeated_action": repeated_action,
    "cycle": cycle,
    "no_change": no_change,
    "parse_failure": parse_failure,
    "point_outside": point_outside,
    "black_frame": black_frame,
    "missing_frame": missing_frame,
    "stale_frame": stale_frame,
    "answer_missing": answer_missing,
    "checker_failed": checker_failed,
}
"""Every rule that looks at one episode alone; `duplicate` looks at all of them (`emulator_farm.filters`)."""


def _signatures(episode: Episode, settings: RuleSettings) -> list[str]:
    return [step_signature(step, settings.grid_px) for step in episode.moves]


def _first_cycle(signs: Sequence[str], length: int, least: int) -> int | None:
    """Where a stretch of `least` steps or more begins that repeats a pattern of `length` steps, not all equal."""
    matched = 0
    for position in range(length, len(signs)):
        matched = matched + 1 if signs[position] == signs[position - length] else 0
        start = position - length - matched + 1
        if matched + length >= least and len(set(signs[start : start + length])) > 1:
            return start
    return None


def _should_change(step: Step) -> bool:
    action = step.decision.action if step.decision else None
    return action is not None and not isinstance(action, Wait | Answer | CallUser | Finished)


def _touched(step: Step) -> Point | None:
    """Where a finger goes down that means to hit something; a scroll may start anywhere."""
    match step.decision.action if step.decision else None:
        case Click(point=point) | DoubleClick(point=point) | LongPress(point=point) | Drag(start=point):
            return point
        case _:
            return None
