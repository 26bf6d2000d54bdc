"""Running the app: the socket, uvicorn, the signals, and the allocator."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
import resource
import signal
import socket
import sys
from collections.abc import Callable
from typing import Protocol

import uvicorn
from fastapi import FastAPI

from agent_server.errors import InvalidRequest
from agent_server.http_protocol import LimitedHttpProtocol

_LOG = logging.getLogger("uvicorn.error")
_KEEPALIVE_S = 75
_GRACE_S = 20
_GRACE_BESIDE_S = 5
_COMPANION_GRACE_S = 2.0
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_MIB = 2**20
_SWITCH_S = 0.001
"""After which a thread that parses gives way to the event loop; 5 ms by default."""


class Companion(Protocol):
    """What runs beside the app, in its event loop, because the app is of no use without it."""

    async def run(self) -> None:
        """Run until cancelled; an error ends the app."""
        ...

    async def ready(self) -> None:
        """Return when the app is of use."""
        ...

    @property
    def quick(self) -> bool:
        """Whether `stop` takes no time worth mentioning, so that requests may have all the grace there is."""
        ...

    async def stop(self, grace_s: float) -> None:
        """End whatever it has started, within a little more than `grace_s` seconds; `run` was cancelled before."""
        ...


def serve(
    app: FastAPI,
    host: str,
    port: int,
    announce: Callable[[str], None],
    log_level: str = "info",
    companion: Companion | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM; requests that are being answered are finished first, for up to 20 s.

    With a `companion` that takes time to stop it is up to 5 s for them and 2.5 s for it, less than 10 s in all.
    `announce` is called with the URL once requests are accepted and the companion is ready; port 0 takes any free one.
    Raises InvalidRequest where the address cannot be bound, and what ends the companion.
    """
    keep_freed_memory()
    raise_file_limit()
    sys.setswitchinterval(_SWITCH_S)
    gc.collect()
    gc.freeze()  # what is loaded by now stays, and need not be looked through again and again
    listener = _bound(host, port)
    config = uvicorn.Config(
        app,
        loop="auto",
        http=LimitedHttpProtocol,
        ws="none",
        log_level=log_level,
        access_log=False,
        timeout_keep_alive=_KEEPALIVE_S,
        timeout_graceful_shutdown=_GRACE_S if companion is None or companion.quick else _GRACE_BESIDE_S,
        server_header=False,
    )
    # After its own shutdown uvicorn raises the signal again for whoever handled it before.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
    address = listener.getsockname()
    shown = f"[{address[0]}]" if ":" in address[0] else address[0]
    server = _AnnouncingServer(config, f"http://{shown}:{address[1]}", announce, companion)
    server.run(sockets=[listener])
    if server.failure is not None:
        raise server.failure


class _AnnouncingServer(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, url: str, announce: Callable[[str], None], companion: Companion | None
    ) -> None:
        super().__init__(config)
        self.failure: BaseException | None = None
        """What ended the companion."""
        self._url = url
        self._announce = announce
        self._companion = companion
        self._tasks: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.started:
            return
        if self._companion is None:
            self._announce(self._url)
            return
        _LOG.info("Answering on %s, with 503 until the model server is up", self._url)
        running = asyncio.create_task(self._companion.run())
        running.add_done_callback(self._ended)
        self._tasks = [running, asyncio.create_task(self._announce_when_ready(self._companion))]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._companion is not None:
            await self._companion.stop(0 if self.force_exit else _COMPANION_GRACE_S)

    async def _announce_when_ready(self, companion: Companion) -> None:
        await companion.ready()
        self._announce(self._url)

    def _ended(self, running: asyncio.Task[None]) -> None:
        if not running.cancelled():
            self.failure = running.exception()
            self.should_exit = True


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
            0
        ]
        listener = socket.socket(family, kind)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except (OSError, OverflowError) as error:
        raise InvalidRequest(f"cannot listen on {host}:{port}: {getattr(error, 'strerror', None) or error}") from error
    return listener


def raise_file_limit() -> None:
    """Allow as many open files as the system lets us: every decision holds two sockets, and 1024 is a usual default."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def keep_freed_memory() -> None:
    """Tell glibc to keep the megabytes that one screenshot frees for the next one.

    By default they go back to the kernel and are faulted in again page by page: a third of the time of a resize, and
    with two threads more, because faults of one process wait for each other.
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(_M_MMAP_THRESHOLD, 32 * _MIB)
        libc.mallopt(_M_TRIM_THRESHOLD, 256 * _MIB)
