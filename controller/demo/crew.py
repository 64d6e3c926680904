"""What the people at a table do next: read off the table, one act at a time.

The dealer follows the rulebook's order, the floorperson clears, verifies and validates, the players
wager and decide. They act on what they can see: the table's state, which tells what the machine
waits for, and the cards that lie in front of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from controller.demo.cast import DEALER, Cast, part_of_role, seat_part
from controller.demo.players import Choice, Player
from controller.rules.cards import name, names
from controller.table import events
from controller.table.belonging import standing
from controller.table.clearing import frozen
from controller.table.dealing import count_is_due, must_show_up_card, next_step
from controller.table.deciding import may_check, waiting
from controller.table.decks import MAINTENANCE, RECORD, due_at, is_ready, to_do, warned
from controller.table.offers import must_count_hands
from controller.table.paying import due_now, in_turn, must_be_verified
from controller.table.people import Role
from controller.table.seating import LEFT
from controller.table.settling import to_be_shown, to_be_turned
from controller.table.state import Deck, Hold, Phase, Seat, Table
from controller.table.terms import Terms
from controller.table.voiding import EXPOSED
from controller.table.wagers import accepted, waits_for

COLOURS = {"A": "red", "B": "blue"}
BUY_IN = 50_000


class Cards(Protocol):
    """The cards that lie on the table, as whoever sits there sees them."""

    def at(self, place: int | str) -> list[int]: ...

    def stub(self) -> int:
        """How many are left to deal from, counted."""
        ...

    def chips(self) -> int:
        """How many chips the acceptors gave to the dealer in this round."""
        ...


@dataclass(frozen=True, slots=True)
class Do:
    """Something that a person does at a device or with the cards."""

    what: Literal[
        "press", "chip", "buy in", "wager at terminal", "bring", "shuffle", "put into shuffler",
        "put into shoe", "deal", "take stub", "rack cards", "put right", "give back",
        "decide at terminal", "take out", "empty",
    ]  # fmt: skip
    seat: int = 0
    name: str = ""
    cents: int = 0
    cards: int = 0


@dataclass(frozen=True, slots=True)
class Say:
    """Something that a person tells the table: an event, by someone in this role."""

    kind: type[events.Happening]
    role: Role | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    #: What is done with the cards right before it is told.
    first: Do | None = None


Act = Say | Do

#: What players do themselves, at a device of their seat.
_OF_A_SEAT = ("chip", "buy in", "wager at terminal", "decide at terminal")
#: Phases in which everybody waits for who is due: nothing is done before what comes before it.
_IN_TURN: tuple[Phase, ...] = (
    "locked",
    "dealing",
    "deciding",
    "revealing",
    "settling",
    "clearing",
)
#: By what a hold blocks, the phases in which the round goes on in spite of it.
_GOES_ON: dict[str, tuple[Phase, ...]] = {"deal": _IN_TURN[2:], "round": _IN_TURN}


def part_of(act: Act) -> str:
    """Whose act it is: the dealer's, the floor's, or a seat's."""
    if isinstance(act, Say):
        if act.role is not None:
            return part_of_role(act.role)
        return seat_part(act.facts["seat"]) if "seat" in act.facts else DEALER
    return seat_part(act.seat) if act.what in _OF_A_SEAT else DEALER


def is_handwork(act: Act) -> bool:
    """What only hands can do: no page has an act for it, since a device or nobody tells of it."""
    return isinstance(act, Do) and (act.what != "press" or act.name == "green")


