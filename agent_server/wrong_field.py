"""What is wrong with one field, in words for whoever wrote it: what it must be, and what it is."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping

from pydantic_core import ErrorDetails

_SHOWN = 60
_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother, _SHORT.maxlong = 3, _SHOWN + 2, _SHOWN, _SHOWN
_MUST_BE: Mapping[str, str] = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "an array",
    "tuple_type": "an array",
    "named_tuple_type": "an array",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dict_type": "an object",
    "greater_than_equal": "at least {ge:g}",
    "greater_than": "above {gt:g}",
    "less_than_equal": "at most {le:g}",
    "less_than": "below {lt:g}",
    "multiple_of": "a multiple of {multiple_of:g}",
    "string_too_short": "a text of at least {min_length} characters",
    "string_too_long": "a text of at most {max_length} characters",
    "too_short": "at least {min_length} items",
    "too_long": "at most {max_length} items",
    "string_pattern_mismatch": "a text of the form {pattern}",
    "literal_error": "{expected}",
    "enum": "{expected}",
}
"""By pydantic's names for what can be wrong."""


def explained(entry: ErrorDetails) -> str:
    """One of the errors of a ValidationError, without the name of the field."""
    context = entry.get("ctx", {})
    match entry["type"]:
        case "missing":
            return "missing; send it"
        case "extra_forbidden":
            return "not a field here; leave it out"
        case "union_tag_invalid":
            return f"must have as {_bare(context)} one of {context['expected_tags']}, got {_shown(context['tag'])}"
        case "union_tag_not_found":
            return f"must have a {_bare(context)}, got {_shown(entry['input'])}"
        case "value_error":
            return str(context["error"])
        case "json_invalid":
            return f"Invalid JSON: {context['error']}"
        case kind if kind in _MUST_BE:
            return f"must be {_MUST_BE[kind].format_map(context)}, got {_shown(entry['input'])}"
        case _:
            return f"{entry['msg']}, got {_shown(entry['input'])}"


def _bare(context: Mapping[str, object]) -> str:
    return str(context["discriminator"]).strip("'")


def _shown(value: object) -> str:
    """A value, or its beginning; of a long array or text its length too. Takes no longer for a huge one."""
    if isinstance(value, list) and len(value) > 8:
        return f"{len(value)} items"
    if isinstance(value, str) and len(value) > _SHOWN:
        return f"{value[:_SHOWN]!r}… ({len(value)} characters)"
    text = _SHORT.repr(value)
    return text if len(text) <= 2 * _SHOWN else f"{text[: 2 * _SHOWN]}…"
