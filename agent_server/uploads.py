"""Which screenshots a server was sent, so that they need not be sent again."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Mapping

_REMEMBERED = 256
"""Digests of so many screenshots; models look back at a handful."""
_MISSES = 3
"""A server that so often did not hold what it was sent keeps nothing, or is several: pictures then go in full."""


class Uploads:
    """What one client sent to one server."""

    def __init__(self) -> None:
        self._digests: OrderedDict[str, None] = OrderedDict()
        self._misses = 0

    def held(self, pictures: Mapping[int, bytes]) -> dict[int, str]:
        """The digests, by the same positions, of those pictures that the server should still hold."""
        if self._misses >= _MISSES:
            return {}
        digests = {index: _digest(picture) for index, picture in pictures.items()}
        return {index: digest for index, digest in digests.items() if digest in self._digests}

    def note(self, pictures: Iterable[bytes]) -> None:
        """The server was sent, or found to hold, these."""
        for picture in pictures:
            digest = _digest(picture)
            self._digests[digest] = None
            self._digests.move_to_end(digest)
        while len(self._digests) > _REMEMBERED:
            self._digests.popitem(last=False)

    def note_miss(self) -> None:
        """The server did not hold what `held` named."""
        self._misses += 1


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
