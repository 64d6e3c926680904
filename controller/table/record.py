"""The table's own record, when it is not what it was: whether to go on from it takes two people.

A journal that is older than the head that was kept of it says less than was done at this table:
cards were dealt, wagers taken and paid that it does not know. So nothing is played until people
have looked at what lies on the table, and said so together.
"""

from __future__ import annotations

from controller.rules.faults import Refused
from controller.table import events
from controller.table.change import Change, held, replace
from controller.table.decks import RECORD
from controller.table.people import must_be, must_differ
from controller.table.state import Table
from controller.table.terms import Terms


def is_disputed(table: Table) -> bool:
    return any(hold.where == RECORD for hold in table.holds)


def disputed(terms: Terms, table: Table, event: events.RecordDisputed) -> Change:
    return held(table, event.found, RECORD, event.at, blocks="play", clears="supervisor"), ()


def accepted(terms: Terms, table: Table, event: events.RecordAccepted) -> Change:
    """The table goes on as the journal has it; what differs from that was put right by hand."""
    act = "going on from this record"
    must_be(event.second, "floorperson", act)
    must_differ(event.by.id, event.second.id, act)
    if not is_disputed(table):
        raise Refused("", "nobody doubts the record")
    holds = tuple(hold for hold in table.holds if hold.where != RECORD)
    return replace(table, holds=holds), ()
