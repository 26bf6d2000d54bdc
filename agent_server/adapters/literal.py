"""A tolerant reader of the literals that models write: Python's, JSON's, and what lies between.

Models leave quotes inside text unescaped, forget closing quotes and brackets, put raw newlines into strings and write
full-width punctuation. So a quote ends a string only where something follows that can follow a string; of several such
quotes the first with a convincing continuation wins. In a call, the closing bracket is convincing unless it may belong
to a bracket that the string itself opened. Nothing is evaluated. Every pattern is bounded or possessive and a
search that failed to the end of the text is not repeated, so reading takes linear time on any input.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from agent_server.adapters.reply import Value

_CLOSING = {"'": "'", '"': '"', "`": "`", "‘": "’'", "’": "’'", "“": '”"', "”": '”"'}
_WIDE_CLOSING = {"'": "’", '"': "”"}
_QUOTED = {quote: re.compile(rf"\\.|[{closers}]", re.DOTALL) for quote, closers in _CLOSING.items()}
_QUOTED_WIDE = {quote: re.compile(rf"\\.|[{closers}]", re.DOTALL) for quote, closers in _WIDE_CLOSING.items()}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "'": "'", '"': '"', "\\": "\\", "/": "/", "`": "`"}
_SPACE = re.compile(r"\s*+")
_SEPARATORS = re.compile(r"[\s,，、]*+")
_STOP_TEXT = (
    r"</(?:action|tool_call|seed:tool_call|answer|think)\b|<conclusion\b|<\|(?:im_end|endoftext|end_of_box)\|>|\[EOS\]"
)
STOP = re.compile(_STOP_TEXT)
"""What ends a call or an object that was never closed."""
_NUMBER = r"[-+]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)"
_NUMBERS = re.compile(rf"{_NUMBER}(?:\s*+[,，\s]\s*+{_NUMBER}){{0,7}}(?=\s*+(?:[,，)）\]】}}]|\Z|<))")
_TAGGED = re.compile(r"<[^<>\n]{1,20}>[^<>\n]{0,200}(?:<[^<>\n]{1,20}>)?")
_CONSTANTS = {"None": None, "null": None, "True": True, "true": True, "False": False, "false": False}
_PAIR = rf"{_NUMBER}\s{{0,3}}[,，\s]\s{{0,3}}{_NUMBER}"
_QUOTED_PAIR = re.compile(
    rf"(['\"])\s{{0,3}}(?:<[^<>'\"\n]{{1,20}}>|[(\[（【])\s{{0,3}}{_PAIR}\s{{0,3}}(?:<[^<>'\"\n]{{1,20}}>|[)\]）】])\s{{0,3}}\1"
    r"(?=\s{0,3}[,，]?\s{0,3}(?:['\"]|[A-Za-z_]\w{0,40}\s{0,3}[=＝]))"
)
"""A point in quotes with another argument behind it, whether or not a comma and a name introduce that."""
_CANDIDATES = 2_000
"""How many unescaped quotes of one string are looked at in search of a better end."""
_DEPTH = 24
MOST_PARTS = 64
"""How many arguments, entries or items are read before the rest is skipped."""

_HEAD = r"(?i:thought|action|action_summary|reflection|observation)[ *]{0,3}[:：]"
_AFTER_CALL = (
    r"[)）\]】}]{0,3}[ \t]*+(?:\Z|\r?\n\s*+(?:\Z|[#*>•`\d.-]{0,8}[ ]?(?:[A-Za-z_][\w.]{0,40}\s{0,4}[(（]|<|```|"
    rf"{_HEAD}))"
    r"|</|<\||<(?:conclusion|action|think)\b|```|\[EOS\]|[;；]|[,，]?[ ]?[A-Za-z_][\w.]{0,40}[(（])"
)
"""What stands behind the closing bracket of a call, as opposed to a bracket inside a text."""


@dataclass(frozen=True)
class Place:
    """Where a literal stands: what convincingly follows a string there, what barely does, and what ends a bare word."""

    strong: re.Pattern[str]
    weak: re.Pattern[str]
    bare: re.Pattern[str]
    leftover: str
    """Closing brackets to drop from the end of a string that was never closed."""
    closed: re.Pattern[str] = re.compile(r"(?!)")
    """What convincingly follows a string that leaves no bracket open."""


ARGUMENT = Place(
    re.compile(rf"\s*+(?:[)）]{_AFTER_CALL}|[,，]\s*+[A-Za-z_]\w*+\s*+[=＝]|\Z|{_STOP_TEXT})|[ \t]*+\r?\n\s*+{_HEAD}"),
    re.compile(r"\s*+(?:[)）]|[,，]\s*+['\"(\[{\d])|[ \t]*+\n"),
    re.compile(rf"[)）]{_AFTER_CALL}|[,，]\s*+[A-Za-z_]\w*+\s*+[=＝]|{_STOP_TEXT}"),
    ")）",
    re.compile(r"\s*+[)）]"),
)
ENTRY = Place(
    re.compile(
        rf"\s*+(?:[,，]\s*+(?:['\"“‘]?[\w-]{{1,64}}+['\"”’]?\s*+[:：]|[}}])|[}}]\s*+(?:[}}\])）,，<`]|\Z)|\Z|{_STOP_TEXT})"
    ),
    re.compile(r"\s*+[}\])）,，]|[ \t]*+\n"),
    re.compile(rf"[,，}}\n]|{_STOP_TEXT}"),
    "}",
)
KEY = Place(re.compile(r"\s*+[:：=]"), re.compile(r"(?!)"), re.compile(r"[:：=,，}\n]"), "}")
ITEM = Place(
    re.compile(rf"\s*+(?:[,，、]|[\])）】}}]|\Z|{_STOP_TEXT})"),
    re.compile(r"(?!)"),
    re.compile(rf"[,，、\])）】}}]|{_STOP_TEXT}"),
    "])",
)


class Scanner:
    """Reads literals from `text`, moving `pos` forward."""

    def __init__(self, text: str, pos: int = 0) -> None:
        self.text = text
        self.pos = pos
        self.strict_failures = 0
        """For readers that try a strict grammar first: how often that failed on this text."""
        self._no_strong: set[tuple[re.Pattern[str], Place]] = set()
        self._no_end: set[tuple[re.Pattern[str], Place]] = set()

    @property
    def char(self) -> str:
        """The next character, empty at the end."""
        return self.text[self.pos : self.pos + 1]

    def skip_space(self) -> None:
        match = _SPACE.match(self.text, self.pos)
        self.pos = match.end() if match else self.pos

    def skip_to_stop(self) -> None:
        """Move to what ends a call or an object that was never closed, or to the end."""
        stop = STOP.search(self.text, self.pos)
        self.pos = stop.start() if stop else len(self.text)

    def take(self, chars: str) -> bool:
        """Step over the next character if it is one of `chars`."""
        if self.char and self.char in chars:
            self.pos += 1
            return True
        return False

    def take_match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Step over what `pattern` matches here."""
        match = pattern.match(self.text, self.pos)
        if match:
            self.pos = match.end()
        return match

    def value(self, place: Place, depth: int = 0) -> Value:
        """The literal that starts here. Brackets nested too deep to mean anything are skipped as an empty text."""
        if depth > _DEPTH:
            self.skip_to_stop()
            return ""
        self.skip_space()
        char = self.char
        if char in _CLOSING and char:
            return self._string(place)
        if char and char in "([（【":
            return self._items(depth)
        if char == "{":
            return self.mapping(depth)
        if char == "<" and (tagged := self.take_match(_TAGGED)):
            return tagged.group()
        return self._bare(place)

    def mapping(self, depth: int = 0) -> dict[str, Value]:
        """A `{key: value}` that starts here; a missing closing bracket is forgiven."""
        self.pos += 1
        entries: dict[str, Value] = {}
        for _ in range(MOST_PARTS):
            self.take_match(_SEPARATORS)
            if not self.char or self.take("}") or STOP.match(self.text, self.pos):
                return entries
            start = self.pos
            key = self.value(KEY, depth + 1)
            self.skip_space()
            if self.take(":：="):
                entries[str(key)] = self.value(ENTRY, depth + 1)
            elif self.pos == start:
                self.pos += 1
        self.skip_to_stop()
        return entries

    def _items(self, depth: int) -> list[Value]:
        self.pos += 1
        items: list[Value] = []
        for _ in range(MOST_PARTS):
            self.take_match(_SEPARATORS)
            if not self.char or self.take(")]）】") or self.char == "}" or STOP.match(self.text, self.pos):
                return items
            start = self.pos
            items.append(self.value(ITEM, depth + 1))
            if self.pos == start:
                self.pos += 1
        self.skip_to_stop()
        return items

    def _bare(self, place: Place) -> str | bool | None:
        if numbers := self.take_match(_NUMBERS) if place in (ARGUMENT, ENTRY) else None:
            return numbers.group()
        end = place.bare.search(self.text, self.pos)
        word = self.text[self.pos : end.start() if end else len(self.text)]
        self.pos += len(word)
        word = word.strip()
        return word if place is ARGUMENT else _CONSTANTS.get(word, word)

    def _string(self, place: Place) -> str:
        quote = self.char
        if place is ARGUMENT and (pair := self.take_match(_QUOTED_PAIR)):
            return pair.group()[1:-1]
        if (whole := self._triple_quoted(quote * 3, place)) is not None:
            return whole
        self.pos += 1
        start = self.pos
        close = self._closing(_QUOTED[quote], place)
        if close < 0 and quote in _QUOTED_WIDE:
            close = self._closing(_QUOTED_WIDE[quote], place)
        if close < 0:
            stop = STOP.search(self.text, start)
            end = stop.start() if stop else len(self.text)
            close = self.text.rfind(quote, start, end)
            if close < 0 or not place.weak.match(self.text, close + 1):
                self.pos = end
                return unescaped(_without_leftover(self.text[start:end], place.leftover))
        self.pos = close + 1
        return unescaped(self.text[start:close])

    def _triple_quoted(self, quotes: str, place: Place) -> str | None:
        """The inside of a triple-quoted string, None where none starts or what follows its end does not end a value."""
        start = self.pos + 3
        close = self.text.find(quotes, start) if self.text.startswith(quotes, self.pos) else -1
        if close < 0 or not place.strong.match(self.text, close + 3):
            return None
        self.pos = close + 3
        return unescaped(self.text[start:close])

    def _closing(self, quotes: re.Pattern[str], place: Place) -> int:
        """The position of the quote that ends the string here, -1 where none can."""
        key = (quotes, place)
        if key in self._no_end:
            return -1
        weak, seen, still_open, counted = -1, 0, 0, self.pos
        for match in quotes.finditer(self.text, self.pos):
            if match.end() - match.start() > 1:
                continue
            if place.strong.match(self.text, match.end()):
                return match.start()
            if place.closed.match(self.text, match.end()):
                still_open += _opened(self.text[counted : match.start()])
                counted = match.start()
                if still_open <= 0:
                    return match.start()
            if weak < 0 and place.weak.match(self.text, match.end()):
                weak = match.start()
            seen += 1
            if weak >= 0 and (key in self._no_strong or seen > _CANDIDATES):
                break
        self._no_strong.add(key)
        if weak < 0:
            self._no_end.add(key)
        return weak


def unescaped(text: str) -> str:
    """Backslash escapes replaced by what they stand for; a backslash before anything else stays."""
    if "\\" not in text:
        return text
    text = _ESCAPE.sub(_unescape, text)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _opened(text: str) -> int:
    """How many more round brackets a text opens than it closes."""
    return sum(text.count(bracket) for bracket in "(（") - sum(text.count(bracket) for bracket in ")）")


def _unescape(match: re.Match[str]) -> str:
    code = match.group(1)
    return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPED.get(code, match.group())


def _without_leftover(text: str, brackets: str) -> str:
    text = text.rstrip()
    while text and text[-1] in brackets:
        text = text[:-1].rstrip()
        if brackets[0] == ")":
            break
    return text
