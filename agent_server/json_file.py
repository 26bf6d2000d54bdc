"""JSON objects in files: the settings that checkpoints and adapters bring."""

from __future__ import annotations

from pathlib import Path

import orjson

from agent_server.errors import InvalidRequest
from agent_server.regular_file import read_regular


def read_object(path: Path) -> dict[str, object]:
    """The object in a file. Raises InvalidRequest where it cannot be read or holds something else."""
    try:
        content = orjson.loads(read_regular(path))
    except orjson.JSONDecodeError as error:
        raise InvalidRequest(f"{path} is not JSON: {error}") from error
    if not isinstance(content, dict):
        raise InvalidRequest(f"{path} is not a JSON object")
    return content
