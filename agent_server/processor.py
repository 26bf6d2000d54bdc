"""A model server's own image processor: what it makes of an image, and what a checkpoint's folder says of it.

Only the processors of the Qwen-VL line are known here, which most families are built on. One that is not known gives
None, never a guess.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from agent_server.adapters import Absolute, Adapter, Processor, Relative
from agent_server.errors import InvalidRequest
from agent_server.geometry import Size, smart_resize
from agent_server.json_file import read_object

_LOG = logging.getLogger(__name__)
_Family = TypeVar("_Family", bound=Adapter)
_FILES = ("preprocessor_config.json", "processor_config.json")
_KNOWN = re.compile(r"Qwen\d(?:_5)?_?VLImageProcessor")
_MERGE = 2
_DEFAULT_PATCH = 14
_DEFAULT_MIN, _DEFAULT_MAX = 56 * 56, 1280 * 28 * 28
"""What such a processor assumes where its file is silent."""


def processor_size(processor: Processor, size: Size) -> Size:
    """The size at which the model sees an image of `size` pixels. Raises GeometryError for one that it refuses."""
    return smart_resize(size, factor=processor.factor, min_pixels=processor.min_pixels, max_pixels=processor.max_pixels)


def grid(processor: Processor, size: Size) -> tuple[int, int, int]:
    """(1, rows, columns) of patches, before they are merged, for an image that is sent at `size` pixels.

    What trainers know as `image_grid_thw`. Raises GeometryError for an image that the processor refuses.
    """
    seen = processor_size(processor, size)
    return 1, seen.height // processor.patch, seen.width // processor.patch


def image_tokens(processor: Processor, size: Size) -> int:
    """How many tokens of the prompt an image takes that is sent at `size` pixels. Raises GeometryError."""
    _, rows, columns = grid(processor, size)
    return rows * columns // processor.merge**2


def processor_of(adapter: Adapter, model: str = "") -> Processor | None:
    """The processor that an adapter expects behind the model called `model`; None where it knows of none."""
    match adapter.space(model):
        case Absolute(factor, min_pixels, max_pixels):
            return Processor(factor // _MERGE, _MERGE, min_pixels, max_pixels)
        case Relative():
            return adapter.declaration.processor


def checkpoint_processor(folder: Path) -> Processor | None:
    """What the files of a local checkpoint say; None where they say nothing that is understood here.

    Raises InvalidRequest for a file that is there and cannot be read, or whose numbers cannot be.
    """
    for name in _FILES:
        path = folder / name
        if path.exists():
            content = read_object(path)
            nested = content.get("image_processor")
            said = nested if isinstance(nested, dict) else content
            if _KNOWN.match(str(said.get("image_processor_type", ""))):
                return _processor(said, path)
    return None


def with_processor(adapter: _Family, processor: Processor, model: str = "") -> _Family:
    """The adapter for a model that stands behind this processor.

    Raises InvalidRequest where the two cannot go together, or the processor's limits exclude each other.
    """
    low, high = processor.min_pixels, processor.max_pixels
    if not 1 <= low <= high:
        raise InvalidRequest(f"pixel limits must satisfy 1 <= min_pixels <= max_pixels, got {low} and {high}")
    match adapter.space(model):
        case Absolute(factor) if factor != processor.factor:
            raise InvalidRequest(
                f"the adapter {adapter.name} counts pixels of images whose sides are multiples of {factor}, "
                f"but the checkpoint's processor makes multiples of {processor.factor}; choose another --adapter"
            )
        case Absolute():
            return adapter.with_limits(low, high)
        case Relative():
            return replace(adapter, declaration=replace(adapter.declaration, processor=processor))


def fitted(adapter: _Family, model: str, min_pixels: int | None = None, max_pixels: int | None = None) -> _Family:
    """The adapter with the limits that were asked for, else those of the checkpoint where `model` is a folder.

    Warns in the log where the two differ. Raises InvalidRequest as `with_processor` and `checkpoint_processor` do.
    """
    checkpoint = checkpoint_processor(Path(model)) if model and Path(model).is_dir() else None
    processor = checkpoint or processor_of(adapter, model)
    if processor is None:
        return adapter
    asked = {"min_pixels": min_pixels, "max_pixels": max_pixels}
    limits = {name: value for name, value in asked.items() if value is not None}
    for name, value in limits.items():
        if checkpoint is not None and getattr(checkpoint, name) != value:
            flag, own = f"--{name.replace('_', '-')}", getattr(checkpoint, name)
            _LOG.warning("%s %d is used, although the checkpoint's own processor says %d", flag, value, own)
    return with_processor(adapter, replace(processor, **limits), model)


def _processor(said: Mapping[str, object], path: Path) -> Processor:
    """`min_pixels` and `max_pixels` win over `size`, as they do in the processors themselves."""
    size = said.get("size")
    edges = size if isinstance(size, dict) else {}
    found = Processor(
        patch=_number(said, "patch_size", path) or _DEFAULT_PATCH,
        merge=_number(said, "merge_size", path) or _MERGE,
        min_pixels=_number(said, "min_pixels", path) or _number(edges, "shortest_edge", path) or _DEFAULT_MIN,
        max_pixels=_number(said, "max_pixels", path) or _number(edges, "longest_edge", path) or _DEFAULT_MAX,
    )
    if found.min_pixels > found.max_pixels:
        raise InvalidRequest(f"{path} wants at least {found.min_pixels} and at most {found.max_pixels} pixels")
    return found


def _number(said: Mapping[str, object], name: str, path: Path) -> int | None:
    value = said.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InvalidRequest(f"{path}: {name} is {value!r}, not a positive whole number")
    return value
