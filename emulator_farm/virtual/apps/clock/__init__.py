"""Clock: alarms, time, timers, stopwatch, stored behind `content://com.android.deskclock`."""

from emulator_farm.virtual.apps.clock.desk import DeskClock
from emulator_farm.virtual.apps.clock.store import ClockStore, store
from emulator_farm.virtual.screen import App, Entry
from emulator_farm.virtual.system import System

_ACTIONS = ("SHOW_ALARMS", "SET_ALARM", "SHOW_TIMERS", "SET_TIMER")


def _ship(system: System) -> None:
    store(system).ship()


APP = App(
    package="com.android.deskclock",
    label="Clock",
    icon="schedule",
    color=(66, 103, 210),
    apk="/product/app/DeskClock/DeskClock.apk",
    provision=_ship,
    providers=(ClockStore,),
    entries=(
        Entry(".DeskClock", DeskClock, launcher=True),
        Entry(".HandleApiCalls", DeskClock, tuple(f"android.intent.action.{action}" for action in _ACTIONS)),
    ),
)
