"""Many virtual phones in one process: an event loop in a thread of its own, and one ADB port per phone."""

import asyncio
import logging
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from .emulator import Emulator, MissingExtra
from .handset import Handset
from .phone import Phone
from .server import AdbServer, banner
from .services import Services
from .shelf import Shelf

logger = logging.getLogger(__name__)

T = TypeVar("T")
START_TIMEOUT_S = 60.0
_ATTEMPTS = 20
"""At two free ports in a row, for ADB and console."""


class PhonePort:
    """One phone and the port on which it serves ADB."""

    def __init__(self, phone: Phone, shelf: Shelf | None = None, *, emulator: bool = False) -> None:
        """`emulator` opens console and gRPC beside ADB."""
        self.handset = Handset(phone, shelf)
        self.server = AdbServer(
            Services(self.handset).resolve,
            lambda: banner(self.handset.phone.props),
            self.handset.accepts,
            self.handset.link,
        )
        self.handset.on_restart = self.server.drop_connections
        self._emulator = Emulator(self.handset, self._kill) if emulator else None

    @property
    def phone(self) -> Phone:
        """The phone itself; not thread-safe, see `PhoneHost.call`."""
        return self.handset.phone

    @property
    def address(self) -> str:
        """`127.0.0.1:PORT`, what `adb connect` takes."""
        return f"{self.server.host}:{self.server.port}"

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> Self:
        """Open the port, or ports. Raises OSError where one is taken."""
        for attempt in range(_ATTEMPTS):
            await self.server.start(host, port)
            if self._emulator is None:
                break
            try:
                await self._emulator.start(host, self.server.port - 1)
                break
            except OSError:
                await self.server.stop()
                if port or attempt == _ATTEMPTS - 1:
                    raise
        return self

    async def stop(self) -> None:
        """Close the ports, their connections and the phone's thread."""
        await self._kill()
        self.handset.close()

    async def _kill(self) -> None:
        await self.server.stop()
        if self._emulator is not None:
            await self._emulator.stop()


class PhoneHost:
    """`with PhoneHost(4) as host:` runs phones in a background thread; `host.addresses` tells where.

    Pass a number, or phones of your own making. Everything ends with the `with` block.
    """

    def __init__(
        self,
        phones: int | list[Phone] = 1,
        host: str = "127.0.0.1",
        ports: list[int] | None = None,
        *,
        emulator: bool = False,
    ) -> None:
        """`ports` are ADB's, 0 for a free one. `emulator` gives each phone a console, on the port below, and gRPC.

        Entering raises MissingExtra where gRPC is asked for and not installed.
        """
        self._phones = [Phone(f"virtual-{n}", seed=n) for n in range(phones)] if isinstance(phones, int) else phones
        self._host = host
        self._emulator = emulator
        self._wanted = ports or [0] * len(self._phones)
        self._ports: list[PhonePort] = []
        self.shelf = Shelf()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._started = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="virtual-phones", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._started.wait(START_TIMEOUT_S):
            raise TimeoutError(f"virtual phones did not start within {START_TIMEOUT_S:.0f} s")
        if self._error is not None:
            raise self._error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def addresses(self) -> list[str]:
        """One `127.0.0.1:PORT` per phone, in order."""
        return [port.address for port in self._ports]

    @property
    def phones(self) -> list[Phone]:
        """The phones, in order. Read simple attributes freely; use `call` for anything that changes or draws."""
        return [port.phone for port in self._ports]

    @property
    def handsets(self) -> list[Handset]:
        """The phones' system sides, in order."""
        return [port.handset for port in self._ports]

    def call(self, function: Callable[[Phone], T], index: int = 0) -> T:
        """Run `function(phone)` on the phone's own thread and give its result; its exceptions come through."""
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(self._ports[index].handset.call(function), self._loop).result()

    def fault(
        self, kind: str, value: str | int, *, times: int = 0, seconds: float | None = None, index: int = 0
    ) -> None:
        """Arm a fault of a phone, as `vphone fault` does, from outside: this works where ADB does not; "" disarms."""
        self._in_loop(lambda: self._ports[index].handset.arm(kind, value, times, seconds))

    def calm(self, index: int = 0) -> None:
        """Disarm all faults of a phone."""
        self._in_loop(lambda: self._ports[index].handset.calm())

    def _in_loop(self, job: Callable[[], None]) -> None:
        async def run() -> None:
            job()

        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(run(), self._loop).result()

    def drop_connections(self, index: int = 0) -> None:
        """Cut a phone's ADB connections, as a lost link does."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._ports[index].server.drop_connections)

    def replace(self, index: int, phone: Phone) -> None:
        """Put a new phone in the place of one, at the same address: as an emulator is started again.

        Raises OSError where the port was taken meanwhile.
        """

        async def swap() -> None:
            old = self._ports[index]
            host, port = old.server.host, old.server.port
            await old.stop()
            self._ports[index] = await PhonePort(phone, self.shelf, emulator=self._emulator).start(host, port)

        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(swap(), self._loop).result()

    def close(self) -> None:
        """End all phones and wait for it."""
        if self._loop is not None and self._stop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            try:
                runner.run(self._serve())
            finally:
                self._started.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        try:
            for phone, port in zip(self._phones, self._wanted, strict=True):
                self._ports.append(await PhonePort(phone, self.shelf, emulator=self._emulator).start(self._host, port))
            self._started.set()
            await self._stop.wait()
        except (OSError, MissingExtra) as error:
            self._error = error
        finally:
            for port_of_phone in self._ports:
                await port_of_phone.stop()


def new_event_loop() -> asyncio.AbstractEventLoop:
    """uvloop's where it is installed, else asyncio's own."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
