"""Ports that stay free for model servers that are started later, and again."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def reserved_ports(count: int, host: str = "127.0.0.1") -> Iterator[list[int]]:
    """Free ports that the system gives to nobody else meanwhile.

    They are bound without listening; a server that binds with SO_REUSEADDR, as vLLM does, can still listen there.
    """
    with ExitStack() as stack:
        ports = []
        for _ in range(count):
            holder = stack.enter_context(socket.socket())
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            holder.bind((host, 0))
            ports.append(holder.getsockname()[1])
        yield ports
