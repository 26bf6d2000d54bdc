from __future__ import annotations

import time

from agent_server.stopwatch import Stopwatch


def test_stages_add_up_to_no_more_than_the_total():
    watch = Stopwatch()
    before = time.perf_counter()
    while time.perf_counter() - before < 0.002:
        pass
    watch.lap("busy")
    watch.lap("idle")
    total = watch.total()
    assert list(total) == ["busy", "idle", "total"]
    assert total["busy"] >= 2
    assert total["idle"] < total["busy"]
    assert total["busy"] + total["idle"] <= total["total"] + 0.002
