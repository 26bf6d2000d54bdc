"""Virtual phones in bad weather, for `storm.py`: `python storm_phones.py COUNT FIRST SEED GAP LOG`.

Prints the address of each phone, then serves until standard input closes. All phones are alike, to the byte, and their
clocks stand still, so that an episode ends the same way on each of them. With a GAP above 0 faults come, one after
about so many ADB commands; what came when is written to LOG, which nobody reads before the harvest is over.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time
from pathlib import Path
from typing import IO, NamedTuple

from emulator_farm.virtual.fault_plan import FaultPlan, Operation, Rule
from emulator_farm.virtual.faults import WORDS, Faults
from emulator_farm.virtual.host import PhoneHost
from emulator_farm.virtual.memory import keep_frames_in_heap
from emulator_farm.virtual.phone import Phone

SAME_SEED = 7
SHARE = {"commands": 1.0, "frames": 0.15, "trees": 0.15, "inputs": 0.1}
"""About how many of a hundred commands are of each kind of operation."""
ON = {"screencap": "frames", "dump": "trees", "input": "inputs"}
LASTS_S = {
    "link": 4.0,
    "window": 6.0,
    "display": 6.0,
    "ime": 6.0,
    "clock": 6.0,
    "disk": 5.0,
    "boot": 5.0,
    "locale": 9.0,
}
BURST_S = {"screencap": 4.0, "dump": 5.0, "input": 2.0, "grpc": 4.0, "u2": 4.0}
NUMBERED = (("bandwidth", 30_000, 4.0), ("offline_after", 3, 6.0))


class Card(NamedTuple):
    """One fault of the deck; `seconds` is None for one that comes once."""

    fault: str
    value: str | int
    seconds: float | None


class WatchedFaults(Faults):
    """Faults that are written down as they come, act and go."""

    def __init__(self, phone: int, log: IO[str]) -> None:
        super().__init__()
        self._note = lambda **facts: log.write(json.dumps({"at": time.time(), "phone": phone, **facts}) + "\n")

    def arm(self, kind: str, value: str | int, times: int = 0, seconds: float | None = None) -> None:
        self._note(event="armed" if value else "off", kind=kind, value=value or getattr(self, kind), seconds=seconds)
        super().arm(kind, value, times, seconds)

    def fire(self, kind: str) -> str:
        value = super().fire(kind)
        if value:
            self._note(event="fired", kind=kind, value=value, seconds=None)
        return value


def deck() -> list[Card]:
    """Every fault that a phone of a harvest can have, passing ones also as a burst. None kills a phone for good."""
    cards = [Card(*numbered) for numbered in NUMBERED]
    for fault, values in WORDS.items():
        for value in values:
            if fault not in LASTS_S or value == "drop":
                cards.append(Card(fault, value, None))
            if fault in LASTS_S and value != "drop":
                cards.append(Card(fault, value, LASTS_S[fault]))
            if fault in BURST_S and value != "hang":
                cards.append(Card(fault, value, BURST_S[fault]))
    return cards


def rules(cards: list[Card], dice: random.Random, gap: float) -> list[Rule]:
    """The deck at random moments, `gap` commands apart on average."""
    found, after = [], 0.0
    for card in cards:
        after += dice.expovariate(1 / gap)
        operation: Operation = ON.get(card.fault, dice.choice(("commands", "trees", "inputs")))  # type: ignore[assignment]
        found.append(
            Rule(
                fault=card.fault,
                value=card.value,
                of=operation,
                after=int(after * SHARE[operation]),
                seconds=card.seconds,
            )
        )
    return found


def weather(phone: int, seed: int, gap: float) -> list[Rule]:
    """The plan of one phone: decks shuffled for it alone, more of them than any run uses up."""
    dice = random.Random(f"{seed}/{phone}")
    cards: list[Card] = []
    while len(cards) < 500:
        cards += dice.sample(deck(), k=len(deck()))
    return rules(cards, dice, gap)


def main() -> None:
    count, first, seed = (int(word) for word in sys.argv[1:4])
    gap = float(sys.argv[4])
    keep_frames_in_heap()
    with Path(sys.argv[5]).open("w", buffering=1) as log:
        phones = []
        for index in range(first, first + count):
            faults = WatchedFaults(index, log)
            faults.plan = FaultPlan(weather(index, seed, gap), seed) if gap else None
            phone = Phone(f"storm-{index}", seed=SAME_SEED, faults=faults)
            phone.clock.hold(True)
            phones.append(phone)
        with PhoneHost(phones, emulator=True) as host:
            print("\n".join(host.addresses), flush=True)
            stop = threading.Event()
            threading.Thread(target=_watch_stdin, args=(stop,), daemon=True).start()
            stop.wait()


def _watch_stdin(stop: threading.Event) -> None:
    while os.read(0, 4096):
        pass
    stop.set()


if __name__ == "__main__":
    main()
