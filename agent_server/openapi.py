"""The machine-readable description of the HTTP interface, with examples that a test sends."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from agent_server.schemas import ActRequest, Problem

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

ACT_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/ActRequest"},
                "examples": {"one step done": {"value": EXAMPLE}},
            },
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["request", "screenshot"],
                    "properties": {
                        "request": {"$ref": "#/components/schemas/ActRequest"},
                        "screenshot": {"type": "string", "format": "binary"},
                        "history[0].screenshot": {"type": "string", "format": "binary"},
                    },
                },
                "encoding": {
                    "request": {"contentType": "application/json"},
                    "screenshot": {"contentType": "image/png, image/jpeg, image/webp"},
                },
            },
        },
    }
}


def describe(app: FastAPI) -> dict[str, Any]:
    """The app's OpenAPI document, with the schemas that `/act` reads by hand."""
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for model in (ActRequest, Problem):
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(schema.pop("$defs", {}))
        schemas[model.__name__] = schema
    return document
