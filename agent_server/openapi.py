"""The machine-readable description of the HTTP interface, with examples that a test sends."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from agent_server.schemas import ActRequest, GroundRequest, JudgeRequest, Problem

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC"
"""The smallest screenshot: one white pixel."""

EXAMPLE: dict[str, object] = {
    "goal": "Turn on Wi-Fi",
    "screenshot": PIXEL,
    "history": [
        {
            "step": 0,
            "thought": "The settings are where Wi-Fi is.",
            "summary": "Opened the settings",
            "action": {"type": "open_app", "app": "Settings"},
            "raw": "OpenApp(app='Settings')",
        }
    ],
    "session": "wifi_on-7-r0k0",
    "sampling": {"temperature": 0.7, "seed": 42},
}

GROUND_EXAMPLE: dict[str, object] = {
    "element": "the switch beside Wi-Fi",
    "screenshot": PIXEL,
    "sampling": {"temperature": 0.7, "n": 3, "seed": 42},
}

JUDGE_EXAMPLE: dict[str, object] = {
    "goal": "Turn on Wi-Fi",
    "steps": [
        {"thought": "The settings are where Wi-Fi is.", "action": {"type": "open_app", "app": "Settings"}},
        {"summary": "Turned the switch", "action": {"type": "click", "point": [0, 0]}},
    ],
    "frames": {"0": PIXEL, "2": PIXEL},
    "criteria": "The switch beside Wi-Fi is on.",
    "sampling": {"n": 3, "temperature": 0.7, "seed": 42},
}

_PROBLEMS = {
    "401": "No valid token",
    "404": "Unknown model; the detail lists the known ones",
    "408": "The body did not come to its end in time",
    "409": "History turns name screenshots that are not held here; `errors` says which: send the images",
    "413": "Body or image too large",
    "415": "Neither JSON nor multipart, or not a still PNG, JPEG or WebP",
    "422": "The request does not make sense; `errors` says where",
    "429": "As many requests are being answered as may be; `Retry-After` says when to come again",
    "500": "The server failed",
    "502": "The model server answered wrongly",
    "503": "The model server cannot be reached or took too long",
}

_PROBLEM_SCHEMA = {"$ref": "#/components/schemas/Problem"}

PROBLEM_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": text, "content": {"application/problem+json": {"schema": _PROBLEM_SCHEMA}}}
    for status, text in _PROBLEMS.items()
}


def _body(schema: str, example: tuple[str, dict[str, object]], files: tuple[str, ...], needed: str) -> dict[str, Any]:
    """A request in both forms; `files` are file parts of the multipart one, of which `needed` must be there."""
    asked = {"$ref": f"#/components/schemas/{schema}"}
    parts = {name: {"type": "string", "format": "binary"} for name in files}
    image = {"contentType": "image/png, image/jpeg, image/webp"}
    name, value = example
    return {
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": asked, "examples": {name: {"value": value}}},
                "multipart/form-data": {
                    "schema": {
                        "type": "object",
                        "required": ["request", needed],
                        "properties": {"request": asked, **parts},
                    },
                    "encoding": {"request": {"contentType": "application/json"}, needed: image},
                },
            },
        }
    }


ACT_BODY = _body("ActRequest", ("one step done", EXAMPLE), ("screenshot", "history[0].screenshot"), "screenshot")
GROUND_BODY = _body("GroundRequest", ("one element", GROUND_EXAMPLE), ("screenshot",), "screenshot")
JUDGE_BODY = _body("JudgeRequest", ("two steps", JUDGE_EXAMPLE), ("frame[0]", "frame[2]"), "frame[0]")


def describe(app: FastAPI) -> dict[str, Any]:
    """The app's OpenAPI document, with the schemas that are read by hand."""
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for model in (ActRequest, GroundRequest, JudgeRequest, Problem):
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(schema.pop("$defs", {}))
        schemas[model.__name__] = schema
    return document
