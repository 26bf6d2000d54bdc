"""Images that were prepared before: a step's screenshot is history for the next steps, and is sent again each time."""

from __future__ import annotations

import hashlib
from collections import OrderedDict

from agent_server.geometry import Size

ImageKey = tuple[bytes, Size | None]


class ImageCache:
    """Least recently used data URLs up to a number of characters. For use from one thread."""

    def __init__(self, max_characters: int) -> None:
        self._max = max_characters
        self._size = 0
        self._entries: OrderedDict[ImageKey, str] = OrderedDict()

    @staticmethod
    def key(data: bytes, resized: Size | None) -> ImageKey:
        """What identifies a prepared image: the bytes that came, and the size that was asked for."""
        return hashlib.blake2b(data, digest_size=16).digest(), resized

    def get(self, key: ImageKey) -> str | None:
        found = self._entries.get(key)
        if found is not None:
            self._entries.move_to_end(key)
        return found

    def put(self, key: ImageKey, url: str) -> None:
        if key in self._entries or len(url) > self._max:
            return
        self._entries[key] = url
        self._size += len(url)
        while self._size > self._max:
            _, dropped = self._entries.popitem(last=False)
            self._size -= len(dropped)
