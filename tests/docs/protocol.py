"""The marked blocks of docs/protocol.md: figures, tables and bytes, all from the code."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from drivers.wire import (
    cobs,
    commanded,
    envelope,
    fields,
    frame,
    handshake,
    keys,
    messages,
    mqtt,
    responder,
    topics,
)
from drivers.wire import station as felt_station
from drivers.wire.fields import Field
from drivers.wire.frame import Packet
from drivers.wire.messages import Message
from tests.docs import asyncapi, conversation, duties, rounds, staged
from tests.docs.conversation import Said
from tests.docs.examples import EXAMPLES, FACES, explained, packet_with, travelling
from tests.docs.session import (
    DEVICE_NONCE,
    FELT_NONCE,
    FIRMWARE_TEXT,
    IDENTITY,
    KEY,
    KEYS,
)

#: Bytes of hex on one line.
PER_LINE = 28
GROUPS = ("", "shuffler", "shoe", "panel", "acceptor", "terminal", "sign", "other")
TITLES = {
    "": "Every device",
    "shuffler": "Shuffler",
    "shoe": "Shoe",
    "panel": "Panel",
    "acceptor": "Acceptors, and terminals where it says so",
    "terminal": "Terminals",
    "sign": "Sign",
    "other": "Devices of other kinds",
}


def blocks() -> dict[str, str]:
    return {
        "stuffing": _stuffing(),
        "hello": _table(fields.fields_of(handshake.Hello)),
        "identity": _table(fields.fields_of(handshake.Identity)),
        "result": _table(fields.fields_of(handshake.Result)),
        "keys": _keys(),
        "faces": _faces(),
        "limits": _limits(),
        "timings": _timings(),
        "conversation": _spoken(conversation.worked()),
        "bus": _spoken(conversation.on_a_bus()),
        "catalogue": _catalogue(),
        "messages": "\n\n".join(_messages()),
        "flood": _flood(),
        "mqtt": _published(conversation.over_mqtt()),
        "schema": f"```json\n{_schema()}\n```",
        "duties": duties.table(""),
        **{f"{kind} duties": duties.table(kind) for kind in rounds.NAMES},
        **{
            f"{kind} round": f"{rounds.drawn(kind)}\n\n{staged.drawn(kind)}"
            for kind in rounds.NAMES
        },
        "terminal choices": duties.terminal_choices(),
        "works": duties.works(),
    }


def hexed(data: bytes) -> str:
    return data.hex(" ")


def _lines(data: bytes, first: str, rest: str) -> Iterator[str]:
    for at in range(0, len(data), PER_LINE):
        yield f"{rest if at else first}{hexed(data[at : at + PER_LINE])}"


# --- The layers below ---------------------------------------------------------


def _stuffing() -> str:
    blocks_ = (b"", b"\0", b"\0\0", bytes.fromhex("11 22 00 33"), bytes.fromhex("11 00 00 22 00"))
    rows = [f"| {hexed(one) or '(nothing)'} | {hexed(cobs.encode(one))} |" for one in blocks_]
    return "\n".join(("| block | stuffed |", "| --- | --- |", *rows))


def _keys() -> str:
    payload = handshake.identity_to_bytes(IDENTITY, KEY, FELT_NONCE)
    body, proof = payload[: -keys.PROOF_BYTES], payload[-keys.PROOF_BYTES :]
    rows = {
        "key": KEY,
        "felt's nonce": FELT_NONCE,
        "device's nonce": DEVICE_NONCE,
        f"firmware: SHA-256 of `{FIRMWARE_TEXT}`": IDENTITY.firmware,
        "identity, without its proof": body,
        "proof": proof,
        "tag key": KEYS.tag,
        "faces key": KEYS.faces,
    }
    return "\n".join(
        (
            "| | hex |",
            "| --- | --- |",
            *(f"| {name} | `{value.hex()}` |" for name, value in rows.items()),
        )
    )


def _faces() -> str:
    seq = messages.Dispensed.code
    covered = KEYS.cover(FACES, seq)
    stream = bytes(a ^ b for a, b in zip(FACES, covered, strict=True))
    rows = {"faces": FACES, "stream": stream, "covered": covered}
    return "\n".join(
        (
            f"| in event {seq} of the example session | |",
            "| --- | --- |",
            *(f"| {name} | `{hexed(value)}` |" for name, value in rows.items()),
        )
    )


def _limits() -> str:
    rows = (
        ("frame, its zero included", f"{frame.MAX_FRAME} bytes"),
        ("payload", f"{frame.MAX_PAYLOAD} bytes"),
        ("text", f"{fields.MAX_TEXT_BYTES} bytes of UTF-8"),
        ("`u8s`, `covered`", f"{fields.MAX_LIST} numbers"),
        ("`u32s`", f"{fields.MAX_LONGS} numbers"),
        ("JSON over MQTT", f"{envelope.MAX_JSON} bytes"),
        ("events that a device keeps", f"{responder.MAX_EVENTS}"),
        ("results that a device keeps, by the command's id", f"{responder.MAX_REMEMBERED}"),
        (
            "requests whose time of arrival a device keeps (MQTT only)",
            f"{responder.MAX_RECEIVED}",
        ),
        ("requests that wait for an answer", "1 a device"),
        ("commands that felt holds for a device", f"{commanded.MAX_WAITING}"),
    )
    return "\n".join(("| what | at most |", "| --- | --- |", *(f"| {a} | {b} |" for a, b in rows)))


def _timings() -> str:
    timing = felt_station.Timing()
    rows = (
        ("felt waits for an answer, at first", _ms(timing.answer)),
        ("... and later, four times as long as answers take", "..."),
        ("... but at least", _ms(timing.answer_least)),
        ("... and at most", _ms(timing.answer_most)),
        ("a request is sent, all tries together", f"{felt_station.MAX_TRIES} times"),
        ("felt polls when it has heard nothing for", _ms(timing.poll)),
        ("between two hellos, growing, at most", _ms(timing.hello_most)),
        ("a device repeats an event that is not acknowledged after", _ms(_repeat_after())),
    )
    return "\n".join(("| what | how long |", "| --- | --- |", *(f"| {a} | {b} |" for a, b in rows)))


def _repeat_after() -> float:
    return conversation.Scene().device.repeat_after


def _ms(seconds: float) -> str:
    return f"{round(seconds * 1000)} ms"


# --- Conversations ------------------------------------------------------------


def _spoken(said: Iterable[Said]) -> str:
    lines: list[str] = []
    for number, one in enumerate(said, 1):
        if one.why:
            lines += ["", f"# {one.why}"]
        lost = "" if one.arrives else "  (lost)"
        lines += _lines(frame.to_bytes(one.packet), f"{one.by:7} ", " " * 8)
        lines.append(f"{'':8}= {number}: {_taken_apart(one.packet)}{lost}")
    return "\n".join(("```text", *lines[1:], "```"))


def _taken_apart(packet: Packet) -> str:
    parts = [
        packet.kind.name,
        f"address {packet.address}",
        f"session {packet.session}",
        f"seq {packet.seq}",
        f"payload {packet.payload.hex() or 'none'}",
    ]
    if packet.tag:
        parts.append(f"tag {packet.tag.hex()}")
    parts.append(f"check {frame.check(packet.signed_part + packet.tag):04x}")
    return ", ".join(parts)


def _published(said: Iterable[Said]) -> str:
    lines: list[str] = []
    for one in said:
        if one.why:
            lines += ["", f"# {one.why}"]
        lines.append(f"felt/table-4/acceptor-3/{topics.PLACE[one.packet.kind]}")
        lines.append(f"    {spaced(json.loads(envelope.to_json(one.packet)))}")
    return "\n".join(("```text", *lines[1:], "```"))


def _flood() -> str:
    return (
        f"As much as it is asked, {mqtt.PER_PACKET} publishes for each packet from felt, and "
        f"beyond that {mqtt.UNASKED_PER_S:.0f} a second, or {mqtt.MAX_UNASKED} at once after a "
        f"while of silence. What is more is dropped. After {mqtt.MAX_DROPPED} dropped in a row "
        f"felt does not listen to the device for {mqtt.FIRST_MUTE_S:.0f} s, and twice as long each "
        f"time, up to {mqtt.LONGEST_MUTE_S:.0f} s. To felt it is lost meanwhile."
    )


def spaced(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# --- The catalogue ------------------------------------------------------------


def _catalogue() -> str:
    rows = [
        f"| 0x{code:02X} | [`{messages.name(kind)}`](#{_anchor(kind)}) "
        f"| {_direction(kind)} | {_who(kind)} |"
        for code, kind in sorted(messages.CATALOGUE.items())
    ]
    return "\n".join(("| code | message | | device |", "| --- | --- | --- | --- |", *rows))


def _messages() -> Iterator[str]:
    for group in GROUPS:
        yield f"### {TITLES[group]}"
        for example in EXAMPLES:
            if (example.devices[0] if example.devices else "") == group:
                yield _message(example)


def _heading(kind: type[Message]) -> str:
    return f"0x{kind.code:02X} `{messages.name(kind)}`"


def _anchor(kind: type[Message]) -> str:
    return f"0x{kind.code:02x}-{messages.name(kind)}"


def _direction(kind: type[Message]) -> str:
    return "command" if issubclass(kind, messages.Command) else "event"


def _who(kind: type[Message]) -> str:
    return ", ".join(kind.devices) or "every"


def _message(example: Message) -> str:
    kind = type(example)
    once = issubclass(kind, messages.Command) and not kind.repeatable
    facts = [_direction(kind).capitalize(), f"device: {_who(kind)}"]
    facts += ["never repeated after a restart"] if once else []
    written = packet_with(example)
    parts = [
        f"#### {_heading(kind)}",
        f"{'; '.join(facts)}.",
        explained(kind),
        _table(kind.fields, example),
        "```text\n"
        + "\n".join(
            (
                spaced(msgspec.to_builtins(travelling(example), str_keys=True)),
                *_lines(frame.to_bytes(written), "", ""),
            )
        )
        + "\n```",
    ]
    return "\n\n".join(part for part in parts if part)


def _table(fields_: tuple[Field, ...], example: Message | None = None) -> str:
    if not fields_:
        return ""
    head = "| field | type |" + (" in the example |" if example else "")
    rows = [head, "| --- | --- |" + (" --- |" if example else "")]
    defaults = _defaults(example)
    for field in fields_:
        left_out = (
            f"; JSON may leave out `{defaults[field.name]}`" if field.name in defaults else ""
        )
        row = f"| `{field.name}` | {_type(field)}{left_out} |"
        if example is not None:
            value = getattr(example, field.name)
            shown = f"`{hexed(value)}`" if isinstance(value, bytes) else f"`{spaced(value)}`"
            row += f" {shown} |"
        rows.append(row)
    return "\n".join(rows)


def _defaults(example: Message | None) -> dict[str, str]:
    """What a field is when JSON leaves it out."""
    if example is None:
        return {}
    given = example.__struct_defaults__
    names = example.__struct_fields__[-len(given) :] if given else ()
    return {
        name: spaced("" if value == b"" else value)
        for name, value in zip(names, given, strict=True)
    }


def _type(field: Field) -> str:
    if not field.words:
        return field.type
    return "word: " + ", ".join(f"{number} `{word}`" for number, word in enumerate(field.words))


def _schema() -> str:
    """The schema of the packets, a definition a line; the messages are in asyncapi.yaml."""
    wanted = asyncapi.packet_schemas()
    lines = [f"  {spaced(name)}: {spaced(schema)}" for name, schema in wanted.items()]
    return "{\n" + ",\n".join(lines) + "\n}"
