"""Messages by touch, and the same rows in `content://sms` and `mmssms.db`."""

import sqlite3
from pathlib import Path

APP = "com.android.messaging"
DB = "/data/data/com.android.providers.telephony/databases/mmssms.db"


def test_shipped_conversations(thumb) -> None:
    thumb.open(APP)
    assert thumb.texts("conversation_name") == ["72405", "Ines Baptiste", "Daniel Osei", "Chloe Marchetti"]
    assert thumb.query("content://sms/inbox", "address", "read=0") == ["address=72405"]
    thumb.tap(text="72405")
    assert thumb.query("content://sms/inbox", "address", "read=0") == []
    thumb.back()
    assert thumb.find(id="conversation_snippet").text.startswith("Your parcel arrives")


def test_answering(thumb) -> None:
    thumb.open(APP)
    thumb.tap(text="Daniel Osei")
    assert thumb.texts("message_text") == ["The projector is in room 214, code for the door is 7081."]
    assert not thumb.sees(desc="Send")
    thumb.tap(id="compose_message_text")
    thumb.type("On my way")
    thumb.tap(desc="Send")
    assert thumb.texts("message_text")[-1] == "On my way"
    assert thumb.find(id="compose_message_text").text == "Send message"
    sent = thumb.query("content://sms/sent", "address:body:read", sort="date DESC")
    assert sent[0] == "address=(555) 010-4412, body=On my way, read=1"
    thumb.back(2)
    assert thumb.texts("conversation_name")[0] == "Daniel Osei"
    assert thumb.texts("conversation_snippet")[0] == "You: On my way"


def test_new_conversation_with_a_contact_and_with_a_number(thumb) -> None:
    thumb.open(APP)
    thumb.tap(desc="Start new conversation")
    thumb.type("grace")
    thumb.tap(text="Grace Lindqvist")
    thumb.type("Hello Grace")
    thumb.tap(desc="Send")
    thumb.back(2)
    assert thumb.texts("conversation_name")[0] == "Grace Lindqvist"
    thumb.tap(desc="Start new conversation")
    thumb.type("4155550100")
    thumb.tap(text="Send to 4155550100")
    thumb.type("Who is this?")
    thumb.tap(desc="Send")
    where = "address='4155550100'"
    assert thumb.query("content://sms", "body:type", where) == ["body=Who is this?, type=2"]


def test_messages_from_outside(thumb) -> None:
    thumb.open(APP)
    words = ["content", "insert", "--uri", "content://sms/inbox"]
    thumb.shell(*words, "--bind", "address:s:+15550103390", "--bind", "body:s:Table moved to 8")
    assert thumb.texts("conversation_name")[0] == "Chloe Marchetti"
    assert thumb.query("content://sms/inbox", "thread_id", "body LIKE 'Table%'") == ["thread_id=1"]
    conversations = thumb.query("content://mms-sms/conversations?simple=true", "_id:message_count:read", "_id=1")
    assert conversations == ["_id=1, message_count=4, read=0"]
    thumb.shell("content", "delete", "--uri", "content://sms/conversations/1")
    assert "Chloe Marchetti" not in thumb.texts("conversation_name")
    assert thumb.query("content://mms-sms/conversations?simple=true", "_id", "_id=1") == []


def test_sms_intent(thumb) -> None:
    thumb.shell(
        "am", "start", "-a", "android.intent.action.SENDTO", "-d", "sms:5550102237", "--es", "sms_body", "Lunch?"
    )
    assert thumb.sees(text="Ben Whitfield")
    assert thumb.find(id="compose_message_text").text == "Lunch?"
    thumb.tap(desc="Send")
    assert thumb.query("content://sms/sent", "address:body", "body='Lunch?'") == ["address=5550102237, body=Lunch?"]


def test_no_network_no_message(thumb) -> None:
    thumb.shell("cmd", "connectivity", "airplane-mode", "enable")
    thumb.open(APP)
    thumb.tap(text="Ines Baptiste")
    thumb.tap(id="compose_message_text")
    thumb.type("Here")
    thumb.tap(desc="Send")
    assert thumb.query("content://sms", "type", "body='Here'") == ["type=5"]
    thumb.shell("cmd", "connectivity", "airplane-mode", "disable")
    thumb.tap(text="Not sent. Touch to retry.")
    assert thumb.query("content://sms", "type", "body='Here'") == ["type=2"]


