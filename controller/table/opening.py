"""Opening and closing the table, and closing the seats' devices whenever betting ends early."""

from __future__ import annotations

from controller.rules.faults import Refused
from controller.table import events
from controller.table.change import Change, replace
from controller.table.commands import Command, Lamp, Lock, SetLamp
from controller.table.state import Seat, Table
from controller.table.terms import Terms, checked


def opened(terms: Terms, table: Table, event: events.TableOpened) -> Change:
    checked(terms)
    return replace(table, phase="opening"), ()


def closed(terms: Terms, table: Table, event: events.TableClosed) -> Change:
    """Nothing is left on the table: no wager, no money; its decks and its people leave with it."""
    if any(seat.wagers for seat in table.seats):
        raise Refused("", "wagers are down", "finish the round or take them back")
    if any(seat.balance for seat in table.seats):
        raise Refused("", "money is on the accounts of the seats", "cash out first")
    table, commands = shut(terms, table)
    table = replace(table, phase="closed", decks=(), deck=None, last_deck=None, rack=None, idle="")
    return replace(table, on_duty={}), commands


def shut(terms: Terms, table: Table) -> Change:
    """Acceptors and terminals close: betting was open, and ends without a round.

    Locked is their resting state, so nothing waits for them to confirm it here: they are opened
    by order only, and before the next deal each of them confirms its lock.
    """
    if table.phase != "betting":
        return table, ()
    commands: list[Command] = []
    for seat in table.seats:
        if terms.acceptors:
            commands.append(Lock(seat=seat.number, device="acceptor"))
        if terms.terminals:
            commands.append(Lock(seat=seat.number, device="terminal"))
        if seat.lamp != lamp_at_rest(seat):
            commands.append(SetLamp(seat=seat.number, lamp="off"))
    seats = tuple(
        replace(seat, acceptor_locked=True, terminal_locked=True, lamp=lamp_at_rest(seat))
        for seat in table.seats
    )
    return replace(table, seats=seats), commands


def lamp_at_rest(seat: Seat) -> Lamp:
    """A light that says that a wager is accepted stays as long as the wager is down."""
    return "accepted" if seat.wagers.get("progressive") else "off"
