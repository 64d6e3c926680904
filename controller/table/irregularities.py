"""What should not happen at a table and does: said in the rulebook's words, with what follows.

Which hand is void, what goes back and who decides differs from text to text. So each of these is
tried before it is offered, and whoever presses it has read what will come of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from controller.table import events
from controller.table.dealing import cards_at, next_step, stub, stub_clause
from controller.table.decks import DECK_OF_CARDS
from controller.table.drafts import Draft, number, of_a_person, reason
from controller.table.exposure import is_waited_for
from controller.table.offer import Ask
from controller.table.plan import has_up_card
from controller.table.settling import is_due, to_be_shown
from controller.table.state import Table
from controller.table.terms import Terms

#: How many cards more than it should a place may be said to have.
_TOO_MANY = 3
_WHERE = {"dealer": "the dealer", "community": "the community cards", "extra": "the All-Six cards"}
IN_ROUND = ("locked", "dealing", "deciding", "revealing")
DEALT = ("dealing", "deciding", "revealing")


def irregularities(terms: Terms, table: Table) -> Iterator[Draft]:
    for draft in _irregularities(terms, table):
        draft.group, draft.prompted = "irregular", False
        yield draft


def _irregularities(terms: Terms, table: Table) -> Iterator[Draft]:
    if table.phase == "dealing":
        yield from _face_up(terms, table)
        yield from _drawn(terms, table)
        yield from _stub(terms, table)
    if table.phase in DEALT:
        yield from _misdealt(terms, table)
        yield from _forfeits(terms, table)
    if table.phase in ("betting", "dealing", "deciding"):
        yield from _exposed(terms, table)
    if table.phase in ("shuffling", "betting", "locked", "dealing"):
        yield from _ordered(terms, table)
    if table.phase in ("locked", "dealing", "deciding", "revealing", "settling", "clearing"):
        yield from _left(terms, table)
    if table.phase in IN_ROUND:
        yield from _abandoned(terms, table)
        draft = of_a_person(terms, events.RoundVoided, "The round is void", reason())
        yield draft


# --- Cards ------------------------------------------------------------------


def _places(table: Table) -> list[int | str]:
    """Seats and places on the layout that cards were dealt to."""
    seats = [seat.number for seat in table.seats if seat.dealt and not seat.void]
    return [*seats, *(place for place, cards in table.deal.placed.items() if cards)]


def _at(place: int | str) -> str:
    return f"seat {place}" if isinstance(place, int) else _WHERE[place]


def _face_up(terms: Terms, table: Table) -> Iterator[Draft]:
    if next_step(table) is not None:
        where = "shoe" if table.method != "hand" else "deck"
        title = f"A card is found face up in the {where}"
        yield of_a_person(terms, events.FaceUpCardFound, title)
    if table.deal.stub != "in shoe":
        return
    for place in _places(table):
        title = f"A card is found face up among those of {_at(place)}"
        draft = of_a_person(terms, events.FaceUpCardFound, title, where=place)
        draft.seat = place if isinstance(place, int) else None
        yield draft


def _drawn(terms: Terms, table: Table) -> Iterator[Draft]:
    step = next_step(table)
    if step is not None and not step.by_shoe:
        draft = of_a_person(terms, events.CardDrawnInError, "A card was drawn in error, unexposed")
        draft.follows = "It is used as though it were the next card"
        yield draft


def _stub(terms: Terms, table: Table) -> Iterator[Draft]:
    if next_step(table) is not None or table.deal.stub != "in shoe" or table.deal.lies:
        return
    expected = stub(table)
    asks = (
        number("cards", "how many cards it has", 0, DECK_OF_CARDS, but=expected),
        Ask("misdealt", "flag", "cards were misdealt", required=False),
        Ask("all_present", "flag", "all 52 cards are present", required=False),
    )
    title, clause = f"The stub has not {expected} cards", stub_clause(terms, table)
    yield of_a_person(terms, events.StubCounted, title, *asks, clause=clause)


def _misdealt(terms: Terms, table: Table) -> Iterator[Draft]:
    rules = terms.ruleset.rulebook.procedures
    shown, left = to_be_shown(terms, table), stub(table)
    for place in _places(table):
        if isinstance(place, int):
            if table.seat(place).cards or is_due(table, place):
                continue
        elif place not in shown:
            continue
        was = cards_at(table, place)
        short = rules.dealer_one_short
        lets_one_more = place == "dealer" and short is not None and short.is_ == "one more card"
        clause = rules.player_misdealt.clause
        if lets_one_more and short is not None:
            clause = short.clause
            title = "The dealer is one card short"
            yield _misdeal(terms, place, title, clause, cards=was - 1)
        most = was + min(_TOO_MANY, left)
        choices = tuple(n for n in range(most + 1) if n not in (was, was - lets_one_more))
        if not choices:
            continue
        ask = Ask("cards", "count", "how many cards", choices=choices, least=0, most=most)
        title = f"{_at(place).capitalize()} has another number of cards than {was}"
        yield _misdeal(terms, place, title, clause, ask)


def _misdeal(
    terms: Terms, place: int | str, title: str, clause: str, *asks: Ask, **known: int
) -> Draft:
    draft = of_a_person(
        terms, events.MisdealReported, title, *asks, clause=clause, to=place, **known
    )
    draft.seat = place if isinstance(place, int) else None
    return draft


def _exposed(terms: Terms, table: Table) -> Iterator[Draft]:
    rule, hands = terms.ruleset.rulebook.procedures.exposed_early, terms.ruleset.rulebook.hands
    if table.phase == "betting":
        where = "dealer" if hands.dealer else "community"
        title = "A card was exposed before the deal"
        yield of_a_person(terms, events.CardExposed, title, clause=rule.clause, where=where)
        return
    if is_waited_for(table):
        return
    for place in [one for one in _places(table) if isinstance(one, str)]:
        what = "hole card" if place == "dealer" and has_up_card(terms) else "card"
        title = f"A {what} of {_at(place)} was exposed"
        clause = rule.clause if place != "extra" else ""
        yield of_a_person(terms, events.CardExposed, title, clause=clause, where=place)


def _ordered(terms: Terms, table: Table) -> Iterator[Draft]:
    """The cut, or the shuffle, once more."""
    procedures = terms.ruleset.rulebook.procedures
    deck = next((one for one in table.decks if one.id == table.deck), None)
    if deck is None:
        return
    if deck.cut and not deck.recut:
        title, clause = "Order another cut", procedures.recut_ordered_by.clause
        yield of_a_person(terms, events.RecutOrdered, title, reason(), clause=clause)
    rule = procedures.extra_shuffle_ordered_by
    if rule is not None and table.phase in ("shuffling", "betting") and deck.shuffled != "no":
        title = "Order another shuffle"
        yield of_a_person(terms, events.ShuffleOrdered, title, reason(), clause=rule.clause)


# --- Players ----------------------------------------------------------------


def _left(terms: Terms, table: Table) -> Iterator[Draft]:
    clause = terms.ruleset.rulebook.procedures.leaving_abandons_wagers.clause
    for seat in table.seats:
        if seat.player is not None and seat.wagers and not seat.left:
            n = seat.number
            title = f"{seat.player} left seat {n} with wagers down"
            yield of_a_person(terms, events.PlayerLeft, title, clause=clause, seat=n)


def _abandoned(terms: Terms, table: Table) -> Iterator[Draft]:
    rule = terms.ruleset.rulebook.procedures.leaving_abandons_wagers
    if not rule.is_:
        return
    for seat in table.seats:
        if not seat.left or not seat.wagers or seat.leaving_decided_by:
            continue
        n = seat.number
        for lost in (True, False):
            what = "are abandoned" if lost else "stay: the hand is played on"
            title = f"The wagers of seat {n} {what}"
            yield of_a_person(
                terms, events.WagersAbandoned, title, clause=rule.clause, seat=n, lost=lost
            )


def _forfeits(terms: Terms, table: Table) -> Iterator[Draft]:
    rule = terms.ruleset.rulebook.procedures.communicating_forfeits
    if rule is None or not rule.is_:
        return
    for seat in table.in_round():
        if seat.forfeited:
            continue
        title = f"Seat {seat.number} exchanged information: its wagers are forfeited"
        draft = of_a_person(
            terms, events.WagersForfeited, title, reason("what was seen or heard"),
            clause=rule.clause, seats=(seat.number,),
        )  # fmt: skip
        draft.seat = seat.number
        yield draft
