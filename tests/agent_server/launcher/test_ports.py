from __future__ import annotations

import socket

import pytest

from agent_server.launcher.ports import reserved_ports


def test_ports_are_different_and_can_be_listened_on_again_and_again():
    with reserved_ports(3) as ports:
        assert len(set(ports)) == 3
        for _ in range(2):
            with socket.socket() as server:
                server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                server.bind(("127.0.0.1", ports[0]))
                server.listen()
                socket.create_connection(("127.0.0.1", ports[0]), 5).close()


def test_they_are_free_for_nobody_else():
    with reserved_ports(1) as [port], socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", port))


def test_none():
    with reserved_ports(0) as ports:
        assert ports == []
