"""The contacts database behind `content://com.android.contacts`, with the tables and columns that tools use.

Each raw contact is one contact (nothing is merged), so both have the same `_id`. A name given only as `data1` is split
into first and last name; given only in parts it is joined, as the real provider does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from emulator_farm.virtual.providers import Provider, Table
from emulator_farm.virtual.system import System

AUTHORITY = "com.android.contacts"
NAME = "vnd.android.cursor.item/name"
PHONE = "vnd.android.cursor.item/phone_v2"
EMAIL = "vnd.android.cursor.item/email_v2"
_MOBILE, _HOME = "2", "1"
_DATA_COLUMNS = ", ".join(f"data{number}" for number in range(1, 16))

SCHEMA = f"""
CREATE TABLE raw_contacts (
  _id INTEGER PRIMARY KEY AUTOINCREMENT, account_name TEXT, account_type TEXT, sourceid TEXT, data_set TEXT,
  starred INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0, aggregation_mode INTEGER NOT NULL DEFAULT 0,
  send_to_voicemail INTEGER NOT NULL DEFAULT 0, custom_ringtone TEXT, version INTEGER NOT NULL DEFAULT 1,
  dirty INTEGER NOT NULL DEFAULT 0);
CREATE TABLE data (
  _id INTEGER PRIMARY KEY AUTOINCREMENT, raw_contact_id INTEGER NOT NULL, mimetype TEXT NOT NULL,
  is_primary INTEGER NOT NULL DEFAULT 0, is_super_primary INTEGER NOT NULL DEFAULT 0, {_DATA_COLUMNS});
CREATE TRIGGER data_needs_raw BEFORE INSERT ON data
  WHEN NOT EXISTS (SELECT 1 FROM raw_contacts WHERE _id = NEW.raw_contact_id)
  BEGIN SELECT RAISE(ABORT, 'raw_contact_id does not exist'); END;
CREATE TRIGGER join_name AFTER INSERT ON data WHEN NEW.mimetype = '{NAME}' AND NEW.data1 IS NULL
  BEGIN UPDATE data SET data1 = trim(coalesce(NEW.data2, '') || ' ' || coalesce(NEW.data3, ''))
    WHERE _id = NEW._id; END;
CREATE TRIGGER split_name AFTER INSERT ON data
  WHEN NEW.mimetype = '{NAME}' AND NEW.data1 IS NOT NULL AND NEW.data2 IS NULL AND NEW.data3 IS NULL
  BEGIN UPDATE data SET
    data2 = substr(NEW.data1 || ' ', 1, instr(NEW.data1 || ' ', ' ') - 1),
    data3 = nullif(trim(substr(NEW.data1, instr(NEW.data1 || ' ', ' '))), '') WHERE _id = NEW._id; END;
CREATE TRIGGER remove_data AFTER DELETE ON raw_contacts
  BEGIN DELETE FROM data WHERE raw_contact_id = OLD._id; END;
CREATE VIEW contacts AS SELECT
  r._id, coalesce(
    (SELECT nullif(data1, '') FROM data WHERE raw_contact_id = r._id AND mimetype = '{NAME}' LIMIT 1),
    (SELECT data1 FROM data WHERE raw_contact_id = r._id AND mimetype = '{PHONE}' LIMIT 1),
    (SELECT data1 FROM data WHERE raw_contact_id = r._id AND mimetype = '{EMAIL}' LIMIT 1)) AS display_name,
  r.starred, EXISTS (SELECT 1 FROM data WHERE raw_contact_id = r._id AND mimetype = '{PHONE}') AS has_phone_number,
  '0r' || r._id AS lookup, 1 AS in_visible_group, r._id AS name_raw_contact_id, r.send_to_voicemail,
  r.custom_ringtone, NULL AS photo_id
  FROM raw_contacts r WHERE r.deleted = 0;
CREATE VIEW view_raw_contacts AS SELECT
  r._id, r._id AS contact_id, r.account_name, r.account_type, r.sourceid, c.display_name, r.starred, r.deleted,
  r.version, r.dirty FROM raw_contacts r LEFT JOIN contacts c ON c._id = r._id;
CREATE VIEW view_data AS SELECT
  d._id, d.raw_contact_id, c._id AS contact_id, c.display_name, d.mimetype, {_DATA_COLUMNS}, d.data1 AS number,
  d.is_primary, d.is_super_primary, c.starred, c.has_phone_number, c.lookup
  FROM data d JOIN contacts c ON c._id = d.raw_contact_id;
