"""A device log for strangers: the conversation as it was, without what says where and whose.

Serial numbers, ports and notes are left out, and so are the covered faces: nobody can uncover them
without the key, but then nobody needs to try.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from drivers.wire import describe, frame, handshake, messages
from drivers.wire.devicelog import Bytes, Damage, Header, Record, Remark, line_of, read_records
from drivers.wire.frame import Kind, Packet

REDACTED = "(redacted)"
#: Facts of a header that say where it was, and of which device.
_FACTS = ("port", "device", "wire")


def redacted(path: Path, counts: Counter[str]) -> Iterator[str]:
    """The lines of the log; what was left out is counted by its name."""
    for record in read_records(path):
        if isinstance(record, Damage):
            counts["lines that could not be read"] += 1
        else:
            yield line_of(_redacted(record, counts))


def _redacted(record: Record, counts: Counter[str]) -> Record:
    match record:
        case Header(format=format_, facts=facts):
            counts["facts of headers"] += sum(key in _FACTS for key, _ in facts)
            kept = ((key, REDACTED if key in _FACTS else value) for key, value in facts)
            return Header(format_, tuple(kept))
        case Remark(at_us, "port", text):
            counts["ports"] += 1
            return Remark(at_us, "port", f"{text.partition(' ')[0]} {REDACTED}")
        case Remark(at_us, ("note" | "device") as word, _):
            counts[f"{word}s"] += 1
            return Remark(at_us, word, REDACTED)
        case Bytes(data=data, direction="in", channel=""):
            packet = frame.from_bytes(data[:-1]) if data.endswith(b"\0") else None
            changed = _without(packet, counts) if packet is not None else None
            if changed is not None:
                return record._replace(
                    data=frame.to_bytes(changed), comment=describe.packet(changed)
                )
    return record


def _without(packet: Packet, counts: Counter[str]) -> Packet | None:
    if packet.kind is Kind.EVENT:
        message = messages.from_bytes(packet.payload)
        if isinstance(message, messages.Dispensed) and message.faces:
            counts["covered faces"] += 1
            bare = replace(message, faces=bytes(len(message.faces)))
            return packet._replace(payload=messages.to_bytes(bare))
    if packet.kind is Kind.IDENTITY and (read := handshake.identity_from_bytes(packet.payload)):
        identity, written, proof = read
        number = identity.serial_number.encode()
        if number and number in written:
            counts["serial numbers"] += 1
            hidden = written.replace(number, b"x" * len(number))
            return packet._replace(payload=hidden + proof)
    return None
