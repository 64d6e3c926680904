"""What follows when holds come and go: the lamp of the deal, and what was kept back meanwhile.

Whoever clears a hold, or decides what it was there for, lets the machine give the orders that it
did not give under it. There is one place for this, because holds end in many.
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.table.change import Change
from controller.table.commands import Command, EnableDeal, StartShuffle, Unlock
from controller.table.dealing import ordered
from controller.table.decks import start_again
from controller.table.interlock import may
from controller.table.offers import open_devices
from controller.table.state import Table
from controller.table.terms import Terms
from controller.table.wagers import enabled


def followed(terms: Terms, before: Table, after: Table, commands: Sequence[Command]) -> Change:
    """After an event: what its handler ordered, and what its holds make of the rest."""
    if before.holds == after.holds:
        return after, commands
    more: list[Command] = []
    if before.deal_enabled and after.deal_enabled:
        if not may(after, EnableDeal) and may(before, EnableDeal):
            more.append(EnableDeal(enabled=False))
        elif may(after, EnableDeal) and not may(before, EnableDeal):
            more += enabled(terms, after)
    gone = {hold.number for hold in before.holds} - {hold.number for hold in after.holds}
    if not gone:
        return after, [*commands, *more]
    after, orders = start_again(terms, after)
    started = {one.deck for one in commands if isinstance(one, StartShuffle)}
    more += [one for one in orders if not isinstance(one, StartShuffle) or one.deck not in started]
    # The shoe may have been restarted meanwhile, and forgotten what it was armed for.
    after, stacks = ordered(terms, after, again=True)
    more += stacks
    if may(after, Unlock) and not may(before, Unlock):
        more += open_devices(after)
    return after, [*commands, *more]
