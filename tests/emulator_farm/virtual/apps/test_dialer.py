"""Phone by touch, and the same calls in `content://call_log/calls`."""

APP = "com.android.dialer"
CALLS = "content://call_log/calls"


def call_state(thumb) -> str:
    return next(
        line.strip() for line in thumb.shell("dumpsys", "telephony.registry").splitlines() if "CallState" in line
    )


def test_recent_calls(thumb) -> None:
    thumb.open(APP)
    assert thumb.texts("primary_text") == [
        "Amara Okafor", "Amara Okafor", "(555) 014-2900", "Grace Lindqvist", "Ben Whitfield",
    ]  # fmt: skip
    assert thumb.texts("call_log_header") == ["Today", "Yesterday", "Mon, Oct 12"]
    assert thumb.texts("secondary_text")[0] == "Outgoing • 11:04 AM • 5 min 12 sec"
    assert len(thumb.query(CALLS, "_id", "type=3 AND new=1")) == 2
    thumb.shell("input", "keyevent", "HOME")
    assert thumb.query(CALLS, "_id", "new=1") == []


def test_dialing_a_number(thumb) -> None:
    thumb.open(APP)
    thumb.tap(desc="key pad")
    for key in ("four", "one", "one", "five"):
        thumb.tap(id=key)
    assert thumb.find(id="digits").text == "4115"
    thumb.tap(desc="backspace")
    thumb.hold(id="zero")
    assert thumb.find(id="digits").text == "411+"
    thumb.tap(desc="backspace")
    thumb.type("22")
    assert call_state(thumb) == "mCallState=0"
    thumb.tap(desc="dial")
    assert thumb.find(id="contactgrid_contact_name").text == "41122"
    assert call_state(thumb) == "mCallState=2"
    assert "InCallActivity" in thumb.shell("dumpsys", "activity", "activities")
    thumb.tap(desc="End call")
    assert call_state(thumb) == "mCallState=0"
    assert thumb.query(CALLS, "number:type:name", sort="_id DESC")[0] == "number=41122, type=2, name=NULL"
    assert thumb.texts("primary_text")[0] == "41122"


def test_a_number_that_somebody_has(thumb) -> None:
    thumb.shell("am", "start", "-a", "android.intent.action.DIAL", "-d", "tel:0103390")
    assert thumb.find(id="digits").text == "0103390"
    thumb.tap(text="Chloe Marchetti")
    assert thumb.find(id="contactgrid_number").text == "(555) 010-3390"
    thumb.tap(desc="Mute")
    assert thumb.find(desc="Mute").attributes["checked"] == "true"
    thumb.back()
    assert call_state(thumb) == "mCallState=2"
    thumb.open(APP)
    thumb.tap(text="Tap to return to call")
    thumb.tap(desc="End call")
    assert thumb.query(CALLS, "name:type", sort="_id DESC")[0] == "name=Chloe Marchetti, type=2"
    thumb.back()
    assert not thumb.sees(id="dialpad_view")


def test_calling_from_favorites_contacts_and_the_log(thumb) -> None:
    thumb.open(APP)
    thumb.tap(desc="Favorites")
    assert thumb.texts("name") == ["Chloe Marchetti"]
    thumb.tap(text="Chloe Marchetti")
    thumb.tap(desc="End call")
    thumb.tap(desc="Contacts")
    thumb.tap(text="Daniel Osei")
    assert thumb.find(id="large_title").text == "Daniel Osei"
    thumb.tap(text="(555) 010-4412")
    assert thumb.sees(text="Calling…")
    thumb.tap(desc="End call")
    thumb.open(APP)
    thumb.tap(desc="Recents")
    thumb.tap(desc="Call (555) 014-2900")
    thumb.tap(desc="End call")
    numbers = thumb.query(CALLS, "number", sort="_id DESC")[:3]
    assert numbers == ["number=(555) 014-2900", "number=(555) 010-4412", "number=(555) 010-3390"]


def test_from_a_call_to_a_message_and_to_a_contact(thumb) -> None:
    thumb.open(APP)
    thumb.tap(text="(555) 014-2900")
    assert thumb.find(id="phone_number").text == "(555) 014-2900"
    thumb.tap(text="Send a message")
    assert thumb.sees(id="compose_message_text")
    thumb.open(APP)
    thumb.tap(text="(555) 014-2900")
    thumb.tap(text="Add to contacts")
    assert thumb.find(id="phone").text == "(555) 014-2900"


def test_deleting(thumb) -> None:
    thumb.open(APP)
    thumb.tap(text="Ben Whitfield")
    thumb.tap(text="Delete")
    assert thumb.query(CALLS, "_id", "name='Ben Whitfield'") == []
    thumb.tap(desc="More options")
    thumb.tap(text="Clear call history")
    thumb.tap(text="OK")
    assert thumb.sees(text="Your call log is empty")
    assert thumb.query(CALLS, "_id") == []
    thumb.shell("content", "insert", "--uri", CALLS, "--bind", "number:s:5550101052", "--bind", "type:i:1")
    assert thumb.texts("primary_text") == ["Jonah Kessler"]
    thumb.shell("am", "force-stop", APP)
    thumb.open(APP)
    assert thumb.texts("primary_text") == ["Jonah Kessler"]


def test_no_network_no_call(thumb) -> None:
    thumb.shell("cmd", "connectivity", "airplane-mode", "enable")
    thumb.shell("am", "start", "-a", "android.intent.action.CALL", "-d", "tel:5550102237")
    assert thumb.sees(text="Call not sent")
    thumb.tap(text="OK")
    assert call_state(thumb) == "mCallState=0"
    assert len(thumb.query(CALLS, "_id")) == 5
