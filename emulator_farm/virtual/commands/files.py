"""Commands that list, make, move and remove files."""

import posixpath
import stat as st
from collections.abc import Callable
from datetime import UTC, datetime

from emulator_farm.virtual.files import FileStat
from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError, describe, on_phone

from .options import parse_options

OWNERS = {
    0: "root",
    1000: "system",
    1001: "radio",
    1015: "sdcard_rw",
    1023: "media_rw",
    2000: "shell",
    9997: "everybody",
}
BLOCK = 512


def owner_name(uid: int) -> str:
    """Name of a user or group; apps are `u0_aNNN`."""
    return OWNERS.get(uid) or (f"u0_a{uid - 10000}" if uid >= 10000 else str(uid))


def _each(run: Invocation, paths: list[str], action: Callable[[str], None]) -> int:
    """Do something with every path; errors are told and the others go on."""
    if not paths:
        raise ToolError(f'Needs 1 argument (see "{run.name} --help")')
    status = 0
    for path in paths:
        try:
            action(path)
        except OSError as error:
            run.complain(f"{path}: {error.strerror}")
            status = 1
    return status


# -- ls


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
        run.line(f"total {sum(_blocks(stat) for *_, stat in entries) // 2}")
    _print_entries(run, entries, options)
    status = 0
    if "R" in options:
        for name, path, stat in entries:
            if st.S_ISDIR(stat.mode) and name not in (".", ".."):
                run.line()
                status |= _list_directory(run, f"{shown.rstrip('/')}/{name}", path, options, heading=True)
    return status


def _blocks(stat: FileStat) -> int:
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


def human_size(size: int) -> str:
    """Three digits and a unit, as `ls -h` and `df -h` print sizes."""
    value = float(size)
    for unit in ("", "K", "M", "G"):
        if value < 1000:
            return f"{value:.1f}{unit}" if unit and value < 10 else f"{value:.0f}{unit}"
        value /= 1024
    return f"{value:.1f}T"


# -- making, moving, removing


@on_phone
def mkdir(run: Invocation) -> int:
    """Make directories: -p, -m MODE."""
    options, paths = parse_options(run, "pv", "m")

    def make(path: str) -> None:
        absolute = run.absolute(path)
        if "p" in options and run.files.is_dir(absolute):
            return
        run.files.mkdir(run.writable(path), parents="p" in options)

    return _each(run, paths, make) if paths else _need(run)


def _need(run: Invocation) -> int:
    raise ToolError(f'Needs 1 argument (see "{run.name} --help")')


@on_phone
def rmdir(run: Invocation) -> int:
    """Remove empty directories."""
    _, paths = parse_options(run, "p")
    return _each(run, paths, lambda path: run.files.rmdir(run.writable(path)))


@on_phone
def rm(run: Invocation) -> int:
    """Remove files, and directories with -r: -f -r -R -i -v."""
    options, paths = parse_options(run, "frRiv")
    recursive = bool(options & set("rR"))
    if not paths:
        return 0 if "f" in options else _need(run)

    def remove(path: str) -> None:
        absolute = run.absolute(path.rstrip("/") or path)
        try:
            run.files.stat(absolute, follow=False)
        except OSError:
            if "f" not in options:
                raise
            return
        run.writable(posixpath.dirname(absolute.rstrip("/")) or "/")
        run.files.remove(absolute, recursive)

    return _each(run, paths, remove)


def _target(run: Invocation, source: str, target: str) -> str:
    """`target`, or the name of `source` in it where it is a directory."""
    absolute = run.absolute(target)
    return (
        f"{absolute.rstrip('/')}/{posixpath.basename(source.rstrip('/'))}" if run.files.is_dir(absolute) else absolute
    )


def _split(run: Invocation, paths: list[str]) -> tuple[list[str], str]:
    if len(paths) < 2:
        raise ToolError(f'Needs 2 arguments (see "{run.name} --help")')
    *sources, target = paths
    if len(sources) > 1 and not run.files.is_dir(run.absolute(target)):
        raise ToolError(f"'{target}' not directory")
    return sources, target


@on_phone
def mv(run: Invocation) -> int:
    """Move files and directories: -f -n -v."""
    options, paths = parse_options(run, "fnvi")
    sources, target = _split(run, paths)

    def move(source: str) -> None:
        place = _target(run, source, target)
        if not ("n" in options and run.files.exists(place)):
            run.files.rename(run.writable(source.rstrip("/")), run.writable(place))

    return _each(run, sources, move)


@on_phone
def cp(run: Invocation) -> int:
    """Copy files, and directories with -r: -r -R -a -f -p -n."""
    options, paths = parse_options(run, "rRafpnvdPHL")
    sources, target = _split(run, paths)

    def copy(source: str) -> None:
        origin = run.readable(source)
        place = _target(run, source, target)
        if run.files.is_dir(origin) and not options & set("rRa"):
            raise OSError(0, "Is a directory, not copied (try -r)", source)
        if place == origin or place.startswith(origin.rstrip("/") + "/"):
            raise OSError(0, f"'{place}' is inside '{source}'", source)
        for path in run.files.walk(origin.rstrip("/") or "/"):
            _copy_one(run, path, run.writable(place + path[len(origin.rstrip("/")) :]), keep=bool(options & set("pa")))

    return _each(run, sources, copy)


