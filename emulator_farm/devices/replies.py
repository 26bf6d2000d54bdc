"""What `am`, `pm`, `ime`, `content`, `settings`, `uiautomator` and adb itself print, read. Pure functions over text.

Exit codes of these commands say little: `am start` of a missing activity and `uiautomator dump` of a moving screen both
end with 0. The words decide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from emulator_farm.devices.dumpsys import Component, UnexpectedReply

Row = dict[str, str | None]
"""One row of a content provider; SQL's NULL is None."""

_ROW = re.compile(r"^Row: \d+ ", re.MULTILINE)
_COLUMN = re.compile(r"(?:^|, )([A-Za-z_]\w*)=")
_PROPERTY = re.compile(r"^\[([^\]\n]+)\]: \[(.*?)\]$", re.MULTILINE | re.DOTALL)
_COMPONENT_LINE = re.compile(r"^\s*([A-Za-z][\w.]*/[\w.$]+)\s*$", re.MULTILINE)
_NOT_STARTED = re.compile(r"^(Error type \d+|Error: .*|.*Exception.*|.*Permission Denial.*)$", re.MULTILINE)
_TASK_NAME = re.compile(r"\bA=(?:\d+:)?(\w+\.[\w.]+)|\bI=([\w.]+)/")
_DUMP_END = "</hierarchy>"
_DUMP_EMPTY = re.compile(r"<hierarchy[^<>]*(/>|>\s*</hierarchy>)")


@dataclass(frozen=True)
class Launch:
    """What `am start` made of an intent. `slow` means that it gave up waiting for the first frame (`-W`)."""

    started: bool
    detail: str
    slow: bool = False


class RecentTask(NamedTuple):
    """One of the open apps: the number of its task, and its package."""

    number: int
    package: str


class UiDumpFailed(Exception):
    """`uiautomator dump` wrote no hierarchy; each `reason` may pass if tried again."""

    def __init__(self, reason: Literal["not_idle", "null_root", "truncated", "other"], text: str) -> None:
        self.reason = reason
        super().__init__(" ".join(text.split())[:200] or "nothing was written")


def device_list(text: str) -> list[tuple[str, str]]:
    """Serial and state out of `adb devices`, with or without `-l`."""
    fields = (line.split() for line in text.splitlines() if not line.startswith(("List of devices", "* ")))
    return [(words[0], words[1]) for words in fields if len(words) >= 2]


def properties(text: str) -> dict[str, str]:
    """`getprop` without arguments; values may span lines."""
    return dict(_PROPERTY.findall(text))


def launch(text: str) -> Launch:
    """`am start`. Bringing a running app to the front is a success, a first line `Starting: …` is not yet one."""
    failure = _NOT_STARTED.findall(text)
    if failure:
        return Launch(False, failure[-1].strip())
    if "Starting:" not in text:
        raise UnexpectedReply("the report of am start", text)
    warning = re.search(r"^Warning: (.*)$", text, re.MULTILINE)
    return Launch(True, warning[1].strip() if warning else "started", slow="Status: timeout" in text)


def monkey_started(text: str) -> bool:
    """Whether `monkey -p PACKAGE 1` found an activity to start."""
    return "No activities found" not in text and "Events injected: 1" in text


def components(text: str) -> list[Component]:
    """The components in `cmd package query-activities --brief` or `resolve-activity --brief`, without doubles."""
    return list(dict.fromkeys(Component.parse(name) for name in _COMPONENT_LINE.findall(text)))


def resolved_activity(text: str) -> Component | None:
    """`cmd package resolve-activity`, brief or full; None where nothing answers to the intent."""
    if "No activity found" in text:
        return None
    brief = components(text)
    if brief:
        return brief[-1]
    name = re.search(r"^\s*name=(\S+)$", text, re.MULTILINE)
    package = re.search(r"^\s*packageName=(\S+)$", text, re.MULTILINE)
    if not name or not package:
        raise UnexpectedReply("a resolved activity", text)
    return Component(package[1], name[1])


def packages(text: str) -> list[str]:
    """`pm list packages`, with or without paths."""
    names = (line.removeprefix("package:") for line in text.splitlines() if line.startswith("package:"))
    return [name.rpartition("=")[2].strip() for name in names]


def install_failure(text: str) -> str | None:
    """The code of a failed `pm install` such as INSTALL_FAILED_VERSION_DOWNGRADE; None after a success."""
    failure = re.search(r"Failure \[([A-Z_]+)", text)
    if failure:
        return failure[1]
    if not re.search(r"^Success\b", text, re.MULTILINE):
        raise UnexpectedReply("Success or Failure of an install", text)
    return None


