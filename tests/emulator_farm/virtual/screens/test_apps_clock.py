"""Clock: alarms, timers and the stopwatch on phone time, and the rows that reveal them."""

import pytest

from emulator_farm.virtual.apps.clock.stopwatch import clock_face
from emulator_farm.virtual.apps.clock.timers import countdown, spell
from emulator_farm.virtual.intents import Intent

APP = "com.android.deskclock"
ROWS = "content://com.android.deskclock"


def alarms(hand) -> list[tuple[object, ...]]:
    rows = hand.phone.query(
        f"{ROWS}/alarms", ["hour", "minutes", "daysofweek", "enabled", "label"], None, "hour, minutes"
    )
    return [tuple(row.values()) for row in rows]


def test_shipped_alarms(hand) -> None:
    hand.open(APP)
    assert [node.text for node in hand.find_all(id="digital_clock")] == ["8:30 AM", "9:00 AM"]
    assert [node.text for node in hand.find_all(id="days_of_week")] == ["Mon, Tue, Wed, Thu, Fri", "Sun, Sat"]
    assert alarms(hand) == [(8, 30, 31, 0, ""), (9, 0, 96, 0, "")]
    hand.phone.settings.put("system", "time_12_24", "24")
    assert hand.find(id="digital_clock").text == "08:30"


def add_alarm(hand, hour: str, minute: str, half: str) -> None:
    hand.tap(desc="Add alarm")
    hand.tap(id="input_hour")
    hand.phone.text(hour)
    hand.tap(id="input_minute")
    hand.phone.text(minute)
    hand.tap(text=half)
    hand.tap(text="OK")


def test_add_an_alarm_with_label_days_and_no_vibration(hand) -> None:
    hand.open(APP)
    add_alarm(hand, "6", "45", "AM")
    assert hand.phone.system.toast_text == "Alarm set for 15 hr 11 min from now."
    assert hand.see(text="Tomorrow")
    hand.tap(text="Add label")
    hand.phone.text("Swim\n")
    hand.tap(desc="Monday")
    hand.tap(desc="Wednesday")
    hand.tap(text="Vibrate")
    assert alarms(hand)[0] == (6, 45, 0b101, 1, "Swim")
    assert hand.find(desc="Monday").flag("checked")
    assert not hand.find(id="vibrate_onoff").flag("checked")
    hand.tap(desc="Collapse alarm")
    assert hand.see(text="Swim")
    assert hand.see(text="Mon, Wed")
    hand.tap(text="Mon, Wed")
    for day in ("Tuesday", "Thursday", "Friday", "Saturday", "Sunday"):
        hand.tap(desc=day)
    assert hand.see(text="Every day")


def test_the_picker_refuses_what_is_no_time(hand) -> None:
    hand.open(APP)
    hand.tap(desc="Add alarm")
    hand.tap(id="input_hour")
    hand.phone.text("13")
    assert hand.see(text="Enter a valid time")
    assert not hand.find(text="OK").flag("enabled")
    hand.tap(id="input_minute")
    hand.phone.text("x7y123")
    assert hand.find(id="input_minute").text == "34"
    hand.tap(text="Cancel")
    assert len(alarms(hand)) == 2


def test_midnight_and_noon(hand) -> None:
    hand.open(APP)
    add_alarm(hand, "12", "05", "AM")
    add_alarm(hand, "12", "10", "PM")
    assert [row[:2] for row in alarms(hand)] == [(0, 5), (8, 30), (9, 0), (12, 10)]
    assert hand.see(text="12:05 AM")


def test_24_hour_picker(hand) -> None:
    hand.phone.settings.put("system", "time_12_24", "24")
    hand.open(APP)
    hand.tap(desc="Add alarm")
    assert not hand.see(text="AM")
    hand.tap(id="input_hour")
    hand.phone.text("22")
    hand.tap(text="OK")
    assert (22, 34) in [row[:2] for row in alarms(hand)]
    assert hand.see(text="Today")


