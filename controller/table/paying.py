"""Payment: line by line in the rulebook's order, nothing before it is verified and validated.

A share of a meter is paid by hand: neither from the rack nor to an account, and the hand that won
it stays on the table until the payment is documented.
"""

from __future__ import annotations

from controller.rules.faults import Refused
from controller.table import events, meters
from controller.table.change import Change, replace, seated, with_seat
from controller.table.clearing import after_payment
from controller.table.commands import CollectWager, Command, Pay, ShowBalance, ShowWin
from controller.table.link import must_be_ordered
from controller.table.people import must_be, must_differ
from controller.table.state import Due, Table
from controller.table.terms import Terms
from controller.table.voiding import to_account


def in_turn(table: Table) -> int | None:
    """The seat that is settled next."""
    left = [due for due in table.due if not due.paid]
    if not left:
        return None
    turn = min(due.turn for due in left)
    open_seats = {due.seat for due in left if due.turn == turn}
    return next(number for number in table.order if number in open_seats)


def due_now(table: Table) -> list[Due]:
    """The lines of the seat in turn that are paid with its next payment."""
    seat = in_turn(table)
    left = [due for due in table.due if not due.paid and due.seat == seat]
    turn = min((due.turn for due in left), default=0)
    return [due for due in left if due.turn == turn]


def must_be_verified(terms: Terms, due: Due) -> bool:
    """The dealer confirms every win of a wager that went through an acceptor or a terminal.

    And what a drawn card or seat adds to such a wager.
    """
    book = terms.ruleset.rulebook
    if due.wager in book.draws:
        return due.result == "win"
    wager = book.wagers.get(due.wager)
    return due.result == "win" and wager is not None and wager.on != "layout"


def _lines(terms: Terms, table: Table, seat: int, wager: str) -> list[int]:
    """The wins of a seat on a wager; a drawn card may win with its own hand and the dealer's."""
    found = [
        n
        for n, due in enumerate(table.due)
        if due.seat == seat and due.wager == wager and must_be_verified(terms, due)
    ]
    if found:
        return found
    raise Refused(
        "wager",
        f"seat {seat} has no win on {wager} that is verified",
        "only what was accepted before the lock is paid",
    )


def _with_due(table: Table, *lines: int, **changes: object) -> Table:
    due = list(table.due)
    for n in lines:
        due[n] = replace(due[n], **changes)
    return replace(table, due=tuple(due))


def verified(terms: Terms, table: Table, event: events.HandVerified) -> Change:
    lines = _lines(terms, table, event.seat, event.wager)
    if table.due[lines[0]].paid:
        raise Refused("wager", f"the {event.wager} of seat {event.seat} is paid already")
    lamp = f"lamp of seat {event.seat}"
    held = next((hold for hold in table.holds if hold.where == lamp), None)
    if event.wager == "progressive" and (held or table.seat(event.seat).lamp != "accepted"):
        raise Refused(
            "seat",
            f"the light of seat {event.seat} is not lit",
            "a floorperson looks at it and clears the hold" if held else "the wager is not known",
        )
    return _with_due(table, *lines, verified_by=event.by.id), ()


def validated(terms: Terms, table: Table, event: events.PayoutValidated) -> Change:
    n = _lines(terms, table, event.seat, event.wager)[0]
    due = table.due[n]
    if due.validate is None:
        raise Refused("wager", f"the {event.wager} of seat {event.seat} needs no validation")
    if due.paid:
        raise Refused("wager", f"the {event.wager} of seat {event.seat} is paid already")
    must_be_ordered(due)
    must_be(event.by, due.validate, f"validating the {event.wager} of seat {event.seat}")
    if not due.verified_by:
        raise Refused("wager", "the dealer verifies the hand first")
    must_differ(event.by.id, due.verified_by, "verifying and validating a payout")
    if due.ordered_by and not due.order:
        must_differ(event.by.id, due.ordered_by, "valuing and validating a hit without the link")
    return _with_due(table, n, validated_by=event.by.id, validated_at=event.at), ()


