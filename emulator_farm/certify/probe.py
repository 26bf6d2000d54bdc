"""One check as it is written down: a name, what is expected, and a function that says what it saw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from agent_server.ui_tree import Node, UiTree, parse_ui_tree
from emulator_farm.devices.device import Device
from emulator_farm.devices.observation import Observation


class Failed(Exception):
    """Something else was seen than expected; the text says what."""


class NotApplicable(Exception):
    """This phone has nothing to check here; the text says why."""


@dataclass(frozen=True)
class Seen:
    """What was as expected, in words and figures."""

    text: str
    figures: dict[str, float] = field(default_factory=dict)


Run = Callable[[Device], Seen | str]


@dataclass(frozen=True)
class Probe:
    """`run` raises Failed, NotApplicable or a FarmError; after `deadline_s` seconds its phone is taken away."""

    name: str
    expected: str
    run: Run
    deadline_s: float = 60.0


def look(device: Device) -> tuple[Observation, UiTree]:
    """The screen at rest. Raises Failed where there is no tree."""
    observation = device.observe()
    if observation.ui_tree is None:
        raise Failed(f"no UI tree of {observation.window}: {', '.join(observation.flags)}")
    return observation, parse_ui_tree(observation.ui_tree)


def field_of(tree: UiTree) -> Node | None:
    """The text field that has the focus, else the first."""
    fields = [node for node in tree if node.editable]
    return next((node for node in fields if node.focused), fields[0] if fields else None)


def require(holds: bool, otherwise: str) -> None:
    """Raise Failed unless it holds."""
    if not holds:
        raise Failed(otherwise)
