"""The log of a wire in a dialect, read for what its devices answered.

felt asks and one device answers, so a device is what it answers: only where an answer is another
one than before did something happen to it. What felt set reads back as it was set; where it did
not, that happened to it too. What felt set is read as well, because the devices' part goes on only
when it has been set again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controller.technician.logs import Wire
from controller.technician.reading import Reading
from controller.technician.script import (
    LeftAlone,
    Met,
    Ordered,
    Part,
    Script,
    Shows,
    Silent,
    Spoils,
    places,
)
from drivers.dialects.other_end import OtherEnd, Request
from drivers.wire.station import MAX_TRIES

#: An answer counts for so long after felt's patience: felt may come late to its timer.
LATE_US = 20_000
#: A device that felt asks nothing for so long was turned away: all others are asked all the time.
LEFT_ALONE_US = 2_000_000
#: Of the half period, within which a change is one of a lamp that blinks.
BLINKS = (0.8, 1.3)


@dataclass(slots=True)
class _Asked:
    request: Request
    at_us: int
    where: str
    heard: bytes = b""
    echo_seen: bool = False
    is_answered: bool = False
    orders: list[Ordered] = field(default_factory=list)


class _Device:
    """What is known of a device while its log is read."""

    def __init__(self, part: Part) -> None:
        self.part = part
        #: Its cable was out, and it has not answered since.
        self.is_away = False
        #: When felt last asked it something, and where that stands; none since its cable was out.
        self.asked: tuple[int, str] | None = None
        #: From when to when felt last asked it nothing.
        self.left_us = (-1, -1)
        #: When each question was last asked that was answered.
        self.answered_us: dict[str, int] = {}
        #: What was asked and not answered, one after the other.
        self.lost: list[_Asked] = []
        self.shown: dict[str, Shows] = {}
        #: How readings are answered if what felt set stays so.
        self.as_set: dict[str, bytes] = {}
        self.sets: dict[str, int] = {}
        #: When each of them last changed.
        self.changed_us: dict[str, int] = {}


class RequestReading(Reading):
    def __init__(self, wire: Wire, script: Script, end: OtherEnd) -> None:
        super().__init__(wire, script)
        self._end = end
        self._devices: dict[int, _Device] = {}
        for address, name in places(wire.given).items():
            unit = end.first_unit + address - 1
            part = Part(name, wire.name, unit, polled=True, end=end)
            script.parts[name] = part
            self._devices[unit] = _Device(part)
        self._held = bytearray()
        self._asked: _Asked | None = None

    # --- Bytes ------------------------------------------------------------------

    def bytes_(self, direction: str, data: bytes, channel: str) -> None:
        if direction == "out":
            self._held += data
            for request in self._end.requests(self._held):
                self._unanswered()
                self._asked = _Asked(request, self.at_us, self.where)
                if device := self._devices.get(request.unit):
                    device.part.asked.add(request.what)
                    self._asks(device)
                    self._ordered(device, self._asked)
        else:
            self._heard(data)

    def _asks(self, device: _Device) -> None:
        last, device.asked = device.asked, (self.at_us, self.where)
        # What was not answered is a silence, which has its own end.
        if last is not None and not device.lost and self.at_us - last[0] > LEFT_ALONE_US:
            name, device.left_us = device.part.name, (last[0], self.at_us)
            self.add(LeftAlone(at_us=last[0], where=last[1], device=name, until_us=self.at_us))

    def _heard(self, data: bytes) -> None:
        asked = self._asked
        late = asked and self.at_us - asked.at_us > self._end.answer_us + LATE_US
        if asked is None or asked.is_answered or late:
            self.noise(data)
            return
        heard, at, request = asked.heard + data, 0, asked.request
        while at < len(heard):
            rest = heard[at:]
            length = request.look(rest)
            if length > 0:
                asked.is_answered = True
                for noise in (heard[:at], rest[length:]):
                    if noise:
                        self.noise(noise)
                if device := self._devices.get(request.unit):
                    self._answered(device, asked, rest[:length])
                return
            if not asked.echo_seen and request.frame.startswith(rest[: len(request.frame)]):
                # felt hears itself on a wire that has one line for both directions.
                if len(rest) < len(request.frame):
                    break
                asked.echo_seen = True
                self._script.echoing.add(self._wire.name)
                heard = heard[:at] + rest[len(request.frame) :]
            elif length == 0:
                break
            else:
                at += 1
        asked.heard = heard

    def _unanswered(self) -> None:
        """felt asks something else, or this again: it got no answer."""
        asked, self._asked = self._asked, None
        if asked is None or asked.is_answered:
            return
        device = self._devices.get(asked.request.unit)
        if device is not None:
            device.lost.append(asked)
            self._is_set(device, asked.request)

    def port(self, *, is_open: bool) -> None:
        self._asked = None
        self._held.clear()
        for device in self._devices.values():
            device.lost.clear()
            device.asked = None
            device.is_away = device.part.first_us is not None

    def quiet(self, addresses: set[int]) -> None:
        pass  # in a dialect every poll is written out

    def end(self) -> None:
        for device in self._devices.values():
            if len(device.lost) >= MAX_TRIES and device.part.first_us is not None:
                self._silence(device, None)

    # --- Answers ----------------------------------------------------------------

    def _answered(self, device: _Device, asked: _Asked, answer: bytes) -> None:
        request = asked.request
        self._after_loss(device, asked)
        for order in asked.orders:
            order.answer = answer
        if not self._end.refuses(answer):
            self._is_set(device, request)
        self._shown(device, asked, answer)

    def _after_loss(self, device: _Device, asked: _Asked) -> None:
        """It answers: whether it did before, and what became of what was asked meanwhile."""
        lost, part = device.lost, device.part
        is_silent = len(lost) >= MAX_TRIES
        if part.first_us is None or device.is_away or is_silent:
            if is_silent and part.first_us is not None and not device.is_away:
                self._silence(device, asked.at_us)
            if part.first_us is None:
                part.first_us = asked.at_us
            self.add(Met(at_us=asked.at_us, where=asked.where, device=part.name))
        else:
            # Some devices never answer some questions: that is how they are, and no loss.
            spoilt = [one for one in lost if one.request.what in device.shown]
            if spoilt:
                made = Spoils(
                    at_us=spoilt[0].at_us,
                    where=spoilt[0].where,
                    device=part.name,
                    answers=tuple(one.heard for one in spoilt),
                )
                self.add(made)
        device.lost = []
        device.is_away = False

    def _silence(self, device: _Device, until_us: int | None) -> None:
        first, last = device.lost[0], device.lost[-1]
        made = Silent(
            at_us=first.at_us,
            where=first.where,
            device=device.part.name,
            until_us=until_us,
            ends_us=None if until_us is None else (last.at_us + until_us) // 2,
        )
        self.add(made)

    def _shown(self, device: _Device, asked: _Asked, answer: bytes) -> None:
        what = asked.request.what
        at_us, last = self.at_us, device.shown.get(what)
        if device.answered_us.get(what, asked.at_us) <= device.left_us[0]:
            # It came to answer otherwise while nobody asked: in the middle of that neither a felt
            # that is a little late nor one that is early meets it.
            at_us = sum(device.left_us) // 2
        device.answered_us[what] = asked.at_us
        is_as_set = device.as_set.get(what) == answer
        if last is not None and (
            (last.is_as_set and is_as_set)
            or (last.answer == answer and last.is_as_set == is_as_set)
        ):
            last.looks += 1
            return
        made = Shows(
            at_us=at_us,
            where=self.where,
            device=device.part.name,
            what=what,
            answer=answer,
            is_as_set=is_as_set,
            is_done=bool(asked.request.sets),
            after_us=self.at_us - asked.at_us,
            is_first=last is None,
        )
        if last is not None:
            last.then = made
        device.shown[what] = made
        self.add(made)

    # --- Orders -----------------------------------------------------------------

    def _is_set(self, device: _Device, request: Request) -> None:
        if request.reads_back is not None:
            what, answer = request.reads_back
            device.as_set[what] = answer

    def _ordered(self, device: _Device, asked: _Asked) -> None:
        own: dict[str, int] = {}
        new: dict[str, int] = {}
        for name, value in asked.request.sets.items():
            if device.sets.get(name) != value:
                (own if self._blinks(device, name) else new)[name] = value
                device.sets[name] = value
                device.changed_us[name] = self.at_us
        for sets, is_own in ((own, True), (new, False)):
            if sets:
                made = Ordered(
                    at_us=self.at_us,
                    where=self.where,
                    device=device.part.name,
                    sets=sets,
                    is_own=is_own,
                )
                asked.orders.append(made)
                self.add(made)

    def _blinks(self, device: _Device, name: str) -> bool:
        if not self._end.blinks_us or name not in device.changed_us:
            return False
        halves = (self.at_us - device.changed_us[name]) / self._end.blinks_us
        return BLINKS[0] <= halves <= BLINKS[1]