def test_toggle_change_and_delete(hand) -> None:
    hand.open(APP)
    hand.tap(id="onoff")
    assert alarms(hand)[0][3] == 1
    hand.tap(text="8:30 AM")
    hand.tap(id="input_minute")
    hand.phone.text("15")
    hand.tap(text="OK")
    assert alarms(hand)[0][:2] == (8, 15)
    hand.tap(desc="Expand alarm")
    hand.tap(text="Delete")
    assert len(alarms(hand)) == 1
    hand.phone.delete(f"{ROWS}/alarms")
    assert hand.see(text="No Alarms")


def test_an_unscheduled_alarm_says_so(hand) -> None:
    hand.phone.insert(f"{ROWS}/alarms", {"hour": 23, "minutes": 0, "enabled": 0})
    hand.open(APP)
    assert hand.see(text="Not scheduled")


def test_clock_tab_names_the_next_alarm(hand) -> None:
    hand.open(APP)
    hand.tap(desc="Clock")
    assert hand.find(id="digital_clock").text == "3:34 PM"
    assert hand.see(text="Thu, Oct 15")
    assert not hand.see(id="nextAlarm")
    hand.phone.update(f"{ROWS}/alarms", {"enabled": 1})
    assert hand.find(id="nextAlarm").text == "Next alarm Fri 8:30 AM"
    hand.phone.insert(f"{ROWS}/alarms", {"hour": 15, "minutes": 0})
    hand.phone.insert(f"{ROWS}/alarms", {"hour": 15, "minutes": 40})
    assert hand.find(id="nextAlarm").text == "Next alarm Thu 3:40 PM"


def key_in(hand, digits: str) -> None:
    for digit in digits:
        hand.tap(id=f"timer_setup_digit_{digit}")


def test_timer_keypad(hand) -> None:
    hand.open(APP)
    hand.tap(desc="Timer")
    assert not hand.see(desc="Start")
    key_in(hand, "0123")
    assert hand.find(id="timer_setup_time").text == "00h 01m 23s"
    hand.tap(desc="Delete last digit")
    hand.tap(id="timer_setup_digit_00")
    assert hand.find(id="timer_setup_time").text == "00h 12m 00s"
    key_in(hand, "99999")
    assert hand.find(id="timer_setup_time").text == "12h 00m 99s"


def start_timer(hand, digits: str) -> None:
    key_in(hand, digits)
    hand.phone.tap(*hand.find(desc="Start").center)


def timer(hand) -> tuple[object, ...]:
    return tuple(hand.phone.query(f"{ROWS}/timers", ["length_ms", "remaining_ms", "state"])[0].values())


def test_a_timer_runs_on_phone_time(hand) -> None:
    hand.open(APP)
    hand.tap(desc="Timer")
    start_timer(hand, "500")
    assert timer(hand) == (300_000, 300_000, "running")
    hand.wait(61.5)
    assert timer(hand) == (300_000, 238_500, "running")
    assert hand.find(id="timer_time_text").text == "3:59"
    hand.phone.tap(*hand.find(text="Pause").center)
    hand.wait(500)
    assert timer(hand) == (300_000, 238_500, "paused")
    hand.phone.tap(*hand.find(text="+1:00").center)
    hand.phone.tap(*hand.find(text="Resume").center)
    hand.wait(298)
    assert hand.find(id="timer_time_text").text == "0:01"
    hand.wait(2)
    assert timer(hand) == (300_000, 0, "expired")
    hand.phone.tap(*hand.find(text="+1:00").center)
    assert timer(hand) == (300_000, 60_000, "running")
    hand.phone.tap(*hand.find(text="Reset").center)
    assert timer(hand) == (300_000, 300_000, "reset")
    hand.phone.tap(*hand.find(text="Start").center)
    hand.wait(400)
    hand.phone.tap(*hand.find(text="Stop").center)
    assert timer(hand) == (300_000, 300_000, "reset")


def test_a_running_timer_survives_leaving_killing_and_reboot(hand) -> None:
    hand.open(APP)
    hand.tap(desc="Timer")
    start_timer(hand, "1000")
    hand.key(3)
    hand.phone.force_stop(APP)
    hand.wait(30)
    hand.phone.reboot()
    hand.wait(30)
    assert timer(hand) == (600_000, 540_000, "running")


