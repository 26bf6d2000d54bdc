"""Entering what the goal gives: which value goes into which field, typing it, and the button that keeps it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from agent_server.actions import Click, Press, Type
from agent_server.baselines import vocabulary as v
from agent_server.baselines.elements import Element
from agent_server.baselines.situation import Done, Move, Outcome, Situation, entered, short, touch
from agent_server.baselines.values import Value
from agent_server.baselines.words import best_kin, coverage, plain, same, words
from agent_server.geometry import Point

_KIND_WORDS: dict[str, tuple[str, ...]] = {
    "phone": ("phone", "number"),
    "email": ("email",),
    "url": ("website", "url", "address"),
    "duration": ("duration", "length"),
}
_MANY = 24
"""Deletions that are worth their steps."""
_FIRST, _LAST = {"first", "given"}, {"last", "family", "surname"}


def fill(situation: Situation) -> Outcome | None:
    """Bring the next field to the value that the goal gives for it."""
    planned = plan(situation)
    if situation.part.intent == "create" and not situation.part.appends:
        mine = [field for _, _, field in planned if not field.held or situation.has(f"typed:{field.key}")]
        if len(mine) < len(planned):
            return None  # a form that is filled already belongs to something else
    for at, text, field in planned:
        if _holds(situation, field, text) or situation.count(f"typed:{field.key}") >= 3:
            continue
        return _enter(situation, at, text, field)
    return None


def kept(situation: Situation) -> Outcome | None:
    """Done when all values are entered and confirmed and the form is gone."""
    if not situation.part.values or situation.outstanding or not situation.has("confirmed"):
        return None
    form = plan(situation) or situation.screen.dialog
    return None if form and confirm_button(situation) is not None else Done("what was entered has been kept")


def confirm(situation: Situation) -> Outcome | None:
    """Keep what was entered, and know when that has happened."""
    if not any(situation.has(entered(at)) for at, _ in enumerate(situation.part.values)):
        return None
    if done := kept(situation):
        return done
    button = confirm_button(situation)
    form = plan(situation) or situation.screen.dialog
    confirmed = situation.has("confirmed")
    if button is not None and situation.touched(button) < 3 and (form or not confirmed):
        return touch(situation, button, "Everything that belongs here is entered.", "confirmed")
    if confirmed or situation.outstanding:
        return None
    if situation.part.intent == "find":
        return Move(Press(key="enter"), "The text is entered. I press Enter.", "Pressed Enter.", flags=("confirmed",))
    return Move(
        Press(key="back"),
        "Everything is entered and there is no button to keep it; leaving the page should. I go back.",
        "Went back.",
        flags=("confirmed",),
    )


def confirm_button(situation: Situation) -> Element | None:
    """The button that keeps or confirms, best wording first."""
    allowed = set(v.CONFIRM_LABELS) | set(situation.part.terms) | {"change", "it"}
    candidates: list[tuple[int, int, Element]] = []
    for element in situation.screen.elements:
        if element.kind not in ("button", "row"):
            continue
        stems = words(element.title)
        if not stems or len(stems) > 3 or not set(stems) <= allowed:
            continue
        ranks = [v.CONFIRM_LABELS.index(stem) for stem in stems if stem in v.CONFIRM_LABELS]
        if ranks and not (ranks == [v.CONFIRM_LABELS.index("add")] and not situation.screen.dialog):
            candidates.append((min(ranks), element.order, element))
    return min(candidates, key=lambda item: item[:2])[2] if candidates else None


def plan(situation: Situation) -> list[tuple[int, str, Element]]:
    """Value position, text and field for every value that has a field on this screen."""
    fields = [field for field in situation.screen.fields if not field.node.password]
    if not fields or situation.part.intent in ("toggle", "delete", "ask", "open"):
        return []
    searching = situation.part.intent == "find"
    fields = [field for field in fields if (searching or not _searches(field)) and not _counts(field)]
    planned: list[tuple[int, str, Element]] = []
    left: list[tuple[int, Value]] = []
    for at, value in enumerate(situation.part.values):
        if value.kind in ("time", "percent") or (value.kind == "duration" and not value.typed):
            continue
        split = list(_split_name(at, value, fields))
        if split:
            planned += split
            continue
        free = [field for field in fields if all(field is not taken for _, _, taken in planned)]
        best = max(free, key=lambda field: likeness(value, field), default=None)
        if best is not None and likeness(value, best) >= 0.5:
            planned.append((at, value.text, best))
        else:
            left.append((at, value))
    return planned + _leftovers(situation, left, fields, planned)


def likeness(value: Value, field: Element) -> float:
    """How well a field's names fit the key (or kind) of a value, 0 to 1."""
    names = field.spoken
    if set(value.key) & (_FIRST | _LAST) and not names & set(value.key):
        return 0.0
    by_key = coverage(value.key, names) if value.key else 0.0
    by_kind = max((best_kin(stem, names) for stem in _KIND_WORDS.get(value.kind, ())), default=0.0)
    if value.kind in ("phone", "email", "url") and not by_kind and value.key:
        return by_key * 0.9
    return max(by_key, 0.8 * by_kind) - 0.02 * len(names - set(value.key))


