"""Calculator: a formula, its value as it is typed, and the history of what was asked in `calculator.db`."""

from collections.abc import Hashable
from functools import partial

from emulator_farm.virtual.apps.calculator.arithmetic import NotAFormula, evaluate, written
from emulator_farm.virtual.apps.dates import millis
from emulator_farm.virtual.dialogs import confirm, menu
from emulator_farm.virtual.material import CENTER, icon_button, list_item, scrolling, top_bar
from emulator_farm.virtual.providers import Table
from emulator_farm.virtual.screen import App, Entry, Screen
from emulator_farm.virtual.stored_provider import StoredProvider
from emulator_farm.virtual.system import System
from emulator_farm.virtual.widgets import FILL, Column, Paint, Row, Stack, Text, Widget, pad

PACKAGE = "com.android.calculator2"
SCHEMA = """
CREATE TABLE history (_id INTEGER PRIMARY KEY AUTOINCREMENT, formula TEXT NOT NULL, result TEXT NOT NULL, date INTEGER);
"""
LONGEST = 100
"""Characters that a formula may have."""
KEYS = (
    (("clr", "AC", "clear"), ("lparen", "(", "left parenthesis"), ("rparen", ")", "right parenthesis"),
     ("op_div", "÷", "divide")),
    (("digit_7", "7", ""), ("digit_8", "8", ""), ("digit_9", "9", ""), ("op_mul", "×", "multiply")),
    (("digit_4", "4", ""), ("digit_5", "5", ""), ("digit_6", "6", ""), ("op_sub", "−", "minus")),
    (("digit_1", "1", ""), ("digit_2", "2", ""), ("digit_3", "3", ""), ("op_add", "+", "plus")),
    (("digit_0", "0", ""), ("dec_point", ".", "point"), ("op_pct", "%", "percent"), ("eq", "=", "equals")),
)  # fmt: skip
"""Resource id, what it types, content-desc."""


KEY, OTHERS = 68, 240
"""Height of a key, and of all that is not keys, in dp."""


class CalculatorStore(StoredProvider):
    """Formulas with their results."""

    def __init__(self, system: System) -> None:
        super().__init__(system, PACKAGE, "calculator.db", SCHEMA, {"history": Table("history")}, (PACKAGE,))


def calculator_store(system: System) -> CalculatorStore:
    """The calculator's memory on a phone."""
    provider = system.providers.get(PACKAGE)
    assert isinstance(provider, CalculatorStore)
    return provider


class Calculator(Screen):
    """The display over the keys."""

    activity = ".Calculator"
    formula = ""
    result = ""
    done = False
    """True after =, when the next digit begins a new formula."""

    def build(self) -> Widget:
        """Bar, formula, result, keys."""
        more = icon_button("more_vert", "More options", self._more)
        delete = icon_button("backspace", "delete", self._delete, "del")
        lines = (
            Text(id="formula", text=self.formula, size=44, w=FILL, align="end"),
            Text(id="result", text=self.result, size=32, w=FILL, align="end", color="on_surface_variant"),
        )
        shown = tuple(line for line in lines if line.text)
        words = Column(id="display", w=FILL, h=FILL, pad=pad(24, 8), justify="end", gap=8, children=shown)
        tools = Row(w=FILL, justify="end", pad=pad(16, 4), children=(delete,))
        gap = 8 if self._key_height() == KEY else 4
        rows = tuple(Row(w=FILL, gap=gap, ltr=True, children=tuple(self._key(*key) for key in row)) for row in KEYS)
        keys = Column(id="pad_numeric", w=FILL, gap=gap, pad=pad(12, gap * 1.5), bg="surface_container", children=rows)
        return Column(w=FILL, h=FILL, children=(top_bar("Calculator", actions=(more,)), words, tools, keys))

    def _key(self, name: str, text: str, desc: str) -> Widget:
        face: Paint = (
            "primary_container" if name == "eq" else "surface_high" if text.isdigit() else "secondary_container"
        )
        height = self._key_height()
        glyph = Text(text=text, size=26 if height == KEY else 18, fixed=True, anchor=CENTER, hidden=True)
        return Stack(
            id=name, view="Button", caption=text, desc=desc, grow=1, h=height, radius=height / 2, children=(glyph,),
            bg="primary_container" if name == "eq" else face,
            on_tap=partial(self._press, text),
        )  # fmt: skip

    def _key_height(self) -> float:
        """In dp; less where the screen is low, so that every key is on it."""
        height = self.system.display.size_dp[1]
        return min(KEY, max(26, (height - OTHERS) / len(KEYS)))

    def _press(self, text: str) -> None:
        match text:
            case "AC":
                self.formula = self.result = ""
            case "=":
                self._equals()
                return
            case _:
                begins = self.done and text not in "+−×÷%"
                self.formula = text if begins else (self.formula + text)[:LONGEST]
                self._preview()
        self.done = False

    def _delete(self) -> None:
        self.formula, self.done = self.formula[:-1], False
        self._preview()

    def _preview(self) -> None:
        try:
            value = written(evaluate(self.formula))
        except NotAFormula:
            value = ""
        self.result = "" if value == self.formula else value

    def _equals(self) -> None:
        try:
            value = written(evaluate(self.formula))
        except NotAFormula:
            self.result = "Error" if self.formula else ""
            return
        sql = "INSERT INTO history (formula, result, date) VALUES (?, ?, ?)"
        calculator_store(self.system).run(sql, (self.formula, value, millis(self.system.now())))
        self.formula, self.result, self.done = value, "", True

    def _more(self) -> None:
        self.show(menu([("History", self._history)]))

    def _history(self) -> None:
        self.dismiss()
        self.open(History)


class History(Screen):
    """What was asked, the latest first."""

    activity = ".HistoryActivity"

    def moment(self) -> Hashable:
        """The database may change behind the app's back."""
        return calculator_store(self.system).stamp

    def build(self) -> Widget:
        """The list."""
        found = calculator_store(self.system).rows("SELECT formula, result FROM history ORDER BY _id DESC")
        rows = [
            list_item(
                str(row["formula"]), f"= {row['result']}", title_id="history_formula", summary_id="history_result"
            )
            for row in found
        ]
        nothing = Text(id="empty_history_view", text="No history", w=FILL, align="center", pad=pad(24, 96))
        clear = icon_button("delete", "Clear history", self._ask, "action_clear_history")
        bar = top_bar("History", up=self.close, actions=(clear,))
        return Column(w=FILL, h=FILL, children=(bar, scrolling(rows or [nothing], "history_recycler_view")))

    def _ask(self) -> None:
        self.show(confirm("Clear history?", "Clear", self._clear, self.dismiss))

    def _clear(self) -> None:
        self.dismiss()
        calculator_store(self.system).run("DELETE FROM history")


def _ship(system: System) -> None:
    calculator_store(system).wipe()


APP = App(
    package=PACKAGE,
    label="Calculator",
    icon="calculate",
    color=(69, 90, 100),
    apk="/product/app/ExactCalculator/ExactCalculator.apk",
    provision=_ship,
    providers=(CalculatorStore,),
    entries=(Entry(".Calculator", Calculator, launcher=True),),
)
