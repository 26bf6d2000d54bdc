"""`sed`: substitution, printing and deleting by line number or pattern."""

import re
from collections.abc import Callable
from functools import partial

from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError
from emulator_farm.virtual.shell.pipes import to_text

from .files import each
from .options import parse_options
from .patterns import compile_pattern
from .reading import lines_from, lines_of, opened


async def sed(run: Invocation) -> int:
    """`s/A/B/[gpiN]`, and `p`, `d`, `q` of `N`, `N,M`, `$`, `/RE/`; -n -E -r -e, and -i to change the files."""
    options, operands = parse_options(run, "nErsi", "e")
    script = options.values.get("e") or (operands.pop(0) if operands else "")
    if not script:
        raise ToolError("no pattern")
    commands = [_sed_command(part.strip(), bool(options & set("Er"))) for part in _sed_split(script)]
    editor = _Editor(run, commands, "n" in options, "$" in script)
    if "i" in options:
        return await run.call(lambda phone: each(run, operands, partial(_in_place, run, editor)))
    missing = len(operands or ["-"])
    async for _, source in opened(run, operands):
        missing -= 1
        async for lines in lines_from(source):
            for line in lines:
                editor.feed(to_text(line))
            await run.flush()
    editor.end()
    return int(missing > 0)


def _in_place(run: Invocation, editor: "_Editor", path: str) -> None:
    before = run.taken()
    for line in lines_of(run.files.read(run.readable(path))):
        editor.feed(to_text(line))
    editor.end()
    run.files.write(run.writable(path), run.taken())
    run.out(before)


class Quit(Exception):
    """`q`: this line is the last."""


class _Editor:
    """Sends lines through the commands; with `ahead`, one is held back until it is known whether it is the last."""

    def __init__(self, run: Invocation, commands: "list[SedCommand]", quiet: bool, ahead: bool) -> None:
        self._run, self._commands = run, commands
        self._quiet, self._ahead = quiet, ahead
        self._waiting: str | None = None
        self._number = 0
        self._ended = False

    def feed(self, line: str) -> None:
        """The next line."""
        if not self._ahead:
            self._edit(line, False)
            return
        if self._waiting is not None:
            self._edit(self._waiting, False)
        self._waiting = line

    def end(self) -> None:
        """There are no more lines."""
        if self._waiting is not None:
            self._edit(self._waiting, True)
        self._waiting, self._number, self._ended = None, 0, False

    def _edit(self, line: str, is_last: bool) -> None:
        if self._ended:
            return
        self._number += 1
        text: str | None = line
        for command in self._commands:
            if text is None:
                break
            try:
                text, printed = command(text, self._number, is_last)
            except Quit:
                self._ended = True
                break
            if printed is not None:
                self._run.line(printed)
        if text is not None and not self._quiet:
            self._run.line(text)


SedCommand = Callable[[str, int, bool], tuple[str | None, str | None]]
ADDRESS = re.compile(r"(?:(\d+|\$)(?:,(\d+|\$))?|/((?:\\.|[^/\\])*)/)?\s*")


def _sed_split(script: str) -> list[str]:
    return [part for part in re.split(r"(?:;|\n)(?=\s*(?:[\d$/sdpq]|$))", script) if part.strip()]


def _sed_command(text: str, extended: bool) -> SedCommand:
    address = ADDRESS.match(text)
    assert address is not None
    first, last, pattern = address.groups()
    body = text[address.end() :]
    regex = compile_pattern(pattern, extended, False, False) if pattern is not None else None

    def selects(line: str, number: int, is_last: bool) -> bool:
        if regex is not None:
            return bool(regex.search(line))
        if first is None:
            return True
        low = number if first == "$" and is_last else (-1 if first == "$" else int(first))
        high = low if last is None else (10**9 if last == "$" else int(last))
        return low <= number <= high and low > 0

    if body == "d":
        return lambda line, number, end: (None, None) if selects(line, number, end) else (line, None)
    if body == "q":

        def quit_at(line: str, number: int, end: bool) -> tuple[str | None, str | None]:
            if selects(line, number, end):
                raise Quit
            return line, None

        return quit_at
    if body == "p":
        return lambda line, number, end: (line, line if selects(line, number, end) else None)
    if body[:1] == "s" and len(body) > 1:
        replace = _substitution(text, body, extended)
        return lambda line, number, end: replace(line) if selects(line, number, end) else (line, None)
    raise ToolError(f"bad command '{text}'")


def _substitution(text: str, body: str, extended: bool) -> Callable[[str], tuple[str, str | None]]:
    delimiter = re.escape(body[1])
    parts = re.fullmatch(
        rf"s{delimiter}((?:\\.|(?!{delimiter}).)*){delimiter}((?:\\.|(?!{delimiter}).)*){delimiter}([gpiI\d]*)",
        body,
        re.DOTALL,
    )
    if parts is None:
        raise ToolError(f"bad pattern '{text}'")
    source, replacement, flags = parts.groups()
    regex = compile_pattern(
        source.replace("\\" + body[1], body[1]) if body[1] != "\\" else source, extended, False, "i" in flags.lower()
    )
    nth = int("".join(filter(str.isdecimal, flags)) or 0)

    def expand(match: re.Match[str]) -> str:
        def piece(found: re.Match[str]) -> str:
            token = found.group()
            if token == "&":
                return match.group()
            if token[1].isdecimal():
                return match.group(int(token[1])) or ""
            return {"n": "\n", "t": "\t"}.get(token[1], token[1])

        return re.sub(r"\\.|&", piece, replacement, flags=re.DOTALL)

    def apply(line: str) -> tuple[str, str | None]:
        seen = 0

        def one(match: re.Match[str]) -> str:
            nonlocal seen
            seen += 1
            wanted = (seen >= max(1, nth)) if "g" in flags else seen == max(1, nth)
            return expand(match) if wanted else match.group()

        changed = regex.sub(one, line)
        return changed, changed if "p" in flags and seen else None

    return apply


TOOLS: dict[str, Tool] = {"sed": sed}
