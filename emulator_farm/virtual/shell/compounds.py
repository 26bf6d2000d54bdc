"""Compound commands of shell text: conditions, loops, `case`, `[[`, functions."""

import re

from .scanner import ShellSyntaxError
from .syntax import Case, Command, Compound, Condition, For, Function, Group, If, Loop, Script, Word
from .words import NAME, WORD_END, Words

KEYWORD = re.compile(r"(if|while|until|for|case|function|\[\[)(?=[ \t\n;&|<>()]|$)")
CLOSING = re.compile(r"(then|elif|else|fi|do|done|esac)(?=[ \t\n;&|<>()]|$)")
FUNCTION = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[ \t]*\([ \t]*\)")
TEST_OPERATOR = re.compile(r"&&|\|\||[<>()]")


class Compounds(Words):
    """Reads what begins with a reserved word."""

    def command(self) -> Command:
        """One command with its redirections."""
        raise NotImplementedError

    def compound(self) -> Compound | None:
        """The compound command that begins here, None where none does."""
        if function := self.match(FUNCTION):
            return self._function(function.group(1))
        found = self.match(KEYWORD)
        if found is None:
            return None
        self.descend()
        match found.group(1):
            case "if":
                compound: Compound = self._if()
            case "while" | "until" as word:
                condition = self._filled()
                compound = Loop(condition, self._body(), word == "until")
            case "for":
                compound = self._for()
            case "case":
                compound = self._case()
            case "function":
                compound = self._named_function()
            case _:
                compound = self._condition()
        self.depth -= 1
        return compound

    def keyword(self, word: str) -> None:
        """Move past a reserved word; raises ShellSyntaxError where something else stands here."""
        self.separators()
        after = self.text[self.position + len(word) : self.position + len(word) + 1]
        if (after and after not in WORD_END) or not self.take(word):
            raise self.unexpected()

    def closing(self) -> str:
        """The reserved word that ends a list here, empty where none does."""
        found = CLOSING.match(self.text, self.position)
        return found.group(1) if found else ""

    def _filled(self) -> Script:
        script = self.script()
        if not script:
            raise self.unexpected()
        return script

    def _body(self) -> Script:
        self.keyword("do")
        body = self._filled()
        self.keyword("done")
        return body

    def _if(self) -> If:
        branches = []
        while True:
            condition = self._filled()
            self.keyword("then")
            branches.append((condition, self._filled()))
            if self.closing() != "elif":
                break
            self.keyword("elif")
        otherwise: Script = ()
        if self.closing() == "else":
            self.keyword("else")
            otherwise = self._filled()
        self.keyword("fi")
        return If(tuple(branches), otherwise)

    def _for(self) -> For:
        self.blanks()
        name = self.match(NAME)
        if name is None:
            raise self.unexpected()
        self.separators()
        words: list[Word] | None = None
        if re.match(r"in(?=[ \t\n;]|$)", self.text[self.position : self.position + 3]):
            self.take("in")
            words = []
            while (word := self.word()) is not None:
                words.append(word)
        self.blanks()
        self.take(";")
        return For(name.group(), None if words is None else tuple(words), self._body())

    def _case(self) -> Case:
        subject = self.word()
        if subject is None:
            raise self.unexpected()
        self.keyword("in")
        clauses = []
        self.separators()
        while self.closing() != "esac":
            self.take("(")
            patterns = [self._pattern()]
            self.blanks()
            while self.take("|"):
                patterns.append(self._pattern())
                self.blanks()
            if not self.take(")"):
                raise self.unexpected()
            clauses.append((tuple(patterns), self.script()))
            self.separators()
            if not self.take(";;") and self.closing() != "esac":
                raise self.unexpected()
            self.separators()
        self.keyword("esac")
        return Case(subject, tuple(clauses))

    def _pattern(self) -> Word:
        word = self.word()
        if word is None:
            raise self.unexpected()
        return word

    def _condition(self) -> Condition:
        items: list[Word | str] = []
        while True:
            self.separators()
            if self.position >= len(self.text):
                raise ShellSyntaxError("syntax error: unexpected EOF")
            if operator := self.match(TEST_OPERATOR):
                items.append(operator.group())
                continue
            before = self.position
            word = self.word()
            if word is None:
                raise self.unexpected()
            if self.text[before : self.position] == "]]":
                return Condition(tuple(items))
            items.append(word)

    def _named_function(self) -> Function:
        self.blanks()
        name = self.match(NAME)
        if name is None:
            raise self.unexpected()
        self.blanks()
        if self.take("("):
            self.blanks()
            if not self.take(")"):
                raise self.unexpected()
        return self._function(name.group())

    def _function(self, name: str) -> Function:
        self.separators()
        body = self.command()
        if not isinstance(body, Group | If | Loop | For | Case):
            raise self.unexpected()
        return Function(name, body)
