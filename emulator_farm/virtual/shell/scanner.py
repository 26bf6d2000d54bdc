"""A position in shell text, and what moves it: the ground that the parser stands on."""

import re

BLANK = re.compile(r"(?:[ \t]|\\\n)*")
TOKEN = re.compile(r"&&|\|\||;;|<<|[;&|()<>]|\n|[^ \t\n;&|()<>]+")
MAX_NESTING = 30


class ShellSyntaxError(ValueError):
    """The text is no script; the message is what the shell prints after its name."""


class Scanner:
    """Reads `text` from `position` on; `depth` counts how deep in other scripts this one stands."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text = text
        self.position = 0
        self.depth = depth

    def peek(self, text: str) -> bool:
        """Whether `text` stands here."""
        return self.text.startswith(text, self.position)

    def take(self, text: str) -> bool:
        """Move past `text`; False where something else stands here."""
        if self.peek(text):
            self.position += len(text)
            return True
        return False

    def match(self, pattern: re.Pattern[str]) -> "re.Match[str] | None":
        """Match here and move past what matched."""
        found = pattern.match(self.text, self.position)
        if found:
            self.position = found.end()
        return found

    def unexpected(self) -> ShellSyntaxError:
        """The error for what stands here."""
        rest = self.text[self.position :]
        if not rest:
            return ShellSyntaxError("syntax error: unexpected EOF")
        token = TOKEN.match(rest)
        shown = token.group() if token else rest[0]
        return ShellSyntaxError(f"syntax error: unexpected '{'newline' if shown == chr(10) else shown}'")

    def blanks(self) -> None:
        """Move past blanks and a comment."""
        self.match(BLANK)
        if self.peek("#"):
            end = self.text.find("\n", self.position)
            self.position = len(self.text) if end < 0 else end

    def separators(self) -> None:
        """Move past blanks, comments and newlines."""
        self.blanks()
        while self.take("\n"):
            self.blanks()

    def descend(self) -> None:
        """Go one level deeper; raises ShellSyntaxError beyond the limit."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise ShellSyntaxError("syntax error: nesting too deep")
