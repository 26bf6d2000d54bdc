"""Questions: find the label that the question names and read what stands beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from agent_server.actions import Answer
from agent_server.baselines import vocabulary as v
from agent_server.baselines.controls import find_switch
from agent_server.baselines.elements import Text
from agent_server.baselines.situation import Move, Outcome, Situation, short
from agent_server.baselines.words import content, coverage, says, words

_YES_NO = re.compile(r"^\W*(?:is|are|does|do|has|have)\b|\bwhether\b", re.I)
_HOW_MANY = re.compile(r"\bhow many\b|^\W*count\b|\bthe number of\b", re.I)
_SHAPES: tuple[tuple[frozenset[str], re.Pattern[str]], ...] = (
    (v.bag("email mail e-mail"), re.compile(r"\S+@\S+\.\S+")),
    (v.bag("phone telephone mobile"), re.compile(r"\+?[\d(][\d\s().-]{4,}\d")),
    (v.bag("time when"), re.compile(r"\b\d{1,2}:\d{2}(?:\s*[APap][Mm])?")),
    (v.bag("percentage percent level"), re.compile(r"\d+\s?%")),
    (v.bag("version number many much old"), re.compile(r".*\d.*")),
)


def answer(situation: Situation) -> Outcome | None:
    """Say what the screen tells about the question; None while it tells nothing."""
    part = situation.part
    if situation.screen.home:
        return None
    if _YES_NO.search(part.text):
        switch = find_switch(situation)
        if switch is None:
            return None
        wanted = not set(words(part.text)) & v.OFF_WORDS
        return _say(situation, "yes" if switch.checked == wanted else "no", short(switch.title))
    if _HOW_MANY.search(part.text):
        return _count(situation)
    if part.targets and not _at_target(situation):
        return None
    if set(words(part.text)) & {"who", "whose"}:
        return _who(situation)
    return _beside_label(situation) or _in_lines(situation) or _by_shape(situation)


def _who(situation: Situation) -> Outcome | None:
    """The heading of the page that shows what the question gives."""
    title, screen = situation.screen.title, situation.screen
    if title and situation.memory.trail and not any(says(title, target) for target in situation.part.targets):
        return _say(situation, title, "the page that shows it")
    row = next((e for e in screen.elements if any(_shows(e.labels[1:], t) for t in situation.part.targets)), None)
    return _say(situation, row.title, "the row that shows it") if row is not None else None


def _in_lines(situation: Situation) -> Outcome | None:
    """The rest of the line that speaks of what is asked, in a text of several lines."""
    terms = [term for term in situation.part.terms if term not in situation.context] or list(situation.part.terms)
    best: tuple[float, str] = (0.0, "")
    for text in (*(t.label for t in situation.screen.texts), *(field.held for field in situation.screen.fields)):
        lines = text.splitlines() if "\n" in text else []
        for line in lines:
            rest = " ".join(word for word in line.split() if not coverage(words(word), terms))
            fit = coverage(terms, words(line))
            if rest and fit > best[0]:
                best = (fit, rest.strip(" :-–=,;"))
    return _say(situation, best[1], "the line that speaks of it") if best[0] >= 0.45 else None


def _at_target(situation: Situation) -> bool:
    """Whether the page is about the thing asked for: the heading names it, or it was opened last."""
    free = [text.label for text in situation.screen.texts if text.owner < 0]
    return situation.at_target or any(_shows(free, target) for target in situation.part.targets)


def _shows(labels: Iterable[str], target: str) -> bool:
    """Whether one of the labels contains the target; of numbers only the digits count."""
    digits = re.sub(r"\D", "", target)
    if len(digits) >= 5 and not re.search(r"[^\W\d_]", target):
        return any(digits in re.sub(r"\D", "", label) for label in labels)
    return any(says(label, target) for label in labels)


def _beside_label(situation: Situation) -> Outcome | None:
    """The text that belongs to the label which names what is asked."""
    part, screen = situation.part, situation.screen
    terms = [term for term in part.terms if term not in situation.context] or list(part.terms)
    best: tuple[float, Text | None] = (0.0, None)
    for text in screen.texts:
        own = content(text.label)
        fit = min(coverage(part.terms, own), 1.0) * coverage(own, part.terms) if own else 0.0
        if fit > best[0] and coverage(terms, own) > 0:
            best = (fit, text)
    fit, label = best
    if label is None or fit < 0.45:
        return None
    value = _partner(situation, label)
    return _say(situation, value, short(label.label)) if value else None


def _partner(situation: Situation, label: Text) -> str | None:
    """The other text of the same row, else the nearest one to the right of the label or below it."""
    shape = _shape(set(words(label.label)) & set(words(situation.part.text)))
    others = [text for text in situation.screen.texts if text is not label and text.label != label.label]
    rows = [text for text in others if text.owner >= 0 and text.owner == label.owner]
    near = [
        text
        for text in others
        if text.owner == label.owner or text.owner < 0
        if abs(text.box.top - label.box.top) <= 2.5 * max(label.box.height, 1)
        and abs(text.box.left - label.box.left) <= situation.screen.size.width // 2
    ]
    for text in (*rows, *sorted(near, key=lambda text: _distance(text, label))):
        if shape is None:
            return text.label
        if match := shape.search(text.label):
            return match.group()
    return None


def _distance(text: Text, label: Text) -> tuple[bool, int, int]:
    """Below or beside comes before above; then the nearest."""
    return text.box.top < label.box.top, abs(text.box.top - label.box.top), abs(text.box.left - label.box.left)


def _by_shape(situation: Situation) -> Outcome | None:
    """The only text on the page that looks like what is asked: a number, an address, a time."""
    shape = _shape(situation.part.terms)
    if shape is None or not situation.part.targets:
        return None
    found = {match.group() for text in situation.screen.texts if (match := shape.search(text.label))}
    return _say(situation, found.pop(), situation.part.targets[0]) if len(found) == 1 else None


def _shape(asked: Iterable[str]) -> re.Pattern[str] | None:
    """What a text must look like to answer for these words; None for any."""
    stems = set(asked)
    return next((pattern for names, pattern in _SHAPES if stems & names), None)


def _count(situation: Situation) -> Outcome | None:
    """Count the rows of a list, or its switches that are on (or off) where the question asks for these."""
    screen = situation.screen
    nouns = [term for term in situation.part.terms if term not in v.ON_WORDS | v.OFF_WORDS]
    if not nouns or coverage(nouns[:1], situation.context) < 0.7 or len(situation.memory.trail) > 1:
        return None
    asked = set(words(situation.part.text))
    switches = [element for element in screen.elements if element.kind == "switch"]
    if asked & (v.ON_WORDS - {"on"}) or (switches and "on" in asked):
        return _say(situation, str(sum(1 for e in switches if e.checked)), "the switches that are on")
    if asked & v.OFF_WORDS:
        return _say(situation, str(sum(1 for e in switches if not e.checked)), "the switches that are off")
    region = screen.scrollable()
    rows = [e for e in screen.elements if e.kind == "row" and e.labels and (region is None or _within(region, e.box))]
    return _say(situation, str(len(switches) or len(rows)), "the rows of the list")


def _within(region: tuple[int, int, int, int], box: tuple[int, int, int, int]) -> bool:
    return region[1] <= box[1] and box[3] <= region[3]


def _say(situation: Situation, text: str, source: str) -> Move:
    return Move(
        Answer(text=text),
        f'The screen shows "{short(text)}" for {source}. I answer that.',
        f'Answered "{short(text)}".',
        ends=True,
    )