def test_several_timers(hand) -> None:
    hand.open(APP)
    hand.tap(desc="Timer")
    start_timer(hand, "130")
    hand.tap(desc="Add timer")
    hand.key(4)
    assert hand.see(id="timer_card")
    hand.tap(desc="Add timer")
    start_timer(hand, "20000")
    assert [node.text for node in hand.find_all(id="timer_label")] == ["2h timer", "1m 30s timer"]
    hand.tap(text="2h timer")
    hand.phone.text("Bread\n")
    assert hand.see(text="Bread")
    hand.tap(desc="Delete")
    assert len(hand.phone.query(f"{ROWS}/timers")) == 1
    hand.tap(desc="Delete")
    assert hand.see(id="timer_setup_time")


def test_the_frame_changes_with_each_second_and_not_between(hand) -> None:
    hand.open(APP)
    hand.tap(desc="Timer")
    start_timer(hand, "9")
    hand.wait(0.25)
    version = hand.phone.version
    hand.wait(0.5)
    assert hand.phone.version == version
    hand.wait(0.5)
    assert hand.phone.version == version + 1


def test_stopwatch(hand) -> None:
    hand.open(APP)
    hand.tap(desc="Stopwatch")
    assert hand.find(id="stopwatch_time_text").text == "00:00.00"
    hand.phone.tap(*hand.find(desc="Start").center)
    hand.wait(2.5)
    hand.phone.tap(*hand.find(text="Lap").center)
    hand.wait(3.25)
    assert hand.find(id="stopwatch_time_text").text == "00:05"
    hand.phone.tap(*hand.find(text="Lap").center)
    hand.phone.tap(*hand.find(desc="Pause").center)
    assert hand.find(id="stopwatch_time_text").text == "00:05.75"
    assert [node.text for node in hand.find_all(id="lap_time")] == ["00:03.25", "00:02.50"]
    row = hand.phone.query(f"{ROWS}/stopwatch", ["state", "elapsed_ms", "laps"])[0]
    assert row == {"state": "paused", "elapsed_ms": 5750, "laps": 2}
    assert [row["total_ms"] for row in hand.phone.query(f"{ROWS}/laps")] == [2500, 5750]
    hand.phone.tap(*hand.find(desc="Start").center)
    hand.wait(1)
    hand.phone.tap(*hand.find(text="Reset").center)
    assert hand.find(id="stopwatch_time_text").text == "00:00.00"
    assert hand.phone.query(f"{ROWS}/laps") == []


def test_intents(hand) -> None:
    prefix = "android.intent.extra.alarm."
    extras = {prefix + "HOUR": "7", prefix + "MINUTES": "20", prefix + "MESSAGE": "Train"}
    assert hand.phone.start_activity(Intent("android.intent.action.SET_ALARM", extras=extras)).kind == "started"
    assert (7, 20, 0, 1, "Train") in alarms(hand)
    hand.phone.start_activity(Intent("android.intent.action.SET_TIMER", extras={prefix + "LENGTH": "90"}))
    assert timer(hand) == (90_000, 90_000, "running")
    hand.phone.start_activity(Intent("android.intent.action.SHOW_ALARMS"))
    assert hand.see(text="Train")
    hand.phone.start_activity(Intent("android.intent.action.SET_ALARM"))
    assert len(alarms(hand)) == 3


def test_landscape_keypad(hand) -> None:
    hand.phone.settings.put("system", "user_rotation", "3")
    hand.open(APP)
    hand.tap(desc="Timer")
    start_timer(hand, "45")
    assert hand.find(id="timer_time_text").text == "0:45"


@pytest.mark.parametrize(
    ("seconds", "face", "spelled"), [(0, "0:00", "0s"), (65, "1:05", "1m 5s"), (3723, "1:02:03", "1h 2m 3s")]
)
def test_durations(seconds: int, face: str, spelled: str) -> None:
    assert (countdown(seconds), spell(seconds)) == (face, spelled)


def test_stopwatch_faces() -> None:
    assert clock_face(3_605_430, True) == "1:00:05.43"
    assert clock_face(65_430, False) == "01:05"
