"""The emulator's console on a virtual phone: lines of text over TCP, behind a token, as `telnet` and `adb emu` use it.

Answers end with `OK` or `KO: reason`. A picture of the whole emulator, not of Android: it lives while the phone boots.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Self

from .graph import NotState
from .handset import Handset
from .shelf import NoSnapshot, Saved
from .snapshot import WrongPhone

GREETING = (
    "Android Console: Authentication required",
    "Android Console: type 'auth <auth_token>' to authenticate",
    "Android Console: you can find your <auth_token> in ",
    "'~/.emulator_console_auth_token'",
)
WELCOME = "Android Console: type 'help' for a list of commands"
HELP = """Android console commands:
    help|h|?             Prints a list of commands
    quit|exit            Quits control session
    auth                 Authenticates with an auth token
    ping                 Checks if the emulator is alive
    kill                 Terminates the emulator instance
    rotate               Rotates the screen clockwise by 90 degrees
    avd                  Controls virtual device execution: status, name, snapshot list|save|load|del
    power                Controls battery: display, ac on|off, capacity PERCENT"""
UNKNOWN = "unknown command, try 'help'"
MAX_LINE = 4096


class Failure(Exception):
    """The command failed: what comes after `KO: `."""


class _Left(Exception):
    """The session is over."""


Command = Callable[[list[str]], Awaitable[str]]


class Console:
    """The console port of one phone. `kill` is called where somebody asks for the end of the emulator."""

    def __init__(
        self,
        handset: Handset,
        token: str,
        kill: Callable[[], Awaitable[None]],
    ) -> None:
        self._handset = handset
        self._token = token
        self._kill = kill
        self._server: asyncio.Server | None = None
        self._sessions: set[asyncio.Task[None]] = set()
        self._running = True
        self.port = 0

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> Self:
        """Listen; port 0 takes a free one, then found in `port`. Raises OSError where it is taken."""
        self._server = await asyncio.start_server(self._serve, host, port, limit=MAX_LINE)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def stop(self) -> None:
        """Close the port and every session but the one that asks for it."""
        if self._server is not None:
            self._server.close()
        others = [session for session in self._sessions if session is not asyncio.current_task()]
        for session in others:
            session.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._sessions.add(task)
        try:
            await self._session(reader, writer)
        except (ConnectionError, asyncio.CancelledError, ValueError, _Left):
            pass  # gone, stopped, a line without end, or said goodbye
        finally:
            self._sessions.discard(task)
            writer.close()

    async def _session(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def say(*lines: str) -> None:
            writer.write("".join(f"{line}\r\n" for text in lines for line in text.splitlines()).encode())

        say(*GREETING, "OK")
        admitted = False
        while line := await reader.readline():
            words = line.decode(errors="replace").split()
            if not words:
                continue
            try:
                if words[0] == "auth":
                    self._admit(words[1:])
                    admitted = True
                    say(WELCOME, "OK")
                    continue
                command = self._commands(admitted).get(words[0])
                if command is None:
                    raise Failure(UNKNOWN)
                answer = await command(words[1:])
                say(*([answer] if answer else []), "OK")
            except Failure as failure:
                say(f"KO: {failure}")
            except _Killed:
                say("OK: killing emulator, bye bye")
                await writer.drain()
                await self._kill()
                return
            await writer.drain()

    def _admit(self, words: list[str]) -> None:
        if len(words) != 1:
            raise Failure("missing authentication token")
        if not secrets.compare_digest(words[0].encode(), self._token.encode()):
            raise Failure("authentication token does not match ~/.emulator_console_auth_token")

    def _commands(self, admitted: bool) -> Mapping[str, Command]:
        always: dict[str, Command] = {name: self._help for name in ("help", "h", "?")}
        always |= {"quit": self._quit, "exit": self._quit}
        if not admitted:
            return always
        return always | {
            "ping": self._ping,
            "kill": self._end,
            "rotate": self._rotate,
            "avd": self._avd,
            "power": self._power,
        }

    async def _help(self, _: list[str]) -> str:
        return HELP

    async def _quit(self, _: list[str]) -> str:
        raise _Left

    async def _ping(self, _: list[str]) -> str:
        return "I am alive!"

    async def _end(self, _: list[str]) -> str:
        raise _Killed

    async def _rotate(self, _: list[str]) -> str:
        await self._handset.call(lambda phone: phone.display.turn())
        return ""

    async def _avd(self, words: list[str]) -> str:
        match words:
            case ["status"]:
                return f"virtual device is {'running' if self._running else 'stopped'}"
            case ["name"]:
                return self._handset.phone.serial
            case ["start" | "stop" as verb]:
                if self._running == (verb == "start"):
                    raise Failure(f"virtual device already {'running' if self._running else 'stopped'}")
                self._running = verb == "start"
                return ""
            case ["snapshot", verb, *names]:
                return await self._snapshot(verb, names)
            case [] | ["snapshot"]:
                raise Failure("missing sub-command")
            case _:
                raise Failure("bad sub-command")

    async def _snapshot(self, verb: str, names: list[str]) -> str:
        handset = self._handset
        owner = handset.phone.serial
        try:
            match verb, names:
                case "list", []:
                    return _table([(name, handset.shelf.get(owner, name)) for name in handset.shelf.names(owner)])
                case "save", [name]:
                    await handset.save(name)
                case "load", [name]:
                    await handset.load(name)
                case "del" | "delete", [name]:
                    handset.shelf.delete(owner, name)
                case "save" | "load" | "del" | "delete", _:
                    raise Failure("missing snapshot name argument")
                case _:
                    raise Failure("bad sub-command")
        except (NoSnapshot, NotState, WrongPhone) as error:
            raise Failure(str(error)) from None
        return ""

    async def _power(self, words: list[str]) -> str:
        phone = self._handset.phone
        match words:
            case ["display"]:
                full = "Full" if phone.battery_level == 100 else "Charging"
                return (
                    f"AC: {'online' if phone.charging else 'offline'}\n"
                    f"status: {full if phone.charging else 'Discharging'}\n"
                    f"health: Good\npresent: true\ncapacity: {phone.battery_level}"
                )
            case ["ac", "on" | "off" as state]:
                await self._handset.call(lambda phone: setattr(phone, "charging", state == "on"))
            case ["capacity", level] if level.isdecimal() and int(level) <= 100:
                await self._handset.call(lambda phone: setattr(phone, "battery_level", int(level)))
            case _:
                raise Failure("bad sub-command or argument; try 'help'")
        return ""


class _Killed(Exception):
    """The emulator is to end."""


def _table(saved: Sequence[tuple[str, Saved]]) -> str:
    """Snapshots in the emulator's columns; what one takes in memory is not known."""
    if not saved:
        return "There is no snapshot available."
    lines = [
        "List of snapshots present on all disks:",
        f"{'ID':<10}{'TAG':<20}VM SIZE                DATE       VM CLOCK",
    ]
    for name, entry in saved:
        taken = datetime.fromtimestamp(entry.snapshot.taken_at, UTC)
        lines.append(f"{'--':<10}{name:<20}{'0':>7} {taken:%Y-%m-%d %H:%M:%S}   00:00:00.000")
    return "\n".join(lines)
