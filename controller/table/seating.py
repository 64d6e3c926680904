"""Players: who sits where, who leaves, and what becomes of wagers that are left behind."""

from __future__ import annotations

from controller.rules.faults import Refused, listed
from controller.rules.paytables import dollars
from controller.rules.wagering import are_adjacent, boxes_allowed, may_take_boxes, patron
from controller.table import events
from controller.table.change import Change, held, replace, seated, with_seat
from controller.table.deciding import if_all_have_acted, lost_at_once
from controller.table.settling import is_due, reckoned
from controller.table.state import Blocks, Phase, Table
from controller.table.terms import Terms

#: While a round can still go either way for a wager.
OPEN_ROUND: tuple[Phase, ...] = ("locked", "dealing", "deciding", "revealing")
LEFT = "the player left with wagers down"


def sat(terms: Terms, table: Table, event: events.PlayerSat) -> Change:
    seat = seated(table, event.seat)
    if not patron(event.player):
        raise Refused("player", "has no name", "say who it is")
    if seat.left and seat.player is not None and patron(seat.player) == patron(event.player):
        return with_seat(table, event.seat, left=False), ()  # back, and plays on
    if seat.player is not None:
        raise Refused("seat", f"{seat.player} sits at seat {seat.number}")
    may_take_boxes(terms.ruleset, {*_boxes_of(table, event.player), event.seat})
    return with_seat(table, event.seat, player=event.player, left=False), ()


def _boxes_of(table: Table, player: str) -> set[int]:
    """The boxes at which a patron sits, however the name is spelled."""
    return {
        one.number
        for one in table.seats
        if one.player is not None and not one.left and patron(one.player) == patron(player)
    }


def left(terms: Terms, table: Table, event: events.PlayerLeft) -> Change:
    """Between rounds the seat is free; in one, wagers stay and a floorperson has to know."""
    seat = seated(table, event.seat)
    if seat.player is None:
        raise Refused("seat", f"nobody sits at seat {event.seat}")
    if seat.left:
        raise Refused("seat", f"{seat.player} has left seat {event.seat} already")
    if seat.wagers and table.phase in ("shuffling", "betting"):
        raise Refused("seat", "wagers are down", "take them back first, or play the round")
    rest = _boxes_of(table, seat.player) - {event.seat}
    if not are_adjacent(rest):
        clause = boxes_allowed(terms.ruleset)[1]
        problem = f"{listed(sorted(rest))} would not be next to each other"
        raise Refused("seat", problem, "leave an outer box first", clause)
    if not seat.wagers:
        if seat.balance:
            raise Refused("seat", f"{dollars(seat.balance)} is on the account", "cash out first")
        return with_seat(table, event.seat, player=None, last={}), ()
    table = with_seat(table, event.seat, left=True)
    if table.phase not in OPEN_ROUND or is_due(table, event.seat):
        return table, ()  # what is owed is known already
    # Where the rulebook lets a floorperson take the wagers, settlement waits for the decision.
    abandons = terms.ruleset.rulebook.procedures.leaving_abandons_wagers.is_
    blocks: Blocks = "play" if abandons else "round"
    return held(table, LEFT, f"seat {event.seat}", event.at, blocks=blocks), ()


def abandoned(terms: Terms, table: Table, event: events.WagersAbandoned) -> Change:
    rule, seat = (
        terms.ruleset.rulebook.procedures.leaving_abandons_wagers,
        seated(table, event.seat),
    )
    if not rule.is_:
        raise Refused(
            "seat",
            "a player who leaves does not abandon wagers here",
            "the round is played on; a floorperson clears the hold",
            rule.clause,
        )
    if not seat.left or not seat.wagers:
        raise Refused("seat", f"no player with wagers has left seat {event.seat}")
    if is_due(table, event.seat):
        raise Refused(
            "seat", f"what seat {event.seat} is owed is known already", clause=rule.clause
        )
    if seat.leaving_decided_by:
        raise Refused("seat", f"{seat.leaving_decided_by} has decided about seat {event.seat}")
    holds = tuple(h for h in table.holds if (h.cause, h.where) != (LEFT, f"seat {event.seat}"))
    table = with_seat(replace(table, holds=holds), event.seat, leaving_decided_by=event.by.id)
    if not event.lost:
        return table, ()
    table, commands = lost_at_once(terms, table, event.seat)
    # The round may have waited for nobody but that seat.
    if table.phase == "deciding":
        table, more = if_all_have_acted(terms, table)
        return table, [*commands, *more]
    if table.phase == "revealing":
        table, more = reckoned(terms, table)
        return table, [*commands, *more]
    return table, commands
