"""One task of a file: its data to a `TaskSpec`, noting everything that is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from emulator_farm.tasks.changes import Pattern
from emulator_farm.tasks.conditions import Answer, Check, Infeasible, asks
from emulator_farm.tasks.document import Document, Where
from emulator_farm.tasks.explain import explain
from emulator_farm.tasks.grammar import Reader, guess
from emulator_farm.tasks.params import Draw, NoValue, draw_value, draw_values
from emulator_farm.tasks.steps import Step
from emulator_farm.tasks.task import TaskSpec
from emulator_farm.tasks.template import Value, fill, placeholders

FIELDS = [name for name in TaskSpec.model_fields if name not in ("file", "line")]
"""What a task may hold in a file."""

_TEMPLATES = ("goal", "app", "setup", "teardown", "check", "milestones", "changes")
_MOST_CHOICES = 200
_ALMOST = re.compile(r"\{(?!\w+\})[\w .-]*[a-zA-Z][\w .-]*\}")
Raw = dict[str, JsonValue]


class _Parts(BaseModel):
    """What a seed makes of the templates."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    setup: tuple[Step, ...] = ()
    teardown: tuple[Step, ...] = ()
    check: Check | None = None
    milestones: tuple[Check, ...] = ()
    changes: tuple[Pattern, ...] | None = None


def read_task(document: Document, at: Where, raw: JsonValue, known: list[str]) -> TaskSpec | None:
    """Read the task at a place of the document. None where a problem was noted."""
    before = len(document.problems)
    name = raw.get("name") if isinstance(raw, dict) else None
    reader = Reader(document, at, name if isinstance(name, str) else f"task {int(at[-1]) + 1}")
    if not isinstance(raw, dict):
        reader.complain((), f"a task must be a mapping of {', '.join(known)}")
        return None
    spec = _TaskReader(reader, raw, known).read()
    return spec if len(document.problems) == before else None


