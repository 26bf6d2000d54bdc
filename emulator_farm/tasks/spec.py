"""From a suite's name or a file to checked tasks, or to the list of everything that is wrong with it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from pathlib import Path

from pydantic import JsonValue

from emulator_farm.errors import InvalidTask, TaskFileError
from emulator_farm.tasks.document import Document, Where, dotted, read_document
from emulator_farm.tasks.grammar import guess
from emulator_farm.tasks.reading import FIELDS, read_task
from emulator_farm.tasks.task import TaskInstance, TaskSpec
from emulator_farm.tasks.template import literal

__all__ = ["TaskInstance", "TaskSpec", "derived_name", "load_tasks", "suites"]

_SUITES = Path(__file__).parent / "suites"
_PLAIN_FIELDS = [name for name in FIELDS if name != "params"]


def suites() -> dict[str, Path]:
    """The built-in suites by name."""
    return {path.stem: path for path in sorted(_SUITES.glob("*.yaml"))}


def load_tasks(source: str | Path) -> list[TaskSpec]:
    """Read tasks from a built-in suite ("phone"), a YAML file or a JSONL file of goals, in the order of the file.

    Raises TaskFileError with every problem found, each naming file, line and field.
    """
    document = _document(source)
    rows = [(where, _named(raw) if document.lines_are_tasks else raw) for where, raw in _rows(document)]
    _refuse_repeated_names(document, rows)
    known = _PLAIN_FIELDS if document.lines_are_tasks else FIELDS
    specs = [spec for where, raw in rows if (spec := read_task(document, where, raw, known))]
    if not rows and not document.problems:
        document.complain((), "", "there is no task in it; write at least one")
    document.settle()
    return specs


def _document(source: str | Path) -> Document:
    built_in = suites()
    if isinstance(source, str) and source in built_in:
        return read_document(built_in[source], source)
    path = Path(source)
    if not path.suffix and not path.exists():
        message = f"no such file, and no built-in suite has this name; {guess(str(source), built_in)}"
        raise TaskFileError([InvalidTask(message, file=str(source))])
    return read_document(path)


def _rows(document: Document) -> list[tuple[Where, JsonValue]]:
    data = document.data
    above: Where = ()
    if isinstance(data, dict) and "tasks" in data:
        for key in data.keys() - {"tasks"}:
            document.complain((key,), key, f"unknown field {key!r}; {guess(key, ['tasks'])}")
        data, above = data["tasks"], ("tasks",)
    if isinstance(data, list):
        return [((*above, index), row) for index, row in enumerate(data)]
    what = "must be a list of tasks, each after a dash"
    document.complain(above, dotted(above), what if above else f"{what}, or a mapping with `tasks:`")
    return []


def _named(raw: JsonValue) -> JsonValue:
    """One line of JSONL: texts are literal, the name may be left out."""
    if not isinstance(raw, dict):
        return raw
    fields: dict[str, JsonValue] = {key: literal(value) for key, value in raw.items()}
    if isinstance(raw.get("goal"), str):
        fields.setdefault("name", derived_name(raw))
    return fields


def derived_name(row: dict[str, JsonValue]) -> str:
    """A name for a task without one: words of its goal and a hash of goal and app, the same in every file."""
    goal = str(row["goal"])
    plain = unicodedata.normalize("NFKD", goal).encode("ascii", "ignore").decode().lower()
    slug = "_".join(re.findall(r"[a-z0-9]+", plain))[:40].strip("_") or "task"
    digest = hashlib.sha256("\0".join([goal, str(row.get("app") or "")]).encode()).hexdigest()
    return f"{slug}_{digest[:8]}"


def _refuse_repeated_names(document: Document, rows: list[tuple[Where, JsonValue]]) -> None:
    first: dict[str, int] = {}
    for where, raw in rows:
        name = raw.get("name") if isinstance(raw, dict) else None
        if not isinstance(name, str):
            continue
        if name in first:
            message = f"the task on line {first[name]} has the same name; names must differ"
            document.complain((*where, "name"), f"{name}.name", message)
        first.setdefault(name, document.line_of((*where, "name")))
