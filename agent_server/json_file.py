"""JSON objects in files: the settings that checkpoints and adapters bring."""

from __future__ import annotations

from pathlib import Path

import orjson

from agent_server.errors import InvalidRequest


def read_object(path: Path) -> dict[str, object]:
    """The object in a file. Raises InvalidRequest where it cannot be read or holds something else."""
    try:
        content = orjson.loads(path.read_bytes())
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be read here: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise InvalidRequest(f"{path} is not JSON: {error}") from error
    if not isinstance(content, dict):
        raise InvalidRequest(f"{path} is not a JSON object")
    return content
