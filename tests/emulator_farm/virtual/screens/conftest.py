"""A phone in the hand: time stands still until moved, nodes of the UI tree are found and tapped by what they say."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from emulator_farm.virtual.clock import Clock
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.widgets import Widget

START = datetime(2026, 10, 15, 15, 34, tzinfo=UTC)


@dataclass(frozen=True)
class Node:
    """One node of the UI tree."""

    text: str
    desc: str
    id: str
    view: str
    bounds: tuple[int, int, int, int]
    attributes: dict[str, str]

    @property
    def center(self) -> tuple[int, int]:
        left, top, right, bottom = self.bounds
        return (left + right) // 2, (top + bottom) // 2

    def flag(self, name: str) -> bool:
        return self.attributes[name] == "true"


class Hand:
    """A phone and somebody who holds it."""

    def __init__(self, width: int = 1080, height: int = 2400, density: int = 420, seed: int = 0) -> None:
        self.seconds = 1000.0
        self.phone = Phone("virtual-7", width, height, density, seed, clock=Clock(START, lambda: self.seconds))

    def wait(self, seconds: float) -> None:
        self.seconds += seconds

    def open(self, package: str) -> None:
        assert self.phone.start_activity(Intent(package=package)).kind != "not_found"

    def page(self, action: str, data: str = "") -> None:
        assert self.phone.start_activity(Intent("android.settings." + action, data=data)).kind == "started"

    def push(self, build: Callable[[], Widget]) -> Screen:
        """Put a screen with this tree in front."""

        class Own(Screen):
            activity = ".Own"

            def build(self) -> Widget:
                return build()

        screen = Own(self.phone.system, "org.example.own", Intent())
        self.phone.system.tasks.push(screen)
        return screen

    def nodes(self) -> list[Node]:
        found = []
        for element in ET.fromstring(self.phone.hierarchy()).iter("node"):
            numbers = [int(number) for number in re.findall(r"-?\d+", element.attrib["bounds"])]
            get = element.attrib
            bounds = (numbers[0], numbers[1], numbers[2], numbers[3])
            found.append(Node(get["text"], get["content-desc"], get["resource-id"], get["class"], bounds, dict(get)))
        return found

    def find_all(self, text: str | None = None, desc: str | None = None, id: str | None = None) -> list[Node]:
        return [
            node
            for node in self.nodes()
            if (text is None or node.text == text)
            and (desc is None or node.desc == desc)
            and (id is None or node.id.endswith(f"id/{id}"))
        ]

    def find(self, text: str | None = None, desc: str | None = None, id: str | None = None) -> Node:
        found = self.find_all(text, desc, id)
        assert found, f"no node with {text=} {desc=} {id=}; texts: {self.texts()}"
        return found[0]

    def see(self, text: str | None = None, desc: str | None = None, id: str | None = None) -> bool:
        return bool(self.find_all(text, desc, id))

    def tap(self, text: str | None = None, desc: str | None = None, id: str | None = None) -> None:
        self.phone.tap(*self.find(text, desc, id).center)
        self.wait(1)

    def hold(self, text: str | None = None, desc: str | None = None, id: str | None = None) -> None:
        x, y = self.find(text, desc, id).center
        self.phone.swipe(x, y, x, y, 800)

    def texts(self) -> list[str]:
        return [node.text for node in self.nodes() if node.text]

    def row(self, title: str) -> Node:
        """The switch in the row with this title."""
        y = self.find(text=title).center[1]
        return min(self.find_all(id="switch_widget"), key=lambda node: abs(node.center[1] - y))

    def scroll_to(self, text: str) -> None:
        for _ in range(12):
            if self.see(text=text):
                return
            width, height = self.phone.screen_size
            self.phone.swipe(width // 2, height * 3 // 4, width // 2, height * 2 // 5, 300)
        raise AssertionError(f"{text!r} is on no part of the page")

    def key(self, *codes: int) -> None:
        for code in codes:
            self.phone.key(code)


BACK, HOME, RECENTS, ENTER = 4, 3, 187, 66


@pytest.fixture
def hand() -> Hand:
    """A fresh 1080x2400 phone at 420 dpi."""
    return Hand()


@pytest.fixture(scope="session")
def make_hand() -> type[Hand]:
    """Phones of other sizes."""
    return Hand
