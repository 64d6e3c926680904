"""The PC's clock was set: what is reckoned from a stamp goes on as if it had not been.

The daemon says by how much the clock jumped. Where it could not know, as after a restart, an
event may carry a stamp from before the last one; then the clock went back by at least the
difference. Such an event is taken like any other: a card that was dealt was dealt, whatever the
clock says, and no deck grows younger.
"""

from __future__ import annotations

from controller.table import decks, duty, events, guesses, link, waits
from controller.table.change import Change, replace
from controller.table.commands import Command
from controller.table.state import Table
from controller.table.terms import Terms


def shifted(table: Table, milliseconds: int) -> Table:
    """Every stamp that an age is reckoned from, moved as the clock was moved."""

    def moved(stamp: int | None) -> int | None:
        return None if stamp is None else stamp + milliseconds

    aged = tuple(
        replace(deck, in_play_since=moved(deck.in_play_since), received_at=moved(deck.received_at))
        for deck in table.decks
    )
    heard = link.shifted(table.link, milliseconds)
    on_duty = duty.shifted(table, milliseconds)
    waited = {what: since + milliseconds for what, since in table.waits.items()}
    at = table.at + milliseconds
    table = guesses.shifted(table, milliseconds)
    return replace(table, at=at, decks=aged, link=heard, on_duty=on_duty, waits=waited)


def caught_up(table: Table, at: int) -> Table:
    """The table at an event's time: set back where the clock went back unannounced."""
    back = at - table.at
    if back >= 0:
        return table
    return replace(shifted(table, back), unannounced=table.unannounced + back)


def timers(terms: Terms, table: Table, now: int) -> list[Command]:
    """Everything that is still to come, for a clock that was set or a program that restarted."""
    more = [*link.timers(table), *waits.timers(terms, table)]
    return [*decks.timers(terms, table, now), *more]


def stepped(terms: Terms, table: Table, event: events.ClockStepped) -> Change:
    # What an event has shown before is not done twice. One that went forward, none has shown.
    back = min(event.milliseconds, 0)
    left = event.milliseconds - max(table.unannounced, back)
    table = replace(caught_up(shifted(table, left), event.at), unannounced=0)
    return table, timers(terms, table, event.at)
