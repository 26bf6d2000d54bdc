"""The observe + tap loop of another agent's device layer, run by the Python of its own environment: see peer_steps.

    PYTHON_OF_THE_PEER benchmarks/peer_loop.py phone_agent|mobilerun SERIAL SECONDS X,Y X,Y

Prints how many steps were done and the seconds that took, as JSON. The places are tapped in turns.
"""

import asyncio
import json
import sys
import time
from itertools import cycle


def phone_agent(serial: str, seconds: float, places: list[tuple[int, int]]) -> tuple[int, float]:
    """What its agent does in a step: the screenshot, the app in front, the tap and the wait after it."""
    from phone_agent import adb

    turns, steps, began = cycle(places), 0, time.monotonic()
    while time.monotonic() - began < seconds:
        if not adb.get_screenshot(serial).base64_data:
            raise RuntimeError("no screenshot")
        adb.get_current_app(serial)
        adb.tap(*next(turns), device_id=serial)
        steps += 1
    return steps, time.monotonic() - began


async def mobilerun(serial: str, seconds: float, places: list[tuple[int, int]]) -> tuple[int, float]:
    """Its driver's screenshot, UI tree with the app in front, and tap, by adb alone."""
    from mobilerun_core_local.driver.android import AndroidDriver

    driver = AndroidDriver(serial)
    await driver.screenshot()  # connects
    turns, steps, began = cycle(places), 0, time.monotonic()
    while time.monotonic() - began < seconds:
        if not await driver.screenshot():
            raise RuntimeError("no screenshot")
        await driver.get_ui_tree()
        await driver.tap(*next(turns))
        steps += 1
    return steps, time.monotonic() - began


def main() -> None:
    """Run one loop."""
    name, serial, seconds, *points = sys.argv[1:]
    places = [(int(x), int(y)) for x, y in (point.split(",") for point in points)]
    stdout, sys.stdout = sys.stdout, sys.stderr  # they talk
    if name == "phone_agent":
        result = phone_agent(serial, float(seconds), places)
    else:
        result = asyncio.run(mobilerun(serial, float(seconds), places))
    json.dump(result, stdout)


if __name__ == "__main__":
    main()
