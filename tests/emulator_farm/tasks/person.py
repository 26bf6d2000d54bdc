"""Someone who plays a task as a person would: by the words on the screen, one action at a time."""

from __future__ import annotations

from collections.abc import Callable

from agent_server.actions import Action, Answer, Click, Finished, LongPress, OpenApp, Press, Scroll, Type
from agent_server.geometry import Point
from agent_server.ui_tree import Node, UiTree, parse_ui_tree
from emulator_farm.devices.device import Device
from emulator_farm.episode import End
from emulator_farm.tasks.checks import Evidence

_MOST_SCROLLS = 8


class Lost(AssertionError):
    """What was looked for is not on the screen."""


class Person:
    """Counts its actions in `steps`; what it said is in `evidence`."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.steps = 0
        self._answer: str | None = None
        self._ended: End = "step_limit"

    @property
    def evidence(self) -> Evidence:
        return Evidence(self._answer, self._ended)

    def do(self, action: Action) -> None:
        outcome = self.device.perform(action)
        assert outcome.status != "rejected", outcome.detail
        self.steps += 1

    # -- looking

    def look(self) -> UiTree:
        source = self.device.screen.tree().ui_tree  # no picture: who plays reads words only
        assert source is not None
        return parse_ui_tree(source)

    def texts(self) -> list[str]:
        """Every text on the screen, from top to bottom."""
        nodes = sorted((node for node in self.look() if node.bounds.area), key=lambda node: node.bounds.top)
        return [node.label for node in nodes if node.label]

    def see(self, label: str) -> Node | None:
        """The element with this label, exactly; an element that can be used before one that cannot."""
        found = [node for node in self.look() if node.bounds.area and label in (node.text, node.content_desc)]
        return min(found, key=lambda node: not node.clickable, default=None)

    def find(self, label: str) -> Node:
        """As `see`, scrolling down until it is there."""
        for _ in range(_MOST_SCROLLS):
            node = self.see(label)
            if node is not None:
                return node
            self.do(Scroll(direction="down"))
        raise Lost(f"{label!r} is nowhere; the screen shows {self.texts()}")

    def first(self, fits: Callable[[Node], bool], what: str) -> Node:
        """The first element that fits."""
        for node in self.look():
            if node.bounds.area and fits(node):
                return node
        raise Lost(f"no {what}; the screen shows {self.texts()}")

    def field(self, label: str = "") -> Node:
        """The text field with this hint or text, or the only one."""

        def fits(node: Node) -> bool:
            return node.editable and label in (node.text, node.content_desc, node.attributes.get("hint"), "")

        return self.first(fits, f"field {label!r}")

    def beside(self, label: str, class_name: str) -> Node:
        """The element of a class in the row of a label."""
        row = self.find(label).bounds
        middle = (row.top + row.bottom) // 2

        def fits(node: Node) -> bool:
            return node.class_name.endswith(class_name) and node.bounds.top <= middle < node.bounds.bottom

        return self.first(fits, f"{class_name} beside {label!r}")

    # -- acting

    def open(self, app: str) -> None:
        self.do(OpenApp(app=app))

    def tap(self, target: str | Node) -> None:
        """Tap what has this label, scrolling down to it."""
        node = self.find(target) if isinstance(target, str) else target
        self.do(Click(point=node.bounds.centre))

    def hold(self, label: str) -> None:
        """Press what has this label for long."""
        self.do(LongPress(point=self.find(label).bounds.centre))

    def pull_shade(self) -> None:
        """Pull the notifications down from the upper edge."""
        screen = self.device.observe(ui_tree=False).size
        top = Point(screen.width // 2, 4)
        self.do(Scroll(direction="up", start=top, end=Point(top.x, screen.height // 2)))

    def go(self, *labels: str) -> None:
        """Tap one after the other."""
        for label in labels:
            self.tap(label)

    def switch(self, label: str, on: bool) -> None:
        """Flip the switch in the row of a label if it is not so already."""
        if self.beside(label, "Switch").checked != on:
            self.tap(label)

    def slide(self, node: Node, share: float) -> None:
        """Tap a slider at a share of its length."""
        inner = node.bounds.width - 1
        self.do(Click(point=Point(node.bounds.left + round(inner * share), node.bounds.centre.y)))

    def enter(self, field: str | Node, text: str) -> None:
        """Tap a field and type."""
        self.tap(self.field(field) if isinstance(field, str) else field)
        self.type(text)

    def type(self, text: str) -> None:
        self.do(Type(text=text))

    def erase(self, count: int) -> None:
        """Press delete so many times."""
        for _ in range(count):
            self.do(Press(key="delete"))

    def tap_end(self, field: Node) -> None:
        """Tap the lower right corner of a field, which puts the caret behind its text."""
        self.do(Click(point=Point(field.bounds.right - 1, field.bounds.bottom - 1)))

    # -- ending

    def finish(self) -> None:
        self.do(Finished())
        self._ended = "finished"

    def give_up(self) -> None:
        self.do(Finished(status="infeasible"))
        self._ended = "infeasible"

    def answer(self, text: str) -> None:
        self.do(Answer(text=text))
        self._answer = text
        self.finish()
