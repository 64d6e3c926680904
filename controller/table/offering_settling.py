"""What can be done from the reveal until the last card is in the rack."""

from __future__ import annotations

from collections.abc import Iterator

from controller.rules.cards import names
from controller.rules.paytables import dollars
from controller.rules.says import nth
from controller.table import events
from controller.table.clearing import frozen
from controller.table.dealing import cards_at
from controller.table.deciding import waiting
from controller.table.drafts import Draft, in_words, keyed, of_a_person, reason, some_cards
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
        sums = ", ".join(f"{one.wager} {dollars(one.cents)}" for one in mine)
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


def _faces(table: Table, place: int | str, count: int, includes: str = "") -> Ask:
    # Of a place of which some cards stay down only people see which was turned.
    read = is_sealed(table, place) and count == _face_down(table, place)
    words = in_words(count, "card")
    return some_cards(table, "cards", count, words, required=not read, includes=includes)


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
        yield of_a_person(
            terms, events.SeatPaid, _payment(table, seat, now), clause=now[0].clause, seat=seat
        )


def _verified(terms: Terms, due: Due) -> Iterator[Draft]:
    words, what = terms.ruleset.rulebook.words.settling, f"{due.wager} of seat {due.seat}"
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
