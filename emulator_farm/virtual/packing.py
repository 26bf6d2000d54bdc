"""A snapshot as bytes, for a phone of another process or host.

Classes and functions travel by name, never as code: what is read can only put together what this package (and the apps
that the phone was made with) already has, and only where both sides run the same build of it. Everything else is JSON
beside the raw contents of files and databases.
"""

import hashlib
import json
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from enum import Enum
from functools import cache
from importlib.abc import InspectLoader
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from .graph import ATOMS, NotState, Record, Ref
from .snapshot import Snapshot

MAGIC = b"vphone-snapshot-1\n"
_BUILT_IN = {kind.__name__: kind for kind in (bool, int, float, str, bytes, list, dict, tuple, set, frozenset)}
_CLOSED = frozenset(f"{__package__}.{name}" for name in ("__main__", "fleet", "host", "server"))
"""Modules of ours that deal with the host; no state is of them."""
_BOUND = (list, dict, set, str)
"""Types whose own methods a snapshot may hold."""


def pack(snapshot: Snapshot) -> bytes:
    """The snapshot as bytes. Raises NotState for what has no name: code that was made while the program ran."""
    blobs: list[bytes] = []
    writer = _Writer(blobs)
    rows = [writer.row(record) for record in snapshot.records]
    head = {"build": build(), "panel": snapshot.panel, "taken_at": snapshot.taken_at, "records": rows}
    text = json.dumps({**head, "blobs": [len(blob) for blob in blobs]}, separators=(",", ":")).encode()
    return MAGIC + zlib.compress(b"".join((len(text).to_bytes(8, "big"), text, *blobs)), 1)


def unpack(data: bytes, modules: frozenset[str] = frozenset()) -> Snapshot:
    """The snapshot that `pack` wrote. `modules` may be named beside our own.

    Raises NotState for bytes that are no snapshot, are damaged, or come from another build.
    """
    if not data.startswith(MAGIC):
        raise NotState("these bytes are no snapshot of a virtual phone")
    try:
        body = zlib.decompress(data[len(MAGIC) :])
        end = 8 + int.from_bytes(body[:8], "big")
        head = json.loads(body[8:end])
        if head["build"] != build():
            raise NotState("the snapshot was written by another version of the virtual phone")
        blobs = []
        for size in head["blobs"]:
            blobs.append(body[end : end + size])
            end += size
        reader = _Reader(blobs, modules)
        records = [reader.record(row) for row in head["records"]]
        return Snapshot(tuple(head["panel"]), records, head["taken_at"])
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, zlib.error) as error:
        if isinstance(error, NotState):
            raise
        raise NotState(f"the snapshot is damaged: {type(error).__name__}: {error}") from error


@cache
def build() -> str:
    """A digest of the sources that snapshots depend on: all of this package."""
    top = Path(__file__).parent
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(top.rglob("*.py")):
        digest.update(str(path.relative_to(top)).encode() + path.read_bytes())
    return digest.hexdigest()


class _Writer:
    def __init__(self, blobs: list[bytes]) -> None:
        self._blobs = blobs

    def row(self, record: Record) -> list[Any]:
        if record.kind == "function":
            subject: Any = _code_number(record.subject, record.values[0])
        else:
            subject = self._value(record.subject)
        return [record.kind, subject, [self._value(value) for value in record.values], list(record.names)]

    def _value(self, value: Any) -> Any:
        match value:
            case Ref():
                return {"ref": int(value)}
            case bytes():
                self._blobs.append(value)
                return {"blob": len(self._blobs) - 1}
            case _ if type(value) in ATOMS:
                return value
            case FunctionType():
                return {"function": [value.__module__, value.__name__, _code_number(value.__code__, value.__module__)]}
            case type():
                return {"class": [value.__module__, value.__qualname__]}
            case Enum():
                return {"enum": [type(value).__module__, type(value).__qualname__, value.name]}
            case re.Pattern():
                return {"pattern": [value.pattern, value.flags]}
            case datetime():
                return {"datetime": value.isoformat()}
            case date():
                return {"date": value.isoformat()}
            case time():
                return {"time": value.isoformat()}
            case timedelta():
                return {"timedelta": [value.days, value.seconds, value.microseconds]}
            case _:
                raise NotState(f"{value!r:.80} cannot be written to a snapshot")


class _Reader:
    def __init__(self, blobs: list[bytes], modules: frozenset[str]) -> None:
        self._blobs = blobs
        self._modules = modules

    def record(self, row: list[Any]) -> Record:
        kind, subject, values, names = row
        read = tuple(self._value(value) for value in values)
        if kind == "function":
            subject = self._code(read[0], subject)
        elif kind == "builtin" and (subject.startswith("_") or not any(hasattr(each, subject) for each in _BOUND)):
            raise NotState(f"no snapshot holds the method {subject!r}")
        return Record(kind, self._value(subject) if kind != "function" else subject, read, tuple(names))

    def _value(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        ((kind, body),) = value.items()
        match kind:
            case "ref":
                return Ref(body)
            case "blob":
                return self._blobs[body]
            case "function":
                module, name, number = body
                return FunctionType(self._code(module, number), vars(self._module(module)), name)
            case "class":
                return self._class(*body)
            case "enum":
                module, name, member = body
                return self._class(module, name)[member]
            case "pattern":
                return re.compile(*body)
            case "timedelta":
                return timedelta(*body)
            case _:
                return _TIMES[kind](body)

    def _module(self, name: str) -> Any:
        ours = name.startswith(f"{__package__}.") and name not in _CLOSED
        if name not in sys.modules or not (ours or name in self._modules):
            raise NotState(f"a snapshot may not name {name!r}")
        return sys.modules[name]

    def _class(self, module: str, name: str) -> Any:
        found: Any = _BUILT_IN[name] if module == "builtins" else self._module(module)
        if module != "builtins":
            for part in name.split("."):
                found = vars(found)[part]
        if not isinstance(found, type):
            raise NotState(f"{module}.{name} is no class")
        return found

    def _code(self, module: str, number: int) -> CodeType:
        self._module(module)
        return _codes(module)[number]


_TIMES: dict[str, Callable[[str], Any]] = {
    "datetime": datetime.fromisoformat, "date": date.fromisoformat, "time": time.fromisoformat,
}  # fmt: skip


def _code_number(code: CodeType, module: str) -> int:
    """Where in its module a function's code stands. Code that occurs twice is the same code."""
    try:
        return _codes(module).index(code)
    except ValueError:
        raise NotState(f"{module}.{code.co_qualname} is not in the source of its module") from None


@cache
def _codes(module: str) -> list[CodeType]:
    """The code of every function of a module, in the order of its source."""
    spec = sys.modules[module].__spec__
    loader = spec.loader if spec else None
    code = loader.get_code(module) if isinstance(loader, InspectLoader) else None
    if code is None:
        raise NotState(f"the functions of {module} have no names: it was not loaded from a plain source file")
    return list(_within(code))


def _within(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _within(constant)
