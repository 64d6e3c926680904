"""Reads docs/protocol.md as a person would: its tables, its examples and its conversations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.docs.blocks import between
from tests.docs.independent import Field
from tests.docs.pages import PROTOCOL


class Example(NamedTuple):
    """One message of the catalogue."""

    code: int
    name: str
    is_command: bool
    fields: list[Field]
    #: By field; of covered faces, the open ones.
    values: dict[str, Any]
    #: As it is over MQTT.
    object: dict[str, Any]
    frame: bytes


class Spoken(NamedTuple):
    by: str
    frame: bytes
    #: What the line below it says is in it.
    said: str


def page() -> str:
    return PROTOCOL.read_text(encoding="utf-8")


def block(name: str) -> str:
    return between(page(), name)


def rows(text: str) -> list[list[str]]:
    """The cells of a table, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def hexed(name: str) -> dict[str, bytes]:
    """A table of names and bytes."""
    return {row[0]: bytes.fromhex(row[1].strip("`")) for row in rows(block(name))}


def fields_in(text: str) -> list[Field]:
    found = []
    for name, type_, *_ in rows(text):
        words = {int(number): word for number, word in re.findall(r"(\d+) `([^`]+)`", type_)}
        found.append(Field(name.strip("`"), re.split("[:;]", type_)[0], words))
    return found


def examples() -> Iterator[Example]:
    for section in re.split(r"^#### ", block("messages"), flags=re.MULTILINE)[1:]:
        heading = re.match(r"0x([0-9A-F]{2}) `(\w+)`\n\n(Command|Event);", section)
        if heading is None:
            raise ValueError(f"this is no message: {section[:60]!r}")
        table, _, code_block = section.partition("```text\n")
        fields = fields_in(table)
        values = {
            field.name: _value(field, row[2].strip("`"))
            for field, row in zip(fields, rows(table), strict=True)
        }
        object_, *frame = code_block.partition("\n```")[0].splitlines()
        yield Example(
            int(heading[1], 16),
            heading[2],
            heading[3] == "Command",
            fields,
            values,
            json.loads(object_),
            bytes.fromhex("".join(frame)),
        )


def _value(field: Field, shown: str) -> Any:
    return bytes.fromhex(shown) if field.type == "covered" else json.loads(shown)


def conversation(name: str) -> Iterator[Spoken]:
    by, taken = "", ""
    for line in block(name).splitlines():
        if found := re.fullmatch(r"(felt|device)? +([0-9a-f ]+)", line):
            by, taken = found[1] or by, taken + found[2]
        elif found := re.fullmatch(r" +=( \d+:)? (.*)", line):
            yield Spoken(by, bytes.fromhex(taken), found[2])
            taken = ""


def published() -> Iterator[tuple[str, dict[str, Any]]]:
    """Topics, and what was published to them."""
    lines = [line for line in block("mqtt").splitlines() if line.startswith(("felt/", " "))]
    for topic, payload in zip(lines[::2], lines[1::2], strict=True):
        yield topic, json.loads(payload)
