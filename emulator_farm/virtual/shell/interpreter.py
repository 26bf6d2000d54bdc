"""Runs parsed scripts: status, variables, pipes, redirections, background jobs."""

import asyncio
import posixpath
from collections.abc import Coroutine, Mapping
from typing import Any

from emulator_farm.virtual import rootfs
from emulator_farm.virtual.handset import Handset
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.processes import Process
from emulator_farm.virtual.stream import StreamClosed

from .arithmetic import ArithmeticFault
from .control import FunctionReturn, LoopExit, run_compound
from .expansion import BadExpansion, Expander, Field, glob, has_pattern, plain
from .invocation import Invocation, Tool, ToolError, describe
from .jobs import Jobs
from .parser import parse
from .pipes import BytesSink, BytesSource, NullSink, Pipe, PipeClosed, Sink, Streams, shared, to_bytes, to_text
from .redirection import ShellError, open_input, open_output
from .scanner import ShellSyntaxError
from .syntax import AndOr, Command, Group, Pipeline, Redirect, Script, Simple, Text, Word
from .variables import ENVIRONMENT, TOOL_DIRECTORIES, Scope

SHELL_NAME = "/system/bin/sh"
MAX_DEPTH = 40
NEEDS_SYSTEM = {
    "am", "cmd", "content", "dumpsys", "ime", "input", "monkey", "pm", "screencap", "settings", "svc", "uiautomator",
    "wm",
}  # fmt: skip
"""Tools that only talk to a service of the system, and fail while it is not up."""
NO_SERVICE = 20
BROKEN_PIPE = 141
"""The status of a command whose reader has left."""
FAULTS = (ShellError, BadExpansion, ArithmeticFault)
"""What ends a script with a message."""


