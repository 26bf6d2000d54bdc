"""The short ways of writing steps, checks and parameters, turned into tagged data.

In a file each is a mapping with one key, its kind: `put_setting: {namespace: …}`. Kinds without fields may be a bare
word (`go_home`), and where one field says it all, the mapping may be left out (`clear_app: com.android.settings`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches

from pydantic import JsonValue

from emulator_farm.tasks.conditions import CHECK_KINDS, Value
from emulator_farm.tasks.document import Document, Where, dotted
from emulator_farm.tasks.params import PARAM_KINDS
from emulator_farm.tasks.steps import STEP_KINDS
from emulator_farm.tasks.text import Noun

Tagged = dict[str, JsonValue]
"""Data of a `Noun`: its fields and its `kind`."""


@dataclass(frozen=True)
class Grammar:
    """One closed set of kinds."""

    what: str
    kinds: dict[str, type[Noun]]
    short: dict[str, str]
    """The field that stands for all of a kind."""
    stand_in: Tagged = field(repr=False)
    """Valid data to go on with after a problem, so that the rest is still looked at."""


STEPS = Grammar(
    "step",
    STEP_KINDS,
    {"clear_app": "package", "stop_app": "package", "open_app": "app", "delete_file": "path", "shell": "argv"},
    {"kind": "go_home"},
)
CHECKS = Grammar(
    "check",
    CHECK_KINDS,
    {"all": "checks", "any": "checks", "not": "check", "foreground": "package"},
    {"kind": "infeasible"},
)
PARAMS = Grammar(
    "parameter",
    PARAM_KINDS,
    {"choice": "of", "generate": "what", "text": "template"},
    {"kind": "choice", "of": [""]},
)


def guess(word: str, known: Iterable[str]) -> str:
    """A hint for a word outside a closed set: the one probably meant, and all of them."""
    names = list(known)
    close = get_close_matches(word, names, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"{hint}known: {', '.join(names)}"


@dataclass
class Reader:
    """Reads the tagged data of one task. `at` is the place of the task in the document, `name` what to call it."""

    document: Document
    at: Where
    name: str

    def complain(self, where: Where, message: str) -> None:
        """Note a problem at a place within the task."""
        self.document.complain((*self.at, *where), dotted((self.name, *where)), message)

    def steps(self, raw: JsonValue, where: Where) -> list[JsonValue]:
        """A list of steps."""
        if raw is None:
            return []
        if not isinstance(raw, list):
            self.complain(where, f"is {_type(raw)}, must be a list of steps, each after a dash")
            return []
        return [self._tagged(item, (*where, index), STEPS) for index, item in enumerate(raw)]

    def check(self, raw: JsonValue, where: Where) -> Tagged:
        """A check and those within it."""
        tagged = self._tagged(raw, where, CHECKS)
        kind = tagged["kind"]
        if kind in ("all", "any"):
            children = tagged.get("checks")
            place = (*where, str(kind))
            if isinstance(children, list):
                tagged["checks"] = [self.check(child, (*place, index)) for index, child in enumerate(children)]
            else:
                self.complain(place, f"is {_type(children)}, must be a list of checks, each after a dash")
                tagged["checks"] = [CHECKS.stand_in]
        elif kind == "not":
            tagged["check"] = self.check(tagged.get("check"), (*where, "not"))
        return tagged

    def param(self, raw: JsonValue, where: Where) -> Tagged:
        """A parameter; a list is a choice of its items, a single value a choice of one."""
        match raw:
            case list():
                return {"kind": "choice", "of": raw}
            case str() | int() | float() if not isinstance(raw, bool):
                return {"kind": "choice", "of": [raw]}
            case {"range": [low, high], **rest} if not rest:
                return {"kind": "range", "low": low, "high": high}
            case _:
                return self._tagged(raw, where, PARAMS)

    def _tagged(self, raw: JsonValue, where: Where, grammar: Grammar) -> Tagged:
        match raw:
            case str():
                kind, body = raw, None
            case dict() if len(raw) == 1:
                ((kind, body),) = raw.items()
            case dict() if raw:
                found = ", ".join(raw)
                self.complain(where, f"one {grammar.what} has one kind; found {found}. Is an indent or a dash missing?")
                return dict(grammar.stand_in)
            case _:
                self.complain(where, f"is {_type(raw)}, must be a {grammar.what}; known: {', '.join(grammar.kinds)}")
                return dict(grammar.stand_in)
        if kind not in grammar.kinds:
            self.complain((*where, kind), f"unknown {grammar.what} {kind!r}; {guess(kind, grammar.kinds)}")
            return dict(grammar.stand_in)
        return self._fields(kind, body, (*where, kind), grammar)

    def _fields(self, kind: str, body: JsonValue, where: Where, grammar: Grammar) -> Tagged:
        match body:
            case None:
                return {"kind": kind}
            case dict() if kind != "not":
                if "kind" in body:
                    self.complain((*where, "kind"), f"unknown field 'kind'; {guess('kind', _fields(grammar, kind))}")
                return {**body, "kind": kind}
            case _ if kind in grammar.short:
                return {grammar.short[kind]: body, "kind": kind}
            case _:
                fields = ", ".join(_fields(grammar, kind)) or "nothing"
                self.complain(where, f"is {_type(body)}, must be a mapping of {fields}")
                return dict(grammar.stand_in)


def _fields(grammar: Grammar, kind: str) -> list[str]:
    return [name for name in grammar.kinds[kind].model_fields if name != "kind"]


def fields_of(kind: object) -> list[str]:
    """The fields of a step, check, parameter or cell kind; empty for what is none."""
    if kind == "value":
        return list(Value.model_fields)
    for grammar in (STEPS, CHECKS, PARAMS):
        if isinstance(kind, str) and kind in grammar.kinds:
            return _fields(grammar, kind)
    return []


def _type(value: JsonValue) -> str:
    match value:
        case None:
            return "empty"
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case _:
            return repr(value)
