"""Deleting something that exists: open or hold it, find the word for deleting, confirm, see it gone."""

from __future__ import annotations

from agent_server.baselines import vocabulary as v
from agent_server.baselines.elements import Element
from agent_server.baselines.situation import Done, Outcome, Situation, hold, touch
from agent_server.baselines.words import plain, says, words

_YES = ("ok", "yes", "confirm", "continue")


def delete(situation: Situation) -> Outcome | None:
    """The next step towards deleting the target; None while it has to be found first."""
    screen = situation.screen
    shown = _shows(situation, *(text.label for text in screen.texts), *(field.held for field in screen.fields))
    if situation.has("deleting"):
        if screen.dialog and (button := _delete_button(situation) or _answer(situation)):
            return touch(situation, button, "The phone asks back.", "deleting")
        if not shown and not screen.dialog:
            return Done("it is gone")
    held = situation.memory.last is not None and "held" in situation.memory.last.flags
    chosen = held or situation.at_target or not situation.part.targets
    button = _delete_button(situation)
    if button is not None and (chosen or _shows(situation, *screen.around(button), *button.labels)):
        return touch(situation, button, "This deletes it.", "deleting")
    if chosen and (more := _more(situation)):
        return touch(situation, more, "Deleting may be among the further options.")
    return _get_hold(situation)


def _shows(situation: Situation, *labels: str) -> bool:
    return any(says(label, target) for target in situation.part.targets for label in labels)


def _get_hold(situation: Situation) -> Outcome | None:
    """Open the target; where that did not help, hold it."""
    visible = [e for e in situation.screen.elements if e.kind in ("row", "button") and _shows(situation, *e.labels)]
    for element in visible:
        if not situation.touched(element):
            return touch(situation, element, "This is what is to be deleted.")
    for element in visible:
        if not situation.has("held"):
            return hold(situation, element, "Opening it offered no way to delete.", "held")
    return None


def _delete_button(situation: Situation) -> Element | None:
    """A short label with a word for deleting: the target's own where several entries of a list have one."""
    found = [
        element
        for element in situation.screen.elements
        if element.kind in ("button", "row")
        and set(words(element.title)) & v.DELETE_LABELS
        and len(words(element.title)) <= 5
        and situation.touched(element) < 3
    ]
    own = [element for element in found if _shows(situation, *situation.screen.around(element))]
    return next(iter(own or found), None)


def _answer(situation: Situation) -> Element | None:
    return next((e for e in situation.screen.elements if plain(e.title) in _YES and situation.touched(e) < 2), None)


def _more(situation: Situation) -> Element | None:
    return next(
        (e for e in situation.screen.elements if plain(e.title) in v.MORE_LABELS and situation.touched(e) < 2), None
    )
