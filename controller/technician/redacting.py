"""A device log for strangers: the conversation as it was, without what says where and whose.

Serial numbers, ports, notes and what felt knew of its devices are left out, and so are the covered
faces: nobody can uncover them without the key, but then nobody needs to try. A frame may be split
over several records, as the system read it: they are held until it is whole. What is no frame, or
never became one, may be a part of what is left out elsewhere, so it goes too, as far as it is long
enough for that. What a wire speaks, which devices are on it and which firmware they have stays:
without it nobody could read the rest.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from controller.rules.faults import Refused
from controller.technician import cut, logs, sources
from drivers.dialects import cctalk_frame
from drivers.wire import describe, envelope, frame, handshake, messages, topics
from drivers.wire.describe import Describe
from drivers.wire.devicelog import Bytes, Damage, Header, Record, Remark, lines_of
from drivers.wire.frame import MAX_FRAME, Kind, Packet
from drivers.wire.logreading import read_records
from drivers.wire.recorded_broker import FLOODS

REDACTED = "(redacted)"
#: Of what the table file says of a wire: where that is. And of its options.
_PLACES = ("serial", "mqtt")
_SERIAL_NUMBER = "serial_number"
_SERIAL_NUMBERS = "serial_numbers"
#: A device's number in the words that it is known by.
_NUMBER = re.compile(r" serial=(['\"]).*\1 firmware=")
#: Behind the name of a port: how fast it is and how its bytes are made.
_SETTINGS = re.compile(r" [0-9]+ [5-8][NEO][12]( rs485)?")
#: What is no frame is left as it is if it is shorter: noise, and not half of something.
SHORT = 8
#: Stands for a byte that is left out. No zero: where frames end stays as it was.
_BLANK = b"\xff"


def redact(source: Path, out: Path, counts: Counter[str]) -> list[Path]:
    """A copy of a log, or a folder with those of a folder, a cut or a bundle; what was written.

    The journal of a cut is left out: it is chained, and can't be changed.
    """
    with sources.files_in(source) as files:
        for one in files:
            if not logs.read([one]).runs:
                raise Refused(str(one), "no header of a device log is in it", "name device logs")
        made = [out]
        try:
            if not source.is_file() or cut.is_cut(source):
                out.mkdir()
                made = [out / one.name.removesuffix(".gz") for one in files]
            for one, copy in zip(files, made, strict=True):
                with copy.open("x", encoding="utf-8") as file:
                    file.writelines(redacted(one, counts))
        except OSError as error:
            step = "name one that is not there yet"
            raise Refused(str(out), f"can't be written: {error.strerror}", step) from None
        return made


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
        #: What is spoken, as the header says.
        self._speaks = ""
        #: In ccTalk: the last two requests.
        self._asked = (b"", b"")

    def taken(self, record: Record) -> Iterator[Record]:
        """The records that can go out now."""
        if isinstance(record, Header) or (isinstance(record, Remark) and record.word == "port"):
            # What was half received before does not go on after it.
            yield from self.rest()
            self._describe = describe.frames()
        if isinstance(record, Header):
            self._speaks = str(_wire(record.fact("wire")).get("speaks", "felt"))
        elif isinstance(record, Bytes) and record.direction == "out":
            if self._speaks == "cctalk":
                yield from self.rest()
            self._asked = (self._asked[1], record.data)
        self._waiting.append(_without_names(record, self._counts))
        if (heard := _heard(record)) is not None:
            if self._speaks == "felt":
                self._heard(heard.data)
            else:
                self._held += heard.data
        if self._speaks == "modbus":
            # Its modules do not say their numbers.
            yield from self.rest()
        elif not self._held or len(self._held) > MAX_FRAME:
            yield from self.rest()

    def rest(self) -> Iterator[Record]:
        """All that waits; half a frame is none."""
        held = bytes(self._held)
        self._instead += self._blanked(held) if self._speaks == "felt" else self._unnumbered(held)
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
            comment = self._describe("in", data) if self._speaks == "felt" else ""
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

    def _unnumbered(self, data: bytes) -> bytes:
        """In a dialect: what came since felt last asked, without the number of an acceptor.

        An answer may come when the next thing has been asked already.
        """
        asks = [one for one in self._asked if one[3:4] == bytes((cctalk_frame.SERIAL_NUMBER,))]
        if self._speaks != "cctalk" or not asks:
            return data
        address = asks[-1][0]
        answer = re.compile(b"\x01\x03%s\x00...." % re.escape(bytes((address,))), re.DOTALL)
        found = next((one for one in answer.finditer(data) if not sum(one[0]) % 256), None)
        if found is not None:
            self._counts["serial numbers"] += 1
            bare = cctalk_frame.to_bytes(cctalk_frame.HOST, address, cctalk_frame.ACK, bytes(3))
            return data[: found.start()] + bare + data[found.end() :]
        if asks[-1] != self._asked[1]:
            return data
        # Half an answer, or a damaged one. An echo is felt's own.
        echo = len(asks[-1]) if data.startswith(asks[-1]) else 0
        rest = len(data) - echo
        self._counts["bytes that were no frame"] += rest
        return data[:echo] + _BLANK * rest


def _heard(record: Record) -> Bytes | None:
    """The record, if it has bytes of a device on a serial line."""
    is_heard = isinstance(record, Bytes) and record.direction == "in" and not record.channel
    return record if isinstance(record, Bytes) and is_heard else None


def _without_names(record: Record, counts: Counter[str]) -> Record:
    match record:
        case Header(format=format_, facts=facts):
            # Two wires have two ports, whatever they are called.
            port = f"{REDACTED} {record.fact('line')}"
            kept = (_fact(key, value, port, counts) for key, value in facts)
            return Header(format_, tuple(kept))
        case Remark():
            return record._replace(text=_remark(record, counts))
        case Bytes(data=data, direction="in", channel=channel) if channel:
            return record._replace(data=_published(data, counts))
    return record


def _remark(record: Remark, counts: Counter[str]) -> str:
    text = record.text
    match record.word:
        case "port" if FLOODS not in text:
            counts["ports"] += 1
            return _port(text)
        case "device":
            counts["serial numbers"] += 1
            return _unnamed(text)
        case "note" | "state" as word:
            counts[f"{word}s"] += 1
            return REDACTED
        case "gap":
            # It says where the log was.
            return text.partition(":")[0]
    return text


def _fact(key: str, value: str, port: str, counts: Counter[str]) -> tuple[str, str]:
    match key:
        case "port":
            counts["ports"] += 1
            return key, port
        case "device":
            counts["serial numbers"] += 1
            return key, _unnamed(value)
        case "wire":
            said = _wire(value)
            for name in _PLACES:
                if name in said:
                    said[name] = port
            options = said.get("options")
            if isinstance(options, dict) and _SERIAL_NUMBER in options:
                counts["serial numbers"] += 1
                options[_SERIAL_NUMBER] = REDACTED
            numbers = said.get(_SERIAL_NUMBERS)
            if isinstance(numbers, dict):
                counts["serial numbers"] += len(numbers)
                said[_SERIAL_NUMBERS] = {one: _hidden(str(no)) for one, no in numbers.items()}
            return key, json.dumps(said, sort_keys=True) if said else REDACTED
    return key, value


def _hidden(number: str) -> str:
    """As long as it was, and the same wherever it stands: the device is still the one expected."""
    return "x" * len(number.encode())


def _wire(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _port(text: str) -> str:
    """``open (redacted) 115200 8N1``, ``absent, hang-up: (redacted)``."""
    if text.startswith("open"):
        settings = _SETTINGS.search(text)
        return f"open {REDACTED}{settings[0] if settings else ''}"
    why, between, _ = text.partition(":")
    return f"{why}: {REDACTED}" if between else f"{text.partition(' ')[0]} {REDACTED}"


def _unnamed(text: str) -> str:
    """Of a device that said who it is, all but its number."""
    changed, count = _NUMBER.subn(f" serial='{REDACTED}' firmware=", text, count=1)
    return changed if count else REDACTED


def _published(data: bytes, counts: Counter[str]) -> bytes:
    packet = envelope.from_json(data)
    if packet is not None:
        changed = _without(packet, counts, published=True)
        return data if changed is None else envelope.to_json(changed)
    if len(data) < SHORT or topics.presence_from_json(data) is not None:
        return data
    counts["bytes that were no frame"] += len(data)
    return _BLANK * len(data)


def _without(packet: Packet, counts: Counter[str], *, published: bool = False) -> Packet | None:
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
            hidden = written.replace(number, _hidden(identity.serial_number).encode())
            return packet._replace(payload=hidden + proof)
    elif packet.kind is Kind.IDENTITY and packet.payload:
        # Nobody here can read it: it may say its number anywhere.
        counts["identities that could not be read"] += 1
        rest = b"" if published else b"x" * (len(packet.payload) - 1)
        return packet._replace(payload=packet.payload[:1] + rest)
    return None
