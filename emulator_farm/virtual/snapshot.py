"""The whole state of a phone at one moment, taken and put back in memory.

A snapshot holds everything that is stored and everything that is open: settings, providers, files, packages, the clock,
tasks with their screens, dialogs, scroll positions and half-typed fields, the keyboard and the clipboard. What belongs
to the phone's owner is no part of it: its serial number and seed, armed faults, latencies, and connections. A finger
that is down is lifted.
"""

import time
from dataclasses import dataclass, field, fields

from . import rootfs
from .faults import Faults, Latency
from .files import FileTree
from .graph import NotState, Outside, Rebuilding, Record, flatten
from .packages import Packages
from .phone import Phone
from .system import System

OUTSIDE: Outside = {
    Phone: frozenset(("serial", "seed", "faults", "latency", "parts", "recent_input")),
    System: frozenset(("serial", "apps", "version")),
    FileTree: frozenset(("now", "capacity")),
    Packages: frozenset(("_shipped",)),
    **{kind: frozenset(field.name for field in fields(kind)) for kind in (Faults, Latency)},
}
"""What is no part of a snapshot: what belongs to the phone's owner, what no phone changes, what is counted anew."""


@dataclass(frozen=True)
class Snapshot:
    """One saved state. `panel` is what the display of the phone is: width, height, dpi."""

    panel: tuple[int, int, int]
    records: list[Record] = field(repr=False)
    taken_at: float = field(default_factory=time.time)
    """Seconds since 1970 on the host's clock."""


class WrongPhone(ValueError):
    """A snapshot was to be put on a phone that cannot take it on."""


def take(phone: Phone) -> Snapshot:
    """The state of a phone now. Raises NotState where something on it cannot be saved, which is a fault of the app."""
    panel = (phone.physical_width, phone.physical_height, phone.physical_density)
    return Snapshot(panel, flatten(phone.parts, OUTSIDE))


def put(phone: Phone, snapshot: Snapshot) -> None:
    """Make a phone what another, or itself, was. Raises WrongPhone, and then the phone is as it was.

    The kernel's boot id is a new one each time: a phone that jumped to another state is not in the same life.
    """
    panel = (phone.physical_width, phone.physical_height, phone.physical_density)
    if panel != snapshot.panel:
        raise WrongPhone(f"the snapshot is of a panel of {snapshot.panel}, this phone has one of {panel}")
    try:
        rebuilding = Rebuilding(snapshot.records, phone.parts, OUTSIDE)
    except NotState as error:
        raise WrongPhone(str(error)) from error
    rebuilding.fill()
    rootfs.boot(phone.files)
    phone.invalidate()
