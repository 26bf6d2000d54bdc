"""Calls in whatever syntax a model chose where its grammar wants one: text, JSON, `<function=…>`, a bare verb."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import partial

from agent_server.adapters.arguments import normal
from agent_server.adapters.call_syntax import read_call, read_calls
from agent_server.adapters.literal import Scanner
from agent_server.adapters.phone_verbs import VERBS
from agent_server.adapters.reply import Call
from agent_server.adapters.thoughts import only_remarks
from agent_server.adapters.tool_call import read_functions, read_objects

FENCE = r"(?:^|(?<=</think>)|(?<=</thinking>))(?:```\w{0,10}\r?\n)?"
"""The beginning of a line or of what follows thinking, with a code fence that opens on the line before."""
CALL_LINE = FENCE + r"(?:[ \t*>`•-]|```\w{0,10}|\d{1,3}[.)][ ]|<\|\w{1,20}\|>)*+(?=[A-Za-z_][\w.]{0,60}[(（])"
"""A line that begins with a call, for `thoughts.marker`."""
ACTION_LINE = FENCE + r"[ \t*#>-]*+action[ \t*]*+[:：][ \t*`\"']*+(?=[A-Za-z_][\w.]{0,60}[(（]|[{\[])"
"""A line that begins with "Action:" and a call or an object."""
OBJECT_LINE = FENCE + r"(?:[ \t`]|json)*+(?=\{|\[\s{0,20}\{)"
"""A line that begins with a JSON object."""

_NOTHING_BEFORE = re.compile(r"[\s`*\"']*+(?:action[ *]{0,3}[:：])?[\s`*\"']*+", re.IGNORECASE)
_WORD = re.compile(r"[\s*`\"']*+([A-Za-z_]\w{0,40})[ \t.*`\"']*+(?=\Z|\n|<)")
_HEAD = re.compile(r"(?<![\w.])([A-Za-z_]\w{0,60})[(（]")
_PROSE = 160
"""How far behind a marker a call may hide in prose, in characters."""


def reader(verbs: Collection[str], types: Collection[str] = ()) -> Callable[[Scanner], list[Call]]:
    """Reads what stands behind a marker.

    `verbs` are the names that count even without brackets; amid prose only those that touch the phone do, so that
    "not finished (yet)" ends nothing. `types` are the verbs that JSON may name in `type`.
    """

    def read(scanner: Scanner) -> list[Call]:
        start = scanner.pos
        for syntax in (read_calls, partial(read_objects, types=types), read_functions):
            calls = syntax(scanner)
            if calls or scanner.pos != start:
                return calls
        word = _WORD.match(scanner.text, start)
        if word and normal(word[1]) in verbs:
            scanner.pos = word.end()
            return [Call(word[1], source=word[1])]
        end = scanner.text.find("<", start, start + _PROSE)
        for head in _HEAD.finditer(scanner.text, start, end if end >= 0 else start + _PROSE):
            if normal(head[1]) in VERBS:
                scanner.pos = head.start()
                return read_calls(scanner)
        return []

    return read


def bare_reader(verbs: Collection[str], types: Collection[str] = ()) -> Callable[[Scanner], list[Call]]:
    """Reads a line that no marker introduces: known verbs, any verb that is the whole reply, objects with a verb."""

    def read(scanner: Scanner) -> list[Call]:
        if scanner.char in ("{", "["):
            return read_objects(scanner, types)
        start = scanner.pos
        call = read_call(scanner)
        if call is None:
            return []
        alone = (
            start <= _PROSE
            and _NOTHING_BEFORE.fullmatch(scanner.text, 0, start)
            and only_remarks(scanner.text, scanner.pos)
        )
        if normal(call.name) not in verbs and not alone:
            return []
        return [call, *read_calls(scanner)]

    return read
