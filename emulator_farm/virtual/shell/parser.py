"""Shell text to `Script`. What the language has beyond this (loops, functions, here-documents) is a syntax error."""

import re

from .scanner import Scanner, ShellSyntaxError
from .syntax import (
    AndOr,
    Command,
    Group,
    Joiner,
    Operator,
    Part,
    Pipeline,
    Redirect,
    Script,
    Simple,
    Substitution,
    Text,
    Variable,
    Word,
)

RESERVED = frozenset(
    [
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "for",
        "while",
        "until",
        "do",
        "done",
        "case",
        "esac",
        "in",
        "function",
        "select",
        "[[",
        "}",
    ]
)
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
SPECIAL = re.compile(r"[?$!#@*0-9-]")
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
REDIRECT = re.compile(r"(\d*)(>>|>&|<&|<<|<>|>\||[<>])")
BRACED = re.compile(r"\{(#?)([A-Za-z_][A-Za-z0-9_]*|[?$!@*0-9])(:?[-+])?")
WORD_END = frozenset(" \t\n;&|<>()")
PLAIN = re.compile(r"""[^ \t\n;&|<>()'"\\$`]+""")
PLAIN_IN_QUOTES = re.compile(r'[^"\\$`]+')
PLAIN_IN_BRACE = re.compile(r"""[^}'"\\$`]+""")


OPERATORS: dict[str, Operator] = {"<": "<", ">": ">", ">|": ">", ">>": ">>", ">&": ">&", "<&": "<&"}


def parse(text: str, depth: int = 0) -> Script:
    """Parse a whole script, which stands `depth` levels deep in another. Raises ShellSyntaxError."""
    parser = _Parser(text, depth)
    script = parser.script()
    if parser.position < len(text):
        raise parser.unexpected()
    return script


class _Parser(Scanner):
    # -- structure

    def script(self) -> Script:
        self.descend()
        items: list[AndOr] = []
        self.separators()
        while not self._at_end_of_script():
            item = self.and_or()
            items.append(item)
            if not item.background and not self.peek(";;"):
                ended = self.take(";") or self.peek("\n")
                self.separators()
                if not ended:
                    break
            self.separators()
        self.depth -= 1
        return tuple(items)

    def and_or(self) -> AndOr:
        first = self.pipeline()
        rest: list[tuple[Joiner, Pipeline]] = []
        self.blanks()
        while joiner := self._joiner():
            self.separators()
            rest.append((joiner, self.pipeline()))
            self.blanks()
        return AndOr(first, tuple(rest), background=self.take("&"))

    def _joiner(self) -> Joiner | None:
        if self.take("&&"):
            return "&&"
        return "||" if self.take("||") else None

    def _at_end_of_script(self) -> bool:
        return self.position >= len(self.text) or self.peek(")") or self._at_brace_end()

    def _at_brace_end(self) -> bool:
        after = self.text[self.position + 1 : self.position + 2]
        return self.peek("}") and (not after or after in WORD_END)

    def pipeline(self) -> Pipeline:
        negated = False
        while self.peek("! "):
            self.position += 1
            negated = not negated
            self.blanks()
        commands = [self.command()]
        while True:
            self.blanks()
            if self.peek("||") or not self.take("|"):
                return Pipeline(tuple(commands), negated)
            self.separators()
            commands.append(self.command())

    def command(self) -> Command:
        self.blanks()
        if self.take("("):
            return self._group(")", subshell=True)
        if self.peek("{") and self.text[self.position + 1 : self.position + 2] in WORD_END - {""}:
            self.position += 1
            return self._group("}", subshell=False)
        return self.simple()

    def _group(self, end: str, subshell: bool) -> Group:
        script = self.script()
        if not script or not self.take(end):
            raise self.unexpected()
        redirects = []
        while redirect := self.redirect():
            redirects.append(redirect)
        return Group(script, subshell, tuple(redirects))

    def simple(self) -> Simple:
        start = self.position
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while True:
            if redirect := self.redirect():
                redirects.append(redirect)
                continue
            if not words and (assignment := self.match(ASSIGNMENT)):
                assignments.append((assignment.group(1), self.word() or ()))
                continue
            before = self.position
            word = self.word()
            if word is None:
                break
            if not words and not assignments and self.text[before : self.position] in RESERVED:
                self.position = before
                raise self.unexpected()
            words.append(word)
        if self.position == start or self.peek("("):
            raise self.unexpected()
        return Simple(tuple(assignments), tuple(words), tuple(redirects))

    def redirect(self) -> Redirect | None:
        self.blanks()
        before = self.position
        found = self.match(REDIRECT)
        if not found:
            return None
        number, text = found.groups()
        operator = OPERATORS.get(text)
        if operator is None:
            self.position = before
            raise self.unexpected()
        self.blanks()
        target = self.word()
        if target is None:
            raise self.unexpected()
        fd = int(number) if number else (0 if operator.startswith("<") else 1)
        return Redirect(fd, operator, target)

    # -- words

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

    def _special(self) -> list[Part]:
        if self.take("'"):
            end = self.text.find("'", self.position)
            if end < 0:
                raise ShellSyntaxError("no closing quote")
            text, self.position = self.text[self.position : end], end + 1
            return [Text(text, True)]
        if self.take('"'):
            return self._double_quoted()
        if self.take("\\"):
            if self.take("\n"):
                return []
            text = self.text[self.position : self.position + 1] or "\\"
            self.position += 1
            return [Text(text, True)]
        return [self._dollar(quoted=False) if self.peek("$") else self._backticks(quoted=False)]

    def _double_quoted(self) -> list[Part]:
        parts: list[Part] = [Text("", True)]
        while not self.take('"'):
            if self.position >= len(self.text):
                raise ShellSyntaxError("no closing quote")
            if plain := self.match(PLAIN_IN_QUOTES):
                parts.append(Text(plain.group(), True))
            elif self.peek("$"):
                parts.append(self._dollar(quoted=True))
            elif self.peek("`"):
                parts.append(self._backticks(quoted=True))
            else:
                self.position += 1
                following = self.text[self.position : self.position + 1]
                self.position += 1
                if following != "\n":
                    parts.append(Text(following if following in '$`"\\' else "\\" + following, True))
        return parts

    def _dollar(self, quoted: bool) -> Part:
        self.position += 1
        if self.peek("(("):
            raise self.unexpected()
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

    def _braced(self, quoted: bool) -> Variable:
        start = self.position
        found = self.match(BRACED)
        if not found:
            raise ShellSyntaxError(f"${self.text[start : self.text.find('}', start) + 1]}: bad substitution")
        length, name, operator = found.groups()
        word: list[Part] = []
        self.descend()
        while operator and self.position < len(self.text) and not self.peek("}"):
            if plain := self.match(PLAIN_IN_BRACE):
                word.append(Text(plain.group(), quoted))
            else:
                word.extend(self._special())
        self.depth -= 1
        if not self.take("}"):
            end = self.text.find("}", start) + 1 or len(self.text)
            raise ShellSyntaxError(f"${self.text[start:end]}: bad substitution")
        return Variable(name, quoted, length or operator or "", tuple(word))

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
        return Substitution(parse("".join(inner), self.depth), quoted)
