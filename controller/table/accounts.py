"""Electronic money at the seats: buy-ins and cash-outs, each transfer posted once.

A terminal that got no answer asks again under the same id and gets the answer of the first time,
and what the account holds by now.
"""

from __future__ import annotations

from controller.rules.faults import Refused
from controller.rules.paytables import dollars
from controller.table import events
from controller.table.change import Change, seated, with_seat
from controller.table.commands import TransferPosted
from controller.table.state import TRANSFERS_KEPT, Seat, Table, Transfer
from controller.table.terms import Terms


def bought_in(terms: Terms, table: Table, event: events.BoughtIn) -> Change:
    return _posted(terms, table, event.seat, event.transfer, event.cents)


def cashed_out(terms: Terms, table: Table, event: events.CashedOut) -> Change:
    return _posted(terms, table, event.seat, event.transfer, -event.cents)


def _posted(terms: Terms, table: Table, number: int, transfer: str, cents: int) -> Change:
    if not terms.terminals:
        raise Refused("seat", "this table has no wagering terminals")
    seat = seated(table, number)
    if (before := _posted_before(seat, transfer)) is not None:
        if before.cents != cents:
            was = dollars(abs(before.cents))
            raise Refused("transfer", f"{transfer} was posted with {was}", "use another id")
        now = seat.balance if seat.balance != before.balance else None
        return table, (_answer(number, before, now),)
    if seat.player is None:
        raise Refused("seat", f"nobody sits at seat {number}")
    if cents == 0:
        raise Refused("cents", "nothing is transferred", "an amount above 0")
    if seat.balance + cents < 0:
        has = f"the account holds {dollars(seat.balance)}"
        raise Refused("cents", f"{dollars(-cents)} is more than there is", has)
    posted = Transfer(transfer, cents, seat.balance + cents)
    transfers = (*seat.transfers, posted)[-TRANSFERS_KEPT:]
    table = with_seat(table, number, balance=posted.balance, transfers=transfers)
    return table, (_answer(number, posted),)


def _posted_before(seat: Seat, transfer: str) -> Transfer | None:
    return next((one for one in seat.transfers if one.id == transfer), None)


def _answer(number: int, posted: Transfer, now: int | None = None) -> TransferPosted:
    return TransferPosted(
        seat=number, transfer=posted.id, cents=posted.cents, balance=posted.balance, now=now
    )
