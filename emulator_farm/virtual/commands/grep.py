"""`grep`, `egrep`, `fgrep`."""

import re

from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError

from .options import parse_options
from .patterns import compile_pattern
from .text import lines_of, read_inputs


async def grep(run: Invocation) -> int:
    """Print matching lines: -i -v -c -E -F -o -q -n -l -L -w -x -h -H -r -s -m N -A N -B N -C N -e PATTERN."""
    options, operands = parse_options(run, "ivcEFoqnlLwxhHrRsaz", "emABC")
    if "e" in options:
        pattern = options.values["e"]
    elif operands:
        pattern = operands.pop(0)
    else:
        raise ToolError("no REGEX", 2)
    extended = "E" in options or run.name == "egrep"
    fixed = "F" in options or run.name == "fgrep"
    parts = [compile_pattern(part, extended, fixed, "i" in options).pattern for part in pattern.split("\n")]
    source = "|".join(f"(?:{part})" for part in parts)
    if "w" in options:
        source = rf"(?<!\w)(?:{source})(?!\w)"
    if "x" in options:
        source = f"^(?:{source})$"
    regex = re.compile(source, re.IGNORECASE if "i" in options else 0)
    if options & set("rR"):
        operands = await run.call(lambda phone: _walk_files(run, operands or ["."]))
    found, status = await read_inputs(run, operands)
    named = "H" in options or ((len(found) > 1 or bool(options & set("rR"))) and "h" not in options)
    matched = False
    for name, content in found:
        matched |= _grep_one(run, regex, name, content, options, options.values, named)
    return 2 if status and not matched else int(not matched)


def _walk_files(run: Invocation, paths: list[str]) -> list[str]:
    out = []
    for path in paths:
        absolute = run.readable(path)
        for found in run.files.walk(absolute):
            if not run.files.is_dir(found):
                out.append(path + found[len(absolute) :])
    return out


def _grep_one(
    run: Invocation,
    regex: re.Pattern[str],
    name: str,
    content: bytes,
    options: set[str],
    values: dict[str, str],
    named: bool,
) -> bool:
    lines = [line.decode("utf-8", "surrogateescape") for line in lines_of(content)]
    hits = [index for index, line in enumerate(lines) if bool(regex.search(line)) != ("v" in options)]
    if "m" in values:
        hits = hits[: int(values["m"])]
    if "q" in options:
        return bool(hits)
    shown = "(standard input)" if name == "-" else name
    if options & set("lL"):
        if bool(hits) == ("l" in options):
            run.line(shown)
        return bool(hits)
    prefix = f"{shown}:" if named else ""
    if "c" in options:
        run.line(f"{prefix}{len(hits)}")
        return bool(hits)
    if "o" in options:
        for index in hits:
            for match in regex.finditer(lines[index]):
                if match.group():
                    run.line(prefix + (f"{index + 1}:" if "n" in options else "") + match.group())
        return bool(hits)
    _print_with_context(run, lines, hits, options, values, shown if named else "")
    return bool(hits)


def _print_with_context(
    run: Invocation, lines: list[str], hits: list[int], options: set[str], values: dict[str, str], name: str
) -> None:
    around = values.get("C", "0")
    before, after = int(values.get("B", around)), int(values.get("A", around))
    wanted = sorted({i for hit in hits for i in range(hit - before, hit + after + 1) if 0 <= i < len(lines)})
    chosen = set(hits)
    last = -1
    for index in wanted:
        if (before or after) and last >= 0 and index > last + 1:
            run.line("--")
        mark = ":" if index in chosen else "-"
        number = f"{index + 1}{mark}" if "n" in options else ""
        run.line((f"{name}{mark}" if name else "") + number + lines[index])
        last = index


TOOLS: dict[str, Tool] = {"egrep": grep, "fgrep": grep, "grep": grep}
