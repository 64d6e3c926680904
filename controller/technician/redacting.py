"""A device log for strangers: the conversation as it was, without what says where and whose.

Serial numbers, ports, notes and what felt knew of its devices are left out, and so are the covered
faces: nobody can uncover them without the key, but then nobody needs to try. A frame may be split
over several records, as the system read it: they are held until it is whole. What is no frame, or
never became one, may be a part of what is left out elsewhere, so it goes too, as far as it is long
enough for that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from drivers.wire import describe, envelope, frame, handshake, messages
from drivers.wire.describe import Describe
from drivers.wire.devicelog import Bytes, Damage, Header, Record, Remark, lines_of, read_records
from drivers.wire.frame import MAX_FRAME, Kind, Packet

REDACTED = "(redacted)"
#: Facts of a header that say where it was, and of which device.
_FACTS = ("port", "device", "wire")
#: What is no frame is left as it is if it is shorter: noise, and not half of something.
SHORT = 8
#: Stands for a byte that is left out. No zero: where frames end stays as it was.
_BLANK = b"\xff"


def redacted(path: Path, counts: Counter[str]) -> Iterator[str]:
    """The lines of the log; what was left out is counted by its name."""
    return lines_of(_redacted(path, counts))


def _redacted(path: Path, counts: Counter[str]) -> Iterator[Record]:
    log = _Log(counts)
    for record in read_records(path):
        if isinstance(record, Damage):
            counts["lines that could not be read"] += 1
        else:
            yield from log.taken(record)
    yield from log.rest()


class _Log:
    """Records as they come, held back while a frame is not whole."""

    def __init__(self, counts: Counter[str]) -> None:
        self._counts = counts
        self._waiting: list[Record] = []
        #: The bytes of a frame that is not whole yet; they are those of the records that wait.
        self._held = bytearray()
        #: What the waiting records get in place of their bytes.
        self._instead = bytearray()
        self._describe: Describe = describe.frames()

    def taken(self, record: Record) -> Iterator[Record]:
        """The records that can go out now."""
        if isinstance(record, Header) or (isinstance(record, Remark) and record.word == "port"):
            # What was half received before does not go on after it.
            yield from self.rest()
            self._describe = describe.frames()
        self._waiting.append(_without_names(record, self._counts))
        if (heard := _heard(record)) is not None:
            self._heard(heard.data)
        if not self._held or len(self._held) > MAX_FRAME:
            yield from self.rest()

    def rest(self) -> Iterator[Record]:
        """All that waits; half a frame is none."""
        self._instead += self._blanked(bytes(self._held))
        self._held.clear()
        instead, self._instead = bytes(self._instead), bytearray()
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            heard = _heard(one)
            if heard is None:
                yield one
                continue
            length = len(heard.data)
            data, instead = instead[:length], instead[length:]
            comment = self._describe("in", data)
            yield heard._replace(data=data, comment=comment if heard.comment else "")

    def _heard(self, data: bytes) -> None:
        self._held += data
        while (end := self._held.find(0)) >= 0:
            coded = bytes(self._held[:end])
            del self._held[: end + 1]
            packet = frame.from_bytes(coded)
            if packet is None:
                self._instead += self._blanked(coded) + b"\0"
                continue
            changed = _without(packet, self._counts)
            # As long as it was: only bytes are others, and no more of them.
            self._instead += frame.to_bytes(changed) if changed is not None else coded + b"\0"

    def _blanked(self, data: bytes) -> bytes:
        if len(data) < SHORT:
            return data
        self._counts["bytes that were no frame"] += len(data)
        return _BLANK * len(data)


def _heard(record: Record) -> Bytes | None:
    """The record, if it has bytes of a device on a serial line."""
    is_heard = isinstance(record, Bytes) and record.direction == "in" and not record.channel
    return record if isinstance(record, Bytes) and is_heard else None


def _without_names(record: Record, counts: Counter[str]) -> Record:
    match record:
        case Header(format=format_, facts=facts):
            counts["facts of headers"] += sum(key in _FACTS for key, _ in facts)
            kept = ((key, REDACTED if key in _FACTS else value) for key, value in facts)
            return Header(format_, tuple(kept))
        case Remark(at_us, "port", text):
            counts["ports"] += 1
            return Remark(at_us, "port", f"{text.partition(' ')[0]} {REDACTED}")
        case Remark(at_us, ("note" | "device" | "state") as word, _):
            counts[f"{word}s"] += 1
            return Remark(at_us, word, REDACTED)
        case Bytes(data=data, direction="in", channel=channel) if channel:
            packet = envelope.from_json(data)
            changed = _without(packet, counts) if packet is not None else None
            if changed is not None:
                return record._replace(data=envelope.to_json(changed))
    return record


def _without(packet: Packet, counts: Counter[str]) -> Packet | None:
    if packet.kind is Kind.EVENT:
        message = messages.from_bytes(packet.payload)
        if isinstance(message, messages.Dispensed) and message.faces:
            counts["covered faces"] += 1
            bare = msgspec.structs.replace(message, faces=bytes(len(message.faces)))
            return packet._replace(payload=messages.to_bytes(bare))
    if packet.kind is Kind.IDENTITY and (read := handshake.identity_from_bytes(packet.payload)):
        identity, written, proof = read
        number = identity.serial_number.encode()
        if number and number in written:
            counts["serial numbers"] += 1
            hidden = written.replace(number, b"x" * len(number))
            return packet._replace(payload=hidden + proof)
    return None
