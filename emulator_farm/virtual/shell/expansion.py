"""Words to fields: variables, command substitution, splitting and file name patterns."""

import posixpath
import re
from collections.abc import Awaitable, Callable
from typing import NamedTuple, assert_never

from emulator_farm.virtual import rootfs
from emulator_farm.virtual.files import FileTree

from .arithmetic import Variables, calculate
from .syntax import Arithmetic, Script, Substitution, Text, Variable, Word

Substitute = Callable[[Script], Awaitable[str]]
Positional = Callable[[], list[str]]
PATTERN_CHARS = re.compile(r"[*?\[]")


class Piece(NamedTuple):
    """A run of characters of a field; quoted ones are literal in a pattern."""

    text: str
    quoted: bool


Field = list[Piece]


class BadExpansion(Exception):
    """A word that has no value, such as `${x:?message}`; the message goes after the shell's name."""


class Expander:
    """Turns words into fields for one shell."""

    def __init__(self, variables: Variables, substitute: Substitute, positional: Positional) -> None:
        self._variables = variables
        self._substitute = substitute
        self._positional = positional

    async def fields(self, word: Word) -> list[Field]:
        """All expansions but patterns: a word may give no field, one or many."""
        done: list[Field] = []
        current: Field | None = None
        for part in word:
            if isinstance(part, Text):
                current = [*(current or []), Piece(part.text, part.quoted)]
                continue
            if isinstance(part, Variable) and part.name == "@" and part.quoted:
                for index, value in enumerate(self._positional()):
                    if index and current is not None:
                        done.append(current)
                        current = None
                    current = [*(current or []), Piece(value, True)]
                continue
            value = await self._value(part)
            if part.quoted:
                current = [*(current or []), Piece(value, True)]
                continue
            pieces = re.split(r"[ \t\n]+", value)
            for index, piece in enumerate(pieces):
                if index and current is not None:
                    done.append(current)
                    current = None
                if piece:
                    current = [*(current or []), Piece(piece, False)]
        return done if current is None else [*done, current]

    async def text(self, word: Word) -> str:
        """The word as one string: for assignments and redirections."""
        parts = []
        for part in word:
            parts.append(part.text if isinstance(part, Text) else await self._value(part))
        return "".join(parts)

    async def _value(self, part: Variable | Substitution | Arithmetic) -> str:
        match part:
            case Substitution():
                return (await self._substitute(part.script)).rstrip("\n")
            case Arithmetic():
                return str(calculate(await self.text(part.word), self._variables))
            case Variable():
                return await self._variable(part)
            case _:
                assert_never(part)

    async def _variable(self, part: Variable) -> str:
        value = self._variables.get(part.name)
        operator = part.operator
        missing = value is None or (value == "" and operator[:1] == ":")
        match operator:
            case "" | ":" if not part.word:
                return value or ""
            case "length":
                return str(len(value or ""))
            case "-" | ":-":
                return await self.text(part.word) if missing else value or ""
            case "+" | ":+":
                return "" if missing else await self.text(part.word)
            case "=" | ":=":
                if missing:
                    self._variables.set(part.name, await self.text(part.word))
                return self._variables.get(part.name) or ""
            case "?" | ":?":
                if missing:
                    message = await self.text(part.word) or "parameter null or not set"
                    raise BadExpansion(f"{part.name}: {message}")
                return value or ""
            case ":":
                return await self._slice(value or "", part)
            case _:
                return await self._replace(value or "", part)

    async def _slice(self, value: str, part: Variable) -> str:
        start = calculate(await self.text(part.word), self._variables)
        start = max(0, start + len(value)) if start < 0 else start
        if not part.other:
            return value[start:]
        length = calculate(await self.text(part.other), self._variables)
        return value[start : start + length] if length >= 0 else value[start:length]

    async def _replace(self, value: str, part: Variable) -> str:
        """`#` and `%` cut what a pattern matches at the beginning or the end, `/` and `//` replace it."""
        pattern = pattern_regex(await self.pattern(part.word)).pattern
        match part.operator:
            case "#" | "##":
                ends = range(len(value) + 1)
                cuts = (end for end in (ends if part.operator == "#" else reversed(ends)))
                return next((value[end:] for end in cuts if re.fullmatch(pattern, value[:end], re.DOTALL)), value)
            case "%" | "%%":
                ends = range(len(value) + 1)
                cuts = (start for start in (reversed(ends) if part.operator == "%" else ends))
                return next((value[:end] for end in cuts if re.fullmatch(pattern, value[end:], re.DOTALL)), value)
            case _:
                new = await self.text(part.other)
                return re.sub(pattern, lambda match: new, value, count=part.operator == "/", flags=re.DOTALL)

    async def pattern(self, word: Word) -> str:
        """The word as a pattern: what was quoted in it stands for itself."""
        parts = []
        for part in word:
            text = part.text if isinstance(part, Text) else await self._value(part)
            parts.append(_escape(text) if part.quoted else text)
        return "".join(parts)


