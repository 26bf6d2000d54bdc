"""Texts read out of Python source, which is parsed and never run, and turned into templates.

A text may be put together there: by `+`, by an f-string, by `.strip()`. What is no text in such an expression is a
hole, known by its source.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agent_server.errors import PromptSourceError

_OPENING = re.compile(r"\{(?=[{%#]|\Z)")


@dataclass(frozen=True)
class Excerpt:
    """A text in a source file: what is assigned to `constant`, anywhere in it."""

    file: str
    constant: str
    occurrence: int = 0
    """Which of several assignments to that name, in the order of the file."""
    path: tuple[str | int, ...] = ()
    """From the assigned value on: an index of a list, a key of a dictionary, "else" of a conditional expression."""


@dataclass(frozen=True)
class CompactJson:
    """A JSON file without white space, one member more at a position."""

    file: str
    position: int
    member: str
    value: object


Filling = tuple[str | Excerpt | CompactJson, ...]
"""What stands in a template in the place of a placeholder: jinja code, and texts of the vendor's."""


@dataclass(frozen=True)
class Template:
    """One template of ours and what it is made of."""

    name: str
    excerpts: tuple[Excerpt, ...]
    """One after another."""
    filled: Mapping[str, Filling] = field(default_factory=dict)
    """By placeholder: the source of a hole, or the mark in the text, which holds a brace."""
    formatted: bool = False
    """Whether the vendor's program calls `format` on it, so that doubled braces mean single ones."""

    def text(self, files: Mapping[str, str]) -> str:
        """The template, made from the sources by path. Raises PromptSourceError where they are not what is expected."""
        segments = [segment for excerpt in self.excerpts for segment in read(files[excerpt.file], excerpt)]
        left = set(self.filled)
        marks = [name for name in self.filled if "{" in name]
        split = re.compile("(" + "|".join(map(re.escape, marks)) + ")") if marks else None
        made: list[str] = []
        for segment in segments:
            pieces = [segment] if isinstance(segment, Hole) or split is None else split.split(segment)
            for piece in pieces:
                if isinstance(piece, Hole) or piece in marks:
                    made.append(self._filling(piece, files))
                    left.discard(str(piece))
                else:
                    made.append(escaped(piece.replace("{{", "{").replace("}}", "}") if self.formatted else piece))
        if left:
            raise PromptSourceError(f"the text for {self.name} has no placeholder {sorted(left)[0]}")
        return "".join(made)

    def _filling(self, placeholder: str, files: Mapping[str, str]) -> str:
        if placeholder not in self.filled:
            raise PromptSourceError(f"the text for {self.name} has a placeholder that is not known: {placeholder[:80]}")
        return "".join(_made(part, files) for part in self.filled[placeholder])


class Hole(str):
    """The source of an expression that is no text."""

    __slots__ = ()


def read(source: str, excerpt: Excerpt) -> list[str | Hole]:
    """The segments of a text. Raises PromptSourceError where the source holds no such constant, or no text in it."""
    where = f"{excerpt.file} has no text {'.'.join(map(str, (excerpt.constant, *excerpt.path)))}"
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise PromptSourceError(f"{excerpt.file} is no Python source: {error.msg}, line {error.lineno}") from None
    found = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == excerpt.constant for target in node.targets)
    ]
    found.sort(key=lambda node: (node.lineno, node.col_offset))
    if len(found) <= excerpt.occurrence:
        raise PromptSourceError(f"{where}: it is assigned {len(found)} times")
    node: ast.expr | None = found[excerpt.occurrence]
    for step in excerpt.path:
        node = _inside(node, step) if node is not None else None
    if node is None:
        raise PromptSourceError(f"{where}: the value is built otherwise")
    segments = _segments(node)
    if not any(not isinstance(segment, Hole) for segment in segments):
        raise PromptSourceError(f"{where}: it is {ast.unparse(node)[:80]}")
    return segments


def escaped(text: str) -> str:
    """`text` as jinja source that renders to it."""
    return _OPENING.sub("{{ '{' }}", text)


def _inside(node: ast.expr, step: str | int) -> ast.expr | None:
    match node, step:
        case ast.List(elts=elements) | ast.Tuple(elts=elements), int():
            return elements[step] if step < len(elements) else None
        case ast.Dict(keys=keys, values=values), str():
            named = {key.value: value for key, value in zip(keys, values, strict=True) if isinstance(key, ast.Constant)}
            return named.get(step)
        case ast.IfExp(orelse=orelse), "else":
            return orelse
        case _:
            return None


def _segments(node: ast.expr) -> list[str | Hole]:
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [*_segments(left), *_segments(right)]
        case ast.JoinedStr(values=values):
            return [segment for value in values for segment in _segments(value)]
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            return [Hole(ast.unparse(value))]
        case ast.Call(func=ast.Attribute(value=inner, attr="strip"), args=[], keywords=[]):
            return _stripped(_segments(inner))
        case _:
            return [Hole(ast.unparse(node))]


def _stripped(segments: list[str | Hole]) -> list[str | Hole]:
    first, last = segments[0], segments[-1]
    if not isinstance(first, Hole):
        segments[0] = first.lstrip()
    if not isinstance(last, Hole):
        segments[-1] = segments[-1].rstrip()
    return segments


def _made(part: str | Excerpt | CompactJson, files: Mapping[str, str]) -> str:
    match part:
        case str():
            return part
        case Excerpt():
            return escaped("".join(_texts(read(files[part.file], part), part)))
        case CompactJson():
            try:
                members = list(json.loads(files[part.file]).items())
            except (ValueError, AttributeError):
                raise PromptSourceError(f"{part.file} is no JSON object") from None
            members.insert(part.position, (part.member, part.value))
            return escaped(json.dumps(dict(members), ensure_ascii=False, separators=(",", ":")))


def _texts(segments: Iterable[str | Hole], excerpt: Excerpt) -> Iterable[str]:
    for segment in segments:
        if isinstance(segment, Hole):
            raise PromptSourceError(f"{excerpt.constant} in {excerpt.file} is no plain text: {segment[:80]}")
        yield segment
