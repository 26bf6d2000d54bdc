"""Where templates come from that a folder holds: the note that `agent-server prompts fetch` writes beside them.

A template counts as the vendor's only as long as it is what was fetched: its digest stands in the note.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from agent_server.errors import InvalidRequest
from agent_server.regular_file import read_regular

SHIPPED_ORIGIN = "shipped"
CUSTOM_ORIGIN = "custom"
FILE = "ORIGIN.json"


class Origin(BaseModel):
    """The content of `ORIGIN.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    version: str
    source: str
    licence: str
    files: dict[str, str]
    """What was fetched: path in the source to sha256."""
    templates: dict[str, str]
    """What was made of it: name of the template, without `.jinja`, to the sha256 of its text."""
    differences: list[str]
    """In what these templates are not what the vendor's program sends."""

    @property
    def label(self) -> str:
        """What model cards and reports say."""
        return f"vendor: {self.name} {self.version}"


def text_digest(text: str) -> str:
    """The sha256 of a template's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def origins_of(folder: Path, templates: Mapping[str, str]) -> dict[str, str]:
    """By name, where each of the templates of a folder comes from. Raises InvalidRequest for a note that is damaged."""
    path = folder / FILE
    if not path.exists():
        return dict.fromkeys(templates, CUSTOM_ORIGIN)
    try:
        origin = Origin.model_validate_json(read_regular(path))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        at = ".".join(map(str, first["loc"])) or "the file"
        raise InvalidRequest(
            f"{path} is damaged ({at}: {first['msg']}); fetch the prompts again or remove it"
        ) from None
    return {
        name: origin.label if origin.templates.get(name) == text_digest(text) else CUSTOM_ORIGIN
        for name, text in templates.items()
    }