def plain(field: Field) -> str:
    """The characters of a field."""
    return "".join(piece.text for piece in field)


def has_pattern(field: Field) -> bool:
    """Whether an unquoted `*`, `?` or `[` makes this a file name pattern."""
    return any(not piece.quoted and PATTERN_CHARS.search(piece.text) for piece in field)


def glob(files: FileTree, field: Field, cwd: str, uid: int) -> list[str]:
    """Sorted matching paths, or the field as it stands where nothing matches."""
    pattern = "".join(_escape(piece.text) if piece.quoted else piece.text for piece in field)
    absolute = pattern.startswith("/")
    found = [("/" if absolute else "", "/" if absolute else cwd)]
    components = [component for component in pattern.split("/") if component]
    for index, component in enumerate(components):
        only_dirs = index + 1 < len(components) or pattern.endswith("/")
        found = [match for place in found for match in _step(files, place, component, only_dirs, uid)]
    paths = sorted(shown + ("/" if pattern.endswith("/") else "") for shown, _ in found)
    return paths or [plain(field)]


def _step(files: FileTree, place: tuple[str, str], component: str, only_dirs: bool, uid: int) -> list[tuple[str, str]]:
    shown, real = place
    is_pattern = PATTERN_CHARS.search(re.sub(r"\\.", "", component)) is not None
    names = [re.sub(r"\\(.)", r"\1", component)]
    if is_pattern:
        try:
            rootfs.check_list(files, real, uid)
            names = files.list(real)
        except OSError:
            return []
        regex = pattern_regex(component)
        names = [name for name in names if regex.fullmatch(name) and (component[0] == "." or name[0] != ".")]
    base = shown + "/" if shown and not shown.endswith("/") else shown
    places = [(base + name, posixpath.join(real, name)) for name in names]
    if only_dirs:
        return [(s, r) for s, r in places if files.is_dir(r)]
    return places if is_pattern else [(s, r) for s, r in places if files.is_there(r)]


def _escape(text: str) -> str:
    return re.sub(r"([*?\[\]\\])", r"\\\1", text)


def pattern_regex(pattern: str) -> re.Pattern[str]:
    """A shell pattern (backslash escapes) as a regular expression."""
    out = []
    for token in re.finditer(r"\\(.)|\[([!^]?)(\]?[^\]]*)\]|(.)", pattern, re.DOTALL):
        escaped, negated, members, char = token.groups()
        if escaped is not None:
            out.append(re.escape(escaped))
        elif members is not None:
            inside = members.replace("\\", "\\\\").replace("]", "\\]").replace("[", "\\[").replace("^", "\\^")
            out.append(f"[{'^' if negated else ''}{inside}]" if members else re.escape(token.group()))
        else:
            out.append({"*": ".*", "?": "."}.get(char, re.escape(char)))
    return re.compile("".join(out), re.DOTALL)
