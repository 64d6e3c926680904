"""What a device must be told to stand as the table has it. Repeating any of it does no harm."""

from __future__ import annotations

from collections.abc import Iterator

from controller.table.commands import (
    Command,
    EnableDeal,
    Lock,
    SetLamp,
    ShowBalance,
    ShowMeter,
    ShowOffer,
    ShowWarning,
    StartShuffle,
    Unlock,
)
from controller.table.dealing import armed
from controller.table.state import Seat, Table
from controller.table.terms import Terms


def standing_orders(terms: Terms, table: Table, kind: str, seat: int | None) -> Iterator[Command]:
    match kind:
        case "acceptor" | "terminal" if seat is not None:
            yield from _at_a_seat(table, table.seat(seat), kind)
        case "panel":
            yield EnableDeal(enabled=table.deal_enabled)
            yield ShowWarning(lit=bool(table.holds))
        case "shoe" if table.deal_enabled:
            # Armed when the deal was enabled, and perhaps restarted since.
            yield from armed(terms, table)
        case "sign":
            yield from _meters(table)
        case "shuffler":
            yield from _shuffle(table)


def _at_a_seat(table: Table, seat: Seat, kind: str) -> Iterator[Command]:
    """Locked is the resting state: it opens only where the machine has it open."""
    if kind == "acceptor":
        is_open = table.phase == "betting" and not seat.acceptor_locked
        order = Unlock if is_open else Lock
        yield order(seat=seat.number, device="acceptor")
        yield SetLamp(seat=seat.number, lamp=seat.lamp)
        return
    is_open = table.phase == "betting" and not seat.terminal_locked
    yield (Unlock if is_open else Lock)(seat=seat.number, device="terminal")
    yield ShowBalance(seat=seat.number, cents=seat.balance)
    for wager, why in table.withheld.items():
        yield ShowOffer(wager=wager, offered=False, why=why)


def _meters(table: Table) -> Iterator[Command]:
    for meter in table.meters.values():
        for level, cents in meter.shows().items():
            yield ShowMeter(meter=meter.name, level=level, cents=cents)


def _shuffle(table: Table) -> Iterator[Command]:
    """A cycle that the machine waits for; one that runs or is done, the shuffler tells itself."""
    deck = next((one for one in table.decks if one.id == table.deck), None)
    if table.phase == "shuffling" and deck is not None and deck.shuffled == "no":
        yield StartShuffle(deck=deck.id)
