"""Camera and Gallery by touch; photos are real JPEG files and rows of `content://media`."""

import io

import pytest
from PIL import Image, ImageStat

CAMERA, GALLERY = "com.android.camera2", "com.android.gallery3d"
IMAGES = "content://media/external/images/media"
LOCATION = "android.permission.ACCESS_FINE_LOCATION"
FOLDER = "/sdcard/DCIM/Camera"


def open_camera(thumb) -> None:
    """Without the question that comes at first."""
    thumb.shell("pm", "grant", CAMERA, LOCATION)
    thumb.open(CAMERA)


def test_the_first_start_asks_for_the_place_and_takes_photos_whatever_the_answer(thumb) -> None:
    before = names(thumb)
    thumb.open(CAMERA)
    assert thumb.sees(text="Allow Camera to access this device’s location?")
    thumb.tap(text="Don’t allow")
    thumb.tap(desc="Shutter")
    assert len(names(thumb)) == len(before) + 1
    thumb.shell("am", "force-stop", CAMERA)
    thumb.open(CAMERA)
    assert thumb.sees(desc="Shutter")
    assert not thumb.sees(text="Don’t allow")


def names(thumb) -> list[str]:
    return thumb.shell("ls", FOLDER).splitlines()


def screen(thumb) -> Image.Image:
    return Image.open(io.BytesIO(thumb.wired("exec-out", "screencap", "-p").raw)).convert("RGB")


@pytest.fixture
def png() -> bytes:
    """A picture of one strong colour."""
    out = io.BytesIO()
    Image.new("RGB", (300, 200), (250, 20, 200)).save(out, "PNG")
    return out.getvalue()


def test_taking_photos(thumb) -> None:
    before = names(thumb)
    open_camera(thumb)
    thumb.tap(desc="Shutter")
    thumb.tap(desc="Switch to front camera")
    thumb.tap(desc="Flash auto")
    assert thumb.sees(desc="Flash on")
    thumb.tap(desc="Shutter")
    new = [name for name in names(thumb) if name not in before]
    assert len(new) == 2
    assert all(name.startswith("IMG_20261015_1534") for name in new)
    for name in new:
        photo = Image.open(io.BytesIO(thumb.wired("exec-out", "cat", f"{FOLDER}/{name}").raw))
        assert (photo.format, photo.size) == ("JPEG", (960, 1280))
        photo.load()
    rows = thumb.query(IMAGES, "_display_name:mime_type:width:height", sort="_id DESC")
    assert sorted(rows[:2]) == [f"_display_name={name}, mime_type=image/jpeg, width=960, height=1280" for name in new]
    thumb.tap(id="rounded_thumbnail_view")
    assert GALLERY in thumb.shell("dumpsys", "activity", "activities")
    assert thumb.find(id="photo_view").attributes["content-desc"] in new


def test_the_grid_and_a_photo_large(thumb) -> None:
    thumb.open(GALLERY)
    assert thumb.texts("header") == ["Yesterday", "Tue, Oct 13", "Tue, Oct 6"]
    assert len(thumb.find_all(id="photo")) == 4
    thumb.tap(desc="Photo taken Yesterday, 7:34 PM")
    first = thumb.find(id="photo_view").attributes["content-desc"]
    assert first == "IMG_20261014_193400.jpg"
    thumb.shell("input", "swipe", "900", "1200", "200", "1200", "150")
    assert thumb.find(id="photo_view").attributes["content-desc"] == "IMG_20261013_153400.jpg"
    thumb.shell("input", "swipe", "200", "1200", "900", "1200", "150")
    assert thumb.find(id="photo_view").attributes["content-desc"] == first
    thumb.tap(desc="Add to favorites")
    assert thumb.query(IMAGES, "_display_name", "is_favorite=1") == [f"_display_name={first}"]
    thumb.tap(desc="Details")
    assert "Width: 960" in thumb.texts("detail")


def test_deleting(thumb) -> None:
    thumb.open(GALLERY)
    thumb.tap(desc="Photo taken Yesterday, 7:34 PM")
    thumb.tap(desc="Delete")
    thumb.tap(text="Cancel")
    assert len(names(thumb)) == 4
    thumb.tap(desc="Delete")
    thumb.tap(text="Delete")
    assert "IMG_20261014_193400.jpg" not in names(thumb)
    assert thumb.find(id="photo_view").attributes["content-desc"] == "IMG_20261013_153400.jpg"
    thumb.shell("content", "delete", "--uri", IMAGES, "--where", "_display_name LIKE 'IMG_20261006%'")
    assert names(thumb) == ["IMG_20261013_153400.jpg"]
    thumb.tap(desc="Delete")
    thumb.tap(text="Delete")
    assert thumb.sees(text="No photos")
    assert thumb.query(IMAGES, "_id") == []


def test_pictures_from_outside_and_what_is_drawn(thumb, png, tmp_path) -> None:
    thumb.open(GALLERY)
    local = tmp_path / "poster.png"
    local.write_bytes(png)
    thumb.wired("push", str(local), "/sdcard/Pictures/poster.png")
    thumb.script("echo nonsense > /sdcard/Pictures/broken.jpg; touch /sdcard/Pictures/poster.png")
    thumb.tap(desc="Albums")
    assert thumb.texts("album_name") == ["Camera", "Pictures"]
    assert thumb.texts("album_count") == ["4 photos", "2 photos"]
    row = thumb.query(IMAGES, "_id:mime_type:width:bucket_display_name", "_display_name='poster.png'")[0]
    assert row.endswith("mime_type=image/png, width=300, bucket_display_name=Pictures")
    number = row.partition(",")[0].removeprefix("_id=")
    thumb.shell("am", "start", "-a", "android.intent.action.VIEW", "-d", f"{IMAGES}/{number}", "-t", "image/*")
    left, top, right, bottom = thumb.find(id="photo_view").bounds
    middle = (top + bottom) // 2
    seen = screen(thumb).crop((left, middle - 200, right, middle + 200))
    assert ImageStat.Stat(seen).mean == pytest.approx([250, 20, 200], abs=3)


def test_photos_are_part_of_files(thumb) -> None:
    thumb.open("com.android.documentsui")
    thumb.tap(text="DCIM")
    thumb.tap(text="Camera")
    thumb.hold(text="IMG_20261013_153400.jpg")
    thumb.tap(desc="Delete")
    thumb.tap(text="OK")
    assert len(thumb.query(IMAGES, "_id")) == 3
    thumb.tap(text="IMG_20261014_193400.jpg")
    assert thumb.find(id="photo_view").attributes["content-desc"] == "IMG_20261014_193400.jpg"
    thumb.open(GALLERY)
    assert thumb.texts("header") == ["Yesterday", "Tue, Oct 6"]
