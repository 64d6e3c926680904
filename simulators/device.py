"""A simulated device: the other end of felt's own protocol, with consequences.

What it is told has the effects that it would have at a table, each at its time. It is strict: what
no controller in its senses would tell it is not carried out, and noted in ``errors``. The same seed
and the same commands at the same times give the same device. No I/O and no clock: time comes in.
"""

from __future__ import annotations

import hashlib
import heapq
import itertools
import random
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable
from math import inf
from typing import ClassVar

from drivers.wire import messages
from drivers.wire.frame import Kind, Packet
from drivers.wire.handshake import PROTOCOL, DeviceKind, Identity, Outcome
from drivers.wire.keys import BENCH_KEY, NONCE_BYTES
from drivers.wire.messages import Command, Event, Nature
from drivers.wire.responder import Responder
from simulators.faults import Fault, Faults

MAX_ERRORS = 64
#: For those who want to know what it was told: so far back.
MAX_DONE = 1024
#: Things that are still to happen at a device.
MAX_AHEAD = 64
#: How long a restart takes: it hears nothing meanwhile.
RESTART_S = 0.5
#: How long it waits for a word from felt before anybody has told it how long.
WATCHDOG_S = 3.0
#: What leaves a device in its safe state.
RESTING = (messages.Lock, messages.Stop, messages.Return, messages.GiveBack)

Answer = tuple[Outcome, str]
DONE: Answer = ("done", "")
ACCEPTED: Answer = ("accepted", "")
#: Outcomes of what was carried out, or begun.
DID = ("done", "accepted")


