"""What must hold whatever goes wrong, watched from outside while a table is played.

What lies on the simulated table counts, and not only what felt says of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from controller.demo.world import World
from controller.recorder import Taken
from controller.table import events
from controller.table.events import Event
from controller.table.paying import must_be_verified
from controller.table.state import Table
from controller.table.terms import Terms
from drivers.wire import messages
from simulators.acceptor import Acceptor
from simulators.device import Answer
from simulators.terminal import Terminal


class Invariants:
    def __init__(self, terms: Terms, table: Table, world: World) -> None:
        self._terms = terms
        self._world = world
        self._before = table
        #: Cents that the acceptors' wagers were taken with.
        self._progressives = 0
        self.broken: list[str] = []
        if world.shoe is not None:
            world.shoe.on_told = self._shoe_told

    def _shoe_told(self, command: messages.Command, answer: Answer) -> None:
        if isinstance(command, messages.Dispense) and answer[0] != "refused":
            self._all_is_locked()

    def told(self, event: Event, taken: Taken) -> None:
        before, self._before = self._before, taken.step.table
        if taken.step.refused:
            return
        match event:
            case events.CardsDealt():
                self._all_is_locked()
            case events.WagerPlaced(wager=wager, amount=cents):
                if before.phase != "betting":
                    self._break(f"a wager was taken in {before.phase}")
                if self._terms.ruleset.rulebook.wagers[wager].on == "acceptor":
                    self._progressives += cents
            case events.SeatPaid():
                self._paid(taken.step.table)

    def _all_is_locked(self) -> None:
        world = self._world
        at_seats: list[Acceptor | Terminal] = [*world.acceptors.values(), *world.terminals.values()]
        for device in at_seats:
            if not device.is_locked:
                self._break(f"cards came while {device.name} was open")

    def _paid(self, table: Table) -> None:
        for due in table.due:
            if not due.paid or not due.returns or not must_be_verified(self._terms, due):
                continue
            if not due.verified_by or (due.validate and not due.validated_by):
                self._break(f"{due.wager} of seat {due.seat} was paid and nobody had validated it")

    def _break(self, what: str) -> None:
        if what not in self.broken:
            self.broken.append(what)

    def at_the_end(self) -> Iterator[str]:
        yield from self.broken
        if self._world.shoe is not None:
            given = Counter((round_, number) for round_, number, _ in self._world.shoe.given)
            for (round_, number), times in given.items():
                if times > 1:
                    yield f"stack {number} of round {round_} left the shoe {times} times"
        money = self._world.top.money
        taken = money["inventory"] + sum(sum(one.inside) for one in self._world.acceptors.values())
        if taken != self._progressives:
            yield f"acceptors kept {taken} cents where {self._progressives} were taken as wagers"
