"""Placeholders: `{name}` in any text of a task stands for the parameter `name`; `{{name}}` is the text `{name}` itself.

Any other brace is an ordinary character, so that regular expressions and JSON need no escapes. A text that is nothing
but one placeholder becomes the parameter's value with its type, so that numbers stay numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from emulator_farm.tasks.document import Where

Value = str | int | float
"""A parameter's value."""

_PLACEHOLDER = re.compile(r"\{\{([A-Za-z_][A-Za-z0-9_]*)\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}")
PATTERN_FIELDS = frozenset({"matches", "regex"})
"""Fields that hold a regular expression: values are put into them escaped, as literal text."""


def placeholders(template: JsonValue, where: Where = ()) -> Iterator[tuple[Where, str]]:
    """Every parameter that a template mentions, with the place of the text that does."""
    match template:
        case str():
            for match in _PLACEHOLDER.finditer(template):
                if match.group(2):
                    yield where, match.group(2)
        case list():
            for index, item in enumerate(template):
                yield from placeholders(item, (*where, index))
        case dict():
            for key, item in template.items():
                yield from placeholders(item, (*where, key))
        case _:
            return


def fill_text(template: str, values: Mapping[str, Value], *, pattern: bool = False) -> str:
    """Put values into a text; a placeholder without a value stays as it is."""

    def text(match: re.Match[str]) -> str:
        literal, name = match.groups()
        if literal:
            return f"{{{literal}}}"
        if name not in values:
            return match.group()
        value = str(values[name])
        return re.escape(value) if pattern else value

    return _PLACEHOLDER.sub(text, template)


def fill(template: JsonValue, values: Mapping[str, Value], *, pattern: bool = False) -> JsonValue:
    """Put values into every text of a template. Keys are left alone."""
    match template:
        case str():
            whole = _PLACEHOLDER.fullmatch(template)
            if whole and whole.group(2) in values and not pattern:
                return values[whole.group(2)]
            return fill_text(template, values, pattern=pattern)
        case list():
            return [fill(item, values, pattern=pattern) for item in template]
        case dict():
            return {key: fill(item, values, pattern=key in PATTERN_FIELDS) for key, item in template.items()}
        case _:
            return template


def literal(template: JsonValue) -> JsonValue:
    """A template whose filling gives `template` back unchanged."""
    match template:
        case str():
            return _PLACEHOLDER.sub(lambda match: f"{{{match.group()}}}", template)
        case list():
            return [literal(item) for item in template]
        case dict():
            return {key: literal(item) for key, item in template.items()}
        case _:
            return template
