"""POSIX regular expressions, basic and extended, as Python ones."""

import re

from emulator_farm.virtual.shell.invocation import ToolError

BASIC_SPECIAL = re.compile(r"\\([(){}|+?])|([(){}|+?])|(\\.)|(\[\^?\]?[^\]]*\])", re.DOTALL)
CLASS = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "space": r"\s", "upper": "A-Z", "lower": "a-z",
    "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9A-Fa-f", "blank": r" \t",
}  # fmt: skip


def compile_pattern(text: str, extended: bool, fixed: bool, ignore_case: bool) -> re.Pattern[str]:
    """A POSIX pattern as a Python one. Raises ToolError."""
    source = re.escape(text) if fixed else _posix(text, extended)
    try:
        return re.compile(source, re.IGNORECASE if ignore_case else 0)
    except re.error as error:
        raise ToolError(f"bad REGEX '{text}': {error}", 2) from None


def _posix(text: str, extended: bool) -> str:
    for name, members in CLASS.items():
        text = text.replace(f"[:{name}:]", members)
    if extended:
        return re.sub(r"\\[<>]", r"\\b", text)

    def swap(found: re.Match[str]) -> str:
        special, plain, escaped, bracket = found.groups()
        if special:
            return str(special)
        if plain:
            return "\\" + plain
        return r"\b" if escaped in (r"\<", r"\>") else str(escaped or bracket)

    text = re.sub(r"^(\^?)\*", r"\1\\*", text)
    return BASIC_SPECIAL.sub(swap, text)
