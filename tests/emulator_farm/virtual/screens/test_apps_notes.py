"""Notes: what is on the screen is in the files, and the other way round."""

from emulator_farm.virtual.intents import Intent

APP = "org.virtual.notes"
FOLDER = "/storage/emulated/0/Notes"


def titles(hand) -> list[str]:
    return [node.text for node in hand.find_all(id="note_title")]


def test_shipped_notes(hand) -> None:
    hand.open(APP)
    assert titles(hand) == ["Bike repair", "Book club", "Shopping list"]
    assert hand.phone.files.list(FOLDER) == ["Bike repair.txt", "Book club.txt", "Shopping list.txt"]


def test_create(hand) -> None:
    hand.open(APP)
    hand.tap(desc="New note")
    hand.phone.text("Packing\nTent\nRope")
    hand.tap(desc="Save")
    assert "Packing" in titles(hand)
    assert hand.phone.files.read(f"{FOLDER}/Packing.txt") == b"Tent\nRope"


def test_leaving_by_back_or_home_saves(hand) -> None:
    hand.open(APP)
    hand.tap(desc="New note")
    hand.phone.text("By back")
    hand.key(4, 4)
    assert "By back" in titles(hand)
    hand.tap(desc="New note")
    hand.phone.text("By home")
    hand.key(3)
    assert hand.phone.files.exists(f"{FOLDER}/By home.txt")
    hand.open(APP)
    assert hand.find(id="edit_title").text == "By home"


def test_empty_notes_are_not_kept_and_untitled_ones_get_a_name(hand) -> None:
    hand.open(APP)
    hand.tap(desc="New note")
    hand.tap(desc="Save")
    assert len(titles(hand)) == 3
    for _ in range(2):
        hand.tap(desc="New note")
        hand.key(66)
        hand.phone.text("no title")
        hand.tap(desc="Save")
    assert titles(hand)[-2:] == ["Untitled", "Untitled (2)"]


def test_edit_and_rename(hand) -> None:
    hand.open(APP)
    hand.tap(text="Book club")
    hand.tap(id="edit_title")
    hand.phone.clear_text()
    hand.phone.text("Chess/club")
    hand.tap(desc="Navigate up")
    assert titles(hand) == ["Bike repair", "Chess-club", "Shopping list"]
    assert not hand.phone.files.exists(f"{FOLDER}/Book club.txt")
    assert b"Thursday" in hand.phone.files.read(f"{FOLDER}/Chess-club.txt")


def test_a_taken_title_gets_a_number(hand) -> None:
    hand.open(APP)
    hand.tap(desc="New note")
    hand.phone.text("Book club\nother")
    hand.tap(desc="Save")
    assert hand.phone.files.read(f"{FOLDER}/Book club (2).txt") == b"other"


def test_delete_from_editor_and_from_list(hand) -> None:
    hand.open(APP)
    hand.tap(text="Book club")
    hand.tap(desc="Delete")
    hand.tap(text="Cancel")
    hand.tap(desc="Delete")
    hand.tap(text="Delete")
    assert titles(hand) == ["Bike repair", "Shopping list"]
    hand.hold(text="Bike repair")
    hand.tap(text="Delete")
    assert titles(hand) == ["Shopping list"]
    assert hand.phone.files.list(FOLDER) == ["Shopping list.txt"]


def test_search(hand) -> None:
    hand.open(APP)
    hand.tap(id="search_box")
    hand.phone.text("tire")
    assert titles(hand) == ["Bike repair"]
    hand.tap(desc="Clear query")
    hand.phone.text("zzz")
    assert hand.see(text="No matching notes")
    hand.key(4, 4)
    assert len(titles(hand)) == 3


def test_files_changed_outside_show_at_once(hand) -> None:
    hand.open(APP)
    hand.phone.files.write(f"{FOLDER}/Outside.txt", "from the shell ✓".encode())
    assert "Outside" in titles(hand)
    version = hand.phone.version
    hand.phone.files.write(f"{FOLDER}/Outside.txt", "from the shelf ✓".encode())
    assert hand.phone.version > version
    hand.phone.files.mkdir(f"{FOLDER}/folder.txt")
    hand.phone.files.remove(FOLDER, recursive=True)
    assert hand.see(text="No notes yet")


def test_send_intent(hand) -> None:
    extras = {"android.intent.extra.TEXT": "shared words", "android.intent.extra.SUBJECT": "Shared"}
    hand.phone.start_activity(Intent("android.intent.action.SEND", mime_type="text/plain", extras=extras))
    assert hand.find(id="edit_body").text == "shared words"
    hand.tap(desc="Save")
    assert hand.phone.files.read(f"{FOLDER}/Shared.txt") == b"shared words"


def test_clear_data_brings_the_shipped_notes_back(hand) -> None:
    hand.phone.files.write(f"{FOLDER}/Mine.txt", b"x")
    hand.phone.files.remove(f"{FOLDER}/Book club.txt")
    hand.phone.clear_data(APP)
    assert hand.phone.files.list(FOLDER) == ["Bike repair.txt", "Book club.txt", "Shopping list.txt"]


def test_long_and_odd_titles(hand) -> None:
    hand.open(APP)
    hand.tap(desc="New note")
    hand.phone.commit_text("日" * 100)
    hand.phone.commit_text("x" * 50)
    hand.tap(desc="Save")
    names = [name for name in hand.phone.files.list(FOLDER) if name.startswith("日")]
    assert names == ["日" * 80 + ".txt"]
