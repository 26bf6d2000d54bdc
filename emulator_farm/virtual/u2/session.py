"""What the server knows between calls: the tree of the moment, objects handed out by name, the last toast seen."""

import uuid
from collections.abc import Callable
from typing import Any

from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.scene import Scene
from emulator_farm.virtual.widgets import TextField

from .errors import ObjectNotFound
from .nodes import Node, read, write
from .selector import Selector, compound_find, find

CONFIGURATOR = {
    "actionAcknowledgmentTimeout": 500,
    "keyInjectionDelay": 0,
    "scrollAcknowledgmentTimeout": 200,
    "uiAutomationFlags": 0,
    "waitForIdleTimeout": 0,
    "waitForSelectorTimeout": 0,
}


class Session:
    """One run of the server. Everything here belongs on the phone's thread."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.objects: dict[str, Selector] = {}
        self.configurator = dict(CONFIGURATOR)
        self._seen_toasts = phone.system.toasts
        self._tree: tuple[Scene, Node] | None = None

    def root(self) -> Node:
        """The root of the active window."""
        scene = self.phone.scene()
        if self._tree is None or self._tree[0] is not scene:
            self._tree = (scene, read(self.phone.hierarchy()))
        return self._tree[1]

    def dump(self, compressed: bool, depth: int) -> str:
        """The tree as XML."""
        boxes = self.phone.scene().active.root.walk()
        hints = {box.visible: box.widget.hint for box in boxes if isinstance(box.widget, TextField)}
        return write(self.root(), self.phone.rotation, hints, compressed, depth)

    def selector(self, target: object) -> Selector:
        """A selector as JSON, or the name of an object handed out before. Raises ObjectNotFound, BadParameters."""
        if not isinstance(target, str):
            return Selector.parse(target)
        if target not in self.objects:
            raise ObjectNotFound(f"UiObject {target} not found!")
        return self.objects[target]

    def look(self, target: object) -> Node | None:
        """The view that a target selects now, or None."""
        return find(self.root(), self.selector(target))

    def need(self, target: object) -> Node:
        """The view that a target selects now. Raises ObjectNotFound."""
        return self.find(self.selector(target))

    def find(self, selector: Selector) -> Node:
        """The view that a selector selects now. Raises ObjectNotFound."""
        node = find(self.root(), selector)
        if node is None:
            raise ObjectNotFound(selector)
        return node

    def every(self, selector: Selector) -> list[Node]:
        """All instances of a selector's last step; with an instance given, that one alone."""
        if selector.steps[-1].instance is not None:
            node = compound_find(self.root(), selector)
            return [node] if node is not None else []
        found: list[Node] = []
        while (node := compound_find(self.root(), selector.nth(len(found)))) is not None:
            found.append(node)
        return found

    def remember(self, selector: Selector) -> str:
        """Hand out a name for a selector."""
        name = str(uuid.uuid4())
        self.objects[name] = selector
        return name

    def last_toast(self) -> str | None:
        """The latest toast since the server started or the memory of it was cleared."""
        system = self.phone.system
        return system.toast_text if system.toasts > self._seen_toasts else None

    def forget_toast(self) -> None:
        """Clear the memory of toasts."""
        self._seen_toasts = self.phone.system.toasts


Method = Callable[[Session, list[Any]], Any]
"""One method of the server: parameters in, JSON out. Raises RpcError."""