def test_deleting_a_message_and_a_conversation(thumb) -> None:
    thumb.open(APP)
    thumb.tap(text="Chloe Marchetti")
    thumb.hold(text="Yes! I booked a table for 7:30.")
    thumb.tap(text="Delete")
    thumb.tap(text="Delete")
    assert thumb.query("content://sms", "_id", "thread_id=1") == ["_id=1", "_id=3"]
    thumb.back()
    thumb.hold(text="Chloe Marchetti")
    thumb.tap(text="Cancel")
    thumb.hold(text="Chloe Marchetti")
    thumb.tap(text="Delete")
    assert thumb.query("content://sms", "_id", "thread_id=1") == []
    thumb.tap(text="Ines Baptiste")
    thumb.tap(desc="More options")
    thumb.tap(text="Delete")
    thumb.tap(text="Delete")
    assert thumb.texts("conversation_name") == ["72405", "Daniel Osei"]


def test_forwarding(thumb) -> None:
    thumb.open(APP)
    thumb.tap(text="72405")
    thumb.hold(id="message_text")
    thumb.tap(text="Forward")
    thumb.type("hugo")
    thumb.tap(text="Hugo Fernandes")
    thumb.tap(desc="Send")
    assert "Pickup code: 559113" in thumb.query("content://sms/sent", "body", "address LIKE '%8871'")[0]


def test_search(thumb) -> None:
    thumb.open(APP)
    thumb.tap(desc="Search messages")
    thumb.type("harbour")
    assert thumb.texts("conversation_name") == ["Ines Baptiste"]
    thumb.type("zzz")
    assert thumb.sees(text="No matching messages")
    thumb.back(2)
    assert len(thumb.texts("conversation_name")) == 4


def test_the_database_file(thumb, tmp_path: Path) -> None:
    """Pulled, queried and changed on the phone, pushed back; and what a reboot and clearing leave of it."""
    local = tmp_path / "mmssms.db"
    assert thumb.wired("pull", DB, str(local)).code == 0
    with sqlite3.connect(local) as db:
        assert db.execute("SELECT count(*) FROM sms").fetchone() == (7,)
        db.execute("INSERT INTO sms (address, body, date, read) VALUES ('72405', 'pushed', 1792079000000, 0)")
    db.close()
    assert thumb.wired("push", str(local), DB).code == 0
    assert thumb.shell("sqlite3", DB, "SELECT thread_id, body FROM sms WHERE read = 0 ORDER BY _id;") == (
        "4|Your parcel arrives today between 14:00 and 16:00. Pickup code: 559113\n4|pushed"
    )
    thumb.open(APP)
    assert thumb.texts("conversation_snippet")[0] == "pushed"
    thumb.shell("sqlite3", DB, "DELETE FROM sms WHERE thread_id != 2")
    assert thumb.texts("conversation_name") == ["Daniel Osei"]
    thumb.shell("am", "force-stop", APP)
    thumb.shell("pm", "clear", "com.android.providers.telephony")
    thumb.open(APP)
    assert thumb.sees(id="empty_text_hint")
    thumb.script(f"echo nonsense > {DB}")
    assert thumb.query("content://sms", "_id") == []
    thumb.shell("pm", "clear", APP)
    thumb.open(APP)
    assert len(thumb.texts("conversation_name")) == 4


def test_an_arriving_message_notifies_until_it_is_read(thumb) -> None:
    thumb.shell("vphone", "sms", "(555) 010-4412", "Door code is 1180 now")
    thumb.shell("cmd", "statusbar", "expand-notifications")
    assert thumb.texts("title") == ["Daniel Osei"]
    thumb.tap(text="Door code is 1180 now")
    assert thumb.texts("message_text")[-1] == "Door code is 1180 now"
    thumb.shell("vphone", "sms", "72405", "Your parcel is here")
    thumb.back()
    thumb.open(APP)
    thumb.tap(text="72405")
    thumb.shell("cmd", "statusbar", "expand-notifications")
    assert thumb.sees(text="No notifications")
