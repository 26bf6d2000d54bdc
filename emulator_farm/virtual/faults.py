"""What a virtual phone does wrong on purpose, and how slow it is.

`Phone` only carries these two records; the wire side acts on them, so that drawing stays honest.
"""

from dataclasses import dataclass, fields


@dataclass
class Faults:
    """Faults now armed; every field may be changed while the phone runs."""

    screencap: str = ""
    """"" | truncated | empty | black | warning | crlf | wrong_size | stale | status"""
    dump: str = ""
    """"" | idle_error | null_root | stale"""
    input: str = ""
    """"" | drop | hang"""
    grpc: str = ""
    """"" | padded | black | stale | truncated | empty | unavailable | hang | drop"""
    u2: str = ""
    """"" | killed | refused | not_connected | hang"""
    offline_after: int = 0
    """Commands after which the phone vanishes; 0 = never."""
    count: int = 0
    """How many times an armed fault fires before it clears; 0 = for ever."""

    def clear(self) -> None:
        """Disarm everything."""
        for field in fields(self):
            setattr(self, field.name, field.default)


@dataclass
class Latency:
    """Seconds the wire side waits before it answers; spent on the event loop, so it costs no CPU."""

    capture_s: float = 0.0
    input_s: float = 0.0
    dump_s: float = 0.0
    launch_s: float = 0.0
    grpc_s: float = 0.0
    """Of a screenshot by gRPC, which does not take `capture_s`."""
