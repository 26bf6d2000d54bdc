"""Camera: photos of made-up landscapes as JPEG files in `/sdcard/DCIM/Camera`."""

from emulator_farm.virtual.apps.camera.viewfinder import LOCATION, Viewfinder, ship
from emulator_farm.virtual.screen import App, Entry

_ACTIONS = ("android.media.action.STILL_IMAGE_CAMERA", "android.media.action.IMAGE_CAPTURE")

APP = App(
    package="com.android.camera2",
    label="Camera",
    icon="photo_camera",
    color=(84, 110, 122),
    apk="/product/app/Camera2/Camera2.apk",
    provision=ship,
    permissions=(LOCATION,),
    entries=(Entry("com.android.camera.CameraLauncher", Viewfinder, _ACTIONS, launcher=True),),
)
