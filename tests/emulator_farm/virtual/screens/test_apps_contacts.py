"""Contacts: the list, the card, the form, and the database behind them."""

from emulator_farm.virtual.intents import Intent

CONTACTS = "content://com.android.contacts"
APP = "com.android.contacts"


def names(hand) -> list[str]:
    return [node.text for node in hand.find_all(id="cliv_name_textview")]


def test_shipped_people_in_order(hand) -> None:
    hand.open(APP)
    shown = names(hand)
    assert len(shown) == 11
    assert shown == sorted(shown)
    assert [node.text for node in hand.find_all(id="header")][:3] == ["A", "B", "C"]


def test_create(hand) -> None:
    hand.open(APP)
    hand.tap(desc="Create contact")
    hand.phone.text("Zoe\nQuinn\n555 0199\nzoe@example.com\n")
    hand.tap(text="Save")
    assert "Zoe Quinn" in names(hand)
    rows = hand.phone.query(f"{CONTACTS}/data/phones", ["display_name", "data1"], "display_name='Zoe Quinn'")
    assert rows == [{"display_name": "Zoe Quinn", "data1": "555 0199"}]
    rows = hand.phone.query(f"{CONTACTS}/data/emails", ["data1"], "display_name='Zoe Quinn'")
    assert rows == [{"data1": "zoe@example.com"}]


def test_saving_nothing_makes_nobody(hand) -> None:
    hand.open(APP)
    hand.tap(desc="Create contact")
    hand.phone.text("   ")
    hand.tap(text="Save")
    assert len(names(hand)) == 11


def test_edit_keeps_what_is_not_on_the_form(hand) -> None:
    hand.phone.insert(f"{CONTACTS}/data/phones", {"raw_contact_id": 1, "data1": "second"})
    hand.open(APP)
    hand.tap(text="Amara Okafor")
    hand.tap(desc="Edit contact")
    assert hand.find(id="first_name").text == "Amara"
    hand.tap(id="phone")
    hand.phone.clear_text()
    hand.phone.text("77")
    hand.tap(id="last_name")
    hand.phone.clear_text()
    hand.tap(text="Save")
    assert hand.find(id="large_title").text == "Amara"
    numbers = {row["data1"] for row in hand.phone.query(f"{CONTACTS}/data/phones", ["data1"], "contact_id=1")}
    assert numbers == {"77", "second"}


def test_leaving_a_changed_form_asks(hand) -> None:
    hand.open(APP)
    hand.tap(desc="Create contact")
    hand.phone.text("Half")
    hand.key(4, 4)
    assert hand.see(text="Discard your changes?")
    hand.tap(text="Keep editing")
    assert hand.find(id="first_name").text == "Half"
    hand.tap(desc="Cancel")
    hand.tap(text="Discard")
    assert len(names(hand)) == 11
    hand.tap(desc="Create contact")
    hand.key(4, 4)
    assert len(names(hand)) == 11
    hand.tap(desc="Create contact")
    hand.tap(desc="Cancel")
    assert len(names(hand)) == 11


def test_star_and_unstar(hand) -> None:
    hand.open(APP)
    hand.tap(text="Ben Whitfield")
    hand.tap(desc="Add to favorites")
    assert hand.see(desc="Remove from favorites")
    assert hand.phone.query(f"{CONTACTS}/contacts", ["starred"], "display_name='Ben Whitfield'") == [{"starred": 1}]
    hand.key(4)
    assert len(hand.find_all(desc="Starred")) == 2
    hand.tap(text="Ben Whitfield")
    hand.tap(desc="Remove from favorites")
    assert hand.phone.query(f"{CONTACTS}/contacts", ["starred"], "display_name='Ben Whitfield'") == [{"starred": 0}]


