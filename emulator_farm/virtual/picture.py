"""A picture as PNG bytes, fast: rows of one band compress on their own, and bands seen before are not compressed again.

Each band ends in a full flush, so its deflate bytes depend on nothing before it and may be cached by content. That
makes the PNG of a screen where little changed cost little.
"""

import struct
import threading
import zlib
from collections import OrderedDict

from PIL import Image

BAND_ROWS = 60
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


class BandCache:
    """Compressed bands by a hash of their pixels, the least recently used dropped beyond `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes = 0
        self._bands: OrderedDict[tuple[int, int], bytes] = OrderedDict()
        self._lock = threading.Lock()

    def compress(self, rows: bytes) -> bytes:
        """Deflate bytes of some rows, ending at a byte boundary."""
        key = (hash(rows), len(rows))
        with self._lock:
            found = self._bands.get(key)
            if found is not None:
                self._bands.move_to_end(key)
                return found
        packer = zlib.compressobj(1, zlib.DEFLATED, -15, 9)
        packed = packer.compress(rows) + packer.flush(zlib.Z_FULL_FLUSH)
        with self._lock:
            if key not in self._bands:
                self._bands[key] = packed
                self._bytes += len(packed)
            while self._bytes > self._limit:
                self._bytes -= len(self._bands.popitem(last=False)[1])
        return packed


_BANDS = BandCache(4 * 1024 * 1024)
_END_OF_STREAM = b"\x03\x00"
"""An empty final deflate block."""


def encode_png(image: Image.Image) -> bytes:
    """A PNG (8-bit RGB, no filter) of an RGB image."""
    width, height = image.size
    stride = width * 3 + 1
    # Pillow pads each row to the stride with a zero, which serves as the next row's filter byte; the last one is cut.
    rows = image.tobytes("raw", "RGB", stride, 1)
    step = stride * BAND_ROWS
    bands, checksum = [], 1
    for start in range(0, len(rows), step):
        band = rows[start - 1 : min(start + step, len(rows)) - 1] if start else b"\0" + rows[: min(step, len(rows)) - 1]
        checksum = zlib.adler32(band, checksum)
        bands.append(_BANDS.compress(band))
    data = b"".join((b"\x78\x01", *bands, _END_OF_STREAM, struct.pack(">I", checksum)))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
