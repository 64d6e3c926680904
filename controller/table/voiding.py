"""Wagers that go back: of a whole round, of one void hand, or the main wagers of void hands.

Each goes back exactly once, to where it came from, and takes with it what it added to a meter.
After a void round the cards that were dealt are gathered with the rest and shuffled again.
"""

from __future__ import annotations

from typing import Literal

from controller.table import link, meters
from controller.table.change import replace, with_deck, with_seat
from controller.table.commands import (
    Command,
    EnableDeal,
    ReturnWager,
    SetLamp,
    ShowBalance,
    ShowMeter,
    StopShoe,
)
from controller.table.state import Table
from controller.table.terms import Terms

#: Where a hold lies over a round until somebody has decided about a card that was seen too soon.
EXPOSED = "exposed card"
#: Its cause where the card is one that no hand is played with.
ALL_SIX = "an All-Six card was exposed early"


def returned(
    terms: Terms, table: Table, number: int, kinds: list[str]
) -> tuple[Table, list[Command]]:
    """These wagers of a seat go back: to its account, or from the layout to the player."""
    before = table
    table = meters.taken_back(table, number, kinds)
    seat, commands = table.seat(number), list[Command]()
    balance = seat.balance
    for kind in kinds:
        cents = seat.wagers[kind]
        electronic = terms.ruleset.rulebook.wagers[kind].on == "terminal"
        to: Literal["account", "layout"] = "account" if electronic else "layout"
        commands.append(ReturnWager(seat=number, wager=kind, cents=cents, to=to))
        balance += cents if electronic else 0
    left = {kind: cents for kind, cents in seat.wagers.items() if kind not in kinds}
    lamp = seat.lamp
    if "progressive" in kinds and lamp != "off":
        # The light says that a wager is accepted; none is any more.
        lamp = "off"
        commands.append(SetLamp(seat=number, lamp=lamp))
    if balance != seat.balance:
        commands.append(ShowBalance(seat=number, cents=balance))
    table = with_seat(table, number, wagers=left, balance=balance, lamp=lamp)
    return table, [*commands, *_shown_again(before, table)]


def _shown_again(before: Table, after: Table) -> list[Command]:
    """The sign follows a meter that fell, and so does the link."""
    shown: list[Command] = [
        ShowMeter(meter=name, level=level, cents=cents)
        for name, meter in after.meters.items()
        if meter.levels != before.meters[name].levels
        for level, cents in meter.shows().items()
    ]
    return [*shown, *link.sends(before, after)]


def without_exposed(table: Table) -> Table:
    return replace(table, holds=tuple(hold for hold in table.holds if hold.where != EXPOSED))


def void(terms: Terms, table: Table, reason: str) -> tuple[Table, list[Command]]:
    """The whole round is void. What is left is to gather the cards and shuffle them."""
    before = table
    table = meters.reversed_for_void(terms, table)
    commands: list[Command] = []
    if table.method == "automated shoe" and table.phase in ("locked", "dealing"):
        commands.append(StopShoe())
    if table.phase == "locked" and table.deal_enabled:
        commands.append(EnableDeal(enabled=False))
    # Not only seats with an Ante: where hands are void, side wagers may live without it.
    for seat in table.seats:
        table, more = returned(terms, table, seat.number, list(seat.wagers))
        commands += more
        if table.seat(seat.number).lamp != "off":
            commands.append(SetLamp(seat=seat.number, lamp="off"))
            table = with_seat(table, seat.number, lamp="off")
    commands += _shown_again(before, table)
    assert table.deck is not None
    # What was left to decide about an exposed card is decided.
    table = without_exposed(with_deck(table, table.deck, shuffled="no", cut=False))
    return replace(
        table, phase="clearing", void=reason, due=(), order=(), deal_enabled=False
    ), commands
