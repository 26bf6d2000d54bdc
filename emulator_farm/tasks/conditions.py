"""What makes a task done: a tree of questions to the phone, and to what the agent said. `evaluate` answers it."""

from __future__ import annotations

from typing import Annotated, Literal, Self, get_args

from pydantic import Discriminator, Field, Tag, model_validator

from emulator_farm.tasks.text import Column, Key, Namespace, Noun, Package, Path, Pattern, Text, Uri

LIKENESS = 0.85
"""How much an answer must resemble a `fuzzy` text unless the task says otherwise."""


def _one_of(model: Noun, *names: str) -> None:
    given = [name for name in names if getattr(model, name) is not None]
    if len(given) != 1:
        found = " and ".join(given) or "none"
        raise ValueError(f"needs exactly one of {', '.join(names)}; found {found}")


class AllOf(Noun):
    """Every check passes."""

    kind: Literal["all"] = "all"
    checks: Annotated[tuple[Check, ...], Field(min_length=1, strict=False)]


class AnyOf(Noun):
    """At least one check passes."""

    kind: Literal["any"] = "any"
    checks: Annotated[tuple[Check, ...], Field(min_length=1, strict=False)]


class Not(Noun):
    """The check does not pass."""

    kind: Literal["not"] = "not"
    check: Check


class Setting(Noun):
    """A settings value: equal to a text, matching a pattern as a whole, or a number in a range."""

    kind: Literal["setting"] = "setting"
    namespace: Namespace
    key: Key
    equals: Text | None = None
    matches: Pattern | None = None
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _one_condition(self) -> Self:
        bounds = self.at_least is not None or self.at_most is not None
        conditions = [self.equals is not None, self.matches is not None, bounds]
        if sum(conditions) != 1:
            raise ValueError("needs exactly one of equals, matches, or at_least and/or at_most")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least {self.at_least:g} is above at_most {self.at_most:g}; nothing can pass")
        return self


class Value(Noun):
    """What a column must hold, other than a plain text: exactly one of its fields."""

    matches: Pattern | None = None
    digits: Text | None = None
    """The same digits, whatever stands between them: phone numbers are stored in many spellings."""

    @model_validator(mode="after")
    def _one_condition(self) -> Self:
        _one_of(self, "matches", "digits")
        return self


def _cell_kind(value: object) -> str:
    return "value" if isinstance(value, dict | Value) else "text"


Cell = Annotated[Annotated[Text, Tag("text")] | Annotated[Value, Tag("value")], Discriminator(_cell_kind)]
"""What a column must hold: exactly this text, or a `Value`."""


class Content(Noun):
    """Rows of a content provider: those whose columns are as in `has`, at least one of them or exactly `count`."""

    kind: Literal["content"] = "content"
    uri: Uri
    where: dict[Column, Text] = Field(default_factory=dict)
    """Asked of the provider: columns that equal these values."""
    projection: Annotated[tuple[Column, ...], Field(strict=False)] = ()
    """Columns to ask for; all without it."""
    has: dict[Column, Cell] = Field(default_factory=dict)
    """Looked for in the rows that come back."""
    count: Annotated[int, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _some_condition(self) -> Self:
        if not self.has and self.count is None:
            raise ValueError("needs has, count or both; otherwise there is nothing to check")
        missing = [column for column in self.has if self.projection and column not in self.projection]
        if missing:
            raise ValueError(f"has looks at {', '.join(missing)}, which projection leaves out")
        return self


class File(Noun):
    """A file on the phone: that it exists, or what its text is."""

    kind: Literal["file"] = "file"
    path: Path
    exists: bool | None = None
    equals: Text | None = None
    """The whole text; white space at its ends does not count."""
    contains: Annotated[Text, Field(min_length=1)] | None = None
    matches: Pattern | None = None
    """Found anywhere in the text."""

    @model_validator(mode="after")
    def _one_condition(self) -> Self:
        _one_of(self, "exists", "equals", "contains", "matches")
        return self


class Foreground(Noun):
    """The app in front."""

    kind: Literal["foreground"] = "foreground"
    package: Package | None = None
    activity: Annotated[Text, Field(min_length=1)] | None = None
    """Class name, in full or from its last dot on."""

    @model_validator(mode="after")
    def _some_condition(self) -> Self:
        if self.package is None and self.activity is None:
            raise ValueError("needs package, activity or both")
        return self


class Screen(Noun):
    """Something on the screen when the episode ends, looked up in the UI tree."""

    kind: Literal["screen"] = "screen"
    text: Annotated[Text, Field(min_length=1)] | None = None
    """Part of a visible text; case and white space do not count."""
    desc: Annotated[Text, Field(min_length=1)] | None = None
    """Part of a content description, likewise."""
    id: Annotated[Text, Field(min_length=1)] | None = None
    """A resource id, in full or behind its slash."""
    present: bool = True

    @model_validator(mode="after")
    def _some_condition(self) -> Self:
        if self.text is None and self.desc is None and self.id is None:
            raise ValueError("needs at least one of text, desc, id")
        return self


class Answer(Noun):
    """What the agent answered. Case, white space, quotes around it and a final stop do not count."""

    kind: Literal["answer"] = "answer"
    exact: Annotated[Text, Field(min_length=1)] | None = None
    regex: Pattern | None = None
    """Found anywhere in the answer, whatever the case."""
    number: float | None = None
    """The only number in the answer."""
    tolerance: Annotated[float, Field(ge=0)] | None = None
    """How far off `number` may be; nothing by default."""
    fuzzy: Annotated[Text, Field(min_length=1)] | None = None
    """A text that the answer resembles, in any order of words."""
    threshold: Annotated[float, Field(gt=0, le=1)] | None = None
    """How much it must resemble `fuzzy`, from 0 to 1; LIKENESS by default."""

    @model_validator(mode="after")
    def _one_condition(self) -> Self:
        _one_of(self, "exact", "regex", "number", "fuzzy")
        if self.number is None and self.tolerance is not None:
            raise ValueError("tolerance belongs to number")
        if self.fuzzy is None and self.threshold is not None:
            raise ValueError("threshold belongs to fuzzy")
        return self


class Infeasible(Noun):
    """The agent ended by saying that the task cannot be done."""

    kind: Literal["infeasible"] = "infeasible"


Check = Annotated[
    AllOf | AnyOf | Not | Setting | Content | File | Foreground | Screen | Answer | Infeasible,
    Field(discriminator="kind"),
]

for _model in (AllOf, AnyOf, Not):
    _model.model_rebuild()

CHECK_KINDS: dict[str, type[Noun]] = {
    model.model_fields["kind"].default: model for model in get_args(get_args(Check)[0])
}
"""Every check by its name in a task file."""


def same_activity(wanted: str, found: str) -> bool:
    """Whether a class name, in full or from its last dot on, is that of `found`."""
    return found == wanted or found.rpartition(".")[2] == wanted.removeprefix(".")


def asks(check: Check) -> frozenset[type[Noun]]:
    """The kinds of question in a tree that must be answered with yes (none of those under a `not`)."""
    match check:
        case AllOf() | AnyOf():
            return frozenset(kind for child in check.checks for kind in asks(child))
        case Not():
            return frozenset()
        case _:
            return frozenset({type(check)})
