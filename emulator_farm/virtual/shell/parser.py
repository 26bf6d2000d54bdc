"""Shell text to `Script`: lists, pipelines, simple commands and redirections. Words and compounds have their files."""

import re

from .compounds import Compounds
from .scanner import ShellSyntaxError
from .syntax import (
    AndOr,
    Calculation,
    Command,
    Group,
    Joiner,
    Operator,
    Pipeline,
    Redirect,
    Script,
    Simple,
    Text,
    Variable,
    Word,
)
from .words import WORD_END

RESERVED = frozenset(
    ["then", "else", "elif", "fi", "do", "done", "esac", "select", "}"]
)  # fmt: skip
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=")
REDIRECT = re.compile(r"(\d*)(>>|>&|<&|<<-?|<>|>\||&>|[<>])")
OPERATORS: dict[str, Operator] = {"<": "<", ">": ">", ">|": ">", ">>": ">>", ">&": ">&", "<&": "<&"}


def parse(text: str, depth: int = 0) -> Script:
    """Parse a whole script, which stands `depth` levels deep in another. Raises ShellSyntaxError."""
    return _Parser(text, depth).whole()


class _Parser(Compounds):
    def __init__(self, text: str, depth: int = 0) -> None:
        super().__init__(text, depth)
        self._documents: dict[int, int] = {}
        """Where here-documents end, by the position of the newline before them."""

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
        if self.position >= len(self.text) or self.peek(")") or self.peek(";;"):
            return True
        return self._at_brace_end() or bool(self.closing())

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
        """One command with its redirections."""
        self.blanks()
        start = self.position
        if self.take("((") and (word := self.arithmetic()) is not None:
            return self._redirected(Calculation(word))
        self.position = start
        if self.take("("):
            return self._group(")", subshell=True)
        if self.peek("{") and self.text[self.position + 1 : self.position + 2] in WORD_END - {""}:
            self.position += 1
            return self._group("}", subshell=False)
        compound = self.compound()
        return self.simple() if compound is None else self._redirected(compound)

    def _group(self, end: str, subshell: bool) -> Group:
        script = self.script()
        if not script or not self.take(end):
            raise self.unexpected()
        return Group(script, subshell, self._redirects())

    def _redirected(self, command: Command) -> Command:
        redirects = self._redirects()
        return Group((AndOr(Pipeline((command,)), ()),), False, redirects) if redirects else command

    def simple(self) -> Simple:
        start = self.position
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while True:
            if found := self._redirects():
                redirects.extend(found)
                continue
            if not words and (assignment := self.match(ASSIGNMENT)):
                assignments.append((assignment.group(1), self._assigned(*assignment.groups())))
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

    def _assigned(self, name: str, plus: str) -> Word:
        """The value after `=`, which may be nothing."""
        ends = self.text[self.position : self.position + 1] in WORD_END | {""}
        value = () if ends else self.word() or ()
        return (Variable(name, True), *value) if plus else value

    # -- redirections

    def _redirects(self) -> tuple[Redirect, ...]:
        redirects: list[Redirect] = []
        while found := self.redirect():
            redirects.extend(found)
        return tuple(redirects)

    def redirect(self) -> tuple[Redirect, ...]:
        """The redirections that one operator means, none where no operator stands here."""
        self.blanks()
        before = self.position
        found = self.match(REDIRECT)
        if not found:
            return ()
        number, text = found.groups()
        if text in ("<<", "<<-"):
            return (Redirect(int(number or 0), "<<", self._document(dedented=text == "<<-")),)
        operator = OPERATORS.get(text, ">" if text == "&>" else None)
        if operator is None:
            self.position = before
            raise self.unexpected()
        self.blanks()
        target = self.word()
        if target is None:
            raise self.unexpected()
        fd = int(number) if number else (0 if operator.startswith("<") else 1)
        both = (Redirect(2, ">&", (Text("1", True),)),) if text == "&>" else ()
        return (Redirect(fd, operator, target), *both)

    def _document(self, dedented: bool) -> Word:
        """The here-document whose mark stands here; its text begins after the line, or after the document before it."""
        self.blanks()
        start = self.position
        mark = self.word()
        if mark is None:
            raise self.unexpected()
        quoted = any(char in self.text[start : self.position] for char in "'\"\\")
        end_line = "".join(part.text for part in mark if isinstance(part, Text))
        newline = self.text.find("\n", self.position)
        position = self._documents.get(newline, newline + 1) if newline >= 0 else len(self.text)
        lines: list[str] = []
        while position < len(self.text):
            line, newline_char, _ = self.text[position:].partition("\n")
            position += len(line) + len(newline_char)
            line = line.lstrip("\t") if dedented else line
            if line == end_line:
                break
            lines.append(line + newline_char)
        else:
            raise ShellSyntaxError(f"here document '{end_line}' unclosed")
        self._documents[newline] = position
        text = "".join(lines)
        return (Text(text, True),) if quoted else self.inside(text).here_text()

    def separators(self) -> None:
        """Move past blanks, comments, newlines and the here-documents after them."""
        self.blanks()
        while self.peek("\n"):
            self.position = self._documents.get(self.position, self.position + 1)
            self.blanks()
