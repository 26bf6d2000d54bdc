"""Times and durations: number fields, clock faces and keypads, as Android's own pickers show them."""

from __future__ import annotations

import re

from agent_server.actions import Type
from agent_server.baselines.elements import Element
from agent_server.baselines.forms import confirm_button
from agent_server.baselines.situation import Move, Outcome, Situation, entered, hold, touch
from agent_server.baselines.values import Value
from agent_server.baselines.vocabulary import bag
from agent_server.baselines.words import plain, words

_NUMBER = re.compile(r"\d{1,2}")
_KEYBOARD = bag("text input keyboard")


def pick_time(situation: Situation) -> Outcome | None:
    """Set a time of day on the picker in front, half of the day included, and confirm it."""
    found = [(at, value) for at, value in situation.outstanding if value.clock is not None]
    if not found:
        return None
    at, value = found[0]
    hour, minute = value.clock or (0, 0)
    halves = {plain(e.title): e for e in situation.screen.elements if plain(e.title) in ("am", "pm", "a.m.", "p.m.")}
    halves = {name.replace(".", ""): element for name, element in halves.items()}
    fields = [e for e in situation.screen.fields if _NUMBER.fullmatch(e.node.text) or _names_unit(e)]
    numbers = _numbers(situation)
    if len(fields) < 2 and len(numbers) < 8:
        return None
    shown = hour if not halves else (hour % 12 or 12)
    if len(fields) >= 2:
        move = _fields(situation, fields[:2], (shown, minute))
    else:
        move = _face(situation, numbers, shown, minute)
    if move is not None:
        return move
    half = halves.get("pm" if hour >= 12 else "am")
    if half is not None and not (half.checked or half.node.selected) and not situation.has("half"):
        return touch(situation, half, f"It is {value.text}.", "half")
    button = confirm_button(situation)
    return touch(situation, button, f"The picker shows {value.text}.", entered(at), "confirmed") if button else None


def pick_duration(situation: Situation) -> Outcome | None:
    """Enter a duration on a digit pad or in number fields for hours, minutes and seconds."""
    found = [(at, value) for at, value in situation.outstanding if value.seconds is not None]
    if not found:
        return None
    at, value = found[0]
    seconds = value.seconds or 0
    parts = (seconds // 3600, seconds // 60 % 60, seconds % 60)
    pad = _pad(situation)
    if len(pad) >= 9:
        digits = f"{parts[0]:02d}{parts[1]:02d}{parts[2]:02d}".lstrip("0")
        return _press_pad(situation, pad, digits, at, value)
    fields = {unit: field for field in situation.screen.fields if (unit := _unit(field)) is not None}
    if not fields:
        return None
    for unit, number in zip("hms", parts, strict=True):
        if unit in fields and (move := _number(situation, fields[unit], number)):
            return move
    return None


def _press_pad(situation: Situation, pad: dict[str, Element], digits: str, at: int, value: Value) -> Outcome | None:
    pressed = situation.count("digit")
    if pressed >= len(digits) or digits[pressed] not in pad:
        return None
    last = (entered(at),) if pressed + 1 == len(digits) else ()
    return touch(situation, pad[digits[pressed]], f"The pad takes {value.text} as {digits}.", "digit", *last)


def _pad(situation: Situation) -> dict[str, Element]:
    return {e.title: e for e in situation.screen.elements if re.fullmatch(r"\d", e.title)}


def _unit(field: Element) -> str | None:
    for unit in ("hour", "minute", "second"):
        if {unit, unit[:3], unit[0]} & field.spoken:
            return unit[0]
    return None


def _names_unit(field: Element) -> bool:
    return bool({"hour", "minute"} & field.spoken)


def _fields(situation: Situation, fields: list[Element], numbers: tuple[int, int]) -> Move | None:
    for field, number in zip(fields, numbers, strict=False):
        if move := _number(situation, field, number):
            return move
    return None


def _number(situation: Situation, field: Element, number: int) -> Move | None:
    """Bring a number field to a number; None when it stands there or refuses."""
    held = field.node.text
    if (held.isdecimal() and int(held) == number) or situation.count(f"typed:{field.order}") >= 2:
        return None
    text = f"{number:02d}" if len(held) == 2 else str(number)
    if not field.node.focused and not situation.has(f"ready:{field.order}"):
        return touch(situation, field, f"This number should be {text}.", f"ready:{field.order}")
    if situation.has(f"typed:{field.order}") and held:
        return hold(situation, field, f"This number should be {text}, not {held}.", f"typed:{field.order}")
    return Move(Type(text=text), f"I type {text}.", f"Typed {text}.", field.key, field.title, (f"typed:{field.order}",))


def _numbers(situation: Situation) -> dict[int, Element]:
    """Numbers to touch on a clock face, by what their label starts with."""
    found: dict[int, Element] = {}
    for element in situation.screen.elements:
        match = re.match(r"(\d{1,2})(?:\s+(?:o'clock|minutes?|hours?))?$", element.title)
        if match:
            found[int(match.group(1))] = element
    return found


def _face(situation: Situation, numbers: dict[int, Element], hour: int, minute: int) -> Move | None:
    """Hours first; the face turns to minutes by itself. Minutes between the marks need the keyboard."""
    minutes_shown = sum(1 for number in numbers if number % 5 == 0 and number not in (5, 10)) >= 6
    exact = minute % 5 == 0
    if not exact and not situation.has("keyboard"):
        for element in situation.screen.elements:
            if len(_KEYBOARD & set(words(element.title))) >= 1:
                return touch(situation, element, "The face has no mark for this minute.", "keyboard")
    if not situation.has("hour"):
        if minutes_shown or hour not in numbers:
            return None
        return touch(situation, numbers[hour], f"The hour is {hour}.", "hour")
    if not situation.has("minute") and minutes_shown and minute in numbers:
        return touch(situation, numbers[minute], f"The minute is {minute:02d}.", "minute")
    return None