def _copy_one(run: Invocation, source: str, target: str, keep: bool) -> None:
    stat = run.files.stat(source)
    if st.S_ISDIR(stat.mode):
        run.files.mkdir(target, parents=True)
    else:
        run.files.write(target, run.files.read(source), stat.mode & 0o777, stat.mtime if keep else None)


@on_phone
def touch(run: Invocation) -> int:
    """Create files or set their time to now: -c."""
    options, paths = parse_options(run, "acmh", "drt")

    def one(path: str) -> None:
        if run.files.exists(run.absolute(path)):
            run.files.utime(run.writable(path), run.files.now())
        elif "c" not in options:
            run.files.write(run.writable(path), b"")

    return _each(run, paths, one)


@on_phone
def ln(run: Invocation) -> int:
    """Make symbolic links: -s, -f. There are no hard links on this phone."""
    options, paths = parse_options(run, "sfn")
    if len(paths) != 2:
        raise ToolError(f'Needs 2 arguments (see "{run.name} --help")')
    if "s" not in options:
        raise ToolError(f"cannot create hard link from '{paths[0]}' to '{paths[1]}': Operation not permitted")
    place = run.writable(_target(run, paths[0], paths[1]))
    if "f" in options and run.files.exists(place):
        run.files.remove(place)
    run.files.symlink(paths[0], place)
    return 0


@on_phone
def chmod(run: Invocation) -> int:
    """Set permission bits, octal or as in `u+x`."""
    _, paths = parse_options(run, "Rfv", stop_at_operand=True)
    if len(paths) < 2:
        raise ToolError(f'Needs 2 arguments (see "{run.name} --help")')
    return _each(run, paths[1:], lambda path: run.files.chmod(run.writable(path), _mode(run, path, paths[0])))


def _mode(run: Invocation, path: str, text: str) -> int:
    if text and not text.strip("01234567"):
        return int(text, 8)
    mode = run.files.stat(run.absolute(path)).mode & 0o7777
    for clause in text.split(","):
        who, operator, what = clause.partition("+") if "+" in clause else clause.partition("-")
        if not operator or who.strip("ugoa") or what.strip("rwx"):
            raise ToolError(f"bad mode '{text}'")
        bits = sum({"r": 4, "w": 2, "x": 1}[letter] for letter in set(what))
        shifts = [{"u": 6, "g": 3, "o": 0}[letter] for letter in set(who.replace("a", "ugo") or "ugo")]
        mask = sum(bits << shift for shift in shifts)
        mode = mode | mask if operator == "+" else mode & ~mask
    return mode


@on_phone
def chown(run: Invocation) -> int:
    """Set the owner; only root may."""
    _, paths = parse_options(run, "Rfhv")
    if run.shell.uid != 0:
        raise ToolError(f"{paths[-1] if paths else ''}: Operation not permitted")
    numbers = {name: uid for uid, name in OWNERS.items()}
    user, _, group = paths[0].partition(":") if paths else ("", "", "")
    uid = numbers.get(user, int(user) if user.isdecimal() else 0)
    gid = numbers.get(group, int(group) if group.isdecimal() else uid)
    return _each(run, paths[1:], lambda path: run.files.chown(run.writable(path), uid, gid))


@on_phone
def stat(run: Invocation) -> int:
    """Describe files: -c FORMAT with %n %N %s %a %A %f %F %u %U %g %G %i %h %b %B %Y %y, -L."""
    options, paths = parse_options(run, "Lt", "c")
    text = options.values.get("c")

    def one(path: str) -> None:
        found = run.files.stat(run.readable(path), follow="L" in options)
        fields = stat_fields(path, found)
        run.line(expand_format(text, fields) if text is not None else _stat_long(fields))

    return _each(run, paths, one)


def stat_fields(path: str, found: FileStat) -> dict[str, str]:
    """The letters of `stat -c` and `find -printf` for one file."""
    regular = "regular file" if found.size else "regular empty file"
    kind = {st.S_IFDIR: "directory", st.S_IFLNK: "symbolic link"}.get(st.S_IFMT(found.mode), regular)
    when = datetime.fromtimestamp(found.mtime, UTC).strftime("%Y-%m-%d %H:%M:%S.000000000 +0000")
    return {
        "n": path, "N": f"`{path}'", "s": str(found.size), "a": f"{found.mode & 0o7777:o}",
        "A": st.filemode(found.mode), "f": f"{found.mode:x}", "F": kind,
        "u": str(found.uid), "U": owner_name(found.uid), "g": str(found.gid), "G": owner_name(found.gid),
        "i": str(found.inode), "h": str(found.nlink), "b": str(_blocks(found)), "B": str(BLOCK), "o": "4096",
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
        return _need(run)
    try:
        path = run.absolute(paths[0])
        run.line(run.files.resolve(path) if options & set("fe") or run.name == "realpath" else run.files.readlink(path))
    except OSError as error:
        if run.name == "realpath":
            run.complain(describe(error))
        return 1
    return 0


TOOLS: dict[str, Tool] = {
    "chmod": chmod, "chown": chown, "cp": cp, "ln": ln, "ls": ls, "mkdir": mkdir, "mv": mv, "readlink": readlink,
    "realpath": readlink, "rm": rm, "rmdir": rmdir, "stat": stat, "touch": touch,
}  # fmt: skip
