"""Bytes as they are: `od`, `xxd`, `dd`, `cmp`, `truncate`, `strings`, `rev`, `tac`, `nl`."""

import re

from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError, on_phone
from emulator_farm.virtual.shell.pipes import to_text

from .files import each
from .options import parse_options
from .reading import lines_of, open_source, read_inputs

UNITS = {"": 1, "c": 1, "w": 2, "b": 512, "k": 1024, "m": 1024**2, "g": 1024**3, "kd": 1000, "md": 10**6}
SIZE = re.compile(r"(\d+)([a-z]{0,2})")
OD_SIZES = {"o": 2, "x": 2, "d": 2, "u": 2, "c": 1, "a": 1}
ESCAPED = {0: "\\0", 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}


def size_of(text: str) -> int:
    """`4`, `4k`, `1M` in bytes. Raises ToolError."""
    found = SIZE.fullmatch(text.lower())
    if found is None or found.group(2) not in UNITS:
        raise ToolError(f"not integer: {text}")
    return int(found.group(1)) * UNITS[found.group(2)]


async def _head_of(run: Invocation, paths: list[str], count: int | None) -> tuple[bytes, int]:
    """The first bytes of the operands, read no further than that."""
    data, status = b"", 0
    for path in paths or ["-"]:
        try:
            source = await open_source(run, path)
        except OSError as error:
            run.complain(f"{path}: {error.strerror}")
            status = 1
            continue
        while (count is None or len(data) < count) and (more := await source.read()):
            data += more
    return data[:count], status


async def od(run: Invocation) -> int:
    """Print bytes as numbers: -A d|o|x|n, -t TYPE, -j SKIP, -N COUNT, -b -c -d -o -x, -v."""
    options, paths = parse_options(run, "bcdosxv", "AtjNw")
    skip = size_of(options.values.get("j", "0"))
    count = size_of(options.values["N"]) if "N" in options else None
    data, status = await _head_of(run, paths, None if count is None else skip + count)
    data = data[skip:]
    kind = options.values.get("t", "")
    shorts = {"b": "o1", "c": "c", "d": "u2", "o": "o2", "s": "d2", "x": "x2"}
    kind = kind or next((shorts[letter] for letter in "bcdosx" if letter in options), "o2")
    base = options.values.get("A", "o")
    letter, size = kind[0], int(kind[1:]) if kind[1:].isdecimal() else OD_SIZES.get(kind[0], 2)
    if letter not in OD_SIZES or size not in (1, 2, 4, 8):
        raise ToolError(f"bad -t {kind}")
    row = int(options.values.get("w", "16"))
    before = b""
    folded = False
    for start in range(0, len(data), row):
        part = data[start : start + row]
        if part == before and len(part) == row and "v" not in options:
            if not folded:
                run.line("*")
            folded = True
            continue
        before, folded = part, False
        cells = (part[i : i + size] for i in range(0, len(part), size))
        run.line(_address(skip + start, base) + "".join(_od_cell(cell, letter, size) for cell in cells))
    if base != "n":
        run.line(_address(skip + len(data), base))
    return status


def _address(offset: int, base: str) -> str:
    return "" if base == "n" else format(offset, {"o": "07o", "d": "07d", "x": "06x"}.get(base, "07o"))


