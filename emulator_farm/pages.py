"""Pages that are one file each: styles, script and pictures inside, nothing loaded from anywhere.

What a model or an app wrote is escaped by the template engine. As a second wall, each page carries a content security
policy that runs only the script shipped here (by its hash) and loads nothing from the network.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import secrets
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from agent_server.errors import InvalidImage
from agent_server.geometry import Size
from agent_server.images import decoded, known_image
from emulator_farm.errors import CallerError

_TEMPLATES = Path(__file__).parent / "templates"


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["ms"] = milliseconds
    environment.filters["percent"] = lambda share: f"{100 * share:.0f} %"
    environment.filters["counted"] = lambda count, noun: f"{count} {noun}{'' if count == 1 else 's'}"
    return environment


def render(name: str, **values: Any) -> str:
    """The page `name`, with its style sheet and, where there is one, its script."""
    script = _TEMPLATES / f"{name}.js"
    code = script.read_text("utf-8") if script.exists() else ""
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    style = "".join((_TEMPLATES / f"{part}.css").read_text("utf-8") for part in ("base", name))
    return (
        _environment()
        .get_template(f"{name}.html.j2")
        .render(**values, style=Markup(style), script=Markup(code), script_hash=digest)
    )


def write_page(text: str, path: Path) -> Path:
    """Put a page in place whole, over an older one. Raises CallerError where that cannot be done."""
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(text, "utf-8", errors="replace")
        unfinished.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise CallerError(f"{path} cannot be written: {error.strerror or error}") from error
    return path


def picture_uri(png: bytes, box: Size, quality: int = 80) -> str | None:
    """A frame as a JPEG data URI of about the size of `box`; None for bytes that are no picture.

    Shrinks by a whole factor, which costs a tenth of the decoding; a frame smaller than the box stays as it is.
    """
    try:
        image = known_image(png)
        factor = max(1, round(max(image.size.width / box.width, image.size.height / box.height)))
        picture = decoded(image).convert("RGB")
    except InvalidImage:
        return None
    buffer = io.BytesIO()
    picture.reduce(factor).save(buffer, "JPEG", quality=quality)
    return f"data:image/jpeg;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def milliseconds(value: float | None) -> str:
    """A duration for people."""
    if value is None:
        return "–"
    return f"{value / 1000:.1f} s" if value >= 1000 else f"{value:.0f} ms"
