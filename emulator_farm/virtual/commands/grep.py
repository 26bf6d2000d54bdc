"""`grep` and its relatives, `sed` for substitutions, `find` and `xargs`."""

import re
import stat as st
from collections.abc import Callable

from emulator_farm.virtual.shell.expansion import pattern_regex
from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError, on_phone

from .files import expand_format, stat_fields
from .options import parse_options
from .text import lines_of, read_inputs

BASIC_SPECIAL = re.compile(r"\\([(){}|+?])|([(){}|+?])|(\\.)|(\[\^?\]?[^\]]*\])", re.DOTALL)
CLASS = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "space": r"\s", "upper": "A-Z", "lower": "a-z",
    "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9A-Fa-f", "blank": r" \t",
}  # fmt: skip


def compile_pattern(text: str, extended: bool, fixed: bool, ignore_case: bool) -> re.Pattern[str]:
    """A POSIX pattern as a Python one. Raises ToolError."""
    source = re.escape(text) if fixed else _posix(text, extended)
    try:
        return re.compile(source, re.IGNORECASE if ignore_case else 0)
    except re.error as error:
        raise ToolError(f"bad REGEX '{text}': {error}", 2) from None


def _posix(text: str, extended: bool) -> str:
    for name, members in CLASS.items():
        text = text.replace(f"[:{name}:]", members)
    if extended:
        return re.sub(r"\\[<>]", r"\\b", text)

    def swap(found: re.Match[str]) -> str:
        special, plain, escaped, bracket = found.groups()
        if special:
            return str(special)
        if plain:
            return "\\" + plain
        return r"\b" if escaped in (r"\<", r"\>") else str(escaped or bracket)

    text = re.sub(r"^(\^?)\*", r"\1\\*", text)
    return BASIC_SPECIAL.sub(swap, text)


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


# -- sed


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


# -- find, xargs


@on_phone
def find(run: Invocation) -> int:
    """`find PATH... [-name P] [-iname P] [-path P] [-type f|d|l] [-maxdepth N] [-mindepth N] [-delete] [-print]`."""
    args = list(run.args)
    paths = []
    while args and not args[0].startswith(("-", "!", "(")):
        paths.append(args.pop(0))
    tests, limits, action = _find_tests(run, args)
    status = 0
    for path in paths or ["."]:
        try:
            absolute = run.listable(path).rstrip("/") or "/"
            found = list(run.files.walk(absolute))
        except OSError as error:
            run.complain(f"'{path}': {error.strerror}")
            status = 1
            continue
        for real in found[::-1] if action == "-delete" else found:
            relative = real[len(absolute.rstrip("/")) :]
            depth = relative.count("/")
            shown = (path.rstrip("/") or "/" * (not relative)) + relative
            if limits["-mindepth"] <= depth <= limits["-maxdepth"] and all(check(real, shown) for check in tests):
                _find_act(run, action, real, shown)
    return status


def _find_act(run: Invocation, action: str, real: str, shown: str) -> None:
    if action == "-delete":
        run.files.remove(run.writable(real), recursive=True)
    elif action == "-print0":
        run.out(shown + "\0")
    elif action.startswith("-printf "):
        run.out(
            expand_format(
                action[8:].replace("\\n", "\n"), stat_fields(shown, run.files.stat(real, follow=False)) | {"p": shown}
            )
        )
    else:
        run.line(shown)


FindTest = Callable[[str, str], bool]


def _find_tests(run: Invocation, args: list[str]) -> tuple[list[FindTest], dict[str, int], str]:
    tests: list[FindTest] = []
    limits = {"-mindepth": 0, "-maxdepth": 10**6}
    action = "-print"
    negated = False
    while args:
        word = args.pop(0)
        if word in ("!", "-not"):
            negated = not negated
            continue
        if word in ("-print", "-print0", "-delete"):
            action = word
            continue
        if not args or word not in ("-name", "-iname", "-path", "-type", "-printf", *limits):
            raise ToolError(f"bad arg '{word}'")
        value = args.pop(0)
        if word in limits:
            limits[word] = int(value) if value.isdecimal() else 0
        elif word == "-printf":
            action = f"-printf {value}"
        else:
            tests.append(_find_test(run, word, value, negated))
            negated = False
    return tests, limits, action


def _find_test(run: Invocation, word: str, value: str, negated: bool) -> FindTest:
    if word == "-type":
        wanted = {"f": st.S_IFREG, "d": st.S_IFDIR, "l": st.S_IFLNK}.get(value[:1], 0)
        return lambda real, shown: (st.S_IFMT(run.files.stat(real, follow=False).mode) == wanted) != negated
    regex = re.compile(pattern_regex(value).pattern, re.DOTALL | (re.IGNORECASE if word == "-iname" else 0))
    if word == "-path":
        return lambda real, shown: bool(regex.fullmatch(shown)) != negated
    return lambda real, shown: bool(regex.fullmatch(shown.rstrip("/").rpartition("/")[2])) != negated


async def xargs(run: Invocation) -> int:
    """Run a command with words of standard input added: -n N, -I WORD, -0."""
    options, operands = parse_options(run, "0rt", "nI", stop_at_operand=True)
    data = (await run.read_stdin()).decode("utf-8", "surrogateescape")
    words = [word for word in data.split("\0") if word] if "0" in options else data.split()
    command = operands or ["echo"]
    status = 0
    if "I" in options:
        for line in data.splitlines():
            replaced = [word.replace(options.values["I"], line.strip()) for word in command]
            status |= await run.shell.execute(replaced, run.streams)
        return 123 if status else 0
    size = int(options.values.get("n", "0")) or max(1, len(words))
    for start in range(0, max(1, len(words)), size):
        batch = words[start : start + size]
        if batch or "r" not in options:
            status |= await run.shell.execute([*command, *batch], run.streams)
    return 123 if status else 0


TOOLS: dict[str, Tool] = {"egrep": grep, "fgrep": grep, "find": find, "grep": grep, "sed": sed, "xargs": xargs}
