"""`sqlite3`: statements on a database file of the phone, printed as the real shell prints them."""

import sqlite3 as engine
from collections.abc import Iterable, Iterator

from emulator_farm.virtual.shell.invocation import Invocation, ToolError, describe

FLAGS = ("-header", "-noheader", "-csv", "-line", "-list", "-readonly", "-batch")


async def sqlite3(run: Invocation) -> int:
    """`sqlite3 [OPTIONS] FILE [SQL]`: SQL may come on standard input; `.tables`, `.schema` and `.dump` are known."""
    options, operands = _options(run.args)
    if not operands:
        raise ToolError("needs the name of a database file", prefix="Error: ")
    name, *statements = operands
    if not statements:
        statements = [(await run.read_stdin()).decode(errors="replace")]
    return await run.call(lambda phone: _execute(run, name, statements, options))


def _options(args: list[str]) -> tuple[dict[str, str], list[str]]:
    options, rest = {"-separator": "|"}, list(args)
    operands: list[str] = []
    while rest:
        word = rest.pop(0)
        if word == "-separator" and rest:
            options[word] = rest.pop(0)
        elif word in FLAGS:
            options[word] = "on"
        elif word.startswith("-") and not operands:
            raise ToolError(f"unknown option: {word}\nUse -help for a list of options.", prefix="sqlite3: Error: ")
        else:
            operands.append(word)
    if "-csv" in options:
        options["-separator"] = ","
    return options, operands


def _execute(run: Invocation, name: str, statements: list[str], options: dict[str, str]) -> int:
    db = engine.connect(":memory:", isolation_level=None)
    try:
        path = run.readable(name)
        before = run.files.read(path) if run.files.exists(path) else b""
        if before:
            db.deserialize(before)
        for sql in (each for text in statements for each in _split(text)):
            for line in _answer(db, sql, options):
                run.line(line)
        after = db.serialize() if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] else b""
        if after != before:
            run.files.write(run.writable(name), after)
            run.phone.invalidate()
    except OSError as error:
        raise ToolError(f'unable to open database "{name}": {describe(error)}', prefix="Error: ") from None
    except (engine.Error, engine.Warning) as error:
        raise ToolError(str(error), prefix="Error: ") from None
    finally:
        db.close()
    return 0


def _split(text: str) -> Iterator[str]:
    """Statements and dot commands of a script, one by one."""
    pending = ""
    for line in text.splitlines():
        if not pending.strip() and line.lstrip().startswith("."):
            yield line.strip()
            continue
        *ended, tail = line.split(";")
        for piece in ended:
            pending += piece + ";"
            if engine.complete_statement(pending):
                if pending.strip("; \t\n"):
                    yield pending.strip()
                pending = ""
        pending += tail + "\n"
    if pending.strip():
        yield pending.strip()


def _answer(db: engine.Connection, sql: str, options: dict[str, str]) -> Iterable[str]:
    match sql.split():
        case [".tables"]:
            rows = db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name")
            return ["  ".join(str(row[0]) for row in rows)]
        case [".schema", *names]:
            rows = db.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL")
            return [f"{row[2]};" for row in rows if not names or {row[0], row[1]} & set(names)]
        case [".dump"]:
            return db.iterdump()
        case [word, *_] if word.startswith("."):
            raise ToolError(f'unknown command or invalid arguments:  "{word[1:]}".', prefix="Error: ")
    cursor = db.execute(sql)
    columns = [column[0] for column in cursor.description or ()]
    return list(_lines(cursor, columns, options))


def _lines(rows: Iterable[tuple[object, ...]], columns: list[str], options: dict[str, str]) -> Iterator[str]:
    separator = options["-separator"]
    width = max((len(name) for name in columns), default=0)
    for number, row in enumerate(rows):
        if "-line" in options:
            yield from ([""] if number else [])
            yield from (f"{name:>{width}} = {_show(value)}" for name, value in zip(columns, row, strict=True))
            continue
        if number == 0 and "-header" in options:
            yield separator.join(columns)
        yield separator.join(_quoted(_show(value)) if "-csv" in options else _show(value) for value in row)


def _show(value: object) -> str:
    return "" if value is None else value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _quoted(text: str) -> str:
    special = any(char in text for char in ',"\n ')
    return '"' + text.replace('"', '""') + '"' if special else text
