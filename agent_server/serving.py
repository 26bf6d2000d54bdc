"""Running the app: the socket, uvicorn, the signals, and the allocator."""

from __future__ import annotations

import ctypes
import resource
import signal
import socket
import sys
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

from agent_server.errors import InvalidRequest
from agent_server.http_protocol import LimitedHttpProtocol

_KEEPALIVE_S = 75
_GRACE_S = 20
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_MIB = 2**20


def serve(app: FastAPI, host: str, port: int, announce: Callable[[str], None], log_level: str = "info") -> None:
    """Serve until SIGINT or SIGTERM; requests that are being answered are finished first (for up to 20 s).

    `announce` is called with the URL once requests are accepted; port 0 takes any free one. Raises InvalidRequest where
    the address cannot be bound.
    """
    keep_freed_memory()
    raise_file_limit()
    listener = _bound(host, port)
    config = uvicorn.Config(
        app,
        loop="auto",
        http=LimitedHttpProtocol,
        ws="none",
        log_level=log_level,
        access_log=False,
        timeout_keep_alive=_KEEPALIVE_S,
        timeout_graceful_shutdown=_GRACE_S,
        server_header=False,
    )
    # After its own shutdown uvicorn raises the signal again for whoever handled it before.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
    address = listener.getsockname()
    shown = f"[{address[0]}]" if ":" in address[0] else address[0]
    _AnnouncingServer(config, lambda: announce(f"http://{shown}:{address[1]}")).run(sockets=[listener])


class _AnnouncingServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._announce()


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
