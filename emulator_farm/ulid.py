"""Identifiers that sort by the time they were made: 48 bits of milliseconds, 80 random bits, in Crockford's base 32."""

from __future__ import annotations

import secrets
import time

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_ulid() -> str:
    """26 characters; two made in different milliseconds sort in the order they were made in."""
    number = time.time_ns() // 1_000_000 << 80 | secrets.randbits(80)
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))