def _od_cell(cell: bytes, letter: str, size: int) -> str:
    if letter in "ca":
        byte = cell[0]
        return f"{ESCAPED.get(byte) or (chr(byte) if 32 <= byte < 127 else f'{byte:03o}'):>4}"
    number = int.from_bytes(cell.ljust(size, b"\0"), "little", signed=letter == "d")
    width = {"o": (8 * size + 2) // 3, "x": 2 * size, "u": {1: 3, 2: 5, 4: 10, 8: 20}[size]}.get(letter)
    if width is None:
        return f"{number:>{ {1: 5, 2: 7, 4: 12, 8: 21}[size] }}"
    return " " + (f"{number:>{width}}" if letter == "u" else f"{number:0{width}{letter}}")


async def xxd(run: Invocation) -> int:
    """Print bytes in hexadecimal: -c COLUMNS, -g GROUP, -l COUNT, -s SKIP, -p plain, -r back to bytes."""
    options, paths = parse_options(run, "pri", "cgls")
    if "r" in options:
        found, status = await read_inputs(run, paths)
        run.out(b"".join(_unhex(to_text(line), "p" in options) for _, data in found for line in lines_of(data)))
        return status
    skip = size_of(options.values.get("s", "0"))
    count = size_of(options.values["l"]) if "l" in options else None
    data, status = await _head_of(run, paths, None if count is None else skip + count)
    data = data[skip:]
    row = int(options.values.get("c", "30" if "p" in options else "16"))
    group = int(options.values.get("g", "2")) or row
    for start in range(0, len(data), row):
        part = data[start : start + row]
        if "p" in options:
            run.line(part.hex())
            continue
        pieces = [part[i : i + group].hex() for i in range(0, len(part), group)]
        width = 2 * row + -(-row // group) - 1
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        run.line(f"{skip + start:08x}: {' '.join(pieces):<{width}}  {shown}")
    return status


def _unhex(line: str, plain: bool) -> bytes:
    digits = line if plain else line.partition(": ")[2].partition("  ")[0]
    try:
        return bytes.fromhex("".join(digits.split()))
    except ValueError:
        raise ToolError("bad hexadecimal input") from None


async def dd(run: Invocation) -> int:
    """Copy blocks: if= of= bs= count= skip= seek= conv=notrunc status=none."""
    values = dict(arg.partition("=")[::2] for arg in run.args)
    unknown = set(values) - {
        "if",
        "of",
        "bs",
        "ibs",
        "obs",
        "count",
        "skip",
        "seek",
        "conv",
        "status",
        "iflag",
        "oflag",
    }
    if unknown:
        raise ToolError(f"bad arg {sorted(unknown)[0]}")
    block = size_of(values.get("bs") or values.get("ibs") or "512") or 1
    skip = size_of(values.get("skip", "0")) * block
    count = size_of(values["count"]) * block if "count" in values else None
    room = await run.call(lambda phone: phone.files.capacity + 1)
    limit = min(count, room) if count is not None else (room if values.get("if", "").startswith("/dev/") else None)
    data, status = await _head_of(
        run, [values["if"]] if "if" in values else [], None if limit is None else skip + limit
    )
    if status:
        return status
    data = data[skip:]
    target = values.get("of", "")
    if target in ("", "/dev/stdout"):
        run.out(data)
    elif target not in ("/dev/null", "/dev/zero"):
        seek = size_of(values.get("seek", "0")) * block
        keep = seek > 0 or "notrunc" in values.get("conv", "")

        def write(phone: Phone) -> None:
            path = run.writable(target)
            old = phone.files.read(path) if keep and phone.files.exists(path) else b""
            after = old[seek + len(data) :] if "notrunc" in values.get("conv", "") else b""
            phone.files.write(path, old[:seek].ljust(seek, b"\0") + data + after)

        try:
            await run.call(write)
        except OSError as error:
            raise ToolError(f"{target}: {error.strerror}") from None
    if values.get("status") not in ("none", "noxfer"):
        whole, part = divmod(len(data), block)
        records = f"{whole}+{int(part > 0)} records"
        run.err(f"{records} in\n{records} out\n{len(data)} bytes ({len(data)} B) copied, 0.001 s, {len(data)} M/s\n")
    return 0


async def cmp(run: Invocation) -> int:
    """Compare two files: -s says nothing."""
    options, paths = parse_options(run, "sl")
    if len(paths) < 2:
        raise ToolError('Needs 2 arguments (see "cmp --help")')
    found, status = await read_inputs(run, paths[:2])
    if status:
        return 2
    (_, first), (_, second) = found
    if first == second:
        return 0
    shorter = min(len(first), len(second))
    position = next((index for index in range(shorter) if first[index] != second[index]), None)
    if "s" not in options and position is None:
        run.err(f"cmp: EOF on {paths[len(first) > len(second)]}\n")
    elif "s" not in options and position is not None:
        line = first[:position].count(b"\n") + 1
        run.line(f"{paths[0]} {paths[1]} differ: char {position + 1}, line {line}")
    return 1


@on_phone
def truncate(run: Invocation) -> int:
    """Set the size of files: -s SIZE, -c."""
    options, paths = parse_options(run, "c", "s")
    if "s" not in options:
        raise ToolError("Needs -s")
    size = size_of(options.values["s"])

    def one(path: str) -> None:
        absolute = run.writable(path)
        exists = run.files.exists(absolute)
        if exists or "c" not in options:
            run.files.write(absolute, (run.files.read(absolute) if exists else b"")[:size].ljust(size, b"\0"))

    return each(run, paths, one)


async def strings(run: Invocation) -> int:
    """Print runs of printable characters: -n LENGTH."""
    options, paths = parse_options(run, "afo", "nt")
    found, status = await read_inputs(run, paths)
    least = size_of(options.values.get("n", "4"))
    for _, data in found:
        for text in re.findall(rb"[\x20-\x7e\t]{%d,}" % least, data):
            run.out(text + b"\n")
    return status


async def turned(run: Invocation) -> int:
    """`tac`: the last line first; `rev`: each line from its end; `nl`: lines with their numbers."""
    _, paths = parse_options(run, "", "bwvs")
    found, status = await read_inputs(run, paths)
    lines = [to_text(line) for _, data in found for line in lines_of(data)]
    match run.name:
        case "tac":
            lines.reverse()
        case "rev":
            lines = [line[::-1] for line in lines]
        case _:
            filled = iter(range(1, len(lines) + 1))
            lines = [f"{next(filled):>6}\t{line}" if line else " " * 7 for line in lines]
    run.out("".join(f"{line}\n" for line in lines))
    return status


TOOLS: dict[str, Tool] = {
    "cmp": cmp, "dd": dd, "nl": turned, "od": od, "rev": turned, "strings": strings, "tac": turned,
    "truncate": truncate, "xxd": xxd,
}  # fmt: skip
