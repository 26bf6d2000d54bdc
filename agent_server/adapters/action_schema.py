"""The action space as JSON schemas for models: one tool each, or one object; generated from `agent_server.actions`.

Everything is strict, as OpenAI defines it and vLLM honours it: objects name all their fields as required and admit no
others; what may be left out may be null. Points count in thousandths of the screen.
"""

from __future__ import annotations

from typing import Any

from agent_server.actions import ACTION_TYPES

Schema = dict[str, Any]

UNITS = 1000
"""To what coordinates count over width and height."""
_POINT: Schema = {
    "type": "array",
    "description": f"[x, y], whole numbers from 0 to {UNITS} over the width and the height of the screenshot",
    "items": {"type": "integer", "minimum": 0, "maximum": UNITS},
    "minItems": 2,
    "maxItems": 2,
}
_THOUGHT: Schema = {"type": "string", "description": "What you see and why this comes next, in a few sentences."}


def _field(schema: Schema) -> Schema:
    """The schema of one field of an action, without what only pydantic needs; points in the model's units."""
    if "$ref" in schema:
        return _POINT
    if "anyOf" in schema:
        return {"anyOf": [_field(choice) for choice in schema["anyOf"]]}
    return {key: value for key, value in schema.items() if key not in ("title", "default")}


def _fields(kind: str) -> dict[str, Schema]:
    """The fields of one kind of action by name, the tag left out."""
    properties = ACTION_TYPES[kind].model_json_schema()["properties"]
    return {name: _field(schema) for name, schema in properties.items() if name != "type"}


def _object(fields: dict[str, Schema], **more: object) -> Schema:
    """An object of these fields and no others. Strict servers want every field required, null or not."""
    return {"type": "object", **more, "properties": fields, "required": list(fields), "additionalProperties": False}


def _function(kind: str) -> Schema:
    """One tool."""
    parameters = _object({"thought": _THOUGHT, **_fields(kind)})
    about = {"name": kind, "description": ACTION_TYPES[kind].__doc__, "strict": True, "parameters": parameters}
    return {"type": "function", "function": about}


def _variant(kind: str) -> Schema:
    """One action as an object."""
    fields = {"type": {"type": "string", "enum": [kind]}, **_fields(kind)}
    return _object(fields, description=ACTION_TYPES[kind].__doc__)


TOOLS: list[Schema] = [_function(kind) for kind in ACTION_TYPES]
"""One function for every kind of action."""
REPLY: Schema = _object({"thought": _THOUGHT, "action": {"anyOf": [_variant(kind) for kind in ACTION_TYPES]}})
"""Thought and action in one object."""
