"""`find` and `xargs`."""

import re
import stat as st
from collections.abc import Callable

from emulator_farm.virtual.shell.expansion import pattern_regex
from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError, on_phone

from .options import parse_options
from .stat import expand_format, stat_fields


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
            absolute = run.listable(path)
            absolute = run.files.resolve(absolute) if path.endswith("/") else absolute
            found = list(run.files.walk(absolute))
        except OSError as error:
            run.complain(f"'{path}': {error.strerror}")
            status = 1
            continue
        for real in found[::-1] if action == "-delete" else found:
            relative = real[len(absolute.rstrip("/")) :]
            depth = relative.count("/")
            shown = path.rstrip("/") + relative if relative else path
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


TOOLS: dict[str, Tool] = {"find": find, "xargs": xargs}
