"""A table with its devices, in virtual time: from a chip in a slot to a command of the machine.

The machine, the drivers and the wire are felt's own; the devices are simulated. People say what
they do by ``does``, as at any table in the tests; what devices say comes by itself.
"""

from __future__ import annotations

from typing import Any

from controller.table import events
from controller.table.commands import Command
from controller.table.events import Event
from controller.table.machine import step
from drivers.acceptor import Acceptor
from drivers.panel import Panel
from drivers.shoe import Shoe
from drivers.shuffler import Shuffler
from simulators import acceptor, panel, shoe, shuffler
from simulators.tabletop import HANDS, SHUFFLER, TableTop
from tests.controller.table.playing import AtTheTable, terms_of
from tests.drivers.bench import Bench, Lane
from tests.drivers.people import FRAN, driver

SEATS = 3
BOOK = "pa-639a"
OFFER = {"progressive": "D", "progressive_wager": 100}


class House(Bench):
    def __init__(self, *, reads: bool = False) -> None:
        self.at = AtTheTable(terms_of(BOOK, options=OFFER, seats=SEATS))
        self.top = TableTop()
        self.shuffler = shuffler.Shuffler(self.top, seed=1)
        self.shoe = shoe.Shoe(self.top, reads=reads, seed=1)
        self.panel = panel.Panel(seed=1)
        self.acceptors = {
            seat: acceptor.Acceptor(self.top, seat=seat, address=seat, polled=True, seed=seat)
            for seat in range(1, SEATS + 1)
        }
        bus = [(driver(Acceptor, seat, "progressive"), one) for seat, one in self.acceptors.items()]
        super().__init__(
            Lane([(driver(Shuffler), self.shuffler)]),
            Lane([(driver(Shoe), self.shoe)]),
            Lane([(driver(Panel), self.panel)]),
            Lane(bus),
        )
        #: What the machine refused of what devices said, with why.
        self.refused: list[tuple[Event, str]] = []
        for seat in self.acceptors:
            self.top.fund(f"player {seat}", 1000)
        self.connected()

    # --- The machine --------------------------------------------------------------

    def happened(self, event: Event) -> None:
        done = step(self.at.terms, self.at.table, event)
        if done.refused:
            self.refused.append((event, done.refused))
            return
        self.at.table = done.table
        self.at.taken.append(event)
        self._carry_out(done.commands)

    def _carry_out(self, commands: tuple[Command, ...]) -> None:
        self.at.commands += commands
        for command in commands:
            for one in self.attachments:
                one.carry_out(command, self.now)

    def does(self, kind: type[Any], **given: Any) -> None:
        """Somebody does something at the table."""
        self._carry_out(self.at.does(kind, at=self.stamp, **given))

    def refuses(self, kind: type[Any], **given: Any) -> str:
        return self.at.refuses(kind, at=self.stamp, **given)

    @property
    def phase(self) -> str:
        return self.at.table.phase

    @property
    def holds(self) -> list[str]:
        return [hold.cause for hold in self.at.table.holds]

    def clears(self, reason: str = "looked at it") -> None:
        """The floorperson clears every hold."""
        for hold in self.at.table.holds:
            self.does(events.HoldCleared, hold=hold.number, reason=reason, by=FRAN)

    # --- A round ------------------------------------------------------------------

    def opens(self) -> House:
        self.top.bring("A")
        self.does(events.TableOpened, by=FRAN)
        for kind in (events.DeckReceived, events.DeckInspected, events.DeckVerified):
            more = {"colour": "red", "design": "bee"} if kind is events.DeckReceived else {}
            by = {"by": FRAN} if kind is events.DeckVerified else {}
            self.does(kind, deck="A", **more, **by)
        self.does(events.DeckSpread, deck="A")
        for seat in self.acceptors:
            self.does(events.PlayerSat, seat=seat, player=f"p{seat}")
        self.does(events.DeckShown, deck="A")
        self.does(events.DeckWashed, deck="A")
        return self

    def shuffles(self) -> House:
        """The deck goes into the shuffler, and from there into the shoe."""
        self.top.put_into_shuffler("A")
        self.until(lambda: self.at.table.decks[0].shuffled == "automated")
        self.top.move(SHUFFLER, HANDS)
        self.top.put_into_shoe("A")
        self.until(lambda: self.phase == "betting")
        self.run(1)
        return self

    def antes(self, *seats: int) -> House:
        for seat in seats:
            self.does(events.WagerPlaced, seat=seat, wager="ante", amount=1000)
        return self

    def chips(self, *seats: int) -> House:
        for seat in seats:
            self.acceptors[seat].insert(100)
        self.until(lambda: all(self.acceptors[seat].lamp == "accepted" for seat in seats))
        return self

    def locks(self) -> House:
        self.panel.press("lock_out")
        self.until(lambda: self.phase == "locked")
        if any("progressive" in seat.wagers for seat in self.at.table.seats):
            count = sum("progressive" in seat.wagers for seat in self.at.table.seats)
            self.does(events.ChipsCounted, chips=count)
        self.until(lambda: self.panel.lights.deal == "on")
        return self

    def deals(self, stacks: int | None = None) -> House:
        """So many stacks are dispensed and taken; all of them, unless it says so."""
        self.panel.press("deal")
        wanted = len(self.shoe.stacks) if stacks is None else stacks
        for number in range(1, wanted + 1):
            self.until(lambda n=number: self.shoe.last == n and self.top.count("tray"))  # type: ignore[misc]
            self.run(0.2)
            step_ = self.at.table.deal.steps[number - 1]
            self.top.take_stack(step_.to)
        self.run(2)
        return self
