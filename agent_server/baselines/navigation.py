"""Finding the way: enter the app, follow what the goal names, look further down, try the rest, go back, give up."""

from __future__ import annotations

from agent_server.actions import OpenApp, Press, Scroll
from agent_server.baselines import vocabulary as v
from agent_server.baselines.goal import App
from agent_server.baselines.screen import Element
from agent_server.baselines.situation import Move, Outcome, Situation, Stuck, touch
from agent_server.baselines.words import best_kin, content, coverage, plain, relevance, same, says, segments, words
from agent_server.geometry import Point

STRONG = 0.7
"""A match that is followed at once."""
WEAK = 0.2
"""A match that is followed when there is nothing better on this screen."""
STEP_LIMIT = 45
SCROLL_LIMIT = 8
BLIND_LIMIT = 6
"""How many unmatched rows of one place are tried."""
MET = 0.3
"""What a term still weighs once the heading says it."""


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
        icon = next((e for e in screen.elements if same(e.title, app.name) and situation.touched(e) < 3), None)
        if icon:
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
    screen, memory = situation.screen, situation.memory
    if memory.step >= STEP_LIMIT:
        return Stuck(f"{memory.step} steps led nowhere")
    scored = sorted(((score(situation, e), -i, e) for i, e in enumerate(screen.elements)), key=lambda t: t[:2])
    best, _, element = scored[-1] if scored else (0.0, 0, None)
    if element is not None and best >= STRONG:
        return touch(situation, element, "This is what the goal speaks of.")
    if down := _scroll(situation, "down", "What the goal speaks of may be further down."):
        return down
    if element is not None and best >= WEAK:
        return touch(situation, element, "This may lead to what the goal speaks of.")
    if up := _return_to_seen(situation):
        return up
    return _wander(situation) or _retreat(situation)


def score(situation: Situation, element: Element) -> float:
    """How promising it is to touch an element; negative for what had better be left alone."""
    part, stems = situation.part, set(element_words(element))
    if _off_limits(situation, element, stems):
        return -1.0
    worth = max(_worth(situation, label) * (1.0 if at == 0 else 0.7) for at, label in enumerate(_names(element)))
    if part.intent == "create" and not situation.has("confirmed"):
        worth += _adds(situation, element)
    if element.node.selected:
        worth *= MET
    return worth - situation.touched(element) * 0.75 + situation.noise(element.key)


def promising(situation: Situation) -> dict[str, float]:
    """What is worth coming back for on this screen: key to score, the best three."""
    scored = {element.key: round(score(situation, element), 2) for element in situation.screen.elements}
    best = sorted((item for item in scored.items() if item[1] >= WEAK), key=lambda item: -item[1])
    return dict(best[:3])


def element_words(element: Element) -> tuple[str, ...]:
    """All words that name an element."""
    return tuple(stem for label in _names(element) for stem in words(label))


def _names(element: Element) -> tuple[str, ...]:
    return (*element.labels, element.name) if element.labels else (element.name,)


def _off_limits(situation: Situation, element: Element, stems: set[str]) -> bool:
    """Fields and unrelated switches are not ways; nor is anything that destroys unless the goal says so."""
    label = plain(element.title)
    if element.kind in ("field", "slider", "choice") or label in v.UP_LABELS:
        return True
    if element.kind == "switch" and situation.screen.title == "":
        return True
    if stems & v.RISKY and len(words(element.title)) <= 3:
        wanted = set(words(situation.part.text))
        return not any(best_kin(stem, wanted) for stem in stems & v.RISKY)
    return element.kind == "switch"