def _split_name(at: int, value: Value, fields: list[Element]) -> Iterator[tuple[int, str, Element]]:
    """A person's whole name over two fields, where a form asks for first and last."""
    if value.key != ("name",):
        return
    first = next((field for field in fields if field.spoken & _FIRST), None)
    last = next((field for field in fields if field.spoken & _LAST), None)
    whole = any(words(label) in (("name",), ("full", "name")) for field in fields for label in field.labels)
    given, _, family = value.text.rpartition(" ")
    if whole or first is None or last is None:
        return
    yield at, given or family, first
    if given:
        yield at, family, last


def _leftovers(
    situation: Situation, left: list[tuple[int, Value]], fields: list[Element], planned: list[tuple[int, str, Element]]
) -> list[tuple[int, str, Element]]:
    """Values whose key no field bears, in order into the fields that nothing else claims."""
    part = situation.part
    claimed = [field for _, _, field in planned]
    free = [field for field in fields if not any(field is other for other in claimed)]
    if part.intent == "edit" and not planned and left and not left[0][1].key:
        wanted = [field for field in free if coverage(part.terms, field.spoken) >= 0.5]
        old = [field for field in free if any(same(field.held, target) for target in part.targets)]
        free = old or wanted or (free if len(free) == 1 else [])
    if part.appends:
        free = sorted((f for f in free if situation.at_target), key=lambda field: -field.box.area)[:1]
    loose = [(at, value) for at, value in left if _may_go_anywhere(situation, value)]
    return [(at, value.text, field) for (at, value), field in zip(loose, free, strict=False)]


def _may_go_anywhere(situation: Situation, value: Value) -> bool:
    if situation.part.appends:
        return True
    if situation.part.intent == "set" and not value.typed:
        return False
    if value.kind in ("phone", "email", "url", "duration", "number"):
        return situation.screen.dialog or value.typed
    if value.key and not value.typed:
        return situation.screen.dialog
    return True


def _searches(field: Element) -> bool:
    return bool(field.spoken & v.SEARCH_LABELS)


def _counts(field: Element) -> bool:
    """Whether a field takes part of a time, which the pickers' rules enter."""
    return bool(field.spoken & {"hour", "minute", "second"})


def _holds(situation: Situation, field: Element, text: str) -> bool:
    held = field.node.text
    if plain(held) == plain(text) or (situation.part.appends and plain(held).endswith(plain(text))):
        return True
    digits = re.sub(r"\D", "", text)
    return len(digits) >= 5 and digits == re.sub(r"\D", "", held) and not re.search(r"[^\W\d]", text)


def _enter(situation: Situation, at: int, text: str, field: Element) -> Move:
    name = short(field.title or "the field", 40)
    last = situation.memory.last
    just_touched = last is not None and last.did == field.key
    if not just_touched and (field.held or not field.node.focused):
        return _to_end(touch(situation, field, f'"{short(text, 40)}" belongs into "{name}".'), situation, field)
    adding = situation.part.appends and bool(field.held)
    if field.held and not adding and (clearing := _clear(situation, field, name)):
        return clearing
    return Move(
        Type(text=f"\n{text}" if adding else text),
        f'"{name}" is ready for "{short(text, 40)}". I type it.',
        f'Typed "{short(text)}" into "{name}".',
        field.key,
        field.title[:80],
        (entered(at), f"typed:{field.key}"),
    )


def _to_end(move: Move, situation: Situation, field: Element) -> Move:
    """Touch a field that holds something near its last corner, so that the caret comes behind the text."""
    if not field.held:
        return move
    box = field.box
    corner = Point(box.right - 1 - box.width // 12, box.bottom - 1 - box.height // 8)
    return replace(move, action=Click(point=corner.clamped(situation.screen.size)))


def _clear(situation: Situation, field: Element, name: str) -> Move | None:
    """Get rid of what a field holds: a clear button, select all, or one deletion after another."""
    why = f'"{name}" holds something else.'
    for element in situation.screen.elements:
        if plain(element.title) in ("select all", "clear", "clear text") and not situation.has(f"cleared:{field.key}"):
            return touch(situation, element, why, f"cleared:{field.key}")
    if len(field.held) > _MANY:
        return None
    thought = f"{why} I delete a character."
    return Move(Press(key="delete"), thought, "Deleted a character.", field.key, field.title[:80])