def refused(terms: Terms, table: Table, event: events.PayoutRefused) -> Change:
    """What was verified is so no longer; nothing is paid before somebody has verified it again."""
    lines = _lines(terms, table, event.seat, event.wager)
    due, what = table.due[lines[0]], f"the {event.wager} of seat {event.seat}"
    if due.validate is None:
        raise Refused("wager", f"{what} needs no validation")
    must_be(event.by, due.validate, f"refusing {what}")
    if due.paid or due.validated_by:
        problem = f"{what} is {'paid' if due.paid else 'validated'} already"
        raise Refused("wager", problem, "correct it with surveillance")
    if not due.verified_by:
        raise Refused("wager", "the dealer verifies the hand first")
    return _with_due(table, *lines, verified_by=""), ()


def paid(terms: Terms, table: Table, event: events.SeatPaid) -> Change:
    """One seat is settled, as far as it is its turn."""
    seat, turn = seated(table, event.seat), in_turn(table)
    if turn != event.seat:
        raise Refused("seat", f"seat {turn} is settled first" if turn else "all seats are paid")
    commands: list[Command] = []
    balance, now = seat.balance, due_now(table)
    for n, due in enumerate(table.due):
        if due not in now:
            continue
        must_be_ordered(due)
        if must_be_verified(terms, due) and not due.verified_by:
            raise Refused("seat", f"the {due.wager} is not verified", "the dealer verifies it")
        if must_be_verified(terms, due) and due.validate and not due.validated_by:
            raise Refused("seat", f"the {due.wager} is not validated by a {due.validate}")
        table = _with_due(table, n, paid=True)
        commands += _payment(terms, table, due)
        if to_account(terms, due):
            balance += due.returns
    if balance != seat.balance:
        commands.append(ShowBalance(seat=event.seat, cents=balance))
    table = with_seat(table, event.seat, balance=balance)
    table, more = if_all_is_paid(terms, after_payment(terms, table))
    return table, [*commands, *more]


def if_all_is_paid(terms: Terms, table: Table) -> Change:
    """Nothing is over while a hand is still face down."""
    if table.phase != "settling" or in_turn(table) is not None:
        return table, ()
    table, commands = meters.awarded(terms, table, table.due)
    return replace(table, phase="clearing"), commands


def collected(due: Due) -> CollectWager:
    return CollectWager(seat=due.seat, wager=due.wager, cents=due.stake)


def _payment(terms: Terms, table: Table, due: Due) -> list[Command]:
    if due.result == "lose":
        return [collected(due)]
    pay = Pay(
        seat=due.seat,
        wager=due.wager,
        cents=due.returns,
        paid_by=due.paid_by or "layout",
        clause=due.clause,
    )
    return [pay, *shown_win(terms, table, due)]


def shown_win(terms: Terms, table: Table, due: Due) -> list[ShowWin]:
    """What the sign shows of a line that is paid by hand; nothing of any other."""
    meter = terms.ruleset.wagers[due.wager].meter if due.paid_by == "hand" else None
    if meter is None:
        return []
    level = meters.level_of(due.odds)
    # Once everybody is paid the meter itself holds it.
    after = table.after.get(meter) or table.meters[meter].shows()
    win = ShowWin(
        table=terms.id,
        seat=due.seat,
        meter=meter,
        level=level,
        cents=due.returns,
        base=after[level],
    )
    return [win]


def documented(terms: Terms, table: Table, event: events.HandPayDocumented) -> Change:
    found = False
    for n, due in enumerate(table.due):
        if due.seat == event.seat and due.paid_by == "hand" and not due.documented_by:
            if not due.paid:
                raise Refused("seat", f"the {due.wager} of seat {event.seat} is not paid yet")
            table, found = _with_due(table, n, documented_by=event.by.id), True
    if not found:
        raise Refused("seat", f"seat {event.seat} has no payment by hand to document")
    return after_payment(terms, table), ()
