"""Commands that belong to the shell itself: they read or change its state."""

import asyncio
import posixpath

from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.interpreter import ShellExit
from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError, on_phone
from emulator_farm.virtual.shell.pipes import to_text
from emulator_farm.virtual.shell.variables import ENVIRONMENT

from .options import parse_options


@on_phone
def cd(run: Invocation) -> int:
    """Change the working directory."""
    target = run.args[0] if run.args else run.shell.variables.get("HOME", "/")
    if target == "-":
        target = run.shell.variables.get("OLDPWD", run.shell.cwd)
    path = run.absolute(target)
    try:
        run.readable(path)
        run.files.stat(path)
        if not run.files.is_dir(path):
            raise NotADirectoryError(20, "Not a directory", path)
    except OSError as error:
        raise ToolError(f"{target}: {error.strerror}", code=2, prefix="/system/bin/sh: cd: ") from None
    run.shell.variables["OLDPWD"] = run.shell.cwd
    run.shell.cwd = posixpath.normpath(path)
    return 0


async def pwd(run: Invocation) -> int:
    """Print the working directory."""
    run.line(run.shell.cwd)
    return 0


async def exit_shell(run: Invocation) -> int:
    """Leave the shell."""
    status = run.args[0] if run.args else str(run.shell.status)
    if not status.lstrip("-").isdecimal():
        raise ToolError(f"{status}: bad number", code=1, prefix="/system/bin/sh: exit: ")
    raise ShellExit(int(status) & 0xFF)


async def export(run: Invocation) -> int:
    """Mark variables for the environment."""
    for arg in run.args:
        name, equals, value = arg.partition("=")
        run.shell.exported.add(name)
        if equals:
            run.shell.variables[name] = value
    return 0


async def unset(run: Invocation) -> int:
    """Remove variables."""
    for name in run.args:
        run.shell.variables.pop(name, None)
        run.shell.exported.discard(name)
    return 0


async def env(run: Invocation) -> int:
    """Print the environment, or run a command in a changed one."""
    shell = run.shell.fork()
    args = list(run.args)
    while args and args[0].startswith("-"):
        option = args.pop(0)
        if option == "-i":
            shell.exported.clear()
        elif option == "-u" and args:
            shell.exported.discard(args.pop(0))
        else:
            raise ToolError(f"Unknown option '{option.lstrip('-')}'")
    while args and "=" in args[0]:
        name, _, value = args.pop(0).partition("=")
        shell.variables[name] = value
        shell.exported.add(name)
    if args:
        return await shell.execute(args, run.streams)
    for name, value in shell.environment.items():
        run.line(f"{name}={value}")
    return 0


async def true(run: Invocation) -> int:
    """Succeed."""
    return 0


async def false(run: Invocation) -> int:
    """Fail."""
    return 1


async def wait(run: Invocation) -> int:
    """Wait for the background jobs, or for those whose process ids are given."""
    status = 0 if run.args else await run.shell.jobs.wait()
    for pid in run.args:
        status = await run.shell.jobs.wait(int(pid) if pid.isdecimal() else -1)
    return status


async def printenv(run: Invocation) -> int:
    """Print the environment, or the values of some names."""
    environment = run.shell.environment
    for name in run.args or environment:
        if name in environment:
            run.line(environment[name] if run.args else f"{name}={environment[name]}")
    return int(any(name not in environment for name in run.args))


async def sleep(run: Invocation) -> int:
    """Wait; the phone goes on serving others."""
    if not run.args:
        raise ToolError('Needs 1 argument (see "sleep --help")')
    units = {"s": 1, "m": 60, "h": 3600, "d": 86400}
    total = 0.0
    for arg in run.args:
        number, unit = (arg[:-1], units[arg[-1]]) if arg[-1:] in units else (arg, 1)
        try:
            total += float(number) * unit
        except ValueError:
            raise ToolError(f"bad number '{arg}'") from None
    await asyncio.sleep(total)
    return 0


