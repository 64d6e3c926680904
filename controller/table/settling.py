"""Reveal, settlement and the end of the round.

What is owed comes from the same settlement that ``felt settle`` prints; ``paying`` pays it, and
``clearing`` knows which hands may leave the table. No round ends while a payment by hand is not
documented.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from controller.rules.cards import card
from controller.rules.faults import Refused
from controller.rules.rankings import FIVE
from controller.rules.settlement import Round, SeatSettlement, settle
from controller.rules.settlement import Seat as PlayedSeat
from controller.table import events, link, meters
from controller.table.change import Change, replace, with_deck, with_seat
from controller.table.clearing import frozen, keeps_cards, kept
from controller.table.commands import Command, SetLamp
from controller.table.dealing import stub
from controller.table.deciding import faces
from controller.table.decks import to_shuffling
from controller.table.offers import must_count_hands
from controller.table.paying import collected, if_all_is_paid, in_turn
from controller.table.state import Deal, Due, Seat, Table
from controller.table.terms import Terms

__all__ = ["in_turn", "keeps_cards", "racked", "reckoned", "revealed", "turned"]

#: When each line is settled where the rulebook wants losers, pushes and winners apart. Without a
#: qualified dealer a Bet is void; it goes back in the turn in which its Ante is paid.
_TURNS = {"lose": 0, "push": 1, "return": 1, "void": 2, "win": 2}
_LAST = 3

# --- Reveal -----------------------------------------------------------------


def to_be_turned(terms: Terms, table: Table) -> list[int]:
    """Hands that are still face down and have to be seen, from the dealer's right."""
    return [
        seat.number
        for seat in reversed(table.seats)
        if keeps_cards(terms, seat) and not seat.cards and _is_looked_at(terms, table, seat)
    ]


def dealer_qualifies(terms: Terms, table: Table) -> bool | None:
    """None while the dealer's hand is not shown, and in games that know no such thing."""
    needs, hand = terms.ruleset.rulebook.dealer, table.faces.get("dealer", ())
    if needs is None or len(hand) < terms.ruleset.rulebook.hands.dealer:
        return None
    return FIVE.strength(hand) >= FIVE.spans[needs.qualifies_with].low


def _is_looked_at(terms: Terms, table: Table, seat: Seat) -> bool:
    """Against a dealer without a hand the operator may leave hands unseen: every Ante is paid.

    A progressive wager is paid by the hand, so that hand is turned over all the same.
    """
    option = "turn_over_when_not_qualified"
    if option not in terms.ruleset.rulebook.choices or terms.ruleset.options.get(option):
        return True
    return dealer_qualifies(terms, table) is not False or "progressive" in seat.wagers


def to_be_shown(terms: Terms, table: Table) -> dict[str, int]:
    """Places on the layout that are still to be revealed, with the cards each has."""
    hands = terms.ruleset.rulebook.hands
    wanted = {"dealer": hands.dealer, "community": hands.community}
    if any(seat.wagers.get("all_six") for seat in table.seats):
        wanted["extra"] = hands.extra
    return {
        place: count - len(table.faces.get(place, ()))
        for place, count in wanted.items()
        if count > len(table.faces.get(place, ()))
    }


def revealed(terms: Terms, table: Table, event: events.Revealed) -> Change:
    left = to_be_shown(terms, table)
    if event.where not in left:
        raise Refused("where", f"nothing of the {event.where} is to be revealed")
    shown = faces(event.cards, left[event.where], table)
    if event.where == "dealer" and table.up_card is not None and table.up_card not in shown:
        raise Refused("cards", "the up-card is not among them")
    whole = (*table.faces.get(event.where, ()), *shown)
    return reckoned(terms, replace(table, faces={**table.faces, event.where: whole}))


