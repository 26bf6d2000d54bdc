"""The `framebuffer:` service: one picture as raw pixels behind a header, as older clients ask for it."""

import struct

from .handset import Handset
from .server import Service
from .stream import Stream

HEADER = struct.Struct("<13I")
VERSION = 1
BITS = 32
CHANNELS = (0, 8, 16, 8, 8, 8, 24, 8)
"""Offset and length in bits of red, blue, green and alpha."""


def framebuffer(handset: Handset) -> Service:
    """The service of one phone."""

    async def serve(stream: Stream) -> None:
        (width, height), pixels = await handset.call(lambda phone: (phone.screen_size, phone.raw()))
        await stream.write(HEADER.pack(VERSION, BITS, len(pixels), width, height, *CHANNELS))
        await stream.write(pixels)

    return serve
