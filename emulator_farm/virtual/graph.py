"""A graph of live objects as flat records, and back.

Screens keep their state in plain attributes and their dialogs in closures, so a phone is copied the way it lies in
memory: every object that can be reached becomes one `Record`, whose values are plain data or the number of another
record. An app need not know of it.

Some objects stay where they are: the phone's own parts, its `anchors`, which others hold on to. What they consist of is
replaced, they themselves are not. A part that knows better than its attributes what its state is has `freeze` and
`thaw`.
"""

import sys
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, time, timedelta, tzinfo
from enum import Enum
from functools import partial
from random import Random
from re import Pattern
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Protocol, runtime_checkable

ATOMS = frozenset((type(None), bool, int, float, str, bytes))
"""Types that stand for themselves in a record."""
FIXED = (type, CodeType, ModuleType, Enum, Pattern, date, time, timedelta, tzinfo)
"""Types of things that never change, which a record holds as they are."""
CONTAINERS: dict[type, str] = {
    list: "list", tuple: "tuple", dict: "dict", set: "set", frozenset: "frozenset", deque: "deque",
}  # fmt: skip
_BUILT_IN = (int, float, str, bytes, tuple, list, dict, set, frozenset, deque, BaseException)
Outside = Mapping[type, frozenset[str]]
"""Attributes by class that are no state: caches, what belongs to the host, what never changes."""


class NotState(TypeError):
    """Something in the graph cannot be copied: a lock, a thread, an open file."""


@runtime_checkable
class Part(Protocol):
    """An anchor with a form of its own for what it holds."""

    def freeze(self) -> object:
        """Its state, as plain data."""

    def thaw(self, state: Any) -> None:
        """Take on what `freeze` gave."""


class Ref(int):
    """The number of a record."""

    __slots__ = ()


@dataclass(slots=True)
class Record:
    """One object: its kind, a subject (a class, code, the name of an anchor) and the values that it is made of."""

    kind: str
    subject: Any = None
    values: tuple[Any, ...] = ()
    names: tuple[str, ...] = ()
    """Attributes of an object, keywords of a partial: what the last of `values` are called."""


def parts_of(roots: Mapping[str, object]) -> dict[str, object]:
    """The roots, and what of our own classes they have as attributes, by the way that leads there."""
    parts = dict(roots)
    for above, root in roots.items():
        for name, part in vars(root).items():
            ours = type(part).__module__.startswith(__package__)
            if ours and not any(part is other for other in parts.values()):
                parts[f"{above}.{name}"] = part
    return parts


def flatten(anchors: Mapping[str, object], outside: Outside) -> list[Record]:
    """Everything that can be reached from the anchors. Raises NotState."""
    return _Flattening(anchors, outside).records


class _Flattening:
    def __init__(self, anchors: Mapping[str, object], outside: Outside) -> None:
        self._outside = outside
        self._numbers: dict[int, Ref] = {}
        self._kept: list[object] = []
        """Every object, until the end, so that no id comes twice."""
        self.records: list[Record] = []
        for name, anchor in anchors.items():
            self._enter(anchor, Record("anchor", name))
        done = 0
        while done < len(self.records):
            self._describe(self.records[done], self._kept[done])
            done += 1

    def _enter(self, value: object, record: Record) -> Ref:
        number = Ref(len(self.records))
        self._numbers[id(value)] = number
        self._kept.append(value)
        self.records.append(record)
        return number

    def _value(self, value: Any) -> object:
        kind = type(value)
        if kind in ATOMS or isinstance(value, FIXED):
            return value
        if kind is FunctionType and value.__closure__ is None and value.__defaults__ is None:
            return value
        known = self._numbers.get(id(value))
        return known if known is not None else self._enter(value, Record(""))

    def _all(self, values: Iterable[object]) -> tuple[Any, ...]:
        return tuple(self._value(value) for value in values)

    def _describe(self, record: Record, value: Any) -> None:
        kind = CONTAINERS.get(type(value))
        if record.kind == "anchor":
            if isinstance(value, Part):
                record.names, record.values = ("",), self._all((value.freeze(),))
            else:
                self._attributes(record, value)
        elif kind is not None:
            parts = (part for pair in value.items() for part in pair) if kind == "dict" else value
            record.kind, record.values = kind, self._all(parts)
            record.subject = value.maxlen if kind == "deque" else None
        else:
            self._describe_callable(record, value)

    def _describe_callable(self, record: Record, value: Any) -> None:
        match value:
            case FunctionType():
                parts = (value.__module__, value.__name__, value.__defaults__, value.__kwdefaults__, value.__closure__)
                record.kind, record.subject, record.values = "function", value.__code__, self._all(parts)
            case MethodType():
                record.kind, record.values = "method", self._all((value.__func__, value.__self__))
            case BuiltinFunctionType():
                record.kind, record.subject = "builtin", value.__name__
                record.values = self._all((value.__self__,))
            case partial():
                record.kind, record.names = "partial", tuple(value.keywords)
                record.values = self._all((value.func, *value.args, *value.keywords.values()))
            case CellType():
                record.kind, record.values = "cell", self._all(_content(value))
            case Random():
                record.kind, record.values = "random", self._all((value.getstate(),))
            case tuple() if type(value) is not tuple:
                record.kind, record.subject, record.values = "named", type(value), self._all(value)
            case _:
                record.kind, record.subject = "object", type(value)
                self._attributes(record, value)

    def _attributes(self, record: Record, value: object) -> None:
        state = attributes(value)
        if isinstance(value, _BUILT_IN) or (not state and not hasattr(value, "__dict__") and not _slots(type(value))):
            raise NotState(f"no snapshot can hold a {type(value).__module__}.{type(value).__qualname__}: {value!r:.80}")
        left_out = self._outside.get(type(value), frozenset())
        names = [name for name in state if name not in left_out]
        record.names, record.values = tuple(names), self._all(state[name] for name in names)


