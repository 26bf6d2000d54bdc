"""Calendar: events in the database behind `content://com.android.calendar`."""

from emulator_farm.virtual.apps.calendar.edit import EditEvent
from emulator_farm.virtual.apps.calendar.info import EventInfo
from emulator_farm.virtual.apps.calendar.month import CalendarHome
from emulator_farm.virtual.apps.calendar.store import CalendarStore, calendar_store
from emulator_farm.virtual.screen import App, Entry
from emulator_farm.virtual.system import System

_EVENTS = "content://com.android.calendar/events"
_VIEW, _INSERT, _EDIT = (f"android.intent.action.{name}" for name in ("VIEW", "INSERT", "EDIT"))


def _ship(system: System) -> None:
    calendar_store(system).ship()


APP = App(
    package="com.android.calendar",
    label="Calendar",
    icon="calendar_month",
    color=(66, 133, 244),
    apk="/system/app/Calendar/Calendar.apk",
    provision=_ship,
    providers=(CalendarStore,),
    entries=(
        Entry(".AllInOneActivity", CalendarHome, (_VIEW,), ("content://com.android.calendar/time",), launcher=True),
        Entry(".EventInfoActivity", EventInfo, (_VIEW,), (_EVENTS,)),
        Entry(
            ".event.EditEventActivity",
            EditEvent,
            (_INSERT, _EDIT),
            (_EVENTS, "vnd.android.cursor.dir/event", "vnd.android.cursor.item/event"),
        ),
    ),
)
