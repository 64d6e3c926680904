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

from controller.technician.acting import Act
from controller.technician.asked import AskedDevice
from controller.technician.orders import AHEAD_US, Orders
from controller.technician.played import NOT_IN_THE_RECORD, Answer, PlayedDevice
from controller.technician.script import (
    Arrives,
    GivenUp,
    LeftAlone,
    Met,
    Noise,
    Ordered,
    Part,
    Plug,
    Says,
    Script,
    Shows,
    Silent,
    Spoils,
    Step,
    Told,
    told_of,
)
from drivers.dialects.other_end import Request
from drivers.wire import describe, messages
from drivers.wire.frame import Kind, Packet
from drivers.wire.handshake import Identity, Result

#: What was there within so long after the beginning was there from the beginning.
AT_THE_START_US = 5_000_000
#: felt gets so long to say what it had said; in its own time, however fast the record is played.
PATIENCE_S = 10.0
LEAST_PATIENCE_S = 0.25
#: An answer never takes longer than this: felt would ask again.
LONGEST_ANSWER_S = 0.2


class Stage(Protocol):
    """Where the devices are: ports and brokers."""

    def send(self, part: Part, said: Packet | bytes) -> None: ...
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


def _not_done(act: Act) -> str:
    return f"{act.said} was not done"


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
        self._to_be_silent: dict[str, Silent] = {}
        #: Silent ones that felt has not given up yet, as it had.
        self._not_given_up: dict[str, Silent] = {}
        #: What felt said when a silence began, and is to be answered after it.
        self._owed: dict[str, Told] = {}
        #: Devices that felt has not greeted since they were silent or unplugged.
        self._ungreeted: set[str] = set()
        #: Devices and wires that are silent or unplugged, and until when if that is known.
        self._absent: dict[str, int | None] = {}
        self._unplugged: set[str] = set()
        self._late: list[tuple[float, int, Part, Packet | bytes]] = []
        self._order = itertools.count()
        self._acting: Act | None = None
        self._told = {name: list(told_of(script, name)) for name in script.parts}
        first_us = script.first_us
        self.devices: dict[str, PlayedDevice | AskedDevice] = {}
        self._orders = Orders(script)
        #: What was asked for that nobody knows: each is told once.
        self._unknown: set[tuple[str, str]] = set()
        self._starting: set[str] = set()
        for step in script.steps:
            if (
                isinstance(step, Arrives | Met)
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
        played = self._hearing(device, now)
        if packet.kind is Kind.HELLO:
            self._gives_up(device, now)
        if not isinstance(played, PlayedDevice):
            return
        played.took_us = 0
        answer = played.received(packet, now)
        if packet.kind is Kind.HELLO:
            self._ungreeted.discard(device)
        if answer is not None:
            self._answers(device, answer, played.took_us, now)
        self.advance(now)

    def asked(self, device: str, request: Request, now: float) -> None:
        """The same in a dialect."""
        played = self._hearing(device, now)
        if not isinstance(played, AskedDevice):
            return
        done = b""
        if request.sets:
            heard = self._orders.hear(played, request, self._clock_us)
            self.tally.answers += len(heard.orders)
            if heard.orders:
                self._wait = self._patience
                done = heard.orders[-1].answer
            for words in heard.strange:
                self._strange(f"{self._now_at}: {device}: felt sets {words}, as it had not here")
        answer = played.answer(request, self._clock_us, done)
        if played.in_session:
            self._ungreeted.discard(device)
        if answer is not None:
            self._answers(device, answer[0], answer[1], now)
        elif request.what not in self._script.parts[device].asked:
            self._asks_unknown(device, request.what)
        self.advance(now)

    def _asks_unknown(self, device: str, what: str) -> None:
        if (device, what) not in self._unknown:
            self._unknown.add((device, what))
            self._strange(
                f"{self._now_at}: {device}: felt asks for {what}, which is not in the record; "
                "not answered"
            )

    def _hearing(self, device: str, now: float) -> PlayedDevice | AskedDevice | None:
        """The device that felt speaks to, unless it is silent."""
        if (silent := self._to_be_silent.pop(device, None)) is not None:
            self._is_silent(silent, now)
        return None if now < self._silent_until.get(device, 0.0) else self.devices.get(device)

    def _is_silent(self, silent: Silent, now: float) -> None:
        """It counts from what felt first asked in vain, as it did in the record."""
        silent.is_begun = True
        if silent.told is not None:
            silent.told.is_heard = True
            self._owed[silent.device] = silent.told
        if self._shown is not None and self._shown[1] <= silent.at_us:
            # felt's time-outs count from here, and so does what happened meanwhile.
            self._shown = (now, silent.at_us)
        self._silent_until[silent.device] = now + silent.seconds(silent)
        if silent.given_up is not None:
            # Before that it must not answer, however long this felt takes.
            self._silent_until[silent.device] += self._patience
            self._not_given_up[silent.device] = silent

    def _gives_up(self, device: str, now: float) -> None:
        silent = self._not_given_up.pop(device, None)
        if silent is not None and silent.given_up is not None:
            self._silent_until[device] = now + silent.seconds(silent.given_up)

    def _answers(self, device: str, answer: Packet | bytes, took_us: int, now: float) -> None:
        wait = min(took_us / 1e6 / self._speed, LONGEST_ANSWER_S)
        part = self._script.parts[device]
        heapq.heappush(self._late, (now + wait, next(self._order), part, answer))

    def acted(self, act: Act, problem: str, now: float) -> None:
        """What people did came to its end."""
        if problem:
            self._strange(f"{act.where}: felt did not take {act.said}: {problem}")
        else:
            self.tally.acts += 1
        act.is_done = True
        self._acting = None
        self.advance(now)

    def _answer(self, device: str, message: bytes, now: float) -> Answer:
        """The next recorded command that says the same, and what was answered to it."""
        self.tally.answers += 1
        until_us = self._clock_us + AHEAD_US
        same = [one for one in self._told[device] if one.message == message]
        for told in same:
            if not told.is_heard and told.at_us <= until_us:
                told.is_heard = True
                self._wait = self._patience
                return told, self._taken(told, now)
        if (owed := self._owed.pop(device, None)) is not None and owed.message == message:
            return owed, owed.result
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

    def _taken(self, told: Told, now: float) -> Result | None:
        """What the device answers; nothing if with this it fell silent, or restarted."""
        if told.silence is not None:
            if told.silence.is_begun:
                return told.result
            self._is_silent(told.silence, now)
            return None
        if told.restart is not None and not told.restart.is_begun:
            told.restart.is_begun = True
            # felt says it again when it has greeted it.
            self._owed[told.device] = told
            self._lives_anew(told.restart)
            return None
        return told.result

    def _lives_anew(self, arrives: Arrives) -> None:
        self._born(arrives)
        if not self._is_unplugged(arrives.device):
            self._stage.reborn(arrives.device, arrives.identity)

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
        open_ = sorted(name for name, one in self.devices.items() if self._waits_to_say(name, one))
        if open_ and now - self._ended_at >= self._patience and not self.tally.is_over:
            names = ", ".join(open_)
            self._strange(f"the end: felt has not acknowledged all that was said by {names}")
            open_ = []
        if not open_:
            self.tally.is_over = True

    def _must_wait(self, step: Step, now: float) -> bool:
        """Whether felt must do something first; when it does not come to that, it is said."""
        missing = self._missing(step) or self._not_asked_in_vain(step)
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
            case Arrives(device=device, is_new_life=False) | Met(device=device):
                return self._missing_greeting(device)
            case Says(device=device) if device in self.devices:
                return self._unacknowledged(but=device)
            case Shows() | Spoils() | Ordered():
                return self._missing_in_dialect(step)
            case Act(is_done=False):
                # What people did before felt had the last event, they did after it in the record.
                waits = "" if self._acting is step else self._unacknowledged()
                return waits or _not_done(step)
        return ""

    def _not_asked_in_vain(self, step: Step) -> str:
        """A silence begins when felt asks, and it is not over before felt has given the device up;
        what follows it follows that."""
        if isinstance(step, GivenUp) and step.device in self._not_given_up:
            return f"{step.device}: felt has not given it up, as it had here"
        for name, silent in self._to_be_silent.items():
            if step.at_us > silent.at_us and not self._is_unplugged(name):
                return f"{name}: felt has not asked it anything, as it had here"
        return ""

    def _missing_greeting(self, name: str) -> str:
        device = self.devices.get(name)
        is_greeted = device is None or (device.in_session and name not in self._ungreeted)
        return "" if is_greeted else f"{name}: felt has not greeted it, as it had here"

    def _missing_in_dialect(self, step: Shows | Spoils | Ordered) -> str:
        device = self.devices.get(step.device)
        if not isinstance(device, AskedDevice) or self._is_away(step.device):
            return ""
        match step:
            case Shows(what=what, is_first=False) if device.is_new(what):
                return f"{step.device}: felt has not asked for {what}, as it had before this"
            case Shows(is_first=False, is_as_set=False):
                return self._unacknowledged()
            case Spoils() if device.is_spoilt:
                return f"{step.device}: felt has not asked it again, as it had before this"
            case Ordered(is_own=False, is_heard=False) if not device.has_set(step):
                words = ", ".join(f"{name} to {value}" for name, value in step.sets.items())
                return f"{step.device}: felt has not set {words}, as it had here"
        return ""

    def _is_away(self, name: str) -> bool:
        away = name in self._absent or name in self._to_be_silent
        return away or self._script.parts[name].wire in self._absent

    def _is_unplugged(self, name: str) -> bool:
        """It comes back with its cable, or to its broker."""
        return name in self._unplugged or self._script.parts[name].wire in self._unplugged

    def _waits_to_say(self, name: str, device: PlayedDevice | AskedDevice) -> bool:
        return bool(device.unacknowledged) and device.in_session and not self._is_away(name)

    def _unacknowledged(self, but: str = "") -> str:
        """Whose words felt has not taken yet: on two wires the later one could overtake them."""
        for name, one in self.devices.items():
            if name != but and self._waits_to_say(name, one):
                return f"{name}: felt has not acknowledged what it said before this"
        return ""

    def _happens(self, step: Step, now: float) -> None:
        match step:
            case Shows() | Spoils() | Met() | Ordered():
                self._happens_in_dialect(step)
            case Arrives(device=device):
                if device not in self.devices or (step.is_new_life and not step.is_begun):
                    self._lives_anew(step)
            case Says(device=device):
                played = self.devices.get(device)
                if isinstance(played, PlayedDevice):
                    self.tally.events += 1
                    played.say(step)
            case Silent(device=device, until_us=until_us):
                self._absent[device] = until_us
                self._nobody_hears(device)
                if not step.is_begun:
                    self._to_be_silent[device] = step
            case LeftAlone(device=device, until_us=until_us):
                self._absent[device] = until_us
            case Noise(wire=wire, data=data, channel=channel):
                self._stage.noise(wire, data, channel)
            case Plug(wire=wire, device=device, is_in=is_in):
                self._stage.plug(wire, device, is_in=is_in)
                if is_in:
                    self._absent.pop(device or wire, None)
                    self._unplugged.discard(device or wire)
                else:
                    self._absent[device or wire] = None
                    self._unplugged.add(device or wire)
                    self._nobody_hears(device or wire)

    def _happens_in_dialect(self, step: Shows | Spoils | Met | Ordered) -> None:
        played = self.devices.get(step.device)
        if isinstance(step, Met) and played is None:
            self._born(step)
        elif isinstance(played, AskedDevice):
            match step:
                case Shows():
                    self.tally.events += not (step.is_first or step.is_as_set or step.is_done)
                    played.show(step)
                case Spoils():
                    played.spoil(step)

    def _nobody_hears(self, place: str) -> None:
        """A device, or all on a wire."""
        for name, one in self.devices.items():
            if place in (name, self._script.parts[name].wire):
                self._ungreeted.add(name)
                if isinstance(one, AskedDevice):
                    one.is_gone()

    def _born(self, arrives: Arrives | Met) -> None:
        name = arrives.device
        if isinstance(arrives, Met):
            firsts = [one for one in self._script.steps if isinstance(one, Shows)
                      and one.is_first and one.device == name]  # fmt: skip
            self.devices[name] = AskedDevice(self._script.parts[name], firsts)
            return
        self.devices[name] = PlayedDevice(
            arrives.identity,
            self._key(name),
            lambda message, now: self._answer(name, message, now),
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
