"""Wagers that go back: of a whole round, of one void hand, or the main wagers of void hands.

Each goes back exactly once, to where it came from, and takes with it what it added to a meter.
After a void round the cards that were dealt are gathered with the rest and shuffled again.
"""

from __future__ import annotations

from typing import Literal

from controller.rules.faults import Refused
from controller.table import events, link, meters
from controller.table.change import Change, replace, with_deck, with_seat
from controller.table.commands import (
    Command,
    EnableDeal,
    ReturnWager,
    SetLamp,
    ShowBalance,
    ShowMeter,
    StopShoe,
    TakeBack,
)
from controller.table.state import Due, HandBack, Table
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
    balance, by_hand = seat.balance, list[HandBack]()
    for kind in kinds:
        cents, on = seat.wagers[kind], terms.ruleset.rulebook.wagers[kind].on
        to: Literal["account", "layout"] = "account" if on == "terminal" else "layout"
        commands.append(ReturnWager(seat=number, wager=kind, cents=cents, to=to))
        balance += cents if to == "account" else 0
        # Until the lock an acceptor gives its chip back by itself.
        if to == "layout" and not (on == "acceptor" and table.phase == "betting"):
            by_hand.append(HandBack(number, kind, cents))
    left = {kind: cents for kind, cents in seat.wagers.items() if kind not in kinds}
    lamp = seat.lamp
    if "progressive" in kinds and lamp != "off":
        # The light says that a wager is accepted; none is any more.
        lamp = "off"
        commands.append(SetLamp(seat=number, lamp=lamp))
    if balance != seat.balance:
        commands.append(ShowBalance(seat=number, cents=balance))
    table = with_seat(table, number, wagers=left, balance=balance, lamp=lamp)
    table = replace(table, hand_back=(*table.hand_back, *by_hand))
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


def to_account(terms: Terms, due: Due) -> bool:
    """Whether a line goes to the player's account: a prize, or the stake that came from there."""
    stake_back = due.paid_by is None and terms.is_electronic(due.wager)
    return due.paid_by == "account" or stake_back


def _undone(terms: Terms, table: Table) -> tuple[Table, list[Command]]:
    """What was paid to seats that were settled before the round was found to be void."""
    commands: list[Command] = []
    for due in table.due:
        if not due.paid or not due.returns:
            continue
        account = to_account(terms, due)
        paid_by = "account" if account else due.paid_by or "layout"
        balance = table.seat(due.seat).balance
        # What the player has drawn from the account meanwhile is asked for at the table.
        drawn = max(0, due.returns - balance) if account else due.returns
        commands.append(
            TakeBack(seat=due.seat, wager=due.wager, cents=due.returns, paid_by=paid_by)
        )
        if account:
            table = with_seat(table, due.seat, balance=balance - (due.returns - drawn))
            commands.append(ShowBalance(seat=due.seat, cents=table.seat(due.seat).balance))
        if drawn:
            back = HandBack(due.seat, due.wager, -drawn)
            table = replace(table, hand_back=(*table.hand_back, back))
    return table, commands


def handed_back(terms: Terms, table: Table, event: events.WagersReturned) -> Change:
    left = tuple(one for one in table.hand_back if one.seat != event.seat)
    if left == table.hand_back:
        raise Refused("seat", f"nothing is to be handed back to seat {event.seat}")
    return replace(table, hand_back=left), ()


def without_exposed(table: Table) -> Table:
    return replace(table, holds=tuple(hold for hold in table.holds if hold.where != EXPOSED))


def void(terms: Terms, table: Table, reason: str) -> tuple[Table, list[Command]]:
    """The whole round is void. What is left is to gather the cards and shuffle them."""
    before = table
    table = meters.reversed_for_void(terms, table)
    table, commands = _undone(terms, table)
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
