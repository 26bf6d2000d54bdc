"""Validation errors in the words of a task file: which field, what it is, what it should be."""

from __future__ import annotations

from pydantic import JsonValue, ValidationError
from pydantic_core import ErrorDetails

from emulator_farm.tasks.document import Where
from emulator_farm.tasks.grammar import fields_of, guess

_EXPECTED = {
    "string_type": "text (quote it)",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "tuple_type": "a list",
    "list_type": "a list",
    "model_type": "a mapping",
}


def explain(error: ValidationError, raw: JsonValue, known: list[str] | None = None) -> list[tuple[Where, str]]:
    """Each error as (place in `raw`, message). `raw` is as written; `known` are the fields of its top level."""
    return [(_place(detail, raw), _message(detail, known or [])) for detail in error.errors()]


def _place(detail: ErrorDetails, raw: JsonValue) -> Where:
    """The location without what is not in the file: tags of unions, and fields that the short forms leave out."""
    where: list[str | int] = []
    value = raw
    for part in detail["loc"]:
        if isinstance(value, dict) and part in value:
            value = value[str(part)]
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        elif value == part:
            value = None  # a bare word, which is its own tag
        else:
            continue
        where.append(part)
    if detail["type"] == "missing":
        where.append(detail["loc"][-1])
    return tuple(where)


def _message(detail: ErrorDetails, known: list[str]) -> str:
    kind, given = detail["type"], _short(detail["input"])
    match kind:
        case "missing":
            return "is missing; it is required"
        case "extra_forbidden":
            loc = detail["loc"]
            fields = next((fields for part in reversed(loc[:-1]) if (fields := fields_of(part))), known)
            return f"unknown field {loc[-1]!r}; {guess(str(loc[-1]), fields)}"
        case "literal_error":
            return f"is {given}, must be one of {detail['ctx']['expected']}"
        case "greater_than_equal" | "less_than_equal" | "greater_than":
            return f"is {given}, must be {detail['msg'].removeprefix('Input should be ')}"
        case "value_error":
            return str(detail["ctx"]["error"])
        case "string_too_short" | "too_short":
            return f"is {given}, must not be empty"
        case _ if kind in _EXPECTED:
            return f"is {given}, must be {_EXPECTED[kind]}"
        case _:
            return f"is {given}: {detail['msg']}"


def _short(value: object, limit: int = 80) -> str:
    text = "empty" if value is None else repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
