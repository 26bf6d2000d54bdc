"""What one clause of a goal wants: its intent, and the words, states and comparisons that go with it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from agent_server.baselines import vocabulary as v
from agent_server.baselines.words import content, words

Intent = Literal["toggle", "create", "delete", "edit", "set", "start", "open", "find", "ask", "other"]

_STATE = re.compile(rf"\b({'|'.join(sorted(v.ON_WORDS | v.OFF_WORDS))})\b", re.I)
_IN_STATE = re.compile(r"\b(?:is|are|be|stays?|turned|switched)\s+(?:on|off|enabled|disabled)\b|\b(?:on|off)\s*$", re.I)
_DEVICE_DOES = re.compile(r"\b(?:make|let|have)\s+(?:the|my|this)\s+(?:phone|device|screen|system|app)\s+[a-z]+", re.I)
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_POLITE = v.bag("please you could can would i want need to kindly")
_CHECKING = v.bag("check tell find see look")
_PUTTING = v.bag("set make put keep ensure")
_VERBS_OF: tuple[tuple[Intent, frozenset[str]], ...] = (
    ("delete", v.DELETE_VERBS | {"clear"}),
    ("create", v.CREATE_VERBS),
    ("edit", v.EDIT_VERBS),
    ("set", v.SET_VERBS),
    ("start", v.START_VERBS),
    ("find", v.FIND_VERBS),
    ("open", v.OPEN_VERBS),
)
_NOUNS = v.bag("name label title")
_THIS_DEVICE = re.compile(
    r"\b(?:this|my|your)\s+(?:phone|device)\b(?!\s+(?:number|name))"
    r"|\bthe\s+(?:phone|device)(?=\s+(?:to|shows?|runs?|is|has|uses?)\b|\W*$)",
    re.I,
)
"""The phone as such, which leads nowhere on itself."""


def terms_of(bare: str, intent: Intent, apps: Iterable[str]) -> tuple[str, ...]:
    """The words of a clause that lead somewhere: no verbs, no app name (unless it is said twice)."""
    silent = (v.VERBS - v.START_VERBS if intent == "start" else v.VERBS) - _NOUNS
    match intent:
        case "toggle":
            silent = silent | v.ON_WORDS | v.OFF_WORDS
        case "ask":
            silent = (
                silent | v.ON_WORDS | v.OFF_WORDS | v.ASK_WORDS | {stem for ask in v.ASK_WORDS for stem in words(ask)}
            )
        case "create":
            silent = silent | v.ADD_LABELS
        case _:
            silent = silent | v.HIGHEST | v.LOWEST | v.LARGER | v.SMALLER | v.bag("step notch its than") | set(_NUMBERS)
    bare = _THIS_DEVICE.sub(" ", bare)
    spoken = words(bare)
    apps_said = {stem for app in apps for stem in words(app) if spoken.count(stem) < 2}
    return tuple(stem for stem in content(bare) if stem not in silent and stem not in apps_said)


def intent_of(bare: str, clause: str) -> Intent:
    """What a clause asks for; `bare` is the clause without its literal values."""
    spoken = [word for word in re.findall(r"[^\W\d_]+(?:['’]\w+)?", bare.lower()) if word not in _POLITE]
    if clause.endswith("?") or (spoken and spoken[0] in v.ASK_WORDS):
        return "ask"
    for at, word in enumerate(spoken):
        if word in v.TOGGLE_VERBS and (state_of(bare) is not None or word == "toggle"):
            return "toggle"
        if word in _CHECKING and any(later in v.ASK_WORDS for later in spoken[at + 1 :]):
            return "ask"
        if word in _PUTTING and _IN_STATE.search(bare):
            return "toggle"
        if word in ("switch", "toggle"):
            return "toggle"
        if word in _PUTTING and set(spoken) & (v.LARGER | v.SMALLER | v.HIGHEST | v.LOWEST):
            return "set"
        if word in ("make", "let", "have") and _DEVICE_DOES.search(bare):
            return "toggle"
        for intent, verbs in _VERBS_OF:
            if word in verbs:
                return intent
    return "other"


def state_of(bare: str) -> bool | None:
    """Wanted on or off; "on" alone is weak, for it is a preposition too."""
    found = [match.group(1).lower() for match in _STATE.finditer(bare)]
    strong = [word for word in found if word != "on"]
    if strong:
        return strong[0] in v.ON_WORDS
    return True if found else None


def steps_of(bare: str) -> int:
    """How many steps up (or down, negative) a comparison asks for: "two steps larger", "a bit louder"."""
    spoken = words(bare)
    sign = 1 if set(spoken) & v.LARGER else -1 if set(spoken) & v.SMALLER else 0
    told = re.search(rf"\b(\d+|{'|'.join(_NUMBERS)})\s+(?:steps?|notch(?:es)?|times?|levels?|sizes?)\b", bare, re.I)
    number = told.group(1).lower() if told else "1"
    return sign * (_NUMBERS.get(number) or int(number))


def extreme_of(spoken: set[str]) -> Literal["highest", "lowest"] | None:
    """Whether the clause wants something at an end of its range."""
    if spoken & v.HIGHEST:
        return "highest"
    return "lowest" if spoken & v.LOWEST else None
