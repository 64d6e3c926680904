"""Holds: warnings that can't be ignored. Only the right role clears one, never time.

A device that is taken out of service is counted empty and marked as the rulebook asks before the
table is dealt in another way; cards found inside hold the table until somebody accounts for them.
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.rules.faults import Refused
from controller.table import belonging, events, link, shuffle, waits
from controller.table.change import Change, deck_of, held, over, replace, with_deck
from controller.table.commands import Command, SetTimer
from controller.table.dealing import owes_stacks
from controller.table.decks import (
    MAINTENANCE,
    RECORD,
    due_at,
    start,
    start_again,
    timer_of,
    timers,
    to_shuffling,
)
from controller.table.delivery import unanswered_cause
from controller.table.opening import shut
from controller.table.people import must_be
from controller.table.state import Hold, Table
from controller.table.terms import WARNING, Terms, must_be_equipped
from controller.table.voiding import EXPOSED, void

IN_ROUND = ("locked", "dealing", "deciding", "revealing")


def faulted(terms: Terms, table: Table, event: events.DeviceFaulted) -> Change:
    """A device said that something is wrong with it, or stopped saying anything."""
    table = held(table, event.nature, event.device, event.at)
    if event.device == "shuffler" and event.nature == events.DOOR_OPEN:
        return shuffle.opened(table), ()
    # One that owes no stacks is a warning like any other: the round needs nothing more of it.
    if event.device == "shoe" and owes_stacks(table):
        return void(terms, table, f"the shoe failed: {event.nature}")
    return table, ()


#: What is held of a wire that somebody else writes on, or a device that never stops.
ABUSED: dict[events.Abuse, str] = {
    "forged": "messages came in its name that it did not seal; nothing of them was taken",
    "flood": "it floods the table with messages, and is muted",
}


def abused(terms: Terms, table: Table, event: events.WireAbused) -> Change:
    """Nothing of it was taken, so nothing is void; no more cards are dealt before a person looks.

    Not like a fault: whoever can write on a wire must not have a way to void a round with it. Nor
    one to keep betting open: the lock-out goes on under it.
    """
    return held(table, ABUSED[event.what], event.device, event.at), ()


def exchanged(terms: Terms, table: Table, event: events.DeviceExchanged) -> Change:
    """As a fault of the device: a shoe that owes cards can't go on dealing them."""
    cause = belonging.cause_of(event.serial_number, event.expected)
    fault = events.DeviceFaulted(at=event.at, device=event.device, nature=cause)
    return faulted(terms, belonging.noted(table, event), fault)


def recovered(terms: Terms, table: Table, event: events.DeviceRecovered) -> Change:
    """It works again, and the hold says so; it stays until a person has looked."""
    if not any(hold.where == event.device for hold in table.holds):
        raise Refused("device", f"nothing is held for {event.device}")
    other = table.exchanged.get(event.device)
    if other and belonging.cause_of(other.number, other.expected).startswith(event.nature):
        table = belonging.gone(table, event.device)
    # A cycle that failed is told with what it failed of.
    causes = (event.nature, f"shuffler {event.nature}") if event.nature else ("",)
    return over(table, event.device, causes, "that is over, as it says itself"), ()


def _hold(table: Table, number: int) -> Hold:
    hold = next((one for one in table.holds if one.number == number), None)
    if hold is None:
        raise Refused("hold", f"there is no hold {number}")
    return hold


def seen(terms: Terms, table: Table, event: events.HoldSeen) -> Change:
    """Known to somebody who clears it: on record, and everybody else sees that it is. No more."""
    hold = _hold(table, event.hold)
    must_be(event.by, hold.clears, f"seeing to the hold on {hold.where}")
    if hold.seen_by:
        raise Refused("hold", f"{hold.seen_by} has seen hold {hold.number} already")
    now = replace(hold, seen_by=event.by.id, seen_at=event.at)
    return replace(table, holds=tuple(now if one is hold else one for one in table.holds)), ()


def cleared(terms: Terms, table: Table, event: events.HoldCleared) -> Change:
    hold = _hold(table, event.hold)
    must_be(event.by, hold.clears, f"clearing the hold on {hold.where}")
    if hold.where == MAINTENANCE:
        raise Refused("hold", "two people leave maintenance together", "maintenance_left")
    if hold.where == RECORD:
        raise Refused("hold", "two people go on from a record together", "record_accepted")
    if belonging.standing(table, hold) is not None:
        problem = f"another device answers as {hold.where}"
        step = "plug in the one that belongs there, or two people accept this one: device_accepted"
        raise Refused("hold", problem, step)
    if hold.where == EXPOSED:
        problem = "whether the round is void must be decided"
        raise Refused("hold", problem, "decide about the exposed card, or void the round")
    if hold.where == "shuffler" and table.shuffler_mode != "shuffle" and table.shuffler_in_service:
        raise Refused(
            "hold",
            f"the shuffler is still in mode {table.shuffler_mode!r}",
            "set it to shuffle, or take it out of service",
        )
    _must_be_answered(table, hold)
    return replace(table, holds=tuple(one for one in table.holds if one is not hold)), ()


