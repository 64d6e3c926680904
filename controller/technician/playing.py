"""Plays a script to a felt that runs: recorded devices, speaking for themselves.

Each device answers by the protocol, with keys of the new session: what it says is what was
recorded. The record's clock runs as fast as is asked for, and waits where felt has not yet said
what it had said there: a stack is not dispensed before it is ordered. When felt does not come to
say it, or says what has no answer in the record, that is told with the place in the record.

No I/O and no clock: packets and times in and out.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

import msgspec

from controller.technician.acting import Act
from controller.technician.script import (
    Arrives,
    Noise,
    Part,
    Plug,
    Says,
    Script,
    Silent,
    Step,
    Told,
    told_of,
)
from drivers.wire import describe, handshake, messages
from drivers.wire.frame import Kind, Packet
from drivers.wire.handshake import Identity, Result
from drivers.wire.responder import MAX_REMEMBERED, Responder

#: What was there within so long after the beginning was there from the beginning.
AT_THE_START_US = 5_000_000
#: felt may be ahead of the record by so much: what it says is looked for up to there.
AHEAD_US = 10_000_000
#: felt gets so long to say what it had said; in its own time, however fast the record is played.
PATIENCE_S = 10.0
LEAST_PATIENCE_S = 0.25
#: An answer never takes longer than this: felt would ask again.
LONGEST_ANSWER_S = 0.2
NOT_IN_THE_RECORD = "it is not in the record"


class Stage(Protocol):
    """Where the devices are: ports and brokers."""

    def send(self, part: Part, packet: Packet) -> None: ...
    def noise(self, wire: str, data: bytes, channel: str) -> None: ...
    def plug(self, wire: str, device: str, *, is_in: bool) -> None: ...
    def reborn(self, device: str, identity: Identity) -> None: ...
    def act(self, act: Act) -> None: ...


@dataclass(slots=True)
class Tally:
    """How it went."""

    events: int = 0
    answers: int = 0
    acts: int = 0
    #: What felt did not say though it had, or said though it had not; each with its place.
    strange: list[str] = field(default_factory=list)
    is_over: bool = False


class PlayedDevice(Responder):
    """One recorded device. ``answered`` says what became of a command: nothing if it was silent."""

    def __init__(
        self,
        identity: Identity,
        key: bytes,
        answered: Callable[[bytes], tuple[Told | None, Result | None]],
        nonce: Callable[[], bytes],
        part: Part,
    ) -> None:
        super().__init__(
            identity, key, _does_nothing, nonce, address=part.address, polled=part.polled
        )
        self._answered = answered
        self._written: dict[int, Says] = {}
        #: How long the answer that is given next took in the record.
        self.took_us = 0

    def say(self, says: Says) -> None:
        self._written[says.seq] = says
        self._next_event = says.seq
        # The message itself is in what is written: it need not be one that this felt knows.
        self.tell(messages.WentSafe())

    def _oldest_event(self) -> Packet | None:
        if self._keys is None:
            return None
        seq = self._events[0][0]
        says = self._written[seq]
        written = says.message
        message = messages.from_bytes(written) if says.covers else None
        if isinstance(message, messages.Dispensed):
            covered = self._keys.cover(message.faces, seq)
            written = messages.to_bytes(msgspec.structs.replace(message, faces=covered))
        return self._signed(Kind.EVENT, seq, written)

    def _command(self, packet: Packet, now: float) -> Packet | None:
        number = int.from_bytes(packet.payload[:4], "big")
        result = self._remembered.get(number)
        if result is None:
            told, found = self._answered(packet.payload[4:])
            if found is None:
                return None
            self.took_us = told.after_us if told else 0
            result = Result(number, found.outcome, found.detail)
            self._remembered[number] = result
            if len(self._remembered) > MAX_REMEMBERED:
                self._remembered.popitem(last=False)
        return self._signed(Kind.RESULT, packet.seq, handshake.result_to_bytes(result))


def _not_done(act: Act) -> str:
    return f"{act.said} was not done"


def _does_nothing(_message: messages.Command) -> tuple[handshake.Outcome, str]:
    return "unknown", NOT_IN_THE_RECORD


class Player:
    def __init__(
        self,
        script: Script,
        key: Callable[[str], bytes],
        nonce: Callable[[], bytes],
        stage: Stage,
        said: Callable[[str], None],
        *,
        speed: float = 1.0,
        strict: bool = False,
        patience: float = PATIENCE_S,
    ) -> None:
        """``said`` gets what felt did not do as recorded; ``strict`` ends there."""
        self.tally = Tally()
        self._script = script
        self._stage = stage
        self._said = said
        self._speed = speed
        self._strict = strict
        self._patience = self._wait = patience
        self._key, self._nonce = key, nonce
        self._place = 0
        #: The record's clock: what it showed at a time of ours. It stands before the beginning.
        self._shown: tuple[float, int] | None = None
        self._waits_since: float | None = None
        #: When the last step was done.
        self._ended_at: float | None = None
        self._silent_until: dict[str, float] = {}
        #: For how long, from when felt next asks.
        self._to_be_silent: dict[str, float] = {}
        #: Devices and wires that are silent or unplugged, and until when if that is known.
        self._absent: dict[str, int | None] = {}
        self._late: list[tuple[float, int, Part, Packet]] = []
        self._order = itertools.count()
        self._acting: Act | None = None
        self._told = {name: list(told_of(script, name)) for name in script.parts}
        first_us = script.first_us
        self.devices: dict[str, PlayedDevice] = {}
        self._starting: set[str] = set()
        for step in script.steps:
            if (
                isinstance(step, Arrives)
                and step.device not in self.devices
                and step.at_us <= first_us + AT_THE_START_US
            ):
                self._born(step)
                self._starting.add(step.device)

    @property
    def has_begun(self) -> bool:
        return self._shown is not None

    @property
    def waits_for(self) -> list[str]:
        """Devices that felt has not greeted yet; the record begins when it has."""
        return sorted(one for one in self._starting if not self.devices[one].in_session)

    # --- What felt says ---------------------------------------------------------

    def received(self, device: str, packet: Packet, now: float) -> None:
        played = self.devices.get(device)
        if (silence := self._to_be_silent.pop(device, None)) is not None:
            # It counts from what felt first asked in vain, as it did in the record.
            self._silent_until[device] = now + silence
        if played is None or now < self._silent_until.get(device, 0.0):
            return
        played.took_us = 0
        answer = played.received(packet, now)
        if answer is not None:
            wait = min(played.took_us / 1e6 / self._speed, LONGEST_ANSWER_S)
            part = self._script.parts[device]
            heapq.heappush(self._late, (now + wait, next(self._order), part, answer))
        self.advance(now)

    def acted(self, act: Act, problem: str, now: float) -> None:
        """What people did came to its end."""
        if problem:
            self._strange(f"{act.where}: felt did not take {act.said}: {problem}")
        else:
            self.tally.acts += 1
        act.is_done = True
        self._acting = None
        self.advance(now)

    def _answer(self, device: str, message: bytes) -> tuple[Told | None, Result | None]:
        """The next recorded command that says the same, and what was answered to it."""
        self.tally.answers += 1
        until_us = self._clock_us + AHEAD_US
        same = [one for one in self._told[device] if one.message == message]
        for told in same:
            if not told.is_heard and told.at_us <= until_us:
                told.is_heard = True
                self._wait = self._patience
                return told, told.result
        words = describe.message(messages.from_bytes(message))
        place = self._now_at
        before = next((one for one in reversed(same) if one.is_heard and one.result), None)
        if before is not None:
            self._strange(
                f"{place}: {device}: felt says {words}, which has no answer left in the record; "
                f"answered as at {before.where}"
            )
            return before, before.result
        self._strange(f"{place}: {device}: felt says {words}, which is not in the record; refused")
        return None, Result(0, "refused", NOT_IN_THE_RECORD)

    # --- The record's clock -----------------------------------------------------

    @property
    def _clock_us(self) -> int:
        return self._shown[1] if self._shown else self._script.first_us

    @property
    def _now_at(self) -> str:
        """The record that is next."""
        steps = self._script.steps
        return steps[min(self._place, len(steps) - 1)].where if steps else "the record"

    def _due(self, step: Step) -> float:
        assert self._shown is not None
        at, us = self._shown
        # felt misses a device by its own time: what is missing is so for as long as it was.
        speed = min(self._speed, 1.0) if self._absent else self._speed
        return at + (step.at_us - us) / 1e6 / speed

    def wakes_at(self) -> float:
        """When ``advance`` has something to do, if nothing comes in before."""
        late = self._late[0][0] if self._late else inf
        speak = min((self._speaks_at(name) for name in self.devices), default=inf)
        due = inf
        if self._shown is not None and self._place < len(self._script.steps):
            due = self._due(self._script.steps[self._place])
            if self._waits_since is not None:
                due = self._waits_since + self._wait
        elif self._ended_at is not None:
            due = self._ended_at + self._patience
        return min(late, speak, due)

    def _speaks_at(self, name: str) -> float:
        at = self.devices[name].wakes_at()
        if at == inf or name in self._to_be_silent:
            return inf
        return max(at, self._silent_until.get(name, 0.0))

    def advance(self, now: float) -> None:
        """Do what is due by now."""
        if self._shown is None:
            if not self.devices or self.waits_for:
                self._send(now)
                return
            self._shown = (now, self._script.first_us)
        steps = self._script.steps
        while self._place < len(steps) and not self.tally.is_over:
            step = steps[self._place]
            if self._due(step) > now:
                break
            if self._must_wait(step, now):
                break
            if self._waits_since is not None:
                self._waits_since = None
                self._shown = (now, step.at_us)
            else:
                self._shown = (self._due(step), step.at_us)
            self._place += 1
            self._absent = {
                name: until
                for name, until in self._absent.items()
                if until is None or until > step.at_us
            }
            self._happens(step, now)
        self._send(now)
        if self._place >= len(steps):
            self._ends(now)

    def _ends(self, now: float) -> None:
        """Over when felt has everything that was said to it."""
        self._ended_at = now if self._ended_at is None else self._ended_at
        open_ = sorted(name for name, one in self.devices.items() if one.unacknowledged)
        if open_ and now - self._ended_at >= self._patience and not self.tally.is_over:
            names = ", ".join(open_)
            self._strange(f"the end: felt has not acknowledged all that was said by {names}")
            open_ = []
        if not open_:
            self.tally.is_over = True

    def _must_wait(self, step: Step, now: float) -> bool:
        """Whether felt must do something first; when it does not come to that, it is said."""
        missing = self._missing(step)
        if not missing:
            return False
        if self._waits_since is None:
            self._waits_since = now
        if isinstance(step, Act) and not step.is_done and missing == _not_done(step):
            if self._acting is not step:
                self._acting = step
                self._stage.act(step)
            return True  # whoever acts has patience of their own
        if now - self._waits_since < self._wait:
            return True
        # Where one thing is missing so is what follows from it: that is not waited for as long.
        self._wait = max(self._wait / 2, LEAST_PATIENCE_S)
        self._strange(f"{step.where}: {missing}")
        return self.tally.is_over

    def _missing(self, step: Step) -> str:
        match step:
            case Told(device=device, is_heard=False, message=message) if device in self.devices:
                words = describe.message(messages.from_bytes(message))
                return f"{device}: felt has not said {words}, as it had here"
            case Arrives(device=device, is_new_life=False) if device in self.devices:
                if not self.devices[device].in_session:
                    return f"{device}: felt has not greeted it, as it had here"
            case Says(device=device) if device in self.devices:
                return self._unacknowledged(but=device)
            case Act(is_done=False):
                # What people did before felt had the last event, they did after it in the record.
                if self._acting is not step and (waits := self._unacknowledged()):
                    return waits
                return _not_done(step)
        return ""

    def _unacknowledged(self, but: str = "") -> str:
        """Whose words felt has not taken yet: on two wires the later one could overtake them."""
        for name, one in self.devices.items():
            away = name in self._absent or name in self._to_be_silent or not one.in_session
            wire = self._script.parts[name].wire
            if name != but and one.unacknowledged and not away and wire not in self._absent:
                return f"{name}: felt has not acknowledged what it said before this"
        return ""

    def _happens(self, step: Step, now: float) -> None:
        match step:
            case Arrives(device=device):
                if device not in self.devices or step.is_new_life:
                    self._born(step)
                    self._stage.reborn(device, step.identity)
            case Says(device=device) if device in self.devices:
                self.tally.events += 1
                self.devices[device].say(step)
            case Silent(device=device, until_us=until_us):
                self._absent[device] = until_us
                self._to_be_silent[device] = (
                    inf if until_us is None else (until_us - step.at_us) / 1e6
                )
            case Noise(wire=wire, data=data, channel=channel):
                self._stage.noise(wire, data, channel)
            case Plug(wire=wire, device=device, is_in=is_in):
                self._stage.plug(wire, device, is_in=is_in)
                if is_in:
                    self._absent.pop(device or wire, None)
                else:
                    self._absent[device or wire] = None

    def _born(self, arrives: Arrives) -> None:
        name = arrives.device
        self.devices[name] = PlayedDevice(
            arrives.identity,
            self._key(name),
            lambda message: self._answer(name, message),
            self._nonce,
            self._script.parts[name],
        )

    # --- What the devices say ---------------------------------------------------

    def _send(self, now: float) -> None:
        while self._late and self._late[0][0] <= now:
            _, _, part, answer = heapq.heappop(self._late)
            self._stage.send(part, answer)
        for name, device in self.devices.items():
            if now >= self._speaks_at(name) and (packet := device.next_packet(now)):
                self._stage.send(self._script.parts[name], packet)

    def _strange(self, text: str) -> None:
        self.tally.strange.append(text)
        self._said(text)
        if self._strict:
            self.tally.is_over = True
