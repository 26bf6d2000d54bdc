"""The dialog that asks for a time of day: hour and minute to type, AM/PM to tap."""

from collections.abc import Callable

from .dialogs import dialog
from .material import text_button
from .screen import Popup
from .system import System
from .widgets import FILL, WRAP, Action, Column, Paint, Row, Space, Text, TextField, Widget, pad

HOUR, MINUTE = "android:input_hour", "android:input_minute"


class TimePicker:
    """State of one open picker. `on_ok(hour, minute)` gets hours 0-23; it has to close the dialog."""

    def __init__(
        self, system: System, hour: int, minute: int, on_ok: Callable[[int, int], None], on_cancel: Action
    ) -> None:
        self._long = system.uses_24_hours
        self._on_ok = on_ok
        self._on_cancel = on_cancel
        self.afternoon = hour >= 12
        self.hour = str(hour if self._long else hour % 12 or 12)
        self.minute = f"{minute:02d}"

    def popup(self) -> Popup:
        """The dialog."""
        return Popup(self._build)

    def time(self) -> tuple[int, int] | None:
        """What is entered, hours 0-23; None where it is no time."""
        if not (self.hour.isdigit() and self.minute.isdigit()):
            return None
        hour, minute = int(self.hour), int(self.minute)
        low, high = (0, 23) if self._long else (1, 12)
        if not (low <= hour <= high and minute <= 59):
            return None
        return (hour if self._long else hour % 12 + 12 * self.afternoon), minute

    def _build(self) -> Widget:
        fields: list[Widget] = [
            self._field(HOUR, self.hour, self._set_hour, "Hour", "next"),
            Text(text=":", size=48, pad=pad(4, 0)),
            self._field(MINUTE, self.minute, self._set_minute, "Minute", "done"),
        ]
        if not self._long:
            halves = (self._half("AM", False), self._half("PM", True))
            fields.append(Space(w=12))
            fields.append(Column(id="android:radiogroup", view="RadioGroup", w=WRAP, gap=4, children=halves))
        parts: list[Widget] = [Row(w=FILL, align="start", children=tuple(fields))]
        if self.time() is None:
            parts.append(Text(id="android:label_error", text="Enter a valid time", size=14, color="error"))
        no = text_button("Cancel", self._on_cancel, "android:button2")
        yes = text_button("OK", self._ok, "android:button1", enabled=self.time() is not None)
        return dialog("Set time", parts, (no, yes), w=328)

    def _field(self, name: str, value: str, change: Callable[[str], None], label: str, action: str) -> Widget:
        box = TextField(
            id=name, value=value, desc=label.lower(), on_change=change, numeric=True, max_length=2, size=45,
            select_on_focus=True, action="next" if action == "next" else "done", align="center", w=FILL, h=72,
            pad=pad(4, 8), bg="surface_container", radius=8,
        )  # fmt: skip
        caption = Text(text=label, size=12, color="on_surface_variant")
        return Column(w=96, gap=4, children=(box, caption))

    def _half(self, text: str, afternoon: bool) -> Widget:
        on = self.afternoon == afternoon
        face: Paint = "primary_container" if on else "surface_container"
        return Text(
            id=f"android:{text.lower()}_label", view="RadioButton", text=text, size=16, weight="medium", align="center",
            w=56, h=36, bg=face, radius=8, checkable=True, checked=on, on_tap=lambda: self._set_half(afternoon),
        )  # fmt: skip

    def _set_hour(self, value: str) -> None:
        self.hour = value

    def _set_minute(self, value: str) -> None:
        self.minute = value

    def _set_half(self, afternoon: bool) -> None:
        self.afternoon = afternoon

    def _ok(self) -> None:
        time = self.time()
        if time is not None:
            self._on_ok(*time)