def _must_be_answered(table: Table, hold: Hold) -> None:
    """Refuse to go on before the shoe has said what became of a stack."""
    number = table.deal.asked
    if table.phase == "dealing" and number and hold.cause == unanswered_cause(number):
        problem = f"the shoe has not said what became of stack {number}"
        raise Refused("hold", problem, "wait for its answer, or void the round")


# --- Out of service and back ------------------------------------------------


def taken_out(terms: Terms, table: Table, event: events.DeviceTakenOut) -> Change:
    """Out of service: counted empty and marked as the rulebook asks, before another method."""
    in_service = (
        terms.has_shuffler and table.shuffler_in_service
        if event.device == "shuffler"
        else table.shoe_in_service
    )
    if not in_service:
        raise Refused("device", f"no {event.device} is in service at this table")
    rule = terms.ruleset.rulebook.procedures.failed_device
    enough = {"covered", "signed", "removed"} if rule.is_ == "covered or signed" else {"removed"}
    if event.how not in enough:
        raise Refused("how", f"{event.how} is not enough", rule.is_, rule.clause)
    if any(seat.wagers for seat in table.seats):
        raise Refused("device", "wagers are down", "finish or void the round first")
    if event.cards_inside:
        # Taken, so that the count is on record; but the device is not out before it is empty.
        cause = f"{event.cards_inside} cards were found inside"
        return held(table, cause, f"inside the {event.device}", event.at), ()
    shuffler = terms.has_shuffler and table.shuffler_in_service and event.device != "shuffler"
    shoe = table.shoe_in_service and event.device != "shoe"
    _dealt_by(terms, event.method, shuffler=shuffler, shoe=shoe)
    # The cards that were in the shoe were handled: they are shuffled before they are dealt.
    again = table.deck if event.device == "shoe" else None
    table, commands = shut(terms, table) if again is not None else (table, ())
    table = replace(
        belonging.gone(table, event.device),
        method=event.method,
        holds=tuple(hold for hold in table.holds if hold.where != event.device),
        shuffler_in_service=table.shuffler_in_service and event.device != "shuffler",
        shuffler_holds=None if event.device == "shuffler" else table.shuffler_holds,
        shoe_in_service=shoe,
    )
    if event.device == "shuffler":
        for deck in table.decks:
            table = with_deck(table, deck.id, cycle_runs=False, opened=False)
    more: Sequence[Command] = ()
    if again is not None:
        table = with_deck(table, again, shuffled="no", cut=False, cutting=0, recut=False)
        table = replace(table, phase="shuffling")
        table, more = start(terms, table, deck_of(table, again))
    elif table.phase == "shuffling" and table.deck is None:
        table, more = to_shuffling(terms, table)
    # Dealt from the hand, a deck falls due sooner.
    return table, [*commands, *more, *timers(terms, table, event.at)]


def put_back(terms: Terms, table: Table, event: events.DeviceReturned) -> Change:
    """Back in service, with nothing held against it."""
    out = (
        terms.has_shuffler and not table.shuffler_in_service
        if event.device == "shuffler"
        else not table.shoe_in_service
    )
    if not out:
        raise Refused("device", f"no {event.device} is out of service at this table")
    for hold in table.holds:
        if event.device in hold.where:
            problem = f"hold {hold.number} is on it: {hold.cause}"
            raise Refused("device", problem, f"a {hold.clears} clears it")
    shuffler = terms.has_shuffler and (table.shuffler_in_service or event.device == "shuffler")
    shoe = table.shoe_in_service or event.device == "shoe"
    _dealt_by(terms, event.method, shuffler=shuffler, shoe=shoe)
    table = replace(
        table,
        method=event.method,
        shuffler_in_service=table.shuffler_in_service or event.device == "shuffler",
        shoe_in_service=shoe,
    )
    table, commands = start_again(terms, table)
    return table, [*commands, *timers(terms, table, event.at)]


def _dealt_by(terms: Terms, method: str, *, shuffler: bool, shoe: bool) -> None:
    """Refuse a way of dealing for which the table lacks a device."""
    must_be_equipped(terms, method, shuffler=shuffler)
    if method == "automated shoe" and not shoe:
        raise Refused("method", "the shoe is out of service", "deal from a manual shoe or the hand")


def round_voided(terms: Terms, table: Table, event: events.RoundVoided) -> Change:
    return void(terms, table, event.reason)


def timer_fired(terms: Terms, table: Table, event: events.TimerFired) -> Change:
    """A warning for people; what is due blocks by itself. One that came too early is set again."""
    if event.timer in (link.STALE, link.DOWN):
        return link.timer_fired(terms, table, event)
    if event.timer.startswith(waits.TIMER):
        return waits.timer_fired(terms, table, event)
    for deck in table.decks:
        due = due_at(terms, table, deck)
        early = due is not None and event.at < due - WARNING and not deck.removed
        if early and due is not None and event.timer == timer_of(deck.id):
            return table, (SetTimer(timer=event.timer, at=due - WARNING),)
    return table, ()
