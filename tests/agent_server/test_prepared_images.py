"""Images as a model is sent them."""

from __future__ import annotations

import asyncio
import base64
import io

from PIL import Image

from agent_server.geometry import Size
from agent_server.images import Encoding, check_image
from agent_server.prepared_images import PreparedImages


def urls(data: bytes, *sizes: Size | None, **settings: object) -> list[str]:
    async def main() -> list[str]:
        images = PreparedImages(**settings)
        try:
            return [await images.url(check_image(data), size) for size in sizes]
        finally:
            images.close()
            images.close()

    return asyncio.run(main())


def test_what_is_right_goes_out_as_it_came(screenshot):
    expected = f"data:image/png;base64,{base64.b64encode(screenshot).decode()}"
    assert urls(screenshot, None, Size(1080, 2400)) == [expected, expected]


def test_what_is_not_is_made_so_once_for_each_size(screenshot):
    first, again, other = urls(screenshot, Size(280, 616), Size(280, 616), Size(56, 112))
    assert first is again
    assert first.startswith("data:image/jpeg;base64,")
    sizes = [Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).size for url in (first, other)]
    assert sizes == [(280, 616), (56, 112)]


def test_the_encoding_is_a_choice(screenshot):
    (url,) = urls(screenshot, Size(280, 616), encoding=Encoding("png"), threads=1, cache_bytes=0)
    assert url.startswith("data:image/png;base64,")
