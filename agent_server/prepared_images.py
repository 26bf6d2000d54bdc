"""Screenshots as the data URLs that a model is sent, prepared off the event loop and once for each size."""

from __future__ import annotations

import asyncio
import binascii
import os
from concurrent.futures import ThreadPoolExecutor

from agent_server.geometry import Size
from agent_server.image_cache import ImageCache
from agent_server.images import CheckedImage, Encoding, needs_decoding, prepared
from agent_server.off_loop import BYTES_MOVED, off_loop


class PreparedImages:
    """For use from one event loop."""

    def __init__(
        self, encoding: Encoding | None = None, threads: int | None = None, cache_bytes: int = 256 * 2**20
    ) -> None:
        self._encoding = encoding or Encoding()
        self._pool = ThreadPoolExecutor(threads or os.cpu_count() or 1, thread_name_prefix="image")
        self._cache = ImageCache(cache_bytes)

    async def url(self, image: CheckedImage, resized: Size | None) -> str:
        """The image upright and, unless `resized` is None, of exactly that size. Raises InvalidImage for damage."""
        if not needs_decoding(image, resized):
            return await off_loop(len(image.data) > BYTES_MOVED, _data_url, image.data, image.media_type)
        key = await off_loop(len(image.data) > BYTES_MOVED, self._cache.key, image.data, resized)
        url = self._cache.get(key)
        if url is None:
            url = await asyncio.get_running_loop().run_in_executor(self._pool, self._prepare, image, resized)
            self._cache.put(key, url)
        return url

    def close(self) -> None:
        """What is being prepared is finished, what waits is dropped."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _prepare(self, image: CheckedImage, resized: Size | None) -> str:
        encoded = prepared(image, resized, self._encoding)
        return _data_url(encoded.data, encoded.media_type)


def _data_url(data: bytes, media_type: str) -> str:
    return f"data:{media_type};base64,{binascii.b2a_base64(data, newline=False).decode('ascii')}"