class Device(ABC):
    kind: ClassVar[DeviceKind]
    capabilities: str = ""

    def __init__(
        self,
        *,
        name: str = "",
        key: bytes = BENCH_KEY,
        address: int = 1,
        polled: bool = False,
        seed: int = 0,
        boot: int = 1,
        faults: Iterable[Fault] = (),
        serial_number: str = "",
        protocol: int = PROTOCOL,
    ) -> None:
        """``protocol``: which it says that it speaks, as one that is older or newer than felt."""
        self.name = name or self.kind
        self.serial_number = serial_number or f"SIM-{self.name.replace(' ', '-')}"[:24]
        self._protocol = protocol
        self.address = address
        self.now = 0.0
        #: What it was told that nobody should have told it.
        self.errors: deque[str] = deque(maxlen=MAX_ERRORS)
        #: Every command that it carried out, in order; a command repeated on the wire is here once.
        self.done: deque[Command] = deque(maxlen=MAX_DONE)
        #: For those who watch: what it was told, and what it answered.
        self.on_told: Callable[[Command, Answer], None] = lambda command, answer: None
        self.faults = Faults(self.kind, faults)
        self.random = random.Random(f"{self.name}/{seed}")
        self.door_is_open = False
        #: What is wrong with it, until somebody has put it right.
        self.trouble: set[Nature] = set()
        self.is_safe = True
        #: Its own cable is out: it hears nothing, and nobody hears it.
        self.is_cut = False
        #: Something was done to it since it was last asked when it wakes.
        self.is_stirred = True
        self.boot = boot - 1
        self._key = key
        self._polled = polled
        self._down_until = 0.0
        self._mute_until = 0.0
        self._watchdog = WATCHDOG_S
        self._ahead: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self.responder = self._started()

    # --- What happens to any device ---------------------------------------------

    def restart(self) -> None:
        """Its power was cut for a moment: what is in its memory is gone, what lies in it is not."""
        self.is_stirred = True
        self._down_until = self.now + RESTART_S
        self._ahead.clear()
        self._watchdog = WATCHDOG_S
        self.is_safe = True
        self.responder = self._started()
        self.forget()

    def unplug(self) -> None:
        """Its own cable is pulled, where it shares the wire with others; it has power."""
        self.is_cut = True
        self.is_stirred = True

    def plug_in(self) -> None:
        self.is_cut = False
        self.is_stirred = True

    @property
    def is_starting(self) -> bool:
        """Its power is back, and it hears nothing yet."""
        return self.now < self._down_until

    def open_door(self) -> None:
        self.door_is_open = True
        self.tell(messages.Door(True))

    def close_door(self) -> None:
        if self.door_is_open and not self.faults.is_on("door"):
            self.door_is_open = False
            self.tell(messages.Door(False))

    def fail(self, nature: Nature) -> None:
        self.trouble.add(nature)
        self.tell(messages.Fault(nature))

    def clear(self) -> None:
        """Somebody has put right what was wrong."""
        for nature in sorted(self.trouble):
            self.tell(messages.FaultCleared(nature))
        self.trouble.clear()

    def tell(self, event: Event) -> int:
        """Something happened, under this number."""
        self.is_stirred = True
        return self.responder.tell(event)

    # --- What each kind makes of it -----------------------------------------------

    @abstractmethod
    def obey(self, command: Command) -> Answer | None:
        """Carry a command out; none if it is not for this kind of device."""

    @abstractmethod
    def report(self) -> Iterable[Event]:
        """How it stands."""

    def go_safe(self) -> None:
        """Locked, at rest."""
        return

    def forget(self) -> None:
        """It has restarted."""
        return

    def look(self) -> None:
        """Time has passed, and somebody may have put something in or taken something out."""
        return

    # --- Time -------------------------------------------------------------------

    def advance(self, now: float) -> None:
        """Let everything happen that is due by now."""
        while self._ahead and self._ahead[0][0] <= now:
            at, _, what = heapq.heappop(self._ahead)
            self.now = max(self.now, at)
            self.look()
            what()
        self.now = max(self.now, now)
        if self.faults.any_on:
            self._suffer()
        self._watch()
        self.look()

    def _suffer(self) -> None:
        if not self.door_is_open and self.faults.strikes("door", self.now):
            self.open_door()
        if fault := self.faults.strikes("mute", self.now):
            self._mute_until = self.now + fault.number

    @property
    def is_on_its_own(self) -> bool:
        """Whether nothing becomes of it but by its wire, in its time, or by somebody at it.

        One that looks at the table top may see something at any time, and a fault may strike
        whenever it is asked for.
        """
        return type(self).look is Device.look and not self.faults.any_on

    def wakes_at(self) -> float:
        """When ``advance`` or ``next_packet`` has something to do, if nothing comes in before."""
        ahead = self._ahead[0][0] if self._ahead else inf
        heard = self.responder.heard_at
        watch = inf
        if heard is not None and not self.is_safe:
            watch = heard + self._watchdog
        quiet_until = max(self._down_until, self._mute_until)
        speaks = self.responder.wakes_at()
        speaks = max(speaks, quiet_until) if speaks < inf and not self.is_cut else inf
        return min(ahead, watch, speaks, self.faults.wakes_at(self.now))

    def after(self, seconds: float, what: Callable[[], None]) -> None:
        """Have something happen; by its own clock, which may be wrong."""
        if len(self._ahead) >= MAX_AHEAD:
            raise RuntimeError(f"more than {MAX_AHEAD} things are to happen at the {self.name}")
        entry = (self.now + seconds / self._clock_rate(), next(self._order), what)
        heapq.heappush(self._ahead, entry)
        self.is_stirred = True

    def _clock_rate(self) -> float:
        fault = self.faults.strikes("clock", self.now)
        return fault.number if fault else 1.0

    def _watch(self) -> None:
        heard = self.responder.heard_at
        if heard is not None and not self.is_safe and self.now >= heard + self._watchdog:
            self._safe()
            self.tell(messages.WentSafe())

    def _safe(self) -> None:
        self.is_safe = True
        self.go_safe()

    # --- The wire ---------------------------------------------------------------

    def received(self, packet: Packet, now: float) -> Packet | None:
        """A packet from felt; the answer to it, if there is one."""
        self.advance(now)
        if self.is_cut or now < self._down_until:
            return None
        responder = self.responder
        answer = responder.received(packet, now)
        if packet.kind is Kind.COMMAND and answer and self.faults.strikes("reset", now):
            self.restart()
            return None
        return None if now < self._mute_until else answer

    def next_packet(self, now: float) -> Packet | None:
        """An event to send unasked."""
        self.advance(now)
        if self.is_cut or now < max(self._down_until, self._mute_until):
            return None
        return self.responder.next_packet(now)

    def _started(self) -> Responder:
        self.boot += 1
        identity = Identity(
            protocol=self._protocol,
            kind=self.kind,
            model=f"simulated {self.kind}",
            serial_number=self.serial_number,
            firmware=firmware_of(self.kind),
            boot=self.boot,
            capabilities=self.capabilities,
            nonce=bytes(NONCE_BYTES),
        )
        return Responder(
            identity,
            self._key,
            self._do,
            lambda: self.random.randbytes(NONCE_BYTES),
            address=self.address,
            polled=self._polled,
        )

    def _do(self, command: Command) -> Answer:
        answer = self._carried_out(command)
        if answer[0] in DID:
            self.done.append(command)
        self.on_told(command, answer)
        return answer

    def _carried_out(self, command: Command) -> Answer:
        match command:
            case messages.Report():
                for event in self._report():
                    self.tell(event)
                return DONE
            case messages.SetWatchdog(milliseconds):
                self._watchdog = milliseconds / 1000 / self._clock_rate()
                return DONE
            case messages.Quiesce():
                self._safe()
                return DONE
        answer = self.obey(command) if self.kind in command.devices else None
        if answer is None:
            why = f"a {self.kind} does not know it"
            self.errors.append(f"{messages.name(command)}: {why}")
            return "unknown", why
        if answer[0] in DID and not isinstance(command, RESTING):
            self.is_safe = False
        return answer

    def _report(self) -> Iterable[Event]:
        yield from self.report()
        yield from (messages.Fault(nature) for nature in sorted(self.trouble))
        if self.door_is_open:
            yield messages.Door(True)

    def refuse(self, command: Command, why: str) -> Answer:
        """Nobody should have told it this."""
        self.errors.append(f"{messages.name(command)}: {why}")
        return "refused", why


def firmware_of(kind: str) -> bytes:
    """The digest of the program in a simulated device, for lists of what is approved."""
    return hashlib.sha256(f"felt simulator of a {kind}".encode()).digest()
