"""The terminal as a device: what felt tells it, what its player asks for, and what became of that.

The lock is here, not on the page: a wager that comes when it is closed is told as a late one,
whatever the page shows. What is asked for is on the disk before anybody is told that it was.
"""

from __future__ import annotations

import os
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec

from controller.rules.faults import Refused
from controller.terminal import firmware
from controller.terminal.memory import Memory
from drivers.wire import messages
from drivers.wire.handshake import PROTOCOL, Identity
from drivers.wire.keys import NONCE_BYTES
from drivers.wire.messages import Command, Event
from drivers.wire.responder import Do, Responder
from simulators.device import Answer
from simulators.terminal import Terminal

#: What its player has asked for and felt has not taken: who presses more than that is told to wait.
MAX_WAITING = 8
#: Requests of which it is known what became of them; and presses that count once.
MAX_REQUESTS, MAX_PRESSES = 8, 64
MAX_WAGERS = 16
#: A transfer that felt has and that it has not answered is asked for again after so long.
ASK_AGAIN_S = 10.0

Became = Literal["sent", "taken", "refused"]
NO_CONTACT = "the table is not heard: nothing can be asked for now"


@dataclass(frozen=True, slots=True)
class Request:
    """Something that the player has asked for, by the number of the event that says so."""

    number: int
    press: str
    what: str
    name: str
    cents: int
    became: Became = "sent"
    reason: str = ""


class _Responder(Responder):
    """One whose events outlive it."""

    def __init__(
        self,
        identity: Identity,
        key: bytes,
        do: Do,
        nonce: Callable[[], bytes],
        *,
        memory: Memory,
        has: Callable[[int], None],
    ) -> None:
        super().__init__(identity, key, do, nonce)
        self.press = ""
        self._memory = memory
        self._has = has
        self._next_event = memory.next
        self._events.extend((one.number, one.read()) for one in memory.waiting)

    def tell(self, event: Event) -> int:
        number = super().tell(event)
        if self._events and self._events[-1][0] == number:
            self._memory.say(number, self.press, event)
        return number

    def _forget(self, seq: int) -> None:
        before = len(self._events)
        super()._forget(seq)
        if len(self._events) != before:
            self._memory.heard(seq)
            self._has(seq)


class Tablet(Terminal):
    """``changed`` is called when something is otherwise than it was."""

    capabilities = "offers"

    def __init__(
        self,
        *,
        seat: int,
        name: str,
        key: bytes,
        memory: Memory,
        serial_number: str = "",
        transfers: bool = True,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.changed = changed
        self._memory = memory
        self._serial_number = serial_number or f"TABLET-{seat}"
        #: Whether money comes and goes at this terminal.
        self.transfers = transfers
        self.seat_state: messages.SeatState | None = None
        self.wagers: dict[str, messages.WagerState] = {}
        self.decision: messages.AskDecision | None = None
        self.requests: OrderedDict[int, Request] = OrderedDict()
        self._presses: OrderedDict[str, int] = OrderedDict()
        self._asked_at = 0.0
        super().__init__(seat=seat, name=name, key=key)
        for one in memory.waiting:
            self._keep(one.number, one.press, one.read())
        # As far as nobody knows what became of them.
        self._open.update(memory.transfers())

    def _started(self) -> Responder:
        self.boot = self._memory.boot
        identity = Identity(
            protocol=PROTOCOL,
            kind=self.kind,
            model="felt tablet",
            serial_number=self._serial_number,
            firmware=firmware.digest(),
            boot=self.boot,
            capabilities=self.capabilities,
            nonce=bytes(NONCE_BYTES),
        )
        return _Responder(
            identity,
            self._key,
            self._do,
            lambda: os.urandom(NONCE_BYTES),
            memory=self._memory,
            has=self._taken,
        )

    # --- What the player does -----------------------------------------------------

    def asks(self, press: str, what: str, do: Callable[[], Any]) -> Request:
        """Have something done once for each press; ``Refused`` says to the player why not."""
        if (known := self._presses.get(press)) is not None:
            return self.requests.get(known) or Request(known, press, what, "", 0, "taken")
        if self.is_safe:
            raise Refused("", NO_CONTACT)
        if self.responder.unacknowledged >= MAX_WAITING:
            raise Refused("", "the table has not taken what was asked for before; wait a moment")
        before = self._memory.next
        responder = self.responder
        assert isinstance(responder, _Responder)
        responder.press = press
        try:
            do()
        finally:
            responder.press = ""
        if self._memory.next == before:
            raise Refused("", "the terminal is locked")
        self.changed()
        return self.requests[before]

    def tell(self, event: Event) -> int:
        responder = self.responder
        assert isinstance(responder, _Responder)
        number = super().tell(event)
        self._keep(number, responder.press, event)
        return number

    def _keep(self, number: int, press: str, event: Event) -> None:
        if press:
            self._presses[press] = number
            while len(self._presses) > MAX_PRESSES:
                self._presses.popitem(last=False)
        if not isinstance(event, _REQUESTS):
            return
        said = msgspec.to_builtins(event)
        named = said.get("wager") or said.get("choice") or said.get("player") or ""
        cents = said.get("cents", 0)
        self.requests[number] = Request(number, press, messages.name(event), named, cents)
        while len(self.requests) > MAX_REQUESTS:
            self.requests.popitem(last=False)

    def _new_id(self) -> str:
        return f"{self.name.replace(' ', '-')}-{secrets.token_hex(6)}"

    def _transfer(self, asked: messages.BuyIn | messages.CashOut) -> str:
        self._open[asked.transfer] = asked
        self._asked_at = self.now
        self.tell(asked)
        return asked.transfer

    # --- What became of it ----------------------------------------------------------

    def _taken(self, number: int) -> None:
        """felt has acknowledged it; had it not been taken, a refusal would have come first."""
        for one in list(self.requests.values()):
            if one.number <= number and one.became == "sent":
                self.requests[one.number] = replace(one, became="taken")
        self.changed()

    def obey(self, command: Command) -> Answer | None:
        match command:
            case messages.SeatState():
                self.seat_state = command
            case messages.WagerState(wager=wager):
                if wager in self.wagers or len(self.wagers) < MAX_WAGERS:
                    self.wagers[wager] = command
            case messages.AskDecision(street=street):
                self.decision = command if street else None
            case messages.Refused(event=number, reason=reason):
                if number in self.requests:
                    was = self.requests[number]
                    self.requests[number] = replace(was, became="refused", reason=reason)
                self._memory.answered(command.name)
                return super().obey(command)
            case messages.Credit(transfer=transfer):
                self._memory.answered(transfer)
                return super().obey(command)
            case _:
                return super().obey(command)
        return "done", ""

    def _do(self, command: Command) -> Answer:
        answer = super()._do(command)
        self.changed()
        return answer

    def go_safe(self) -> None:
        super().go_safe()
        self.changed()

    # --- Time -----------------------------------------------------------------------

    def advance(self, now: float) -> None:
        super().advance(now)
        waits = self._open and not self.responder.unacknowledged and not self.is_safe
        if waits and now >= self._asked_at + ASK_AGAIN_S:
            # felt has it, and its answer did not come; the same id gets the same answer.
            self._asked_at = now
            self.tell(next(iter(self._open.values())))


_REQUESTS = (
    messages.Sat,
    messages.Left,
    messages.BuyIn,
    messages.CashOut,
    messages.Wager,
    messages.LateWager,
    messages.WagerRemoved,
    messages.Decision,
)
