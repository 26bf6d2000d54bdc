"""The client of an emulator's gRPC controller: pictures, touches and keys past adb, under the same right to the phone.

Needs the extra `emulator`; import it where a controller was found. What fails here is the controller, not the phone:
ChannelFailed, and the caller goes another way.
"""

from __future__ import annotations

from functools import partial
from typing import TypeVar

import grpc
from google.protobuf.message import Message

from emulator_farm.devices.channels import ChannelFailed
from emulator_farm.devices.emulators import Endpoint
from emulator_farm.devices.transport import Transport
from emulator_farm.emulator_control import MAX_MESSAGE, path
from emulator_farm.emulator_control import controller_pb2 as wire

Reply = TypeVar("Reply", bound=Message)
CALL_S = 3.0
"""A controller that needs longer is of no use: `screencap` and `input` are waiting."""
_DETAIL = 120


class Controller:
    """One connection, made at the first call. Methods raise ChannelFailed, ClaimLost and what the gate raises."""

    def __init__(self, endpoint: Endpoint, transport: Transport, call_s: float = CALL_S) -> None:
        self._transport = transport
        self._call_s = call_s
        self._metadata = [("authorization", f"Bearer {endpoint.token}")] if endpoint.token else []
        limits = [("grpc.max_receive_message_length", MAX_MESSAGE), ("grpc.use_local_subchannel_pool", 1)]
        self._channel = grpc.insecure_channel(endpoint.address, options=limits)

    def close(self) -> None:
        """Let go of the connection."""
        self._channel.close()

    def status(self) -> wire.EmulatorStatus:
        """Version, and whether the phone has booted."""
        return self._call("getStatus", wire.Nothing(), wire.EmulatorStatus)

    def image(self, kind: wire.ImageFormat.ImgFormat, bound: int = 0) -> wire.Image:
        """The screen; `bound` limits both sides, in pixels."""
        wanted = wire.ImageFormat(format=kind, width=bound, height=bound)
        return self._call("getScreenshot", wanted, wire.Image)

    def touch(self, x: int, y: int, down: bool) -> None:
        """A finger at a pixel of the upright panel: goes down or moves, or is lifted there."""
        touch = wire.Touch(x=x, y=y, pressure=1024 if down else 0)
        self._call("sendTouch", wire.TouchEvent(touches=[touch]), wire.Nothing)

    def key(self, name: str) -> None:
        """Press and release a key, named as W3C does."""
        event = wire.KeyboardEvent(key=name, eventType=wire.KeyboardEvent.keypress)
        self._call("sendKey", event, wire.Nothing)

    def _call(self, method: str, request: Message, reply: type[Reply]) -> Reply:
        stub = self._channel.unary_unary(path(method), lambda sent: sent.SerializeToString(), reply.FromString)
        start = partial(stub.future, request, metadata=self._metadata, timeout=self._call_s)
        with self._transport.beside(start) as pending:
            try:
                result: Reply = pending.result()
            except grpc.FutureCancelledError:
                raise ChannelFailed("the call was cancelled") from None
            except grpc.RpcError as error:
                raise ChannelFailed(_reason(error, method, self._call_s)) from None
        return result


def _reason(error: grpc.RpcError, method: str, seconds: float) -> str:
    if error.code() == grpc.StatusCode.DEADLINE_EXCEEDED:
        return f"{method}: no answer within {seconds:g} s"
    said = " ".join(str(error.details()).split())
    return f"{method}: {error.code().name.lower()}: {said[:_DETAIL]}"
