"""How promising it is to touch something, given what the goal says and what has been tried."""

from __future__ import annotations

from agent_server.baselines import vocabulary as v
from agent_server.baselines.elements import Element
from agent_server.baselines.situation import MET, Situation, entered
from agent_server.baselines.words import (
    Weights,
    best_kin,
    content,
    coverage,
    plain,
    relevance,
    same,
    says,
    segments,
    words,
)

STRONG = 0.7
"""A score that is followed at once."""
WEAK = 0.2
"""A score that is followed when there is nothing better on this screen."""
STALE = 0.25
"""What is left of a score with each time that the way was tried."""

_KEPT = 3


def score(situation: Situation, element: Element) -> float:
    """How promising an element is, 0 for nothing; negative for what had better be left alone."""
    if id(element) not in situation.scores:
        situation.scores[id(element)] = _score(situation, element)
    return situation.scores[id(element)]


def _score(situation: Situation, element: Element) -> float:
    if off_limits(situation, element):
        return -1.0
    weights = situation.weights
    worth = max(
        _worth(situation, label, weights) * (1.0 if at == 0 else 0.75) for at, label in enumerate(_names(element))
    )
    worth += _leads(situation, element)
    if element.node.selected:
        worth *= MET
    return worth * STALE ** situation.touched(element) + situation.noise(element.key)


def promising(situation: Situation) -> dict[str, float]:
    """What is worth coming back for on this screen: key to score, the best few."""
    scored = {element.key: round(score(situation, element), 2) for element in situation.screen.elements}
    best = sorted((item for item in scored.items() if item[1] >= WEAK), key=lambda item: -item[1])
    return dict(best[:_KEPT])


def off_limits(situation: Situation, element: Element) -> bool:
    """Fields and switches are not ways; nor is what makes or destroys things, unless the goal says so."""
    if element.kind in ("field", "slider", "choice") or plain(element.title) in v.UP_LABELS:
        return True
    part = situation.part
    stems, wanted = set(words(element.title)), set(words(part.text))
    if any(says(element.title, target) for target in part.targets):
        return False
    if stems & v.RISKY and len(stems) <= 3:
        return not any(best_kin(stem, wanted) for stem in stems & v.RISKY)
    if stems & v.ADD_LABELS and part.intent in ("delete", "toggle", "ask", "find", "open"):
        return not stems <= wanted
    return element.kind == "switch"


def _names(element: Element) -> tuple[str, ...]:
    return (*element.labels, element.name) if element.labels else (element.name,)


def _worth(situation: Situation, label: str, weights: Weights) -> float:
    """What a label is worth by the goal's words."""
    part = situation.part
    for target in part.targets:
        if says(label, target):
            return 3.0 if same(label, target) else 2.5
    for at, value in enumerate(part.values):
        if situation.has(entered(at)) and says(label, value.text):
            return 0.5
    whole = relevance(label, weights)
    pieces = segments(label)
    if len(pieces) < 2:
        return whole
    return max(whole, *(relevance(piece, weights) for piece in pieces))


def _leads(situation: Situation, element: Element) -> float:
    """What an element is worth for the kind of goal, whatever the goal is about."""
    part, stems = situation.part, set(words(element.title))
    if any(says(label, target) for target in part.targets for label in situation.screen.around(element)):
        return 0.6
    match part.intent:
        case "create" | "set" if not situation.has("confirmed") and stems & v.ADD_LABELS:
            return _adds(situation, element)
        case "toggle" | "set" if stems and stems <= v.KEEPING and not part.targets and part.value("time") is None:
            return 0.75 if situation.screen.home else 0.5
        case "edit" if situation.at_target and stems & v.EDIT_LABELS and len(stems) <= 3:
            return 1.0
        case _:
            return 0.0


def _adds(situation: Situation, element: Element) -> float:
    """What a button that makes something new is worth when that is the goal."""
    stems = words(element.title)
    if len(stems) > 4:
        return 0.0
    others = [stem for stem in content(element.title) if stem not in v.ADD_LABELS]
    if not others:
        return 0.9 if situation.part.intent == "create" or situation.related() else 0.0
    return 1.2 if coverage(others, situation.part.terms) > 0.4 else 0.1
