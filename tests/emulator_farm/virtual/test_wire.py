"""ADB packet headers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator_farm.virtual import wire

U32 = st.integers(0, 2**32 - 1)


@given(command=st.sampled_from(sorted(wire.COMMANDS)), arg0=U32, arg1=U32, length=st.integers(0, wire.MAX_PAYLOAD))
def test_a_packed_header_reads_back(command: int, arg0: int, arg1: int, length: int) -> None:
    data = wire.pack_header(command, arg0, arg1, length, 7)
    assert len(data) == wire.HEADER.size
    assert wire.parse_header(data) == wire.Header(command, arg0, arg1, length)


def test_the_bytes_are_those_of_the_protocol() -> None:
    data = wire.pack_header(wire.OKAY, 1, 2)
    assert data == b"OKAY" + b"\x01\0\0\0" + b"\x02\0\0\0" + b"\0" * 8 + b"\xb0\xb4\xbe\xa6"
    assert wire.parse_header(data).name == "OKAY"


def test_an_unknown_command_is_refused() -> None:
    with pytest.raises(wire.WireError, match="unknown command 0x2f205445"):
        wire.parse_header(b"ET / HTTP/1.1\r\nHost: xxx")


def test_a_wrong_magic_is_refused() -> None:
    data = bytearray(wire.pack_header(wire.OPEN, 1, 0))
    data[20] ^= 1
    with pytest.raises(wire.WireError, match="magic"):
        wire.parse_header(bytes(data))


def test_a_payload_over_the_limit_is_refused() -> None:
    with pytest.raises(wire.WireError, match="1048577 bytes"):
        wire.parse_header(wire.pack_header(wire.WRTE, 1, 1, wire.MAX_PAYLOAD + 1))


@given(st.binary(min_size=24, max_size=24))
def test_any_bytes_parse_or_are_refused(data: bytes) -> None:
    try:
        header = wire.parse_header(data)
    except wire.WireError:
        return
    assert header.command in wire.COMMANDS
