"""Screenshots that came before, so that a history turn can name one in place of bringing it again."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict

from agent_server.images import CheckedImage


class ScreenshotStore:
    """Checked images by the SHA-256 of their bytes, up to a number of bytes; the least recently used go first.

    A saving of transport and nothing else: what it does not hold must be sent again. For use from any thread.
    """

    def __init__(self, max_bytes: int) -> None:
        """With `max_bytes` 0 it keeps nothing."""
        self._max = max_bytes
        self._size = 0
        self._images: OrderedDict[str, CheckedImage] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, image: CheckedImage) -> None:
        """Keep an image, in place of older ones where there is no room. One larger than everything is not kept."""
        if len(image.data) > self._max:
            return
        digest = hashlib.sha256(image.data).hexdigest()
        with self._lock:
            if digest not in self._images:
                self._size += len(image.data)
            self._images[digest] = image
            self._images.move_to_end(digest)
            while self._size > self._max:
                _, dropped = self._images.popitem(last=False)
                self._size -= len(dropped.data)

    def get(self, digest: str) -> CheckedImage | None:
        """The image with this digest, None where it is not held (any more)."""
        with self._lock:
            image = self._images.get(digest)
            if image is not None:
                self._images.move_to_end(digest)
            return image
