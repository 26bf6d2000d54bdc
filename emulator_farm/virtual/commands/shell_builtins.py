"""Built-in commands of the shell's language: loops, functions, variables, input, options."""

from emulator_farm.virtual.shell.arithmetic import calculate
from emulator_farm.virtual.shell.control import FunctionReturn, LoopExit
from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError
from emulator_farm.virtual.shell.pipes import shared, to_text


def _count(run: Invocation, default: int) -> int:
    text = run.args[0] if run.args else str(default)
    if not text.lstrip("-").isdecimal():
        raise ToolError(f"{text}: bad number", prefix=f"/system/bin/sh: {run.name}: ")
    return int(text)


async def leave_loop(run: Invocation) -> int:
    """`break [N]` and `continue [N]`."""
    raise LoopExit(max(1, _count(run, 1)), run.name == "continue")


async def return_(run: Invocation) -> int:
    """Leave the function, or the script, with a status."""
    raise FunctionReturn(_count(run, run.shell.status) & 0xFF)


async def shift(run: Invocation) -> int:
    """Drop the first arguments."""
    count = _count(run, 1)
    if not 0 <= count <= len(run.shell.arguments):
        raise ToolError("nothing to shift", prefix="/system/bin/sh: shift: ")
    del run.shell.arguments[:count]
    return 0


async def local(run: Invocation) -> int:
    """`local NAME[=VALUE]…`, `typeset`, `readonly`: variables that end with the function."""
    shell = run.shell
    for arg in run.args:
        if arg.startswith("-"):
            continue
        name, equals, value = arg.partition("=")
        if shell.local and run.name != "readonly":
            shell.local[-1].setdefault(name, shell.variables.get(name))
            shell.variables[name] = value
        elif equals:
            shell.variables[name] = value
    return 0


async def set_(run: Invocation) -> int:
    """`set -e`, `set +e`, `set -- ARG…`; without arguments, print the variables. Other options change nothing."""
    if not run.args:
        for name, value in sorted(run.shell.variables.items()):
            run.line(f"{name}={value}" if value.isalnum() or not value else f"{name}='{value}'")
        return 0
    args = list(run.args)
    while args and args[0][:1] in "+-" and len(args[0]) > 1:
        option = args.pop(0)
        if option == "--":
            run.shell.arguments = args
            return 0
        if "e" in option[1:] and not option.startswith(("-o", "+o")):
            run.shell.stops_at_errors = option[0] == "-"
        if option[1:] == "o" and args:
            name = args.pop(0)
            run.shell.stops_at_errors = option[0] == "-" if name == "errexit" else run.shell.stops_at_errors
    if args:
        run.shell.arguments = args
    return 0


async def let(run: Invocation) -> int:
    """Calculate; succeeds where the last value is not 0."""
    if not run.args:
        raise ToolError("no arguments", prefix="/system/bin/sh: let: ")
    values = [calculate(arg, run.shell.scope) for arg in run.args]
    return int(values[-1] == 0)


async def read(run: Invocation) -> int:
    """Take a line of standard input apart into variables: -r keeps backslashes; 1 at the end of the input."""
    args = [arg for arg in run.args if not arg.startswith("-")]
    raw = any(arg.startswith("-") and "r" in arg for arg in run.args)
    line = to_text(await shared(run.streams.stdin).read_line())
    ended = not line.endswith("\n")
    text = line.removesuffix("\n")
    if not raw:
        text = text.replace("\\\\", "\0").replace("\\", "").replace("\0", "\\")
    names = args or ["REPLY"]
    separators = run.shell.variables.get("IFS", " \t\n")
    for name, value in zip(names, _split(text, separators, len(names)), strict=True):
        run.shell.scope.set(name, value)
    return int(ended)


def _split(text: str, separators: str, count: int) -> list[str]:
    """`count` fields; the last one holds the rest, fields that are missing are empty."""
    blanks = "".join(char for char in separators if char in " \t\n")
    fields: list[str] = []
    rest = text.strip(blanks) if blanks else text
    while len(fields) < count - 1:
        position = next((index for index, char in enumerate(rest) if char in separators), len(rest))
        fields.append(rest[:position])
        after = rest[position:].lstrip(blanks) if blanks else rest[position:]
        rest = after[1:].lstrip(blanks) if after[:1] and after[0] in separators and after[0] not in blanks else after
    return [*fields, rest]


async def eval_(run: Invocation) -> int:
    """Run the arguments as a script of this shell."""
    return await run.shell.source(" ".join(run.args), run.streams)


async def source(run: Invocation) -> int:
    """`. FILE`: run a script in this shell."""
    if not run.args:
        raise ToolError("missing argument", prefix="/system/bin/sh: .: ")
    try:
        script = await run.call(lambda phone: phone.files.read(run.readable(run.args[0])))
    except OSError as error:
        raise ToolError(f"{run.args[0]}: {error.strerror}", prefix="/system/bin/sh: .: ") from None
    return await run.shell.source(to_text(script), run.streams)


async def type_(run: Invocation) -> int:
    """Say what names are."""
    status = 0
    for name in run.args:
        if name in run.shell.functions:
            run.line(f"{name} is a function")
        elif name in TOOLS or name in ("cd", "exit", "export"):
            run.line(f"{name} is a shell builtin")
        elif run.shell.find_tool(name) is not None:
            run.line(f"{name} is {name if '/' in name else f'/system/bin/{name}'}")
        else:
            run.line(f"{name} not found")
            status = 1
    return status


async def accepted(run: Invocation) -> int:
    """`trap`, `alias`, `ulimit`: nothing comes of it here."""
    return 0


async def umask(run: Invocation) -> int:
    """The mask of new files, which is always the same."""
    if not run.args:
        run.line("0000" if run.shell.uid == 0 else "0022")
    return 0


TOOLS: dict[str, Tool] = {
    ".": source, "alias": accepted, "break": leave_loop, "continue": leave_loop, "declare": local, "eval": eval_,
    "let": let, "local": local, "read": read, "readonly": local, "return": return_, "set": set_, "shift": shift,
    "source": source, "trap": accepted, "type": type_, "typeset": local, "ulimit": accepted, "umask": umask,
}  # fmt: skip
