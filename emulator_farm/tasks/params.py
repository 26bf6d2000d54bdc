"""Parameters of a task: what its texts are filled with, drawn from the task's seed.

Each parameter has its own stream of numbers, made with SHA-256 from task name, seed and parameter name: the same on
every machine and Python version, and unmoved by the parameters beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self, TypeVar, get_args

from pydantic import BeforeValidator, Field, JsonValue, TypeAdapter, field_validator, model_validator

from emulator_farm.tasks.template import Value, fill
from emulator_farm.tasks.text import Noun, Text, matching
from emulator_farm.tasks.words import FIRST_NAMES, LAST_NAMES, WORDS

Item = TypeVar("Item")
Name = Annotated[str, matching(r"[a-z][a-z0-9_]*", "a parameter name (a-z, 0-9 and _, a letter first)")]
Values = Annotated[tuple[str | int | float, ...], Field(min_length=1, strict=False)]

Names = Annotated[
    tuple[Name, ...], Field(strict=False), BeforeValidator(lambda names: [names] if isinstance(names, str) else names)
]
"""Earlier parameters from which a value must differ."""

_TRIES = 1_000


class NoValue(ValueError):
    """There is no value that a parameter could have."""


class Draw:
    """Whole numbers from SHA-256 of the given parts and a counter."""

    def __init__(self, *parts: str | int) -> None:
        self._prefix = "\0".join(map(str, parts))
        self._count = 0

    def below(self, bound: int) -> int:
        """The next number, from 0 to `bound` - 1."""
        digest = hashlib.sha256(f"{self._prefix}\0{self._count}".encode()).digest()
        self._count += 1
        return int.from_bytes(digest[:16], "big") % bound

    def one(self, items: Sequence[Item]) -> Item:
        """One of `items`."""
        return items[self.below(len(items))]


class Choice(Noun):
    """One of a list."""

    kind: Literal["choice"] = "choice"
    of: Values
    unlike: Names = ()

    @field_validator("of")
    @classmethod
    def _alike(cls, items: tuple[Value, ...]) -> tuple[Value, ...]:
        if len({isinstance(item, str) for item in items}) > 1:
            raise ValueError("mixes texts and numbers; quote the numbers")
        return items

    def draw(self, draw: Draw) -> Value:
        return draw.one(self.of)


class Range(Noun):
    """A whole number from `low` to `high`, both included, in steps of `step` from `low`."""

    kind: Literal["range"] = "range"
    low: int
    high: int
    step: Annotated[int, Field(ge=1)] = 1
    unlike: Names = ()

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"low {self.low} is above high {self.high}; swap them")
        return self

    def draw(self, draw: Draw) -> Value:
        return self.low + self.step * draw.below((self.high - self.low) // self.step + 1)


class Generate(Noun):
    """A made-up name, phone number (ten digits of the range kept for fiction), e-mail address or word."""

    kind: Literal["generate"] = "generate"
    what: Literal["first_name", "last_name", "full_name", "phone", "email", "word"]
    unlike: Names = ()

    def draw(self, draw: Draw) -> Value:
        first, last = draw.one(FIRST_NAMES), draw.one(LAST_NAMES)
        match self.what:
            case "first_name":
                return first
            case "last_name":
                return last
            case "full_name":
                return f"{first} {last}"
            case "phone":
                return f"{draw.one('23456789')}{draw.below(100):02}55501{draw.below(100):02}"
            case "email":
                return f"{first}.{last}@example.com".lower()
            case "word":
                return draw.one(WORDS)


class Sample(Noun):
    """Several different items of a list in random order, joined into one text."""

    kind: Literal["sample"] = "sample"
    of: Values
    count: Annotated[int, Field(ge=1)]
    separator: Text = ", "
    unlike: Names = ()

    @model_validator(mode="after")
    def _enough(self) -> Self:
        if self.count > len(set(self.of)):
            raise ValueError(f"count {self.count} is more than the {len(set(self.of))} different items of the list")
        return self

    def draw(self, draw: Draw) -> Value:
        left = list(dict.fromkeys(self.of))
        return self.separator.join(str(left.pop(draw.below(len(left)))) for _ in range(self.count))


class Join(Noun):
    """A text made of earlier parameters."""

    kind: Literal["text"] = "text"
    template: Text
    unlike: Names = ()

    def draw(self, draw: Draw) -> Value:
        return self.template


class Lookup(Noun):
    """What a table says of an earlier parameter's value."""

    kind: Literal["lookup"] = "lookup"
    key: Text
    table: Annotated[dict[str, str | int | float], Field(min_length=1)]
    unlike: Names = ()

    def draw(self, draw: Draw) -> Value:
        if self.key not in self.table:
            raise NoValue(f"the table has no entry {self.key!r}, only {', '.join(map(repr, self.table))}")
        return self.table[self.key]


Param = Annotated[Choice | Range | Generate | Sample | Join | Lookup, Field(discriminator="kind")]

PARAM_KINDS: dict[str, type[Noun]] = {
    model.model_fields["kind"].default: model for model in get_args(get_args(Param)[0])
}
"""Every kind of parameter by its name in a task file."""

_param: TypeAdapter[Param] = TypeAdapter(Param)


def draw_value(template: JsonValue, earlier: Mapping[str, Value], draw: Draw) -> Value:
    """Draw one parameter whose texts may mention earlier ones.

    Raises pydantic.ValidationError for a template that is no parameter once filled, NoValue where `unlike` or a table
    leave nothing.
    """
    param = _param.validate_python(fill(template, earlier))
    taken = {str(earlier[name]).casefold() for name in param.unlike if name in earlier}
    for _ in range(_TRIES):
        value = param.draw(draw)
        if str(value).casefold() not in taken:
            return value
    raise NoValue(f"every value drawn equals one of {', '.join(param.unlike)}; offer more values")


def draw_values(
    params: Mapping[str, JsonValue], task: str, seed: int, fixed: Mapping[str, Value] | None = None
) -> dict[str, Value]:
    """All parameters of a task instance, in the order of the file; `fixed` values are taken in place of drawn ones."""
    values: dict[str, Value] = {}
    for name, template in params.items():
        if fixed and name in fixed:
            values[name] = fixed[name]
        else:
            values[name] = draw_value(template, values, Draw(task, seed, name))
    return values
