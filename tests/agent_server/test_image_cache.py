from __future__ import annotations

from agent_server.geometry import Size
from agent_server.image_cache import ImageCache


def key(name: bytes, size: Size | None = None):
    return ImageCache.key(name, size)


def test_same_bytes_and_size_are_found_again():
    cache = ImageCache(100)
    cache.put(key(b"a", Size(2, 2)), "x" * 10)
    assert cache.get(key(b"a", Size(2, 2))) == "x" * 10
    assert cache.get(key(b"a", Size(2, 3))) is None
    assert cache.get(key(b"a")) is None
    assert cache.get(key(b"b", Size(2, 2))) is None


def test_what_was_not_used_for_longest_goes_first():
    cache = ImageCache(30)
    for name in (b"a", b"b", b"c"):
        cache.put(key(name), name.decode() * 10)
    assert cache.get(key(b"a")) is not None
    cache.put(key(b"d"), "d" * 10)
    assert cache.get(key(b"b")) is None
    assert [cache.get(key(name)) is not None for name in (b"a", b"c", b"d")] == [True, True, True]


def test_what_does_not_fit_is_not_kept_and_drives_nothing_out():
    cache = ImageCache(30)
    cache.put(key(b"a"), "a" * 10)
    cache.put(key(b"big"), "b" * 31)
    assert cache.get(key(b"big")) is None
    assert cache.get(key(b"a")) is not None


def test_putting_twice_counts_once():
    cache = ImageCache(30)
    for _ in range(5):
        cache.put(key(b"a"), "a" * 10)
    cache.put(key(b"b"), "b" * 20)
    assert cache.get(key(b"a")) is not None
