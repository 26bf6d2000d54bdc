"""Files by touch, and the same tree under `/sdcard`."""

APP = "com.android.documentsui"


def test_going_down_and_up(thumb) -> None:
    thumb.open(APP)
    assert thumb.texts("title")[:3] == ["Alarms", "Android", "DCIM"]
    thumb.tap(text="Documents")
    thumb.tap(text="Work")
    assert thumb.texts("title") == ["Minutes 12 May.txt", "Targets.txt"]
    thumb.tap(text="Targets.txt")
    assert thumb.find(id="text_view").text == thumb.shell("cat", "/sdcard/Documents/Work/Targets.txt") + "\n"
    thumb.back(2)
    assert "Packing list.txt" in thumb.texts("title")
    thumb.tap(text="Work")
    thumb.tap(text="Internal storage")
    assert "DCIM" in thumb.texts("title")
    thumb.back()
    assert thumb.sees(id="hotseat")


def test_new_folder_and_move(thumb) -> None:
    thumb.open(APP)
    thumb.tap(text="Documents")
    thumb.tap(desc="More options")
    thumb.tap(text="New folder")
    thumb.type("Old papers")
    thumb.tap(text="OK")
    assert thumb.shell("ls", "/sdcard/Documents").splitlines() == ["Old papers", "Packing list.txt", "Work"]
    thumb.tap(text="Work")
    thumb.hold(text="Targets.txt")
    thumb.tap(text="Minutes 12 May.txt")
    assert thumb.sees(text="2 selected")
    thumb.tap(desc="More options")
    assert not thumb.sees(text="Rename")
    thumb.tap(text="Move to…")
    thumb.tap(text="Documents")
    thumb.tap(text="Old papers")
    thumb.tap(text="Move")
    assert thumb.shell("ls", "/sdcard/Documents/Old papers").splitlines() == ["Minutes 12 May.txt", "Targets.txt"]
    assert thumb.shell("ls", "/sdcard/Documents/Work") == ""
    assert thumb.texts("title") == ["Minutes 12 May.txt", "Targets.txt"]


def test_copying_takes_a_free_name(thumb) -> None:
    thumb.open(APP)
    thumb.tap(text="Download")
    thumb.hold(text="receipt-2417.txt")
    thumb.tap(desc="More options")
    thumb.tap(text="Copy to…")
    thumb.tap(text="Copy")
    assert thumb.shell("ls", "/sdcard/Download").splitlines()[:2] == ["receipt-2417 (1).txt", "receipt-2417.txt"]
    thumb.back()
    thumb.hold(text="Documents")
    thumb.tap(desc="More options")
    thumb.tap(text="Copy to…")
    thumb.tap(text="Pictures")
    thumb.tap(text="Copy")
    assert thumb.shell("find", "/sdcard/Pictures", "-type", "f", "-name", "Targets*") == (
        "/sdcard/Pictures/Documents/Work/Targets.txt"
    )


def test_renaming(thumb) -> None:
    thumb.open(APP)
    thumb.tap(text="Download")
    thumb.hold(text="router manual.txt")
    thumb.tap(desc="More options")
    thumb.tap(text="Rename")
    thumb.type("receipt-2417.txt")
    thumb.tap(text="OK")
    assert "router manual.txt" in thumb.shell("ls", "/sdcard/Download")
    thumb.hold(text="router manual.txt")
    thumb.tap(desc="More options")
    thumb.tap(text="Rename")
    thumb.type("modem.md")
    thumb.tap(text="OK")
    assert thumb.shell("ls", "/sdcard/Download").splitlines() == ["modem.md", "receipt-2417.txt"]


def test_deleting(thumb) -> None:
    thumb.open(APP)
    thumb.hold(text="Documents")
    thumb.tap(text="Download")
    thumb.tap(desc="Delete")
    thumb.tap(text="Cancel")
    assert "Documents" in thumb.shell("ls", "/sdcard")
    thumb.tap(desc="Delete")
    thumb.tap(text="OK")
    assert not {"Documents", "Download"} & set(thumb.shell("ls", "/sdcard").splitlines())


def test_files_from_outside_sorting_and_search(thumb) -> None:
    thumb.open(APP)
    thumb.tap(text="Music")
    assert thumb.sees(text="No items")
    thumb.script("cd /sdcard/Music; echo a > small.mp3; seq 1 1000 > large.mp3; echo x > .hidden; mkdir zz")
    assert thumb.texts("title") == ["zz", "large.mp3", "small.mp3"]
    assert thumb.texts("details")[1] == "3:34 PM • 3.89 kB • MP3 file"
    thumb.script("date -s '2026-10-16 09:00:00'; touch /sdcard/Music/small.mp3")
    assert thumb.texts("details")[1] == "Oct 15 • 3.89 kB • MP3 file"
    thumb.tap(desc="More options")
    thumb.tap(text="By modified (newest first)")
    assert thumb.texts("title") == ["zz", "small.mp3", "large.mp3"]
    thumb.tap(desc="More options")
    thumb.tap(text="By size (largest first)")
    assert thumb.texts("title") == ["zz", "large.mp3", "small.mp3"]
    thumb.tap(desc="More options")
    thumb.tap(text="Show hidden files")
    assert ".hidden" in thumb.texts("title")
    thumb.back()
    thumb.tap(desc="Search")
    thumb.type("mp3")
    assert sorted(thumb.texts("title")) == ["large.mp3", "small.mp3"]
    thumb.hold(text="large.mp3")
    thumb.tap(desc="More options")
    thumb.tap(text="Get info")
    assert thumb.texts("table_row_value")[-1] == "/storage/emulated/0/Music"
