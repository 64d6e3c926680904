"""What can be done from the reveal until the last card is in the rack."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from controller.rules.cards import names
from controller.rules.faults import listed
from controller.rules.paytables import dollars
from controller.rules.says import nth
from controller.table import events
from controller.table.clearing import frozen
from controller.table.dealing import cards_at
from controller.table.deciding import waiting
from controller.table.drafts import Draft, Kind, in_words, keyed, of_a_person, reason, some_cards
from controller.table.offer import Ask
from controller.table.offers import must_count_hands
from controller.table.paying import due_now, in_turn, must_be_verified
from controller.table.people import Role
from controller.table.sealed import is_sealed
from controller.table.settling import to_be_shown, to_be_turned
from controller.table.state import Due, Table
from controller.table.terms import Terms

#: The most that a field of an event takes as a sum.
_MOST_CENTS = 10**12
_REVEAL = {
    "dealer": "Reveal the dealer's cards",
    "community": "Turn over the community cards",
    "extra": "Expose the All-Six cards",
}


def settling(terms: Terms, table: Table) -> Iterator[Draft]:
    for number in dict.fromkeys(one.seat for one in table.hand_back):
        mine = [one for one in table.hand_back if one.seat == number]
        sums = ", ".join(f"{terms.ruleset.called(one.wager)} {dollars(one.cents)}" for one in mine)
        title = f"Seat {number} has its wagers back: {sums}"
        yield of_a_person(terms, events.WagersReturned, title, seat=number)
    if table.phase == "deciding" and not waiting(terms, table):
        yield _community(terms, table)
    if table.phase == "revealing":
        yield from _revealing(terms, table)
    if table.phase in ("revealing", "settling"):
        yield from _paying(terms, table)
    if table.phase in ("revealing", "settling", "clearing"):
        yield from _documents(terms, table)
    if table.phase == "clearing" and not frozen(table):
        rack = terms.ruleset.rulebook.words.settling.rack
        title = "All cards are in the rack"
        yield of_a_person(terms, events.CardsRacked, title, clause=rack.clause)


# --- Reveal -----------------------------------------------------------------


def _community(terms: Terms, table: Table) -> Draft:
    shown = len(table.faces.get("community", ()))
    clause = nth(terms.ruleset.rulebook.words.community, shown + 1).clause
    ask = _faces(table, "community", 1)
    title = "Turn over the next community card"
    return of_a_person(terms, events.Revealed, title, ask, clause=clause, where="community")


def _revealing(terms: Terms, table: Table) -> Iterator[Draft]:
    words = terms.ruleset.rulebook.words.settling
    shown = to_be_shown(terms, table)
    clauses = {
        "dealer": words.reveal.clause if words.reveal is not None else "",
        "community": terms.ruleset.rulebook.procedures.exposed_early.clause,
        "extra": words.extra.clause if words.extra is not None else "",
    }
    # What one waits for comes first: the dealer's cards, then the community's.
    for place in [one for one in ("dealer", "community", "extra") if one in shown]:
        up = table.up_card if place == "dealer" else None
        ask = _faces(table, place, shown[place], names([up]) if up is not None else "")
        yield of_a_person(
            terms, events.Revealed, _REVEAL[place], ask, clause=clauses[place], where=place
        )
        if place != "extra":
            return
    unseen = to_be_turned(terms, table)
    if unseen and not must_count_hands(table):
        seat, count = unseen[0], terms.ruleset.rulebook.hands.player
        title = f"Turn over the hand of seat {seat}"
        ask = _faces(table, seat, count)
        yield of_a_person(terms, events.HandTurned, title, ask, clause=words.turn.clause, seat=seat)


def _faces(table: Table, place: int | str, count: int, includes: str = "", *, act: int = 0) -> Ask:
    # Of a place of which some cards stay down only people see which was turned.
    read = is_sealed(table, place) and count == _face_down(table, place)
    words = in_words(count, "card")
    return some_cards(table, "cards", count, words, act=act, required=not read, includes=includes)


def _face_down(table: Table, place: int | str) -> int:
    return cards_at(table, place) - len(table.faces.get(str(place), ()))


# --- Payment ----------------------------------------------------------------


def _paying(terms: Terms, table: Table) -> Iterator[Draft]:
    for due in due_now(table):
        if must_be_verified(terms, due):
            yield from _verified(terms, due)
    seat = in_turn(table)
    if seat is not None:
        now = due_now(table)
        title, clause = _payment(table, seat, now), now[0].clause
        yield of_a_person(terms, events.SeatPaid, title, clause=clause, seat=seat)
        yield from _and_the_next(terms, table, seat, now)
        yield from _all_that_lose(terms, table, now)


def _and_the_next(terms: Terms, table: Table, seat: int, now: list[Due]) -> Iterator[Draft]:
    """A seat is settled and the next hand turned, where the shoe has read it: in one touch.

    Not while anything else comes before that hand.
    """
    unseen, left = to_be_turned(terms, table), [due for due in table.due if not due.paid]
    if table.phase != "revealing" or not unseen or any(due not in now for due in left):
        return
    if any(due.paid_by == "hand" for due in now) or must_count_hands(table):
        return
    after, count = unseen[0], terms.ruleset.rulebook.hands.player
    # The All-Six cards are exposed before the hand that comes after their first wager.
    waits = any(one.wagers.get("all_six") and one.number > after for one in table.seats)
    if "extra" in to_be_shown(terms, table) and waits:
        return
    ask = _faces(table, after, count, act=1)
    if ask.required:
        return
    acts: list[tuple[Kind, dict[str, Any]]] = [
        (events.SeatPaid, {"seat": seat}),
        (events.HandTurned, {"seat": after}),
    ]
    title = f"{_payment(table, seat, now)}; turn over the hand of seat {after}"
    yield Draft("dealer", title, acts, now[0].clause, seat, asks=(ask,))


def _all_that_lose(terms: Terms, table: Table, now: list[Due]) -> Iterator[Draft]:
    """Where losers come first, all that is collected from them in one touch."""
    passes = terms.ruleset.rulebook.procedures.settlement.is_ == "losers, pushes, winners"
    if not passes or table.phase != "settling" or any(due.result != "lose" for due in now):
        return
    turn = now[0].turn
    lost = [due for due in table.due if not due.paid and due.turn == turn]
    seats = [number for number in table.order if any(due.seat == number for due in lost)]
    if len(seats) < 2 or any(due.result != "lose" for due in lost):
        return
    cents = sum(due.stake for due in lost)
    title = f"Seats {listed(seats)} are settled: collect {dollars(cents)}"
    acts = [(events.SeatPaid, {"seat": number}) for number in seats]
    yield Draft("dealer", title, list(acts), now[0].clause)


def _verified(terms: Terms, due: Due) -> Iterator[Draft]:
    words = terms.ruleset.rulebook.words.settling
    what = f"{terms.ruleset.called(due.wager)} of seat {due.seat}"
    facts = {"seat": due.seat, "wager": due.wager}
    if due.claim and not due.order and not due.ordered_by:
        asks = (
            Ask("cents", "cents", "what it is worth", least=0, most=_MOST_CENTS),
            reason("who agreed to it"),
        )
        title = f"What the hit on the {what} is worth"
        draft = of_a_person(
            terms, events.HitOrderedByHand, title, *asks, clause=due.clause, **facts
        )
        draft.hold_to_press = True
        yield draft
        return
    wager = terms.ruleset.rulebook.wagers.get(due.wager)
    at_acceptor = wager is not None and wager.on == "acceptor"
    device = "acceptor" if at_acceptor else "terminal"
    sums = dollars(due.returns)
    if not due.verified_by:
        said = {str(k): v[0].clause for k, v in words.verify.items() if v}
        title = f"Verify the {what}: {sums}"
        clause = said.get(device, "")
        yield of_a_person(terms, events.HandVerified, title, clause=clause, **facts)
    elif due.validate and not due.validated_by:
        valid = {str(k): v.clause for k, v in words.validate_.items()}
        role: Role = "supervisor" if due.validate == "supervisor" else "floorperson"
        title = f"Validate the {what}: {sums}"
        clause = valid.get(device, "")
        draft = keyed(role, events.PayoutValidated, title, clause=clause, **facts)
        draft.group, draft.hold_to_press = "floor", True
        yield draft
        title = f"Refuse the {what}: {sums}"
        why = reason("why it is not validated")
        draft = keyed(role, events.PayoutRefused, title, why, clause=clause, **facts)
        draft.group, draft.follows = "floor", "Nothing is paid: the dealer verifies the hand again"
        yield draft


def _payment(table: Table, seat: int, now: list[Due]) -> str:
    """What goes to the player and what is collected, in one line."""
    paid = sum(due.returns for due in now)
    lost = sum(due.stake for due in now if due.result == "lose")
    parts = [f"pay {dollars(paid)}"] if paid else []
    parts += [f"collect {dollars(lost)}"] if lost else []
    return f"Seat {seat} is settled: {', '.join(parts) or 'nothing to pay'}"


def _documents(terms: Terms, table: Table) -> Iterator[Draft]:
    for due in table.due:
        if due.paid and due.paid_by == "hand" and not due.documented_by:
            title = f"The documents of seat {due.seat} are complete: {dollars(due.returns)}"
            draft = of_a_person(
                terms, events.HandPayDocumented, title, clause=due.clause, seat=due.seat
            )
            draft.group = "floor"
            yield draft
