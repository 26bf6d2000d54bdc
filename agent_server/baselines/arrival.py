"""Knowing that one has arrived, and pressing the button that a goal is about."""

from __future__ import annotations

from agent_server.baselines import vocabulary as v
from agent_server.baselines.elements import Element
from agent_server.baselines.forms import confirm_button
from agent_server.baselines.navigation import inside
from agent_server.baselines.situation import Done, Outcome, Situation, touch
from agent_server.baselines.words import content, coverage, says, words


def arrive(situation: Situation) -> Outcome | None:
    """Done when the page in front is the one that was to be opened or found."""
    part, memory = situation.part, situation.memory
    if situation.screen.home:
        return None
    if not part.names and not part.values:
        app = part.app
        return Done(f"{app.name} is open") if app is not None and inside(situation, app) else None
    last = memory.last.label if memory.last is not None and memory.last.did and not memory.unchanged else ""
    for label in (situation.screen.title, last):
        if part.intent != "other" and any(says(label, target) for target in part.targets):
            return Done(f'"{label}" is open')
        own = content(label)
        if not part.targets and own and coverage(part.names, own) >= 0.9 and coverage(own, part.names) >= 0.6:
            return Done(f'"{label}" is open')
    pressed = part.intent == "other" and part.targets and situation.at_target
    if pressed and memory.last is not None and coverage(part.terms, words(memory.last.label)) >= 0.5:
        return Done(f'"{memory.last.label}" has been tapped')
    return None


def start(situation: Situation) -> Outcome | None:
    """Press the button that starts (stops, calls, …) what the goal names, once its values are entered."""
    if situation.has("started"):
        if situation.screen.dialog and (button := confirm_button(situation)) and situation.touched(button) < 2:
            return touch(situation, button, "The phone asks back.")
        return Done("it has been started")
    if situation.outstanding or not situation.related(*v.START_VERBS):
        return None
    button = _start_button(situation)
    return touch(situation, button, "Everything is ready.", "started") if button is not None else None


def _start_button(situation: Situation) -> Element | None:
    spoken = set(words(situation.part.text))
    wanted = spoken & v.START_VERBS
    wanted |= v.START_LABELS if wanted & v.START_LABELS else frozenset()
    found = [
        element
        for element in situation.screen.elements
        if element.kind in ("button", "row") and set(words(element.title)) & wanted and len(words(element.title)) <= 3
    ]
    return min(found, key=lambda element: (len(words(element.title)), element.order), default=None)
