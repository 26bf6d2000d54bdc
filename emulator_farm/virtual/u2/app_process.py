"""`CLASSPATH=… app_process / com.wetest.uia2.Main -p PORT`: starts the server and is the server while it runs.

It ends when the host that started it leaves, when it is killed, or by a request for `/stop`. Android lets one program
at a time automate the screen, so a second server is refused.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any

from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.processes import Process
from emulator_farm.virtual.server import Service
from emulator_farm.virtual.shell.interpreter import Shell
from emulator_farm.virtual.shell.invocation import Invocation, ToolError
from emulator_farm.virtual.stream import Stream

from .http import BadRequest, Reader, Request, Response
from .service import Automator

MAIN_CLASS = "com.wetest.uia2.Main"
DEFAULT_PORT = 9008
TEMP = "/data/local/tmp/u2"
ZIP = b"PK\x03\x04"
KILLED = 137
REGISTERED = (
    "java.lang.IllegalStateException: UiAutomationService "
    "android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5deffd5already registered!"
)


async def app_process(run: Invocation) -> int:
    """Run the server until it ends. Any other class cannot run: there is no Java on this phone."""
    operands = [arg for arg in run.args if not arg.startswith("-X")]
    if len(operands) < 2:
        raise ToolError("Error: no class name or --zygote supplied.", prefix="")
    await run.call(lambda phone: _check_class(run, phone, operands[1]))
    port = _port(operands[2:])
    run.line("[server] INFO: [UiAutomator2Server] Starting Server")
    processes = run.handset.processes
    if any(MAIN_CLASS in other.line for other in processes):
        raise ToolError(REGISTERED, prefix="")
    await run.call(lambda phone: phone.files.mkdir(TEMP, parents=True))
    with processes.run(run.shell.uid, [run.name, *run.args]) as process:
        server = Server(run.shell, process)
        try:
            with processes.listen(f"tcp:{port}", server.accept):
                run.line(f"[server] INFO: tmpdir is {TEMP}")
                run.line(f"[server] INFO: http server listening on *:{port}")
                await run.flush()
                return await server.run(run.wait_left())
        except OSError as error:
            raise ToolError(f"java.net.BindException: bind failed: EADDRINUSE ({error.strerror})", prefix="") from None


def _check_class(run: Invocation, phone: Phone, name: str) -> None:
    """The class must be that of the server, and CLASSPATH must name a jar. Raises ToolError."""
    jar = run.shell.variables.get("CLASSPATH", "")
    found = (
        jar.startswith("/")
        and phone.files.exists(jar)
        and not phone.files.is_dir(jar)
        and phone.files.read(jar)[:4] == ZIP
    )
    if name != MAIN_CLASS or not found:
        raise ToolError(f"java.lang.ClassNotFoundException: {name}\nAborted ", code=134, prefix="")


def _port(args: list[str]) -> int:
    match args:
        case []:
            return DEFAULT_PORT
        case ["-p" | "--port", value]:
            if not value.isdecimal() or not 1 <= int(value) <= 65535:
                text = f"Invalid port: {value}. Must be between 1 and 65535."
                raise ToolError(text, prefix="")
            return int(value)
        case _:
            raise ToolError("usage: uiautomator2-server\n -h,--help         Print this help message", prefix="")


class Server:
    """The HTTP server of one run."""

    def __init__(self, shell: Shell, process: Process) -> None:
        self._handset = shell.handset
        self._process = process
        self._automator = Automator(shell)
        self._stopped = asyncio.Event()
        self._connections: set[asyncio.Task[None]] = set()

    async def run(self, left: Coroutine[None, None, None]) -> int:
        """Serve until killed, stopped, or left by the host; the exit status."""
        await self._automator.open()
        stopped = asyncio.create_task(self._stopped.wait())
        killed = asyncio.create_task(self._process.wait_killed())
        ends: list[asyncio.Task[Any]] = [stopped, killed, asyncio.create_task(left)]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            return 0 if stopped.done() else KILLED
        finally:
            for task in [*ends, *self._connections]:
                task.cancel()

    def accept(self) -> Service | None:
        """A connection to the port; None refuses it."""
        if self._fault("killed"):
            self._process.kill()
            return None
        return None if self._fault("refused") else self._serve

    def _fault(self, *kinds: str) -> bool:
        """Whether one of these faults is armed, which counts as its firing."""
        return self._handset.phone.faults.u2 in kinds and bool(self._handset.fault("u2"))

    async def _serve(self, stream: Stream) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        reader = Reader(stream)
        try:
            while (request := await reader.request()) is not None:
                await stream.write((await self._respond(request)).encode())
                if request.headers.get("connection", "").lower() == "close":
                    break
        except BadRequest as error:
            await stream.write(Response(str(error).encode(), "400 Bad Request", "text/plain").encode())
        finally:
            self._connections.discard(task)

    async def _respond(self, request: Request) -> Response:
        if self._fault("hang"):
            await asyncio.Event().wait()
        match request.path:
            case "/ping":
                return Response(b"pong")
            case "/stop":
                self._stopped.set()
                return Response(b"Server stopped!!!")
            case "/screenshot/0":
                await asyncio.sleep(self._handset.phone.latency.u2_s)
                return Response(await self._handset.call(lambda phone: phone.png()), content_type="image/png")
            case "/jsonrpc/0" if request.method == "POST" and request.body:
                answer = await self._automator.answer(request.body)
                return Response(answer, content_type="application/json")
            case "/jsonrpc/0":
                return Response(b"Invalid http post data!", "500 Internal Server Error", "text/plain")
            case _:
                return Response(b"Not Found!!!", "404 Not Found", "text/plain")
