"""Text fields of apps that every phone has, opened by intents, used, and left empty."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from agent_server.actions import Click
from agent_server.geometry import Point
from agent_server.ui_tree import Node
from emulator_farm.certify.probe import NotApplicable, field_of, look
from emulator_farm.devices.device import Device

ONE_LINE = ("am start -a android.settings.APP_SEARCH_SETTINGS",)
LINES = ("am start -a android.intent.action.SENDTO -d smsto:5550199",)
"""The field of a new text message; nothing is sent."""


@contextmanager
def open_field(device: Device, openers: tuple[str, ...]) -> Iterator[None]:
    """An empty text field that has the focus; emptied afterwards, its app stopped. Raises NotApplicable."""
    device.keyboard.ensure()
    app = None
    try:
        app = _open(device, openers)
        device.keyboard.clear_text()
        yield
    finally:
        if app is not None:
            device.keyboard.clear_text()
            device.go_home()
            device.force_stop(app)


def _open(device: Device, openers: tuple[str, ...]) -> str | None:
    for opener in openers:
        device.go_home()
        if not device.transport.shell(opener).ok:
            continue
        device.screen.acted()
        observation, tree = look(device)
        found = field_of(tree)
        if found is None:
            continue
        if not found.focused:
            device.perform(Click(point=middle(found)))
            device.observe()
        return observation.app
    raise NotApplicable("no app of this phone shows a text field for " + " or ".join(openers))


def middle(node: Node) -> Point:
    """The pixel in the middle of a node."""
    left, top, right, bottom = node.bounds
    return Point((left + right) // 2, (top + bottom) // 2)


def start_of(node: Node) -> Point:
    """A pixel in the first letters of a field: a little right of its padding, half way down."""
    left, top, right, bottom = node.bounds
    return Point(left + min((bottom - top) // 2, (right - left) // 4), (top + bottom) // 2)


def written(device: Device) -> str:
    """What the field holds; its hint where it is empty."""
    found = field_of(look(device)[1])
    return "" if found is None else found.text
