"""docs/asyncapi.yaml: the topics and what is published there, from the code that reads it."""

from __future__ import annotations

import inspect
import json
from typing import Any

import msgspec
import yaml

from controller.daemon.heads import Signer
from controller.journal.entry import Head, Header
from drivers.wire import envelope, messages, topics
from drivers.wire.frame import Deadline, Kind
from drivers.wire.handshake import PROTOCOL
from drivers.wire.topics import FELT, PLACE, ROOT, Presence, What
from tests.docs import conversation
from tests.docs.examples import EXAMPLES, explained, packet_with

NOTICE = "# Written by `make docs` from the code; edits are lost.\n"
_REF = "#/components/schemas/{}"

PACKETS = {
    Kind.HELLO: "felt greets the device; with it a session begins.",
    Kind.COMMAND: "Something to do, once. Answered by a result.",
    Kind.POLL: "Are you there? Answered by idle.",
    Kind.ACK: "felt has the event: the device may forget it.",
    Kind.IDENTITY: "Who the device is, with its proof; without `identity` it asks for a hello.",
    Kind.RESULT: "What became of a command.",
    Kind.IDLE: "The answer to a poll.",
    Kind.EVENT: "Something happened at the device. Repeated until it is acknowledged.",
}
CHANNELS: dict[What, str] = {
    "cmd": "To the device.",
    "info": "Who the device is.",
    "ack": "The device's answers.",
    "event": "What happened at the device.",
    "state": "Whether the device is there. The broker says `lost` in its name.",
}


#: As a table signs it whose key is made of the bytes from 0 to 31.
_NOTE = str(
    Signer(bytes(range(32)), Header("table-4", 1_770_091_506_000_000_000)).note(
        Head(48213, bytes(range(32)))
    )
)


def text() -> str:
    written = yaml.safe_dump(document(), sort_keys=False, allow_unicode=True, width=100)
    return f"{NOTICE}{written}"


def document() -> dict[str, Any]:
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "felt and its devices over MQTT",
            "version": str(PROTOCOL),
            "description": "Proofs, tags and all that is behind it: protocol.md, beside this file.",
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "channels": {what: _channel(what) for what in CHANNELS}
        | {"felt": _felt_itself(), "head": _head()},
        "operations": {what: _operation(what) for what in CHANNELS}
        | {
            "felt": _operated("felt", "send", ["state"], retain=True),
            "head": _operated("head", "send", ["head"], retain=True),
        },
        "components": {
            "parameters": {
                "table": {"description": "The table's name.", "examples": ["table-4"]},
                "device": {
                    "description": f"The device's name at the table; never `{FELT}`.",
                    "examples": ["acceptor-3"],
                },
            },
            "messages": {_name(kind): _message(kind) for kind in Kind}
            | {
                "state": {
                    "summary": "Whether somebody is there.",
                    "payload": {"$ref": _REF.format("state")},
                    "examples": [{"payload": {"state": "ready", "boot": 7, "connection": 1}}],
                },
                "head": {
                    "summary": "The head of the table's journal, as a C2SP checkpoint.",
                    "description": "Signed by the table. journal.md, beside this file, has it.",
                    "contentType": "text/plain; charset=utf-8",
                    "payload": {"type": "string", "maxLength": 4096},
                    "examples": [{"payload": _NOTE}],
                },
            },
            "schemas": packet_schemas() | message_schemas(),
        },
    }


def _name(kind: Kind) -> str:
    return kind.name.lower()


# --- Where --------------------------------------------------------------------


def _said_in(what: What) -> list[str]:
    return [_name(kind) for kind, place in PLACE.items() if place == what] or ["state"]


def _channel(what: What) -> dict[str, Any]:
    return {
        "address": f"{ROOT}/{{table}}/{{device}}/{what}",
        "description": CHANNELS[what],
        "parameters": {
            one: {"$ref": f"#/components/parameters/{one}"} for one in ("table", "device")
        },
        "messages": _references(_said_in(what)),
    }


def _felt_itself() -> dict[str, Any]:
    return {
        "address": f"{ROOT}/{{table}}/{FELT}/state",
        "description": "Whether felt is there.",
        "parameters": {"table": {"$ref": "#/components/parameters/table"}},
        "messages": _references(["state"]),
    }


