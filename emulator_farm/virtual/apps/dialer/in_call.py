"""A call in progress. It lasts as long as its screen does, also in the background; hanging up writes the call log."""

from collections.abc import Hashable

from emulator_farm.virtual.apps.dates import millis
from emulator_farm.virtual.apps.dialer.store import INCOMING, MISSED, OUTGOING, REJECTED, call_log
from emulator_farm.virtual.apps.numbers import PhoneBook, avatar
from emulator_farm.virtual.dialogs import confirm
from emulator_farm.virtual.intents import Component, Intent
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.system import System
from emulator_farm.virtual.widgets import FILL, Action, Column, Icon, Paint, Row, Space, Stack, Text, Widget, pad

PACKAGE, ACTIVITY = "com.android.dialer", "com.android.incallui.InCallActivity"
ANSWERED_AFTER_S = 3.0
"""How long the other side's phone rings, seconds of phone time."""
CENTER = (0.5, 0.5)
_GREEN, _RED = (30, 142, 62), (217, 48, 37)


class InCall(Screen):
    """A call to the number of the intent's data `tel:NUMBER`, or one from it where the extra `incoming` is set."""

    activity = ACTIVITY
    muted = speaker = held = False

    def created(self) -> None:
        """It starts to ring."""
        self.number = self.intent.data.partition(":")[2].replace("%20", " ")
        self.incoming = "incoming" in self.intent.extras
        self.started = self.system.clock.monotonic()
        self.date = millis(self.system.now())
        self.answered = 0.0 if self.incoming else self.started + ANSWERED_AFTER_S
        if not self.incoming and self.system.airplane:
            text = "Turn off airplane mode to make a call."
            self.show(confirm(text, "OK", self._give_up, self._give_up, title="Call not sent"))

    @property
    def state(self) -> str:
        """ringing | dialing | active"""
        if self.incoming and not self.answered:
            return "ringing"
        return "active" if self.system.clock.monotonic() >= self.answered else "dialing"

    @property
    def duration(self) -> int:
        """Seconds since the call was answered."""
        return int(max(0.0, self.system.clock.monotonic() - self.answered)) if self.state == "active" else 0

    def moment(self) -> Hashable:
        """Seconds go by."""
        return self.state, self.duration

    def on_back(self) -> bool:
        """Back leaves the call running and goes home."""
        self.system.tasks.go_home()
        return True

    def build(self) -> Widget:
        """Who, since when, what can be done."""
        label = PhoneBook(self.system).label(self.number)
        parts: list[Widget] = [
            Space(h=0 if self.system.display.low else 24),
            Text(id="contactgrid_status_text", text=self._status(), size=16, w=FILL, align="center"),
            Text(id="contactgrid_contact_name", text=label, size=32, w=FILL, align="center", max_lines=1),
        ]
        if label != self.number:
            parts.append(Text(id="contactgrid_number", text=self.number, size=16, w=FILL, align="center"))
        if not self.system.display.low:
            parts += [Space(h=24), Row(w=FILL, justify="center", children=(avatar(label, 112),))]
        parts.append(Space(grow=1))
        parts += self._ringing() if self.state == "ringing" else self._running()
        return Column(id="incall_ui_container", w=FILL, h=FILL, gap=8, pad=pad(24, 24), children=tuple(parts))

    def _status(self) -> str:
        match self.state:
            case "ringing":
                return "Incoming call"
            case "dialing":
                return "Calling…"
            case _ if self.held:
                return "On hold"
            case _:
                return f"{self.duration // 60:02d}:{self.duration % 60:02d}"

    def _ringing(self) -> list[Widget]:
        answer = _round("call", "Answer", "answer_button", self._answer, _GREEN)
        decline = _round("call", "Decline", "decline_button", self._decline, _RED)
        return [Row(w=FILL, justify="center", gap=96, children=(decline, answer))]

    def _running(self) -> list[Widget]:
        buttons = (
            _toggle("mic", "Mute", "incall_first_button", self.muted, self._mute),
            _toggle("volume_up", "Speaker", "incall_third_button", self.speaker, self._speaker),
            _toggle("pause", "Hold", "incall_fourth_button", self.held, self._hold),
        )
        end = _round("call", "End call", "incall_end_call", self._end, _RED)
        if self.system.display.low:
            return [Row(w=FILL, justify="center", gap=24, children=(*buttons, end))]
        return [Row(w=FILL, justify="center", gap=24, children=buttons), Space(h=32),
                Row(w=FILL, justify="center", children=(end,))]  # fmt: skip

    def _mute(self) -> None:
        self.muted = not self.muted

    def _speaker(self) -> None:
        self.speaker = not self.speaker

    def _hold(self) -> None:
        self.held = not self.held

    def _answer(self) -> None:
        self.answered = self.system.clock.monotonic()

    def _decline(self) -> None:
        self._log_and_close(REJECTED)

    def _end(self) -> None:
        self._log_and_close(INCOMING if self.incoming else OUTGOING)

    def _log_and_close(self, kind: int) -> None:
        call_log(self.system).add(self.number, kind, self.date, self.duration)
        self._leave()

    def _leave(self) -> None:
        alone = any(task.screens == [self] for task in self.system.tasks.stack)
        if alone:
            self.system.tasks.close(self.package)
        else:
            self.close()

    def answer(self) -> None:
        """Take the call, where one rings."""
        if self.state == "ringing":
            self._answer()

    def hang_up(self) -> None:
        """Decline the call where it rings, else end it."""
        if self.state == "ringing":
            self._decline()
        else:
            self._end()

    def miss(self) -> None:
        """The caller gives up."""
        self._log_and_close(MISSED)

    def _give_up(self) -> None:
        self.dismiss()
        self._leave()


def ring(system: System, number: str) -> None:
    """Somebody calls: the call comes to the front."""
    component = Component(PACKAGE, ACTIVITY)
    system.tasks.start(Intent(component=component, data=f"tel:{number}", extras={"incoming": "1"}))


def stop_ringing(system: System) -> None:
    """Whoever calls gives up, which leaves a missed call; nothing happens where nobody calls."""
    call = current(system)
    if call is not None and call.state == "ringing":
        call.miss()


def current(system: System) -> InCall | None:
    """The call that goes on now, None where there is none."""
    screens = [screen for task in system.tasks.stack for screen in task.screens]
    return next((screen for screen in screens if isinstance(screen, InCall)), None)


def call_state(system: System) -> int:
    """0 idle, 1 ringing, 2 off hook: as `dumpsys telephony.registry` says it."""
    call = current(system)
    return 0 if call is None else 1 if call.state == "ringing" else 2


def _round(icon: str, desc: str, name: str, on_tap: Action, color: Paint) -> Widget:
    glyph = Icon(name=icon, size=32, color="white", filled=True, anchor=CENTER, hidden=True)
    return Stack(
        id=name, view="ImageButton", desc=desc, w=72, h=72, bg=color, radius=36, on_tap=on_tap, children=(glyph,)
    )


def _toggle(icon: str, label: str, name: str, on: bool, on_tap: Action) -> Widget:
    ink: Paint = "on_primary" if on else "on_surface"
    glyph = Icon(name=icon, size=28, color=ink, anchor=CENTER)
    disc = Stack(w=56, h=56, radius=28, bg="primary" if on else "surface_high", hidden=True, children=(glyph,))
    return Column(
        id=name, view="android.widget.CompoundButton", desc=label, checkable=True, checked=on, gap=4, w=80,
        align="center", on_tap=on_tap, children=(disc, Text(text=label, size=12, hidden=True)),
    )  # fmt: skip
