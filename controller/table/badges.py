"""Badges: who somebody is by a card, alone or with the PIN.

Whose a badge is stands in the secrets of the table PC, and is found out there. What it is good for
is decided here: whether that person is of this table, is not locked out at that reader, and is on
duty from now on. A badge that is nobody's counts at its reader as the wrong PIN of a person does,
under the name that its digest gives it: whoever tries one after the other is stopped there.
"""

from __future__ import annotations

from controller.rules.faults import Refused
from controller.table import credentials, duty, events, guesses
from controller.table.change import Change, replace
from controller.table.people import must_be_listed
from controller.table.state import BadgeHeld, Table
from controller.table.terms import Terms

#: Milliseconds for which a badge waits for its PIN.
WAITS = 60_000


def place(device: str) -> str:
    """What a reader is called as a place where somebody signs on: not as any page or login."""
    return f"reader {device}"[:64]


def name(badge: str) -> str:
    """What a badge that is nobody's is called among those that were tried wrongly."""
    return f"badge {badge}"[:64]


def read(terms: Terms, table: Table, event: events.BadgeRead) -> Change:
    who = event.who
    must_be_listed(terms.people, who)
    credentials.must_be_free(table, who)
    found = credentials.of(table, who.id)
    guesses.must_be_open(terms, table, found, place(event.device), event.at)
    if not event.with_pin:
        return duty.on(table, who, event.at), ()
    return replace(table, badge=BadgeHeld(event.device, who.id, who.role, event.at)), ()


def refused(terms: Terms, table: Table, event: events.BadgeRefused) -> Change:
    wrong = events.CredentialRefused(
        at=event.at, person=name(event.badge), device=place(event.device), by_place=True
    )
    return credentials.counted(terms, table, wrong), ()


def given(terms: Terms, table: Table, event: events.BadgeGiven) -> Change:
    """Whoever was signed on by the badge before proves it anew."""
    if terms.people and event.person not in terms.people:
        raise Refused("person", f"{event.person} is not among the people of this table")
    return _without(table, event.person), ()


def withdrawn(terms: Terms, table: Table, event: events.BadgeWithdrawn) -> Change:
    return _without(table, event.person), ()


def _without(table: Table, person: str) -> Table:
    if table.badge is not None and table.badge.person == person:
        table = replace(table, badge=None)
    return duty.without_person(table, person)


def waiting(table: Table, now: int) -> BadgeHeld | None:
    """The badge whose PIN is asked for now."""
    held = table.badge
    return held if held is not None and 0 <= now - held.at < WAITS else None
