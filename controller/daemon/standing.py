"""What a device must be told to stand as the table has it. Repeating any of it does no harm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from controller.table.commands import (
    ArmShoe,
    Command,
    EnableDeal,
    Lock,
    SetLamp,
    ShowBalance,
    ShowLink,
    ShowMeter,
    ShowOffer,
    ShowWarning,
    ShowWin,
    StartShuffle,
    StopShoe,
    Unlock,
)
from controller.table.dealing import armed
from controller.table.decks import may_shuffle
from controller.table.interlock import may
from controller.table.offers import column, is_open, made_at_devices
from controller.table.paying import shown_win
from controller.table.state import Seat, Table
from controller.table.terms import Terms
from drivers.wire.messages import Kinds

#: Milliseconds for which a win at another table is news.
WIN_IS_NEWS = 30_000


def standing_orders(terms: Terms, table: Table, kind: str, seat: int | None) -> Iterator[Command]:
    match kind:
        case "acceptor" | "terminal" if seat is not None:
            yield from _at_a_seat(terms, table, table.seat(seat), kind)
        case "panel":
            yield EnableDeal(enabled=table.deal_enabled and may(table, EnableDeal))
            yield ShowWarning(lit=bool(table.holds))
            # Its lock-out lamp is lit while all is closed, and that is how it begins.
            yield from _opened(table)
        case "shoe" if table.deal_enabled and may(table, ArmShoe):
            # Armed when the deal was enabled, and perhaps restarted since.
            yield from armed(terms, table)
        case "shoe" if table.void and table.phase == "clearing":
            # What it was armed for is void, and it may not have heard of that.
            yield StopShoe()
        case _ if kind not in get_args(Kinds):
            # Of a kind that a driver brings: whether bets are taken is all that it is told.
            yield from _opened(table)
        case "sign":
            yield from _noticed(table)
            yield from _meters(table)
            yield from wins(terms, table)
        case "shuffler":
            yield from _shuffle(terms, table)
            yield from column(terms, table)


def _opened(table: Table) -> Iterator[Command]:
    if table.phase == "betting" and may(table, Unlock):
        for seat in table.seats:
            if not seat.acceptor_locked:
                yield Unlock(seat=seat.number, device="acceptor")
            if not seat.terminal_locked:
                yield Unlock(seat=seat.number, device="terminal")


def _at_a_seat(terms: Terms, table: Table, seat: Seat, kind: str) -> Iterator[Command]:
    """Locked is the resting state: it opens only where the machine has it open."""
    if kind == "acceptor":
        order = Unlock if is_open(table, seat.number, "acceptor") else Lock
        yield order(seat=seat.number, device="acceptor")
        yield SetLamp(seat=seat.number, lamp=seat.lamp)
        return
    order = Unlock if is_open(table, seat.number, "terminal") else Lock
    yield order(seat=seat.number, device="terminal")
    yield ShowBalance(seat=seat.number, cents=seat.balance)
    yield from _offers(terms, table)


def _offers(terms: Terms, table: Table) -> Iterator[Command]:
    for wager, why in table.withheld.items():
        yield ShowOffer(wager=wager, offered=False, why=why)
    if table.phase in ("closed", "opening"):
        return  # nothing was ever taken off the offer, or it is forgotten
    for wager in made_at_devices(terms):
        if wager not in table.withheld:
            yield ShowOffer(wager=wager, offered=True)


def _noticed(table: Table) -> Iterator[Command]:
    """Whether the meters can be played for; a sign that is told nothing else says that they can."""
    if table.link is not None:
        yield ShowLink(status=table.link.status)
    for wager, why in table.withheld.items():
        yield ShowOffer(wager=wager, offered=False, why=why)


def wins(terms: Terms, table: Table) -> Iterator[ShowWin]:
    """A win stays up until its documents are done; one at another table, as long as it is news."""
    for due in table.due:
        if due.paid and due.paid_by == "hand" and not due.documented_by:
            yield from shown_win(terms, table, due)
    for meter in table.meters.values():
        for hit in reversed(meter.last_hits):
            if hit.table not in ("", terms.id) and table.at - hit.at < WIN_IS_NEWS:
                yield ShowWin(
                    table=hit.table,
                    seat=hit.seat,
                    meter=meter.name,
                    level=hit.level,
                    cents=hit.cents,
                    base=meter.shows()[hit.level],
                )


def _meters(table: Table) -> Iterator[Command]:
    for meter in table.meters.values():
        for level, cents in meter.shows().items():
            yield ShowMeter(meter=meter.name, level=level, cents=cents)


def _shuffle(terms: Terms, table: Table) -> Iterator[Command]:
    """A cycle that the machine waits for; one that runs or is done, the shuffler tells itself.

    Not while anything is held: hands may be inside.
    """
    deck = next((one for one in table.decks if one.id == table.deck), None)
    due = deck is not None and deck.shuffled == "no" and not deck.opened
    if table.phase == "shuffling" and deck is not None and due and may_shuffle(terms, table):
        yield StartShuffle(deck=deck.id)