def _head() -> dict[str, Any]:
    return {
        "address": f"{ROOT}/{{table}}/{FELT}/head",
        "description": "How far the table's journal goes: for a witness elsewhere. No device's.",
        "parameters": {"table": {"$ref": "#/components/parameters/table"}},
        "messages": _references(["head"]),
    }


def _references(names: list[str]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/messages/{name}"} for name in names}


def _operation(what: What) -> dict[str, Any]:
    action = "receive" if what in topics.HEARD else "send"
    return _operated(what, action, _said_in(what), retain=what == "state")


def _operated(channel: str, action: str, names: list[str], *, retain: bool) -> dict[str, Any]:
    """What felt does; a device does the opposite."""
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{channel}"},
        "messages": [{"$ref": f"#/channels/{channel}/messages/{name}"} for name in names],
        "bindings": {"mqtt": {"qos": 1, "retain": retain, "bindingVersion": "0.2.0"}},
    }


# --- What ---------------------------------------------------------------------


def _message(kind: Kind) -> dict[str, Any]:
    return {
        "summary": PACKETS[kind],
        "payload": {"$ref": _REF.format(_name(kind))},
        "examples": [{"payload": one} for one in examples(kind)],
    }


def examples(kind: Kind) -> list[dict[str, Any]]:
    """What the worked example publishes."""
    said = [one.packet for one in conversation.over_mqtt() if one.packet.kind is kind]
    return [json.loads(envelope.to_json(packet)) for packet in said]


def every_example() -> list[dict[str, Any]]:
    """One packet around each message of the catalogue."""
    return [
        json.loads(
            envelope.to_json(
                packet_with(one, Deadline(0, 2000) if isinstance(one, messages.Command) else None)
            )
        )
        for one in EXAMPLES
    ]


def packet_schemas() -> dict[str, Any]:
    """What is around the messages, by the kind of packet; then identity and state."""
    found = _components()
    made = {_name(kind): found[envelope._ENVELOPES[kind].__name__] for kind in Kind}
    for name, base in (("command", "any_command"), ("event", "any_event")):
        packet = made[name]
        packet["properties"]["message"] = {"$ref": _REF.format(base)}
        packet["properties"]["payload"].pop("default")
        packet["properties"]["payload"]["minLength"] = 2
        packet["oneOf"] = [{"required": ["message"]}, {"required": ["payload"]}]
    made["identity"]["properties"]["identity"] = {"$ref": _REF.format("proven_identity")}
    made["proven_identity"] = found[envelope._Proven.__name__]
    made["state"] = found[Presence.__name__]
    return {name: _plain(schema) for name, schema in made.items()}


def message_schemas() -> dict[str, Any]:
    found = _components()
    kinds = sorted(messages.CATALOGUE.values(), key=lambda kind: kind.code)
    made: dict[str, Any] = {}
    for name, base in (("any_command", messages.Command), ("any_event", messages.Event)):
        below = [messages.name(kind) for kind in kinds if issubclass(kind, base)]
        made[name] = {"oneOf": [{"$ref": _REF.format(one)} for one in below]}
    for kind in kinds:
        schema = found[kind.__name__]
        schema["description"] = explained(kind)
        made[messages.name(kind)] = _plain(schema)
    return made


def _components() -> dict[str, Any]:
    kinds = [*envelope._ENVELOPES.values(), Presence]
    return msgspec.json.schema_components(kinds, ref_template=_REF.replace("{}", "{name}"))[1]


def _plain(schema: Any) -> Any:
    """Without Python's names, and with patterns as JSON schema writes them."""
    if isinstance(schema, dict):
        kept = {key: _plain(value) for key, value in schema.items() if key != "title"}
        if isinstance(pattern := kept.get("pattern"), str):
            kept["pattern"] = pattern.replace(r"\A", "^").replace(r"\Z", "$")
        if isinstance(described := kept.get("description"), str):
            kept["description"] = " ".join(inspect.cleandoc(described).replace("``", "`").split())
        return kept
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    return schema
