"""Commands that make, move and remove files."""

import posixpath
import stat as st
from collections.abc import Callable

from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError, on_phone

from .date import parse_date, time_zone
from .options import parse_options
from .owners import OWNERS


def each(run: Invocation, paths: list[str], action: Callable[[str], None]) -> int:
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


@on_phone
def mkdir(run: Invocation) -> int:
    """Make directories: -p, -m MODE."""
    options, paths = parse_options(run, "pv", "m")

    def make(path: str) -> None:
        absolute = run.absolute(path)
        if "p" in options and run.files.is_dir(absolute):
            return
        parents = "p" in options
        run.files.mkdir(run.writable(path, parents), parents)

    return each(run, paths, make) if paths else need(run)


def need(run: Invocation) -> int:
    raise ToolError(f'Needs 1 argument (see "{run.name} --help")')


@on_phone
def rmdir(run: Invocation) -> int:
    """Remove empty directories."""
    _, paths = parse_options(run, "p")
    return each(run, paths, lambda path: run.files.rmdir(run.writable(path)))


@on_phone
def rm(run: Invocation) -> int:
    """Remove files, and directories with -r: -f -r -R -i -v."""
    options, paths = parse_options(run, "frRiv")
    recursive = bool(options & set("rR"))
    if not paths:
        return 0 if "f" in options else need(run)

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

    return each(run, paths, remove)


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

    return each(run, sources, move)


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
            _copy_one(
                run,
                path,
                run.writable(place + path[len(origin.rstrip("/")) :], parents=True),
                keep=bool(options & set("pa")),
            )

    return each(run, sources, copy)


def _copy_one(run: Invocation, source: str, target: str, keep: bool) -> None:
    stat = run.files.stat(source)
    if st.S_ISDIR(stat.mode):
        run.files.mkdir(target, parents=True)
    else:
        run.files.write(target, run.files.read(source), stat.mode & 0o777, stat.mtime if keep else None)


@on_phone
def touch(run: Invocation) -> int:
    """Create files or set their time: now, -d DATE, -t [[CC]YY]MMDDhhmm[.ss], -r FILE; -c creates nothing."""
    options, paths = parse_options(run, "acmh", "drt")
    when = run.files.now()
    if "d" in options:
        when = parse_date(options.values["d"], run.phone.clock.now(), time_zone(run.phone)).timestamp()
    elif "t" in options:
        when = _touch_time(run, options.values["t"])
    elif "r" in options:
        when = run.files.stat(run.readable(options.values["r"])).mtime

    def one(path: str) -> None:
        if run.files.exists(run.absolute(path)):
            run.files.utime(run.writable(path), when)
        elif "c" not in options:
            run.files.write(run.writable(path), b"", mtime=when)

    return each(run, paths, one)


def _touch_time(run: Invocation, text: str) -> float:
    """`[[CC]YY]MMDDhhmm[.ss]`: the year comes first here, and last for `date`."""
    digits, dot, seconds = text.partition(".")
    if not digits.isdecimal() or len(digits) not in (8, 10, 12):
        raise ToolError(f"bad '{text}'")
    turned = digits[-8:] + digits[:-8] + dot + seconds
    return parse_date(turned, run.phone.clock.now(), time_zone(run.phone)).timestamp()


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
    return each(run, paths[1:], lambda path: run.files.chmod(run.writable(path), _mode(run, path, paths[0])))


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
    return each(run, paths[1:], lambda path: run.files.chown(run.writable(path), uid, gid))


TOOLS: dict[str, Tool] = {
    "chmod": chmod, "chown": chown, "cp": cp, "ln": ln, "mkdir": mkdir, "mv": mv, "rm": rm, "rmdir": rmdir,
    "touch": touch,
}  # fmt: skip