async def sh(run: Invocation) -> int:
    """A shell in the shell: `sh -c SCRIPT [NAME ARG...]`, `sh FILE [ARG...]`, or a script on standard input."""
    child = run.shell.fork()
    child.variables = {**ENVIRONMENT, **run.shell.environment}
    if run.args[:1] == ["-c"]:
        if len(run.args) < 2:
            raise ToolError("-c requires an argument", prefix="/system/bin/sh: ")
        child.name = (run.args[2:3] or [child.name])[0]
        child.arguments = run.args[3:]
        return await child.run_text(run.args[1], run.streams)
    if run.args:

        def load(phone: Phone) -> bytes:
            return phone.files.read(run.readable(run.args[0]))

        try:
            script = await run.call(load)
        except OSError as error:
            raise ToolError(f"{run.args[0]}: {error.strerror}", code=127, prefix="/system/bin/sh: ") from None
        child.arguments = run.args[1:]
        return await child.run_text(to_text(script), run.streams)
    return await child.run_text(to_text(await run.read_stdin()), run.streams)


async def su(run: Invocation) -> int:
    """Run something as another user, as the `su` of a userdebug build does: `su [UID|root|shell [CMD...]]`."""
    child = run.shell.fork()
    args = list(run.args)
    child.uid = 0
    if args and args[0] != "-c":
        user = args.pop(0)
        numbers = {"root": 0, "shell": 2000, "system": 1000}
        if user not in numbers and not user.isdecimal():
            raise ToolError(f"invalid uid/gid '{user}'")
        child.uid = numbers.get(user, int(user) if user.isdecimal() else 0)
    if args[:1] == ["-c"]:
        return await child.run_text(" ".join(args[1:]), run.streams)
    if args:
        return await child.execute(args, run.streams)
    return await child.run_text(to_text(await run.read_stdin()), run.streams)


async def command(run: Invocation) -> int:
    """`command NAME ARG...` and `command -v NAME`."""
    args = list(run.args)
    if args[:1] in (["-v"], ["-V"]):
        return _locate(run, args[1:])
    return await run.shell.execute(args, run.streams) if args else 0


async def which(run: Invocation) -> int:
    """Print the path of commands."""
    return _locate(run, [arg for arg in run.args if arg != "-a"])


def _locate(run: Invocation, names: list[str]) -> int:
    found = [name for name in names if run.shell.find_tool(name) is not None]
    for name in found:
        run.line(name if "/" in name or name in SHELL_STATE else f"/system/bin/{name}")
    return int(len(found) < len(names) or not names)


async def prefixed(run: Invocation) -> int:
    """`toybox CMD`, `nohup CMD`, `exec CMD`: the command that follows."""
    if not run.args:
        return 0
    status = await run.shell.execute(run.args, run.streams)
    if run.name == "exec":
        raise ShellExit(status)
    return status


async def timeout(run: Invocation) -> int:
    """`timeout SECONDS CMD...`: 124 when the time is up."""
    _, args = parse_options(run, "iv", "ks", stop_at_operand=True)
    if len(args) < 2:
        raise ToolError('Needs 2 arguments (see "timeout --help")')
    try:
        async with asyncio.timeout(float(args[0].rstrip("s"))):
            return await run.shell.execute(args[1:], run.streams)
    except TimeoutError:
        return 124
    except ValueError:
        raise ToolError(f"bad number '{args[0]}'") from None


SHELL_STATE: dict[str, Tool] = {
    ":": true, "cd": cd, "command": command, "exec": prefixed, "exit": exit_shell, "export": export, "unset": unset,
    "wait": wait,
}  # fmt: skip
TOOLS: dict[str, Tool] = {
    **SHELL_STATE, "env": env, "false": false, "nohup": prefixed, "printenv": printenv, "pwd": pwd, "sh": sh,
    "sleep": sleep, "su": su, "timeout": timeout, "toybox": prefixed, "true": true, "which": which,
}  # fmt: skip
