"""`echo`, `printf`, `test` and `[`."""

import re
from collections.abc import Callable

from emulator_farm.virtual.shell.invocation import Invocation, Tool, ToolError, on_phone

ESCAPES = {"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
ESCAPE = re.compile(r"\\(?:0([0-7]{1,3})|([1-7][0-7]{0,2})|0|x([0-9a-fA-F]{1,2})|(.)|$)", re.DOTALL)
DIRECTIVE = re.compile(r"%(%|[-+ 0#]*(?:\d{1,5}|\*)?(?:\.(?:\d{1,5}|\*)?)?[diouxXeEfFgGcsb])")
ECHO_FLAGS = re.compile(r"-[neE]+")


def unescape(text: str) -> tuple[str, bool]:
    """Backslash escapes of `echo -e` and `printf %b`; the flag tells whether `\\c` ended the output."""
    out: list[str] = []
    position = 0
    for found in ESCAPE.finditer(text):
        out.append(text[position : found.start()])
        position = found.end()
        octal, octal2, hexadecimal, letter = found.groups()
        if letter == "c":
            return "".join(out), True
        if octal or octal2 or hexadecimal:
            out.append(_byte(int(octal or octal2, 8) if octal or octal2 else int(hexadecimal, 16)))
        elif letter is not None:
            out.append(ESCAPES.get(letter, "\\" + letter))
        else:
            out.append("\0" if found.group() == "\\0" else found.group())
    return "".join([*out, text[position:]]), False


def _byte(number: int) -> str:
    return bytes([number & 0xFF]).decode("utf-8", "surrogateescape")


def _rejoin(text: str) -> str:
    """Bytes made one by one from escapes become characters again."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


async def echo(run: Invocation) -> int:
    """Print the arguments: -n without newline, -e with escapes."""
    args = list(run.args)
    newline, escapes = True, False
    while args and ECHO_FLAGS.fullmatch(args[0]):
        for letter in args.pop(0)[1:]:
            newline = newline and letter != "n"
            escapes = letter == "e" or (escapes and letter != "E")
    text = " ".join(args)
    if escapes:
        text, ended = unescape(text)
        text, newline = _rejoin(text), newline and not ended
    run.out(text + ("\n" if newline else ""))
    return 0


async def printf(run: Invocation) -> int:
    """Print by a format, which is used again while arguments are left."""
    if not run.args:
        raise ToolError('Needs 1 argument (see "printf --help")')
    template, rest = run.args[0], list(run.args[1:])
    template, ended = unescape(template.replace("%%", "%\0"))
    status = 0
    while True:
        before = len(rest)
        out: list[str] = []
        position = 0
        for found in DIRECTIVE.finditer(template):
            out.append(template[position : found.start()].replace("%\0", "%"))
            position = found.end()
            text, wrong, stop = _directive(found.group(1), rest)
            out.append(text)
            ended = ended or stop
            if wrong:
                run.complain(f"{wrong}: not integer")
                status = 1
            if stop:
                break
        out.append("" if ended and position else template[position:].replace("%\0", "%"))
        run.out(_rejoin("".join(out)))
        if not rest or len(rest) == before or ended:
            return status


def _directive(spec: str, rest: list[str]) -> tuple[str, str, bool]:
    """Text of one directive, the argument that was no number, whether `\\c` ended the output."""
    while "*" in spec:
        width = rest.pop(0) if rest else "0"
        spec = spec.replace("*", width if re.fullmatch(r"-?\d{1,5}", width) else "0", 1)
    value = rest.pop(0) if rest else None
    kind, flags = spec[-1], spec[:-1]
    match kind:
        case "s":
            return f"%{flags}s" % (value or ""), "", False
        case "b":
            text, ended = unescape(value or "")
            return f"%{flags}s" % text, "", ended
        case "c":
            return f"%{flags}s" % (value or "")[:1], "", False
        case _:
            number, wrong = _number(value or "0")
            if kind in "diouxX":
                unsigned = kind in "ouxX" and number < 0
                integer = int(number) + (2**64 if unsigned else 0)
                return f"%{flags}{'d' if kind in 'iu' else kind}" % integer, wrong, False
            return f"%{flags}{kind}" % number, wrong, False


def _number(text: str) -> tuple[float, str]:
    if text[:1] in ("'", '"') and len(text) > 1:
        return ord(text[1]), ""
    try:
        return int(text, 0), ""
    except ValueError:
        pass
    try:
        return (int(text, 8) if re.fullmatch(r"[+-]?0[0-7]+", text) else float(text)), ""
    except ValueError:
        return 0, text


# -- test


@on_phone
def test(run: Invocation) -> int:
    """Evaluate a condition; 0 true, 1 false, 2 malformed."""
    args = list(run.args)
    if run.name == "[":
        if not args or args[-1] != "]":
            raise ToolError("missing ]", code=2, prefix="/system/bin/sh: [: ")
        args.pop()
    condition = _Condition(run, args)
    value = condition.either() if args else False
    if condition.rest:
        raise ToolError(f"{condition.rest[0]}: unexpected operator/operand", 2, f"/system/bin/sh: {run.name}: ")
    return int(not value)


NUMERIC: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}
TEXTUAL: dict[str, Callable[[str, str], bool]] = {
    "=": lambda a, b: a == b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
}


class _Condition:
    def __init__(self, run: Invocation, args: list[str]) -> None:
        self._run = run
        self.rest = args

    def either(self) -> bool:
        value = self.both()
        while self.rest[:1] == ["-o"]:
            self.rest.pop(0)
            value = self.both() or value
        return value

    def both(self) -> bool:
        value = self.single()
        while self.rest[:1] == ["-a"]:
            self.rest.pop(0)
            value = self.single() and value
        return value

    def single(self) -> bool:
        rest = self.rest
        if len(rest) >= 3 and rest[1] in NUMERIC | TEXTUAL:
            return self.compare(rest.pop(0), rest.pop(0), rest.pop(0))
        if rest[:1] == ["!"] and len(rest) > 1:
            rest.pop(0)
            return not self.single()
        if rest[:1] == ["("] and ")" in rest:
            rest.pop(0)
            value = self.either()
            if rest[:1] == [")"]:
                rest.pop(0)
            return value
        if len(rest) >= 2 and len(rest[0]) == 2 and rest[0][0] == "-" and rest[0][1] in "nzefdsrwxLh":
            return self.unary(rest.pop(0)[1], rest.pop(0))
        if not rest:
            raise ToolError("unexpected end", 2, f"/system/bin/sh: {self._run.name}: ")
        return rest.pop(0) != ""

    def compare(self, left: str, operator: str, right: str) -> bool:
        if operator in TEXTUAL:
            return TEXTUAL[operator](left, right)
        try:
            return NUMERIC[operator](int(left), int(right))
        except ValueError:
            wrong = left if not left.lstrip("-").isdecimal() else right
            raise ToolError(f"{wrong}: unexpected '{wrong}'", 2, f"/system/bin/sh: {self._run.name}: ") from None

    def unary(self, letter: str, operand: str) -> bool:
        if letter in "nz":
            return bool(operand) == (letter == "n")
        files = self._run.files
        try:
            path = self._run.writable(operand) if letter == "w" else self._run.readable(operand)
            if letter in "Lh":
                return files.stat(path, follow=False).mode & 0o170000 == 0o120000
            found = files.stat(path)
        except OSError:
            return False
        match letter:
            case "d":
                return files.is_dir(path)
            case "f":
                return not files.is_dir(path)
            case "s":
                return found.size > 0
            case "x":
                return bool(found.mode & 0o111)
            case _:
                return True


TOOLS: dict[str, Tool] = {"[": test, "echo": echo, "printf": printf, "test": test}
