"""What acceptors were ordered to give back a moment ago, for a felt that ended before it was done.

Nobody tells the table that a chip has gone back: within moments the acceptor has done it, or people
are called. So the table keeps what it ordered for as long as that takes. A felt that starts again
repeats the order where it can do no harm, and calls people where it could.
"""

from __future__ import annotations

from collections.abc import Iterable

from controller.table import events
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
            Back(event.at, one.seat, one.wager, one.cents)
            for one in commands
            if isinstance(one, ReturnWager) and wagers[one.wager].on == "acceptor"
        ]
    back = tuple(kept)
    return after if back == after.back else replace(after, back=back)


def to_repeat(table: Table) -> list[ReturnWager]:
    """Orders that do no harm when they are carried out twice: no wager lies in the acceptor."""
    return [
        ReturnWager(seat=one.seat, wager=one.wager, cents=one.cents, to="layout")
        for one in table.back
        if one.wager not in table.seat(one.seat).wagers
    ]


def in_doubt(table: Table) -> list[Back]:
    """Those with a wager in the acceptor again: repeated, the order could take that one."""
    return [one for one in table.back if one.wager in table.seat(one.seat).wagers]
