"""docs/asyncapi.yaml: in the form that AsyncAPI 3.0 has, and true of what is published."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import fastjsonschema
import pytest
import yaml

from controller.journal.notes import note_of
from drivers.wire import envelope, messages
from drivers.wire.frame import Kind
from drivers.wire.topics import PLACE, Presence, presence_to_json
from tests.docs import asyncapi, page_reader
from tests.docs.pages import ASYNCAPI

DOCUMENT: dict[str, Any] = yaml.safe_load(ASYNCAPI.read_text(encoding="utf-8"))
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]


def validator(name: str) -> Callable[[Any], Any]:
    """For one schema; the others are beside it."""
    whole = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$ref": f"#/components/schemas/{name}",
        "components": {"schemas": SCHEMAS},
    }
    made: Callable[[Any], Any] = fastjsonschema.compile(whole)
    return made


VALIDATORS = {kind.name.lower(): validator(kind.name.lower()) for kind in Kind}


def packets() -> Iterator[dict[str, Any]]:
    yield from asyncapi.every_example()
    yield from (packet for _, packet in page_reader.published())
    yield {"kind": "identity", "session": 0}


def everything(value: Any) -> Iterator[Any]:
    yield value
    inner: Any = value.values() if isinstance(value, dict) else ()
    for one in value if isinstance(value, list) else inner:
        yield from everything(one)


# --- Its form -----------------------------------------------------------------


def test_every_reference_leads_somewhere() -> None:
    references = [
        one["$ref"] for one in everything(DOCUMENT) if isinstance(one, dict) and "$ref" in one
    ]
    assert len(references) > 100
    for reference in references:
        found: Any = DOCUMENT
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
        assert isinstance(found, dict)


def test_channels_name_their_parameters_and_operations_their_channels() -> None:
    assert DOCUMENT["asyncapi"] == "3.0.0"
    assert set(DOCUMENT["info"]) >= {"title", "version"}
    for channel in DOCUMENT["channels"].values():
        assert set(re.findall(r"\{(\w+)\}", channel["address"])) == set(channel["parameters"])
        assert channel["messages"]
    for operation in DOCUMENT["operations"].values():
        assert operation["action"] in ("send", "receive")
        # A message of an operation is one of its channel.
        channel = operation["channel"]["$ref"]
        assert all(one["$ref"].startswith(f"{channel}/") for one in operation["messages"])


def test_names_are_such_as_the_specification_allows() -> None:
    for part in DOCUMENT["components"].values():
        assert all(re.fullmatch(r"[A-Za-z0-9._-]+", name) for name in part)


def test_patterns_are_those_of_every_language() -> None:
    patterns = [
        one["pattern"] for one in everything(SCHEMAS) if isinstance(one, dict) and "pattern" in one
    ]
    assert patterns
    assert not [one for one in patterns if "\\" in one]


# --- Its truth ----------------------------------------------------------------


def test_every_message_and_every_place_is_there() -> None:
    assert set(messages.BY_NAME) <= set(SCHEMAS)
    said = {
        name: channel for channel, one in DOCUMENT["channels"].items() for name in one["messages"]
    }
    for kind, place in PLACE.items():
        assert said[kind.name.lower()] == place


@pytest.mark.parametrize("packet", list(packets()), ids=lambda one: f"{one['kind']}")
def test_what_is_published_is_as_the_schema_says(packet: dict[str, Any]) -> None:
    VALIDATORS[packet["kind"]](packet)
    assert envelope.from_json(json.dumps(packet).encode()) is not None


def test_the_examples_in_it_are_valid() -> None:
    for name, message in DOCUMENT["components"]["messages"].items():
        assert message["examples"]
        for example in message["examples"]:
            if "$ref" in message["payload"]:
                validator(name)(example["payload"])
            else:
                # The one that is no JSON: a signed head.
                assert note_of(example["payload"]).size == 48213


def test_a_state_is_as_the_schema_says() -> None:
    check = validator("state")
    for state in ("init", "ready", "disconnected", "lost"):
        check(json.loads(presence_to_json(Presence(state, 7, 1))))
    with pytest.raises(fastjsonschema.JsonSchemaException):
        check({"state": "asleep", "boot": 7, "connection": 1})


def texts() -> Iterator[tuple[dict[str, Any], tuple[str, ...], int]]:
    """Every text in an example: the packet, where in it, and how many bytes it may have."""
    for packet in packets():
        for part, name in (("", packet["kind"]), ("message", ""), ("identity", "proven_identity")):
            said = packet.get(part) if part else packet
            if said is None or (part and not isinstance(said, dict)):
                continue
            schema = SCHEMAS[name or said["message"]]
            for key, of in schema["properties"].items():
                coded = "pattern" in of or "contentEncoding" in of
                if key in said and "maxLength" in of and not coded:
                    found = re.fullmatch(r"At most (\d+) bytes of UTF-8\.", of["description"])
                    assert found, (name, key)
                    assert int(found[1]) == of["maxLength"]
                    yield packet, (part, key) if part else (key,), of["maxLength"]


def test_texts_are_counted_in_bytes_as_the_descriptions_say() -> None:
    tried = 0
    for packet, where, most in texts():
        for text, fits in (("e" * most, True), ("é" * (most // 2), True), ("é" * most, False)):
            changed: dict[str, Any] = copy.deepcopy(packet)
            inner = changed
            for part in where[:-1]:
                inner = inner[part]
            inner[where[-1]] = text
            # A schema counts characters: it is never stricter than felt.
            VALIDATORS[packet["kind"]](changed)
            read = envelope.from_json(json.dumps(changed).encode())
            assert (read is not None) == fits, (where, text)
            tried += 1
    assert tried > 30


@pytest.mark.parametrize("packet", list(packets()), ids=lambda one: f"{one['kind']}")
def test_schema_and_felt_refuse_the_same(packet: dict[str, Any]) -> None:
    """A packet with one property wrong, left out or added is none to either of them."""
    wrong = [{**packet, "more": 1}, {**packet, "session": 256}, {**packet, "session": "1"}]
    wrong += [{key: packet[key] for key in packet if key != "session"}]
    if "tag" in packet:
        wrong += [{**packet, "tag": packet["tag"].upper() + "0"}, {**packet, "seq": -1}]
    if "message" in packet:
        said = packet["message"]
        wrong += [{**packet, "payload": "ff"}, {**packet, "message": {**said, "more": 1}}]
        wrong += [{**packet, "message": {**said, "message": "sing"}}]
        wrong += [{**packet, "message": {**said, key: [-1, "?"]}} for key in said]
    for one in wrong:
        with pytest.raises(fastjsonschema.JsonSchemaException):
            VALIDATORS[packet["kind"]](one)
        assert envelope.from_json(json.dumps(one).encode()) is None, one
