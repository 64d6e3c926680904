"""What the console serves to programs, as OpenAPI 3.1. The shapes are those that it checks by."""

from __future__ import annotations

from typing import Any

import msgspec

from controller import __version__
from controller.console.messages import HttpSignOff, HttpSignOn, HttpTake

_REFUSED = {"$ref": "#/components/responses/Refused"}
_ORIGIN = {"$ref": "#/components/parameters/Origin"}
_TABLE = {"$ref": "#/components/parameters/Table"}
_SESSION = {"$ref": "#/components/schemas/Session"}
_OBJECT: dict[str, Any] = {"type": "object"}
_TEXT: dict[str, Any] = {"type": "string"}


def described() -> dict[str, Any]:
    bodies = (HttpSignOn, HttpSignOff, HttpTake)
    _, schemas = msgspec.json.schema_components(bodies, ref_template="#/components/schemas/{name}")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "felt console",
            "version": __version__,
            "description": "The pages of a card table, for programs. Live changes come over the "
            "WebSocket /live; docs/console.md describes its messages.",
        },
        "paths": _paths(),
        "components": {
            "schemas": {**schemas, **_shapes()},
            "parameters": {
                "Table": {
                    "name": "table",
                    "in": "path",
                    "required": True,
                    "schema": {**_TEXT, "minLength": 1, "maxLength": 64},
                },
                "Origin": {
                    "name": "Origin",
                    "in": "header",
                    "required": True,
                    "description": "The console's own address: acts come from its pages only.",
                    "schema": _TEXT,
                },
            },
            "responses": {
                "Refused": {
                    "description": "Not done, and why.",
                    "content": _json({"$ref": "#/components/schemas/Refused"}),
                }
            },
        },
    }


def _paths() -> dict[str, Any]:
    signed = _of({"ok": {"const": True}, "session": _SESSION})
    picture = _of({"table": _TEXT, "age_ms": {"type": "integer"}, "picture": _OBJECT})
    tables = {"tables": {"type": "array", "items": _OBJECT}, "version": _TEXT, "build": _TEXT}
    health = {"ok": {"type": "boolean"}, "heard_ms": _OBJECT, "lost": {"type": "array"}}
    return {
        "/health": {"get": _get("Whether the console hears its tables.", _of(health), also=503)},
        "/api/tables": {"get": _get("The tables of this console.", _of(tables))},
        "/api/tables/{table}/picture": {
            "get": {**_get("How a table stands.", picture), "parameters": [_TABLE]}
        },
        "/api/school": {"get": _get("Drills, the one that runs, and its report.", _OBJECT)},
        "/api/session": {"get": _get("Who is signed on.", _of({"session": _SESSION}))},
        "/api/openapi.json": {"get": _get("This description.", _OBJECT)},
        "/api/sign-on": {"post": _post("Sign on at tables, on record.", HttpSignOn, signed)},
        "/api/sign-off": {"post": _post("Sign off, or lock the screen.", HttpSignOff, signed)},
        "/api/tables/{table}/take": {
            "post": {
                **_post(
                    "Take an offer, as whoever is signed on.",
                    HttpTake,
                    _of({"ok": {"const": True}, "result": _OBJECT}),
                ),
                "parameters": [_TABLE, _ORIGIN],
            }
        },
    }


def _shapes() -> dict[str, Any]:
    return {
        "Session": {
            "oneOf": [
                {"type": "null"},
                _of(
                    {
                        "person": _TEXT,
                        "role": _TEXT,
                        "until_s": {"type": "integer"},
                        "tables": {"type": "array", "items": _TEXT},
                    }
                ),
            ]
        },
        "Refused": _of({"ok": {"const": False}, "code": _TEXT, "error": _TEXT}),
    }


def _of(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _get(summary: str, schema: dict[str, Any], also: int | None = None) -> dict[str, Any]:
    found = {"description": summary, "content": _json(schema)}
    responses: dict[str, Any] = {"200": found, "default": _REFUSED}
    if also is not None:
        responses[str(also)] = found
    return {"summary": summary, "responses": responses}


def _post(summary: str, body: type[msgspec.Struct], schema: dict[str, Any]) -> dict[str, Any]:
    reference = {"$ref": f"#/components/schemas/{body.__name__}"}
    return {
        "summary": summary,
        "parameters": [_ORIGIN],
        "requestBody": {"required": True, "content": _json(reference)},
        "responses": {
            "200": {"description": summary, "content": _json(schema)},
            "default": _REFUSED,
        },
    }
