"""The parsed form of a shell script."""

from dataclasses import dataclass
from typing import Literal as Choice

Joiner = Choice["&&", "||"]
Operator = Choice["<", ">", ">>", ">&", "<&", "<<"]


@dataclass(frozen=True, slots=True)
class Text:
    """Characters as they stand; quoted ones are neither split nor taken for a pattern."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Variable:
    """`$name` or `${name<operator>word}`.

    Operators: `:-` `-` `:+` `+` `:=` `=` `:?` `?` `#` `##` `%` `%%` `/` `//` `:`.
    The operator of `${#name}` is `length`; with two words, of `/` and `:`, the second is `other`.
    """

    name: str
    quoted: bool
    operator: str = ""
    word: "Word" = ()
    other: "Word" = ()


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(script)` or backticks."""

    script: "Script"
    quoted: bool


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`$((word))`: the word is expanded, then calculated."""

    word: "Word"
    quoted: bool


Part = Text | Variable | Substitution | Arithmetic
Word = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Redirect:
    """`fd operator target`; for `>&` and `<&` the target is a descriptor number or `-`, for `<<` the text itself."""

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


@dataclass(frozen=True, slots=True)
class If:
    """`if condition; then body; elif …; else otherwise; fi`."""

    branches: tuple[tuple["Script", "Script"], ...]
    otherwise: "Script"


@dataclass(frozen=True, slots=True)
class Loop:
    """`while condition; do body; done`, or `until`, which goes on as long as the condition fails."""

    condition: "Script"
    body: "Script"
    until: bool


@dataclass(frozen=True, slots=True)
class For:
    """`for name in words; do body; done`; without `in`, over the positional parameters."""

    name: str
    words: tuple[Word, ...] | None
    body: "Script"


@dataclass(frozen=True, slots=True)
class Case:
    """`case subject in pattern|pattern) script;; esac`."""

    subject: Word
    clauses: tuple[tuple[tuple[Word, ...], "Script"], ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """`[[ … ]]`: words as they stand, and between them the operators `&&`, `||`, `<`, `>`, `(`, `)` as strings."""

    items: tuple[Word | str, ...]


@dataclass(frozen=True, slots=True)
class Calculation:
    """`(( expression ))`: succeeds where the value is not 0."""

    word: Word


@dataclass(frozen=True, slots=True)
class Function:
    """`name() command`: from now on the name runs the command."""

    name: str
    body: "Command"


Compound = If | Loop | For | Case | Condition | Calculation | Function
Command = Simple | Group | Compound


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