def turned(terms: Terms, table: Table, event: events.HandTurned) -> Change:
    if "dealer" in to_be_shown(terms, table):
        raise Refused("seat", "the dealer's cards are revealed first")
    if must_count_hands(table):
        raise Refused("seat", "the shuffler has not told how many hands it gave out")
    left = to_be_turned(terms, table)
    if event.seat not in left:
        raise Refused("seat", f"the hand of seat {event.seat} is not to be turned")
    if event.seat != left[0]:
        raise Refused("seat", f"seat {left[0]} is turned first")
    shown = faces(event.cards, terms.ruleset.rulebook.hands.player, table)
    return reckoned(terms, with_seat(table, event.seat, cards=shown))


# --- Settlement -------------------------------------------------------------


def reckoned(terms: Terms, table: Table) -> Change:
    """What the hands that are seen make due, from the rules; once all are seen, all of it.

    A seat is settled on its own cards and the dealer's, so it may be paid before the next hand is
    turned. What a later card adds to it (another's envy, an All-Six card) becomes due with that
    card, and what needs every hand waits for the last. A line that is due stays as it is.
    """
    shown, unseen = to_be_shown(terms, table), to_be_turned(terms, table)
    if shown.keys() - {"extra"}:
        return table, ()
    all_seen = not shown and not unseen
    found = settle(terms.ruleset, _played(terms, table, unseen[0] if unseen else 0))
    due = [one for seat in found.seats for one in _lines(terms, table, seat, all_seen=all_seen)]
    after = {name: dict(levels) for name, levels in found.meters.items()}
    if table.link is not None and link.METER in table.after:
        after[link.METER] = table.after[link.METER]  # the link's word
    new = [one for one in due if one not in table.due]
    for seat in found.seats:
        if table.seat(seat.seat).cards:
            table = with_seat(table, seat.seat, hand=seat.hand)
    table = replace(
        table,
        phase="settling" if all_seen else table.phase,
        due=tuple(due),
        order=tuple(seat.seat for seat in found.seats),
        after=after,
    )
    # What a fold or a forfeit took off the layout is not waited for again.
    commands: list[Command] = [collected(one) for one in new if one.paid]
    table, claims = link.claimed(terms, table)
    commands += claims
    table, more = if_all_is_paid(terms, table)
    return table, [*commands, *more]


def is_due(table: Table, number: int) -> bool:
    """Whether what a seat is owed is known, all of it or a part."""
    return any(due.seat == number for due in table.due)


def _played(terms: Terms, table: Table, unseen: int) -> Round:
    """The round as far as it is seen: up to the seat whose hand is turned next."""
    side_only, extra = table.void == "side wagers", table.faces.get("extra", ())
    seats, beside = list[PlayedSeat](), list[PlayedSeat]()
    for seat in table.seats:
        if not seat.wagers and not seat.void:
            continue
        wagers = {} if seat.forfeited else dict(seat.wagers)
        if not extra:
            wagers.pop("all_six", None)
        hand = PlayedSeat(
            seat.number, seat.cards, wagers, folded=seat.folded or side_only, player=seat.player
        )
        (beside if seat.void or seat.number <= unseen else seats).append(hand)
    return Round(
        seats=tuple(seats),
        beside=tuple(beside),
        dealer=table.faces.get("dealer", ()),
        community=table.faces.get("community", ()),
        extra=extra,
        meters=meters.shown(table),
        magic_card=card(table.draws["magic_card"]) if "magic_card" in table.draws else None,
        lucky=_lucky(table),
    )


def _lucky(table: Table) -> int | Literal["dealer"] | None:
    drawn = table.draws.get("lucky")
    if drawn is None:
        return None
    return "dealer" if drawn == "dealer" else int(drawn)


