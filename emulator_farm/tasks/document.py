"""A task file as plain data that remembers its lines.

YAML is read as the JSON-like core of YAML 1.2: only `true`, `false`, `null`, and numbers as JSON writes them are not
text, so that `07:30`, `on`, `no` and `+15550142` stay what they look like. Nothing is constructed from tags, keys may
not repeat, and anchors may be used but not to blow a small file up into a large one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from pydantic import JsonValue

from emulator_farm.errors import InvalidTask, TaskFileError

Where = tuple[str | int, ...]
"""The way to a value: keys and positions from the top of the file."""

MAX_BYTES = 8_000_000
MAX_NODES = 400_000
MAX_DEPTH = 40


@dataclass
class Document:
    """What a file holds, and what was found wrong with it so far."""

    file: str
    data: JsonValue
    line_of: Callable[[Where], int] = field(repr=False)
    """Line of the key or item at a place; of the nearest place above it that exists."""
    problems: list[InvalidTask] = field(default_factory=list)
    lines_are_tasks: bool = False
    """The file is JSONL: no templates, one task a line."""

    def complain(self, where: Where, name: str, message: str) -> None:
        """Note a problem with the value at `where`, called `name` for people."""
        self.problems.append(InvalidTask(message, file=self.file, line=self.line_of(where), field=name or None))

    def settle(self) -> None:
        """Raise TaskFileError if anything was noted."""
        if self.problems:
            raise TaskFileError(sorted(self.problems, key=lambda problem: problem.line or 0))


def read_document(path: Path, name: str | None = None) -> Document:
    """Read a YAML (`.yaml`, `.yml`, `.json`) or JSONL (`.jsonl`) file; `name` stands for it in messages.

    Raises TaskFileError for a file that cannot be read or is not well-formed. Repeated keys are noted as problems.
    """
    name = name or str(path)
    text = _text(path, name)
    match path.suffix.lower():
        case ".yaml" | ".yml" | ".json":
            return _read_yaml(name, text)
        case ".jsonl":
            return _read_jsonl(name, text)
        case suffix:
            kinds = "must end in .yaml, .yml, .json or .jsonl"
            raise _refusal(name, f"a task file {kinds}, not in {suffix!r}" if suffix else f"a task file {kinds}")


def _refusal(name: str, message: str, line: int | None = None) -> TaskFileError:
    return TaskFileError([InvalidTask(message, file=name, line=line)])


def _text(path: Path, name: str) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise _refusal(name, "no such file") from None
    except IsADirectoryError:
        raise _refusal(name, "this is a folder; name a task file in it") from None
    except OSError as error:
        raise _refusal(name, f"cannot be read: {error.strerror or error}") from None
    if len(content) > MAX_BYTES:
        raise _refusal(name, f"is larger than {MAX_BYTES // 1_000_000} MB; split it")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise _refusal(name, f"is not UTF-8 text (byte {content[error.start]:#04x})", line) from None
    if not text.strip():
        raise _refusal(name, "the file is empty; write at least one task")
    return text


class _Loader(yaml.SafeLoader):
    """Composes nodes only; resolves plain scalars as JSON does."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - the base class declares it so
    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH:
                mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
                raise yaml.composer.ComposerError(None, None, f"nested deeper than {MAX_DEPTH} levels", mark)
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1


_HALF = re.compile("[\ud800-\udfff]")
"""What UTF-8 cannot write: an escape like \\ud83d without its other half."""
_TAG = "tag:yaml.org,2002:"
_NUMBER = r"-?(?:0|[1-9][0-9]*)"
_Loader.add_implicit_resolver(f"{_TAG}null", re.compile(r"^(?:~|null|)$"), ["~", "n", ""])
_Loader.add_implicit_resolver(f"{_TAG}bool", re.compile(r"^(?:true|false)$"), list("tf"))
_Loader.add_implicit_resolver(f"{_TAG}int", re.compile(rf"^{_NUMBER}$"), list("-0123456789"))
_Loader.add_implicit_resolver(
    f"{_TAG}float", re.compile(rf"^{_NUMBER}(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)$"), list("-0123456789")
)


