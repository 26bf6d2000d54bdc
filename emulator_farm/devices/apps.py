"""The apps of a phone: installed, wiped, and opened by what a model calls them: a component, a package, a human name.

Names of apps live in their resources, which adb does not show. So a name is looked up in a table of common apps, then
compared with the words of the installed launcher activities. A name that fits nothing is the agent's mistake, reported
as an outcome.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from rapidfuzz import fuzz

from emulator_farm.devices import sync
from emulator_farm.devices.dumpsys import Component, UnexpectedReply
from emulator_farm.devices.observation import Outcome
from emulator_farm.devices.replies import Launch, components, install_failure, launch, monkey_started, packages
from emulator_farm.devices.transport import Transport, shell_line

ALIASES: dict[str, tuple[str, ...]] = {
    "browser": ("com.android.chrome", "org.mozilla.firefox", "com.android.browser", "org.chromium.webview_shell"),
    "calculator": ("com.google.android.calculator", "com.android.calculator2", "com.simplemobiletools.calculator"),
    "calendar": ("com.google.android.calendar", "com.android.calendar", "com.simplemobiletools.calendar.pro"),
    "camera": ("com.android.camera2", "com.google.android.GoogleCamera", "com.android.camera"),
    "chrome": ("com.android.chrome",),
    "clock": ("com.google.android.deskclock", "com.android.deskclock"),
    "contacts": ("com.google.android.contacts", "com.android.contacts"),
    "dialer": ("com.google.android.dialer", "com.android.dialer"),
    "drive": ("com.google.android.apps.docs",),
    "email": ("com.google.android.gm", "com.android.email"),
    "files": (
        "com.google.android.documentsui",
        "com.android.documentsui",
        "com.google.android.apps.nbu.files",
        "com.simplemobiletools.filemanager.pro",
    ),
    "gallery": ("com.google.android.apps.photos", "com.android.gallery3d", "com.simplemobiletools.gallery.pro"),
    "gmail": ("com.google.android.gm",),
    "keep": ("com.google.android.keep",),
    "maps": ("com.google.android.apps.maps", "net.osmand"),
    "messages": (
        "com.google.android.apps.messaging",
        "com.android.messaging",
        "com.android.mms",
        "com.simplemobiletools.smsmessenger",
    ),
    "notes": ("com.google.android.keep", "net.gsantner.markor", "com.simplemobiletools.notes.pro"),
    "phone": ("com.google.android.dialer", "com.android.dialer"),
    "photos": ("com.google.android.apps.photos",),
    "play store": ("com.android.vending",),
    "recorder": ("com.google.android.apps.recorder", "com.dimowner.audiorecorder"),
    "settings": ("com.android.settings",),
    "timer": ("com.google.android.deskclock", "com.android.deskclock"),
    "youtube": ("com.google.android.youtube",),
}
"""Names in lower case to packages, the likeliest first."""

_SAME = {
    "alarm": "clock",
    "alarms": "clock",
    "address book": "contacts",
    "file manager": "files",
    "google chrome": "chrome",
    "google maps": "maps",
    "google play": "play store",
    "google play store": "play store",
    "mail": "email",
    "memo": "notes",
    "people": "contacts",
    "sms": "messages",
    "system settings": "settings",
    "web browser": "browser",
}
_NOT_TELLING = frozenset(
    (
        "com",
        "org",
        "net",
        "io",
        "de",
        "app",
        "apps",
        "android",
        "google",
        "mobile",
        "activity",
        "main",
        "launcher",
        "pro",
    )
)
_PACKAGE = re.compile(r"[A-Za-z]\w*(\.\w+)+")
_COMPONENT = re.compile(r"[A-Za-z][\w.]*/[\w.$]+")
_WORDS = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])\d*|\d+")
_FITS = 82.0
_AS_LAUNCHER = "0x10200000"
"""NEW_TASK and RESET_TASK_IF_NEEDED: what a launcher starts apps with."""
_APK = "/data/local/tmp/farm.apk"
_INSTALL_S = 180.0
_LIST = "cmd package query-activities --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER"


class _Match(NamedTuple):
    score: float
    component: Component


class Apps:
    """The apps of one phone."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._installed: list[Component] = []

    def open(self, name: str) -> Outcome:
        """Bring an app to the front as the launcher would. An app that is not there is a rejected outcome."""
        wanted = name.strip()
        if _COMPONENT.fullmatch(wanted):
            return self._start(Component.parse(wanted))
        component = self.find(wanted)
        if component is not None:
            return self._start(component)
        if _PACKAGE.fullmatch(wanted):
            return self._start_by_monkey(wanted)
        known = ", ".join(sorted({each.package for each in self._installed})) or "none"
        return Outcome("rejected", f"no app is called {name!r}; the launcher has: {known}")

    def launchable(self) -> list[Component]:
        """Every launcher activity; asked anew."""
        completed = self._transport.shell(_LIST)
        self._installed = components(completed.text) if completed.ok else []
        return self._installed

    def installed(self) -> list[str]:
        """Every installed package."""
        return packages(self._transport.run("pm list packages").text)

    def find(self, name: str) -> Component | None:
        """The launcher activity that a name or package means, None where none does."""
        if self._installed:
            found = best_match(name, self._installed)
            if found is not None:
                return found
        return best_match(name, self.launchable())

    def stop(self, package: str) -> None:
        """Stop an app; its data stays."""
        self._transport.run(["am", "force-stop", package])

    def clear(self, package: str) -> None:
        """Stop an app and wipe its data. Raises CommandFailed where it is not installed."""
        completed = self._transport.run(["pm", "clear", package])
        if "Success" not in completed.text:
            raise completed.failure(self._transport.serial)

    def install(self, apk: bytes) -> None:
        """Install or update an app with all permissions granted. Raises CommandFailed with the phone's code."""
        sync.push(self._transport, apk, _APK)
        completed = self._transport.shell(["pm", "install", "-r", "-t", "-g", _APK], _INSTALL_S)
        self._transport.shell(["rm", "-f", _APK])
        if install_failure(completed.said) is not None:
            raise completed.failure(self._transport.serial)

    def _start(self, component: Component) -> Outcome:
        words = ["am", "start", "-n", str(component), "-a", "android.intent.action.MAIN"]
        words += ["-c", "android.intent.category.LAUNCHER", "-f", _AS_LAUNCHER]
        command = shell_line(words)
        completed = self._transport.shell(command)
        try:
            result = launch(completed.said)
        except UnexpectedReply as error:
            result = Launch(False, str(error))
        return Outcome("ok" if result.started else "rejected", result.detail, command)

    def _start_by_monkey(self, package: str) -> Outcome:
        """For phones that cannot list activities (before Android 7)."""
        command = shell_line(["monkey", "-p", package, "-c", "android.intent.category.LAUNCHER", "1"])
        completed = self._transport.shell(command)
        if monkey_started(completed.said):
            return Outcome("ok", "started", command)
        return Outcome("rejected", f"{package} is not installed or has no launcher activity", command)


