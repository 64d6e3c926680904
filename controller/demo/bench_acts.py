"""Everything that can be done at a bench, by name, with what each is given.

What can't be done is refused in words: bad input from a page never ends a demonstration.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from controller.daemon.action import Action, Asked, Nothing
from controller.demo.bench import Bench
from controller.demo.cast import By, Choice, Decision, seat_part
from controller.demo.crew import BUY_IN, Do, asked
from controller.demo.performer import PEOPLE_S, people_of
from controller.rules.faults import Refused, listed
from controller.table import events
from controller.table.machine import step
from controller.table.people import Person
from controller.table.wagers import lacking
from drivers.wire.messages import Button
from simulators.acceptor import Acceptor
from simulators.faults import Fault, Faults, NoFault
from simulators.shuffler import Shuffler
from simulators.tabletop import HANDS
from simulators.terminal import Terminal

SeatNo = Annotated[int, Meta(ge=1, le=99)]
Cents = Annotated[int, Meta(ge=1, le=10**9)]
Name = Annotated[str, Meta(min_length=1, max_length=64)]
Deck = Annotated[str, Meta(max_length=64)]
Speed = Annotated[float, Meta(ge=0.1, le=100)]
Number = Annotated[float, Meta(ge=-1000, le=1000)]


class _Given(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What an act at the bench is given."""


class Press(_Given):
    button: Button | Literal["green"]


class Chip(_Given):
    seat: SeatNo
    #: What the acceptor takes, if nothing is said.
    amount: Cents | None = None


class AtSeat(_Given):
    seat: SeatNo


class Money(_Given):
    seat: SeatNo
    amount: Cents = BUY_IN


class GiveBack(_Given):
    seat: SeatNo
    amount: Cents


class Wager(_Given):
    seat: SeatNo
    wager: Name
    amount: Cents


class TakeBack(_Given):
    seat: SeatNo
    wager: Name


class Decide(_Given):
    seat: SeatNo
    choice: Choice
    amount: Annotated[int, Meta(ge=0, le=10**9)] = 0


class TabletOfSeat(_Given):
    seat: SeatNo
    #: Or the simulated terminal again.
    out: bool = True


class OfDeck(_Given):
    #: The one that is due, if nothing is said.
    deck: Deck = ""


class At(_Given):
    where: Name


class Door(_Given):
    device: Name
    open: bool


class Mode(_Given):
    mode: Literal["shuffle", "sort", "other"]


class Cable(_Given):
    #: A wire with all that is on it, or the own cable of a device on a wire with others.
    name: Name
    plugged: bool


class Power(_Given):
    #: All of them, if nothing is said.
    device: Annotated[str, Meta(max_length=64)] = ""


class SwitchFault(_Given):
    name: Name
    on: bool
    device: Annotated[str, Meta(max_length=64)] = ""
    wire: Annotated[str, Meta(max_length=64)] = ""
    number: Number | None = None


class Play(_Given):
    who: Name
    by: By


class Follow(_Given):
    follow: bool


class Pace(_Given):
    speed: Speed


#: Does it, or is refused.
Doing = Callable[[Any], Awaitable[None]]


