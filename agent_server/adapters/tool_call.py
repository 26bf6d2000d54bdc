"""Tool calls: JSON objects in tags, with or without them, and the `<function=…>` form.

What chat models emit for a function call varies more than its schema: arguments as an object, as a JSON string or
beside the name; single quotes; trailing commas; the closing brace or tag missing; the verb in `action`, `action_type`
or in the place of the tool's name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from agent_server.adapters.call_syntax import read_call
from agent_server.adapters.literal import Scanner
from agent_server.adapters.reply import Call, Value

_TOOLS = {"mobile_use", "computer_use", "mobile", "phone_use", "device_use", "browser_use", "gui_use", "android_use"}
_INNER = ("arguments", "parameters", "params", "args")
_LISTS = ("tool_calls", "function_call")
_VERB = ("action", "action_type", "operation")
_JUNK = re.compile(r"(?:\s++|```\w{0,10}|[,;，`\[(\])}]|json\b|<\|\w{1,20}\|>|(?i:action)[ *]{0,3}[:：]){0,12}+")
_FUNCTION = re.compile(r"<function(?:=|\s+name\s*=\s*)[\"']?([\w.-]{1,60})[\"']?\s*>")
_FUNCTION_END = re.compile(r"</function>")
_PARAMETER = re.compile(r"\s*+<parameter(?:=|\s+name\s*=\s*)[\"']?([\w.-]{1,60})[\"']?\s*>")
_PARAMETER_END = re.compile(r"</parameter>|(?=<parameter[=\s])|(?=</function>)|(?=</(?:seed:)?tool_call>)")
_DEPTH = 24
_STRICT_FAILURES = 20
"""How often strict JSON is tried in vain: each failure costs a walk over the text, to count its lines."""


def _integer(digits: str) -> int | float:
    """Python refuses to convert integers of thousands of digits; a float of them is infinite, and out of any range."""
    return int(digits) if len(digits) < 300 else float(digits)


_DECODER = json.JSONDecoder(parse_int=_integer, strict=False)


def read_objects(scanner: Scanner, types: Collection[str] = ()) -> list[Call]:
    """The calls that the JSON objects here spell, one after another or in a list; objects that spell none end it.

    `types` are verbs that may stand in `type`, which says many other things too.
    """
    calls: list[Call] = []
    while True:
        end = scanner.pos
        scanner.take_match(_JUNK)
        start = scanner.pos
        entry = read_object(scanner)
        found = _calls_of(entry, scanner.text[start : scanner.pos], types) if entry is not None else []
        if not found:
            scanner.pos = end if entry is None else scanner.pos
            return calls
        calls += found


def _calls_of(entry: dict[str, Value], source: str, types: Collection[str]) -> list[Call]:
    """The call that an object spells, or those of a whole message as servers give it, which has them in a list."""
    for key in _LISTS:
        listed = entry.get(key)
        if listed:
            inner = [item for item in (listed if isinstance(listed, list) else [listed]) if isinstance(item, dict)]
            return [call for item in inner if (call := call_of(item, source, types))]
    call = call_of(entry, source, types)
    return [call] if call else []


def read_object(scanner: Scanner) -> dict[str, Value] | None:
    """The object that starts here, strict JSON or something like it; None where none starts."""
    if scanner.char != "{":
        return None
    if scanner.strict_failures >= _STRICT_FAILURES:
        return scanner.mapping()
    try:
        found, end = _DECODER.raw_decode(scanner.text, scanner.pos)
    except (ValueError, RecursionError):
        scanner.strict_failures += 1
        return scanner.mapping()
    scanner.pos = end
    return found if isinstance(found, dict) and not _too_deep(found) else {}


def call_of(entry: dict[str, Value], source: str = "", types: Collection[str] = ()) -> Call | None:
    """The call that an object spells, None where it names no verb; `types` as in `read_objects`."""
    function = entry.get("function")
    named = dict(function if isinstance(function, dict) else entry)
    if isinstance(function, str):
        named.setdefault("name", named.pop("function"))
    tool = named.get("name")
    for key in (*_INNER, "input"):
        inner = _object(named.get(key)) if key != "input" or tool else None
        if inner is not None:
            named.pop(key)
            if "name" in named and named["name"] == tool:
                named.pop("name")
            named |= inner
    verb = _verb(named)
    if verb is None and isinstance(kind := named.get("type"), str) and kind in types:
        verb = named.pop("type")
    if verb is None and not _is_tool(tool):
        verb = tool
        named.pop("name", None)
    if verb is None or isinstance(verb, dict):
        verb = _verb_as_key(named, types)
    if _is_tool(named.get("name")):
        named.pop("name")
    if not isinstance(verb, str) or not verb.strip():
        return None
    return read_call(Scanner(verb.strip())) if "(" in verb else Call(verb.strip(), named, (), source)


def _is_tool(name: Value) -> bool:
    return isinstance(name, str) and name in _TOOLS


def resolved(call: Call) -> Call:
    """A call of the tool by its name as the call that its arguments spell.

    They are named, `mobile_use(action="click", …)`, or one object, `mobile_use({"action": "click", …})`.
    """
    if not _is_tool(call.name):
        return call
    alone = call.positional[0] if len(call.positional) == 1 else None
    spelt = alone if isinstance(alone, dict) else {}
    return call_of({**spelt, **call.arguments}, call.source) or call


def _object(value: Value) -> dict[str, Value] | None:
    """An object, or the one that a JSON text holds."""
    if isinstance(value, str):
        return read_object(Scanner(value.strip()))
    return value if isinstance(value, dict) else None


def _verb(named: dict[str, Value]) -> Value:
    """Takes the verb out of an object; a verb that is an object itself leaves its arguments there."""
    verb: Value = None
    for key in _VERB:
        if key in named and verb is None:
            verb = named.pop(key)
    if isinstance(verb, dict):
        named |= verb
        for key in ("action", "type", "name"):
            if isinstance(named.get(key), str):
                return named.pop(key)
    return verb


def _verb_as_key(named: dict[str, Value], types: Collection[str]) -> str | None:
    """Takes the verb out of `{"click": {…}}`: the one key that is of `types` and holds the arguments."""
    keys = [key for key, value in named.items() if key in types and isinstance(value, dict)]
    if len(keys) != 1:
        return None
    inner = named.pop(keys[0])
    named |= inner if isinstance(inner, dict) else {}
    return keys[0]


def read_functions(scanner: Scanner) -> list[Call]:
    """The calls in `<function=name><parameter=key>value</parameter>…</function>` form that follow here."""
    calls: list[Call] = []
    while True:
        end = scanner.pos
        scanner.skip_space()
        start = scanner.pos
        head = scanner.take_match(_FUNCTION)
        if head is None:
            scanner.pos = end
            return calls
        arguments: dict[str, Value] = {}
        while parameter := scanner.take_match(_PARAMETER):
            close = _PARAMETER_END.search(scanner.text, scanner.pos)
            value = scanner.text[scanner.pos : close.start() if close else len(scanner.text)]
            scanner.pos = close.end() if close else len(scanner.text)
            arguments[parameter[1]] = value.removeprefix("\n").removesuffix("\n")
        scanner.skip_space()
        scanner.take_match(_FUNCTION_END)
        source = scanner.text[start : scanner.pos]
        if head[1] in _TOOLS:
            call = call_of(arguments, source)
        else:
            call = Call(head[1], arguments, (), source)
        if call is not None:
            calls.append(call)


def write_tool_call(arguments: dict[str, Value], name: str = "mobile_use", *, compact: bool = False) -> str:
    """One call as Qwen's chat template expects it."""
    separators = (",", ":") if compact else None
    body = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False, separators=separators)
    return f"<tool_call>\n{body}\n</tool_call>"


def _too_deep(value: Value) -> bool:
    level: list[Value] = [value]
    for _ in range(_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True
