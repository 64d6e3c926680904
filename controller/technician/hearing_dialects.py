"""What is said on a line in a dialect: felt asks one device, and what comes is its answer.

Nothing marks where an answer begins, so it is looked for as felt's own lines do: by what was asked,
with its check. What else comes in that time is an echo, or garbage of that device's line.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from controller.technician import said
from controller.technician.said import ANSWER, ECHO, REQUEST, Said
from drivers.dialects import cctalk, cctalk_frame, modbus, rtu
from drivers.dialects.cctalk_events import EVENTS_BYTES, Readings, since
from drivers.dialects.polled import Ask
from drivers.wire.devicelog import Bytes, Direction, escaped

#: As long as an answer can be; what is longer is none.
MAX_HELD = 300

_CCTALK = {
    cctalk_frame.SIMPLE_POLL: "simple_poll",
    cctalk_frame.MANUFACTURER: "manufacturer",
    cctalk_frame.CATEGORY: "category",
    cctalk_frame.PRODUCT: "product",
    cctalk_frame.SERIAL_NUMBER: "serial_number",
    cctalk_frame.SOFTWARE: "software",
    cctalk_frame.SET_INHIBITS: "set_inhibits",
    cctalk_frame.READ_EVENTS: "read_events",
    cctalk_frame.SET_MASTER_INHIBIT: "set_master_inhibit",
    cctalk_frame.READ_MASTER_INHIBIT: "read_master_inhibit",
}
#: They are answered with a text.
_TEXTS = frozenset({"manufacturer", "category", "product", "software"})
_MODBUS = {
    rtu.READ_COILS: "read_coils",
    rtu.READ_INPUTS: "read_inputs",
    rtu.WRITE_COILS: "write_coils",
    rtu.READ_IDENTIFICATION: "read_identification",
}
#: Every request that can be asked for by its name.
NAMES = frozenset({*_CCTALK.values(), *_MODBUS.values()})
#: In an answer: what was asked was refused.
REFUSED = "refused"


class _Asked(ABC):
    """A line on which one device speaks at a time: the one that was asked last."""

    def __init__(self, names: Mapping[int, str], first: int) -> None:
        #: By their addresses on the line.
        self._names = {first + place - 1: name for place, name in names.items()}
        self._request = b""
        self._look: Callable[[bytes], int] = lambda _: -1
        self._device = ""
        self._count = 0
        self._held = b""
        self._open = False
        self._echoed = False
        #: By device and request, what was answered last: what has not changed says nothing new.
        self._before: dict[tuple[str, str], tuple[bytes, bytes]] = {}

    def cut(self) -> None:
        self._request, self._device, self._held, self._open = b"", "", b"", False

    def waits(self, direction: Direction) -> bool:
        return False  # whose it is is known from the first byte on

    def hear(self, record: Bytes) -> list[Said]:
        if record.direction == "out":
            return [*self._garbage(), self._asks(record.data)]
        if not self._open:
            return [said.garbage(self._device, record.data)]
        found: list[Said] = []
        self._held += record.data
        while self._held:
            length = self._look(self._held)
            if length > 0:
                found.append(self._answered(self._held[:length]))
                self._held, self._open = self._held[length:], False
                return [*found, *self._garbage()]
            if not self._echoed and self._request.startswith(self._held[: len(self._request)]):
                if len(self._held) < len(self._request):
                    break
                self._echoed = True
                found.append(Said(self._device, ECHO, text=ECHO))
                self._held = self._held[len(self._request) :]
            elif length == 0 and len(self._held) <= MAX_HELD:
                break
            else:
                found.append(said.garbage(self._device, self._held[:1]))
                self._held = self._held[1:]
        return _joined(found)

    def _garbage(self) -> list[Said]:
        rest, self._held = self._held, b""
        return [said.garbage(self._device, rest)] if rest else []

    def _asks(self, data: bytes) -> Said:
        address = data[0]
        self._device = self._names.get(address, f"address {address}")
        if not (self._open and data == self._request):
            self._count += 1
        if data != self._request:
            self._look = self._ask(data).look
        self._request, self._open, self._echoed = data, True, False
        name, value = self._asked()
        text = f"{REQUEST} {address} {name} {value.hex()}".rstrip()
        common = self._changed("out", name, value) if value else ""
        number = (0, self._count)
        return Said(self._device, REQUEST, name, number, text=text, in_common=common)

    def _answered(self, data: bytes) -> Said:
        name, _ = self._asked()
        value, refused = self._value(data)
        plain = escaped(value.decode("ascii", "replace")) if name in _TEXTS else value.hex()
        outcome = f"{REFUSED} {refused}" if refused else plain
        text = f"{ANSWER} {self._request[0]} {name} {outcome}".rstrip()
        common = f"{ANSWER} {name} {REFUSED}" if refused else self._new(name, value)
        number = (0, self._count)
        return Said(self._device, ANSWER, name, number, text=text, in_common=common)

    def _changed(self, way: str, name: str, value: bytes) -> str:
        """It in words, unless it is as it was; a lamp that blinks says nothing new either."""
        key = (f"{way} {self._device}", name)
        last, before = self._before.get(key, (b"", b""))
        if value == last:
            return ""
        self._before[key] = (value, last)
        return f"{name} {value.hex()}" if value != before or way == "in" else ""

    def _new(self, name: str, value: bytes) -> str:
        return self._changed("in", name, value) if value else ""

    @abstractmethod
    def _ask(self, request: bytes) -> Ask:
        """The request as felt makes it, with how its answer is recognised."""

    @abstractmethod
    def _asked(self) -> tuple[str, bytes]:
        """The name of the request, and what goes with it."""

    @abstractmethod
    def _value(self, answer: bytes) -> tuple[bytes, str]:
        """What an answer holds, or why it is a refusal."""


class CcTalk(_Asked):
    def __init__(self, names: Mapping[int, str], options: Mapping[str, object]) -> None:
        super().__init__(names, _first(options, "first_address", cctalk.ADDRESS))
        self._readings: dict[str, Readings] = {}

    def _asked(self) -> tuple[str, bytes]:
        header = self._request[3] if len(self._request) > 3 else 0
        return _CCTALK.get(header, f"header {header}"), self._request[4:-1]

    def _ask(self, request: bytes) -> Ask:
        header = request[3] if len(request) > 3 else 0
        return cctalk_frame.ask(request[0], header, answer=cctalk_frame.TEXT)

    def _value(self, answer: bytes) -> tuple[bytes, str]:
        data = cctalk_frame.data_of(answer)
        return (b"", "not acknowledged") if data is None else (data, "")

    def _new(self, name: str, value: bytes) -> str:
        if name == "serial_number":
            return ""  # which one it is stands in the headers
        if name != "read_events" or len(value) != EVENTS_BYTES:
            return super()._new(name, value)
        now = Readings.of(value)
        before = self._readings.get(self._device)
        self._readings[self._device] = now
        if before is None or before == now:
            return ""  # the counter goes on from run to run
        happened = since(before, now)
        events = ", ".join(f"coin {one.coin} code {one.code}" for one in happened.results)
        return f"events {events}{' restarted' if happened.restarted else ''}"


class Modbus(_Asked):
    def __init__(self, names: Mapping[int, str], options: Mapping[str, object]) -> None:
        super().__init__(names, _first(options, "first_unit", modbus.UNIT))

    def _asked(self) -> tuple[str, bytes]:
        function = self._request[1] if len(self._request) > 1 else 0
        value = self._request[7:-2] if function == rtu.WRITE_COILS else b""
        return _MODBUS.get(function, f"function {function}"), value

    def _ask(self, request: bytes) -> Ask:
        unit, function = request[0], request[1] if len(request) > 1 else 0
        first, count = (int.from_bytes(request[n : n + 2], "big") for n in (2, 4))
        match function:
            case rtu.READ_COILS:
                return rtu.read_coils(unit, first, count)
            case rtu.WRITE_COILS:
                return rtu.write_coils(unit, first, (False,) * count)
            case rtu.READ_IDENTIFICATION:
                return rtu.read_identification(unit)
        return rtu.read_inputs(unit, first, count)

    def _value(self, answer: bytes) -> tuple[bytes, str]:
        if why := rtu.refusal(answer):
            return b"", why
        is_read = answer[1] in (rtu.READ_COILS, rtu.READ_INPUTS)
        # What was written comes back as it was.
        return (answer[3:-2], "") if is_read else (b"", "")


def _first(options: Mapping[str, object], name: str, otherwise: int) -> int:
    found = options.get(name)
    return found if isinstance(found, int) else otherwise


def _joined(found: list[Said]) -> list[Said]:
    """Garbage that follows garbage is one piece of it."""
    joined: list[Said] = []
    for one in found:
        last = joined[-1] if joined else None
        if last is not None and last.kind == one.kind == said.GARBAGE:
            joined[-1] = said.garbage(one.device, bytes(last.length + one.length))
        else:
            joined.append(one)
    return joined
