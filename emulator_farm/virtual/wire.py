"""ADB packets: a 24-byte little-endian header (command, two arguments, payload length, checksum, magic) and a payload.

Version 0x01000001 of the protocol needs no checksum; a peer that speaks the older one gets the sum of the bytes.
"""

import struct
from dataclasses import dataclass

VERSION = 0x01000001
VERSION_WITH_CHECKSUM = 0x01000000
MAX_PAYLOAD = 1024 * 1024
HEADER = struct.Struct("<6I")

CNXN = 0x4E584E43
OPEN = 0x4E45504F
OKAY = 0x59414B4F
WRTE = 0x45545257
CLSE = 0x45534C43
AUTH = 0x48545541
STLS = 0x534C5453
SYNC = 0x434E5953

COMMANDS = frozenset({CNXN, OPEN, OKAY, WRTE, CLSE, AUTH, STLS, SYNC})


class WireError(Exception):
    """The peer sent bytes that are no ADB packet; the connection cannot be trusted any further."""


@dataclass(frozen=True, slots=True)
class Header:
    """The fixed part of a packet, checked. `length` is the number of payload bytes that follow."""

    command: int
    arg0: int
    arg1: int
    length: int

    @property
    def name(self) -> str:
        """The four letters of the command."""
        return self.command.to_bytes(4, "little").decode("ascii")


def parse_header(data: bytes) -> Header:
    """Read 24 bytes. Raises WireError for an unknown command, a wrong magic or a payload over 1 MiB."""
    command, arg0, arg1, length, _, magic = HEADER.unpack(data)
    if command not in COMMANDS:
        raise WireError(f"unknown command 0x{command:08x}")
    if magic != command ^ 0xFFFFFFFF:
        raise WireError(f"magic 0x{magic:08x} does not belong to command 0x{command:08x}")
    if length > MAX_PAYLOAD:
        raise WireError(f"payload of {length} bytes is over the limit of {MAX_PAYLOAD}")
    return Header(command, arg0, arg1, length)


def pack_header(command: int, arg0: int, arg1: int, length: int = 0, checksum: int = 0) -> bytes:
    """The 24 bytes that go before a payload of `length` bytes."""
    return HEADER.pack(command, arg0, arg1, length, checksum, command ^ 0xFFFFFFFF)
