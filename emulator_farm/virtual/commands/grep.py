"""`grep`, `egrep`, `fgrep`."""

import re
from collections import deque

from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError
from emulator_farm.virtual.shell.pipes import to_text

from .options import Options, parse_options
from .patterns import compile_pattern
from .reading import lines_from, open_source


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
    pattern = "|".join(f"(?:{part})" for part in parts)
    if "w" in options:
        pattern = rf"(?<!\w)(?:{pattern})(?!\w)"
    if "x" in options:
        pattern = f"^(?:{pattern})$"
    regex = re.compile(pattern, re.IGNORECASE if "i" in options else 0)
    if options & set("rR"):
        operands = await run.call(lambda phone: _walk_files(run, operands or ["."]))
    named = "H" in options or ((len(operands) > 1 or bool(options & set("rR"))) and "h" not in options)
    matched, status = False, 0
    for path in operands or ["-"]:
        shown = "(standard input)" if path == "-" else path
        try:
            source = await open_source(run, path)
        except OSError as error:
            if "s" not in options:
                run.complain(f"{path}: {error.strerror}")
            status = 2
            continue
        search = _Search(run, regex, shown, options, named)
        async for lines in lines_from(source):
            search.feed([to_text(line) for line in lines])
            if "q" not in options:
                await run.flush()
            if search.done:
                break
        search.end()
        matched |= search.matched
        if matched and "q" in options:
            return 0
    return status or int(not matched)


def _walk_files(run: Invocation, paths: list[str]) -> list[str]:
    out = []
    for path in paths:
        absolute = run.readable(path)
        for found in run.files.walk(absolute):
            if not run.files.is_dir(found):
                out.append(path + found[len(absolute) :])
    return out


class _Search:
    """What one file gives; lines are fed as they come."""

    def __init__(self, run: Invocation, regex: re.Pattern[str], name: str, options: Options, named: bool) -> None:
        self._run, self._regex, self._name, self._options = run, regex, name, options
        self._named = named
        values = options.values
        self._most = int(values["m"]) if "m" in values else None
        around = values.get("C", "0")
        self._before, self._after = int(values.get("B", around)), int(values.get("A", around))
        self._number = 0
        self._hits = 0
        self._history: deque[tuple[int, str]] = deque(maxlen=self._before or 1)
        self._last_shown = 0
        self._trailing = 0
        self.done = False
        """Whether more lines would change nothing."""

    @property
    def matched(self) -> bool:
        """Whether the file has a line that was looked for."""
        return self._hits > 0

    def feed(self, lines: list[str]) -> None:
        """The next lines."""
        for line in lines:
            if self.done:
                return
            self._number += 1
            if bool(self._regex.search(line)) != ("v" in self._options):
                self._hit(line)
            elif self._trailing:
                self._trailing -= 1
                self._show(self._number, "-", line)
            self._history.append((self._number, line))
            self.done = self.done or (self._most is not None and self._hits >= self._most and not self._trailing)

    def _hit(self, line: str) -> None:
        if self._most is not None and self._hits >= self._most:
            return
        self._hits += 1
        if self._options & set("qlL"):
            self.done = True
        elif "c" in self._options:
            return
        elif "o" in self._options:
            for match in self._regex.finditer(line):
                if match.group():
                    self._show(self._number, ":", match.group())
        else:
            for number, earlier in self._history if self._before else ():
                if number > self._last_shown:
                    self._show(number, "-", earlier)
            self._show(self._number, ":", line)
            self._trailing = self._after

    def _show(self, number: int, mark: str, text: str) -> None:
        if (self._before or self._after) and self._last_shown and number > self._last_shown + 1:
            self._run.line("--")
        self._last_shown = number
        numbered = f"{number}{mark}" if "n" in self._options else ""
        self._run.line((f"{self._name}{mark}" if self._named else "") + numbered + text)

    def end(self) -> None:
        """The file is over."""
        if self._options & set("lL") and "q" not in self._options:
            if self.matched == ("l" in self._options):
                self._run.line(self._name)
        elif "c" in self._options and "q" not in self._options:
            self._run.line((f"{self._name}:" if self._named else "") + str(self._hits))


TOOLS: dict[str, Tool] = {"egrep": grep, "fgrep": grep, "grep": grep}
