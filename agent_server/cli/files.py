"""Files that commands read and write; every failure is an InvalidRequest that names the file."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from agent_server.errors import InvalidRequest
from agent_server.tokens import read_tokens
from agent_server.wrong_field import explained

_Value = TypeVar("_Value")


def read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidRequest(f"cannot read {path}: {error.strerror}") from error


def write_file(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InvalidRequest(f"cannot write {path}: {error.strerror}") from error


def read_token(path: Path | None) -> str | None:
    """The first token of a file; None without a file."""
    if path is None:
        return None
    read_file(path)
    tokens = read_tokens(path)
    if not tokens:
        raise InvalidRequest(f"the token file {path} holds no token")
    return tokens[0].decode()


def parsed(kind: type[_Value], text: str | bytes, name: str) -> _Value:
    """JSON as a value of a type; `name` is the file or flag that it came from."""
    try:
        return TypeAdapter(kind).validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidRequest(f"{name}: {where + ': ' if where else ''}{explained(first)}") from error
