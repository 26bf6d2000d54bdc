"""What the folder of a checkpoint says of itself in `config.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agent_server.errors import InvalidRequest
from agent_server.json_file import read_object


@dataclass(frozen=True)
class Checkpoint:
    """The facts that flags depend on; None where nobody says."""

    positions: int | None = None
    """Longest context, in tokens."""
    heads: int | None = None
    """Attention heads of the language model."""


def read_checkpoint(model: str) -> Checkpoint:
    """Of the folder `model`; of a name in a model hub nothing is known here.

    Raises InvalidRequest for a path without a folder, and for a folder that holds no readable `config.json`.
    """
    folder = Path(model)
    if not folder.is_dir():
        if model.startswith(("/", ".", "~")):
            raise InvalidRequest(f"there is no folder {model}")
        return Checkpoint()
    content = read_object(folder / "config.json")
    return Checkpoint(_number(content, "max_position_embeddings"), _number(content, "num_attention_heads"))


def _number(config: Mapping[str, object], name: str) -> int | None:
    """Newer configurations keep the language model's own in `text_config`."""
    text = config.get("text_config")
    for part in (text if isinstance(text, dict) else {}, config):
        value = part.get(name)
        if isinstance(value, int) and value > 0:
            return value
    return None
