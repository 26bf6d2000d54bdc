"""Gallery: every image on the shared storage, and the provider `content://media` that lists them."""

from emulator_farm.virtual.apps.gallery.media import MediaStore
from emulator_farm.virtual.apps.gallery.photos import Gallery, PhotoPage
from emulator_farm.virtual.screen import App, Entry

_IMAGES = ("image/", "content://media/external/images/media", "content://media/external_primary/images/media")

APP = App(
    package="com.android.gallery3d",
    label="Gallery",
    icon="photo_library",
    color=(156, 39, 176),
    apk="/product/app/Gallery2/Gallery2.apk",
    providers=(MediaStore,),
    entries=(
        Entry(".app.GalleryActivity", Gallery, launcher=True),
        Entry(".app.PhotoActivity", PhotoPage, ("android.intent.action.VIEW",), _IMAGES),
    ),
)
