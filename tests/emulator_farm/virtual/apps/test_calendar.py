"""Calendar by touch, and the same events in `content://com.android.calendar` and `calendar.db`."""

APP = "com.android.calendar"
EVENTS = "content://com.android.calendar/events"
DAY = 86_400_000
TODAY = 1_792_022_400_000
"""2026-10-15 00:00 UTC, milliseconds."""


def test_the_month_and_its_events(thumb) -> None:
    thumb.open(APP)
    assert thumb.sees(text="October 2026")
    assert thumb.texts("event_title") == ["Team lunch"]
    thumb.tap(desc="Wednesday, October 21, 1 event")
    assert thumb.texts("event_title") == ["Flight to Lisbon"]
    assert thumb.texts("event_when") == ["7:40 AM – 11:05 AM"]
    thumb.tap(desc="Next month")
    assert thumb.sees(text="November 2026")
    thumb.tap(desc="Saturday, November 7, 1 event")
    assert thumb.texts("event_title") == ["Piano lesson"]
    thumb.shell("input", "swipe", "200", "600", "900", "620", "150")
    assert thumb.sees(text="October 2026")
    thumb.tap(desc="Today")
    assert thumb.sees(text="Thursday, October 15")


def test_day_and_schedule(thumb) -> None:
    thumb.open(APP)
    thumb.tap(desc="Change view")
    thumb.tap(text="Day")
    assert thumb.sees(text="Thursday, October 15")
    thumb.tap(desc="Next day")
    assert thumb.texts("event_title") == ["Dentist"]
    thumb.tap(desc="Change view")
    thumb.tap(text="Schedule")
    assert thumb.texts("event_title")[:4] == ["Dentist", "Piano lesson", "Library books due", "Flight to Lisbon"]
    assert thumb.texts("event_when")[2] == "All day"


def test_creating_an_event(thumb) -> None:
    thumb.open(APP)
    thumb.tap(desc="Tuesday, October 20, No events")
    thumb.tap(desc="Create new event and more")
    thumb.type("Board meeting")
    thumb.back()
    assert thumb.find(id="start_date").text == "Tue, Oct 20, 2026"
    thumb.tap(id="start_time")
    thumb.tap(id="input_hour")
    thumb.type("9")
    thumb.tap(id="input_minute")
    thumb.type("15")
    thumb.tap(text="AM")
    thumb.tap(text="OK")
    assert thumb.find(id="end_time").text == "10:15 AM"
    thumb.tap(id="start_date")
    thumb.tap(desc="Next month")
    thumb.tap(text="3")
    thumb.tap(text="OK")
    thumb.tap(text="Does not repeat")
    thumb.tap(text="Every week")
    thumb.tap(text="10 minutes before")
    thumb.tap(text="1 hour before")
    thumb.tap(text="Location")
    thumb.type("Room 5")
    thumb.tap(text="Save")
    row = thumb.query(EVENTS, "_id:eventLocation:dtstart:dtend:duration:rrule:allDay", "title='Board meeting'")
    start = TODAY + 19 * DAY + (9 * 60 + 15) * 60_000
    assert row == [
        f"_id=6, eventLocation=Room 5, dtstart={start}, dtend=NULL, duration=P3600S, rrule=FREQ=WEEKLY, allDay=0"
    ]
    assert thumb.query("content://com.android.calendar/reminders", "minutes", "event_id=6") == ["minutes=60"]
    thumb.tap(desc="Next month")
    thumb.tap(desc="Tuesday, November 10, 1 event")
    thumb.tap(text="Board meeting")
    assert thumb.find(id="when_datetime").text == "Tuesday, November 10, 9:15 AM – 10:15 AM"
    assert thumb.find(id="when_repeat").text == "Every week"


def test_a_day_long_event(thumb) -> None:
    thumb.open(APP)
    thumb.tap(desc="Create new event and more")
    thumb.type("Offsite")
    thumb.back()
    thumb.tap(text="All day")
    assert not thumb.sees(id="start_time")
    thumb.tap(id="end_date")
    thumb.tap(text="17")
    thumb.tap(text="OK")
    thumb.tap(text="Save")
    row = thumb.query(EVENTS, "dtstart:dtend:allDay", "title='Offsite'")
    assert row == [f"dtstart={TODAY}, dtend={TODAY + 3 * DAY}, allDay=1"]
    thumb.tap(desc="Saturday, October 17, 2 events")
    assert thumb.texts("event_title") == ["Offsite", "Piano lesson"]
    thumb.tap(text="Offsite")
    assert thumb.find(id="when_datetime").text == "Thursday, October 15 – Saturday, October 17"


def test_changing_and_deleting(thumb) -> None:
    thumb.open(APP)
    thumb.tap(text="Team lunch")
    thumb.tap(desc="Edit")
    thumb.tap(id="title")
    thumb.type(" (moved)")
    thumb.back()
    thumb.back()
    thumb.tap(text="Keep editing")
    thumb.tap(id="start_date")
    thumb.tap(text="16")
    thumb.tap(text="OK")
    thumb.tap(text="Save")
    assert thumb.find(id="title").text == "Team lunch (moved)"
    start = TODAY + DAY + (12 * 60 + 30) * 60_000
    assert thumb.query(EVENTS, "title:dtstart:dtend", "_id=1") == [
        f"title=Team lunch (moved), dtstart={start}, dtend={start + 3_600_000}"
    ]
    thumb.tap(desc="Delete")
    thumb.tap(text="Cancel")
    thumb.tap(desc="Delete")
    thumb.tap(text="OK")
    assert thumb.query(EVENTS, "_id", "_id=1") == []
    assert thumb.query("content://com.android.calendar/reminders", "_id", "event_id=1") == []
    assert thumb.sees(text="No events")


def test_events_from_outside(thumb) -> None:
    thumb.open(APP)
    start = TODAY + 18 * 3_600_000
    values = {"title:s": "Concert", "dtstart:l": start, "dtend:l": start + 7_200_000, "calendar_id:i": 1}
    binds = [word for name, value in values.items() for word in ("--bind", f"{name}:{value}")]
    thumb.shell("content", "insert", "--uri", EVENTS, *binds)
    assert thumb.texts("event_title") == ["Team lunch", "Concert"]
    thumb.shell("am", "start", "-a", "android.intent.action.VIEW", "-d", f"{EVENTS}/6")
    assert thumb.find(id="title").text == "Concert"
    thumb.shell("sqlite3", "/data/data/com.android.providers.calendar/databases/calendar.db", "DELETE FROM Events")
    assert thumb.sees(text="Event not found")
    assert thumb.query("content://com.android.calendar/calendars", "calendar_displayName") == [
        "calendar_displayName=Phone"
    ]


def test_insert_intent(thumb) -> None:
    begin = TODAY + DAY + 15 * 3_600_000
    thumb.shell(
        "am", "start", "-a", "android.intent.action.INSERT", "-t", "vnd.android.cursor.dir/event",
        "--es", "title", "Call Elena", "--el", "beginTime", str(begin), "--el", "endTime", str(begin + 1_800_000),
    )  # fmt: skip
    assert thumb.find(id="start_time").text == "3:00 PM"
    assert thumb.find(id="end_time").text == "3:30 PM"
    thumb.tap(text="Save")
    assert thumb.query(EVENTS, "dtend", "title='Call Elena'") == [f"dtend={begin + 1_800_000}"]
    thumb.shell("am", "force-stop", APP)
    thumb.open(APP)
    assert thumb.sees(desc="Friday, October 16, 2 events")
