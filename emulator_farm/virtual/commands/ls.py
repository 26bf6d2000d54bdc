"""`ls`."""

import posixpath
import stat as st
from datetime import UTC, datetime

from emulator_farm.virtual.files import FileStat
from emulator_farm.virtual.shell.invocation import Invocation, Tool, on_phone

from .options import parse_options
from .owners import human_size, owner_name


@on_phone
def ls(run: Invocation) -> int:
    """List directories: -1 -a -A -d -l -R -h -n -S -t -r -F -p -s -i."""
    options, paths = parse_options(run, "1aAdlRhnStrFpsiLHC")
    status = 0
    found: list[tuple[str, str, FileStat]] = []
    for path in paths or ["."]:
        try:
            follow = path.endswith("/") or not options & set("ld")
            absolute = run.readable(path)
            found.append((path, absolute, run.files.stat(absolute, follow)))
        except OSError as error:
            run.complain(f"{path}: {error.strerror}")
            status = 1
    plain = [entry for entry in found if "d" in options or not st.S_ISDIR(entry[2].mode)]
    _print_entries(run, [(shown, absolute, stat) for shown, absolute, stat in plain], options)
    directories = [entry for entry in found if entry not in plain]
    for index, (shown, absolute, _) in enumerate(directories):
        heading = len(found) > 1 or "R" in options
        if heading and (index or plain):
            run.line()
        status |= _list_directory(run, shown, absolute, options, heading)
    return status


def _list_directory(run: Invocation, shown: str, absolute: str, options: set[str], heading: bool) -> int:
    try:
        names = run.files.list(run.listable(absolute))
    except OSError as error:
        run.complain(f"{shown}: {error.strerror}")
        return 1
    if heading:
        run.line(f"{shown}:")
    if not options & set("aA"):
        names = [name for name in names if not name.startswith(".")]
    base = absolute.rstrip("/")
    entries = [(name, f"{base}/{name}", run.files.stat(f"{base}/{name}", follow=False)) for name in names]
    if "a" in options:
        parent = posixpath.dirname(run.files.resolve(absolute)) or "/"
        entries = [(".", absolute, run.files.stat(absolute)), ("..", parent, run.files.stat(parent)), *entries]
    if options & set("ls"):
        run.line(f"total {sum(blocks(stat) for *_, stat in entries) // 2}")
    _print_entries(run, entries, options)
    status = 0
    if "R" in options:
        for name, path, stat in entries:
            if st.S_ISDIR(stat.mode) and name not in (".", ".."):
                run.line()
                status |= _list_directory(run, f"{shown.rstrip('/')}/{name}", path, options, heading=True)
    return status


def blocks(stat: FileStat) -> int:
    return 8 * -(-stat.size // 4096) if not st.S_ISLNK(stat.mode) else 0


def _print_entries(run: Invocation, entries: list[tuple[str, str, FileStat]], options: set[str]) -> None:
    if "S" in options:
        entries = sorted(entries, key=lambda entry: -entry[2].size)
    elif "t" in options:
        entries = sorted(entries, key=lambda entry: -entry[2].mtime)
    if "r" in options:
        entries = entries[::-1]
    rows = [_row(run, *entry, options) for entry in entries]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(len(rows[0]) - 1)] if rows else []
    right = {1, 4} if "l" in options else {0}
    for row in rows:
        cells = [cell.rjust(widths[i]) if i in right else cell.ljust(widths[i]) for i, cell in enumerate(row[:-1])]
        run.line(" ".join([*cells, row[-1]]))


def _row(run: Invocation, name: str, path: str, stat: FileStat, options: set[str]) -> list[str]:
    label = name
    if options & set("Fp") and st.S_ISDIR(stat.mode):
        label += "/"
    if "l" not in options:
        prefix = [str(stat.inode)] if "i" in options else []
        return [*prefix, label]
    if st.S_ISLNK(stat.mode):
        label += f" -> {run.files.readlink(path)}"
    size = human_size(stat.size) if "h" in options else str(stat.size)
    names = str if "n" in options else owner_name
    when = datetime.fromtimestamp(stat.mtime, UTC).strftime("%Y-%m-%d %H:%M")
    return [st.filemode(stat.mode), str(stat.nlink), names(stat.uid), names(stat.gid), size, when, label]


TOOLS: dict[str, Tool] = {"ls": ls}
