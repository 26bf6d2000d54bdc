"""Filters: commands that read files or standard input and print something about the text."""

import base64 as b64
import binascii
import codecs
import hashlib
import re
from collections.abc import Callable

from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError
from emulator_farm.virtual.shell.pipes import read_all, to_bytes, to_text

from .options import Options, parse_options
from .printing import unescape
from .reading import lines_from, lines_of, opened, read_inputs


async def cat(run: Invocation) -> int:
    """Print files; without operand standard input as it comes."""
    options, paths = parse_options(run, "etuvAn")
    count = 0
    seen = 0
    async for _, source in opened(run, paths):
        seen += 1
        while data := await source.read():
            if "n" in options:
                for line in data.splitlines(keepends=True):
                    count += 1
                    run.out(b"%6d\t" % count + line)
            else:
                run.out(data)
            await run.flush()
    return int(seen < len(paths or ["-"]))


async def head(run: Invocation) -> int:
    """The first lines (-n N, -N) or bytes (-c N); reads no more than it prints."""
    options, paths, text = _ends(run)
    count, left_out = abs(int(text)), text.startswith("-")
    status = len(paths or ["-"])
    index = 0
    async for name, source in opened(run, paths):
        status -= 1
        if len(paths) > 1 and "q" not in options:
            run.out(f"{chr(10) if index else ''}==> {name} <==\n")
        index += 1
        if left_out:
            units = _units(await read_all(source), "c" in options)
            run.out(b"".join(units[: max(0, len(units) - count)]))
            continue
        left = count
        while left > 0 and (data := await source.read()):
            units = _units(data, "c" in options)
            run.out(b"".join(units[:left]))
            left -= len(units) if "c" in options else data.count(b"\n")
            await run.flush()
    return int(status > 0)


async def tail(run: Invocation) -> int:
    """The last lines (-n N, -n +N, -N) or bytes (-c N)."""
    options, paths, text = _ends(run)
    count = abs(int(text))
    found, status = await read_inputs(run, paths)
    for index, (name, content) in enumerate(found):
        if len(found) > 1 and "q" not in options:
            run.out(f"{chr(10) if index else ''}==> {name} <==\n")
        units = _units(content, "c" in options)
        run.out(b"".join(units[count - 1 :] if text.startswith("+") else units[max(0, len(units) - count) :]))
    return status


def _units(data: bytes, by_bytes: bool) -> list[bytes]:
    return [data[i : i + 1] for i in range(len(data))] if by_bytes else data.splitlines(keepends=True)


def _ends(run: Invocation) -> tuple[Options, list[str], str]:
    """Options, files and the count of `head` and `tail`, with `-N` for `-n N`."""
    is_value = [index > 0 and run.args[index - 1] in ("-n", "-c") for index in range(len(run.args))]
    run.args = [
        f"-n{arg[1:]}" if re.fullmatch(r"-\d+", arg) and not value else arg
        for arg, value in zip(run.args, is_value, strict=True)
    ]
    options, paths = parse_options(run, "qvfF", "nc")
    text = options.values.get("c" if "c" in options else "n", "10")
    number = _size(text)
    if number is None:
        raise ToolError(f"not integer: {text}")
    return options, paths, number


def _size(text: str) -> str | None:
    """`-12`, `+3`, `4k` as a plain number with its sign, None where it is none."""
    found = re.fullmatch(r"([+-]?)(\d+)([kKmMgG]?)", text)
    if found is None:
        return None
    sign, digits, unit = found.groups()
    return f"{sign}{int(digits) * 1024 ** ' kmg'.index(unit.lower() or ' ')}"


