from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable

import pytest

from agent_server.http_client import BrokenAnswer, HttpClient, NoAnswer

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def run(talk: Talk, ask: Callable[[HttpClient], Awaitable[object]], path: str = "") -> object:
    """What `ask` gets from a server on a real socket that treats each connection as `talk` says."""

    tasks: set[asyncio.Task[object]] = set()

    async def talking(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.current_task())
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await talk(reader, writer)
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    async def main() -> object:
        server = await asyncio.start_server(talking, "127.0.0.1", 0)
        async with server:
            client = HttpClient(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{path}", {"X-Key": "k"})
            try:
                return await ask(client)
            finally:
                client.close()
                if tasks:
                    await asyncio.wait(tasks, timeout=5)

    return asyncio.run(main())


async def read_request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    return head + await reader.readexactly(length)


def answering(answer: bytes, seen: list[bytes] | None = None, *, once: bool = True) -> Talk:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            request = await read_request(reader)
            if seen is not None:
                seen.append(request)
            writer.write(answer)
            await writer.drain()
            if once:
                break

    return talk


def test_one_exchange():
    seen: list[bytes] = []
    talk = answering(b"HTTP/1.1 201 Created\r\nContent-Length: 5\r\nX-Thing: v\r\n\r\nhello", seen)
    response = run(talk, lambda client: client.request("POST", "/chat", b"body"), "/prefix/")
    assert (response.status, response.headers["x-thing"], response.body) == (201, "v", b"hello")
    head, _, body = seen[0].partition(b"\r\n\r\n")
    assert body == b"body"
    lines = head.split(b"\r\n")
    assert lines[0] == b"POST /prefix/chat HTTP/1.1"
    assert b"X-Key: k" in lines
    assert b"Content-Length: 4" in lines
    assert any(line.startswith(b"Host: 127.0.0.1:") for line in lines)


def test_chunked_and_unframed_answers():
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    assert run(answering(chunked), lambda client: client.request("GET", "/")).body == b"abcde"
    until_close = b"HTTP/1.1 200 OK\r\n\r\nuntil the end"
    assert run(answering(until_close), lambda client: client.request("GET", "/")).body == b"until the end"
    assert run(answering(b"HTTP/1.1 204 No\r\n\r\n"), lambda client: client.request("GET", "/")).status == 204


def test_connections_are_kept():
    connections = 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await answering(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", once=False)(reader, writer)

    async def ask(client: HttpClient) -> None:
        for _ in range(5):
            assert (await client.request("GET", "/")).body == b"x"
        await asyncio.gather(*(client.request("GET", "/") for _ in range(3)))

    run(talk, ask)
    assert connections == 3


@pytest.mark.parametrize("answer", [b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"])
def test_a_connection_that_the_server_closes_is_not_used_again(answer):
    async def ask(client: HttpClient) -> list[bytes]:
        return [(await client.request("GET", "/")).body for _ in range(3)]

    assert run(answering(answer), ask) == [b"x", b"x", b"x"]


def test_a_kept_connection_that_died_is_replaced_once():
    """The server answers one request a connection and hangs up on the second without a word."""
    connections: list[int] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(1)
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
        await reader.read(1)

    async def ask(client: HttpClient) -> list[bytes]:
        return [(await client.request("POST", "/", b"b")).body for _ in range(3)]

    assert run(talk, ask) == [b"x", b"x", b"x"]
    assert len(connections) == 3


def test_a_server_that_hangs_up_on_a_new_connection_gave_no_answer():
    connections: list[int] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(1)
        await read_request(reader)

    with pytest.raises(NoAnswer, match="cut before an answer"):
        run(talk, lambda client: client.request("POST", "/", b"b"))
    assert len(connections) == 1


def test_nobody_listens():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    async def ask() -> None:
        await HttpClient(f"http://127.0.0.1:{port}").request("GET", "/")

    with pytest.raises(NoAnswer, match="no connection"):
        asyncio.run(ask())


def test_a_name_that_does_not_resolve():
    async def ask() -> None:
        await HttpClient("http://no-such-host.invalid").request("GET", "/")

    with pytest.raises(NoAnswer, match="no connection"):
        asyncio.run(ask())


def test_a_connection_that_is_never_accepted_times_out():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port = listener.getsockname()[1]
        fillers = [socket.socket() for _ in range(4)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))

        async def ask() -> None:
            await HttpClient(f"http://127.0.0.1:{port}").request("GET", "/", connect_timeout_s=0.2)

        with pytest.raises(NoAnswer, match=r"within 0\.2 s"):
            asyncio.run(ask())
        for filler in fillers:
            filler.close()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", "broke off"),
        (b"HTTP/1.1 200 OK\r\nContent-Le", "broke off"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", "broke off"),
    ],
)
def test_answers_that_end_early_or_are_none(answer, words):
    with pytest.raises(BrokenAnswer, match=words):
        run(answering(answer), lambda client: client.request("GET", "/"))


def test_cancelling_closes_the_connection():
    closed = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        with contextlib.suppress(ConnectionResetError):
            await reader.read(1)
        closed.set()

    async def ask(client: HttpClient) -> bool:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await client.request("GET", "/")
        await asyncio.wait_for(closed.wait(), 5)
        return True

    assert run(talk, ask)


def test_bytes_that_nobody_asked_for_close_a_kept_connection():
    served = 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal served
        served += 1
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
        await writer.drain()
        await asyncio.sleep(0.05)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ny")
        await reader.read()

    async def ask(client: HttpClient) -> list[bytes]:
        first = await client.request("GET", "/")
        await asyncio.sleep(0.2)
        return [first.body, (await client.request("GET", "/")).body]

    assert run(talk, ask) == [b"x", b"x"]
    assert served == 2


@pytest.mark.parametrize("url", ["ftp://host", "host:80", "", "http://"])
def test_other_urls(url):
    with pytest.raises(ValueError, match="http"):
        HttpClient(url)
