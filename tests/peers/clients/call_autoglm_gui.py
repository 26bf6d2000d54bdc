"""The device layer of AutoGLM-GUI, and what it does to have a keyboard."""

import os
from dataclasses import asdict
from functools import partial

from AutoGLM_GUI import adb, adb_plus
from calls import serve

PHONE = os.environ["PHONE"]
IN_TURN = ("tap", "double_tap", "long_press", "swipe", "back", "home", "launch_app", "get_current_app", "type_text",
           "clear_text", "detect_and_set_adb_keyboard", "restore_keyboard")  # fmt: skip

serve(
    {
        **{name: partial(getattr(adb, name), device_id=PHONE) for name in IN_TURN},
        "auto_setup": lambda: adb_plus.ADBKeyboardInstaller(PHONE).auto_setup(),
        "apk": lambda: str(adb_plus.ADBKeyboardInstaller(PHONE).get_apk_path()),
        "capture_screenshot": lambda: asdict(adb_plus.capture_screenshot(PHONE)),
        "touch_down": partial(adb_plus.touch_down, device_id=PHONE),
        "touch_move": partial(adb_plus.touch_move, device_id=PHONE),
        "touch_up": partial(adb_plus.touch_up, device_id=PHONE),
        "get_device_serial": lambda: adb_plus.get_device_serial(PHONE),
    }
)
