"""Words of shell text: quoting, variables, substitutions, arithmetic."""

import re
from typing import Self

from .scanner import Scanner, ShellSyntaxError
from .syntax import Arithmetic, Part, Script, Substitution, Text, Variable, Word

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
SPECIAL = re.compile(r"[?$!#@*0-9-]")
BRACED = re.compile(r"\{(#(?!\}))?([A-Za-z_][A-Za-z0-9_]*|[?$!#@*]|[0-9]+)(:?[-+=?]|##?|%%?|//?|:)?")
WORD_END = frozenset(" \t\n;&|<>()")
PLAIN = re.compile(r"""[^ \t\n;&|<>()'"\\$`]+""")
PLAIN_IN_QUOTES = re.compile(r'[^"\\$`]+')
PLAIN_IN_TEXT = re.compile(r"[^\\$`]+")
PLAIN_IN_BRACE = re.compile(r"""[^}/:'"\\$`]+""")
PLAIN_IN_ARITHMETIC = re.compile(r"""[^()'"\\$`]+""")


class Words(Scanner):
    """Reads words; what stands in `$(…)` is read by `script`."""

    def script(self) -> Script:
        """Commands up to what ends them."""
        raise NotImplementedError

    def word(self) -> Word | None:
        """The next word, or None where none begins here."""
        self.blanks()
        if self.position >= len(self.text) or self.text[self.position] in WORD_END:
            return None
        parts: list[Part] = []
        while self.position < len(self.text) and self.text[self.position] not in WORD_END:
            if plain := self.match(PLAIN):
                parts.append(Text(plain.group(), False))
            else:
                parts.extend(self._special())
        return tuple(parts)

    def here_text(self) -> Word:
        """The whole text as the inside of a here-document: only `$`, backticks and the backslash mean something."""
        return tuple(self._double_quoted(PLAIN_IN_TEXT, ""))

    def _special(self) -> list[Part]:
        if self.take("'"):
            end = self.text.find("'", self.position)
            if end < 0:
                raise ShellSyntaxError("no closing quote")
            text, self.position = self.text[self.position : end], end + 1
            return [Text(text, True)]
        if self.take('"'):
            return [Text("", True), *self._double_quoted(PLAIN_IN_QUOTES, '"')]
        if self.take("\\"):
            if self.take("\n"):
                return []
            text = self.text[self.position : self.position + 1] or "\\"
            self.position += 1
            return [Text(text, True)]
        return [self.dollar(quoted=False) if self.peek("$") else self._backticks(quoted=False)]

    def _double_quoted(self, plain_text: re.Pattern[str], end: str) -> list[Part]:
        parts: list[Part] = []
        while not (end and self.take(end)):
            if self.position >= len(self.text):
                if end:
                    raise ShellSyntaxError("no closing quote")
                break
            if part := self._quoted_part(plain_text):
                parts.append(part)
            else:
                self.position += 1
                following = self.text[self.position : self.position + 1]
                self.position += 1
                if following != "\n":
                    escapes = "$`\\" + end
                    parts.append(Text(following if following and following in escapes else "\\" + following, True))
        return parts

    def _quoted_part(self, plain_text: re.Pattern[str]) -> Part | None:
        """Plain text, or what `$` or a backtick begins; None where neither is next."""
        if plain := self.match(plain_text):
            return Text(plain.group(), True)
        if self.peek("$"):
            return self.dollar(quoted=True)
        return self._backticks(quoted=True) if self.peek("`") else None

    def dollar(self, quoted: bool) -> Part:
        """What `$` begins here; a lone one is itself."""
        self.position += 1
        start = self.position
        if self.take("(("):
            word = self.arithmetic()
            if word is not None:
                return Arithmetic(word, quoted)
            self.position = start
        if self.take("("):
            script = self.script()
            if not self.take(")"):
                raise self.unexpected()
            return Substitution(script, quoted)
        if self.peek("{"):
            return self._braced(quoted)
        if name := self.match(NAME) or self.match(SPECIAL):
            return Variable(name.group(), quoted)
        return Text("$", True)

    def arithmetic(self) -> Word | None:
        """An expression up to its `))`; None where the parentheses do not close like that, so that it is a subshell."""
        parts: list[Part] = []
        depth = 0
        self.descend()
        while self.position < len(self.text):
            if not depth and self.peek(")"):
                self.depth -= 1
                return tuple(parts) if self.take("))") else None
            if part := self._quoted_part(PLAIN_IN_ARITHMETIC):
                parts.append(part)
            else:
                char = self.text[self.position]
                depth += (char == "(") - (char == ")")
                self.position += 1
                if char in "()":
                    parts.append(Text(char, True))
        raise self.unexpected()

    def _braced(self, quoted: bool) -> Variable:
        start = self.position
        found = self.match(BRACED)
        if not found:
            raise self._bad_substitution(start)
        length, name, operator = found.groups()
        self.descend()
        separator = {"/": "/", "//": "/", ":": ":"}.get(operator or "", "")
        word = self._brace_word(quoted, separator) if operator else []
        other = self._brace_word(quoted, "") if separator and self.take(separator) else []
        self.depth -= 1
        if not self.take("}"):
            raise self._bad_substitution(start)
        return Variable(name, quoted, "length" if length else operator or "", tuple(word), tuple(other))

    def _brace_word(self, quoted: bool, separator: str) -> list[Part]:
        parts: list[Part] = []
        while self.position < len(self.text) and not self.peek("}") and not (separator and self.peek(separator)):
            if plain := self.match(PLAIN_IN_BRACE):
                parts.append(Text(plain.group(), quoted))
            elif self.text[self.position] in "/:":
                parts.append(Text(self.text[self.position], quoted))
                self.position += 1
            else:
                parts.extend(self._special())
        return parts

    def _bad_substitution(self, start: int) -> ShellSyntaxError:
        end = self.text.find("}", start) + 1 or len(self.text)
        return ShellSyntaxError(f"${self.text[start:end]}: bad substitution")

    def _backticks(self, quoted: bool) -> Substitution:
        self.position += 1
        inner: list[str] = []
        while not self.take("`"):
            if self.position >= len(self.text):
                raise ShellSyntaxError("no closing quote")
            escaped = self.peek("\\") and self.text[self.position + 1 : self.position + 2] in ("$", "`", "\\")
            self.position += escaped
            inner.append(self.text[self.position])
            self.position += 1
        return Substitution(self.inside("".join(inner)).whole(), quoted)

    def inside(self, text: str) -> Self:
        """A reader of text that stands in this one."""
        return type(self)(text, self.depth)

    def whole(self) -> Script:
        """The whole text as a script. Raises ShellSyntaxError."""
        script = self.script()
        if self.position < len(self.text):
            raise self.unexpected()
        return script
