"""The server's methods behind JSON-RPC: which run at once on the phone, which wait, and which faults befall them."""

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

from PIL import Image

from emulator_farm.virtual.handset import Handset
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.interpreter import Shell
from emulator_farm.virtual.shell.pipes import BytesSource, NullSink, Streams

from . import device, queries, scrolling, texts, touches
from .device import jpeg
from .errors import NO_SUCH_METHOD, NOT_JSON, BadParameters, JavaError, RpcError
from .session import Method, Session

METHODS: dict[str, Method] = {
    **device.METHODS,
    **queries.METHODS,
    **scrolling.METHODS,
    **texts.METHODS,
    **touches.METHODS,
}
INPUT = {*scrolling.METHODS, *touches.METHODS, *texts.METHODS} - {"getClipboard", "getText", "setClipboard"}
"""Methods that wait the phone's input latency and that an input fault strikes."""
POLL_S = 0.05
MAX_WAIT_S = 3600.0
MAX_DEPTH = 50


class Automator:
    """Answers calls for one run of the server."""

    def __init__(self, shell: Shell) -> None:
        """`shell` runs what is a command on the phone."""
        self._shell = shell
        self._handset: Handset = shell.handset
        self._session: Session | None = None

    async def answer(self, body: bytes) -> bytes:
        """The JSON-RPC answer to a JSON-RPC request."""
        try:
            request = json.loads(body)
        except ValueError:
            return _envelope(None, error=RpcError(NOT_JSON, "JSON parse error"))
        if not isinstance(request, dict):
            return _envelope(None, error=RpcError(-32600, "Invalid Request"))
        params = request.get("params") or []
        try:
            if not isinstance(params, list):
                raise BadParameters
            if self._handset.phone.faults.u2 == "not_connected" and self._handset.fault("u2"):
                raise JavaError("java.lang.IllegalStateException", "UiAutomation not connected!")
            return _envelope(request.get("id"), await self.call(str(request.get("method")), params))
        except RpcError as error:
            return _envelope(request.get("id"), error=error)

    async def call(self, method: str, params: list[Any]) -> Any:
        """Run one method. Raises RpcError."""
        match method, params:
            case "waitForExists", [target, int(milliseconds)]:
                return await self._wait(milliseconds, lambda session: session.look(target) is not None)
            case "waitUntilGone", [target, int(milliseconds)]:
                return await self._wait(milliseconds, lambda session: session.look(target) is None)
            case "waitForWindowUpdate", [str() | None as package, int(milliseconds)]:
                return await self._wait_for_update(package, milliseconds)
            case "waitForIdle", [int()]:
                return None
            case "dumpWindowHierarchy", [bool(compressed), *rest]:
                depth = rest[0] if rest else MAX_DEPTH
                return await self._dump(compressed, depth if isinstance(depth, int) else MAX_DEPTH)
            case "takeScreenshot", [int() | float() as scale, int() | float() as quality]:
                return await self._screenshot(float(scale), int(quality))
            case "openNotification", []:
                return await self._status_bar("expand-notifications")
            case "openQuickSettings", []:
                return await self._status_bar("expand-settings")
        known = METHODS.get(method)
        if known is None:
            waits = ("waitFor", "waitUntil", "dumpWindow", "takeScreen", "openNot", "openQuick")
            raise BadParameters if method.startswith(waits) else RpcError(NO_SUCH_METHOD, "method not found")
        if method in INPUT and not await self._input_arrives():
            return True
        return await self._run(lambda session: known(session, params))

    async def _run(self, function: Callable[[Session], Any]) -> Any:
        def run(phone: Phone) -> Any:
            if self._session is None:
                self._session = Session(phone)
            return function(self._session)

        return await self._handset.call(run)

    async def open(self) -> None:
        """Begin to watch the phone: toasts count from now on."""
        await self._run(lambda session: None)

    async def _input_arrives(self) -> bool:
        match self._handset.fault("input"):
            case "drop":
                return False
            case "hang":
                await asyncio.Event().wait()
        if latency := self._handset.phone.latency.input_s:
            await asyncio.sleep(latency)
        return True

    async def _status_bar(self, verb: str) -> bool:
        streams = Streams(BytesSource(), NullSink(), NullSink())
        return await self._shell.fork().execute(["cmd", "statusbar", verb], streams) == 0

    async def _wait(self, milliseconds: int, condition: Callable[[Session], bool]) -> bool:
        deadline = time.monotonic() + min(milliseconds / 1000, MAX_WAIT_S)
        while not await self._run(condition):
            if time.monotonic() >= deadline:
                return False
            await asyncio.sleep(POLL_S)
        return True

    async def _wait_for_update(self, package: str | None, milliseconds: int) -> bool:
        before = await self._run(lambda session: session.phone.version)

        def updated(session: Session) -> bool:
            in_front = package is None or session.root()["package"] == package
            return in_front and bool(session.phone.version != before)

        return await self._wait(milliseconds, updated)

    async def _dump(self, compressed: bool, depth: int) -> str:
        if latency := self._handset.phone.latency.u2_s:
            await asyncio.sleep(latency)
        match self._handset.fault("dump"):
            case "idle_error" | "null_root":
                return await self._run(lambda session: session.dump(compressed, 0))  # type: ignore[no-any-return]
            case "stale" if self._handset.last_u2_dump:
                return self._handset.last_u2_dump
        xml: str = await self._run(lambda session: session.dump(compressed, depth))
        self._handset.last_u2_dump = xml
        return xml

    async def _screenshot(self, scale: float, quality: int) -> str | None:
        """JPEG in base64; null where the system gives no picture, as for `screencap` that fails."""
        if latency := self._handset.phone.latency.capture_s:
            await asyncio.sleep(latency)
        fault = self._handset.fault("screencap")
        if fault in ("empty", "status", "truncated"):
            return None

        def capture(phone: Phone) -> Image.Image:
            if fault == "stale" and (old := self._handset.last_frame) is not None:
                return old
            frame = phone.frame()
            self._handset.keep_frame(png=False)
            return Image.new("RGB", frame.size) if fault == "black" else frame

        image = await self._handset.call(capture)
        return await asyncio.to_thread(jpeg, image, scale, quality)


def _envelope(identity: object, result: Any = None, error: RpcError | None = None) -> bytes:
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": identity}
    answer |= {"error": error.as_json()} if error is not None else {"result": result}
    return json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
