"""Devices on a wire that have nothing to do at their table, and which choice would give it to them.

An acceptor takes a wager of the rulebook, and so does a terminal. Where the table does not offer
that wager, they are locked from morning to night: no mistake in itself, and seldom meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from controller.daemon.configuration import KINDS_WITH_SEAT, Configuration
from controller.rules.faults import listed, ranged


def without_work(configuration: Configuration) -> Iterator[str]:
    """A sentence for each kind of them."""
    ruleset = configuration.terms.ruleset
    for kind in KINDS_WITH_SEAT:
        there = [one.name for one in configuration.devices.values() if one.kind == kind]
        made_there = {
            name: wager for name, wager in ruleset.rulebook.wagers.items() if wager.on == kind
        }
        if not there or any(ruleset.offers(name) for name in made_there):
            continue
        choices = {wager.offered_by for wager in made_there.values() if wager.offered_by}
        step = f"choose {listed(sorted(choices))} under [options], or take it off its wire"
        if not choices:
            step = f"no wager of {ruleset.rulebook.id} is made there; take it off its wire"
        yield f"{ranged(there)}: nothing to do, no wager of this table is made there ({step})"
