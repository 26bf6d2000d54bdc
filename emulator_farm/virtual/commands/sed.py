"""`sed`: substitution, printing and deleting by line number or pattern."""

import re
from collections.abc import Callable

from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError

from .options import parse_options
from .patterns import compile_pattern
from .text import lines_of, read_inputs


async def sed(run: Invocation) -> int:
    """`s/A/B/[gpiN]`, `Np`, `N,Mp`, `Nd`, `N,Md`, `/RE/p`, `/RE/d`, `$p`; -n -E -r -e."""
    options, operands = parse_options(run, "nErsi", "e")
    script = options.values.get("e") or (operands.pop(0) if operands else "")
    if not script or "i" in options:
        raise ToolError("no pattern" if not script else "this phone's sed has no -i")
    commands = [_sed_command(part.strip(), bool(options & set("Er"))) for part in _sed_split(script)]
    found, status = await read_inputs(run, operands)
    lines = [line.decode("utf-8", "surrogateescape") for _, content in found for line in lines_of(content)]
    for number, line in enumerate(lines, 1):
        text: str | None = line
        for command in commands:
            if text is not None:
                text, printed = command(text, number, number == len(lines))
                if printed is not None:
                    run.line(printed)
        if text is not None and "n" not in options:
            run.line(text)
    return status


SedCommand = Callable[[str, int, bool], tuple[str | None, str | None]]
ADDRESS = re.compile(r"(?:(\d+|\$)(?:,(\d+|\$))?|/((?:\\.|[^/\\])*)/)?\s*")


def _sed_split(script: str) -> list[str]:
    return [part for part in re.split(r"(?:;|\n)(?=\s*(?:[\d$/sdp]|$))", script) if part.strip()]


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
