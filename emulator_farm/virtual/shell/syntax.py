"""The parsed form of a shell script."""

from dataclasses import dataclass
from typing import Literal as Choice

Joiner = Choice["&&", "||"]
Operator = Choice["<", ">", ">>", ">&", "<&"]


@dataclass(frozen=True, slots=True)
class Text:
    """Characters as they stand; quoted ones are neither split nor taken for a pattern."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Variable:
    """`$name` or `${name<operator>word}`; operators: `:-` `-` `:+` `+` `#` (length)."""

    name: str
    quoted: bool
    operator: str = ""
    word: "Word" = ()


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(script)` or backticks."""

    script: "Script"
    quoted: bool


Part = Text | Variable | Substitution
Word = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Redirect:
    """`fd operator target`; for `>&` and `<&` the target is a descriptor number or `-`."""

    fd: int
    operator: Operator
    target: Word


@dataclass(frozen=True, slots=True)
class Simple:
    """Assignments, words and redirections; the first word names the command."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """`( script )`, which runs in a copy of the shell, or `{ script; }`, which does not."""

    script: "Script"
    subshell: bool
    redirects: tuple[Redirect, ...]


Command = Simple | Group


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands joined by `|`; `negated` turns the status round."""

    commands: tuple[Command, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class AndOr:
    """Pipelines joined by `&&` and `||`; `rest` holds (operator, pipeline) pairs."""

    first: Pipeline
    rest: tuple[tuple[Joiner, Pipeline], ...]
    background: bool = False


Script = tuple[AndOr, ...]
