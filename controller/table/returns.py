"""What acceptors were ordered to give back a moment ago, for a felt that ended before it was done.

Nobody tells the table that a chip has gone back: within moments the acceptor has done it, or people
are called. So the table keeps what it ordered for as long as that takes. A felt that starts again
repeats the order where it can do no harm, and calls people where it could.

Where an accepted wager lies in the acceptor, the order names the one chip that goes back, by the
event that told of it: what the acceptor accepted stays.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET

from controller.table import events, repeats
from controller.table.change import replace
from controller.table.commands import Command, ReturnWager
from controller.table.state import Back, Table
from controller.table.terms import Terms

#: Milliseconds within which an acceptor has given back what it was told to, or is at fault.
KNOWN_AFTER = 10_000


def noted(
    terms: Terms, before: Table, after: Table, event: events.Event, commands: Iterable[Command]
) -> Table:
    """The table with what was ordered back by this event, without what is past."""
    kept = [one for one in after.back if abs(event.at - one.at) < KNOWN_AFTER]
    # After the lock the chips lie before the dealer, whose hand gives them back.
    if before.phase == "betting" or isinstance(event, events.WagerCameLate):
        wagers = terms.ruleset.rulebook.wagers
        kept += [
            Back(event.at, one.seat, one.wager, one.cents, _chip(event))
            for one in commands
            if isinstance(one, ReturnWager) and wagers[one.wager].on == "acceptor"
        ]
    back = tuple(kept)
    return after if back == after.back else replace(after, back=back)


def of_a_chip(table: Table, event: events.WagerPlaced | events.WagerCameLate) -> ReturnWager:
    """The order to give back what this event told of, and nothing that was accepted."""
    order = _order(table, event.seat, event.wager, event.amount, _chip(event))
    of_an_earlier_felt = isinstance(event, events.WagerCameLate) and event.given_back is UNSET
    # Which named no chip: its journals say again what they said.
    return replace(order, chip=None) if of_an_earlier_felt else order


def to_repeat(table: Table) -> list[ReturnWager]:
    """Orders that do no harm when they are carried out twice: no wager lies in the acceptor, or
    the chip that goes back has a name.
    """
    return [
        _order(table, one.seat, one.wager, one.cents, one.chip)
        for one in table.back
        if one.chip or not _lies_there(table, one.seat, one.wager)
    ]


def in_doubt(table: Table) -> list[Back]:
    """Those with a wager in the acceptor again: repeated, the order could take that one."""
    return [one for one in table.back if not one.chip and _lies_there(table, one.seat, one.wager)]


def _order(table: Table, seat: int, wager: str, cents: int, chip: str) -> ReturnWager:
    named = chip if _lies_there(table, seat, wager) else None
    return ReturnWager(seat=seat, wager=wager, cents=cents, to="layout", chip=named)


def _lies_there(table: Table, seat: int, wager: str) -> bool:
    return wager in table.seat(seat).wagers


def _chip(event: events.Event) -> str:
    """The id of the event that told of a chip; "" if this is about no chip, or nobody can say."""
    if not isinstance(event, events.WagerPlaced | events.WagerCameLate):
        return ""
    if isinstance(event, events.WagerCameLate) and event.given_back is UNSET:
        return ""
    told_by = repeats.told_by(event.id)
    return "" if told_by is None else f"{told_by.device}:{told_by.boot}:{told_by.seq}"
