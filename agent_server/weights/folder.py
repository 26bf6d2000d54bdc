"""What can be said of a folder of weights without loading it: whether it is there, whole, and fits what is served.

vLLM refuses little by itself: it leaves out the parts of an adapter that it does not support, keeps the old tensor
where a checkpoint brings no new one, and is beyond repair after tensors of another shape. All of that is told here
before it is asked. Only JSON and the heads of safetensors files are read.
"""

from __future__ import annotations

import struct
from collections import Counter
from pathlib import Path

import orjson

from agent_server.errors import InvalidRequest
from agent_server.json_file import read_object
from agent_server.regular_file import open_regular

_HEAD_LIMIT = 100 * 2**20
_VISION = ("visual", "vision", "vpm")
"""How the names of modules of vision towers begin, in the families that are served here."""

Shape = tuple[int, ...]


def check_adapter(folder: Path, vision: bool) -> None:
    """Raises InvalidRequest where it is not a LoRA adapter, or changes the vision tower without `vision`."""
    rank = read_object(folder / "adapter_config.json").get("r")
    if not isinstance(rank, int) or rank < 1:
        raise InvalidRequest(f"{folder / 'adapter_config.json'} says that the rank r is {rank!r}")
    names = tensors(folder / "adapter_model.safetensors")
    if not names:
        raise InvalidRequest(f"{folder / 'adapter_model.safetensors'} holds no tensors")
    touched = [name for name in names if any(part.startswith(_VISION) for part in name.split("."))]
    if touched and not vision:
        raise InvalidRequest(
            f"{folder} changes the vision tower ({touched[0]} and {len(touched) - 1} more tensors), which vLLM leaves "
            "out; train without it, or start vLLM with --enable-tower-connector-lora and send vision: true"
        )


def check_checkpoint(folder: Path, served: Path | None) -> None:
    """Raises InvalidRequest where it is not a checkpoint, or not one of the shape of `served` where that is known."""
    config, shapes = read_object(folder / "config.json"), _shapes(folder)
    if served is None or not (served / "config.json").exists():
        return
    for name in ("architectures", "model_type"):
        there = read_object(served / "config.json").get(name)
        if config.get(name) != there:
            raise InvalidRequest(f"{folder} has {name} {config.get(name)!r}, what is served has {there!r}")
    missing = _shapes(served) - shapes
    if missing:
        shape, number = missing.most_common(1)[0]
        raise InvalidRequest(
            f"{folder} does not fit what is served: {missing.total()} tensors have no counterpart of their shape, "
            f"{number} of them of {list(shape)}"
        )


def ties_embeddings(folder: Path) -> bool:
    """Whether the model of a checkpoint uses its input embeddings for its output too. Raises InvalidRequest."""
    names = (name for file in folder.glob("*.safetensors") for name in tensors(file))
    return not any(name.endswith("lm_head.weight") for name in names)


def tensors(path: Path) -> dict[str, Shape]:
    """Names and shapes of the tensors of a safetensors file. Raises InvalidRequest."""
    try:
        with open_regular(path) as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if length > _HEAD_LIMIT:
                raise InvalidRequest(f"{path} is not a safetensors file: its head would have {length} bytes")
            head = orjson.loads(file.read(length))
            size, whole = 8 + length, path.stat().st_size
        entries = {name: entry for name, entry in head.items() if name != "__metadata__"}
        ends = [entry["data_offsets"][1] for entry in entries.values()]
        if ends and size + max(ends) > whole:
            raise InvalidRequest(f"{path} is cut off: {whole} bytes of {size + max(ends)}")
        return {name: tuple(entry["shape"]) for name, entry in entries.items()}
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be read here: {error.strerror}") from error
    except (struct.error, orjson.JSONDecodeError, AttributeError, KeyError, TypeError, IndexError) as error:
        raise InvalidRequest(f"{path} is not a safetensors file") from error


def _shapes(folder: Path) -> Counter[Shape]:
    """How many tensors of which shape a checkpoint has; names differ between versions of transformers."""
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise InvalidRequest(f"{folder} holds no *.safetensors")
    return Counter(shape for file in files for shape in tensors(file).values())
