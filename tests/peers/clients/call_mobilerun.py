"""The driver of mobilerun, formerly droidrun, by adb alone: its Portal is an app, and virtual phones run no APKs."""

import base64
import os

from calls import serve
from mobilerun_core_local.driver.android import AndroidDriver

driver = AndroidDriver(os.environ["PHONE"])
IN_TURN = ("tap", "swipe", "input_text", "press_button", "press_key_code", "start_app", "stop_app", "install_app",
           "uninstall_app", "clear_app_data", "grant_permission", "open_deep_link", "get_apps", "list_packages",
           "get_ui_tree", "get_date")  # fmt: skip


async def screenshot() -> str:
    return base64.b64encode(await driver.screenshot()).decode()


serve(
    {
        **{name: getattr(driver, name) for name in IN_TURN},
        "screenshot": screenshot,
        "clear_input": lambda: driver.input_text("", True),
    }
)
