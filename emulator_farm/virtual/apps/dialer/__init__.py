"""Phone: calls, and the log of them behind `content://call_log/calls`."""

from emulator_farm.virtual.apps.dialer.in_call import ACTIVITY, PACKAGE, InCall
from emulator_farm.virtual.apps.dialer.main import Dialer
from emulator_farm.virtual.apps.dialer.store import CallLog, call_log
from emulator_farm.virtual.screen import App, Entry
from emulator_farm.virtual.system import System

_DIAL, _VIEW, _CALL = (f"android.intent.action.{name}" for name in ("DIAL", "VIEW", "CALL"))


def _ship(system: System) -> None:
    call_log(system).ship()


APP = App(
    package=PACKAGE,
    label="Phone",
    icon="call",
    color=(30, 142, 62),
    apk="/product/priv-app/Dialer/Dialer.apk",
    provision=_ship,
    providers=(CallLog,),
    entries=(
        Entry(".main.impl.MainActivity", Dialer, launcher=True),
        Entry(".DialtactsActivity", Dialer, (_DIAL,)),
        Entry(".ViewTelActivity", Dialer, (_DIAL, _VIEW), ("tel:", "vnd.android.cursor.dir/calls")),
        Entry(ACTIVITY, InCall, (_CALL,), ("tel:",)),
    ),
)
