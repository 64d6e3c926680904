"""What the screen of a wagering terminal shows: its seat, its wagers, and the decision that is due.

Read off the table, and no order of the machine's: nothing is decided by it, and what a player asks
for is judged when it comes. Only a terminal that has a screen for it is told.
"""

from __future__ import annotations

from collections.abc import Iterator

from controller.table.commands import (
    Command,
    SeatStage,
    ShowDecision,
    ShowSeat,
    ShowWager,
    WagerStands,
)
from controller.table.deciding import amounts, may_check, wager_at, waiting
from controller.table.state import Seat, Table
from controller.table.terms import Terms

_STAGES: dict[str, SeatStage] = {
    "closed": "closed",
    "opening": "closed",
    "shuffling": "between rounds",
    "betting": "betting",
    "deciding": "deciding",
    "clearing": "between rounds",
}


def screen(terms: Terms, table: Table, number: int) -> tuple[Command, ...]:
    """All that the terminal of a seat shows, each thing once and always in the same order."""
    seat = table.seat(number)
    stage = _STAGES.get(table.phase, "no more bets")
    player = "" if seat.player is None or seat.left else seat.player
    shown: list[Command] = [
        ShowSeat(
            seat=number, round=table.round, stage=stage, held=bool(table.holds), player=player
        ),
        *_wagers(terms, table, seat),
        _decision(terms, table, seat),
    ]
    return tuple(shown)


def changes(terms: Terms, before: Table, after: Table, number: int) -> Iterator[Command]:
    """What is shown otherwise than before."""
    were = screen(terms, before, number)
    for was, now in zip(were, screen(terms, after, number), strict=True):
        if now != was:
            yield now


def _wagers(terms: Terms, table: Table, seat: Seat) -> Iterator[ShowWager]:
    for name in terms.ruleset.offered:
        if not terms.is_electronic(name):
            continue
        amounts = terms.ruleset.amounts_of(name) or ()
        yield ShowWager(
            seat=seat.number,
            wager=name,
            title=terms.ruleset.rulebook.wagers[name].title,
            least=min(amounts, default=1),
            most=max(amounts, default=seat.balance),
            down=seat.wagers.get(name, 0),
            stands=_stands(terms, table, seat, name),
        )


def _stands(terms: Terms, table: Table, seat: Seat, name: str) -> WagerStands:
    if name in seat.wagers:
        return "down"
    if name in table.withheld:
        return "withheld"
    if seat.player is None or seat.left:
        return "needs a player"
    needs = terms.ruleset.rulebook.wagers[name].needs
    return "offered" if all(seat.wagers.get(one) for one in needs) else "needs another wager"


def _decision(terms: Terms, table: Table, seat: Seat) -> ShowDecision:
    if table.phase != "deciding" or seat.left:
        return ShowDecision(seat=seat.number)
    left = waiting(terms, table)
    asked = left[:1] if terms.ruleset.rulebook.procedures.decisions_in_order.is_ else left
    if seat not in asked:
        return ShowDecision(seat=seat.number)
    wager = terms.ruleset.rulebook.wagers[wager_at(terms, table.street)]
    return ShowDecision(
        seat=seat.number,
        street=table.street,
        title=wager.title,
        amounts=amounts(terms, table, seat),
        otherwise="check" if may_check(terms, table) else "fold",
        chosen=seat.chosen,
    )