def _worth(situation: Situation, label: str) -> float:
    """What a label is worth by the goal's words."""
    part = situation.part
    for target in part.targets:
        if says(label, target):
            return 3.0 if same(label, target) else 2.5
    for at, value in enumerate(part.values):
        if situation.has(f"entered:{at}") and says(label, value.text):
            return 1.0
    weights = {term: (MET if term in situation.context else 1.0) for term in part.terms}
    for _, value in situation.outstanding:
        weights |= {stem: max(weights.get(stem, 0.0), 0.8) for stem in value.key}
    for target in part.targets:
        weights |= {stem: max(weights.get(stem, 0.0), 0.4) for stem in words(target)}
    if part.app and situation.screen.home:
        weights |= {stem: 0.6 for stem in words(part.app.name)}
    pieces = segments(label)
    whole = relevance(label, weights)
    return max(whole, *(0.6 * relevance(piece, weights) for piece in pieces)) if len(pieces) > 1 else whole


def _adds(situation: Situation, element: Element) -> float:
    """What a button that makes something new is worth when that is the goal."""
    stems = [stem for label in (element.labels[:1] or (element.name,)) for stem in words(label)]
    if not set(stems) & v.ADD_LABELS or len(stems) > 4:
        return 0.0
    others = [stem for stem in content(element.title) if stem not in v.ADD_LABELS]
    if not others:
        return 0.9
    return 1.2 if coverage(others, situation.part.terms) > 0.4 else 0.1


def _scroll(situation: Situation, direction: str, why: str) -> Move | None:
    screen, memory = situation.screen, situation.memory
    way = "down" if direction == "down" else "up"
    box = screen.scrollable()
    if (box is None and not screen.home) or way in memory.ended.get(screen.place, ()):
        return None
    if memory.scrolls[screen.place] >= SCROLL_LIMIT:
        return None
    start = box.centre.clamped(screen.size) if box else Point(screen.size.width // 2, screen.size.height // 2)
    return Move(Scroll(direction=way, start=start), f"{why} I scroll {way}.", f"Scrolled {way}.")


def _return_to_seen(situation: Situation) -> Move | None:
    """Scroll up towards something promising that was passed and not touched."""
    here = {element.key for element in situation.screen.elements}
    place = situation.screen.place
    for key, worth in situation.memory.seen.get(place, {}).items():
        if key not in here and worth - 0.75 * situation.memory.touches[place, key] >= WEAK:
            return _scroll(situation, "up", "I passed something that may lead there.")
    return None


def _wander(situation: Situation) -> Move | None:
    """Try what nobody spoke of: apps from home, tabs and rows near an app's entrance."""
    screen, memory = situation.screen, situation.memory
    if screen.home and situation.part.app and situation.part.app.sure:
        return None
    tried_here = sum(1 for place, _ in memory.touches if place == screen.place)
    if memory.depth > 1 or tried_here >= BLIND_LIMIT:
        return None
    fresh = [
        element
        for element in screen.elements
        if not situation.touched(element)
        and not _off_limits(situation, element, set(element_words(element)))
        and element.labels
        and not element.node.selected
        and element.title not in memory.tried_apps
        and element.box.area < 0.3 * screen.size.pixels
        and plain(element.title) not in v.MORE_LABELS
        and not set(words(element.title)) & (v.SEARCH_LABELS | v.ADD_LABELS)
    ]
    if not fresh:
        return None
    return touch(situation, fresh[0], "Nothing here matches the goal; I look around.")


def _retreat(situation: Situation) -> Outcome:
    screen, memory, app = situation.screen, situation.memory, situation.part.app
    if screen.home:
        return Stuck("nothing on this phone matches the goal")
    deeper = memory.depth > 0 or screen.dialog or any(plain(e.title) in v.UP_LABELS for e in screen.elements)
    if app is not None and inside(situation, app) and not deeper:
        return Stuck(f"I have looked through {app.name} and found nothing that matches the goal")
    if memory.unchanged and isinstance(memory.last_action, Press):
        return _press("home", "Going back does nothing; I start over from home.")
    return _press("back", "This leads nowhere.")


def _press(key: str, why: str) -> Move:
    if key == "home":
        return Move(Press(key="home"), f"{why} I go home.", "Went to the home screen.")
    return Move(Press(key="back"), f"{why} I go back.", "Went back.")
