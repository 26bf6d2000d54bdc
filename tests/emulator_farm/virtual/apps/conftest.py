"""A phone at the other end of a real adb server: nodes of its dump are tapped at the centre of their bounds."""

import re
import shlex
import xml.etree.ElementTree as ET
from dataclasses import dataclass

import pytest

START = "2026-10-15 15:34:00"
"""What the phone's clock is set to before it is made new, so that nothing depends on the day of the test."""


@dataclass(frozen=True)
class Node:
    """One node of the UI tree."""

    attributes: dict[str, str]

    @property
    def text(self) -> str:
        return self.attributes["text"]

    @property
    def bounds(self) -> tuple[int, int, int, int]:
        left, top, right, bottom = (int(number) for number in re.findall(r"-?\d+", self.attributes["bounds"]))
        return left, top, right, bottom

    @property
    def center(self) -> tuple[int, int]:
        left, top, right, bottom = self.bounds
        return (left + right) // 2, (top + bottom) // 2


class Thumb:
    """Somebody who sees dumps and has one thumb. Everything goes through `adb shell`."""

    def __init__(self, wired) -> None:
        self.wired = wired
        self._device = wired.device()

    def shell(self, *words: str) -> str:
        """Standard output of a command without its last newline; it must succeed."""
        reply = self._device.shell2(shlex.join(words), timeout=60)
        assert reply.returncode == 0, (words, reply.output)
        return reply.output.rstrip("\n")

    def script(self, script: str) -> str:
        """Output of a shell script as it stands."""
        return self._device.shell2(script, timeout=60).output.rstrip("\n")

    def query(self, uri: str, projection: str, where: str = "", sort: str = "") -> list[str]:
        """Rows as `content query` prints them, without `Row: N `."""
        words = ["content", "query", "--uri", uri, "--projection", projection]
        words += ["--where", where] if where else []
        words += ["--sort", sort] if sort else []
        return [line.split(" ", 2)[2] for line in self.shell(*words).splitlines() if line.startswith("Row: ")]

    def open(self, package: str) -> None:
        self.shell("monkey", "-p", package, "-c", "android.intent.category.LAUNCHER", "1")
        assert package in self.shell("dumpsys", "activity", "activities")

    def nodes(self) -> list[Node]:
        xml = self.script("uiautomator dump /dev/tty")
        return [Node(dict(each.attrib)) for each in ET.fromstring(xml.rpartition("UI hier")[0]).iter("node")]

    def find_all(self, text: str = "", desc: str = "", id: str = "") -> list[Node]:
        return [
            node
            for node in self.nodes()
            if (not text or node.text == text)
            and (not desc or node.attributes["content-desc"] == desc)
            and (not id or node.attributes["resource-id"].endswith(f"id/{id}"))
        ]

    def find(self, text: str = "", desc: str = "", id: str = "") -> Node:
        found = self.find_all(text, desc, id)
        assert found, f"no node with {text=} {desc=} {id=}; texts: {self.texts()}"
        return found[0]

    def sees(self, text: str = "", desc: str = "", id: str = "") -> bool:
        return bool(self.find_all(text, desc, id))

    def texts(self, id: str = "") -> list[str]:
        return [node.text for node in self.find_all(id=id) if node.text]

    def tap(self, text: str = "", desc: str = "", id: str = "") -> None:
        x, y = self.find(text, desc, id).center
        self.shell("input", "tap", str(x), str(y))

    def hold(self, text: str = "", desc: str = "", id: str = "") -> None:
        x, y = map(str, self.find(text, desc, id).center)
        self.shell("input", "swipe", x, y, x, y, "900")

    def type(self, text: str) -> None:
        self.shell("input", "text", text.replace(" ", "%s"))

    def back(self, times: int = 1) -> None:
        for _ in range(times):
            self.shell("input", "keyevent", "BACK")

    def scroll_to(self, text: str) -> Node:
        for _ in range(12):
            found = self.find_all(text=text)
            if found:
                return found[0]
            self.shell("input", "swipe", "540", "1700", "540", "900", "300")
        raise AssertionError(f"{text!r} is on no part of the page; the last: {self.texts()}")

    def root(self) -> None:
        """Restart adbd as root, which may read app data."""
        self.wired("root")
        self.wired("wait-for-device")
        self.wired.adb.wait(lambda: self.wired.shell("id -u").out.strip() == "0")


@pytest.fixture
def thumb(wired) -> Thumb:
    """A fresh phone, its clock at 2026-10-15 15:34 UTC."""
    thumb = Thumb(wired)
    thumb.root()
    thumb.shell("date", "-s", START)
    thumb.shell("vphone", "reset")
    return thumb