async def wc(run: Invocation) -> int:
    """Count lines -l, words -w, bytes -c, characters -m."""
    options, paths = parse_options(run, "lwcm")
    letters = [letter for letter in "lwcm" if letter in options] or ["l", "w", "c"]
    found, status = await read_inputs(run, paths)
    totals = [0] * len(letters)
    for name, content in found:
        counts = {
            "l": content.count(b"\n"),
            "w": len(content.split()),
            "c": len(content),
            "m": len(content.decode("utf-8", "replace")),
        }
        row = [counts[letter] for letter in letters]
        totals = [a + b for a, b in zip(totals, row, strict=True)]
        run.line(_count_row(row, "" if not paths else name))
    if len(found) > 1:
        run.line(_count_row(totals, "total"))
    return status


def _count_row(counts: list[int], name: str) -> str:
    text = str(counts[0]) if len(counts) == 1 else "".join(f"{count:8d}" for count in counts)
    return f"{text} {name}" if name else text


async def sort(run: Invocation) -> int:
    """Sort lines: -r -n -u -f -k FIELD -t CHAR."""
    options, paths = parse_options(run, "rnufbshV", "kto")
    found, status = await read_inputs(run, paths)
    lines = [line for _, content in found for line in lines_of(content)]
    separator = to_bytes(options.values.get("t", "")) or None
    field = options.values.get("k", "").split(",")[0].rstrip("nr")

    def key(line: bytes) -> tuple[float, bytes]:
        text = line
        if field.isdecimal() and int(field) > 0:
            text = b" ".join(line.split(separator)[int(field) - 1 :])
        text = text.lower() if "f" in options else text
        numeric = "n" in options or options.values.get("k", "").rstrip("r").endswith("n")
        return (_leading_number(text) if numeric else 0.0, text)

    lines.sort(key=key, reverse="r" in options or options.values.get("k", "").endswith("r"))
    if "u" in options:
        lines = [line for index, line in enumerate(lines) if not index or key(line) != key(lines[index - 1])]
    run.out(b"".join(line + b"\n" for line in lines))
    return status


def _leading_number(text: bytes) -> float:
    digits = b""
    for byte in text.lstrip():
        char = bytes([byte])
        if not (char.isdigit() or char == b"." or (char == b"-" and not digits)):
            break
        digits += char
    try:
        return float(digits or 0)
    except ValueError:
        return 0.0


async def uniq(run: Invocation) -> int:
    """Join equal neighbouring lines: -c counts, -d only repeated, -u only single ones, -i ignores case."""
    options, paths = parse_options(run, "cdui")
    found, status = await read_inputs(run, paths[:1])
    groups: list[tuple[bytes, int]] = []
    for line in lines_of(b"".join(content for _, content in found)):
        same = groups and (groups[-1][0].lower() == line.lower() if "i" in options else groups[-1][0] == line)
        if same:
            groups[-1] = (groups[-1][0], groups[-1][1] + 1)
        else:
            groups.append((line, 1))
    for line, count in groups:
        if ("d" not in options or count > 1) and ("u" not in options or count == 1):
            run.out((b"%7d " % count if "c" in options else b"") + line + b"\n")
    return status


async def cut(run: Invocation) -> int:
    """Print parts of lines: -d CHAR -f LIST, -c LIST, -b LIST, -s."""
    options, paths = parse_options(run, "sn", "dfcb")
    letter = next((letter for letter in "fcb" if letter in options), None)
    if letter is None:
        raise ToolError("no selections")
    wanted = _ranges(run, options.values[letter])
    delimiter = options.values.get("d", "\t")
    missing = len(paths or ["-"])
    async for _, source in opened(run, paths):
        missing -= 1
        async for lines in lines_from(source):
            for line in lines:
                shown = _cut(to_text(line), letter, delimiter, wanted, "s" in options)
                if shown is not None:
                    run.line(shown)
            await run.flush()
    return int(missing > 0)


def _cut(line: str, letter: str, delimiter: str, wanted: Callable[[int], bool], only_cut: bool) -> str | None:
    if letter != "f":
        return "".join(unit for index, unit in enumerate(line, 1) if wanted(index))
    fields = line.split(delimiter)
    if len(fields) == 1:
        return None if only_cut else line
    return delimiter.join(field for index, field in enumerate(fields, 1) if wanted(index))


