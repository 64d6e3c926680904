"""What the terminal at a seat is told when the table did not take what a player asked for there.

The table stays as it was, and the refusal is in the journal with its reason: so the same events
make the same words again. A repeat of what was taken already is answered by what it was taken for,
and what people key in is refused to their faces.
"""

from __future__ import annotations

from msgspec import UNSET

from controller.rules.faults import Refused
from controller.table import events, repeats
from controller.table.commands import Request, RequestRefused
from controller.table.state import Hold, Table

#: As much as a terminal shows.
MAX_REASON_BYTES = 80
NO_MORE_BETS = "no more bets"

_REQUESTS: dict[type[events.Happening], Request] = {
    events.WagerPlaced: "wager",
    events.WagerCameLate: "late_wager",
    events.WagerTakenBack: "wager_removed",
    events.PlayerSat: "sat",
    events.PlayerLeft: "left",
    events.BoughtIn: "buy_in",
    events.CashedOut: "cash_out",
    events.PlayerDecided: "decision",
}
#: Out of their phase: in words for a player.
_NOT_NOW: dict[Request, str] = {
    "wager": "betting is not open",
    "wager_removed": "betting is not open",
    "decision": "there is nothing to decide now",
}


def told(
    table: Table, event: events.Event, why: Refused, *, in_phase: bool, holds: tuple[Hold, ...]
) -> tuple[RequestRefused, ...]:
    """The answer to a request of a terminal; nothing where it was not one that asked."""
    request, told_by = _REQUESTS.get(type(event)), repeats.told_by(event.id)
    number: int = getattr(event, "seat", 0)
    if request is None or told_by is None or told_by.is_note:
        return ()
    if isinstance(event, events.WagerCameLate):
        # Refused when it was taken. Told again, the terminal may not have heard of it.
        return tuple(too_late(table, event))
    if repeats.was_taken(table, event.id):
        return ()
    if told_by.device != f"terminal-{number}" or number > len(table.seats):
        return ()
    if not in_phase:
        in_round = table.phase not in ("closed", "opening", "shuffling", "betting")
        reason = _NOT_NOW.get(request, f"the table is {table.phase}")
        reason = NO_MORE_BETS if in_round and request.startswith("wager") else reason
    elif holds:
        reason = "the table is held; the floor has been called"
    else:
        reason = _short(why)
    return (
        answer(
            table,
            request,
            number,
            told_by.seq,
            named=_named(event),
            reason=reason,
            id_=f"refused/{event.id}",
        ),
    )


def too_late(table: Table, event: events.WagerCameLate) -> list[RequestRefused]:
    """For the player whose wager at a terminal came late.

    Nothing, if the terminal was told when the wager itself was refused; nor by an earlier felt.
    """
    told_by = repeats.told_by(event.id)
    if told_by is None or told_by.is_note or event.given_back is UNSET:
        return []
    if told_by.device != f"terminal-{event.seat}" or event.seat > len(table.seats):
        return []
    reason = NO_MORE_BETS
    if table.phase == "betting":
        why = table.withheld.get(event.wager)
        reason = f"not offered in this round: {why}" if why else "it was not open yet: wager again"
    request: Request = "late_wager" if event.given_back else "wager"
    id_ = f"refused/{event.id}"
    number, named = told_by.seq, event.wager
    return [answer(table, request, event.seat, number, named=named, reason=reason, id_=id_)]


def answer(
    table: Table, request: Request, seat: int, told: int, *, named: str, reason: str, id_: str = ""
) -> RequestRefused:
    """With what the account holds, as it does now."""
    return RequestRefused(
        id=id_,
        seat=seat,
        request=request,
        told=told,
        named=named,
        reason=reason,
        balance=table.seat(seat).balance,
    )


def _named(event: events.Event) -> str:
    match event:
        case events.BoughtIn(transfer=named) | events.CashedOut(transfer=named):
            return named
        case events.WagerPlaced(wager=named) | events.WagerTakenBack(wager=named):
            return named
    return ""


def _short(why: Refused) -> str:
    whole = f"{why.problem}; {why.allowed}" if why.allowed else why.problem
    return whole if len(whole.encode()) <= MAX_REASON_BYTES else why.problem
