"""A dialect as it is heard at the device's end of the line: what felt asks, and what it sets.

The frames are those of ``rtu`` and ``cctalk_frame``. What a device answers is not made here, but
for one thing: what was set reads back as it was set. All else is for whoever is the device.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from drivers.contract import Settings
from drivers.dialects import cctalk, cctalk_frame, modbus, rtu
from drivers.dialects.cctalk_events import EVENTS_BYTES
from drivers.dialects.options import own_options
from drivers.dialects.polled import Ask

#: As long as a request can be; more than this before one begins is noise.
MAX_REQUEST = 260


@dataclass(frozen=True, slots=True)
class Request:
    """One request of felt's."""

    frame: bytes
    #: Whom it is for.
    unit: int
    #: What is asked: the same words for all requests that differ only in what they set.
    what: str
    #: How its answer is recognised.
    look: Callable[[bytes], int]
    #: What it sets, by name.
    sets: Mapping[str, int] = field(default_factory=dict)
    #: Which reading says from now on that it was set, and how it is answered then.
    reads_back: tuple[str, bytes] | None = None


class OtherEnd(ABC):
    #: What is set blinks by felt's own doing, with this half period; 0 if nothing does.
    blinks_us = 0

    def __init__(self, first_unit: int, answer_ms: int) -> None:
        #: Of the first device; the others follow.
        self.first_unit = first_unit
        #: How long felt waits for an answer.
        self.answer_us = answer_ms * 1000

    @abstractmethod
    def settles(self, what: str) -> int:
        """So many answers in a row may be needed until felt takes a reading for true."""

    @abstractmethod
    def refuses(self, answer: bytes) -> bool: ...

    @abstractmethod
    def _length(self, heard: bytes) -> int:
        """Of the request at the beginning; 0 if more is needed, -1 if none is there."""

    @abstractmethod
    def _request(self, frame: bytes) -> Request: ...

    def requests(self, heard: bytearray) -> Iterator[Request]:
        """Those that are whole, taken out of what was heard; what is none is thrown away."""
        while heard:
            length = self._length(bytes(heard))
            if length == 0 and len(heard) < MAX_REQUEST:
                return
            if length <= 0:
                del heard[0]
                continue
            frame = bytes(heard[:length])
            del heard[:length]
            yield self._request(frame)


class ModbusEnd(OtherEnd):
    def __init__(self, wiring: modbus.Wiring) -> None:
        super().__init__(wiring.first_unit, wiring.answer_ms)
        self.blinks_us = wiring.blink_ms * 1000
        self._debounce = wiring.debounce
        #: The tone is left out: it comes and goes by felt's clock.
        lamps = {wiring.lamp_of(lamp): f"{lamp} lamp".replace("_", "-") for lamp in modbus.LAMPS}
        self._lamps = {place: name for place, name in lamps.items() if place >= 0}
        self._first_output = wiring.first_output

    def settles(self, what: str) -> int:
        # One more: the first look may have been asked for already.
        return self._debounce + 1 if what.startswith("inputs") else 1

    def refuses(self, answer: bytes) -> bool:
        return bool(rtu.refusal(answer))

    def _length(self, heard: bytes) -> int:
        if len(heard) < 2:
            return 0
        lengths = {rtu.READ_COILS: 8, rtu.READ_INPUTS: 8, rtu.READ_IDENTIFICATION: 7}
        if heard[1] == rtu.WRITE_COILS:
            if len(heard) < 7:
                return 0
            length = 9 + heard[6]
        elif heard[1] in lengths:
            length = lengths[heard[1]]
        else:
            return -1
        if len(heard) < length:
            return 0
        return length if rtu.crc(heard[: length - 2]) == heard[length - 2 : length] else -1

    def _request(self, frame: bytes) -> Request:
        unit, function = frame[0], frame[1]
        if function == rtu.READ_IDENTIFICATION:
            return Request(frame, unit, "who it is", rtu.read_identification(unit).look)
        first, count = (int.from_bytes(frame[at : at + 2], "big") for at in (2, 4))
        place = f"{first} to {first + count - 1}"
        if function == rtu.READ_INPUTS:
            return Request(frame, unit, f"inputs {place}", rtu.read_inputs(unit, first, count).look)
        reading = f"outputs {place}"
        if function == rtu.READ_COILS:
            return Request(frame, unit, reading, rtu.read_coils(unit, first, count).look)
        packed = frame[7:-2]
        value = int.from_bytes(packed, "little")
        bits = [bool(value >> n & 1) for n in range(count)]
        sets = {
            name: int(bits[at])
            for output, name in self._lamps.items()
            if 0 <= (at := output + self._first_output - first) < count
        }
        body = bytes((unit, rtu.READ_COILS, len(packed))) + packed
        look = rtu.write_coils(unit, first, bits).look
        answer = (reading, body + rtu.crc(body))
        return Request(frame, unit, f"set {reading}", look, sets, answer)