def _ranges(run: Invocation, text: str) -> Callable[[int], bool]:
    spans = []
    for item in text.split(","):
        low, dash, high = item.partition("-")
        if not (low or high) or (low + high).strip("0123456789"):
            raise ToolError(f"bad range '{item}'")
        spans.append((int(low or 1), int(high or 10**9) if dash else int(low)))
    return lambda index: any(low <= index <= high for low, high in spans)


async def tr(run: Invocation) -> int:
    """Translate, -d delete or -s squeeze characters."""
    options, operands = parse_options(run, "dscC")
    if not operands:
        raise ToolError('Needs 1 argument (see "tr --help")')
    source = _character_set(operands[0])
    target = _character_set(operands[1]) if len(operands) > 1 else ""
    complement = bool(options & set("cC"))
    mapping = dict(zip(source, target + target[-1:] * len(source), strict=False))
    squeezed = target or source
    last = ""
    decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
    while data := await run.streams.stdin.read():
        text = decode(data)
        if "d" in options:
            text = "".join(char for char in text if (char in source) == complement)
        elif target and complement:
            text = "".join(char if char in source else target[-1] for char in text)
        elif target:
            text = "".join(mapping.get(char, char) for char in text)
        if "s" in options:
            before = last + text
            last = text[-1:] or last
            start = len(before) - len(text)
            text = "".join(c for i, c in enumerate(before) if i >= start and not (i and c == before[i - 1] in squeezed))
        run.out(text)
        await run.flush()
    run.out(decode(b"", True))
    return 0


CLASSES = {
    "upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "lower": "abcdefghijklmnopqrstuvwxyz",
    "digit": "0123456789",
    "space": " \t\n\r\v\f",
    "blank": " \t",
}


def _character_set(text: str) -> str:
    text, _ = unescape(text)
    for name, members in CLASSES.items():
        text = text.replace(f"[:{name}:]", members)
    out = ""
    position = 0
    while position < len(text):
        if text[position + 1 : position + 2] == "-" and position + 2 < len(text):
            out += "".join(chr(code) for code in range(ord(text[position]), ord(text[position + 2]) + 1))
            position += 3
        else:
            out += text[position]
            position += 1
    return out


async def base64(run: Invocation) -> int:
    """Encode, or decode with -d; -w COLUMNS wraps (76; 0 = not), -i ignores garbage."""
    options, paths = parse_options(run, "di", "w")
    found, status = await read_inputs(run, paths)
    data = b"".join(content for _, content in found)
    if "d" in options:
        try:
            run.out(b64.b64decode(b"".join(data.split()), validate="i" not in options))
        except binascii.Error:
            raise ToolError("bad input") from None
        return status
    width = int(options.values.get("w", "76")) or len(data) * 2 + 4
    text = b64.b64encode(data)
    run.out(b"".join(text[start : start + width] + b"\n" for start in range(0, len(text), width)))
    return status


def _digest(algorithm: str) -> Tool:
    async def tool(run: Invocation) -> int:
        """Print checksums; -b without the name."""
        options, paths = parse_options(run, "bs")
        found, status = await read_inputs(run, paths)
        for name, content in found:
            digest = hashlib.new(algorithm, content, usedforsecurity=False).hexdigest()
            run.line(digest if "b" in options else f"{digest}  {name}")
        return status

    return tool


TOOLS: dict[str, Tool] = {
    "base64": base64, "cat": cat, "cut": cut, "head": head, "sort": sort, "tail": tail, "tr": tr, "uniq": uniq,
    "wc": wc,
    **{f"{algorithm}sum": _digest(algorithm) for algorithm in ("md5", "sha1", "sha256", "sha512")},
}  # fmt: skip
