"""What stands in `$((…))`: C's operators on 32-bit numbers, as the shell of Android calculates."""

import re
from collections.abc import Callable
from typing import Protocol

TOKEN = re.compile(
    r"\s*(?:(\d+#[0-9a-zA-Z]+|0[xX][0-9a-fA-F]+|\d+)|([A-Za-z_]\w*)"
    r"|(<<=|>>=|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&^|]=|[-+*/%&^|<>=!~?:,()]))"
)
PRECEDENCE = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"),
)  # fmt: skip
"""Operators of two operands, the loosest first."""
ASSIGNMENTS = frozenset(["=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|="])
MAX_DEPTH = 40


class ArithmeticFault(ValueError):
    """What the shell prints after its name."""


class Variables(Protocol):
    """Where names get their values."""

    def get(self, name: str) -> str | None:
        """The value of a name."""
        ...

    def set(self, name: str, value: str) -> None:
        """Give a name a value."""
        ...


def _wrap(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def _divide(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "<<": lambda a, b: a << (b & 31),
    ">>": lambda a, b: a >> (b & 31),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "%": lambda a, b: a - b * _divide(a, b),
}


def calculate(text: str, variables: Variables, depth: int = 0) -> int:
    """The value of an expression; an empty one is 0. Raises ArithmeticFault."""
    expression = _Expression(text, variables, depth)
    return expression.whole()


class _Expression:
    def __init__(self, text: str, variables: Variables, depth: int) -> None:
        self._text = text.strip()
        self._variables = variables
        self._depth = depth
        self._live = True
        """False while a part is read that `&&`, `||` or `?:` skips: it neither assigns nor divides."""
        if depth > MAX_DEPTH:
            raise self._fault("expression recurses on itself")
        self._tokens: list[str] = []
        position = 0
        while position < len(self._text):
            found = TOKEN.match(self._text, position)
            if found is None:
                raise self._fault(f"unexpected '{self._text[position:].strip()[:1]}'")
            self._tokens.append(found.group().strip())
            position = found.end()

    def _fault(self, what: str) -> ArithmeticFault:
        return ArithmeticFault(f"{self._text}: {what}")

    def _take(self, *wanted: str) -> str:
        return self._tokens.pop(0) if self._tokens and self._tokens[0] in wanted else ""

    def whole(self) -> int:
        value = self.comma() if self._tokens else 0
        if self._tokens:
            raise self._fault(f"unexpected '{self._tokens[0]}'")
        return value

    def comma(self) -> int:
        value = self.assignment()
        while self._take(","):
            value = self.assignment()
        return value

    def assignment(self) -> int:
        name, operator = [*self._tokens, "", ""][:2]
        if operator not in ASSIGNMENTS or not (name[:1].isalpha() or name[:1] == "_"):
            return self.conditional()
        del self._tokens[:2]
        value = self.assignment()
        if operator != "=":
            value = self._apply(operator[:-1], self._value(name), value)
        return self._assign(name, value)

    def conditional(self) -> int:
        condition = self.binary(0)
        if not self._take("?"):
            return condition
        first = self._skipping(not condition, self.assignment)
        if not self._take(":"):
            raise self._fault("missing :")
        second = self._skipping(bool(condition), self.assignment)
        return first if condition else second

    def _skipping(self, skip: bool, part: Callable[[], int]) -> int:
        before = self._live
        self._live = before and not skip
        value = part()
        self._live = before
        return value

    def binary(self, level: int) -> int:
        if level == len(PRECEDENCE):
            return self.unary()
        value = self.binary(level + 1)
        while operator := self._take(*PRECEDENCE[level]):
            if operator in ("&&", "||"):
                decided = bool(value) == (operator == "||")
                right = self._skipping(decided, lambda: self.binary(level + 1))
                value = int(operator == "||") if decided else int(bool(right))
            else:
                value = self._apply(operator, value, self.binary(level + 1))
        return value

    def _apply(self, operator: str, left: int, right: int) -> int:
        if operator in "/%" and right == 0:
            if self._live:
                raise self._fault("zero divisor")
            return 0
        return _wrap(OPERATIONS[operator](left, right))

    def unary(self) -> int:
        match self._take("-", "+", "!", "~", "++", "--"):
            case "-":
                return _wrap(-self.unary())
            case "+":
                return self.unary()
            case "!":
                return int(not self.unary())
            case "~":
                return ~self.unary()
            case "++" | "--" as step:
                name = self._tokens.pop(0) if self._tokens else ""
                return self._assign(name, _wrap(self._value(name) + (1 if step == "++" else -1)))
            case _:
                return self.primary()

    def primary(self) -> int:
        if not self._tokens:
            raise self._fault("unexpected end of expression")
        if self._take("("):
            value = self.comma()
            if not self._take(")"):
                raise self._fault("missing )")
            return value
        token = self._tokens.pop(0)
        if token[0].isdigit():
            return self._number(token)
        if not (token[0].isalpha() or token[0] == "_"):
            raise self._fault(f"unexpected '{token}'")
        value = self._value(token)
        if step := self._take("++", "--"):
            self._assign(token, _wrap(value + (1 if step == "++" else -1)))
        return value

    def _number(self, token: str) -> int:
        base, mark, digits = token.partition("#")
        try:
            if mark:
                return _wrap(int(digits, int(base)))
            return _wrap(int(token, 16) if token[:2] in ("0x", "0X") else int(token))
        except ValueError:
            raise self._fault(f"bad number '{token}'") from None

    def _value(self, name: str) -> int:
        text = self._variables.get(name) or ""
        return calculate(text, self._variables, self._depth + 1) if text.strip() else 0

    def _assign(self, name: str, value: int) -> int:
        if not (name[:1].isalpha() or name[:1] == "_"):
            raise self._fault(f"'{name}' is no variable")
        if self._live:
            self._variables.set(name, str(value))
        return value
