"""The device layer of Open-AutoGLM's phone-agent."""

import os
from dataclasses import asdict
from functools import partial

from calls import serve
from phone_agent import adb

PHONE = os.environ["PHONE"]
IN_TURN = ("tap", "double_tap", "long_press", "swipe", "back", "home", "launch_app", "get_current_app", "type_text",
           "clear_text", "detect_and_set_adb_keyboard", "restore_keyboard")  # fmt: skip

serve(
    {
        **{name: partial(getattr(adb, name), device_id=PHONE) for name in IN_TURN},
        "get_screenshot": lambda: asdict(adb.get_screenshot(PHONE)),
        "list_devices": lambda: [(each.device_id, each.status, each.model) for each in adb.list_devices()],
    }
)