def test_delete_asks_first(hand) -> None:
    hand.open(APP)
    hand.tap(text="Hugo Fernandes")
    hand.tap(desc="More options")
    hand.tap(text="Delete")
    hand.tap(text="Cancel")
    hand.tap(desc="More options")
    hand.tap(text="Share")
    assert "No apps" in hand.phone.system.toast_text
    hand.tap(desc="More options")
    hand.tap(text="Delete")
    assert hand.see(text="Delete this contact?")
    hand.tap(text="Delete")
    assert "Hugo Fernandes" not in names(hand)
    assert hand.phone.query(f"{CONTACTS}/contacts", None, "display_name='Hugo Fernandes'") == []


def test_search_by_name_number_and_address(hand) -> None:
    hand.open(APP)
    hand.tap(desc="Search contacts")
    hand.phone.text("ma")
    assert names(hand) == ["Amara Okafor", "Chloe Marchetti"]
    for words, expected in (("lind", ["Grace Lindqvist"]), ("3390", ["Chloe Marchetti"]), ("d.osei", ["Daniel Osei"])):
        hand.phone.clear_text()
        hand.phone.text(words)
        assert names(hand) == expected
    hand.tap(desc="Clear search")
    assert len(names(hand)) == 11 or hand.find(id="list").flag("scrollable")
    hand.phone.text("nobody")
    assert hand.see(text="No contacts found")
    hand.tap(desc="Stop searching")
    assert hand.see(desc="Create contact")
    hand.tap(desc="Search contacts")
    hand.key(4, 4)
    assert hand.phone.foreground().package == APP
    assert hand.see(desc="Create contact")


def test_a_contact_inserted_outside_shows_at_once(hand) -> None:
    hand.open(APP)
    raw = hand.phone.insert(f"{CONTACTS}/raw_contacts", {}).rpartition("/")[2]
    hand.phone.insert(
        f"{CONTACTS}/data", {"raw_contact_id": raw, "mimetype": "vnd.android.cursor.item/name", "data1": "Abe Ames"}
    )
    assert names(hand)[0] == "Abe Ames"
    hand.tap(text="Abe Ames")
    assert hand.see(text="No phone number or email")
    hand.phone.delete(f"{CONTACTS}/raw_contacts/{raw}")
    assert hand.see(text="The contact doesn't exist.")


def test_insert_and_view_intents(hand) -> None:
    extras = {"name": "Rosa Lind", "phone": "555-0177", "email": "rosa@example.com"}
    insert = Intent("android.intent.action.INSERT", mime_type="vnd.android.cursor.dir/contact", extras=extras)
    assert hand.phone.start_activity(insert).kind == "started"
    assert [hand.find(id=name).text for name in ("first_name", "last_name", "phone", "email")] == [
        "Rosa", "Lind", "555-0177", "rosa@example.com",
    ]  # fmt: skip
    hand.tap(text="Save")
    contact = hand.phone.query(f"{CONTACTS}/contacts", ["_id"], "display_name='Rosa Lind'")[0]["_id"]
    view = Intent("android.intent.action.VIEW", data=f"{CONTACTS}/contacts/{contact}")
    assert hand.phone.start_activity(view).kind == "started"
    assert hand.find(id="large_title").text == "Rosa Lind"
    edit = Intent("android.intent.action.EDIT", data=f"{CONTACTS}/contacts/{contact}")
    hand.phone.start_activity(edit)
    assert hand.see(text="Edit contact")


def test_clearing(hand) -> None:
    phone = hand.phone
    phone.delete(f"{CONTACTS}/raw_contacts")
    hand.open(APP)
    assert hand.see(text="Your contacts list is empty")
    assert phone.clear_data(APP)
    hand.open(APP)
    assert len(names(hand)) == 11
    assert phone.clear_data("com.android.providers.contacts")
    assert hand.see(text="Your contacts list is empty")


def test_people_survive_restart_and_reboot(hand) -> None:
    hand.phone.delete(f"{CONTACTS}/raw_contacts/1")
    hand.phone.force_stop(APP)
    hand.phone.reboot()
    hand.open(APP)
    assert len(names(hand)) == 10