def _lines(
    terms: Terms, table: Table, settled_seat: SeatSettlement, *, all_seen: bool
) -> Iterator[Due]:
    """The lines of a seat: those that were due before as they are, and what is due now.

    Cover All waits for the last hand, and so does all but what is lost where losers come first.
    """
    had: dict[str, list[Due]] = {}
    for due in table.due:
        if due.seat == settled_seat.seat:
            had.setdefault(due.wager, []).append(due)
    late = bool(had)
    for one in _due(terms, table, settled_seat):
        if before := had.get(one.wager):
            yield before.pop(0)
        elif one.turn == 0 or all_seen:
            # Envy for a hand that was turned after the seat was settled: its holder is paid first.
            yield replace(one, turn=1) if late and one.wager == "envy" else one


def _due(terms: Terms, table: Table, settled_seat: SeatSettlement) -> list[Due]:
    seat = table.seat(settled_seat.seat)
    if seat.forfeited:
        return [_lost(terms, seat, kind, cents) for kind, cents in seat.wagers.items()]
    return [
        Due(
            seat.number,
            line.wager,
            line.result.value,
            line.stake,
            line.returns,
            line.odds,
            line.paid_by,
            line.validate,
            line.clause,
            turn=_turn(terms, line.wager, line.result.value),
            paid=line.wager in seat.taken_in,
        )
        for line in settled_seat.lines
    ]


def _turn(terms: Terms, wager: str, result: str) -> int:
    if wager == "cover_all":
        return _LAST  # after every other wager of the table
    passes = terms.ruleset.rulebook.procedures.settlement.is_ == "losers, pushes, winners"
    return _TURNS[result] if passes else 0


def _lost(terms: Terms, seat: Seat, kind: str, cents: int) -> Due:
    clause = _forfeited_by(terms, seat)
    taken = kind in seat.taken_in
    return Due(seat.number, kind, "lose", cents, 0, None, None, None, clause, paid=taken)


def _forfeited_by(terms: Terms, seat: Seat) -> str:
    """The clause that took everything: the player left, or exchanged information."""
    procedures = terms.ruleset.rulebook.procedures
    rule = procedures.communicating_forfeits
    if seat.leaving_decided_by or rule is None:
        return procedures.leaving_abandons_wagers.clause
    return rule.clause


# --- Clearing ---------------------------------------------------------------


def racked(terms: Terms, table: Table, event: events.CardsRacked) -> Change:
    """All cards are in the rack, in order: the round is over."""
    for number in frozen(table):
        raise Refused(
            "",
            f"the payment by hand to seat {number} is not documented",
            "its hand stays until a floorperson has the documents",
        )
    assert table.deck is not None
    commands: list[Command] = [
        SetLamp(seat=seat.number, lamp="off") for seat in table.seats if seat.lamp != "off"
    ]
    commands.append(kept(table, stub(table)))
    seats = tuple(
        Seat(
            number=seat.number,
            # Who left money on the account is waited for: only an empty account is given up.
            player=None if seat.left and not seat.balance else seat.player,
            balance=seat.balance,
            transfers=seat.transfers,
            last={} if seat.left and not seat.balance else _last(terms, seat),
        )
        for seat in table.seats
    )
    counted = table.deal.stub == "counted"
    table = with_deck(table, table.deck, shuffled="no", cut=False)
    table = replace(
        table,
        seats=seats,
        rounds_since_count=0 if counted else table.rounds_since_count + 1,
        last_deck=table.deck,
        rack=table.deck,
        street=0,
        deal=Deal(),
        chips=None,
        draws={},
        draws_due=(),
        faces={},
        up_card=None,
        due=(),
        order=(),
        contributed=(),
        hands_counted=None,
        picked_up=(),
        hand_back=(),
        void="",
    )
    table, more = to_shuffling(terms, table)
    return table, [*commands, *more]


def _last(terms: Terms, seat: Seat) -> dict[str, int]:
    """What the player may put down again; after a round without wagers, what it was before."""
    wagers = terms.ruleset.rulebook.wagers
    if not seat.wagers.get("ante"):
        return seat.last
    return {
        kind: cents
        for kind, cents in seat.wagers.items()
        if wagers[kind].on == "layout" and not wagers[kind].multiples
    }
