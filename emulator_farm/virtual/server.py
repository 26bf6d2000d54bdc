"""The device side of ADB on a TCP port: what `adbd` is on a phone.

The real adb server connects here by `adb connect HOST:PORT`. No authentication is asked for, unless by fault. A
connection that sends anything but ADB is closed with a log line; it never harms the others.
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from typing import Self

from . import wire
from .stream import Buffer, Stream, StreamClosed

logger = logging.getLogger(__name__)

Service = Callable[[Stream], Awaitable[None]]
Resolve = Callable[[str], Service | None]
Accepts = Callable[[], bool]
Link = Callable[[], str]
"""What is wrong with the link: `unauthorized` (the host's key is not known), `silent` (nothing is answered), or "".
"""

FEATURES = ("shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir", "fixed_push_symlink_timestamp", "sendrecv_v2")
READ_LIMIT = 2 * wire.MAX_PAYLOAD
MAX_STREAMS = 1024
SMALL = 16 * 1024
_AUTH_TOKEN = 1


def banner(props: dict[str, str]) -> bytes:
    """What the device says of itself on connecting: product properties and the features it really has."""
    names = ("ro.product.name", "ro.product.model", "ro.product.device")
    fields = [f"{name}={props.get(name, '')}" for name in names]
    return ("device::" + ";".join([*fields, "features=" + ",".join(FEATURES)])).encode()


class Connection:
    """One host connected over one socket, with any number of streams."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        resolve: Resolve,
        identity: Callable[[], bytes],
        link: Link,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._resolve = resolve
        self._identity = identity
        self._link = link
        self._streams: dict[int, Stream] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._next_id = 1
        self._max_payload = wire.MAX_PAYLOAD
        self._checksum = False
        self._online = False

    async def run(self) -> None:
        """Serve until the host leaves or misbehaves; every service of this connection ends with it."""
        try:
            while True:
                header = wire.parse_header(await self._reader.readexactly(wire.HEADER.size))
                payload = await self._reader.readexactly(header.length) if header.length else b""
                self._dispatch(header, payload)
        except wire.WireError as error:
            logger.warning("closing ADB connection from %s: %s", self._writer.get_extra_info("peername"), error)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            await self._end()

    def drop(self) -> None:
        """Cut the socket at once, as a phone that loses its link does."""
        self._writer.transport.abort()

    async def _end(self) -> None:
        self.drop()
        for stream in self._streams.values():
            stream.on_hangup = None
            stream.hang_up()
        self._streams.clear()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _send(self, command: int, arg0: int, arg1: int, parts: tuple[Buffer, ...] = ()) -> None:
        if self._writer.is_closing():
            return
        length = sum(len(part) for part in parts)
        checksum = sum(sum(part) for part in parts) & 0xFFFFFFFF if self._checksum else 0
        header = wire.pack_header(command, arg0, arg1, length, checksum)
        if length <= SMALL:
            self._writer.write(b"".join((header, *parts)))
        else:
            self._writer.writelines((header, *parts))
        if command == wire.CLSE:
            self._streams.pop(arg0, None)

    def _dispatch(self, header: wire.Header, payload: bytes) -> None:
        link = self._link()
        if link == "silent":
            return
        if link == "unauthorized" and not self._online:
            self._send(wire.AUTH, _AUTH_TOKEN, 0, (os.urandom(20),))
            return
        if header.command == wire.CNXN:
            self._connect(header)
            return
        if header.command == wire.STLS:
            raise wire.WireError("STLS: this phone has no TLS")
        if not self._online:
            raise wire.WireError(f"{header.name} before CNXN")
        match header.command:
            case wire.OPEN:
                self._open(header.arg0, payload)
            case wire.WRTE:
                self._data(header, payload)
            case wire.OKAY:
                if (stream := self._streams.get(header.arg1)) is not None:
                    stream.acknowledge()
            case wire.CLSE:
                if (stream := self._streams.pop(header.arg1, None)) is not None:
                    stream.hang_up()
            case _:
                logger.info("ignoring %s: this phone asks for no authentication", header.name)

    def _connect(self, header: wire.Header) -> None:
        for stream in [*self._streams.values()]:
            stream.hang_up()
        self._streams.clear()
        self._checksum = header.arg0 <= wire.VERSION_WITH_CHECKSUM
        self._max_payload = max(1, min(header.arg1, wire.MAX_PAYLOAD))
        self._online = True
        self._send(wire.CNXN, min(header.arg0, wire.VERSION), wire.MAX_PAYLOAD, (self._identity(),))

    def _data(self, header: wire.Header, payload: bytes) -> None:
        if (stream := self._streams.get(header.arg1)) is not None:
            stream.feed(payload)

    def _open(self, remote: int, payload: bytes) -> None:
        destination = payload.rstrip(b"\0").decode("utf-8", "surrogateescape")
        service = self._resolve(destination) if len(self._streams) < MAX_STREAMS else None
        if service is None or remote == 0:
            logger.debug("refusing service %r", destination)
            self._send(wire.CLSE, 0, remote)
            return
        local, self._next_id = self._next_id, self._next_id + 1
        stream = Stream(self._send, local, remote, self._max_payload)
        self._streams[local] = stream
        self._send(wire.OKAY, local, remote)
        task = asyncio.get_running_loop().create_task(_serve(service, stream, destination), name=destination)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("service %r broke", task.get_name(), exc_info=error)


async def _serve(service: Service, stream: Stream, destination: str) -> None:
    try:
        await service(stream)
    except StreamClosed:
        logger.debug("host left %r early", destination)
    finally:
        stream.close()


class AdbServer:
    """A listening port whose connections share one phone."""

    def __init__(
        self,
        resolve: Resolve,
        identity: Callable[[], bytes],
        accepts: Accepts = lambda: True,
        link: Link = lambda: "",
    ) -> None:
        self._resolve = resolve
        self._identity = identity
        self._accepts = accepts
        self._link = link
        self._server: asyncio.Server | None = None
        self._connections: dict[Connection, asyncio.Task[None]] = {}
        self.host = ""
        self.port = 0

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> Self:
        """Listen; port 0 takes a free one, then found in `port`."""
        self._server = await asyncio.start_server(self._on_connection, host, port, limit=READ_LIMIT)
        self.host, self.port = self._server.sockets[0].getsockname()[:2]
        return self

    async def _on_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._accepts():
            writer.transport.abort()
            return
        connection = Connection(reader, writer, self._resolve, self._identity, self._link)
        task = asyncio.current_task()
        assert task is not None
        self._connections[connection] = task
        try:
            await connection.run()
        finally:
            del self._connections[connection]

    def drop_connections(self) -> None:
        """Cut every host off; they may connect again."""
        for connection in [*self._connections]:
            connection.drop()

    async def stop(self) -> None:
        """Close the port and every connection."""
        if self._server is not None:
            self._server.close()
        tasks = [*self._connections.values()]
        self.drop_connections()
        await asyncio.gather(*tasks, return_exceptions=True)