class Rebuilding:
    """Live objects made of records. No anchor is touched before `fill`."""

    def __init__(self, records: list[Record], anchors: Mapping[str, object], outside: Outside) -> None:
        """Raises NotState where the records speak of an anchor that is not among these."""
        self._records = records
        self._outside = outside
        self._made: list[Any] = []
        for record in records:
            if record.kind == "anchor" and record.subject not in anchors:
                raise NotState(f"this phone has no {record.subject}; the snapshot is of a phone with other apps")
            self._made.append(anchors[record.subject] if record.kind == "anchor" else _shell(record))
        for number in range(len(records)):
            self._get(Ref(number))

    def fill(self) -> None:
        """Give every object its content, the anchors theirs in place of what they had."""
        for kinds in (("object", "cell", "list", "deque", "random"), ("dict", "set"), ("anchor",)):
            for record, made in zip(self._records, self._made, strict=True):
                if record.kind in kinds:
                    self._fill(record, made)

    def _fill(self, record: Record, made: Any) -> None:
        values = [self._get(value) for value in record.values]
        match record.kind:
            case "object":
                put_attributes(made, record.names, values)
            case "cell" if values:
                made.cell_contents = values[0]
            case "list" | "deque":
                made.extend(values)
            case "random":
                made.setstate(values[0])
            case "set":
                made.update(values)
            case "dict":
                made.update(zip(values[::2], values[1::2], strict=True))
            case _ if isinstance(made, Part):
                made.thaw(values[0])
            case _:
                gone = attributes(made).keys() - set(record.names) - self._outside.get(type(made), frozenset())
                for name in gone:
                    delattr(made, name)
                put_attributes(made, record.names, values)

    def _get(self, value: Any) -> Any:
        if type(value) is not Ref:
            return value
        if self._made[value] is None:
            self._made[value] = self._finished(self._records[value])
        return self._made[value]

    def _finished(self, record: Record) -> Any:
        """What cannot be made first and filled later. It refers to itself only through what can."""
        values = [self._get(value) for value in record.values]
        match record.kind:
            case "tuple":
                return tuple(values)
            case "frozenset":
                return frozenset(values)
            case "named":
                return tuple.__new__(record.subject, values)
            case "method":
                return MethodType(values[0], values[1])
            case "builtin":
                return getattr(values[0], record.subject)
            case "partial":
                first = len(values) - len(record.names)
                return partial(values[0], *values[1:first], **dict(zip(record.names, values[first:], strict=True)))
            case "function":
                return _function(record.subject, *values)
            case kind:
                raise NotState(f"a record of the unknown kind {kind!r}")


def attributes(value: object) -> dict[str, Any]:
    """What an object holds, in its dictionary and in its slots."""
    state = dict(getattr(value, "__dict__", ()))
    for name in _slots(type(value)):
        if hasattr(value, name):
            state[name] = getattr(value, name)
    return state


def put_attributes(value: object, names: Iterable[str], values: Iterable[object]) -> None:
    """Set attributes past any `__setattr__` that forbids it."""
    if not _slots(type(value)):
        vars(value).update(zip(names, values, strict=True))
        return
    for name, each in zip(names, values, strict=True):
        object.__setattr__(value, name, each)


_known_slots: dict[type, tuple[str, ...]] = {}


def _slots(kind: type) -> tuple[str, ...]:
    found = _known_slots.get(kind)
    if found is None:
        each = (vars(base).get("__slots__", ()) for base in kind.__mro__)
        names = [name for slots in each for name in ((slots,) if isinstance(slots, str) else slots)]
        found = tuple(name for name in names if name not in ("__dict__", "__weakref__"))
        _known_slots[kind] = found
    return found


def _shell(record: Record) -> Any:
    """An empty object to be filled, None for what is made in one piece."""
    match record.kind:
        case "list":
            return []
        case "dict":
            return {}
        case "set":
            return set()
        case "deque":
            return deque(maxlen=record.subject)
        case "cell":
            return CellType()
        case "random":
            return Random()
        case "object":
            return record.subject.__new__(record.subject)
        case _:
            return None


def _content(cell: CellType) -> tuple[object, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def _function(code: CodeType, module: str, name: str, defaults: Any, keywords: Any, closure: Any) -> FunctionType:
    function = FunctionType(code, vars(sys.modules[module]), name, defaults, closure)
    function.__kwdefaults__ = keywords
    function.__module__ = module
    return function
