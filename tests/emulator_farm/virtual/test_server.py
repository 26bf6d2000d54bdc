"""The ADB endpoint spoken to packet by packet, as a strict or a broken host does."""

import asyncio
import logging
import struct
from collections.abc import Iterator

import pytest

from emulator_farm.virtual import wire
from emulator_farm.virtual.host import PhoneHost
from emulator_farm.virtual.server import FEATURES, AdbServer, Service
from emulator_farm.virtual.stream import Stream, StreamClosed

TIMEOUT_S = 20.0


class RawHost:
    """A host that sends and reads single packets."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def connect(cls, port: int, version: int = wire.VERSION, limit: int = wire.MAX_PAYLOAD) -> "RawHost":
        host = cls(*await asyncio.open_connection("127.0.0.1", port, limit=4 << 20))
        host.send(wire.CNXN, version, limit, b"host::features=shell_v2\0")
        return host

    def send(self, command: int, arg0: int, arg1: int, payload: bytes = b"") -> None:
        self._writer.write(wire.pack_header(command, arg0, arg1, len(payload)) + payload)

    def send_bytes(self, data: bytes) -> None:
        self._writer.write(data)

    async def read(self) -> tuple[str, int, int, bytes]:
        async with asyncio.timeout(TIMEOUT_S):
            header = wire.parse_header(await self._reader.readexactly(wire.HEADER.size))
            payload = await self._reader.readexactly(header.length)
        return header.name, header.arg0, header.arg1, payload

    async def read_checksum(self) -> int:
        data = await self._reader.readexactly(wire.HEADER.size)
        return int(struct.unpack_from("<6I", data)[4])

    async def open(self, local: int, destination: str) -> int:
        """Open a service; its stream id on the phone."""
        self.send(wire.OPEN, local, 0, destination.encode() + b"\0")
        name, remote, mine, _ = await self.read()
        assert (name, mine) == ("OKAY", local)
        return remote

    async def at_end(self) -> bool:
        async with asyncio.timeout(TIMEOUT_S):
            try:
                return await self._reader.read(1) == b""
            except ConnectionResetError:
                return True
            finally:
                self.close()

    def close(self) -> None:
        self._writer.transport.abort()


async def _echo(stream: Stream) -> None:
    while data := await stream.read():
        await stream.write(data)


async def _flood(stream: Stream) -> None:
    await stream.write(bytes(1000) * 1000)


async def _deaf(stream: Stream) -> None:
    await asyncio.Event().wait()


async def _quick(stream: Stream) -> None:
    await stream.write(b"done")


async def _breaks(stream: Stream) -> None:
    raise RuntimeError("a bug in a service")


SERVICES: dict[str, Service] = {"echo": _echo, "flood": _flood, "deaf": _deaf, "quick": _quick, "breaks": _breaks}


def _run(scenario: "object") -> None:
    """Run a scenario (a coroutine function of the server's port) against a server with the services above."""

    async def main() -> None:
        server = await AdbServer(lambda name: SERVICES.get(name), lambda: b"device::features=x").start()
        try:
            await scenario(server.port)  # type: ignore[operator]
        finally:
            await server.stop()

    asyncio.run(main())


class TestHandshake:
    def test_the_banner_names_the_product_and_real_features(self) -> None:
        async def scenario() -> None:
            with PhoneHost(1) as host:
                raw = await RawHost.connect(int(host.addresses[0].rpartition(":")[2]))
                name, version, limit, banner = await raw.read()
                assert (name, version, limit) == ("CNXN", wire.VERSION, wire.MAX_PAYLOAD)
                assert banner.startswith(b"device::ro.product.name=virtual_phone;ro.product.model=Virtual Phone;")
                assert banner.endswith(b"features=" + ",".join(FEATURES).encode())
                raw.close()

        asyncio.run(scenario())

    def test_an_old_host_gets_checksums_and_small_packets(self) -> None:
        async def scenario(port: int) -> None:
            raw = await RawHost.connect(port, wire.VERSION_WITH_CHECKSUM, 4096)
            name, version, _, _ = await raw.read()
            assert (name, version) == ("CNXN", wire.VERSION_WITH_CHECKSUM)
            await raw.open(1, "flood")
            _, _, _, payload = await raw.read()
            assert len(payload) == 4096
            raw.close()
            raw = await RawHost.connect(port, wire.VERSION_WITH_CHECKSUM)
            assert await raw.read_checksum() == sum(b"device::features=x")
            raw.close()

        _run(scenario)

    def test_connecting_again_on_the_same_socket_forgets_the_streams(self) -> None:
        async def scenario(port: int) -> None:
            raw = await RawHost.connect(port)
            await raw.read()
            remote = await raw.open(5, "echo")
            raw.send(wire.CNXN, wire.VERSION, wire.MAX_PAYLOAD, b"host::")
            assert (await raw.read())[0] == "CNXN"
            raw.send(wire.WRTE, 5, remote, b"lost")
            raw.send(wire.OPEN, 6, 0, b"quick\0")
            seen = [await raw.read() for _ in range(3)]
            assert (seen[-1][0], seen[-1][3]) == ("WRTE", b"done") or ("CLSE", remote) in [s[:2] for s in seen]
            raw.close()

        _run(scenario)


def test_a_reverse_request_that_the_real_adb_would_not_send() -> None:
    async def scenario() -> None:
        with PhoneHost(1) as host:
            raw = await RawHost.connect(int(host.addresses[0].rpartition(":")[2]))
            await raw.read()
            await raw.open(1, "reverse:nosuch")
            assert (await raw.read())[3] == b"FAIL001funknown reverse command: nosuch"
            raw.close()

    asyncio.run(scenario())


class TestStreams:
    def test_echo_with_acknowledgements(self) -> None:
        async def scenario(port: int) -> None:
            raw = await RawHost.connect(port)
            await raw.read()
            remote = await raw.open(7, "echo")
            for text in (b"one", b"two"):
                raw.send(wire.WRTE, 7, remote, text)
                assert await raw.read() == ("OKAY", remote, 7, b"")
                assert await raw.read() == ("WRTE", remote, 7, text)
                raw.send(wire.OKAY, 7, remote)
            raw.send(wire.CLSE, 7, remote)
            assert await raw.read() == ("CLSE", remote, 7, b"")
            raw.close()

        _run(scenario)

    def test_one_packet_waits_for_one_acknowledgement(self) -> None:
        async def scenario(port: int) -> None:
            raw = await RawHost.connect(port, limit=100_000)
            await raw.read()
            remote = await raw.open(1, "flood")
            assert len((await raw.read())[3]) == 100_000
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await raw.read()
            for _ in range(9):
                raw.send(wire.OKAY, 1, remote)
                assert len((await raw.read())[3]) == 100_000
            assert (await raw.read())[0] == "CLSE"
            raw.close()

        _run(scenario)

    def test_streams_do_not_wait_for_each_other(self) -> None:
        async def scenario(port: int) -> None:
            raw = await RawHost.connect(port, limit=100_000)
            await raw.read()
            await raw.open(1, "flood")
            assert (await raw.read())[0] == "WRTE"
            await raw.open(2, "deaf")
            await raw.open(3, "quick")
            assert (await raw.read())[3] == b"done"
            raw.close()

        _run(scenario)

    def test_what_was_sent_before_the_end_is_still_read(self) -> None:
        async def scenario(port: int) -> None:
            got: list[bytes] = []
            ended = asyncio.Event()

            async def collect(stream: Stream) -> None:
                await asyncio.sleep(0.05)
                while data := await stream.read():
                    got.append(data)
                ended.set()

            SERVICES["collect"] = collect
            raw = await RawHost.connect(port)
            await raw.read()
            remote = await raw.open(1, "collect")
            raw.send(wire.WRTE, 1, remote, b"last words")
            raw.send(wire.CLSE, 1, remote)
            async with asyncio.timeout(TIMEOUT_S):
                await ended.wait()
            assert got == [b"last words"]
            raw.close()

        _run(scenario)

    def test_writing_to_a_host_that_left_raises(self) -> None:
        async def scenario(port: int) -> None:
            outcome: asyncio.Future[str] = asyncio.get_running_loop().create_future()

            async def insist(stream: Stream) -> None:
                try:
                    while True:
                        await stream.write(b"x" * 10)
                except StreamClosed as error:
                    outcome.set_result(str(error))
                    raise

            SERVICES["insist"] = insist
            raw = await RawHost.connect(port)
            await raw.read()
            remote = await raw.open(1, "insist")
            raw.send(wire.CLSE, 1, remote)
            async with asyncio.timeout(TIMEOUT_S):
                assert "closed" in await outcome
            raw.close()

        _run(scenario)

    def test_losing_the_host_ends_its_services(self) -> None:
        async def scenario(port: int) -> None:
            ended = asyncio.Event()

            async def waits(stream: Stream) -> None:
                try:
                    await asyncio.Event().wait()
                finally:
                    ended.set()

            SERVICES["waits"] = waits
            raw = await RawHost.connect(port)
            await raw.read()
            await raw.open(1, "waits")
            raw.close()
            async with asyncio.timeout(TIMEOUT_S):
                await ended.wait()

        _run(scenario)

    def test_read_exactly_tells_how_much_is_missing(self) -> None:
        async def scenario(port: int) -> None:
            outcome: asyncio.Future[str] = asyncio.get_running_loop().create_future()

            async def wants_ten(stream: Stream) -> None:
                assert await stream.read_exactly(2) == b"ab"
                assert await stream.read() == b"cd"
                try:
                    await stream.read_exactly(10)
                except StreamClosed as error:
                    outcome.set_result(str(error))

            SERVICES["wants_ten"] = wants_ten
            raw = await RawHost.connect(port)
            await raw.read()
            remote = await raw.open(1, "wants_ten")
            raw.send(wire.WRTE, 1, remote, b"abcd")
            await raw.read()
            raw.send(wire.CLSE, 1, remote)
            async with asyncio.timeout(TIMEOUT_S):
                assert "10 bytes missing" in await outcome
            raw.close()

        _run(scenario)


class TestRefusals:
    @pytest.mark.parametrize("destination", ["nosuch", "", "tcp:9", "localabstract:x", "\xff"])
    def test_an_unknown_service_is_refused_and_the_connection_lives(self, destination: str) -> None:
        async def scenario(port: int) -> None:
            raw = await RawHost.connect(port)
            await raw.read()
            raw.send(wire.OPEN, 4, 0, destination.encode("latin-1") + b"\0")
            assert await raw.read() == ("CLSE", 0, 4, b"")
            await raw.open(5, "echo")
            raw.close()

        _run(scenario)

    def test_a_service_that_breaks_ends_alone(self, caplog: pytest.LogCaptureFixture) -> None:
        async def scenario(port: int) -> None:
            raw = await RawHost.connect(port)
            await raw.read()
            await raw.open(1, "breaks")
            assert (await raw.read())[0] == "CLSE"
            await raw.open(2, "echo")
            raw.close()

        _run(scenario)
        assert "service 'breaks' broke" in caplog.text

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "unknown command"),
            (wire.pack_header(wire.STLS, 1, 0), "no TLS"),
            (wire.pack_header(wire.OPEN, 1, 0), "OPEN before CNXN"),
            (wire.pack_header(wire.CNXN, 1, 0, 2**31), "over the limit"),
        ],
        ids=["http", "tls", "early", "huge"],
    )
    def test_what_is_no_adb_closes_the_connection(
        self, data: bytes, reason: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def scenario(port: int) -> None:
            raw = RawHost(*await asyncio.open_connection("127.0.0.1", port))
            raw.send_bytes(data)
            assert await raw.at_end()
            other = await RawHost.connect(port)
            assert (await other.read())[0] == "CNXN"
            other.close()

        with caplog.at_level(logging.WARNING):
            _run(scenario)
        assert "closing ADB connection" in caplog.text
        assert reason in caplog.text

    def test_a_host_that_ignores_flow_control_is_cut_off(self, caplog: pytest.LogCaptureFixture) -> None:
        async def scenario(port: int) -> None:
            raw = await RawHost.connect(port)
            await raw.read()
            remote = await raw.open(1, "deaf")
            for _ in range(6):
                raw.send(wire.WRTE, 1, remote, b"x")
            assert await raw.at_end()

        _run(scenario)
        assert "without waiting for OKAY" in caplog.text

    def test_an_unasked_authentication_is_ignored(self) -> None:
        async def scenario(port: int) -> None:
            raw = await RawHost.connect(port)
            await raw.read()
            raw.send(wire.AUTH, 2, 0, b"signature")
            raw.send(wire.OKAY, 9, 9)
            raw.send(wire.CLSE, 9, 9)
            raw.send(wire.WRTE, 9, 9, b"to nobody")
            await raw.open(1, "echo")
            raw.close()

        _run(scenario)

    def test_a_cut_in_the_middle_of_a_packet_is_no_event(self, caplog: pytest.LogCaptureFixture) -> None:
        async def scenario(port: int) -> None:
            raw = await RawHost.connect(port)
            await raw.read()
            raw.send_bytes(wire.pack_header(wire.OPEN, 1, 0, 100) + b"shell")
            raw.close()
            other = await RawHost.connect(port)
            assert (await other.read())[0] == "CNXN"
            other.close()

        _run(scenario)
        assert caplog.text == ""


@pytest.fixture(autouse=True)
def _services() -> Iterator[None]:
    kept = dict(SERVICES)
    yield
    SERVICES.clear()
    SERVICES.update(kept)