class ShellExit(Exception):
    """`exit`: leaves the innermost shell."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Shell:
    """One shell process. `tools` maps command names to what runs them, this shell's built-in commands included."""

    def __init__(
        self, handset: Handset, tools: Mapping[str, Tool], environment: Mapping[str, str] | None = None
    ) -> None:
        self.handset = handset
        self.tools = tools
        self.uid = handset.uid
        self.cwd = "/"
        self.variables = dict(ENVIRONMENT | dict(environment or {}))
        if self.uid == 0:
            self.variables |= {"USER": "root", "LOGNAME": "root"}
        self.exported = set(self.variables)
        self.functions: dict[str, Command] = {}
        self.local: list[dict[str, str | None]] = []
        """Per running function, what its local variables were before."""
        self.name = SHELL_NAME
        self.arguments: list[str] = []
        self.status = 0
        self.depth = 0
        self.stops_at_errors = False
        self.orphaned = False
        """Whether nobody is left who could read what it prints."""
        self.process: Process | None = None
        self.jobs = Jobs(handset.processes)
        self.scope = Scope(self)
        self.expander = Expander(self.scope, self._substitute, lambda: self.arguments)
        self._stderr: Sink = NullSink()
        self._substituted = False
        self._testing = 0

    def fork(self) -> "Shell":
        """A copy whose changes stay its own."""
        child = Shell(self.handset, self.tools)
        child.uid, child.cwd, child.status = self.uid, self.cwd, self.status
        child.variables, child.exported = dict(self.variables), set(self.exported)
        child.functions, child.process = dict(self.functions), self.process
        child.arguments, child.depth = list(self.arguments), self.depth + 1
        child.stops_at_errors, child._testing = self.stops_at_errors, self._testing
        return child

    @property
    def environment(self) -> dict[str, str]:
        """The exported variables."""
        return {name: self.variables[name] for name in sorted(self.exported) if name in self.variables}

    async def run_text(self, text: str, streams: Streams) -> int:
        """Parse and run a script, then wait for its background jobs; the exit status."""
        try:
            script = parse(text)
        except ShellSyntaxError as error:
            await streams.stderr.write(to_bytes(f"{SHELL_NAME}: {error}\n"))
            return 1
        streams = Streams(shared(streams.stdin), streams.stdout, streams.stderr)
        try:
            status = await self._contained(self.run(script, streams), streams)
            await self.jobs.wait()
        finally:
            self.jobs.cancel()
        return status

    async def run_line(self, script: Script, streams: Streams) -> int:
        """Run what was typed at a prompt: an error ends the line and not the shell; raises ShellExit on `exit`."""
        try:
            return await self.run(script, streams)
        except FAULTS as error:
            await streams.stderr.write(to_bytes(f"{SHELL_NAME}: {error}\n"))
            return 1
        except (LoopExit, FunctionReturn):
            return 0

    async def source(self, text: str, streams: Streams) -> int:
        """Run a script as if it stood here. Raises ShellError."""
        self.depth += 1
        try:
            return await self.run(parse(text), streams)
        except ShellSyntaxError as error:
            raise ShellError(str(error)) from None
        finally:
            self.depth -= 1

    async def _contained(self, job: Coroutine[Any, Any, int], streams: Streams) -> int:
        """The status of something that runs in a shell of its own: what ends it ends there."""
        try:
            return await job
        except (ShellExit, FunctionReturn) as leaving:
            return leaving.status
        except LoopExit:
            return 0
        except PipeClosed:
            return BROKEN_PIPE
        except FAULTS as error:
            await streams.stderr.write(to_bytes(f"{SHELL_NAME}: {error}\n"))
            return 1

    async def run(self, script: Script, streams: Streams) -> int:
        """Run a parsed script; raises ShellExit on `exit`."""
        if self.depth > MAX_DEPTH:
            raise ShellError("recursion too deep")
        for item in script:
            if item.background:
                child = self.fork()
                quiet = Streams(BytesSource(), streams.stdout, streams.stderr)
                job = child._contained(child._and_or(item, quiet), quiet)
                self.jobs.start(self.uid, _shown(item), job)
                self.status = 0
            else:
                self.status = await self._and_or(item, streams)
        return self.status

    async def test(self, script: Script, streams: Streams) -> int:
        """Run a condition: `set -e` does not count in it."""
        self._testing += 1
        try:
            return await self.run(script, streams)
        finally:
            self._testing -= 1

    async def breathe(self) -> None:
        """Let others have their turn; ends a loop that nobody waits for. Raises StreamClosed."""
        await asyncio.sleep(0)
        if self.orphaned:
            raise StreamClosed("the host has left")

    async def _and_or(self, item: AndOr, streams: Streams) -> int:
        last = item.first
        self._testing += bool(item.rest)
        try:
            self.status = await self._pipeline(item.first, streams)
            for index, (operator, pipeline) in enumerate(item.rest):
                if (self.status == 0) == (operator == "&&"):
                    self._testing -= index + 1 == len(item.rest)
                    last = pipeline
                    try:
                        self.status = await self._pipeline(pipeline, streams)
                    finally:
                        self._testing += index + 1 == len(item.rest)
        finally:
            self._testing -= bool(item.rest)
        is_last = last is (item.rest[-1][1] if item.rest else item.first)
        if self.stops_at_errors and self.status and is_last and not last.negated and not self._testing:
            raise ShellExit(self.status)
        return self.status

    async def _pipeline(self, pipeline: Pipeline, streams: Streams) -> int:
        if pipeline.negated:
            self._testing += 1
        try:
            if len(pipeline.commands) == 1:
                status = await self._command(pipeline.commands[0], streams)
            else:
                status = await self._piped(pipeline.commands, streams)
        finally:
            self._testing -= pipeline.negated
        return int(not status) if pipeline.negated else status

    async def _piped(self, commands: tuple[Command, ...], streams: Streams) -> int:
        """Run commands at the same time, each reading what the one before prints; the status of the last."""
        *before, last = commands
        tasks: list[asyncio.Task[int]] = []
        pipe: Pipe | None = None
        for command in before:
            target = Pipe()
            stage = self._stage(command, pipe, target, streams)
            tasks.append(asyncio.get_running_loop().create_task(stage))
            pipe = target
        try:
            status = await self._stage(last, pipe, None, streams)
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
        return status

    async def _stage(self, command: Command, source: Pipe | None, target: Pipe | None, streams: Streams) -> int:
        stdin = streams.stdin if source is None else shared(source)
        mine = Streams(stdin, streams.stdout if target is None else target, streams.stderr)
        child = self.fork()
        try:
            return await child._contained(child._command(command, mine), mine)
        finally:
            if source is not None:
                source.close()
            if target is not None:
                target.end()

    async def _command(self, command: Command, streams: Streams) -> int:
        redirects = command.redirects if isinstance(command, Simple | Group) else ()
        try:
            redirected = await self._redirect(redirects, streams)
        except ShellError as error:
            await streams.stderr.write(to_bytes(f"{SHELL_NAME}: {error}\n"))
            return 1
        match command:
            case Group():
                if command.subshell:
                    child = self.fork()
                    return await child._contained(child.run(command.script, redirected), redirected)
                return await self.run(command.script, redirected)
            case Simple():
                return await self._simple(command, redirected)
            case _:
                return await run_compound(self, command, redirected)

    async def _simple(self, command: Simple, streams: Streams) -> int:
        self._substituted = False
        words = await self.words(command.words)
        values = [(name, await self.expander.text(word)) for name, word in command.assignments]
        if not words:
            self.variables |= dict(values)
            return self.status if self._substituted else 0
        shell = self
        if values and words[0] == "read":  # what it reads stays, what is said for it alone goes
            return await self._with(dict(values), words, streams)
        if values:
            shell = self.fork()
            shell.variables |= dict(values)
            shell.exported |= {name for name, _ in values}
        return await shell.execute(words, streams)

    async def _with(self, values: dict[str, str], words: list[str], streams: Streams) -> int:
        before = {name: self.variables.get(name) for name in values}
        self.variables |= values
        try:
            return await self.execute(words, streams)
        finally:
            self._restore(before)

    def _restore(self, before: dict[str, str | None]) -> None:
        for name, value in before.items():
            if value is None:
                self.variables.pop(name, None)
            else:
                self.variables[name] = value

    async def words(self, words: tuple[Word, ...]) -> list[str]:
        """What words mean: any number of fields."""
        found: list[str] = []
        for word in words:
            for field in await self.expander.fields(word):
                if has_pattern(field):
                    found += await self._glob(field)
                else:
                    found.append(plain(field))
        return found

    async def _glob(self, field: Field) -> list[str]:
        return await self.handset.call(lambda phone: glob(phone.files, field, self.cwd, self.uid))

    async def condition(self, words: list[str]) -> bool:
        """What `test` says to words. Raises ShellError where it says that they are none."""
        errors = BytesSink()
        status = await self.execute(["test", *words], Streams(BytesSource(), NullSink(), errors))
        if status > 1:
            raise ShellError(to_text(errors.data).strip().removeprefix(f"{SHELL_NAME}: test: "))
        return status == 0

    async def execute(self, words: list[str], streams: Streams) -> int:
        """Run one command given by its words."""
        name, *args = words
        if name in self.functions:
            return await self._call(name, args, streams)
        tool = self.find_tool(name)
        if tool is None:
            return await self._execute_file(words, streams)
        run = Invocation(posixpath.basename(name), args, self, streams)
        if self.handset.phone.faults.boot and run.name in NEEDS_SYSTEM:
            run.err(f"cmd: Can't find service: {run.name}\n")
            await run.flush()
            return NO_SERVICE
        try:
            status = await tool(run)
        except ToolError as error:
            tell = run.out if error.on_stdout else run.err
            tell(f"{run.name + ': ' if error.prefix is None else error.prefix}{error}\n")
            status = error.code
        except StreamClosed:
            raise
        except OSError as error:
            run.complain(describe(error))
            status = 1
        try:
            await run.flush()
        except StreamClosed:
            raise
        except OSError as error:  # output went to a file
            await streams.stderr.write(to_bytes(f"{run.name}: write error: {error.strerror}\n"))
            status = 1
        return status & 0xFF

    async def _call(self, name: str, args: list[str], streams: Streams) -> int:
        before, self.arguments = self.arguments, args
        self.depth += 1
        self.local.append({})
        try:
            return await self._command(self.functions[name], streams)
        except FunctionReturn as leaving:
            return leaving.status
        finally:
            self.arguments = before
            self.depth -= 1
            self._restore(self.local.pop())

    def find_tool(self, name: str) -> Tool | None:
        """The tool of a command name or of its full path."""
        directory, base = posixpath.split(name)
        if directory and directory not in TOOL_DIRECTORIES:
            return None
        return self.tools.get(base)

    async def _execute_file(self, words: list[str], streams: Streams) -> int:
        name = words[0]

        def load(phone: Phone) -> tuple[str, bytes]:
            path = posixpath.join(self.cwd, name)
            if "/" not in name or not phone.files.exists(path):
                return "inaccessible or not found", b""
            if phone.files.is_dir(path) or not phone.files.stat(path).mode & 0o111:
                return "can't execute: " + ("Is a directory" if phone.files.is_dir(path) else "Permission denied"), b""
            rootfs.check_read(phone.files, path, self.uid)
            return "", phone.files.read(path)

        problem, content = await self.handset.call(load)
        if problem:
            await streams.stderr.write(to_bytes(f"{SHELL_NAME}: {name}: {problem}\n"))
            return 127 if problem.startswith("inaccessible") else 126
        child = self.fork()
        child.arguments = words[1:]
        return await child.run_text(to_text(content), streams)

    async def _substitute(self, script: Script) -> str:
        sink = BytesSink()
        child = self.fork()
        self._substituted = True
        streams = Streams(BytesSource(), sink, self._stderr)
        self.status = await child._contained(child.run(script, streams), streams)
        return to_text(sink.data.replace(b"\0", b""))

    async def _redirect(self, redirects: tuple[Redirect, ...], streams: Streams) -> Streams:
        self._stderr = streams.stderr
        stdin = streams.stdin
        sinks: dict[int, Sink] = {1: streams.stdout, 2: streams.stderr}
        for redirect in redirects:
            target = await self.expander.text(redirect.target)
            match redirect.operator:
                case "<<":
                    stdin = shared(BytesSource(to_bytes(target)))
                case "<":
                    stdin = shared(await open_input(self, target, streams.stdin))
                case ">" | ">>":
                    sinks[redirect.fd] = await open_output(self, target, redirect.operator == ">>", sinks)
                case ">&" if target == "-":
                    sinks[redirect.fd] = NullSink()
                case ">&" if target in ("1", "2"):
                    sinks[redirect.fd] = sinks[int(target)]
                case "<&" if target in ("0", "-"):
                    stdin = streams.stdin if target == "0" else BytesSource()
                case _:
                    raise ShellError(f"illegal file descriptor name: {target}")
        return Streams(stdin, sinks[1], sinks[2])


def _shown(item: AndOr) -> list[str]:
    """What `ps` calls a background job: the words of a single plain command, or the shell."""
    command = item.first.commands[0]
    if isinstance(command, Simple) and not item.rest and len(item.first.commands) == 1:
        words = ["".join(part.text for part in word if isinstance(part, Text)) for word in command.words]
        return words if words and words[0] else ["sh"]
    return ["sh"]
