"""Text messages: `mmssms.db` of the telephony provider, behind `content://sms` and `content://mms-sms`.

Triggers keep threads in step with messages whoever writes them, as on Android: a message without a thread finds or
makes the one of its address, and a thread shows the latest message.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from emulator_farm.virtual.apps.dates import millis
from emulator_farm.virtual.apps.numbers import PhoneBook, digits
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.notifications import Notification
from emulator_farm.virtual.providers import Table, Value
from emulator_farm.virtual.stored_provider import StoredProvider
from emulator_farm.virtual.system import System

PACKAGE = "com.android.messaging"
AUTHORITY = "sms"
INBOX, SENT, DRAFT, OUTBOX, FAILED = 1, 2, 3, 4, 5
"""Values of `type`."""


def _number(column: str) -> str:
    for char in " -()+":
        column = f"replace({column}, '{char}', '')"
    return f"substr({column}, -9)"


SCHEMA = f"""
CREATE TABLE canonical_addresses (_id INTEGER PRIMARY KEY AUTOINCREMENT, address TEXT);
CREATE TABLE threads (
  _id INTEGER PRIMARY KEY AUTOINCREMENT, date INTEGER DEFAULT 0, message_count INTEGER DEFAULT 0, recipient_ids TEXT,
  snippet TEXT, snippet_cs INTEGER DEFAULT 0, read INTEGER DEFAULT 1, archived INTEGER DEFAULT 0,
  type INTEGER DEFAULT 0, error INTEGER DEFAULT 0, has_attachment INTEGER DEFAULT 0);
CREATE TABLE sms (
  _id INTEGER PRIMARY KEY AUTOINCREMENT, thread_id INTEGER, address TEXT, person INTEGER, date INTEGER,
  date_sent INTEGER DEFAULT 0, protocol INTEGER, read INTEGER DEFAULT 0, status INTEGER DEFAULT -1,
  type INTEGER DEFAULT {INBOX}, reply_path_present INTEGER, subject TEXT, body TEXT, service_center TEXT,
  locked INTEGER DEFAULT 0, sub_id INTEGER DEFAULT 1, error_code INTEGER DEFAULT 0, creator TEXT,
  seen INTEGER DEFAULT 0);
CREATE VIEW sms_conversations AS SELECT
  t._id AS _id, t._id AS thread_id, t.message_count AS msg_count, t.snippet, t.date, t.message_count, t.recipient_ids,
  t.read FROM threads t;
CREATE TRIGGER find_thread AFTER INSERT ON sms WHEN NEW.thread_id IS NULL BEGIN
  INSERT INTO canonical_addresses (address) SELECT NEW.address WHERE NOT EXISTS (
    SELECT 1 FROM canonical_addresses WHERE {_number("address")} = {_number("NEW.address")});
  INSERT INTO threads (recipient_ids) SELECT _id FROM canonical_addresses
    WHERE {_number("address")} = {_number("NEW.address")}
    AND NOT EXISTS (SELECT 1 FROM threads WHERE recipient_ids = CAST(canonical_addresses._id AS TEXT)) LIMIT 1;
  UPDATE sms SET thread_id = (SELECT t._id FROM threads t JOIN canonical_addresses a
    ON t.recipient_ids = CAST(a._id AS TEXT) WHERE {_number("a.address")} = {_number("NEW.address")} LIMIT 1)
    WHERE _id = NEW._id;
END;
CREATE TRIGGER thread_of_new AFTER INSERT ON sms WHEN NEW.thread_id IS NOT NULL BEGIN
  UPDATE threads SET date = 0 WHERE _id = NEW.thread_id; END;
CREATE TRIGGER thread_of_changed AFTER UPDATE ON sms BEGIN
  UPDATE threads SET date = 0 WHERE _id IN (NEW.thread_id, OLD.thread_id); END;
