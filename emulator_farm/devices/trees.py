"""The ways by which a UI tree can come: `uiautomator dump`, which every phone has, and uiautomator2's server.

The two exclude each other on a phone. The server answers much faster, but does not wait until the screen is at rest, as
the dump does; pictures are watched for that instead. So it is only tried where the dump takes longer than that would.
"""

from __future__ import annotations

import time
from typing import Protocol
from xml.etree import ElementTree

from emulator_farm.devices.channels import ChannelFailed, ChannelReport

TRIES = 3
_REPEATS = 3
REFERENCE = "uiautomator"


class TreeChannel(Protocol):
    """A way to a tree beside `uiautomator dump`."""

    @property
    def name(self) -> str: ...

    def dump(self, package: str | None) -> str:
        """What `uiautomator dump` would write of the window of `package`. Raises ChannelFailed, and DeviceErrors."""
        ...


def same_tree(one: str, other: str) -> bool:
    """Whether two trees say the same, however they are written."""
    try:
        trees = [ElementTree.canonicalize(xml, strip_text=True) for xml in (one, other)]
    except ElementTree.ParseError:
        return False
    return trees[0] == trees[1]


def measure(channel: TreeChannel, package: str | None, truth: str, rest_ms: float) -> ChannelReport:
    """Whether a channel gives the same tree, and milliseconds until it does so of a screen at rest."""
    times = []
    try:
        for attempt in range(TRIES):
            if same_tree(channel.dump(package), truth):
                break
            if attempt + 1 == TRIES:
                return ChannelReport(channel.name, None, False, f"gives another tree than `{REFERENCE} dump`")
        for _ in range(_REPEATS):
            began = time.perf_counter()
            channel.dump(package)
            times.append((time.perf_counter() - began) * 1000)
    except ChannelFailed as failure:
        return ChannelReport(channel.name, None, False, str(failure))
    return ChannelReport(channel.name, sorted(times)[len(times) // 2] + rest_ms, True)
