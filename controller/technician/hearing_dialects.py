"""What is said on a line in a dialect: felt asks one device, and what comes is its answer.

Nothing marks where an answer begins, so it is looked for as felt's own lines do: by what was asked,
with its check. What else comes in that time is an echo; or the answer to what was asked before and
given up, which is late and of who was asked then; or garbage of that device's line.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from controller.technician import said
from controller.technician.said import ANSWER, ECHO, LATE, REQUEST, Said
from drivers.dialects import cctalk, cctalk_frame, modbus, rtu
from drivers.dialects.cctalk_events import EVENTS_BYTES, Readings, since
from drivers.dialects.polled import Ask
from drivers.wire.devicelog import Bytes, Direction, escaped

#: As long as an answer can be; what is longer is none.
MAX_HELD = 300
#: So many requests that were given up may still be answered; one that is not there answers none.
MAX_OWED = 8

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


@dataclass(slots=True)
class _Asking:
    """A request, and what has come of it."""

    frame: bytes
    device: str
    #: The same as that of the one before it, if it is the same once more.
    number: int
    #: Finds its answer, as ``Ask.look`` does.
    look: Callable[[bytes], int]
    is_echoed: bool = False

    def echoes(self, held: bytes) -> bool:
        """What came is, or may become, what felt said itself."""
        return not self.is_echoed and self.frame.startswith(held[: len(self.frame)])


class _Asked(ABC):
    """A line on which one device speaks at a time: the one that was asked last."""

    def __init__(self, names: Mapping[int, str], first: int) -> None:
        #: By their addresses on the line.
        self._names = {first + place - 1: name for place, name in names.items()}
        #: What was asked last; whether that waits for its answer.
        self._last = _Asking(b"", "", 0, lambda _: -1)
        self._open = False
        #: What was given up, the oldest first: somebody slow answers nevertheless.
        self._owed: deque[_Asking] = deque(maxlen=MAX_OWED)
        #: By device, what it was asked last and has not answered.
        self._unanswered: dict[str, _Asking] = {}
        self._count = 0
        self._held = b""
        #: By device and request, what was answered last: what has not changed says nothing new.
        self._before: dict[tuple[str, str], tuple[bytes, bytes]] = {}

    def cut(self) -> None:
        self._last, self._held, self._open = _Asking(b"", "", 0, lambda _: -1), b"", False
        self._owed.clear()
        self._unanswered.clear()

    def waits(self, direction: Direction) -> bool:
        return False  # whose it is is known from the first byte on

    def hear(self, record: Bytes) -> list[Said]:
        if record.direction == "out":
            return [*self._garbage(), self._asks(record.data)]
        found: list[Said] = []
        self._held += record.data
        while self._held:
            one, length = self._first()
            if one is None:
                break
            found.append(one)
            self._held = self._held[length:]
        return _joined(found)

    def _first(self) -> tuple[Said | None, int]:
        """What stands at the beginning of what came, and its length; nothing if more is needed."""
        held, last = self._held, self._last
        length = last.look(held) if self._open else -1
        if length > 0:
            self._open = False
            self._unanswered.pop(last.device, None)
            return self._answered(held[:length]), length
        if self._open and last.echoes(held):
            return self._echo(last)
        late, late_length = self._late()
        if late is not None:
            return late, late_length
        if len(held) <= MAX_HELD and (length == 0 or (late_length == 0 and not self._stands())):
            return None, 0
        return said.garbage(last.device, held[:1]), 1

    def _echo(self, asking: _Asking) -> tuple[Said | None, int]:
        if len(self._held) < len(asking.frame):
            return None, 0
        asking.is_echoed = True
        return Said(asking.device, ECHO, text=ECHO), len(asking.frame)

    def _late(self) -> tuple[Said | None, int]:
        """An answer, or an echo, of what was given up, and its length; without one, -1 if there
        can't be one here, and 0 if more is needed to tell."""
        most = -1
        for owed in self._owed:
            length = owed.look(self._held)
            if length > 0:
                self._owed.remove(owed)
                name, _ = self._asked(owed.frame)
                text = f"{LATE} {ANSWER} {owed.frame[0]} {name}"
                return Said(owed.device, LATE, name, (0, owed.number), text=text), length
            if owed.echoes(self._held):
                echo, length = self._echo(owed)
                if echo is not None:
                    return echo, length
            most = max(most, length)
        return None, most

    def _stands(self) -> bool:
        """The answer to what was asked last stands farther back: nobody waits for more."""
        held = self._held
        return self._open and any(self._last.look(held[n:]) > 0 for n in range(1, len(held)))

    def _garbage(self) -> list[Said]:
        rest, self._held = self._held, b""
        return [said.garbage(self._last.device, rest)] if rest else []

    def _asks(self, data: bytes) -> Said:
        address = data[0]
        device = self._names.get(address, f"address {address}")
        if self._open:
            self._owed.append(self._last)
        # Meanwhile others on the line may have been asked: it is the same question all the same.
        before = self._unanswered.get(device)
        if before is None or before.frame != data:
            self._count += 1
        number = self._count if before is None or before.frame != data else before.number
        look = self._last.look if data == self._last.frame else self._ask(data).look
        self._last = self._unanswered[device] = _Asking(data, device, number, look)
        self._open = True
        name, value = self._asked(data)
        text = f"{REQUEST} {address} {name} {value.hex()}".rstrip()
        common = self._changed("out", name, value) if value else ""
        return Said(device, REQUEST, name, (0, number), text=text, in_common=common)

    def _answered(self, data: bytes) -> Said:
        asking = self._last
        name, _ = self._asked(asking.frame)
        value, refused = self._value(data)
        plain = escaped(value.decode("ascii", "replace")) if name in _TEXTS else value.hex()
        outcome = f"{REFUSED} {refused}" if refused else plain
        text = f"{ANSWER} {asking.frame[0]} {name} {outcome}".rstrip()
        common = f"{ANSWER} {name} {REFUSED}" if refused else self._new(name, value)
        number = (0, asking.number)
        return Said(asking.device, ANSWER, name, number, text=text, in_common=common)

    def _changed(self, way: str, name: str, value: bytes) -> str:
        """It in words, unless it is as it was; a lamp that blinks says nothing new either."""
        key = (f"{way} {self._last.device}", name)
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
    def _asked(self, request: bytes) -> tuple[str, bytes]:
        """The name of the request, and what goes with it."""

    @abstractmethod
    def _value(self, answer: bytes) -> tuple[bytes, str]:
        """What an answer holds, or why it is a refusal."""


class CcTalk(_Asked):
    def __init__(self, names: Mapping[int, str], options: Mapping[str, object]) -> None:
        super().__init__(names, _first(options, "first_address", cctalk.ADDRESS))
        self._readings: dict[str, Readings] = {}

    def _asked(self, request: bytes) -> tuple[str, bytes]:
        header = request[3] if len(request) > 3 else 0
        return _CCTALK.get(header, f"header {header}"), request[4:-1]

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
        before = self._readings.get(self._last.device)
        self._readings[self._last.device] = now
        if before is None or before == now:
            return ""  # the counter goes on from run to run
        happened = since(before, now)
        events = ", ".join(f"coin {one.coin} code {one.code}" for one in happened.results)
        return f"events {events}{' restarted' if happened.restarted else ''}"


class Modbus(_Asked):
    def __init__(self, names: Mapping[int, str], options: Mapping[str, object]) -> None:
        super().__init__(names, _first(options, "first_unit", modbus.UNIT))

    def _asked(self, request: bytes) -> tuple[str, bytes]:
        function = request[1] if len(request) > 1 else 0
        value = request[7:-2] if function == rtu.WRITE_COILS else b""
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
