"""Rounds whose cards a test chooses: the shoe is stacked so that the deal gives these hands."""

from __future__ import annotations

from typing import Any

from controller.rules.cards import DECK, cards, names
from controller.table import events
from controller.table.paying import due_now, must_be_verified
from controller.table.plan import deal_plan
from controller.table.settling import in_turn, to_be_shown, to_be_turned
from controller.table.state import Due
from tests.controller.table.playing import BOSS, AtTheTable, open_table

#: A dealer below ace-king, and one that qualifies and beats little.
NO_HAND = "Qs Jc 9d 4h 3c"
ACE_KING = "As Kc 9d 4h 3c"
FLUSH = "Kd Jd 8d 5d 2d"
LOW = "Ts 8c 6h 5h 3d"
QUADS = "7c 7d 7h 7s 2c"
FULL_HOUSE = "6c 6d 6s Tc Td"
STRAIGHT_FLUSH = "9h 8h 7h 6h 5h"
ROYAL = "Ad Kd Qd Jd Td"
TRIPS = "Jd Jh Js 8s 2h"


def stacked(at: AtTheTable, hands: dict[int | str, str]) -> AtTheTable:
    """Between the lock and the deal: what each place will get; the rest falls as it may."""
    given = {place: list(cards(text)) for place, text in hands.items()}
    used = {one for some in given.values() for one in some}
    assert len(used) == sum(map(len, given.values())), "one card in two hands"
    rest = [one for one in at.random.sample(DECK, 52) if one not in used]
    out: list[int] = []
    for planned in deal_plan(at.terms, at.table):
        mine = given.get(planned.to, [])
        out += [mine.pop(0) if mine else rest.pop() for _ in range(planned.cards)]
    at.shoe = [*rest, *reversed(out)]
    return at


def seated_round(
    book: str,
    hands: dict[int | str, str],
    *,
    side: dict[str, int] | None = None,
    folds: tuple[int, ...] = (),
    **more: Any,
) -> AtTheTable:
    """A round up to its settlement, with these hands at the seats that are named."""
    at = open_table(book, **more).shuffles()
    return played(at, hands, side=side, folds=folds)


def played(
    at: AtTheTable,
    hands: dict[int | str, str],
    *,
    side: dict[str, int] | None = None,
    folds: tuple[int, ...] = (),
) -> AtTheTable:
    seats = [place for place in hands if isinstance(place, int)]
    for seat in seats:
        if at.table.seat(seat).player is None:
            at.sits(seat)
    at.antes(*seats, **(side or {})).locks()
    stacked(at, hands).deals()
    last = 3 if at.terms.ruleset.rulebook.game == "raise-it-up" else 1
    at.decides(
        lambda street, seat: (
            "fold" if seat in folds and street == last else "check" if seat in folds else "wager"
        )
    )
    return at.reveals()


def turn(at: AtTheTable, seat: int) -> None:
    at.does(events.HandTurned, seat=seat, cards=names(at.faces[seat]))


def show(at: AtTheTable, place: str) -> None:
    shown = len(at.table.faces.get(place, ()))
    at.does(events.Revealed, where=place, cards=names(at.faces[place][shown:]))


def line(at: AtTheTable, seat: int, wager: str) -> Due:
    return next(due for due in at.table.due if due.seat == seat and due.wager == wager)


def verified(at: AtTheTable) -> None:
    """All that the seat in turn needs before it is paid."""
    for due in due_now(at.table):
        if must_be_verified(at.terms, due):
            at.does(events.HandVerified, seat=due.seat, wager=due.wager)
            if due.validate:
                at.does(events.PayoutValidated, seat=due.seat, wager=due.wager, by=BOSS)


def pay_until(at: AtTheTable, seat: int) -> None:
    """Everybody before this seat is paid."""
    while (turn_of := in_turn(at.table)) != seat:
        verified(at)
        at.does(events.SeatPaid, seat=turn_of)


__all__ = [
    "line",
    "pay_until",
    "played",
    "seated_round",
    "show",
    "stacked",
    "to_be_shown",
    "to_be_turned",
    "turn",
    "verified",
]