def ime_list(text: str) -> list[str]:
    """`ime list -s`: one id a line."""
    return [line.strip() for line in text.splitlines() if "/" in line]


def ime_selected(text: str) -> bool:
    """Whether `ime set` did it; it ends with 0 for unknown keyboards too."""
    return "selected" in text and not re.search(r"\bunknown\b|\bcannot\b", text, re.IGNORECASE)


def broadcast_result(text: str) -> int:
    """The result code of `am broadcast`: -1 is RESULT_OK, 0 that nobody answered."""
    found = re.search(r"Broadcast completed: result=(-?\d+)", text)
    if not found:
        raise UnexpectedReply("a completed broadcast", text)
    return int(found[1])


def call_states(text: str) -> list[int]:
    """The call states in `dumpsys telephony.registry`, one a SIM: 0 idle, 1 ringing, 2 in a call; none on tablets."""
    return [int(state) for state in re.findall(r"\bmCallState=(\d)", text)]


def recent_tasks(text: str) -> list[RecentTask]:
    """What `dumpsys activity recents` lists but for the home screen, the latest first."""
    found = []
    for block in text.split("* Recent #")[1:]:
        head, _, body = block.partition("\n")
        number = re.search(r"#(\d+)", head)
        package = re.search(r"\b(?:realActivity|mActivityComponent)=\{?([\w.]+)/", body) or _TASK_NAME.search(head)
        if not number or not package:
            raise UnexpectedReply("a recent task", block)
        if not re.search(r"\btype=(home|recents|assistant|dream)\b", head):
            found.append(RecentTask(int(number[1]), package[package.lastindex or 0]))
    return found


def settings_list(text: str) -> dict[str, str]:
    """`settings list NAMESPACE`."""
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def setting(text: str) -> str | None:
    """`settings get`: the word null means that there is no such setting."""
    value = text.removesuffix("\n").removesuffix("\r")
    return None if value == "null" else value


def content_rows(text: str, columns: Sequence[str] | None = None) -> list[Row]:
    """`content query`. Values are not escaped, so they may hold commas, newlines, and what looks like a column.

    With `columns`, in the order of the projection, a row is cut at these names only. Without them a name counts that
    every row has. The number after `Row:` is not trusted.
    """
    if "No result found." in text[:40]:
        return []
    heads = list(_ROW.finditer(text))
    if not heads:
        raise UnexpectedReply("rows of a content query", text)
    ends = [head.start() - 1 for head in heads[1:]] + [len(text.removesuffix("\n"))]
    bodies = [text[head.end() : end] for head, end in zip(heads, ends, strict=True)]
    names = list(columns) if columns else _common_columns(bodies)
    pattern = re.compile(", ".join(f"{re.escape(name)}=(.*?)" for name in names), re.DOTALL)
    return [_row(pattern, names, body) for body in bodies]


def ui_dump(text: str) -> str:
    """The hierarchy out of what `uiautomator dump FILE; cat FILE` wrote, from `<?xml` or `<hierarchy` to its end.

    Whether it failed is read from the words alone: it may end with 0 after an error and with another code after a
    success. A hierarchy without a node is a failure too. Raises UiDumpFailed.
    """
    start = text.find("<hierarchy")
    if start < 0:
        raise UiDumpFailed(_dump_reason(text), text)
    end = text.find(_DUMP_END, start)
    if _DUMP_EMPTY.match(text, start):
        raise UiDumpFailed("null_root", text)
    if end < 0:
        raise UiDumpFailed("truncated", text[-200:])
    declaration = text.rfind("<?xml", 0, start)
    return text[start if declaration < 0 else declaration : end + len(_DUMP_END)]


def _dump_reason(text: str) -> Literal["not_idle", "null_root", "other"]:
    if "idle state" in text:
        return "not_idle"
    return "null_root" if "null root node" in text else "other"


def _common_columns(bodies: Sequence[str]) -> list[str]:
    """Names that stand in every row, in the order of the first."""
    found = [_COLUMN.findall(body) for body in bodies]
    names = [name for name in dict.fromkeys(found[0]) if all(name in others for others in found)]
    if not names:
        raise UnexpectedReply("columns in a content row", bodies[0])
    return names


def _row(pattern: re.Pattern[str], names: Sequence[str], body: str) -> Row:
    values = pattern.fullmatch(body)
    if not values:
        raise UnexpectedReply(f"a row with {', '.join(names)}", body)
    return {name: None if value == "NULL" else value for name, value in zip(names, values.groups(), strict=True)}
