"""What a virtual phone does wrong on purpose, and how slow it is.

`Phone` only carries these two records; the wire side acts on most of them, `mishaps` on those that change the phone
itself.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .fault_plan import FaultPlan

WORDS: Mapping[str, tuple[str, ...]] = {
    "screencap": ("truncated", "empty", "black", "warning", "crlf", "wrong_size", "padded", "stale", "status", "hang"),
    "dump": ("idle_error", "null_root", "stale", "exit_code", "nothing", "hang"),
    "input": ("drop", "hang", "error"),
    "grpc": ("padded", "black", "stale", "truncated", "empty", "unavailable", "hang", "drop"),
    "u2": ("killed", "refused", "not_connected", "hang"),
    "link": ("drop", "offline", "unauthorized", "silent"),
    "shell": ("hang",),
    "window": ("anr", "crash", "permission", "call", "banner", "secure"),
    "display": ("rotated", "resized", "two"),
    "ime": ("wrong", "stuck"),
    "clock": ("ahead", "behind"),
    "disk": ("full",),
    "locale": ("ignored",),
    "boot": ("slow", "lying"),
    "snapshot": ("fail",),
}
"""The values that each kind of fault takes."""
NUMBERS = ("bandwidth", "loads", "offline_after", "count")
LASTING = ("window", "display", "ime", "clock", "disk", "boot")
"""Kinds that change the phone when they are armed, and change it back when they are cleared."""


class _Limit(NamedTuple):
    times: int
    until: float | None


@dataclass
class Faults:
    """Faults now armed; every field may be changed while the phone runs."""

    screencap: str = ""
    dump: str = ""
    input: str = ""
    grpc: str = ""
    u2: str = ""
    link: str = ""
    shell: str = ""
    window: str = ""
    display: str = ""
    ime: str = ""
    clock: str = ""
    disk: str = ""
    locale: str = ""
    boot: str = ""
    snapshot: str = ""
    bandwidth: int = 0
    """Bytes a second towards the host; 0 = no limit."""
    loads: int = 0
    """Snapshot loads after which the phone dies; 0 = never."""
    offline_after: int = 0
    """Commands after which the phone vanishes; 0 = never."""
    count: int = 0
    """How many times an armed fault fires before it clears; 0 = for ever."""
    plan: "FaultPlan | None" = None
    """Faults that come by themselves."""
    _limits: dict[str, _Limit] = field(default_factory=dict, init=False, repr=False)

    def arm(self, kind: str, value: str | int, times: int = 0, seconds: float | None = None) -> None:
        """Arm one of a kind, for so many firings or so long; "" or 0 disarms."""
        setattr(self, kind, value or (0 if kind in NUMBERS else ""))
        self._limits.pop(kind, None)
        if value and (times or seconds is not None):
            self._limits[kind] = _Limit(times, None if seconds is None else time.monotonic() + seconds)

    def expired(self) -> list[str]:
        """Kinds that are armed and whose time is over."""
        now = time.monotonic()
        return [kind for kind, limit in self._limits.items() if limit.until is not None and limit.until <= now]

    def fire(self, kind: str) -> str:
        """The armed fault of a kind, "" where none is; counts it as fired."""
        value = str(getattr(self, kind))
        limit = self._limits.get(kind)
        if value and limit is not None and limit.times:
            self.arm(kind, value if limit.times > 1 else "")
            if limit.times > 1:
                self._limits[kind] = limit._replace(times=limit.times - 1)
        elif value and self.count:
            self.count -= 1
            if not self.count:
                self.clear()
        return value

    def clear(self) -> None:
        """Disarm everything; a plan goes on."""
        self._limits.clear()
        for each in fields(self):
            if each.name not in ("plan", "_limits"):
                setattr(self, each.name, each.default)


@dataclass
class Latency:
    """Seconds the wire side waits before it answers; spent on the event loop, so it costs no CPU."""

    capture_s: float = 0.0
    input_s: float = 0.0
    dump_s: float = 0.0
    launch_s: float = 0.0
    grpc_s: float = 0.0
    """Of a screenshot by gRPC, which does not take `capture_s`."""
    u2_s: float = 0.0
    """Of a tree or a PNG by uiautomator2's server, which take neither `dump_s` nor `capture_s`."""
    link_s: float = 0.0
    """Before any service of ADB begins."""
    boot_s: float = 0.0
    """After a restart, until the system is up."""
