"""Two phones of the same seed that get the same input are the same, to the byte."""

import hashlib
import json
import random
from datetime import UTC, datetime

import pytest

from emulator_farm.virtual.apps import APPS
from emulator_farm.virtual.clock import Clock
from emulator_farm.virtual.intents import Intent
from emulator_farm.virtual.phone import Phone
from emulator_farm.virtual.state import state_of

STEPS = 60


def played(seed: int) -> str:
    """The digest of all trees, of some pictures and of the state at the end."""
    seconds = [1000.0]
    clock = Clock(datetime(2026, 10, 15, 15, 34, tzinfo=UTC), lambda: seconds[0])
    phone = Phone("same", 480, 800, 213, 3, clock=clock)
    dice, digest = random.Random(seed), hashlib.sha256()
    for step in range(STEPS):
        match dice.choice(["open", "tap", "tap", "tap", "swipe", "type", "key"]):
            case "open":
                phone.start_activity(Intent(package=dice.choice(APPS).package))
            case "tap":
                phone.tap(dice.randrange(480), dice.randrange(800))
            case "swipe":
                phone.swipe(240, 600, 240, 200)
            case "type":
                phone.text("abc")
            case _:
                phone.key(dice.choice([3, 4, 66, 67, 187]))
        seconds[0] += 0.7
        digest.update(phone.hierarchy().encode())
        if step % 5 == 0:
            digest.update(phone.frame().tobytes())
    digest.update(json.dumps(state_of(phone), sort_keys=True).encode())
    return digest.hexdigest()


@pytest.mark.parametrize("seed", range(4))
def test_the_same_input_gives_the_same_bytes(seed: int) -> None:
    assert played(seed) == played(seed)


def test_other_input_gives_others() -> None:
    assert played(0) != played(1)
