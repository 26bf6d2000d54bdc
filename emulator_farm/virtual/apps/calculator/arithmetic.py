"""What a typed formula comes to: + − × ÷ with precedence, parentheses, signs and percent, in decimal."""

import re
from decimal import Context, Decimal, DecimalException, DivisionByZero, InvalidOperation, Overflow

DIGITS = 12
_EXACT = Context(prec=30, traps=[DivisionByZero, InvalidOperation, Overflow])
_TOKEN = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:E−?\d+)?|[+−×÷%()]")


class NotAFormula(ValueError):
    """The text is no whole formula, or its value is no number."""


def evaluate(text: str) -> Decimal:
    """The value of a formula. Raises NotAFormula."""
    tokens = _TOKEN.findall(text)
    if "".join(tokens) != text or not tokens:
        raise NotAFormula(f"not a formula: {text!r}")
    try:
        parser = _Parser(tokens)
        value = parser.sum()
    except DecimalException as error:
        raise NotAFormula(f"{text!r} has no value") from error
    if parser.rest:
        raise NotAFormula(f"nothing can follow {text!r} at {parser.rest[-1]!r}")
    return value


def written(value: Decimal) -> str:
    """A value as the display shows it: at most twelve digits, no zeros at the end, a minus sign that is one."""
    rounded = Context(prec=DIGITS).create_decimal(value).normalize()
    plain = -DIGITS < rounded.adjusted() < DIGITS
    text = f"{rounded:f}" if plain else f"{rounded:E}".replace("E+", "E")
    return text.replace("-", "−") if rounded else "0"


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self.rest = tokens[::-1]

    def _next(self, *wanted: str) -> str:
        return self.rest.pop() if self.rest and self.rest[-1] in wanted else ""

    def sum(self) -> Decimal:
        value = self._product()
        while sign := self._next("+", "−"):
            other = self._product()
            value = _EXACT.add(value, other) if sign == "+" else _EXACT.subtract(value, other)
        return value

    def _product(self) -> Decimal:
        value = self._factor()
        while sign := self._next("×", "÷"):
            other = self._factor()
            value = _EXACT.multiply(value, other) if sign == "×" else _EXACT.divide(value, other)
        return value

    def _factor(self) -> Decimal:
        if self._next("−"):
            return -self._factor()
        if self._next("("):
            value = self.sum()
            if not self._next(")"):
                raise NotAFormula("a parenthesis is open")
        elif self.rest and self.rest[-1][0] in "0123456789.":
            value = Decimal(self.rest.pop().replace("−", "-"))
        else:
            raise NotAFormula("a number is missing")
        while self._next("%"):
            value = _EXACT.divide(value, Decimal(100))
        return value