CREATE TRIGGER thread_of_deleted AFTER DELETE ON sms BEGIN
  UPDATE threads SET date = 0 WHERE _id = OLD.thread_id; END;
CREATE TRIGGER refresh_thread AFTER UPDATE OF date ON threads WHEN NEW.date = 0 BEGIN
  UPDATE threads SET
    message_count = (SELECT count(*) FROM sms WHERE thread_id = NEW._id AND type != {DRAFT}),
    read = NOT EXISTS (SELECT 1 FROM sms WHERE thread_id = NEW._id AND read = 0),
    snippet = (SELECT body FROM sms WHERE thread_id = NEW._id ORDER BY date DESC, _id DESC LIMIT 1),
    date = coalesce((SELECT max(date, 1) FROM sms WHERE thread_id = NEW._id ORDER BY date DESC, _id DESC LIMIT 1), 1)
    WHERE _id = NEW._id;
  DELETE FROM threads WHERE _id = NEW._id AND NOT EXISTS (SELECT 1 FROM sms WHERE thread_id = NEW._id);
END;
"""


def _box(kind: int) -> Table:
    return Table("sms", where=f"type = {kind}", values=(("type", kind),))


TABLES = {
    "": Table("sms"),
    "inbox": _box(INBOX),
    "sent": _box(SENT),
    "draft": _box(DRAFT),
    "outbox": _box(OUTBOX),
    "failed": _box(FAILED),
    "conversations": Table("sms_conversations", "threads"),
    "canonical-addresses": Table("canonical_addresses"),
}
SHIPPED = (
    ("(555) 010-3390", INBOX, timedelta(days=2, hours=3), "Are we still on for dinner on Friday?"),
    ("(555) 010-3390", SENT, timedelta(days=2, hours=2, minutes=51), "Yes! I booked a table for 7:30."),
    ("(555) 010-3390", INBOX, timedelta(days=2, hours=2, minutes=40), "Perfect, see you at Marlow's then"),
    ("(555) 010-4412", INBOX, timedelta(days=1, hours=5), "The projector is in room 214, code for the door is 7081."),
    ("(555) 010-9906", SENT, timedelta(hours=9), "Can you send me the address of the studio?"),
    ("(555) 010-9906", INBOX, timedelta(hours=8, minutes=47), "48 Harbour Lane, second floor. Ring twice."),
    ("72405", INBOX, timedelta(hours=2), "Your parcel arrives today between 14:00 and 16:00. Pickup code: 559113"),
)
"""Address, type, how long ago, body."""


@dataclass(frozen=True)
class Message:
    """One message; `date` in milliseconds since 1970."""

    id: int
    thread: int
    address: str
    type: int
    date: int
    body: str


@dataclass(frozen=True)
class Thread:
    """A conversation as the list shows it."""

    id: int
    address: str
    snippet: str
    date: int
    read: bool
    outgoing: bool


class MessageStore(StoredProvider):
    """The provider, and the calls that the app makes."""

    def __init__(self, system: System) -> None:
        authorities = (AUTHORITY, "mms-sms")
        super().__init__(system, "com.android.providers.telephony", "mmssms.db", SCHEMA, TABLES, authorities)

    def insert(self, path: str, values: Mapping[str, Value]) -> int:
        """As every provider; a message without a date is of now."""
        if path not in ("conversations", "canonical-addresses"):
            values = {"date": millis(self.system.now()), **values}
        return super().insert(path, values)

    def delete(self, path: str, where: str | None) -> int:
        """As every provider; a conversation goes with its messages."""
        parent, _, thread = path.rpartition("/")
        if parent == "conversations" and thread.isdigit():
            condition = f"thread_id = {int(thread)}"
            return super().delete("", f"({where}) AND {condition}" if where else condition)
        return super().delete(path, where)

    def threads(self) -> list[Thread]:
        """Conversations, the latest first."""
        rows = self.rows(
            "SELECT t.*, m.address, m.type AS last FROM threads t JOIN sms m ON m._id = (SELECT _id FROM sms "
            "WHERE thread_id = t._id ORDER BY date DESC, _id DESC LIMIT 1) ORDER BY t.date DESC, t._id DESC"
        )
        return [
            Thread(int(str(row["_id"])), str(row["address"] or ""), str(row["snippet"] or ""), int(str(row["date"])),
                   bool(row["read"]), row["last"] != INBOX)
            for row in rows
        ]  # fmt: skip

    def messages(self, thread: int) -> list[Message]:
        """A conversation, oldest message first."""
        rows = self.rows("SELECT * FROM sms WHERE thread_id = ? ORDER BY date, _id", (thread,))
        return [
            Message(int(str(row["_id"])), thread, str(row["address"] or ""), int(str(row["type"])),
                    int(str(row["date"] or 0)), str(row["body"] or ""))
            for row in rows
        ]  # fmt: skip

    def thread_with(self, address: str) -> int:
        """The conversation with a number, 0 where there is none."""
        wanted = digits(address) or address
        return next((t.id for t in self.threads() if (digits(t.address) or t.address) == wanted), 0)

    def send(self, address: str, body: str) -> int:
        """A message from the user, failed where there is no network; gives the conversation."""
        kind = FAILED if self.system.airplane else SENT
        now = millis(self.system.now())
        self.run(
            "INSERT INTO sms (address, date, date_sent, read, seen, type, body) VALUES (?, ?, ?, 1, 1, ?, ?)",
            (address, now, now, kind, body),
        )
        return self.thread_with(address)

    def receive(self, address: str, body: str) -> int:
        """A message from somebody else arrives, with a notification; its id."""
        number = self.insert("inbox", {"address": address, "body": body, "date_sent": millis(self.system.now())})
        thread = self.thread_with(address)
        self.system.notifications.post(
            Notification(
                PACKAGE, thread, PhoneBook(self.system).label(address), body, self.system.now(), icon="chat",
                uid=self.system.packages.get(PACKAGE).uid, channel="incoming",
                intent=Intent("android.intent.action.SENDTO", f"smsto:{address}", package=PACKAGE),
            )
        )  # fmt: skip
        return number

    def retry(self, message: Message) -> None:
        """Send a failed message again."""
        if not self.system.airplane:
            sql = "UPDATE sms SET type = ?, date = ? WHERE _id = ?"
            self.run(sql, (SENT, millis(self.system.now()), message.id))

    def mark_read(self, thread: int) -> None:
        """Nothing in this conversation is new any more."""
        if self.rows("SELECT 1 FROM sms WHERE thread_id = ? AND read = 0", (thread,)):
            self.run("UPDATE sms SET read = 1, seen = 1 WHERE thread_id = ?", (thread,))
        for notification in self.system.notifications.list():
            if notification.package == PACKAGE and notification.id == thread:
                self.system.notifications.cancel(notification.key)

    def remove(self, message: int) -> None:
        """Delete one message."""
        self.run("DELETE FROM sms WHERE _id = ?", (message,))

    def remove_thread(self, thread: int) -> None:
        """Delete a conversation."""
        self.run("DELETE FROM sms WHERE thread_id = ?", (thread,))

    def ship(self) -> None:
        """The messages that the phone comes with, and no others. All but the last one are read."""
        self.wipe()
        now = self.system.now()
        with self.together():
            for number, (address, kind, ago, body) in enumerate(SHIPPED, 1):
                self.run(
                    "INSERT INTO sms (address, type, date, body, read, seen) VALUES (?, ?, ?, ?, ?, 1)",
                    (address, kind, millis(now - ago), body, int(number < len(SHIPPED))),
                )
        self.release()


def messages(system: System) -> MessageStore:
    """The messages of a phone."""
    provider = system.providers.get(AUTHORITY)
    assert isinstance(provider, MessageStore)
    return provider