def best_match(name: str, installed: list[Component]) -> Component | None:
    """The launcher activity among `installed` that `name` means: by package, by alias, then by likeness of words."""
    by_package = {component.package: component for component in reversed(installed)}
    if name in by_package:
        return by_package[name]
    if _PACKAGE.fullmatch(name):
        return None
    plain = _plain(name)
    for package in ALIASES.get(_SAME.get(plain, plain), ()):
        if package in by_package:
            return by_package[package]
    scored = [_Match(_likeness(plain, component), component) for component in installed]
    best = max(scored, key=lambda match: (match.score, -len(match.component.package)), default=None)
    return best.component if best and best.score >= _FITS else None


def _plain(name: str) -> str:
    words = re.sub(r"[^\w]+", " ", name.casefold()).split()
    if len(words) > 1 and words[-1] in ("app", "application"):
        words.pop()
    return " ".join(word for word in words if word != "the") or name.casefold()


def _likeness(plain: str, component: Component) -> float:
    """0 to 100: the name against each telling word of the component, and against runs of them."""
    words = [part for segment in component.package.split(".") for part in _WORDS.findall(segment)]
    words += _WORDS.findall(component.activity.rpartition(".")[2].removesuffix("Activity"))
    telling = list(dict.fromkeys(word.casefold() for word in words if word.casefold() not in _NOT_TELLING))
    squeezed = plain.replace(" ", "")
    candidates = telling + [a + b for a, b in pairwise(telling)]
    return max((fuzz.ratio(squeezed, candidate) for candidate in candidates), default=0.0)
