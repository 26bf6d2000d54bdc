"""uiautomator2's server on one phone: started out of the package's jar, asked over adb, gone with its starter.

Android lets one program at a time automate the screen, so that `uiautomator dump` fails while this runs, and this does
not start beside another of its kind. One of ours that was left behind is ended first.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import importlib.resources
import io
import json
import threading

from pydantic import JsonValue

from emulator_farm.devices import sync
from emulator_farm.devices.channels import ChannelFailed
from emulator_farm.devices.deadline import Deadline
from emulator_farm.devices.smart_socket import HungUp, SmartSocket
from emulator_farm.devices.transport import Transport
from emulator_farm.errors import AdbServerGone, ClaimLost, CommandFailed, DeviceError, DeviceGone, DeviceTimeout

JAR = "/data/local/tmp/u2.jar"
PORT = 9108
"""On the phone. uiautomator2's own client uses 9008, so that the two are never mistaken for each other."""
_LINE = f"export CLASSPATH={JAR}; exec app_process / com.wetest.uia2.Main -p {PORT}"
_END_OURS = f"pkill -f '[u]ia2.Main -p {PORT}'"
"""The brackets keep the pattern from matching the shell that it stands in."""
_START_S = 30.0
_END_S = 2.0
CALL_S = 10.0
_LIFE_S = 7 * 24 * 3600.0
_SAID = 300


class U2Server:
    """One run of the server. Methods raise ChannelFailed, ClaimLost and what the gate raises."""

    def __init__(self, transport: Transport, call_s: float = CALL_S) -> None:
        self._transport = transport
        self._call_s = call_s
        self._said = b""
        self._held = contextlib.ExitStack()
        self._ended = threading.Event()

    def start(self, deadline_s: float = _START_S) -> None:
        """Put the jar on the phone where it is not there, start the server and wait until it answers."""
        deadline = Deadline(deadline_s)
        try:
            self._put_jar(deadline)
            self._transport.shell(_END_OURS, deadline.remaining)
            shell = "shell,v2,raw" if "shell_v2" in self._transport.features() else "shell"
            stream = self._held.enter_context(self._transport.service(f"{shell}:{_LINE}", Deadline(_LIFE_S), "u2"))
        except (CommandFailed, DeviceTimeout) as error:
            raise ChannelFailed(f"the server could not be put on the phone: {error}") from None
        listener = threading.Thread(target=self._listen, args=(stream,), name="u2 server", daemon=True)
        listener.start()
        self._held.callback(listener.join)
        self._held.callback(stream.interrupt)
        while True:
            try:
                return self.ping()
            except ChannelFailed as failure:
                if self._ended.is_set() or deadline.passed:
                    self.close()
                    raise ChannelFailed(f"the server did not start: {self._last_words or failure}") from None
            self._ended.wait(min(0.1, deadline.remaining))

    def close(self) -> None:
        """End it, so that `uiautomator dump` works again; what a lost right leaves behind ends at the next start."""
        with contextlib.suppress(ClaimLost):
            self._held.close()
        with contextlib.suppress(DeviceError, AdbServerGone, ClaimLost):
            self._transport.shell(_END_OURS, _END_S)

    def ping(self) -> None:
        """One harmless exchange."""
        if self._exchange("GET", "/ping", b"") != b"pong":
            raise ChannelFailed("what answers is not uiautomator2's server")

    def screenshot(self) -> bytes:
        """The screen as PNG."""
        return self._exchange("GET", "/screenshot/0", b"")

    def call(self, method: str, *params: JsonValue, uncertain: bool = False) -> JsonValue:
        """The result of a method. With `uncertain` a call that was sent and not answered is no ChannelFailed: it raises
        DeviceError (`input_uncertain`), for nobody knows whether it was done.
        """
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
        body = self._exchange("POST", "/jsonrpc/0", json.dumps(request).encode(), uncertain=uncertain)
        try:
            answer = json.loads(body)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise ChannelFailed(f"{method}: the answer is no JSON object")
        if error := answer.get("error"):
            raise ChannelFailed(f"{method}: {_reason(error)}")
        result: JsonValue = answer.get("result")
        return result

    def _exchange(self, verb: str, path: str, body: bytes, *, uncertain: bool = False) -> bytes:
        if self._ended.is_set():
            raise ChannelFailed(f"the server ended: {self._last_words or 'it was killed'}")
        head = f"{verb} {path} HTTP/1.1\r\nHost: phone\r\nConnection: close\r\nContent-Type: application/json\r\n"
        sent = False
        try:
            with self._transport.service(f"tcp:{PORT}", Deadline(self._call_s), f"u2 {path}") as stream:
                sent = True
                stream.send(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
                return body_of(stream.rest())
        except (DeviceGone, DeviceTimeout, NoAnswer) as error:  # if it was the phone, the next way will say so
            if sent and uncertain:
                said = f"a gesture was cut off: {error}"
                raise DeviceError(said, serial=self._transport.serial, cause="input_uncertain") from None
            raise ChannelFailed(str(error)) from None

    def _listen(self, stream: SmartSocket) -> None:
        """Keep what the command says, which is the server, until it or this object ends."""
        with contextlib.suppress(HungUp, TimeoutError):
            while data := stream.some():
                self._said = (self._said + data)[-4096:]
        self._ended.set()

    @property
    def _last_words(self) -> str:
        words = "".join(map(chr, filter(lambda byte: 32 <= byte < 127 or byte == 10, self._said)))
        return " ".join(words.split())[-_SAID:]

    def _put_jar(self, deadline: Deadline) -> None:
        jar = importlib.resources.files("uiautomator2").joinpath("assets/u2.jar").read_bytes()
        there = self._transport.shell(f"md5sum {JAR}", deadline.remaining).text
        if hashlib.md5(jar, usedforsecurity=False).hexdigest() not in there:
            sync.push(self._transport, jar, JAR, deadline_s=deadline.remaining)


class NoAnswer(Exception):
    """What came is no whole HTTP answer, or says that there is none."""


class _Received:
    """What came over a connection, in the shape in which `http.client` reads one."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, mode: str) -> io.BytesIO:
        return io.BytesIO(self._data)


def body_of(data: bytes) -> bytes:
    """The body of an HTTP answer, chunked or not. Raises NoAnswer."""
    answer = http.client.HTTPResponse(_Received(data))  # type: ignore[arg-type]  # it only calls `makefile`
    try:
        answer.begin()
        body = answer.read()
    except (http.client.HTTPException, ValueError) as error:
        raise NoAnswer(f"the server hung up in its answer ({error})") from None
    if answer.status != http.client.OK:
        raise NoAnswer(f"the server answers {answer.status} {answer.reason}")
    return body


def _reason(error: JsonValue) -> str:
    said = error if not isinstance(error, dict) else f"{error.get('message')} {error.get('data') or ''}"
    return " ".join(str(said).split())[:_SAID]
