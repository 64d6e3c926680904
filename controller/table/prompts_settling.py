"""What people are asked to do from the reveal until the last card is in the rack.

One seat at a time, as the texts have it: its hand is turned, what it is owed is verified, paid and
collected, its cards go, and then comes the next. What is asked is what is due now and nothing else,
so that nobody pays twice who follows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from controller.rules.cards import names
from controller.rules.paytables import dollars
from controller.rules.says import Settling, Words
from controller.table.clearing import frozen, left_exposed
from controller.table.dealing import SIDE_WAGERS
from controller.table.paying import due_now, in_turn, must_be_verified
from controller.table.people import Role
from controller.table.prompt import Prompt
from controller.table.settling import dealer_qualifies, to_be_shown, to_be_turned
from controller.table.state import Due, Table
from controller.table.terms import Terms


def handed_back(table: Table) -> Iterator[Prompt]:
    """Wagers of a void round or hand, and what is taken back of a seat that was paid."""
    for number in dict.fromkeys(one.seat for one in table.hand_back):
        mine = [one for one in table.hand_back if one.seat == number]
        back = [f"{one.wager} {dollars(one.cents)}" for one in mine if one.cents > 0]
        taken = [f"{one.wager} {dollars(-one.cents)}" for one in mine if one.cents < 0]
        parts = [f"return {', '.join(back)}"] if back else []
        parts += [f"take back what was paid on {', '.join(taken)}"] if taken else []
        yield Prompt(
            "dealer", f"seat {number}: {'; '.join(parts)}", seat=number, answer="wagers_returned"
        )


def revealing(terms: Terms, table: Table) -> Iterator[Prompt]:
    words, shown = terms.ruleset.rulebook.words.settling, to_be_shown(terms, table)
    if "dealer" in shown and words.reveal is not None:
        beside = f" beside {names([table.up_card])}" if table.up_card is not None else ""
        text = f"dealer: {words.reveal.text}{beside}"
        yield Prompt("dealer", text, words.reveal.clause, answer="revealed")
        return
    if left := shown.get("community"):
        # Hands are void, and side wagers are settled on all of the cards.
        exposed = terms.ruleset.rulebook.procedures.exposed_early
        cards = f"the last {left} community cards" if left > 1 else "the last community card"
        yield Prompt("dealer", f"turn over and reveal {cards}", exposed.clause, answer="revealed")
        return
    yield from _not_qualified(terms, table, words)
    if in_turn(table) is not None:
        yield from settling(terms, table)
        return
    yield from _documents(terms, table, words)
    waits = [s for s in reversed(table.seats) if s.wagers.get("all_six") and not s.forfeited]
    unseen = to_be_turned(terms, table)
    due = not unseen or any(one.number > unseen[0] for one in waits)
    if "extra" in shown and words.extra is not None and due:
        seat = waits[0].number if waits else None
        yield Prompt("dealer", words.extra.text, words.extra.clause, seat, "revealed")
    elif unseen:
        text = f"seat {unseen[0]}: {words.turn.text}"
        yield Prompt("dealer", text, words.turn.clause, unseen[0], "hand_turned")


def _not_qualified(terms: Terms, table: Table, words: Settling) -> Iterator[Prompt]:
    """Said once, before anybody is paid."""
    said = any(due.paid for due in table.due if not table.seat(due.seat).folded)
    if words.not_qualified is not None and dealer_qualifies(terms, table) is False and not said:
        yield Prompt("dealer", words.not_qualified.text, words.not_qualified.clause)


def settling(terms: Terms, table: Table) -> Iterator[Prompt]:
    words, now = terms.ruleset.rulebook.words.settling, due_now(table)
    if table.phase == "settling":
        yield from _not_qualified(terms, table, words)
    yield from _documents(terms, table, words)
    open_ = list(_to_be_verified(terms, table, now, words))
    yield from open_
    if now and words.cover_all is not None and now[0].wager == "cover_all":
        yield Prompt("dealer", words.cover_all.text, words.cover_all.clause, now[0].seat)
    for due in now:
        if _is_verified(terms, due):
            answer = "" if open_ else "seat_paid"
            yield Prompt("dealer", _due_text(table, due), due.clause, due.seat, answer)
    if now and not open_:
        yield from _after_it(terms, table, now, words)


def _is_verified(terms: Terms, due: Due) -> bool:
    if not must_be_verified(terms, due):
        return True
    return bool(due.verified_by and (due.validated_by or not due.validate))


def _to_be_verified(
    terms: Terms, table: Table, now: list[Due], words: Settling
) -> Iterator[Prompt]:
    for due in now:
        if _is_verified(terms, due):
            continue
        if due.claim and not due.order and not due.ordered_by:
            yield from _waits_for_the_link(table, due)
            continue
        device = _device(terms, due)
        what = f"seat {due.seat}, {due.wager}, {dollars(due.returns)}"
        if not due.verified_by:
            for one in words.verify[device]:
                yield Prompt("dealer", f"{what}: {one.text}", one.clause, due.seat, "hand_verified")
        else:
            role: Role = "supervisor" if due.validate == "supervisor" else "floorperson"
            said = words.validate_[device]
            yield Prompt(role, f"{what}: {said.text}", said.clause, due.seat, "payout_validated")


def _device(terms: Terms, due: Due) -> Literal["acceptor", "terminal"]:
    """Where the wager was made; what a draw adds was made at a terminal."""
    found = terms.ruleset.rulebook.wagers.get(due.wager)
    return "acceptor" if found is not None and found.on == "acceptor" else "terminal"


def _waits_for_the_link(table: Table, due: Due) -> Iterator[Prompt]:
    text = f"wait for the link's word on the hit of seat {due.seat}"
    yield Prompt("floorperson", text, due.clause, due.seat)
    if table.link is not None and table.link.status not in ("up", "stale"):
        text = f"agree with the other tables what the hit of seat {due.seat} is worth"
        text = f"the link is {table.link.status}: {text}, and say it"
        yield Prompt("supervisor", text, due.clause, due.seat, "hit_ordered_by_hand")


def _due_text(table: Table, due: Due) -> str:
    hand = table.seat(due.seat).hand
    who = f"seat {due.seat}{f', {hand}' if hand else ''}"
    if due.result == "lose":
        return f"{who}: collect the {due.wager}, {dollars(due.stake)}"
    if due.result != "win":
        return f"{who}: return the {due.wager}, {dollars(due.returns)} ({due.result})"
    odds = f" at {due.odds}" if due.odds else ""
    what = f"{due.wager}{f' of {dollars(due.stake)}' if due.stake else ''}{odds}"
    if due.paid_by == "hand":
        return f"{who}: {what}: {dollars(due.returns)} by hand, not from the inventory"
    if due.paid_by == "account":
        return f"{who}: {what}: credit {dollars(due.returns)} to the game account"
    stays = "" if due.returns < due.stake or not due.stake else " with the stake"
    return f"{who}: {what}: pay, {dollars(due.returns)} goes to the player{stays}"


def _after_it(terms: Terms, table: Table, now: list[Due], words: Settling) -> Iterator[Prompt]:
    """What becomes of the hand when this is paid."""
    seat = table.seat(now[0].seat)
    hand = next((due for due in now if due.paid_by == "hand"), None)
    if hand is not None:
        stays = words.stays[_device(terms, hand)]
        yield Prompt("dealer", f"seat {seat.number}: {stays.text}", stays.clause, seat.number)
        return
    best = left_exposed(terms, table)
    if words.exposed is not None and best == seat.number and now[0].wager != "cover_all":
        text = f"seat {seat.number}: {words.exposed.text}"
        yield Prompt("dealer", text, words.exposed.clause, seat.number)
        for other in table.order:
            if other != best and _lay_exposed(table, other) and words.exceeded is not None:
                text = f"seat {other}: {words.exceeded.text}"
                yield Prompt("dealer", text, words.exceeded.clause, other)
        return
    more = any(d.seat == seat.number and not d.paid and d not in now for d in table.due)
    if more or seat.number in table.picked_up or seat.number in frozen(table):
        return
    said = _cleared(words, now)
    yield Prompt("dealer", f"seat {seat.number}: {said.text}", said.clause, seat.number)


def _lay_exposed(table: Table, number: int) -> bool:
    """Settled, and its cards are still there."""
    own = [due for due in table.due if due.seat == number and due.wager != "cover_all"]
    settled = bool(own) and all(due.paid for due in own)
    return settled and number not in table.picked_up and number not in frozen(table)


def _cleared(words: Settling, now: list[Due]) -> Words:
    results = {due.result for due in now}
    if results == {"lose"}:
        return words.cleared_when.get("lose", words.cleared)
    if "push" in results and "win" not in results:
        return words.cleared_when.get("push", words.cleared)
    return words.cleared


def _documents(terms: Terms, table: Table, words: Settling) -> Iterator[Prompt]:
    for due in table.due:
        if due.paid and due.paid_by == "hand" and not due.documented_by:
            stays = words.stays[_device(terms, due)]
            text = f"seat {due.seat}: complete the documents, {dollars(due.returns)}; {stays.text}"
            yield Prompt("floorperson", text, stays.clause, due.seat, "hand_pay_documented")


def clearing(terms: Terms, table: Table) -> Iterator[Prompt]:
    words = terms.ruleset.rulebook.words.settling
    yield from _documents(terms, table, words)
    if table.void and table.void != SIDE_WAGERS:
        yield Prompt("dealer", f"the round is void: {table.void}")
        if table.method == "automated shoe" and table.deal.stub == "in shoe":
            yield Prompt("dealer", words.shoe_failed.text, words.shoe_failed.clause)
    if not frozen(table):
        yield Prompt("dealer", words.rack.text, words.rack.clause, answer="cards_racked")
