"""Finding the way: enter the app, follow what the goal names, look further down, try the rest, go back, give up."""

from __future__ import annotations

from typing import Literal

from agent_server.actions import OpenApp, Press, Scroll
from agent_server.baselines import vocabulary as v
from agent_server.baselines.elements import Element
from agent_server.baselines.goal import App
from agent_server.baselines.promise import STALE, STRONG, WEAK, off_limits, score
from agent_server.baselines.situation import Move, Outcome, Situation, Stuck, touch
from agent_server.baselines.words import best_kin, coverage, plain, same, words
from agent_server.geometry import Point

STEP_LIMIT = 45
SCROLL_LIMIT = 8
"""How often one place is scrolled."""
BLIND_HERE, BLIND_TOTAL, BLIND_ABROAD = 16, 20, 2
"""How many things that nothing speaks for are tried at one place, in one episode, and in an app that is not meant."""

_NO_WAYS = v.SEARCH_LABELS | v.ADD_LABELS | v.EDIT_LABELS | v.START_LABELS | v.CANCEL_LABELS | set(v.CONFIRM_LABELS)


def pass_prompt(situation: Situation) -> Outcome | None:
    """Get a prompt out of the way: permissions, "isn't responding", first-run pages."""
    screen = situation.screen
    prompt = "permissioncontroller" in screen.package or "packageinstaller" in screen.package
    if not prompt and not any("responding" in label or "keeps stopping" in label for label in screen.everything):
        return None
    for wanted in v.PASS_LABELS:
        for element in screen.elements:
            if plain(element.title) == wanted and situation.touched(element) < 2:
                return touch(situation, element, "A prompt is in the way.")
    return None


def enter_app(situation: Situation) -> Outcome | None:
    """Bring the app that the goal names to the front."""
    app, screen, memory = situation.part.app, situation.screen, situation.memory
    if app is None or inside(situation, app):
        return None
    if screen.home or app.said == "opened":
        icon = next((e for e in screen.elements if same(e.title, app.name)), None)
        if icon is not None and situation.touched(icon) >= 2:
            return Stuck(f"I have looked through {app.name} and found nothing that matches the goal")
        if icon is not None:
            return touch(situation, icon, f"The goal is about {app.name}.")
    if app.name not in memory.tried_apps:
        return Move(OpenApp(app=app.name), f"The goal is about {app.name}; I open it.", f"Opened {app.name}.")
    if not screen.home:
        return None if memory.app else _press("home", f"{app.name} did not open; I look for it.")
    if look := _scroll(situation, "down", f"{app.name} did not open; I look among all apps."):
        return look
    return Stuck(f"there is no app called {app.name} on this phone") if app.sure else None


def inside(situation: Situation, app: App) -> bool:
    """Whether the app in front is the one that is meant."""
    if situation.screen.home:
        return False
    name = "".join(words(app.name))
    package = situation.screen.package.replace("_", "").replace(".", "").lower()
    return (
        same(situation.memory.app, app.name)
        or same(situation.screen.title, app.name)
        or (len(name) >= 4 and name in package)
    )


def explore(situation: Situation) -> Outcome:
    """Go where the goal's words lead; where they lead nowhere, look around in an orderly way."""
    memory = situation.memory
    if memory.step >= STEP_LIMIT:
        return Stuck(f"{memory.step} steps led nowhere")
    best, element = _best(situation)
    if element is not None and best >= STRONG:
        return touch(situation, element, "This is what the goal speaks of.")
    if memory.here not in memory.searched:
        down = _scroll(situation, "down", "What the goal speaks of may be further down.")
        if down is not None:
            return down
    if element is not None and best >= WEAK:
        return touch(situation, element, "This may lead to what the goal speaks of.")
    return _return_to_seen(situation) or _wander(situation) or _retreat(situation)


def _best(situation: Situation) -> tuple[float, Element | None]:
    """The most promising element, the first of equals."""
    best: tuple[float, Element | None] = (0.0, None)
    for element in situation.screen.elements:
        worth = score(situation, element)
        if worth > best[0]:
            best = (worth, element)
    return best


def _scroll(situation: Situation, direction: Literal["up", "down"], why: str) -> Move | None:
    """Scroll the largest region, or the home screen; None where nothing scrolls that way any more."""
    screen, memory = situation.screen, situation.memory
    box = screen.scrollable()
    if direction in memory.ended.get(memory.here, ()):
        return None
    if box is None and (not screen.home or memory.scrolls[memory.here]):
        return None
    if memory.scrolls[memory.here] >= SCROLL_LIMIT:
        return None
    start = end = None
    if box is not None:
        x, y, height = box.centre.x, box.top, box.height
        low, high = (Point(x, round(y + share * height)).clamped(screen.size) for share in (0.85, 0.2))
        start, end = (low, high) if direction == "down" else (high, low)
    action = Scroll(direction=direction, start=start, end=end)
    return Move(action, f"{why} I scroll {direction}.", f"Scrolled {direction}.")


