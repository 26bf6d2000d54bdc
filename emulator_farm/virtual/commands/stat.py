"""`stat`, `readlink` and `realpath`."""

import stat as st
from datetime import UTC, datetime

from emulator_farm.virtual.files import FileStat
from emulator_farm.virtual.shell.invocation import Invocation, Tool, describe, on_phone

from .files import each, need
from .ls import blocks
from .options import parse_options
from .owners import owner_name

BLOCK = 512


@on_phone
def stat(run: Invocation) -> int:
    """Describe files: -c FORMAT with %n %N %s %a %A %f %F %u %U %g %G %i %h %b %B %Y %y, -L."""
    options, paths = parse_options(run, "Lt", "c")
    text = options.values.get("c")

    def one(path: str) -> None:
        found = run.files.stat(run.readable(path), follow="L" in options)
        fields = stat_fields(path, found)
        run.line(expand_format(text, fields) if text is not None else _stat_long(fields))

    return each(run, paths, one)


def stat_fields(path: str, found: FileStat) -> dict[str, str]:
    """The letters of `stat -c` and `find -printf` for one file."""
    regular = "regular file" if found.size else "regular empty file"
    kind = {st.S_IFDIR: "directory", st.S_IFLNK: "symbolic link"}.get(st.S_IFMT(found.mode), regular)
    when = datetime.fromtimestamp(found.mtime, UTC).strftime("%Y-%m-%d %H:%M:%S.000000000 +0000")
    return {
        "n": path, "N": f"`{path}'", "s": str(found.size), "a": f"{found.mode & 0o7777:o}",
        "A": st.filemode(found.mode), "f": f"{found.mode:x}", "F": kind,
        "u": str(found.uid), "U": owner_name(found.uid), "g": str(found.gid), "G": owner_name(found.gid),
        "i": str(found.inode), "h": str(found.nlink), "b": str(blocks(found)), "B": str(BLOCK), "o": "4096",
        "Y": str(found.mtime), "y": when, "X": str(found.mtime), "x": when, "Z": str(found.mtime), "z": when, "%": "%",
    }  # fmt: skip


def expand_format(text: str, fields: dict[str, str]) -> str:
    """Replace `%X` by its field; unknown letters stay."""
    out, position = "", 0
    while position < len(text):
        if text[position] == "%" and position + 1 < len(text):
            out += fields.get(text[position + 1], text[position : position + 2])
            position += 2
        else:
            out += text[position]
            position += 1
    return out


def _stat_long(fields: dict[str, str]) -> str:
    return (
        f"  File: {fields['n']}\n"
        f"  Size: {fields['s']}\t Blocks: {fields['b']}\t IO Blocks: 512\t{fields['F']}\n"
        f"Device: fe01h/65025d\t Inode: {fields['i']}\t Links: {fields['h']}\n"
        f"Access: ({int(fields['a'], 8):04o}/{fields['A']})\tUid: ({fields['u']:>5}/{fields['U']:>8})\t"
        f"Gid: ({fields['g']:>5}/{fields['G']:>8})\n"
        f"Access: {fields['y']}\nModify: {fields['y']}\nChange: {fields['y']}"
    )


@on_phone
def readlink(run: Invocation) -> int:
    """Print a link's target, or the real path with -f."""
    options, paths = parse_options(run, "fenq")
    if not paths:
        return need(run)
    try:
        path = run.absolute(paths[0])
        run.line(run.files.resolve(path) if options & set("fe") or run.name == "realpath" else run.files.readlink(path))
    except OSError as error:
        if run.name == "realpath":
            run.complain(describe(error))
        return 1
    return 0


TOOLS: dict[str, Tool] = {"readlink": readlink, "realpath": readlink, "stat": stat}
