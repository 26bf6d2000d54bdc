"""Calculator by touch, and what formulas come to."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator_farm.virtual.apps.calculator.arithmetic import NotAFormula, evaluate, written

APP = "com.android.calculator2"


def press(thumb, formula: str) -> None:
    for key in formula:
        thumb.tap(text=key)


def test_calculating(thumb) -> None:
    thumb.open(APP)
    press(thumb, "12×(3")
    assert not thumb.texts("result")
    press(thumb, "+4.5)")
    assert thumb.find(id="result").text == "90"
    press(thumb, "=")
    assert thumb.find(id="formula").text == "90"
    thumb.tap(desc="divide")
    press(thumb, "8=")
    assert thumb.find(id="formula").text == "11.25"
    press(thumb, "7")
    assert thumb.find(id="formula").text == "7"
    press(thumb, "÷0=")
    assert thumb.find(id="result").text == "Error"
    thumb.tap(desc="delete")
    press(thumb, "2")
    assert thumb.find(id="result").text == "3.5"
    thumb.tap(text="AC")
    assert not thumb.texts("formula")
    rows = thumb.query(f"content://{APP}/history", "formula:result")
    assert rows == ["formula=12×(3+4.5), result=90", "formula=90÷8, result=11.25"]
    thumb.tap(desc="More options")
    thumb.tap(text="History")
    assert thumb.texts("history_result") == ["= 11.25", "= 90"]
    thumb.tap(desc="Clear history")
    thumb.tap(text="Clear")
    assert thumb.sees(text="No history")
    assert thumb.query(f"content://{APP}/history", "_id") == []


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("0.1+0.2", "0.3"), ("2+3×4", "14"), ("(2+3)×4", "20"), ("−5+2", "−3"), ("2×−3", "−6"), ("50%", "0.5"),
        ("200×15%", "30"), ("1÷3", "0.333333333333"), ("999999999999×9", "8.99999999999E12"), ("8E12÷4", "2E12"),
        ("1÷8E15", "1.25E−16"),
        ("2E−3×2", "0.004"), ("7−7", "0"), ("1÷8÷2", "0.0625"),
        ("5.", "5"), (".5×2", "1"),
    ],
)  # fmt: skip
def test_values(formula: str, value: str) -> None:
    assert written(evaluate(formula)) == value


@pytest.mark.parametrize("formula", ["", "1+", "(1", "1)", "1÷0", "0÷0", "2(3)", "a", "1..2", "×3", "()"])
def test_what_is_no_formula(formula: str) -> None:
    with pytest.raises(NotAFormula):
        evaluate(formula)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 10**6))
def test_as_arithmetic_has_it(a: int, b: int, c: int) -> None:
    assert evaluate(f"{a}+{b}×{c}−({a}−{b})") == a + b * c - (a - b)
    assert evaluate(f"{a}×{c}÷{c}") == Decimal(a)
