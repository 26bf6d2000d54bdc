"""Typing: texts of many scripts, and such that would mean something to a shell, read back from the screen."""

from __future__ import annotations

from functools import partial

from agent_server.actions import Type
from emulator_farm.certify.fields import LINES, ONE_LINE, open_field, written
from emulator_farm.certify.probe import Failed, Probe, require
from emulator_farm.devices.device import Device

_TEXTS = {
    "latin": "The quick brown fox, 0123456789.",
    "accents": "Žluťoučký kůň æøå ß ğ ñ",
    "chinese": "你好，世界。汉字输入",
    "arabic": "مرحبا بالعالم",
    "emoji": "ok 😀 👍🏽 👩‍👩‍👧 🇩🇪",
    "quotes": "'single' \"double\" `back` «angle» „low“",
    "shell": "$(id) `id` ; rm -rf / && echo $HOME | cat > x < y * ? ~ ! # % %s \\n \\ {a,b} [c]",
    "markup": "<b>&amp; &lt; ]]> --",
    "long": "0123456789 中文 " * 60,
}
_LINES = "first\nsecond\n\nfourth"


def _typed(device: Device, text: str, openers: tuple[str, ...]) -> str:
    with open_field(device, openers):
        outcome = device.perform(Type(text=text))
        require(outcome.status == "ok", f"{outcome.status}: {outcome.detail}")
        found = written(device)
    if found.rstrip() == text.rstrip():
        return repr(_short(found))
    if found.rstrip() == _dotted(text).rstrip():
        return f"{_short(found)!r}: this phone's UI tree shows dots for characters beyond U+FFFF"
    raise Failed(f"the field holds {_short(found)!r}")


def _dotted(text: str) -> str:
    """As uiautomator's dump writes it on many phones: each half of a surrogate pair as a dot."""
    return "".join(".." if ord(char) > 0xFFFF else char for char in text)


def _short(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:99]}…"


TEXTS = (
    *(
        Probe(f"typing.{name}", f"the field holds {_short(text)!r}", partial(_typed, text=text, openers=ONE_LINE))
        for name, text in _TEXTS.items()
    ),
    Probe("typing.newlines", f"the field holds {_LINES!r}", partial(_typed, text=_LINES, openers=LINES)),
)