def _return_to_seen(situation: Situation) -> Move | None:
    """Scroll back towards something promising that was passed and not touched."""
    here = {element.key for element in situation.screen.elements}
    place = situation.memory.here
    for key, worth in situation.memory.seen.get(place, {}).items():
        if key not in here and worth * STALE ** situation.memory.touches[place, key] >= WEAK:
            why = "I passed something that may lead there."
            return _scroll(situation, "up", why) or _scroll(situation, "down", why)
    return None


def _wander(situation: Situation) -> Move | None:
    """Try what nothing speaks for: apps from home, buttons and rows near an app's entrance."""
    screen, memory = situation.screen, situation.memory
    if screen.home and situation.part.app and situation.part.app.sure:
        return None
    tried_here = sum(1 for place, _ in memory.touches if place == memory.here)
    astray = len(memory.trail) > 1 or any(entry.blind for entry in memory.trail)
    if astray or tried_here >= _budget(situation) or memory.blind >= BLIND_TOTAL:
        return None
    region = screen.scrollable()
    listed = {e.key for e in screen.elements if region is not None and region.contains(e.box.centre)}
    fresh = [element for element in screen.elements if _untried(situation, element)]
    whose = situation.part.intent == "ask" and bool(set(words(situation.part.text)) & {"who", "whose"})
    if situation.part.targets and memory.here in memory.searched and not whose:
        fresh = [element for element in fresh if element.key not in listed]
    fresh.sort(key=lambda element: (element.key in listed, element.order))
    if fresh and fresh[0].key in listed and memory.here in memory.searched and memory.scrolls[memory.here] > 0:
        top = _scroll(situation, "up", "Nothing here matches the goal; I begin at the top.")
        if top is not None and not any(e.key in listed and situation.touched(e) for e in screen.elements):
            return top
    if not fresh:
        return None
    return touch(situation, fresh[0], "Nothing here matches the goal; I look around.", "blind")


def _budget(situation: Situation) -> int:
    """How many things of this place are tried: few in an app that nothing speaks for."""
    part, memory = situation.part, situation.memory
    spoken = (*part.names, *v.KEEPING)
    meant = part.app is not None or any(best_kin(stem, spoken) for stem in words(memory.app))
    return BLIND_HERE if meant or situation.screen.home or not memory.app else BLIND_ABROAD


def _untried(situation: Situation, element: Element) -> bool:
    """Whether something could be a way at all: it has a name, is no keypad, canvas, menu or verb."""
    label = element.title
    return (
        sum(character.isalpha() for character in label) >= 3
        and bool(element.labels)
        and not situation.touched(element)
        and not element.node.selected
        and label not in situation.memory.tried_apps
        and element.box.area < 0.3 * situation.screen.size.pixels
        and plain(label) not in v.MORE_LABELS
        and not set(words(label)) & _NO_WAYS
        and not off_limits(situation, element)
    )


def _retreat(situation: Situation) -> Outcome:
    """Go back, home, or give up."""
    screen, memory, app = situation.screen, situation.memory, situation.part.app
    if screen.home:
        return Stuck("nothing on this phone matches the goal")
    if situation.part.targets and _complete(situation):
        return Stuck(f'"{situation.part.targets[0]}" is not where it should be')
    deeper = bool(memory.trail) or screen.dialog or any(plain(e.title) in v.UP_LABELS for e in screen.elements)
    if app is not None and inside(situation, app) and not deeper:
        return Stuck(f"I have looked through {app.name} and found nothing that matches the goal")
    if memory.unchanged and isinstance(memory.last_action, Press):
        return _press("home", "Going back does nothing; I start over from home.")
    return _press("back", "This leads nowhere.")


def _complete(situation: Situation) -> bool:
    """Whether this is the place that the goal names, seen to its end."""
    terms = situation.part.terms
    seen = situation.memory.here in situation.memory.searched or situation.screen.scrollable() is None
    return seen and bool(terms) and coverage(terms, situation.context) >= 0.9


def _press(key: Literal["back", "home"], why: str) -> Move:
    if key == "home":
        return Move(Press(key=key), f"{why} I go home.", "Went to the home screen.")
    return Move(Press(key=key), f"{why} I go back.", "Went back.")