#: How many bytes of data an answer has; none of those that are not named.
_ANSWERS = {
    cctalk_frame.MANUFACTURER: cctalk_frame.TEXT,
    cctalk_frame.CATEGORY: cctalk_frame.TEXT,
    cctalk_frame.PRODUCT: cctalk_frame.TEXT,
    cctalk_frame.SOFTWARE: cctalk_frame.TEXT,
    cctalk_frame.SERIAL_NUMBER: 3,
    cctalk_frame.READ_EVENTS: EVENTS_BYTES,
    cctalk_frame.READ_MASTER_INHIBIT: 1,
}
_WORDS = {
    cctalk_frame.SIMPLE_POLL: "whether it is there",
    cctalk_frame.MANUFACTURER: "its maker",
    cctalk_frame.CATEGORY: "its category",
    cctalk_frame.PRODUCT: "its product",
    cctalk_frame.SERIAL_NUMBER: "its serial number",
    cctalk_frame.SOFTWARE: "its software",
    cctalk_frame.SET_INHIBITS: "set coins",
    cctalk_frame.READ_EVENTS: "its events",
    cctalk_frame.SET_MASTER_INHIBIT: "set master inhibit",
    cctalk_frame.READ_MASTER_INHIBIT: "master inhibit",
}
_SETS = {cctalk_frame.SET_INHIBITS: "coins", cctalk_frame.SET_MASTER_INHIBIT: "master inhibit"}
#: Around the data.
_AROUND = 5


class CctalkEnd(OtherEnd):
    def settles(self, what: str) -> int:
        return cctalk.READS - 1 if what == _WORDS[cctalk_frame.READ_EVENTS] else 1

    def refuses(self, answer: bytes) -> bool:
        return cctalk_frame.data_of(answer) is None

    def _length(self, heard: bytes) -> int:
        if len(heard) < 4:
            return 0
        if heard[2] != cctalk_frame.HOST:
            return -1
        length = _AROUND + heard[1]
        if len(heard) < length:
            return 0
        return length if sum(heard[:length]) % 256 == 0 else -1

    def _request(self, frame: bytes) -> Request:
        unit, header, data = frame[0], frame[3], frame[4:-1]
        asked: Ask = cctalk_frame.ask(unit, header, data, answer=_ANSWERS.get(header, 0))
        what = _WORDS.get(header, f"header {header}")
        sets: dict[str, int] = {}
        if header in _SETS:
            sets[_SETS[header]] = int.from_bytes(data, "little")
        reads_back = None
        if header == cctalk_frame.SET_MASTER_INHIBIT:
            said = cctalk_frame.to_bytes(cctalk_frame.HOST, unit, cctalk_frame.ACK, data)
            reads_back = (_WORDS[cctalk_frame.READ_MASTER_INHIBIT], said)
        return Request(frame, unit, what, asked.look, sets, reads_back)


def other_end(dialect: str, options: Mapping[str, str | int | bool]) -> OtherEnd:
    """Of a line with these options; ValueError if something in them can't be."""
    settings = Settings(name=dialect, options=dict(options))
    try:
        if dialect == "modbus":
            return ModbusEnd(msgspec.convert(own_options(settings, modbus.Wiring), modbus.Wiring))
        if dialect == "cctalk":
            given = msgspec.convert(own_options(settings, cctalk.Options), cctalk.Options)
            return CctalkEnd(given.first_address, given.answer_ms)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    raise ValueError(f"nobody knows {dialect!r}")