class Crew:
    def __init__(
        self, terms: Terms, players: dict[int, Player], cards: Cards, cast: Cast | None = None
    ) -> None:
        self._terms = terms
        self._cast = cast or Cast(players)
        self._players = players
        self._cards = cards
        #: What each seat is going to wager in this round, until it is down.
        self._plans: dict[int, dict[str, int]] = {}
        self._planned_for = 0
        #: Holds that nobody clears for now; there are none, unless somebody says so.
        self.leaves: Callable[[Hold], bool] = lambda hold: False
        #: What was to be done when it was last asked, by whom the crew does not play.
        self.left_to_me: list[Act] = []

    def next_act(self, table: Table) -> Act | None:
        """One thing to do now, or nothing: then somebody waits for a device, or for a person."""
        self.left_to_me = []
        for hold in table.holds:
            if self.leaves(hold):
                continue
            if self._does(clears := self._clears(table, hold)):
                return clears
            self.left_to_me.append(clears)
        if any(table.phase not in _GOES_ON.get(hold.blocks, ()) for hold in table.holds):
            return None
        for act in _PHASES[table.phase](self, table):
            if self._does(act):
                return act
            self.left_to_me.append(act)
            if table.phase in _IN_TURN:
                return None
        return None

    def _does(self, act: Act) -> bool:
        part = part_of(act)
        if self._cast.is_me(part):
            return part == DEALER and self._cast.hands_follow and is_handwork(act)
        return True

    def _clears(self, table: Table, hold: Hold) -> Say:
        reason = "looked at it and put it right"
        if hold.where == EXPOSED:
            return Say(events.ExposureDecided, hold.clears, {"reason": reason})
        if hold.where == MAINTENANCE:
            # The second person is whoever has this role now.
            facts: dict[str, Any] = {"second": "floorperson", "reason": reason}
            return Say(events.MaintenanceLeft, "technician", facts)
        if hold.where == RECORD:
            facts = {"second": "floorperson", "reason": reason}
            return Say(events.RecordAccepted, "supervisor", facts)
        if (other := standing(table, hold)) is not None:
            facts = {"second": "floorperson", "reason": reason}
            facts |= {"device": hold.where, "serial_number": other.number}
            return Say(events.DeviceAccepted, "technician", facts)
        rule = self._terms.ruleset.rulebook.procedures.leaving_abandons_wagers
        if hold.cause == LEFT and rule.is_:
            seat = int(hold.where.rpartition(" ")[2])
            return Say(events.WagersAbandoned, hold.clears, {"seat": seat, "lost": True})
        facts = {"hold": hold.number, "reason": reason}
        return Say(events.HoldCleared, hold.clears, facts, Do("put right", name=hold.where))

    # --- Before the round -------------------------------------------------------

    def closed(self, table: Table) -> Iterator[Act]:
        yield Say(events.TableOpened, "floorperson")

    def opening(self, table: Table) -> Iterator[Act]:
        there = [deck for deck in table.decks if not deck.removed]
        taken = {deck.colour for deck in there}
        for letter, colour in COLOURS.items():
            if len(there) < self._terms.decks and colour not in taken:
                id_ = self._new_deck(table, letter)
                facts = {"deck": id_, "colour": colour, "design": "bee"}
                yield Say(events.DeckReceived, "dealer", facts, Do("bring", name=id_))
        yield from self._changing(table)
        for deck in there:
            yield from self._checklist(table, deck)

    def _changing(self, table: Table) -> Iterator[Act]:
        """Another deck for one that is due for change, before it must not be dealt any more."""
        coming = {deck.replaces for deck in table.decks if not deck.removed}
        for old in warned(self._terms, table):
            if old.id not in coming:
                id_ = self._new_deck(table, old.id.rstrip("0123456789"))
                facts = {"deck": id_, "colour": old.colour, "design": old.design}
                facts["replaces"] = old.id
                yield Say(events.DeckReceived, "dealer", facts, Do("bring", name=id_))

    def _changed(self, table: Table) -> Iterator[Act]:
        """The new deck is ready: the old one goes before anybody wagers, or when it must."""
        for deck in table.decks:
            if not deck.replaces or deck.removed:
                continue
            yield from self._checklist(table, deck)
            old = next(one for one in table.decks if one.id == deck.replaces)
            due = due_at(self._terms, table, old)
            is_over = due is not None and table.at >= due
            if is_over or not any(seat.wagers for seat in table.seats):
                facts = {"deck": old.id, "reason": "due for change"}
                out = Do("put right", name=f"deck {old.id}")
                yield Say(events.DeckRemoved, "floorperson", facts, out)

    def _new_deck(self, table: Table, id_: str) -> str:
        used = {deck.id for deck in table.decks}
        tries = (id_ if n == 0 else f"{id_}{n}" for n in range(100))
        return next(one for one in tries if one not in used)

    def _checklist(self, table: Table, deck: Deck) -> Iterator[Act]:
        steps: dict[str, tuple[type[events.Happening], Role]] = {
            "inspected": (events.DeckInspected, "dealer"),
            "verified": (events.DeckVerified, "floorperson"),
            "spread": (events.DeckSpread, "dealer"),
            "shown": (events.DeckShown, "dealer"),
            "washed": (events.DeckWashed, "dealer"),
            "turned up": (events.CardsTurnedUp, "dealer"),
        }
        for step in to_do(self._terms, deck)[:1]:
            if step == "shown" and not any(seat.player for seat in table.seats):
                yield from self._sitting(table)
            kind, role = steps[step]
            yield Say(kind, role, {"deck": deck.id})

    def _spread(self, table: Table) -> Iterator[Act]:
        """Everybody has left: the cards lie on the table until somebody comes."""
        if table.idle == "to be spread" and table.deck is not None:
            first = Do("take out", name=table.deck)
            yield Say(events.CardsSpread, "dealer", {"faces": "face down"}, first)

    def shuffling(self, table: Table) -> Iterator[Act]:
        yield from self._spread(table)
        yield from self.opening(table)
        if not any(seat.player for seat in table.seats):
            yield from self._sitting(table)
        deck = next((one for one in table.decks if one.id == table.deck), None)
        if deck is None or table.idle:
            return
        if self._terms.decks == 2 and table.rack is not None and table.rack != deck.id:
            yield Say(events.RackCleared, "dealer")
        if deck.shuffled == "no":
            if self._terms.has_shuffler and table.shuffler_in_service:
                yield Do("put into shuffler", name=deck.id)
            else:
                first = Do("shuffle", name=deck.id)
                yield Say(events.ShuffledByHand, "dealer", {"deck": deck.id}, first)
        elif is_ready(deck) or deck.recut:
            yield from self._cut(deck)
        elif (other := self._other_deck(table, deck)) not in (None, table.shuffler_holds):
            yield Do("put into shuffler", name=other or "")
        elif table.method == "automated shoe":
            yield Do("put into shoe", name=deck.id)
        else:
            first = Do("put into shoe", name=deck.id)
            yield Say(events.DeckLoaded, None, {"deck": deck.id}, first)

    def _other_deck(self, table: Table, deck: Deck) -> str | None:
        """With two decks, the one that is in the shuffler while this one is in play."""
        if self._terms.decks == 1 or not table.shuffler_in_service:
            return None
        others = (one for one in table.decks if not one.removed and not one.replaces)
        return next((one.id for one in others if one.id != deck.id), None)

    def _cut(self, deck: Deck) -> Iterator[Act]:
        onto = self._terms.ruleset.rulebook.procedures.cut.is_ == "onto the cover card"
        acts: list[tuple[type[events.Happening], dict[str, Any]]] = [
            (events.CutMade, {"depth": 20})
        ]
        if onto:
            acts = [
                (events.CoverCardPlaced, {}),
                *acts,
                (events.RestPlaced, {}),
                (events.CoverCardRacked, {}),
            ]
        kind, facts = acts[min(deck.cutting, len(acts) - 1)]
        yield Say(kind, "dealer", {"deck": deck.id, **facts})

    # --- Wagers -----------------------------------------------------------------

    def betting(self, table: Table) -> Iterator[Act]:
        yield from self._spread(table)
        yield from self._sitting(table)
        if table.idle:
            return
        self._plan(table)
        yield from self._changing(table)
        yield from self._changed(table)
        for deck in table.decks:
            if deck.id == table.deck and deck.recut:
                yield from self._cut(deck)
        for seat in table.seats:
            yield from self._wagering(seat, list(table.withheld))
        next_round = table.round + 1
        if any(seat.player and self._awaited(seat, next_round) for seat in table.seats):
            return
        if not any(seat.wagers for seat in table.seats):
            self._planned_for = 0  # nobody is in: they think again
            return
        yield Do("press", name="lock_out")

    def _awaited(self, seat: Seat, round_: int) -> bool:
        return self._cast.awaits_wagers(seat.number, round_)

    def _plan(self, table: Table) -> None:
        """What the seats that are the crew's are going to wager in this round."""
        seated = [seat for seat in table.seats if seat.player and self._is_ours(seat.number)]
        withheld = list(table.withheld)
        if self._planned_for != table.round + 1:
            self._planned_for = table.round + 1
            self._plans = {
                seat.number: self._planned(seat, withheld)
                for seat in seated
                if seat.wagers or not self._players[seat.number].sits_out()
            }
            if not self._plans and seated:
                self._plans = {seated[0].number: self._planned(seated[0], [])}
        for seat in seated:
            # Somebody else has begun to wager there: what goes with it follows.
            if seat.wagers and seat.number not in self._plans:
                self._plans[seat.number] = self._planned(seat, withheld)

    def _is_ours(self, seat: int) -> bool:
        return seat in self._players and not self._cast.is_me(seat_part(seat))

    def _planned(self, seat: Seat, withheld: list[str]) -> dict[str, int]:
        return self._players[seat.number].wagers(self._terms, withheld, seat)

    def _sitting(self, table: Table) -> Iterator[Act]:
        for seat in table.seats:
            player = self._players.get(seat.number)
            if player is None:
                continue
            if seat.player is None:
                facts = {"seat": seat.number, "player": player.name}
                yield Say(events.PlayerSat, "dealer", facts)
            elif self._terms.terminals and seat.balance < BUY_IN // 10 and table.phase == "betting":
                yield Do("buy in", seat=seat.number, cents=BUY_IN)

    def _wagering(self, seat: Seat, withheld: list[str]) -> Iterator[Act]:
        plan = self._plans.get(seat.number, {}) if seat.player and not seat.left else {}
        for wager, cents in plan.items():
            if wager in seat.wagers or wager in withheld:
                continue
            where = self._terms.ruleset.rulebook.wagers[wager].on
            if where == "acceptor":
                yield Do("chip", seat=seat.number, name=wager, cents=cents)
            elif where == "terminal":
                yield Do("wager at terminal", seat=seat.number, name=wager, cents=cents)
            else:
                facts = {"seat": seat.number, "wager": wager, "amount": cents}
                yield Say(events.WagerPlaced, None, facts)

    def locked(self, table: Table) -> Iterator[Act]:
        chips = self._cards.chips()
        if (more := chips - accepted(table)) > 0:
            # More chips than lights: somebody was late, and has it back once it is known who.
            for late in table.late[-more:]:
                yield Do("give back", seat=late.seat, cents=late.cents)
            return
        if more < 0:
            return  # they roll when their acceptor locks
        if any(one.startswith("the count") for one in waits_for(self._terms, table)):
            yield Say(events.ChipsCounted, "dealer", {"chips": chips})
        if table.deal_enabled:
            yield Do("press", name="deal")

    # --- The deal ---------------------------------------------------------------

    def dealing(self, table: Table) -> Iterator[Act]:
        if table.deal.lies:
            return  # it is being taken out of the shoe
        if must_show_up_card(self._terms, table):
            card = name(self._cards.at("dealer")[0])
            yield Say(events.UpCardShown, "dealer", {"card": card})
        step = next_step(table)
        if step is not None:
            if not step.by_shoe:
                facts: dict[str, Any] = {"to": step.to, "cards": step.cards}
                first = Do("deal", name=str(step.to), cards=step.cards)
                yield Say(events.CardsDealt, "dealer", facts, first)
            return
        if table.deal.stub == "in shoe":
            first = Do("take stub")
            if count_is_due(self._terms, table):
                yield Say(events.StubCounted, "dealer", {"cards": self._cards.stub()}, first)
            else:
                yield Say(events.StubRacked, "dealer", {}, first)

    # --- Decisions and the reveal -----------------------------------------------

    def deciding(self, table: Table) -> Iterator[Act]:
        if must_count_hands(table):
            yield Do("press", name="green")
        if waiting(self._terms, table):
            yield from self._deciding(table)
            return
        shown = len(table.faces.get("community", ()))
        card = name(self._cards.at("community")[shown])
        yield Say(events.Revealed, "dealer", {"where": "community", "cards": card})

    def _deciding(self, table: Table) -> Iterator[Act]:
        """The players say it, at a terminal if somebody else deals; and the dealer tells it."""
        dealt_by_me = self._cast.is_me(DEALER)
        for seat in asked(self._terms, table):
            said = self.says(table, seat)
            if said is None:
                continue
            choice, cents = said
            if dealt_by_me and self._terms.terminals and not seat.chosen:
                yield Do("decide at terminal", seat=seat.number, name=choice, cents=cents)
            facts = {"seat": seat.number, "choice": choice, "amount": cents}
            yield Say(events.Decided, "dealer", facts)

    def says(self, table: Table, seat: Seat) -> tuple[Choice, int] | None:
        """What the player of a seat that is asked wants to do; None if that is not known yet."""
        if seat.chosen:
            return "wager", seat.chosen
        if seat.left:
            return ("check" if may_check(self._terms, table) else "fold"), 0
        if self._is_ours(seat.number):
            hand = self._cards.at(seat.number)
            return self._players[seat.number].decides(self._terms, table, seat, hand)
        said = self._cast.decided(seat.number, table.round, table.street)
        return (said.choice, said.cents) if said is not None else None

    def revealing(self, table: Table) -> Iterator[Act]:
        """In succession: a hand is turned when the one before it is settled."""
        if must_count_hands(table):
            yield Do("press", name="green")
        left, unseen = to_be_shown(self._terms, table), to_be_turned(self._terms, table)
        if "dealer" in left:
            yield self._shows(table, "dealer")
        yield from self.settling(table)
        if "extra" in left and (not unseen or any(due.seat > unseen[0] for due in table.due)):
            yield self._shows(table, "extra")
        for seat in unseen:
            cards = names(self._cards.at(seat))
            yield Say(events.HandTurned, "dealer", {"seat": seat, "cards": cards})

    def _shows(self, table: Table, place: str) -> Say:
        shown = len(table.faces.get(place, ()))
        cards = names(self._cards.at(place)[shown:])
        return Say(events.Revealed, "dealer", {"where": place, "cards": cards})

    # --- Payment ----------------------------------------------------------------

    def settling(self, table: Table) -> Iterator[Act]:
        seat = in_turn(table)
        if seat is None:
            return
        for due in due_now(table):
            if not must_be_verified(self._terms, due):
                continue
            facts = {"seat": seat, "wager": due.wager}
            if not due.verified_by:
                yield Say(events.HandVerified, "dealer", facts)
            if due.validate and not due.validated_by:
                yield Say(events.PayoutValidated, "supervisor", facts)
        yield Say(events.SeatPaid, "dealer", {"seat": seat})

    def clearing(self, table: Table) -> Iterator[Act]:
        for due in table.due:
            if due.paid_by == "hand" and not due.documented_by:
                yield Say(events.HandPayDocumented, "floorperson", {"seat": due.seat})
        if not frozen(table):
            yield Say(events.CardsRacked, "dealer", {}, Do("rack cards"))


def asked(terms: Terms, table: Table) -> tuple[Seat, ...]:
    """The seats that may decide now: the next one, or any where nobody is asked first."""
    left = waiting(terms, table)
    in_order = terms.ruleset.rulebook.procedures.decisions_in_order.is_
    return tuple(left[:1] if in_order else left)


_PHASES = {
    "closed": Crew.closed,
    "opening": Crew.opening,
    "shuffling": Crew.shuffling,
    "betting": Crew.betting,
    "locked": Crew.locked,
    "dealing": Crew.dealing,
    "deciding": Crew.deciding,
    "revealing": Crew.revealing,
    "settling": Crew.settling,
    "clearing": Crew.clearing,
}
