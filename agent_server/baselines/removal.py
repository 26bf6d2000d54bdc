"""Deleting something that exists: open or hold it, find the word for deleting, confirm, see it gone."""

from __future__ import annotations

from agent_server.baselines import vocabulary as v
from agent_server.baselines.screen import Element
from agent_server.baselines.situation import Done, Outcome, Situation, hold, touch
from agent_server.baselines.words import plain, says, words


def delete(situation: Situation) -> Outcome | None:
    """The next step towards deleting the target; None while it has to be found first."""
    targets = situation.part.targets
    screen = situation.screen
    visible = [e for e in screen.elements if any(says(label, target) for label in e.labels for target in targets)]
    shown = bool(visible) or any(says(text.label, target) for text in screen.texts for target in targets)
    button = _delete_button(situation, visible)
    if situation.has("deleting"):
        if button is not None and screen.dialog and situation.touched(button) < 2:
            return touch(situation, button, "The phone asks back.", "deleting")
        if button is None and (answer := _yes(situation)):
            return touch(situation, answer, "The phone asks back.", "deleting")
        if not shown and not screen.dialog:
            return Done("it is gone")
    opened = situation.has("opened") or situation.has("held") or any(says(screen.title, target) for target in targets)
    if targets and not shown and not opened:
        return None
    if button is not None and situation.touched(button) < 2 and (opened or button in visible or not targets or shown):
        return touch(situation, button, "This deletes it.", "deleting")
    if opened and (more := _more(situation)):
        return touch(situation, more, "Deleting may be among the further options.")
    return _get_hold(situation, visible)


def _get_hold(situation: Situation, visible: list[Element]) -> Outcome | None:
    """Open the target; where that did not help, hold it."""
    for element in visible:
        if not situation.touched(element):
            return touch(situation, element, "This is what is to be deleted.", "opened")
    for element in visible:
        if not situation.has("held"):
            return hold(situation, element, "Opening it offered no way to delete.", "held")
    return None


def _delete_button(situation: Situation, visible: list[Element]) -> Element | None:
    """A short label with a word for deleting, the one nearest to the target."""
    found = []
    for element in situation.screen.elements:
        stems = set(words(element.title))
        if element.kind in ("button", "row") and stems & v.DELETE_LABELS and len(words(element.title)) <= 5:
            distance = min((abs(element.box.centre.y - other.box.centre.y) for other in visible), default=0)
            found.append((distance, element.order, element))
    return min(found, key=lambda item: item[:2])[2] if found else None


def _yes(situation: Situation) -> Element | None:
    if not situation.screen.dialog:
        return None
    wanted = ("ok", "yes", "confirm", "continue")
    return next((e for e in situation.screen.elements if plain(e.title) in wanted and situation.touched(e) < 2), None)


def _more(situation: Situation) -> Element | None:
    return next(
        (e for e in situation.screen.elements if plain(e.title) in v.MORE_LABELS and situation.touched(e) < 2), None
    )