class _TaskReader:
    def __init__(self, reader: Reader, raw: Raw, known: list[str]) -> None:
        self._reader = reader
        self._known = known
        self._raw = raw
        self._broken: set[str] = set()
        """Parameters without a value, for which a problem was noted."""
        self._noted: set[tuple[Where, str]] = set()

    def read(self) -> TaskSpec | None:
        for key in self._raw:
            if key not in self._known:
                self._complain((key,), f"unknown field {key!r}; {guess(key, self._known)}")
        params = self._params()
        self._placeholders(params)
        parts: Raw = {
            "setup": self._reader.steps(self._raw.get("setup"), ("setup",)),
            "teardown": self._reader.steps(self._raw.get("teardown"), ("teardown",)),
            "check": None if self._raw.get("check") is None else self._reader.check(self._raw["check"], ("check",)),
            "milestones": self._milestones(),
            "changes": self._raw.get("changes"),
        }
        check = self._try(params, parts)
        return self._spec({"params": params, **parts}, check)

    def _milestones(self) -> list[JsonValue]:
        raw = self._raw.get("milestones")
        if raw is None:
            return []
        if not isinstance(raw, list):
            self._complain(("milestones",), "must be a list of checks, each after a dash")
            return []
        if self._raw.get("check") is None:
            self._complain(("milestones",), "lead to a check, and there is none")
        return [self._reader.check(each, ("milestones", index)) for index, each in enumerate(raw)]

    def _complain(self, where: Where, message: str) -> None:
        if (where, message) not in self._noted:
            self._noted.add((where, message))
            self._reader.complain(where, message)

    # -- parameters

    def _params(self) -> Raw:
        raw = self._raw.get("params")
        if raw is None:
            return {}
        if not isinstance(raw, dict):
            self._complain(("params",), "must be a mapping of parameter names")
            return {}
        params: Raw = {}
        values: dict[str, Value] = {}
        for name, body in raw.items():
            if not re.fullmatch("[a-z][a-z0-9_]*", name):
                message = f"{name!r} is not a parameter name; use a-z, 0-9 and _, a letter first"
                self._complain(("params", name), message)
            params[name] = self._reader.param(body, ("params", name))
            self._mentions(name, params[name], list(params)[:-1])
            self._draw(name, params[name], values)
        return params

    def _mentions(self, name: str, template: JsonValue, earlier: list[str]) -> None:
        for other in _mentioned(template):
            if other not in earlier:
                later = isinstance(raw := self._raw["params"], dict) and other in raw
                hint = "it must stand above this one" if later else guess(other, earlier)
                self._complain(("params", name), f"mentions {other!r}, which has no value here; {hint}")
                self._broken.add(name)
            elif other in self._broken:
                self._broken.add(name)

    def _draw(self, name: str, template: JsonValue, values: dict[str, Value]) -> None:
        if name in self._broken:
            return
        try:
            values[name] = draw_value(template, values, Draw(self._reader.name, 0, name))
        except NoValue as error:
            self._complain(("params", name), str(error))
            self._broken.add(name)
        except ValidationError as error:
            self._explain(error, ("params", name))
            self._broken.add(name)

    def _placeholders(self, params: Raw) -> None:
        used = {name for template in params.values() for name in _mentioned(template)}
        goal = self._raw.get("goal")
        if self._reader.document.lines_are_tasks or not isinstance(goal, str):
            goal = ""
        for almost in _ALMOST.finditer(goal):
            self._complain(("goal",), f"{almost.group()!r} is no placeholder; write {{name}} without spaces or signs")
        for field in _TEMPLATES:
            for where, name in placeholders(self._raw.get(field), (field,)):
                used.add(name)
                if name not in params:
                    hint = f" ({guess(name, params)})" if params else ""
                    ways = f"add {name!r} under params, or write {{{{{name}}}}} for the text itself"
                    self._complain(where, f"{{{name}}} has no value; {ways}{hint}")
        for name in params:
            if name not in used:
                self._complain(("params", name), f"is never used; write {{{name}}} somewhere or remove it")

    # -- what becomes of the templates

    def _try(self, params: Raw, parts: Raw) -> Check | None:
        """Fill the templates with drawn values, and with every value of every list, and validate what comes out."""
        check: Check | None = None
        for values in self._trials(params):
            try:
                check = _Parts.model_validate({key: fill(part, values) for key, part in parts.items()}).check
            except ValidationError as error:
                self._explain(error, ())
        return check

    def _trials(self, params: Raw) -> list[dict[str, Value]]:
        sound = {name: template for name, template in params.items() if name not in self._broken}
        fixes: list[dict[str, Value]] = [{}, *({name: item} for name, body in sound.items() for item in _items(body))]
        trials = []
        for fixed in fixes[:_MOST_CHOICES]:
            try:
                trials.append(draw_values(sound, self._reader.name, 0, fixed))
            except (NoValue, ValidationError) as error:
                ((name, value),) = fixed.items()
                what = error if isinstance(error, NoValue) else error.errors()[0]["msg"]
                self._complain(("params", name), f"with {value!r}, another parameter has no value: {what}")
        return trials

    def _explain(self, error: ValidationError, where: Where) -> None:
        raw: JsonValue = self._raw
        for part in where:
            raw = raw[str(part)] if isinstance(raw, dict) else None
        for place, message in explain(error, raw, self._known):
            written = raw
            for part in place:
                written = _child(written, part)
            unknown = {name for _, name in placeholders(written)} - self._sound()
            if not (isinstance(written, str) and unknown):
                self._complain((*where, *place), message)

    def _sound(self) -> set[str]:
        params = self._raw.get("params")
        return set(params) - self._broken if isinstance(params, dict) else set()

    # -- the whole

    def _spec(self, templates: Mapping[str, JsonValue], check: Check | None) -> TaskSpec | None:
        fields = {key: value for key, value in self._raw.items() if key in self._known}
        fields |= {key: value for key, value in templates.items() if value is not None}
        asked = asks(check) if check else frozenset()
        if fields.get("infeasible") is True and "check" not in fields:
            fields["check"] = {"kind": "infeasible"}
            asked = frozenset({Infeasible})
        for flag, kind in (("question", Answer), ("infeasible", Infeasible)):
            if check is not None and fields.get(flag) is (kind not in asked):
                asks_it = "looks" if kind in asked else "does not look"
                self._complain((flag,), f"contradicts the check, which {asks_it} for it; leave {flag} out")
            fields.setdefault(flag, kind in asked)
        document = self._reader.document
        try:
            return TaskSpec.model_validate({**fields, "file": document.file, "line": document.line_of(self._reader.at)})
        except ValidationError as error:
            self._explain(error, ())
            return None


def _child(value: JsonValue, part: str | int) -> JsonValue:
    match value:
        case dict():
            return value.get(str(part))
        case list() if isinstance(part, int):
            return value[part]
        case _:
            return None


def _mentioned(param: JsonValue) -> list[str]:
    """The parameters that a parameter depends on."""
    unlike = param.get("unlike") if isinstance(param, dict) else None
    named = [unlike] if isinstance(unlike, str) else unlike if isinstance(unlike, list) else []
    return [*(name for _, name in placeholders(param)), *(name for name in named if isinstance(name, str))]


def _items(param: JsonValue) -> list[Value]:
    """The values that a parameter can have, where the file lists them; the ends of a range."""
    match param:
        case {"kind": "choice", "of": list(items)}:
            listed = items
        case {"kind": "range", "low": low, "high": high}:
            listed = [low, high]
        case _:
            return []
    return [item for item in listed if isinstance(item, str | int | float) and not list(placeholders(item))]