"""
_PHONES = Table("view_data", "data", f"mimetype = '{PHONE}'", (("mimetype", PHONE),))
_EMAILS = Table("view_data", "data", f"mimetype = '{EMAIL}'", (("mimetype", EMAIL),))
TABLES = {
    "raw_contacts": Table("view_raw_contacts", "raw_contacts"),
    "contacts": Table("contacts", "raw_contacts"),
    "data": Table("view_data", "data"),
    "data/phones": _PHONES,
    "data/emails": _EMAILS,
    "phones": _PHONES,
    "people": Table("contacts", "raw_contacts"),
}


@dataclass(frozen=True)
class Person:
    """What the Contacts app shows of one contact; an empty text where there is nothing."""

    id: int = 0
    first: str = ""
    last: str = ""
    phone: str = ""
    email: str = ""
    starred: bool = False
    name: str = ""
    """The name as it is shown."""


SHIPPED = (
    Person(first="Amara", last="Okafor", phone="(555) 010-1184", email="amara.okafor@example.com"),
    Person(first="Ben", last="Whitfield", phone="(555) 010-2237"),
    Person(first="Chloe", last="Marchetti", phone="(555) 010-3390", email="chloe@example.org", starred=True),
    Person(first="Daniel", last="Osei", phone="(555) 010-4412", email="d.osei@example.com"),
    Person(first="Elena", last="Petrova", phone="(555) 010-5568"),
    Person(first="Farid", last="Rahimi", phone="(555) 010-6623", email="farid.rahimi@example.net"),
    Person(first="Grace", last="Lindqvist", phone="(555) 010-7745", email="grace.l@example.com"),
    Person(first="Hugo", last="Fernandes", phone="(555) 010-8871"),
    Person(first="Ines", last="Baptiste", phone="(555) 010-9906", email="ines.baptiste@example.org"),
    Person(first="Jonah", last="Kessler", phone="(555) 010-1052"),
    Person(first="Mei", last="Tanaka", phone="(555) 010-1139", email="mei.tanaka@example.com"),
)


class ContactsStore(Provider):
    """The provider, and the few calls the app itself makes."""

    def __init__(self, system: System) -> None:
        super().__init__((AUTHORITY, "contacts"), SCHEMA, TABLES)

    def people(self, words: str = "") -> list[Person]:
        """Everybody whose name, number or address holds `words`, by name."""
        found = [self.person(int(str(row["_id"]))) for row in self.rows("SELECT _id FROM contacts")]
        people = [person for person in found if person is not None and _matches(person, words)]
        return sorted(people, key=lambda person: person.name.lower())

    def person(self, contact: int) -> Person | None:
        """One contact by id, None where it is gone."""
        heads = self.rows("SELECT display_name, starred FROM contacts WHERE _id = ?", (contact,))
        if not heads:
            return None
        data = self.rows("SELECT * FROM data WHERE raw_contact_id = ? ORDER BY _id DESC", (contact,))
        values = {str(row["mimetype"]): row for row in data}
        name, phone, email = values.get(NAME, {}), values.get(PHONE, {}), values.get(EMAIL, {})
        return Person(
            contact, _text(name.get("data2")), _text(name.get("data3")), _text(phone.get("data1")),
            _text(email.get("data1")), bool(heads[0]["starred"]), _text(heads[0]["display_name"]) or "(No name)",
        )  # fmt: skip

    def save(self, person: Person) -> int:
        """Store a new (`id` 0) or changed contact; its id."""
        contact = person.id or self.run("INSERT INTO raw_contacts (starred) VALUES (?)", (int(person.starred),))
        self._put(contact, NAME, (("data1", None), ("data2", person.first or None), ("data3", person.last or None)))
        self._put(contact, PHONE, (("data1", person.phone), ("data2", _MOBILE)))
        self._put(contact, EMAIL, (("data1", person.email), ("data2", _HOME)))
        return contact

    def _put(self, contact: int, kind: str, values: Sequence[tuple[str, str | None]]) -> None:
        old = self.rows("SELECT _id FROM data WHERE raw_contact_id = ? AND mimetype = ? ORDER BY _id", (contact, kind))
        if old:
            self.run("DELETE FROM data WHERE _id = ?", (old[0]["_id"],))
        if any(value for name, value in values if name != "data2" or kind == NAME):
            columns = ", ".join(name for name, _ in values)
            marks = ", ".join("?" * len(values))
            parameters = (contact, kind, *(value for _, value in values))
            self.run(f"INSERT INTO data (raw_contact_id, mimetype, {columns}) VALUES (?, ?, {marks})", parameters)

    def remove(self, contact: int) -> None:
        """Delete a contact."""
        self.run("DELETE FROM raw_contacts WHERE _id = ?", (contact,))

    def star(self, contact: int, starred: bool) -> None:
        """Mark as favourite, or not."""
        self.run("UPDATE raw_contacts SET starred = ? WHERE _id = ?", (int(starred), contact))

    def ship(self) -> None:
        """The contacts that the phone comes with, and no others."""
        self.wipe()
        with self.together():
            for person in SHIPPED:
                self.save(person)


def store(system: System) -> ContactsStore:
    """The contacts of a phone."""
    provider = system.providers.get(AUTHORITY)
    assert isinstance(provider, ContactsStore)
    return provider


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _matches(person: Person, words: str) -> bool:
    text = f"{person.name} {person.email}".lower()
    digits = "".join(char for char in words if char.isdigit())
    number = "".join(char for char in person.phone if char.isdigit())
    return all(word in text for word in words.lower().split()) or (bool(digits) and digits in number)
