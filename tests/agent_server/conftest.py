"""A real HTTP server for any ASGI app, a model server that speaks from a script, and screenshots to send."""

from __future__ import annotations

import io
import json
import math
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import uvicorn
from PIL import Image, ImageDraw
from starlette.types import ASGIApp

from agent_server.scripted import ScriptedModel, ScriptedReply

ServeApp = Callable[[ASGIApp], str]
Scripted = Callable[..., tuple[str, ScriptedModel]]


@contextmanager
def _serving(app: ASGIApp) -> Iterator[str]:
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1, lifespan="auto", ws="none")
    server = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


@pytest.fixture
def serve_app() -> Iterator[ServeApp]:
    """Runs apps behind uvicorn on free ports until the test ends."""
    with ExitStack() as stack:
        yield lambda app: stack.enter_context(_serving(app))


@pytest.fixture
def scripted(serve_app: ServeApp) -> Scripted:
    """Starts a model server that answers with one text, one reply, or whatever a function says."""

    def start(
        says: str | ScriptedReply | Callable[[dict[str, object]], ScriptedReply] = "Finished(content='')",
        **settings: object,
    ) -> tuple[str, ScriptedModel]:
        match says:
            case str():
                model = ScriptedModel(lambda _: ScriptedReply(says), **settings)
            case ScriptedReply():
                model = ScriptedModel(lambda _: says, **settings)
            case _:
                model = ScriptedModel(says, **settings)
        return serve_app(model), model

    return start


def _draw(width: int, height: int) -> Image.Image:
    """Something like a screen: flat areas, sharp text, a gradient."""
    picture = Image.new("RGB", (width, height), (238, 239, 243))
    pen = ImageDraw.Draw(picture)
    for row in range(0, height, 120):
        pen.rounded_rectangle((20, row + 10, max(width - 20, 20), row + 100), 24, fill=(250, 250, 255))
        pen.text((60, row + 30), f"Setting number {row // 120}", fill=(20, 20, 24), font_size=40)
        pen.line((0, row, width, row), fill=(row % 256, 90, 200), width=3)
    return picture


@pytest.fixture(scope="session")
def draw() -> Callable[[int, int], Image.Image]:
    return _draw


@pytest.fixture(scope="session")
def screenshot() -> bytes:
    """A phone's screen, 1080x2400, as Android writes it: an opaque RGBA PNG."""
    out = io.BytesIO()
    _draw(1080, 2400).convert("RGBA").save(out, "PNG", compress_level=1)
    return out.getvalue()


@pytest.fixture(scope="session")
def encode() -> Callable[..., bytes]:
    """A picture as bytes, in the format that Pillow calls by the given name."""

    def encoded(picture: Image.Image, kind: str, **options: object) -> bytes:
        out = io.BytesIO()
        picture.save(out, kind, **options)
        return out.getvalue()

    return encoded


def _safetensors(path: Path, shapes: dict[str, tuple[int, ...]]) -> None:
    """A safetensors file of zeros, in half precision."""
    head, end = {}, 0
    for name, shape in shapes.items():
        size = 2 * math.prod(shape)
        head[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(head).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(end))


@pytest.fixture
def adapter_folder(tmp_path: Path) -> Callable[..., Path]:
    """Makes the folder of a LoRA adapter: `adapter_folder(name, "the.module", …, rank=8)`."""

    def make(name: str, *modules: str, rank: object = 8) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": rank}))
        parts = [f"{module}.lora_{half}.weight" for module in modules or ("layers.0.q_proj",) for half in "AB"]
        _safetensors(folder / "adapter_model.safetensors", dict.fromkeys(parts, (8, 16)))
        return folder

    return make


@pytest.fixture
def checkpoint_folder(tmp_path: Path) -> Callable[..., Path]:
    """Makes the folder of a checkpoint: `checkpoint_folder(name, {"tensor": (2, 3), …}, model_type="qwen2_5_vl")`."""

    def make(name: str, shapes: dict[str, tuple[int, ...]] | None = None, model_type: str = "qwen2_5_vl") -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps({"model_type": model_type, "architectures": ["A"]}))
        _safetensors(folder / "model.safetensors", shapes or {"a": (2, 3), "b": (4,)})
        return folder

    return make