def _read_yaml(name: str, text: str) -> Document:
    try:
        root = _Loader(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = ", ".join(part for part in (error.context, error.problem) if part)
        raise _refusal(name, f"is not valid YAML: {what}", mark.line + 1 if mark else None) from None
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise _refusal(name, f"is not valid YAML: character U+{error.character:04X}", line) from None
    if root is None:
        raise _refusal(name, "the file is empty; write at least one task")
    document = Document(name, None, lambda where: _line(root, where))
    document.data = _Plain(document).convert(root, ())
    return document


class _Plain:
    """Nodes to plain data, counting every visit so that anchors cannot multiply."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._visits = 0

    def convert(self, node: yaml.Node, where: Where) -> JsonValue:
        self._visits += 1
        if self._visits > MAX_NODES or len(where) > MAX_DEPTH:
            raise _refusal(self._document.file, "too much data; do anchors repeat each other?", _mark(node))
        match node:
            case yaml.MappingNode():
                return self._mapping(node, where)
            case yaml.SequenceNode():
                return [self.convert(item, (*where, index)) for index, item in enumerate(node.value)]
            case _:
                return self._scalar(node, where)

    def _mapping(self, node: yaml.MappingNode, where: Where) -> JsonValue:
        result: dict[str, JsonValue] = {}
        first: dict[str, int] = {}
        for key_node, value in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self._complain(key_node, where, "a key must be a plain word")
                continue
            key = key_node.value
            if key in first:
                self._complain(key_node, (*where, key), f"appears twice, first on line {first[key]}; keep one")
                continue
            first[key] = _mark(key_node)
            result[key] = self.convert(value, (*where, key))
        return result

    def _scalar(self, node: yaml.Node, where: Where) -> JsonValue:
        text: str = node.value
        try:
            match node.tag.removeprefix(_TAG):
                case "str":
                    return _whole(text) if _HALF.search(text) else text
                case "int":
                    return _integer(text)
                case "float":
                    return float(text)
                case "bool":
                    return text == "true"
                case "null":
                    return None
                case tag:
                    self._complain(node, where, f"the YAML tag {tag!r} is not supported; write plain data")
        except UnicodeError:
            self._complain(node, where, "holds half a character (a lone surrogate)")
        except ValueError:
            self._complain(node, where, f"{text[:40]!r} is not a number")
        return None

    def _complain(self, node: yaml.Node, where: Where, message: str) -> None:
        problem = InvalidTask(message, file=self._document.file, line=_mark(node), field=dotted(where) or None)
        self._document.problems.append(problem)


def dotted(where: Where) -> str:
    """`("tasks", 0, "goal")` as `tasks[0].goal`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in where).lstrip(".")


def _mark(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _line(node: yaml.Node, where: Where) -> int:
    line = _mark(node)
    for part in where:
        match node:
            case yaml.MappingNode():
                entry = next(((key, value) for key, value in node.value if key.value == part), None)
                if entry is None:
                    return line
                line, node = _mark(entry[0]), entry[1]
            case yaml.SequenceNode() if isinstance(part, int) and part < len(node.value):
                node = node.value[part]
                line = _mark(node)
            case _:
                return line
    return line


def _read_jsonl(name: str, text: str) -> Document:
    numbers: list[int] = []
    rows: list[JsonValue] = []

    def line_of(where: Where) -> int:
        return numbers[where[0]] if where and isinstance(where[0], int) else 1

    document = Document(name, rows, line_of, lines_are_tasks=True)
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        numbers.append(number)
        try:
            rows.append(_json(line))
        except (ValueError, RecursionError) as error:
            numbers.pop()
            what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            document.problems.append(InvalidTask(f"is not a JSON object: {what}", file=name, line=number))
    return document


def _json(line: str) -> JsonValue:
    value: JsonValue = json.loads(
        line, object_pairs_hook=_without_repeats, parse_int=_integer, parse_constant=_no_constant
    )
    if _HALF.search(json.dumps(value, ensure_ascii=False)):
        raise ValueError("a text holds half a character (a lone surrogate)")
    return value


def _without_repeats(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} appears twice")
    return result


def _whole(text: str) -> str:
    """Join pairs of surrogates, as JSON writes emoji; raises UnicodeError where one stands alone."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _integer(text: str) -> int | str:
    """A whole number; more digits than a machine word holds are a text."""
    return int(text) if len(text) <= 18 else text


def _no_constant(text: str) -> JsonValue:
    raise ValueError(f"{text} is not JSON")
