"""Credentials that were tried and failed, and maintenance, which no one enters or leaves alone.

Whether a PIN is right is found out elsewhere; here it is counted (``guesses``). A credential that
was tried wrongly too often is locked: whoever holds it does nothing at this table until a
supervisor, and not that person, has unlocked it. A restart does not unlock it, and neither does
time.
"""

from __future__ import annotations

from controller.rules.faults import Refused
from controller.table import duty, events, guesses
from controller.table.change import Change, held, replace
from controller.table.decks import MAINTENANCE
from controller.table.opening import shut
from controller.table.people import Person, must_be, must_differ
from controller.table.shuffle import again
from controller.table.state import Credential, Table
from controller.table.terms import Terms

#: How many people are remembered where no list says who they are.
KEPT = 64
_UNLOCK = "another supervisor unlocks it; if none is left, set a new PIN: felt pin"

# --- Credentials ------------------------------------------------------------


def of(table: Table, person: str) -> Credential | None:
    return next((one for one in table.credentials if one.person == person), None)


def must_be_free(table: Table, person: Person) -> None:
    """Refuse whatever is done with a locked credential."""
    found = of(table, person.id)
    if found is None or not found.locked:
        return
    if found.withdrawn:
        problem = f"the credential of {person.id} was withdrawn"
        raise Refused("by", problem, "only a new PIN brings it back: felt pin")
    problem = f"the credential of {person.id} is locked after {found.wrong} wrong PINs"
    raise Refused("by", problem, _UNLOCK)


def tried_wrongly(terms: Terms, table: Table, event: events.CredentialRefused) -> Change:
    if terms.people and event.person not in terms.people:
        return table, ()  # on record; there is no credential that could be locked
    return counted(terms, table, event), ()


def counted(terms: Terms, table: Table, event: events.CredentialRefused) -> Table:
    before = of(table, event.person)
    if event.by_place:
        one = guesses.counted(terms, before, event)
    else:
        wrong = (before.wrong if before is not None else 0) + 1
        locked = wrong >= terms.wrong_pins or (before is not None and before.locked)
        one = Credential(event.person, wrong, locked, event.device, event.at)
    # Who is locked is never forgotten for the sake of those who are not.
    others = [other for other in table.credentials if other.person != event.person]
    free = [other for other in others if not other.locked]
    gone = free[: max(0, len(others) + 1 - KEPT)]
    kept = tuple(other for other in others if other not in gone)
    table = replace(table, credentials=(*kept, one))
    if event.by_place:
        table = guesses.shut_if_several(table, event)
    return duty.without_person(table, event.person) if one.locked else table


def accepted(terms: Terms, table: Table, event: events.CredentialAccepted) -> Change:
    """Of a locked credential a right PIN is worth nothing; otherwise it ends those in a row."""
    must_be_free(table, Person(event.person, "dealer"))
    if not event.by_place:
        return _forgotten(table, event.person), ()
    found = of(table, event.person)
    guesses.must_be_open(terms, table, found, event.device, event.at)
    if found is None:
        return table, ()
    one = guesses.right(found, event)
    others = (one if other is found else other for other in table.credentials)
    return replace(table, credentials=tuple(other for other in others if other is not None)), ()


def unlocked(terms: Terms, table: Table, event: events.CredentialUnlocked) -> Change:
    found = of(table, event.person)
    if found is None or not (found.locked or found.places):
        raise Refused("person", f"the credential of {event.person} is not locked")
    must_differ(event.by.id, event.person, "unlocking a credential")
    if found.withdrawn:
        problem = f"the credential of {event.person} was withdrawn"
        raise Refused("person", problem, "only a new PIN brings it back: felt pin")
    return _forgotten(table, event.person), ()


def place_unlocked(terms: Terms, table: Table, event: events.PlaceUnlocked) -> Change:
    if not any(one.place == event.place for one in table.resting):
        raise Refused("place", f"nobody was kept from signing on at {event.place}")
    return guesses.place_forgotten(table, event.place), ()


def withdrawn(terms: Terms, table: Table, event: events.CredentialWithdrawn) -> Change:
    """Locked as by wrong PINs, and nobody unlocks it: there is no PIN that would be right."""
    if terms.people and event.person not in terms.people:
        raise Refused("person", f"{event.person} is not among the people of this table")
    one = Credential(event.person, 0, True, event.device, event.at, withdrawn=True)
    table = _forgotten(table, event.person)
    table = replace(table, credentials=(*table.credentials, one))
    return duty.without_person(table, event.person), ()


def reissued(terms: Terms, table: Table, event: events.CredentialReissued) -> Change:
    """With a new PIN the wrong ones before it are over; whoever it is proves it and signs on."""
    if terms.people and event.person not in terms.people:
        raise Refused("person", f"{event.person} is not among the people of this table")
    return duty.without_person(_forgotten(table, event.person), event.person), ()


def _forgotten(table: Table, person: str) -> Table:
    return replace(
        table, credentials=tuple(one for one in table.credentials if one.person != person)
    )


# --- Maintenance ------------------------------------------------------------


def in_maintenance(table: Table) -> bool:
    return any(hold.where == MAINTENANCE for hold in table.holds)


def _two_people(event: events.MaintenanceEntered | events.MaintenanceLeft, act: str) -> None:
    must_be(event.second, "floorperson", act)
    must_differ(event.by.id, event.second.id, act)


def entered(terms: Terms, table: Table, event: events.MaintenanceEntered) -> Change:
    """Play stops and nothing is set in motion; cards that were ready are shuffled again after."""
    _two_people(event, "entering maintenance")
    if in_maintenance(table):
        raise Refused("", "the table is in maintenance already")
    if any(seat.wagers for seat in table.seats):
        raise Refused("", "wagers are down", "finish the round or take them back")
    cause = f"{event.reason} ({event.by.id} and {event.second.id})"
    table, commands = shut(terms, table)
    table = held(table, cause, MAINTENANCE, event.at, blocks="play")
    if table.phase in ("shuffling", "betting") and table.deck is not None:
        table, _ = again(terms, replace(table, phase="shuffling"), table.deck)
    return table, commands


def left(terms: Terms, table: Table, event: events.MaintenanceLeft) -> Change:
    _two_people(event, "leaving maintenance")
    if not in_maintenance(table):
        raise Refused("", "the table is not in maintenance")
    holds = tuple(hold for hold in table.holds if hold.where != MAINTENANCE)
    return replace(table, holds=holds), ()
