"""The intent options that `am`, `pm` and `cmd package` share, and how Android prints an intent."""

import re
from dataclasses import dataclass, field

from emulator_farm.virtual.intents import Component, Intent

from .arguments import Words, java_error

MAIN = "android.intent.action.MAIN"
VIEW = "android.intent.action.VIEW"
LAUNCHER = "android.intent.category.LAUNCHER"

TEXT_EXTRAS = frozenset({"-e", "--es", "--ei", "--ez", "--el", "--ef", "--ed", "--eu", "--ecn"})
ARRAY_EXTRAS = frozenset(
    {"--eia", "--eial", "--ela", "--elal", "--efa", "--efal", "--esa", "--esal", "--eda", "--edal"}
)
FLAG_WORDS = {
    "--activity-brought-to-front": 0x00400000, "--activity-clear-top": 0x04000000, "--activity-clear-task": 0x00008000,
    "--activity-no-history": 0x40000000, "--activity-single-top": 0x20000000, "--activity-reorder-to-front": 0x00020000,
    "--include-stopped-packages": 0x20, "--exclude-stopped-packages": 0x10, "--grant-read-uri-permission": 0x1,
    "--receiver-foreground": 0x10000000, "--activity-task-on-home": 0x4000, "--activity-multiple-task": 0x08000000,
}  # fmt: skip


@dataclass
class IntentBuilder:
    """Collects intent options; `flags` is not part of what apps see."""

    action: str = ""
    data: str = ""
    mime_type: str = ""
    package: str = ""
    component: Component | None = None
    categories: list[str] = field(default_factory=list)
    extras: dict[str, str] = field(default_factory=dict)
    flags: int = 0

    def take(self, option: str, words: Words) -> bool:
        """Use one option and its values; False where it is none of an intent's."""
        match option:
            case "-a":
                self.action = words.required()
            case "-d":
                self.data = words.required()
            case "-t":
                self.mime_type = words.required()
            case "-p":
                self.package = words.required()
            case "-c":
                self.categories.append(words.required())
            case "-n":
                self.component = component(words.command, words.required())
            case "-f":
                self.flags |= _integer(words, words.required())
            case _ if option in TEXT_EXTRAS:
                key, value = words.required(), words.required()
                self.extras[key] = _extra(option, value, words)
            case _ if option in ARRAY_EXTRAS:
                key = words.required()
                self.extras[key] = words.required()
            case "--esn":
                self.extras[words.required()] = ""
            case _ if option in FLAG_WORDS:
                self.flags |= FLAG_WORDS[option]
            case "-i" | "--selector":
                words.optional()
            case _:
                return False
        return True

    def take_target(self, text: str, command: str) -> None:
        """The word after the options: a URI, a component or a package."""
        if ":" in text:
            self.data = text
            self.action = self.action or VIEW
        elif "/" in text:
            self.component = component(command, text)
            self._default_to_launcher()
        else:
            self.package = text
            self._default_to_launcher()

    def _default_to_launcher(self) -> None:
        if not self.action:
            self.action = MAIN
            self.categories = self.categories or [LAUNCHER]

    def build(self) -> Intent:
        """The intent as the phone takes it."""
        return Intent(
            self.action,
            self.data,
            self.mime_type,
            self.package,
            self.component,
            tuple(self.categories),
            dict(self.extras),
        )

    def describe(self, extra_flags: int = 0) -> str:
        """`Intent { act=… cmp=… }` as `am` prints it."""
        flags = self.flags | extra_flags
        fields = [
            f"act={self.action}" if self.action else "",
            f"cat=[{','.join(self.categories)}]" if self.categories else "",
            f"dat={_safe_uri(self.data)}" if self.data else "",
            f"typ={self.mime_type}" if self.mime_type else "",
            f"flg=0x{flags:x}" if flags else "",
            f"pkg={self.package}" if self.package else "",
            f"cmp={self.component.short}" if self.component else "",
            "(has extras)" if self.extras else "",
        ]
        return "Intent { " + " ".join(part for part in fields if part) + " }"


def component(command: str, text: str) -> Component:
    """Parse `package/class`; raises the system's exception."""
    try:
        return Component.parse(text)
    except ValueError:
        raise java_error(command, f"java.lang.IllegalArgumentException: Bad component name: {text}") from None


def _integer(words: Words, text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise java_error(words.command, f'java.lang.NumberFormatException: For input string: "{text}"') from None


def _extra(option: str, value: str, words: Words) -> str:
    if option == "--ez":
        if value.lower() in ("true", "t", "1"):
            return "true"
        if value.lower() in ("false", "f", "0"):
            return "false"
        raise java_error(words.command, f"java.lang.IllegalArgumentException: Invalid boolean value: {value}")
    if option in ("--ei", "--el"):
        return str(_integer(words, value))
    return value


def _safe_uri(uri: str) -> str:
    """What Android shows of a URI in a log: no path of web addresses, no digits of phone numbers."""
    scheme, colon, rest = uri.partition(":")
    if scheme in ("tel", "sip", "sms", "smsto", "mailto", "nfc"):
        return scheme + colon + re.sub(r"[^-@.]", "x", rest)
    if scheme in ("http", "https", "ftp", "rtsp", "content") and rest.startswith("//"):
        host, slash, _ = rest[2:].partition("/")
        return f"{scheme}://{host}{slash}..." if slash else uri
    return uri
