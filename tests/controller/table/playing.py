"""A table to play at in tests: people act, devices answer, and what is refused is said.

``does`` expects an event to be taken and ``refuses`` expects it not to be, with the table
unchanged. The helpers above them read like play.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import msgspec

from controller.rules.cards import DECK, name, names
from controller.rules.ruleset import choose
from controller.table import events
from controller.table.commands import Command, Dispense, Lock, RequestDraw
from controller.table.dealing import must_show_up_card, next_step, stub
from controller.table.deciding import may_check, wager_at, waiting
from controller.table.machine import Step, new_table, step
from controller.table.offers import COVER_ALL_GAME, must_count_hands
from controller.table.paying import due_now, must_be_verified
from controller.table.people import Person
from controller.table.plan import LAST_STACK
from controller.table.settling import in_turn, to_be_shown, to_be_turned
from controller.table.state import Table
from controller.table.terms import Terms
from tests.controller.rules.rounds import REQUIRED, library

DEALER = Person("dealer-1", "dealer")
OTHER_DEALER = Person("dealer-2", "dealer")
FLOOR = Person("floor-1", "floorperson")
BOSS = Person("supervisor-1", "supervisor")
OTHER_BOSS = Person("supervisor-2", "supervisor")
TECH = Person("technician-1", "technician")

METHODS = ("automated shoe", "manual shoe", "hand")
BOOKS = ("pa-639a", "s10", "ma", "pa-669a", "pa-682a", "pa-683a")
#: Everything on offer, by rulebook.
OFFER: dict[str, dict[str, Any]] = {
    "pa-639a": {
        "progressive": "D",
        "progressive_wager": 100,
        "bonus": "A",
        "five_card": True,
        "five_card_wager": 100,
    },
    "s10": {
        "progressive": True,
        "straight_flush": "10%",
        "progressive_reset": 1_000_000,
        "progressive_rate": 70,
    },
    "ma": {
        "progressive": "B",
        "progressive_reset": 1_000_000,
        "progressive_rate": 72,
        "bonus": "C",
        "five_card": True,
        "five_card_wager": 100,
        "five_card_reset": 1_000_000,
        "five_card_rate": 13,
        "cover_all": True,
    },
    "pa-669a": {"progressive": True, "progressive_wager": 100, "six_card": "A"},
    "pa-682a": {"prime": "A", "aces": "A", "aces_bonus_cards": 4, "all_six": "A"},
    "pa-683a": {"pocket": "A", "board": "A", "lo_ball": "A", "all_six": "E"},
}
ENTRY = {"pa-669a": {"ante": 1000, "blind": 1000}}


def terms_of(book: str, method: str = "automated shoe", **changes: Any) -> Terms:
    options = changes.pop("options", OFFER[book])
    if changes.get("shuffler_counts", True) is None:
        options = {name: value for name, value in options.items() if name != "cover_all"}
    seats = changes.pop("seats", library().rulebook(book).seats.most)
    boxes = changes.pop("boxes", 1)
    of_a_table: dict[str, Any] = {"seats": seats, **REQUIRED[book], **options}
    if "adjacent_boxes" in library().rulebook(book).choices:
        of_a_table["adjacent_boxes"] = boxes
    if book == "ma" and "progressive" in options:
        of_a_table["progressive_approval"] = "138.62/1"
    if book == "ma":
        changes.setdefault("shoe_approval", "146/7")
    ruleset = choose(library().rulebook(book), of_a_table, of_a_table=True)
    return Terms(
        id="t1",
        ruleset=ruleset,
        seats=seats,
        method=method,
        shuffler_counts=changes.pop("shuffler_counts", True),
        **changes,
    )


class AtTheTable:
    def __init__(self, terms: Terms, seed: int = 1) -> None:
        self.terms = terms
        self.table: Table = new_table(terms)
        self.now = 1_700_000_000_000
        #: Every event that was taken, and every command that followed.
        self.taken: list[events.Event] = []
        self.commands: list[Command] = []
        self.last: tuple[Command, ...] = ()
        self.random = random.Random(seed)
        self.shoe: list[int] = []
        #: What each place was dealt, as only the cards themselves know.
        self.faces: dict[int | str, list[int]] = {}

    # --- One event at a time ----------------------------------------------------

    def _event(self, kind: type[Any], given: dict[str, Any]) -> events.Event:
        self.now += 1000
        if issubclass(kind, events.Act) and "by" not in given:
            given = {"by": DEALER, **given}
        made: events.Event = kind(at=given.pop("at", self.now), **given)
        # What the machine sees is what the journal keeps.
        kept: events.Event = msgspec.json.decode(msgspec.json.encode(made), type=events.Event)
        return kept

    def send(self, kind: type[Any], **given: Any) -> Step:
        event = self._event(kind, given)
        done = step(self.terms, self.table, event)
        if done.refused:
            assert done.table is self.table
            assert done.commands == ()
        else:
            self.taken.append(event)
            self.table, self.last = done.table, done.commands
            self.commands += done.commands
        return done

    def does(self, kind: type[Any], **given: Any) -> tuple[Command, ...]:
        done = self.send(kind, **given)
        assert not done.refused, done.refused
        return done.commands

    def refuses(self, kind: type[Any], **given: Any) -> str:
        done = self.send(kind, **given)
        assert done.refused, f"{kind.__name__} was taken"
        return done.refused

    def sent(self, kind: type[Any]) -> list[Any]:
        """The commands of a kind among those of the last event."""
        return [command for command in self.last if isinstance(command, kind)]

    @property
    def phase(self) -> str:
        return self.table.phase

    # --- Opening ----------------------------------------------------------------

    def opens(self, *decks: str) -> AtTheTable:
        self.does(events.TableOpened, by=FLOOR)
        if self.terms.ruleset.offers("cover_all"):
            self.does(events.ShufflerSet, game=COVER_ALL_GAME)
        for deck, colour in zip(decks or ("A",), ("red", "blue"), strict=False):
            self.enrols(deck, colour)
        return self

    def enrols(self, deck: str, colour: str = "red") -> None:
        self.does(events.DeckReceived, deck=deck, colour=colour, design="bee")
        self.does(events.DeckInspected, deck=deck)
        self.does(events.DeckVerified, deck=deck, by=FLOOR)
        self.does(events.DeckSpread, deck=deck)
        self.shows(deck)
        self.does(events.DeckWashed, deck=deck)

    def shows(self, deck: str) -> None:
        """To a player who sits there, or to one who came by and goes again."""
        nobody = not any(seat.player for seat in self.table.seats)
        if nobody:
            self.does(events.PlayerSat, seat=1, player="the first to arrive")
        self.does(events.DeckShown, deck=deck)
        if nobody:
            self.does(events.PlayerLeft, seat=1)

    def shuffles(self, count: int | None = 52) -> AtTheTable:
        """The deck that is due is shuffled, cut if need be, and loaded."""
        deck = self.table.deck
        assert deck is not None
        if self.terms.has_shuffler and self.table.shuffler_in_service:
            counted = count if self.terms.shuffler_counts else None
            self.does(events.ShuffleCompleted, deck=deck, count=counted)
        else:
            self.does(events.ShuffledByHand, deck=deck)
            self.cuts(deck)
        if self.terms.decks == 2:
            other = next(d.id for d in self.table.decks if d.id != deck and not d.removed)
            self.does(events.ShufflerReported, mode="shuffle", holds=other)
            self.does(events.RackCleared)
        self.does(events.DeckLoaded, deck=deck)
        self.shoe = self.random.sample(DECK, 52)
        self.faces = {}
        return self

    def cuts(self, deck: str, depth: int = 20) -> None:
        """The whole cut, as the rulebook has it."""
        onto = self.terms.ruleset.rulebook.procedures.cut.is_ == "onto the cover card"
        if onto:
            self.does(events.CoverCardPlaced, deck=deck)
        self.does(events.CutMade, deck=deck, depth=depth)
        if onto:
            self.does(events.RestPlaced, deck=deck)
            self.does(events.CoverCardRacked, deck=deck)

    # --- Wagers -----------------------------------------------------------------

    def sits(self, *seats: int) -> AtTheTable:
        for seat in seats:
            self.does(events.PlayerSat, seat=seat, player=f"p{seat}")
            if self.terms.terminals:
                self.does(events.BoughtIn, seat=seat, transfer=f"b{seat}", cents=1_000_000)
        return self

    def antes(self, *seats: int, **side: int) -> AtTheTable:
        """These seats make their entry wagers, and side wagers where they are named."""
        book = self.terms.ruleset.rulebook.id
        for seat in seats:
            for wager, amount in {**ENTRY.get(book, {"ante": 1000}), **side}.items():
                self.does(events.WagerPlaced, seat=seat, wager=wager, amount=amount)
        return self

    def locks(self) -> AtTheTable:
        """No more bets; every device confirms, the chips are counted, draws are answered."""
        commands = self.does(events.LockOutPressed)
        for command in commands:
            if isinstance(command, Lock):
                self.does(events.LockConfirmed, seat=command.seat, device=command.device)
        for command in commands:
            if isinstance(command, RequestDraw):
                result = "7d" if command.draw == "magic_card" else "3"
                self.does(events.Drawn, draw=command.draw, result=result)
        wagered = sum(1 for seat in self.table.seats if seat.wagers.get("progressive"))
        if wagered:
            self.does(events.ChipsCounted, chips=wagered)
        assert self.table.deal_enabled
        return self

    # --- Deal -------------------------------------------------------------------

    def deals(self) -> AtTheTable:
        """The whole deal as planned, with the up-card and the stub."""
        self.does(events.DealPressed)
        while (planned := next_step(self.table)) is not None:
            self.draw(planned.to, planned.cards)
            if planned.by_shoe:
                self.does(
                    events.StackDispensed, number=self.table.deal.done + 1, cards=planned.cards
                )
            else:
                self.does(events.CardsDealt, to=planned.to, cards=planned.cards)
            if must_show_up_card(self.terms, self.table):
                self.does(events.UpCardShown, card=name(self.faces["dealer"][0]))
        return self.stubs()

    def stubs(self) -> AtTheTable:
        if self.send(events.StubRacked).refused:
            self.does(events.StubCounted, cards=stub(self.table))
        return self

    def draw(self, to: int | str, count: int) -> None:
        drawn = [self.shoe.pop() for _ in range(count)]
        if to == LAST_STACK:
            wagered = any(seat.wagers.get("all_six") for seat in self.table.seats)
            if wagered:
                self.faces["extra"] = [drawn.pop(0)]
            self.faces["dealer"].append(drawn.pop(0))
        else:
            self.faces.setdefault(to, []).extend(drawn)

    # --- Decisions --------------------------------------------------------------

    def decides(self, choose_for: Callable[[int, int], str] | None = None) -> AtTheTable:
        """Everyone acts on every street; ``choose_for(street, seat)`` says how."""
        choose_for = choose_for or (lambda street, seat: "wager")
        while self.phase == "deciding":
            self.decides_once(choose_for)
            if self.phase == "deciding":
                shown = len(self.table.faces.get("community", ()))
                face = name(self.faces["community"][shown])
                self.does(events.Revealed, where="community", cards=face)
        return self

    def decides_once(self, choose_for: Callable[[int, int], str] | str) -> None:
        """Everyone acts on this street, and no card is turned."""
        for seat in waiting(self.terms, self.table):
            street, choice = self.table.street, choose_for
            if not isinstance(choice, str):
                choice = choice(street, seat.number)
            if seat.left and choice == "wager":  # who has left places none
                choice = "check" if may_check(self.terms, self.table) else "fold"
            wager = self.terms.ruleset.rulebook.wagers[wager_at(self.terms, street)]
            multiples = {str(decision): each for decision, each in wager.multiples.items()}
            times = multiples[f"decision {street}"][0]
            amount = times * seat.wagers["ante"] if choice == "wager" else 0
            self.does(events.Decided, seat=seat.number, choice=choice, amount=amount)

    # --- Reveal and settlement --------------------------------------------------

    def reveals(self) -> AtTheTable:
        while self.phase == "revealing":
            left = to_be_shown(self.terms, self.table)
            if left:
                place = next(iter(left))
                shown = len(self.table.faces.get(place, ()))
                self.does(events.Revealed, where=place, cards=names(self.faces[place][shown:]))
            else:
                if must_count_hands(self.table):
                    hands = sum(1 for seat in self.table.seats if seat.dealt) + 1
                    self.does(events.HandsCounted, hands=hands)
                turned = to_be_turned(self.terms, self.table)[0]
                self.does(events.HandTurned, seat=turned, cards=names(self.faces[turned]))
        return self

    def pays(self) -> AtTheTable:
        """Every payout verified and validated, every seat paid, every hand-pay documented."""
        while (seat := in_turn(self.table)) is not None:
            for due in due_now(self.table):
                if must_be_verified(self.terms, due):
                    self.does(events.HandVerified, seat=seat, wager=due.wager)
                    if due.validate:
                        self.does(events.PayoutValidated, seat=seat, wager=due.wager, by=BOSS)
            self.does(events.SeatPaid, seat=seat)
        for number in {due.seat for due in self.table.due if due.paid_by == "hand"}:
            self.does(events.HandPayDocumented, seat=number, by=FLOOR)
        return self

    def racks(self) -> AtTheTable:
        self.does(events.CardsRacked)
        return self

    def plays(self, *seats: int, **side: int) -> AtTheTable:
        """A whole round, from the shuffle to the rack."""
        self.shuffles().antes(*seats, **side).locks().deals().decides()
        if self.phase == "revealing":
            self.reveals()
        return self.pays().racks()


def open_table(book: str, method: str = "automated shoe", seed: int = 1, **more: Any) -> AtTheTable:
    """A table that is open, with players at the first, third and last seat."""
    table = AtTheTable(terms_of(book, method, **more), seed)
    table.opens(*("A", "B")[: table.terms.decks])
    return table.sits(1, 3, table.terms.seats)


def dispensed(table: AtTheTable) -> list[Dispense]:
    return [command for command in table.commands if isinstance(command, Dispense)]
