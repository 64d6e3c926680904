"""How the table lies, as plain data, and what an entry has changed of it.

What is said of a table after each of many entries is said as changes, so that it stays small: a
change is a JSON merge patch (RFC 7396) to what lay before. What is not there is left out, so no
value is null, and a change says with one that something is gone. No face is in it that nobody has
turned over.
"""

from __future__ import annotations

from typing import Any

from controller.rules.cards import names
from controller.table.state import Seat, Table

Lay = dict[str, Any]


def lay(table: Table) -> Lay:
    """Phase, cards, wagers, lamps, locks, what was paid, holds: as people at the table see it."""
    return _there(
        {
            "phase": table.phase,
            "void": table.void,
            "places": _places(table),
            "seats": {str(seat.number): one for seat in table.seats if (one := _seat(table, seat))},
            "holds": {str(hold.number): hold.over for hold in table.holds},
        }
    )


def _places(table: Table) -> Lay:
    found = {}
    for name in sorted({*table.deal.placed, *table.faces}):
        cards = names(table.faces.get(name, ()))
        if name == "dealer" and not cards and table.up_card is not None:
            cards = names([table.up_card])
        one = _there({"count": table.deal.placed.get(name, 0), "cards": cards})
        if one:
            found[name] = one
    return found


def _seat(table: Table, seat: Seat) -> Lay:
    """Nothing of a seat where nobody sits and nothing lies."""
    if seat.player is None and not seat.wagers and not seat.dealt:
        return {}
    lines = [due for due in table.due if due.seat == seat.number]
    return _there(
        {
            "player": seat.player,
            "wagers": seat.wagers,
            "lamp": seat.lamp,
            "acceptor_open": not seat.acceptor_locked,
            "terminal_open": not seat.terminal_locked,
            "dealt": seat.dealt,
            "folded": seat.folded,
            "void": seat.void,
            "forfeited": seat.forfeited,
            "left": seat.left,
            "cards": names(seat.cards),
            "hand": seat.hand,
            "settled": bool(lines) and all(due.paid for due in lines),
            "paid": sum(due.returns for due in lines if due.paid),
        }
    )


def _there(some: Lay) -> Lay:
    return {name: value for name, value in some.items() if value}


def changed(before: Lay, after: Lay) -> Lay:
    """What makes ``after`` of ``before``."""
    found: Lay = {name: None for name in before if name not in after}
    for name, value in after.items():
        was = before.get(name)
        if isinstance(value, dict):
            change = changed(was if isinstance(was, dict) else {}, value)
            if change or not isinstance(was, dict):
                found[name] = change
        elif value != was:
            found[name] = value
    return found


def merged(before: Lay, change: Lay) -> Lay:
    """``before`` after a change; nothing that was given is changed itself."""
    found = dict(before)
    for name, value in change.items():
        if value is None:
            found.pop(name, None)
        elif isinstance(value, dict):
            was = found.get(name)
            found[name] = merged(was if isinstance(was, dict) else {}, value)
        else:
            found[name] = value
    return found