class BenchActs:
    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        some: tuple[tuple[str, str, type[msgspec.Struct], Doing], ...] = (
            (
                "press",
                "Press a button of the panel, or the shuffler's green one.",
                Press,
                self.press,
            ),
            ("chip", "Put a chip into the acceptor of a seat.", Chip, self.chip),
            ("take_chip", "Take it out again.", AtSeat, self.take_chip),
            ("buy_in", "Bring money to the terminal of a seat.", Money, self.buy_in),
            ("cash_out", "Take money from it.", Money, self.cash_out),
            ("wager", "Place a wager of a seat where it is made.", Wager, self.wager),
            ("take_back", "Take a wager back.", TakeBack, self.take_back),
            ("ready", "All that a seat wagers is down, or nothing is.", AtSeat, self.ready),
            ("decide", "What the player of a seat decides.", Decide, self.decide),
            ("tablet", "A tablet as the terminal of a seat.", TabletOfSeat, self.tablet),
            ("take_stack", "Take the stack out of the shoe's exit.", Nothing, self.take_stack),
            ("put_into_shuffler", "A deck into the shuffler.", OfDeck, self.put_into_shuffler),
            ("load_shoe", "A deck into the shoe.", OfDeck, self.load_shoe),
            ("give_back", "Hand a late chip back to its player.", GiveBack, self.give_back),
            ("put_right", "Put right what a hold is about.", At, self.put_right),
            ("door", "Open or close the door of a device.", Door, self.door),
            ("mode", "Set the shuffler to another mode.", Mode, self.mode),
            ("cable", "Pull a cable, or plug it in.", Cable, self.cable),
            ("power_cut", "Cut the power of devices for a moment.", Power, self.power_cut),
            ("fault", "Switch a fault on or off.", SwitchFault, self.fault),
            ("play", "Take somebody's place, or give it back.", Play, self.play),
            ("hands", "Whether hands do what is prompted by themselves.", Follow, self.hands),
            ("pace", "How fast the simulated people are.", Pace, self.pace),
            ("stop", "The simulated people stop.", Nothing, self.stop),
            ("go", "They go on.", Nothing, self.go),
        )
        self.known = {name: _act(name, does, takes, run) for name, does, takes, run in some}

    async def do(self, given: dict[str, Any], asked_: Asked) -> dict[str, Any]:
        name = given.get("do")
        if not isinstance(name, str) or name not in self.known:
            raise Refused("do", f"nobody can do {str(name)[:64]!r} here", listed(self.known))
        act = self.known[name]
        fields = act.given({key: value for key, value in given.items() if key != "do"})
        self._bench.cast.is_touched = True
        return await act.run(Asked(asked_.caller, fields), None)

    # --- Players ----------------------------------------------------------------

    async def press(self, given: Press) -> None:
        if given.button == "green" and self._bench.world.shuffler is None:
            raise Refused("button", "there is no shuffler at this table", "a button of the panel")
        self._hands(Do("press", name=given.button))

    async def chip(self, given: Chip) -> None:
        acceptor = self._acceptor(given.seat)
        usual = self._bench.terms.ruleset.amounts_of(acceptor.wager) or [100]
        self._hands(Do("chip", seat=given.seat, cents=given.amount or usual[0]))

    async def take_chip(self, given: AtSeat) -> None:
        acceptor = self._acceptor(given.seat)
        if acceptor.is_locked or not acceptor.inside:
            why = "it is locked" if acceptor.is_locked else "no chip lies in it"
            raise Refused("seat", f"nothing comes out of acceptor {given.seat}: {why}")
        acceptor.take_back()
        self._bench.stirred(acceptor)

    async def buy_in(self, given: Money) -> None:
        self._terminal(given.seat)
        self._hands(Do("buy in", seat=given.seat, cents=given.amount))

    async def cash_out(self, given: Money) -> None:
        terminal = self._terminal(given.seat)
        terminal.cash_out(given.amount)
        self._bench.stirred(terminal)

    async def wager(self, given: Wager) -> None:
        match self._made_on(given.wager):
            case "acceptor":
                await self.chip(Chip(seat=given.seat, amount=given.amount))
            case "terminal":
                self._terminal(given.seat)
                made = Do("wager at terminal", given.seat, given.wager, given.amount)
                self._hands(made)
            case _:
                await self._told(
                    events.WagerPlaced(
                        at=self._now(), seat=given.seat, wager=given.wager, amount=given.amount
                    )
                )

    async def take_back(self, given: TakeBack) -> None:
        match self._made_on(given.wager):
            case "acceptor":
                await self.take_chip(AtSeat(seat=given.seat))
            case "terminal":
                terminal = self._terminal(given.seat)
                terminal.take_back(given.wager)
                self._bench.stirred(terminal)
            case _:
                await self._told(
                    events.WagerTakenBack(at=self._now(), seat=given.seat, wager=given.wager)
                )

    async def ready(self, given: AtSeat) -> None:
        table = self._bench.table
        seat = self._seat(given.seat)
        for name, wager, cents in lacking(self._bench.terms, table.seat(seat)):
            raise Refused(
                name, f"must equal the {wager.equals}", f"place {cents} cents", wager.clause
            )
        self._bench.cast.is_ready(seat, table.round + 1)
        self._bench.performer.nudge()

    async def decide(self, given: Decide) -> None:
        bench, seat = self._bench, self._seat(given.seat)
        table, terms = bench.table, bench.terms
        if table.phase != "deciding" or table.seat(seat) not in asked(terms, table):
            raise Refused("seat", f"seat {seat} has nothing to decide now", "wait for its turn")
        said = events.Decided(
            at=self._now(),
            by=people_of(terms)["dealer"],
            seat=seat,
            choice=given.choice,
            amount=given.amount,
        )
        if refused := step(terms, table, said).refused:
            raise Refused("choice", refused)
        if seat in bench.world.terminals and not bench.tablets.has(seat):
            self._hands(Do("decide at terminal", seat, given.choice, given.amount))
            return
        decision = Decision(table.round, table.street, given.choice, given.amount)
        bench.cast.decide(seat, decision)
        bench.performer.nudge()

    async def tablet(self, given: TabletOfSeat) -> None:
        seat = self._seat(given.seat)
        if not given.out:
            self._bench.tablets.take_back(seat)
        elif seat not in self._bench.world.terminals:
            raise Refused("seat", "there are no terminals at this table")
        elif not self._bench.cast.is_me(seat_part(seat)):
            raise Refused("seat", f"seat {seat} is played by itself", "sit down there first")
        else:
            self._bench.tablets.hand_out(seat)

    # --- The dealer's hands -------------------------------------------------------

    async def take_stack(self, given: Nothing) -> None:
        if not self._bench.performer.take_stack():
            raise Refused("", "no stack lies in the shoe's exit", "wait until one comes out")
        self._bench.performer.nudge()

    async def put_into_shuffler(self, given: OfDeck) -> None:
        shuffler = self._bench.world.shuffler
        if shuffler is None:
            raise Refused("", "there is no shuffler at this table", "shuffle by hand")
        if shuffler.cycle == "running":
            raise Refused("", "the shuffler runs", "wait for the end of its cycle")
        self._hands(Do("put into shuffler", name=self._deck(given.deck)))

    async def load_shoe(self, given: OfDeck) -> None:
        if self._bench.world.shoe is None:
            raise Refused("", "there is no automated shoe at this table", "deal from the hand")
        self._hands(Do("put into shoe", name=self._deck(given.deck)))

    async def give_back(self, given: GiveBack) -> None:
        if not self._bench.world.chips():
            raise Refused("", "no chip lies in front of the dealer", "a late one comes there")
        seat = self._seat(given.seat)
        self._hands(Do("give back", seat=seat, cents=given.amount))

    async def put_right(self, given: At) -> None:
        holds = [hold.where for hold in self._bench.table.holds]
        known = [*holds, *(one.name for one in self._bench.simulated.devices)]
        if given.where not in known:
            raise Refused("where", f"nothing is held for {given.where!r}", listed(known))
        self._hands(Do("put right", name=given.where))

    # --- Devices ------------------------------------------------------------------

    async def door(self, given: Door) -> None:
        device = self._bench.device(given.device)
        if given.open:
            device.open_door()
        elif device.faults.is_on("door"):
            raise Refused("door", f"the door of the {device.name} will not close", "put it right")
        else:
            device.close_door()
        self._bench.stirred(device)

    async def mode(self, given: Mode) -> None:
        shuffler = self._bench.world.shuffler
        if not isinstance(shuffler, Shuffler):
            raise Refused("mode", "there is no shuffler at this table")
        shuffler.set_mode(given.mode)
        self._bench.stirred(shuffler)

    async def cable(self, given: Cable) -> None:
        if given.name in self._bench.simulated.ports:
            port = self._bench.wire(given.name)
            if given.plugged:
                port.plug_in()
            else:
                port.unplug()
            self._bench.performer.nudge()
            return
        device = self._bench.device(given.name)
        if given.plugged:
            device.plug_in()
        else:
            device.unplug()
        self._bench.stirred(device)

    async def power_cut(self, given: Power) -> None:
        some = [self._bench.device(given.device)] if given.device else self._bench.simulated.devices
        for device in some:
            device.restart()
            self._bench.stirred(device)

    async def fault(self, given: SwitchFault) -> None:
        if bool(given.device) == bool(given.wire):
            raise Refused("fault", "is of a device or of a wire", "name one of them")
        faults: Faults
        if given.wire:
            port = self._bench.wire(given.wire)
            faults = port.outward.faults
        else:
            faults = self._bench.device(given.device).faults
        try:
            fault = Fault(given.name, given.number, seed=self._bench.simulated.options.seed)
            faults.switch_off(given.name)
            if given.on:
                faults.switch_on(fault)
        except NoFault as error:
            raise Refused("name", str(error)) from None
        if given.wire:
            port.kick()
        else:
            self._bench.stirred(self._bench.device(given.device))

    # --- People and pace ------------------------------------------------------------

    async def play(self, given: Play) -> None:
        self._bench.play(given.who, given.by)

    async def hands(self, given: Follow) -> None:
        self._bench.cast.hands_follow = given.follow
        self._bench.performer.nudge()

    async def pace(self, given: Pace) -> None:
        self._bench.performer.pause = PEOPLE_S / given.speed

    async def stop(self, given: Nothing) -> None:
        self._bench.performer.goes.clear()

    async def go(self, given: Nothing) -> None:
        self._bench.performer.goes.set()

    # --- What is there ----------------------------------------------------------------

    def _hands(self, act: Do) -> None:
        if why := self._bench.performer.do(act):
            raise Refused("", why)
        self._bench.performer.nudge()

    async def _told(self, event: events.Event) -> None:
        taken = await self._bench.service.core.post(event)
        if taken.step.refused:
            raise Refused("", taken.step.refused)

    def _now(self) -> int:
        return self._bench.service.clock.wall_ms()

    def _seat(self, number: int) -> int:
        seats = self._bench.terms.seats
        if number > seats:
            raise Refused("seat", f"there is no seat {number}", f"1 to {seats}")
        return number

    def _acceptor(self, seat: int) -> Acceptor:
        found = self._bench.world.acceptors.get(self._seat(seat))
        if found is None:
            raise Refused("seat", "there are no acceptors at this table")
        return found

    def _terminal(self, seat: int) -> Terminal:
        found = self._bench.world.terminals.get(self._seat(seat))
        if found is None:
            raise Refused("seat", "there are no terminals at this table")
        if self._bench.tablets.has(seat):
            raise Refused("seat", f"the terminal of seat {seat} is a tablet", "work it on its page")
        return found

    def _made_on(self, wager: str) -> str:
        wagers = self._bench.terms.ruleset.rulebook.wagers
        if wager not in self._bench.terms.ruleset.offered:
            offered = listed(self._bench.terms.ruleset.offered)
            raise Refused("wager", f"{wager!r} is not offered at this table", offered)
        return wagers[wager].on

    def _deck(self, said: str) -> str:
        table = self._bench.table
        decks = [deck.id for deck in table.decks if not deck.removed]
        deck = said or table.deck or self._bench.world.top.deck_at(HANDS)
        if deck not in decks:
            raise Refused("deck", f"there is no deck {deck!r} on the table", listed(decks))
        return deck


def _act(name: str, does: str, takes: type[msgspec.Struct], run: Doing) -> Action:
    async def done(asked_: Asked, person: Person | None) -> dict[str, Any]:
        await run(asked_.given)
        return {"done": name}

    return Action(name, does, (), takes, done)
