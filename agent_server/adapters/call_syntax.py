"""Calls as text: `Click(box=(540, 1210))`, read tolerantly and written strictly."""

from __future__ import annotations

import re

from agent_server.adapters.literal import ARGUMENT, MOST_PARTS, STOP, Scanner
from agent_server.adapters.reply import Call, Value

_HEAD = re.compile(r"([A-Za-z_][\w.]{0,60})\s{0,3}[(（]")
_KEYWORD = re.compile(r"([A-Za-z_]\w{0,40})\s{0,3}[=＝]\s*+")
_NEXT = re.compile(
    r"[ \t]*+\r?\n\s*+"
    r"(?:(?i:action|thought|reflection|action_summary|observation)[ *]{0,3}[:：]|[A-Za-z_]\w{0,40}[(（])"
)
_JUNK = re.compile(
    r"(?:[\s*;；,，•>'\"-]++|```\w{0,10}|`|\d{1,3}[.)]\s|<\|\w{1,20}\|>|\[EOS\]|(?i:action)[ *]{0,3}[:：]){0,16}+"
)
"""What models put in front of a call: fences, bullets, box tokens, a repeated "Action:"."""


def read_call(scanner: Scanner) -> Call | None:
    """The call that starts here, None where none does. A missing closing bracket is forgiven."""
    start = scanner.pos
    head = scanner.take_match(_HEAD)
    if head is None:
        return None
    arguments: dict[str, Value] = {}
    positional: list[Value] = []
    while True:
        if (arguments or positional) and _NEXT.match(scanner.text, scanner.pos):
            break
        scanner.skip_space()
        if not scanner.char or scanner.take(")）") or STOP.match(scanner.text, scanner.pos):
            break
        if len(arguments) + len(positional) >= MOST_PARTS:
            scanner.skip_to_stop()
            break
        before = scanner.pos
        if scanner.take(",，;；"):
            continue
        keyword = scanner.take_match(_KEYWORD)
        value = scanner.value(ARGUMENT)
        if keyword:
            arguments.setdefault(keyword[1], value)
        else:
            positional.append(value)
        if scanner.pos == before:
            scanner.pos += 1
    return Call(head[1].rpartition(".")[2], arguments, positional, scanner.text[start : scanner.pos].strip())


def read_calls(scanner: Scanner) -> list[Call]:
    """The calls that follow here with nothing but separators between them."""
    calls: list[Call] = []
    while True:
        end = scanner.pos
        scanner.take_match(_JUNK)
        call = read_call(scanner)
        if call is None:
            scanner.pos = end
            return calls
        calls.append(call)


def quoted(text: str, quote: str = "'") -> str:
    """`text` as a quoted literal on one line; `literal.unescaped` of its inside gives `text` back."""
    escaped = text.replace("\\", "\\\\").replace(quote, f"\\{quote}").replace("\n", "\\n").replace("\r", "\\r")
    return f"{quote}{escaped}{quote}"
