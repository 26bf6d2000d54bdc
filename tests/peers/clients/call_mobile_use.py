"""The Android controller of minitap's mobile-use, with uiautomator2 beneath it."""

import os
from typing import Any

from adbutils import AdbClient
from calls import serve
from minitap.mobile_use.clients.ui_automator_client import UIAutomatorClient
from minitap.mobile_use.controllers.android_controller import AndroidDeviceController
from minitap.mobile_use.controllers.types import CoordinatesSelectorRequest

PHONE = os.environ["PHONE"]
client = UIAutomatorClient(PHONE)
adb = AdbClient(port=int(os.environ["ANDROID_ADB_SERVER_PORT"]))
controller = AndroidDeviceController(PHONE, adb, client, 1080, 2400)
IN_TURN = ("input_text", "launch_app", "terminate_app", "open_url", "press_back", "press_home", "press_enter",
           "erase_text", "get_ui_hierarchy", "screenshot")  # fmt: skip


def at(x: int, y: int) -> CoordinatesSelectorRequest:
    return CoordinatesSelectorRequest(x=x, y=y)


async def tap(x: int, y: int, long_press: bool = False) -> str | None:
    return (await controller.tap(at(x, y), long_press)).error


async def screen_data() -> dict[str, Any]:
    return (await controller.get_screen_data()).model_dump()


serve(
    {
        **{name: getattr(controller, name) for name in IN_TURN},
        "tap": tap,
        "swipe": lambda x1, y1, x2, y2: controller.swipe(at(x1, y1), at(x2, y2)),
        "get_screen_data": screen_data,
        "current_app": controller._get_current_foreground_package,
        "press_key": client.press_key,
    }
)
