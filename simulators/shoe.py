"""A simulated automated shoe: it gives out the cards that are in it, from the top, in stacks.

A stack comes out when the one before it was taken. It reads faces if it is a shoe that does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from drivers.wire import messages
from drivers.wire.messages import Command, Event
from simulators.device import ACCEPTED, DONE, Answer, Device
from simulators.tabletop import SHOE, TRAY, TableTop

DISPENSE_S = 0.8
MAX_GIVEN = 1024


class Shoe(Device):
    kind = "shoe"
    #: How long a stack takes; whoever is in a hurry has one that is faster.
    dispense_s = DISPENSE_S

    def __init__(self, top: TableTop, *, reads: bool = False, **more: Any) -> None:
        self.top = top
        self.reads = reads
        self.round = 0
        self.stacks: tuple[int, ...] = ()
        self.last = 0
        self.last_cards = 0
        #: The stacks that left it, as (round, number, cards).
        self.given: deque[tuple[int, int, int]] = deque(maxlen=MAX_GIVEN)
        self._ordered: messages.Dispense | None = None
        self._in_tray = 0
        self._was_loaded = False
        super().__init__(**more)

    def stands(
        self,
        round_: int,
        stacks: tuple[int, ...],
        last: int,
        *,
        is_coming: bool = False,
        lies: int = 0,
    ) -> None:
        """It is in the middle of a round, and somebody has taken what it gave out so far.

        Or has just taken the stack that lay in its exit, and it will say so.
        """
        self._in_tray = lies
        self.round, self.stacks, self.last = round_, stacks, last
        self.last_cards = stacks[last - 1] if last else 0
        self._was_loaded = self.top.count(SHOE) > 0
        if is_coming:
            order = messages.Dispense(round_, last + 1, stacks[last])
            self._ordered = order
            self.after(self.dispense_s, lambda: self._give(order))

    @property
    def is_coming(self) -> bool:
        """A stack is on its way out."""
        return self._ordered is not None

    def obey(self, command: Command) -> Answer | None:
        match command:
            case messages.Arm(round_, stacks):
                return self._arm(command, round_, stacks)
            case messages.Dispense():
                return self._dispense(command)
            case messages.Stop():
                self._ordered = None
                self.round, self.stacks = 0, ()
                return DONE
        return None

    def _arm(self, command: Command, round_: int, stacks: tuple[int, ...]) -> Answer:
        """For a round; or for other stacks in the same one, after those that are out."""
        given = self.last + (1 if self._ordered else 0)
        if round_ != self.round and self._ordered:
            return self.refuse(command, f"stack {self._ordered.number} is on its way")
        if round_ == self.round and stacks[:given] != self.stacks[:given]:
            return self.refuse(command, f"{given} stacks of this round are out or on their way")
        if round_ != self.round:
            self.last = self.last_cards = 0
        self.round, self.stacks = round_, stacks
        return DONE

    def _dispense(self, order: messages.Dispense) -> Answer:
        if self.door_is_open:
            return "refused", "its door is open"
        if self.trouble:
            return "refused", f"{', '.join(sorted(self.trouble))} is not cleared"
        if why := self._wrong(order):
            return self.refuse(order, why)
        self._ordered = order
        self.after(self.dispense_s, lambda: self._give(order))
        return ACCEPTED

    def _wrong(self, order: messages.Dispense) -> str:
        armed_for = self.stacks[order.number - 1 : order.number]
        reasons = {
            f"it is armed for round {self.round}": not order.round or order.round != self.round,
            "a stack is on its way": self._ordered is not None,
            f"stack {order.number} does not follow {self.last}": order.number != self.last + 1,
            f"it is not armed for {order.cards} cards now": armed_for != (order.cards,),
            "it is empty": not self.top.count(SHOE),
        }
        return next((why for why, is_so in reasons.items() if is_so), "")

    def _give(self, order: messages.Dispense) -> None:
        if self._ordered is not order:
            return  # stopped
        if self.top.count(TRAY):
            # The dealer has not taken the stack before it.
            self.after(self.dispense_s / 4, lambda: self._give(order))
            return
        if self.faults.strikes("jam", self.now):
            self._ordered = None
            self.fail("jam")
            return
        self._ordered = None
        self._out(order)

    def _out(self, order: messages.Dispense) -> None:
        cards = order.cards
        if fault := self.faults.strikes("wrong-stack", self.now):
            cards += int(fault.number)
        if self.faults.strikes("face-up", self.now):
            self.top.turn_up(SHOE)
        cards = self.top.move(SHOE, TRAY, min(cards, self.top.count(SHOE)))
        self.last, self.last_cards, self._in_tray = order.number, cards, order.number
        self.given.append((order.round, order.number, cards))
        told = order.number
        if fault := self.faults.strikes("wrong-number", self.now):
            told += int(fault.number)
        faces = bytes(self.top.at(TRAY)) if self.reads else b""
        self.tell(messages.Dispensed(order.round, told, cards, faces))
        if any(card.face_up for card in self.top.cards(TRAY)):
            self.tell(messages.FaceUpCard(order.number))
        if not self.top.count(SHOE):
            self.tell(messages.Empty())
        elif self.last == len(self.stacks):
            self.tell(messages.Stub(self.top.count(SHOE)))

    def look(self) -> None:
        is_loaded = self.top.count(SHOE) > 0
        if is_loaded and not self._was_loaded:
            self.tell(messages.Loaded(self.top.deck_at(SHOE), self.top.count(SHOE)))
        self._was_loaded = is_loaded
        if self._in_tray and not self.top.count(TRAY):
            self.tell(messages.Taken(self._in_tray))
            self._in_tray = 0

    def report(self) -> Iterable[Event]:
        coming = self._ordered.number if self._ordered else 0
        inside = self.top.count(SHOE)
        yield messages.ShoeState(self.round, self.last, self.last_cards, inside, coming)

    def forget(self) -> None:
        self.round, self.stacks, self.last, self.last_cards = 0, (), 0, 0
        self._ordered = None
