"""Which service answers which destination of an ADB `OPEN`."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping

from .commands import TOOLS
from .framebuffer import framebuffer
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
        self._jobs: set[asyncio.Task[None]] = set()

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
            case "framebuffer":
                service = framebuffer(self._handset)
            case "tcpip" | "usb":
                service = _stay(
                    f"restarting in {'USB' if kind == 'usb' else 'TCP'} mode" + f" port: {rest}" * bool(rest)
                )
            case "tcp" | "localabstract":
                service = self._handset.processes.connect(destination)
            case _:
                return None
        self._handset.count_command()
        if service is None or not self._handset.online:
            return None
        return self._troubled(kind, rest, service)

    def _troubled(self, kind: str, command: str, service: Service) -> Service:
        """The service with what is wrong now: a slow or narrow link, a shell that hangs. `vphone` is spared."""
        if command.startswith("vphone"):
            return service
        link_s, bandwidth = self._handset.phone.latency.link_s, self._handset.phone.faults.bandwidth
        hangs = kind in ("shell", "exec") and self._handset.fault("shell") == "hang"
        if not (link_s or bandwidth or hangs):
            return service

        async def serve(stream: Stream) -> None:
            await asyncio.sleep(link_s)
            stream.bytes_per_s = bandwidth
            if hangs:
                await stream.gone()
            else:
                await service(stream)

        return serve

    async def _reboot(self, stream: Stream) -> None:
        stream.close()
        self._soon(self._handset.reboot)

    def _soon(self, job: Callable[[], Coroutine[None, None, None]]) -> None:
        """Do a job in a moment, when the host has its answer; it happens even if the host leaves before."""

        async def run() -> None:
            await asyncio.sleep(LINGER_S)
            await job()

        task = asyncio.get_running_loop().create_task(run())
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)

    def _switch_user(self, root: bool) -> Service:
        async def serve(stream: Stream) -> None:
            if root == (self._handset.uid == 0):
                already = "adbd is already running as root\n" if root else "adbd not running as root\n"
                await stream.write(already.encode())
                return
            await stream.write(b"restarting adbd as root\n" if root else b"restarting adbd as non root\n")
            stream.close()
            self._soon(lambda: self._handset.set_root(root))

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
            await stream.write(
                b"FAIL%04x" % len(problem) + problem.encode() if problem else b"OKAY" + _opened(verb, rest)
            )

        return serve


def _opened(verb: str, request: str) -> bytes:
    """The port of a new forward, which adbd tells after its OKAY and adb prints; nothing for another kind of socket."""
    kind, _, port = request.removeprefix("norebind:").partition(";")[0].partition(":")
    if verb != "forward" or kind != "tcp":
        return b""
    return b"%04x" % len(port) + port.encode()


def _stay(message: str) -> Service:
    """`adb tcpip` and `adb usb`: the answer of a phone, though this one stays on the port that it has."""

    async def serve(stream: Stream) -> None:
        await stream.write(f"{message}\n".encode())

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
