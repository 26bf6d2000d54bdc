"""Switches, options and sliders: bring a control to the state that the goal asks for."""

from __future__ import annotations

import re

from agent_server.actions import Click, Drag
from agent_server.baselines import vocabulary as v
from agent_server.baselines.elements import Element
from agent_server.baselines.forms import confirm_button
from agent_server.baselines.situation import Done, Move, Outcome, Situation, short, touch
from agent_server.baselines.values import Value, clock_of, seconds_of
from agent_server.baselines.words import content, coverage, plain, says, words
from agent_server.geometry import Point

_SILENT = v.ON_WORDS | v.OFF_WORDS | v.bag("use allow mode show the")


def toggle(situation: Situation) -> Outcome | None:
    """Find the switch that the goal names; touch it if its state is the wrong one."""
    part = situation.part
    switch = find_switch(situation)
    if switch is None:
        if verdict := _by_button(situation):
            return verdict
        if situation.screen.dialog and situation.has("switched") and (button := confirm_button(situation)):
            return touch(situation, button, "The phone asks back.")
        return None
    wanted = not switch.checked if part.state is None else part.state
    name = short(switch.title)
    if part.state is None and situation.has("switched"):
        return Done(f'"{name}" has been switched')
    if switch.checked == wanted:
        return Done(f'"{name}" is {"on" if wanted else "off"}')
    if situation.touched(switch) >= 4:
        return None
    return touch(situation, switch, f'"{name}" should be {"on" if wanted else "off"}.', "switched")


def _by_button(situation: Situation) -> Outcome | None:
    """On a page about the thing, a button "Turn on" or "Turn off" tells the state and changes it."""
    if situation.part.state is None or coverage(situation.part.names, words(situation.screen.title)) < 0.75:
        return None
    for element in situation.screen.elements:
        stems = set(words(element.title))
        if element.kind != "button" or len(stems) > 4 or not (stems & v.TOGGLE_VERBS):
            continue
        offers = bool(stems & v.ON_WORDS)
        if offers == bool(stems & v.OFF_WORDS):
            continue
        if offers != situation.part.state:
            return Done(f'"{short(element.title)}" is offered')
        return touch(situation, element, f"It should be {'on' if offers else 'off'}.", "switched")
    return None


def find_switch(situation: Situation) -> Element | None:
    """The switch that the goal is about: by its own name, or the only or main one of a page about it."""
    switches = [e for e in situation.screen.elements if e.kind == "switch" and e.checked is not None]
    best = max(switches, key=lambda e: _fit(situation, e), default=None)
    if best is not None and _fit(situation, best) >= 0.75:
        return best
    names = situation.part.names
    heading = words(situation.screen.title)
    about = coverage(names, heading) >= 0.75 and coverage(content(situation.screen.title), names) >= 0.6
    if switches and about:
        main = [e for e in switches if set(words(e.title)) <= _SILENT | set(heading)]
        if main or len(switches) == 1:
            return (main or switches)[0]
    return None


def _fit(situation: Situation, element: Element) -> float:
    """How well a switch's labels name what the goal wants switched, 0 to 1."""
    part = situation.part
    labels = [label for label in element.labels if plain(label) not in v.STATE_LABELS]
    if part.targets:
        near = (*labels, *situation.screen.around(element))
        hit = any(says(label, target) or _same_time(label, target) for label in near for target in part.targets)
        return 1.0 if hit else 0.0
    fits = [0.0]
    for label in labels[:2]:
        own = [stem for stem in content(label) if stem not in _SILENT]
        heading = words(situation.screen.title)
        wanted = [stem for stem in part.terms if stem not in _SILENT and stem not in heading] or list(part.terms)
        fits.append(min(coverage(wanted, own), 0.25 + 0.75 * coverage(own, wanted)) if own else 0.0)
    return max(fits)


def _same_time(label: str, target: str) -> bool:
    return clock_of(target) is not None and clock_of(label) == clock_of(target)


