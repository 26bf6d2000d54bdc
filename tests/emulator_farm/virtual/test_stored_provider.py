"""A provider whose database is a file: who writes the file writes the rows, and the other way round."""

import sqlite3

import pytest

from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.providers import ProviderError, Table
from emulator_farm.virtual.stored_provider import StoredProvider

SCHEMA = "CREATE TABLE t (_id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t (a) VALUES ('shipped');"
PATH = "/data/data/com.android.messaging/databases/own.db"


@pytest.fixture
def own() -> StoredProvider:
    return StoredProvider(Phone().system, "com.android.messaging", "own.db", SCHEMA, {"t": Table("t")})


def values(provider: StoredProvider) -> list[object]:
    return [row["a"] for row in provider.query("t", ["a"], None, "_id")]


def in_file(provider: StoredProvider) -> list[str]:
    db = sqlite3.connect(":memory:")
    db.deserialize(provider.system.files.read(PATH))
    found = [str(row[0]) for row in db.execute("SELECT a FROM t ORDER BY _id")]
    db.close()
    return found


def break_off(provider: StoredProvider) -> None:
    """Raise in the middle of a transaction."""
    with provider.together():
        provider.run("INSERT INTO t (a) VALUES ('half')")
        raise ZeroDivisionError


def test_every_way_to_write_reaches_the_file(own) -> None:
    own.insert("t", {"a": "inserted"})
    assert in_file(own) == ["shipped", "inserted"]
    own.update("t", {"a": "changed"}, "_id = 2")
    own.run("INSERT INTO t (a) VALUES ('ran')")
    assert in_file(own) == ["shipped", "changed", "ran"]
    own.delete("t", "_id < 3")
    assert in_file(own) == ["ran"]
    own.wipe()
    assert in_file(own) == values(own) == ["shipped"]


def test_the_file_belongs_to_its_app(own) -> None:
    own.insert("t", {"a": "x"})
    uid = own.system.packages.get("com.android.messaging").uid
    assert own.system.files.stat(PATH)[3:5] == (uid, uid)


def test_a_transaction_is_written_as_a_whole_or_not_at_all(own) -> None:
    own.query("t", None, None, None)
    before = own.stamp
    with pytest.raises(ZeroDivisionError):
        break_off(own)
    assert own.stamp == before
    assert values(own) == ["shipped"]
    with own.together():
        own.run("INSERT INTO t (a) VALUES ('one')")
        own.run("INSERT INTO t (a) VALUES ('two')")
    assert in_file(own) == ["shipped", "one", "two"]
    assert own.stamp != before


def test_a_file_that_was_replaced_is_read_again(own) -> None:
    old = own.system.files.read(PATH) if own.query("t", None, None, None) else b""
    own.insert("t", {"a": "new"})
    own.system.files.write(PATH, old)
    assert values(own) == ["shipped"]
    own.insert("t", {"a": "after"})
    assert in_file(own) == ["shipped", "after"]


@pytest.mark.parametrize("damage", [b"", b"no database", b"SQLite format 3\0" + bytes(200)])
def test_what_is_no_database_of_the_app_is_made_anew(own, damage: bytes) -> None:
    own.insert("t", {"a": "lost"})
    own.system.files.write(PATH, damage)
    assert values(own) == ["shipped"]
    other = sqlite3.connect(":memory:")
    other.execute("CREATE TABLE other (a)")
    own.system.files.write(PATH, other.serialize())
    other.close()
    assert values(own) == in_file(own) == ["shipped"]


def test_a_refused_statement_changes_nothing(own) -> None:
    with pytest.raises(ProviderError):
        own.insert("t", {"b": "no such column"})
    with pytest.raises(ProviderError):
        own.delete("t", "a = ")
    assert values(own) == ["shipped"]
