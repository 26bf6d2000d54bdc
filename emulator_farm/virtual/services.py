"""Which service answers which destination of an ADB `OPEN`."""

import asyncio
from collections.abc import Mapping

from .commands import TOOLS
from .handset import Handset
from .server import Service
from .shell.invocation import Tool
from .shell.service import ShellService
from .stream import Stream
from .sync import SyncService

LINGER_S = 0.1


class Services:
    """The services of one phone. Anything unknown, and a port that nobody listens on, is refused."""

    def __init__(self, handset: Handset, tools: Mapping[str, Tool] = TOOLS) -> None:
        self._handset = handset
        self._tools = tools

    def resolve(self, destination: str) -> Service | None:
        """The service of a destination, or None to refuse it."""
        name, colon, rest = destination.partition(":")
        if not colon:
            return None
        kind, *arguments = name.split(",")
        match kind:
            case "shell":
                service: Service | None = ShellService(self._handset, self._tools, arguments, rest)
            case "exec":
                service = ShellService(self._handset, self._tools, ["raw"], rest) if rest else None
            case "sync":
                service = SyncService(self._handset)
            case "reboot":
                service = self._reboot
            case "root" | "unroot":
                service = self._switch_user(kind == "root")
            case "remount":
                service = ShellService(self._handset, self._tools, ["raw"], f"remount {rest}")
            case "reverse":
                service = self._reverse(rest)
            case "tcp" | "localabstract":
                service = self._handset.processes.connect(destination)
            case _:
                return None
        self._handset.count_command()
        return service if self._handset.online else None

    async def _reboot(self, stream: Stream) -> None:
        stream.close()
        await asyncio.sleep(LINGER_S)
        await self._handset.reboot()

    def _switch_user(self, root: bool) -> Service:
        async def serve(stream: Stream) -> None:
            if root == (self._handset.uid == 0):
                already = "adbd is already running as root\n" if root else "adbd not running as root\n"
                await stream.write(already.encode())
                return
            await stream.write(b"restarting adbd as root\n" if root else b"restarting adbd as non root\n")
            stream.close()
            await asyncio.sleep(LINGER_S)
            await self._handset.set_root(root)

        return serve

    def _reverse(self, request: str) -> Service:
        """`adb reverse`. Nothing on the phone ever connects, so a forward is only remembered."""
        forwards = self._handset.reverse_forwards

        async def serve(stream: Stream) -> None:
            verb, _, rest = request.partition(":")
            if verb == "list-forward":
                lines = "".join(f"host {local} {remote}\n" for local, remote in forwards.items()).encode()
                await stream.write(b"%04x" % len(lines) + lines)
                return
            problem = _change_forwards(forwards, verb, rest)
            await stream.write(b"FAIL%04x" % len(problem) + problem.encode() if problem else b"OKAY")

        return serve


def _change_forwards(forwards: dict[str, str], verb: str, rest: str) -> str:
    match verb:
        case "killforward-all":
            forwards.clear()
        case "killforward" if rest in forwards:
            del forwards[rest]
        case "killforward":
            return f"listener '{rest}' not found"
        case "forward":
            no_rebind = rest.startswith("norebind:")
            local, semicolon, remote = rest.removeprefix("norebind:").partition(";")
            if not semicolon or ":" not in local or ":" not in remote:
                return f"bad forward: {rest}"
            if local == "tcp:0":
                return "cannot choose a port: nothing listens on this phone"
            if no_rebind and local in forwards:
                return f"cannot rebind existing socket: {local}"
            forwards[local] = remote
        case _:
            return f"unknown reverse command: {verb}"
    return ""
