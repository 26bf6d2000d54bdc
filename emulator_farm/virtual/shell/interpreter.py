"""Runs parsed scripts: status, variables, pipes, redirections, background jobs."""

import asyncio
import posixpath
from collections.abc import Coroutine, Mapping
from typing import Any, assert_never

from emulator_farm.virtual import rootfs
from emulator_farm.virtual.handset import Handset
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.stream import StreamClosed

from .expansion import Expander, Field, glob, has_pattern, plain
from .invocation import Invocation, Tool, ToolError, describe
from .parser import parse
from .pipes import BytesSink, BytesSource, NullSink, Sink, Source, Streams, to_bytes, to_text
from .redirection import ShellError, open_input, open_output
from .scanner import ShellSyntaxError
from .syntax import AndOr, Command, Group, Pipeline, Redirect, Script, Simple

SHELL_NAME = "/system/bin/sh"
TOOL_DIRECTORIES = ("/system/bin", "/bin", "/system/xbin", "/vendor/bin")
ENVIRONMENT = {
    "ANDROID_ASSETS": "/system/app",
    "ANDROID_BOOTLOGO": "1",
    "ANDROID_DATA": "/data",
    "ANDROID_ROOT": "/system",
    "ANDROID_STORAGE": "/storage",
    "EXTERNAL_STORAGE": "/sdcard",
    "HOME": "/",
    "HOSTNAME": "virtual",
    "LOGNAME": "shell",
    "PATH": ":".join(TOOL_DIRECTORIES[:1] + TOOL_DIRECTORIES[2:]),
    "SHELL": "/system/bin/sh",
    "TERM": "dumb",
    "TMPDIR": "/data/local/tmp",
    "USER": "shell",
}
MAX_DEPTH = 40
NEEDS_SYSTEM = {
    "am", "cmd", "content", "dumpsys", "ime", "input", "monkey", "pm", "screencap", "settings", "svc", "uiautomator",
    "wm",
}  # fmt: skip
"""Tools that only talk to a service of the system, and fail while it is not up."""
NO_SERVICE = 20


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
        self.name = SHELL_NAME
        self.arguments: list[str] = []
        self.status = 0
        self.depth = 0
        self._stderr: Sink = NullSink()
        self._substituted = False
        self._jobs: list[asyncio.Task[int]] = []
        self._expander = Expander(self._lookup, self._substitute, lambda: self.arguments)

    def fork(self) -> "Shell":
        """A copy whose changes stay its own."""
        child = Shell(self.handset, self.tools)
        child.uid, child.cwd, child.status = self.uid, self.cwd, self.status
        child.variables, child.exported = dict(self.variables), set(self.exported)
        child.arguments, child.depth = list(self.arguments), self.depth + 1
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
        try:
            status = await self.run(script, streams)
        except ShellExit as leaving:
            status = leaving.status
        except ShellError as error:
            await streams.stderr.write(to_bytes(f"{SHELL_NAME}: {error}\n"))
            status = 1
        await self.wait_jobs()
        return status

    async def wait_jobs(self) -> None:
        """Wait until no background job is left."""
        while self._jobs:
            await asyncio.gather(*self._jobs)
            self._jobs = [job for job in self._jobs if not job.done()]

    async def run(self, script: Script, streams: Streams) -> int:
        """Run a parsed script; raises ShellExit on `exit`."""
        if self.depth > MAX_DEPTH:
            raise ShellError("recursion too deep")
        for item in script:
            if item.background:
                job = self.fork()._and_or(item, Streams(BytesSource(), streams.stdout, streams.stderr))
                self._jobs.append(asyncio.get_running_loop().create_task(_subshell(job)))
                self.status = 0
            else:
                self.status = await self._and_or(item, streams)
        return self.status

    async def _and_or(self, item: AndOr, streams: Streams) -> int:
        self.status = await self._pipeline(item.first, streams)
        for operator, pipeline in item.rest:
            if (self.status == 0) == (operator == "&&"):
                self.status = await self._pipeline(pipeline, streams)
        return self.status

    async def _pipeline(self, pipeline: Pipeline, streams: Streams) -> int:
        *before, last = pipeline.commands
        source: Source = streams.stdin
        for command in before:
            sink = BytesSink()
            await _subshell(self.fork()._command(command, Streams(source, sink, streams.stderr)))
            source = BytesSource(sink.data)
        shell = self.fork() if before else self
        job = shell._command(last, Streams(source, streams.stdout, streams.stderr))
        status = await _subshell(job) if before else await job
        return int(not status) if pipeline.negated else status

    async def _command(self, command: Command, streams: Streams) -> int:
        try:
            redirected = await self._redirect(command.redirects, streams)
        except ShellError as error:
            await streams.stderr.write(to_bytes(f"{SHELL_NAME}: {error}\n"))
            return 1
        match command:
            case Group():
                if command.subshell:
                    return await _subshell(self.fork().run(command.script, redirected))
                return await self.run(command.script, redirected)
            case Simple():
                return await self._simple(command, redirected)
            case _:
                assert_never(command)

    async def _simple(self, command: Simple, streams: Streams) -> int:
        self._substituted = False
        words = await self._words(command)
        values = [(name, await self._expander.text(word)) for name, word in command.assignments]
        if not words:
            self.variables |= dict(values)
            return self.status if self._substituted else 0
        shell = self
        if values:
            shell = self.fork()
            shell.variables |= dict(values)
            shell.exported |= {name for name, _ in values}
        return await shell.execute(words, streams)

    async def _words(self, command: Simple) -> list[str]:
        words: list[str] = []
        for word in command.words:
            for field in await self._expander.fields(word):
                if has_pattern(field):
                    words += await self._glob(field)
                else:
                    words.append(plain(field))
        return words

    async def _glob(self, field: Field) -> list[str]:
        return await self.handset.call(lambda phone: glob(phone.files, field, self.cwd, self.uid))

    async def execute(self, words: list[str], streams: Streams) -> int:
        """Run one command given by its words."""
        name, *args = words
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

    # -- variables

    def _lookup(self, name: str) -> str | None:
        match name:
            case "?":
                return str(self.status)
            case "$":
                return "4321"
            case "0":
                return self.name
            case "#":
                return str(len(self.arguments))
            case "@" | "*":
                return " ".join(self.arguments)
            case "PWD":
                return self.cwd
            case _ if name.isdecimal():
                return self.arguments[int(name) - 1] if 0 < int(name) <= len(self.arguments) else None
            case _:
                return self.variables.get(name)

    async def _substitute(self, script: Script) -> str:
        sink = BytesSink()
        child = self.fork()
        self._substituted = True
        self.status = await _subshell(child.run(script, Streams(BytesSource(), sink, self._stderr)))
        return to_text(sink.data.replace(b"\0", b""))

    async def _redirect(self, redirects: tuple[Redirect, ...], streams: Streams) -> Streams:
        self._stderr = streams.stderr
        stdin = streams.stdin
        sinks: dict[int, Sink] = {1: streams.stdout, 2: streams.stderr}
        for redirect in redirects:
            target = await self._expander.text(redirect.target)
            match redirect.operator:
                case "<":
                    stdin = await open_input(self, target, streams.stdin)
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


async def _subshell(job: Coroutine[Any, Any, int]) -> int:
    try:
        return await job
    except ShellExit as leaving:
        return leaving.status
