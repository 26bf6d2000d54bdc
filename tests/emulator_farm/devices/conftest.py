"""The corpus of real device artifacts, a real adb server, virtual phones, and phones that answer by script."""

from __future__ import annotations

import asyncio
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest

from emulator_farm.devices.adb_server import AdbServer
from emulator_farm.devices.device import Device
from emulator_farm.devices.screen import Patience
from emulator_farm.virtual.host import PhoneHost
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.server import AdbServer as PhoneServer
from emulator_farm.virtual.server import Service
from emulator_farm.virtual.stream import Stream

_CORPUS = Path(__file__).parents[2] / "corpus"


@pytest.fixture(scope="session")
def transcript() -> Callable[[str], str]:
    """What a real phone wrote, by file name."""
    return lambda name: (_CORPUS / "transcripts" / name).read_bytes().decode()


@pytest.fixture(scope="session")
def transcript_bytes() -> Callable[[str], bytes]:
    return lambda name: (_CORPUS / "transcripts" / name).read_bytes()


@pytest.fixture(scope="session")
def screenshot() -> Callable[[str], bytes]:
    """A real screenshot, by file name."""
    return lambda name: (_CORPUS / "screenshots" / name).read_bytes()


@pytest.fixture(scope="session")
def adb_server() -> Iterator[AdbServer]:
    """A real adb server of these tests' own."""
    with AdbServer.launch() as server:
        yield server


@pytest.fixture
def host() -> Iterator[PhoneHost]:
    """One virtual phone, in factory state."""
    with PhoneHost(1) as host:
        yield host


@pytest.fixture(scope="module")
def shared_emulator() -> Iterator[PhoneHost]:
    """A phone with an emulator's ports and a small panel, so that pixels cost little."""
    with PhoneHost([Phone("small", 360, 800, 140)], emulator=True) as host:
        yield host


@pytest.fixture
def emulator(shared_emulator: PhoneHost) -> PhoneHost:
    """One as new, whose adb is slow, so that gRPC wins, and whose minute does not pass."""

    def restore(phone: Phone) -> None:
        phone.reset()
        phone.faults.clear()
        latency = phone.latency
        latency.capture_s = latency.input_s = 0.05
        latency.grpc_s = latency.dump_s = latency.u2_s = 0.0
        phone.clock.hold()

    shared_emulator.call(restore)
    return shared_emulator


@pytest.fixture
def bare(host: PhoneHost, adb_server: AdbServer) -> Iterator[Device]:
    """The phone over the real adb server, reached by adb's own commands."""
    adb_server.connect(host.addresses[0])
    patience = Patience(call_s=20, tree_s=0.4, frame_s=0.4, black_s=0.3, stable_s=3, keyboard_s=0.2)
    with Device(host.addresses[0], adb_server, patience=patience) as device:
        yield device


@pytest.fixture
def device(host: PhoneHost, adb_server: AdbServer) -> Iterator[Device]:
    """The virtual phone over the real adb server, with little patience."""
    patience = Patience(call_s=10, tree_s=0.4, frame_s=0.4, black_s=0.3, stable_s=1, keyboard_s=0.2)
    adb_server.connect(host.addresses[0])
    with Device(host.addresses[0], adb_server, patience=patience) as device:
        yield device
    adb_server.disconnect(host.addresses[0])


class Answer(NamedTuple):
    """What a scripted phone does with a command. `hang_up` cuts the connection after the output."""

    stdout: bytes = b""
    stderr: bytes = b""
    exit_code: int = 0
    hang_up: bool = False


@dataclass
class ScriptedPhone:
    """A phone without a system: every shell line is looked up, `commands` keeps them."""

    answers: dict[str, Answer]
    """By the start of the shell line, the longest that fits; a phone knows no other commands."""
    shell_v2: bool = True
    commands: list[str] = field(default_factory=list)
    address: str = ""
    drop: Callable[[], None] = lambda: None

    def answer(self, line: str) -> Answer:
        self.commands.append(line)
        fitting = [start for start in self.answers if line.startswith(start)]
        return self.answers[max(fitting, key=len)] if fitting else Answer(stderr=b"sh: not found\n", exit_code=127)

    def resolve(self, destination: str) -> Service | None:
        kind, _, line = destination.partition(":")
        if kind == "exec" or (kind == "shell,v2,raw" and self.shell_v2):
            return lambda stream: self._serve(stream, line, packets=kind != "exec")
        return None

    def identity(self) -> bytes:
        return b"device::ro.product.model=Scripted;features=cmd" + (b",shell_v2" if self.shell_v2 else b"")

    async def _serve(self, stream: Stream, line: str, *, packets: bool) -> None:
        reply = self.answer(line)
        if not packets:
            await stream.write(reply.stdout + reply.stderr)
        else:
            for kind, data in ((1, reply.stdout), (2, reply.stderr)):
                if data:
                    await stream.write(struct.pack("<BI", kind, len(data)) + data)
            if not reply.hang_up:
                await stream.write(struct.pack("<BIB", 3, 1, reply.exit_code))
        if reply.hang_up:
            self.drop()


def _serve_in_thread(phone: ScriptedPhone, ready: threading.Event, stop: list[Callable[[], object]]) -> None:
    async def serve() -> None:
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        server = await PhoneServer(phone.resolve, phone.identity).start()
        phone.address, phone.drop = f"{server.host}:{server.port}", server.drop_connections
        stop.append(lambda: loop.call_soon_threadsafe(ended.set))
        ready.set()
        await ended.wait()
        await server.stop()

    asyncio.run(serve())


@pytest.fixture
def scripted(adb_server: AdbServer) -> Iterator[Callable[..., ScriptedPhone]]:
    """Makes phones that answer by script, connected to the adb server."""
    stops: list[Callable[[], object]] = []
    threads = []
    addresses = []

    def make(answers: dict[str, Answer | str | bytes], **options: bool) -> ScriptedPhone:
        table = {
            start: answer
            if isinstance(answer, Answer)
            else Answer(answer.encode() if isinstance(answer, str) else answer)
            for start, answer in answers.items()
        }
        phone = ScriptedPhone(table, **options)
        ready = threading.Event()
        threads.append(threading.Thread(target=_serve_in_thread, args=(phone, ready, stops), daemon=True))
        threads[-1].start()
        assert ready.wait(10)
        adb_server.connect(phone.address)
        addresses.append(phone.address)
        return phone

    yield make
    for address in addresses:
        adb_server.disconnect(address)
    for stop in stops:
        stop()
    for thread in threads:
        thread.join()
