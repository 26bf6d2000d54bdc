"""Content providers: real SQL selections, the contacts and settings contracts, errors with the database's words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulator_farm.virtual.phone import Phone, ProviderError, UnknownProvider

CONTACTS = "content://com.android.contacts"
NAME = "vnd.android.cursor.item/name"
PHONE = "vnd.android.cursor.item/phone_v2"


@pytest.fixture
def phone() -> Phone:
    return Phone()


def add(phone: Phone, name: str, number: str) -> int:
    """A contact the way test tools insert one."""
    raw = int(phone.insert(f"{CONTACTS}/raw_contacts", {"account_type": "", "account_name": ""}).rpartition("/")[2])
    phone.insert(f"{CONTACTS}/data", {"raw_contact_id": raw, "mimetype": NAME, "data1": name})
    phone.insert(f"{CONTACTS}/data", {"raw_contact_id": raw, "mimetype": PHONE, "data1": number, "data2": 2})
    return raw


def test_a_contact_inserted_by_content(phone: Phone) -> None:
    raw = add(phone, "Pat van Dyke", "555-0100")
    where = "display_name='Pat van Dyke'"
    rows = phone.query(f"{CONTACTS}/data/phones", ["display_name", "data1", "number"], where)
    assert rows == [{"display_name": "Pat van Dyke", "data1": "555-0100", "number": "555-0100"}]
    assert list(phone.query("content://contacts/phones/", ["number", "display_name"], where)[0]) == [
        "number",
        "display_name",
    ]
    parts = phone.query(f"{CONTACTS}/data", ["data2", "data3"], f"raw_contact_id={raw} AND mimetype='{NAME}'")
    assert parts == [{"data2": "Pat", "data3": "van Dyke"}]
    assert phone.query(f"{CONTACTS}/contacts/{raw}", ["display_name", "has_phone_number"]) == [
        {"display_name": "Pat van Dyke", "has_phone_number": 1}
    ]


def test_name_parts_are_joined(phone: Phone) -> None:
    raw = phone.insert(f"{CONTACTS}/raw_contacts", {}).rpartition("/")[2]
    phone.insert(f"{CONTACTS}/data", {"raw_contact_id": raw, "mimetype": NAME, "data2": "Ada", "data3": "Brook"})
    assert phone.query(f"{CONTACTS}/contacts/{raw}", ["display_name"]) == [{"display_name": "Ada Brook"}]


def test_update_and_delete(phone: Phone) -> None:
    raw = add(phone, "Kim Lee", "1")
    assert phone.update(f"{CONTACTS}/contacts/{raw}", {"starred": 1}) == 1
    assert phone.query(f"{CONTACTS}/contacts", ["_id"], f"starred=1 AND _id={raw}") == [{"_id": raw}]
    assert phone.update(f"{CONTACTS}/data/phones", {"data1": "22"}, "display_name='Kim Lee'") == 1
    assert phone.query(f"{CONTACTS}/data/phones", ["data1"], "display_name='Kim Lee'") == [{"data1": "22"}]
    assert phone.delete(f"{CONTACTS}/raw_contacts/{raw}") == 1
    assert phone.query(f"{CONTACTS}/data", None, f"raw_contact_id={raw}") == []
    assert phone.delete(f"{CONTACTS}/raw_contacts/{raw}") == 0


def test_sort_order(phone: Phone) -> None:
    names = [
        row["display_name"] for row in phone.query(f"{CONTACTS}/contacts", ["display_name"], None, "display_name DESC")
    ]
    assert len(names) == 11
    assert names == sorted(names, key=str, reverse=True)


def test_emails_path_implies_its_type(phone: Phone) -> None:
    raw = add(phone, "Kim Lee", "1")
    phone.insert(f"{CONTACTS}/data/emails", {"raw_contact_id": raw, "data1": "kim@example.com"})
    assert {"data1": "kim@example.com"} in phone.query(f"{CONTACTS}/data/emails", ["data1"])


@pytest.mark.parametrize(
    "uri", ["content://no.such/x", f"{CONTACTS}/nothing", "file:///etc/passwd", "rubbish", f"{CONTACTS}/contacts/x"]
)
def test_unknown_uris(phone: Phone, uri: str) -> None:
    for call in (phone.query, phone.delete, lambda u: phone.insert(u, {}), lambda u: phone.update(u, {"a": 1})):
        with pytest.raises(UnknownProvider, match="Unknown URL"):
            call(uri)


def test_what_the_database_refuses(phone: Phone) -> None:
    with pytest.raises(ProviderError, match="Invalid column wings"):
        phone.query(f"{CONTACTS}/contacts", ["wings"])
    with pytest.raises(ProviderError, match="no such column: wings"):
        phone.query(f"{CONTACTS}/contacts", None, "wings = 2")
    with pytest.raises(ProviderError, match="syntax error"):
        phone.query(f"{CONTACTS}/contacts", None, None, "display_name SIDEWAYS")
    with pytest.raises(ProviderError, match="no column named wings"):
        phone.insert(f"{CONTACTS}/raw_contacts", {"wings": 2})
    with pytest.raises(ProviderError, match="raw_contact_id does not exist"):
        phone.insert(f"{CONTACTS}/data", {"raw_contact_id": 999, "mimetype": NAME, "data1": "Nobody"})
    with pytest.raises(ProviderError, match="Empty values"):
        phone.update(f"{CONTACTS}/raw_contacts", {})


@settings(max_examples=30, deadline=None)
@given(
    st.text(alphabet=st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), min_size=1, max_size=30)
)
def test_any_name_comes_back(name: str) -> None:
    phone = Phone()
    raw = add(phone, name, "1")
    assert phone.query(f"{CONTACTS}/contacts/{raw}", ["display_name"]) == [{"display_name": name}]


def test_settings_as_rows(phone: Phone) -> None:
    assert phone.query("content://settings/system", ["value"], "name='font_scale'") == [{"value": "1.0"}]
    assert phone.query("content://settings/system/font_scale", ["name"]) == [{"name": "font_scale"}]
    phone.insert("content://settings/system", {"name": "user_rotation", "value": "1"})
    assert phone.settings.get("system", "user_rotation") == "1"
    assert phone.rotation == 1
    assert phone.update("content://settings/global", {"value": "0"}, "name='wifi_on'") == 1
    assert phone.settings.get("global", "wifi_on") == "0"
    assert phone.delete("content://settings/secure/android_id") == 1
    assert phone.settings.get("secure", "android_id") is None
    assert phone.delete("content://settings/secure", "name='android_id'") == 0
    with pytest.raises(ProviderError, match="needs a name"):
        phone.insert("content://settings/system", {"value": "1"})


def test_clock_rows(phone: Phone) -> None:
    uri = phone.insert("content://com.android.deskclock/alarms", {"hour": 6, "minutes": 45, "label": "Early"})
    rows = phone.query(uri, ["hour", "minutes", "enabled", "label"])
    assert rows == [{"hour": 6, "minutes": 45, "enabled": 1, "label": "Early"}]
    assert phone.query("content://com.android.deskclock/stopwatch", ["state", "elapsed_ms", "laps"]) == [
        {"state": "reset", "elapsed_ms": 0, "laps": 0}
    ]
