"""Heavy work leaves the loop's thread, light work does not, and both give what the work gives."""

from __future__ import annotations

import asyncio
import threading

import pytest

from agent_server.off_loop import off_loop


@pytest.mark.parametrize("heavy", [True, False])
def test_where_it_is_done(heavy):
    async def run() -> bool:
        return await off_loop(heavy, threading.get_ident) == threading.get_ident()

    assert asyncio.run(run()) is not heavy


@pytest.mark.parametrize("heavy", [True, False])
def test_arguments_results_and_errors_pass_through(heavy):
    assert asyncio.run(off_loop(heavy, divmod, 7, 2)) == (3, 1)
    assert asyncio.run(off_loop(heavy, sorted, [1, 2], reverse=True)) == [2, 1]
    with pytest.raises(ZeroDivisionError):
        asyncio.run(off_loop(heavy, divmod, 7, 0))
