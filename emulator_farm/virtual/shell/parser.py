"""Shell text to `Script`. What the language has beyond this (loops, functions, here-documents) is a syntax error."""

import re

from .syntax import AndOr, Command, Group, Part, Pipeline, Redirect, Script, Simple, Substitution, Text, Variable, Word

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
BLANK = re.compile(r"(?:[ \t]|\\\n)*")
WORD_END = frozenset(" \t\n;&|<>()")
PLAIN = re.compile(r"""[^ \t\n;&|<>()'"\\$`]+""")
PLAIN_IN_QUOTES = re.compile(r'[^"\\$`]+')
PLAIN_IN_BRACE = re.compile(r"""[^}'"\\$`]+""")


class ShellSyntaxError(ValueError):
    """The text is no script; the message is what the shell prints after its name."""


def parse(text: str) -> Script:
    """Parse a whole script. Raises ShellSyntaxError."""
    parser = _Parser(text)
    script = parser.script()
    if parser.position < len(text):
        raise parser.unexpected()
    return script


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    # -- characters

    def peek(self, text: str) -> bool:
        return self.text.startswith(text, self.position)

    def take(self, text: str) -> bool:
        if self.peek(text):
            self.position += len(text)
            return True
        return False

    def match(self, pattern: re.Pattern[str]) -> "re.Match[str] | None":
        found = pattern.match(self.text, self.position)
        if found:
            self.position = found.end()
        return found

    def unexpected(self) -> ShellSyntaxError:
        rest = self.text[self.position :]
        if not rest:
            return ShellSyntaxError("syntax error: unexpected EOF")
        token = re.match(r"&&|\|\||;;|<<|[;&|()<>]|\n|[^ \t\n;&|()<>]+", rest)
        shown = token.group() if token else rest[0]
        return ShellSyntaxError(f"syntax error: unexpected '{'newline' if shown == chr(10) else shown}'")

    def blanks(self) -> None:
        self.match(BLANK)
        if self.peek("#"):
            end = self.text.find("\n", self.position)
            self.position = len(self.text) if end < 0 else end

    def separators(self) -> None:
        self.blanks()
        while self.take("\n"):
            self.blanks()

    # -- structure

    def script(self) -> Script:
        items: list[AndOr] = []
        self.separators()
        while not self._at_end_of_script():
            first = self.pipeline()
            rest = []
            while True:
                self.blanks()
                if self.take("&&"):
                    operator = "&&"
                elif self.take("||"):
                    operator = "||"
                else:
                    break
                self.separators()
                rest.append((operator, self.pipeline()))
            background = not self.peek("&&") and self.take("&")
            items.append(AndOr(first, tuple(rest), background))  # type: ignore[arg-type]
            if not background and not self.peek(";;"):
                ended = self.take(";") or self.peek("\n")
                self.separators()
                if not ended:
                    break
            self.separators()
        return tuple(items)

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
        number, operator = found.groups()
        if operator in ("<<", "<>"):
            self.position = before
            raise self.unexpected()
        operator = ">" if operator == ">|" else operator
        self.blanks()
        target = self.word()
        if target is None:
            raise self.unexpected()
        fd = int(number) if number else (0 if operator.startswith("<") else 1)
        return Redirect(fd, operator, target)  # type: ignore[arg-type]

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
        while operator and self.position < len(self.text) and not self.peek("}"):
            if plain := self.match(PLAIN_IN_BRACE):
                word.append(Text(plain.group(), quoted))
            else:
                word.extend(self._special())
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
        return Substitution(parse("".join(inner)), quoted)
