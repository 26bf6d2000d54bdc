from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_server.geometry import Size
from agent_server.images import CheckedImage
from agent_server.screenshot_store import ScreenshotStore


def image(data: bytes) -> CheckedImage:
    return CheckedImage(data, "png", Size(1, 1))


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_what_was_put_is_found_by_its_digest():
    store = ScreenshotStore(10)
    store.put(image(b"one"))
    assert store.get(digest(b"one")) == image(b"one")
    assert store.get(digest(b"two")) is None


def test_the_least_recently_used_go_first():
    store = ScreenshotStore(6)
    for data in (b"aa", b"bb", b"cc"):
        store.put(image(data))
    assert store.get(digest(b"aa"))
    store.put(image(b"bb"))
    store.put(image(b"dd"))
    assert [data for data in (b"aa", b"bb", b"cc", b"dd") if store.get(digest(data))] == [b"aa", b"bb", b"dd"]


@pytest.mark.parametrize("room", [0, 2])
def test_what_does_not_fit_at_all_pushes_nothing_out(room):
    store = ScreenshotStore(room)
    store.put(image(b"ab"[:room]))
    store.put(image(b"long"))
    assert store.get(digest(b"long")) is None
    assert store.get(digest(b"ab"[:room])) == image(b"ab"[:room])


@given(puts=st.lists(st.binary(max_size=5), max_size=30), room=st.integers(0, 12))
def test_it_holds_the_newest_that_fit(puts, room):
    store = ScreenshotStore(room)
    for data in puts:
        store.put(image(data))
    expected: list[bytes] = []
    for data in reversed([data for data in puts if len(data) <= room]):
        if data not in expected and sum(map(len, expected)) + len(data) <= room:
            expected.append(data)
        elif data not in expected:
            break
    assert {data for data in puts if store.get(digest(data))} == set(expected)