def choose(situation: Situation) -> Outcome | None:
    """Pick the option that the goal names, where a page or dialog offers it."""
    part, screen = situation.part, situation.screen
    if not part.values:
        return None
    value = part.values[-1]
    for element in screen.elements:
        named = element.labels and coverage(part.terms, words(element.title)) >= 0.75
        if named and any(_means(label, value) for label in element.labels[1:]):
            return Done(f'"{short(element.title)}" says "{short(value.text)}"')
    option = next((e for e in screen.elements if e.labels and _means(e.title, value)), None)
    if option is None or not (situation.related() or screen.dialog):
        return Done("the option has been chosen") if situation.has("chosen") and not screen.dialog else None
    if option.checked or option.node.selected:
        if screen.dialog and (button := confirm_button(situation)) and situation.touched(button) < 2:
            return touch(situation, button, "The option is chosen.", "chosen")
        return Done(f'"{short(option.title)}" is chosen')
    if situation.touched(option) >= 2:
        return Done(f'"{short(option.title)}" has been chosen') if situation.has("chosen") else None
    return touch(situation, option, "This is the option that the goal names.", "chosen")


def _means(label: str, value: Value) -> bool:
    """Whether a label names the value: the same words, the same length of time, or the same time of day."""
    if len(words(label)) <= len(words(value.text)) + 4 and says(label, value.text):
        return True
    if value.seconds is not None:
        return len(words(label)) <= 6 and seconds_of(label) == value.seconds
    return value.clock is not None and clock_of(label) == value.clock


def slide(situation: Situation) -> Outcome | None:
    """Move a slider to the far end or the share that the goal names."""
    share = _share(situation)
    sliders = [element for element in situation.screen.elements if element.kind == "slider"]
    if share is None or not sliders:
        return None
    terms = situation.part.terms
    slider = max(sliders, key=lambda element: coverage(terms, words(" ".join((*element.labels, element.name)))))
    named = coverage(terms, words(" ".join((*slider.labels, slider.name)))) >= 0.5
    if not named and not (len(sliders) == 1 and situation.related()):
        return None
    tries = situation.count("slid")
    if tries and (tries >= 3 or _stands_at(slider, share)):
        return Done(f'"{short(slider.title)}" is where it should be')
    inset = min(slider.box.height // 2, slider.box.width // 8) if 0 < share < 1 else 1
    left, right = slider.box.left + inset, slider.box.right - 1 - inset
    goal = Point(round(left + share * (right - left)), slider.box.centre.y).clamped(situation.screen.size)
    start = Point(right if share < 0.5 else left, goal.y).clamped(situation.screen.size)
    action = Drag(start=start, end=goal) if tries else Click(point=goal)
    thought = f"The slider should stand at {share:.0%}. I move it there."
    return Move(action, thought, f"Moved a slider to {share:.0%}.", slider.key, slider.title, ("slid",))


def nudge(situation: Situation) -> Outcome | None:
    """Press "larger", "increase", "+" (or their opposites) as many times as the goal says."""
    part = situation.part
    if not part.steps or not situation.related(*v.LARGER, *v.SMALLER):
        return None
    signs = v.LARGER | {"+", "plus"} if part.steps > 0 else v.SMALLER | {"minus"}
    if situation.count("nudged") >= abs(part.steps):
        return Done(f"it has been changed by {abs(part.steps)}")
    button = next((e for e in situation.screen.elements if e.kind == "button" and set(words(e.title)) & signs), None)
    return touch(situation, button, f"It should be changed by {abs(part.steps)}.", "nudged") if button else None


def _share(situation: Situation) -> float | None:
    match situation.part.extreme:
        case "highest":
            return 1.0
        case "lowest":
            return 0.0
        case None:
            value = situation.part.value("percent", "number")
            number = re.search(r"\d+", value.text) if value else None
            return min(int(number.group()), 100) / 100 if number else None


def _stands_at(slider: Element, share: float) -> bool:
    """Whether the slider says so; one that says nothing is believed."""
    said = re.search(r"(\d+)\s?%", " ".join((slider.node.text, slider.node.content_desc, *slider.labels)))
    return said is None or abs(int(said.group(1)) / 100 - share) <= 0.03
