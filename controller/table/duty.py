"""Who is on duty: a button does not say who pressed it, so people sign on, and that is on record.

A sign-on counts until the person signs off or is signed off by the floor, until another takes over
the role, until the table closes or the credential is locked; and no longer than a shift, whoever
forgot to end it. It outlives a restart of felt, so that a round goes on with its dealer.
"""

from __future__ import annotations

from controller.rules.faults import Refused
from controller.table import events
from controller.table.change import Change, replace
from controller.table.people import Person, Role
from controller.table.state import OnDuty, Table
from controller.table.terms import Terms

#: Milliseconds for which a sign-on counts at the most.
SHIFT = 12 * 3600 * 1000
#: A felt that was away and heard nothing of the table for so long can't say who stands there.
UNSEEN = 10 * 60 * 1000

_SIGN_OTHERS_OFF = ("floorperson", "supervisor")


def acting(table: Table, role: Role, now: int) -> Person | None:
    """Who is on duty in a role; nobody, if the time is up."""
    found = table.on_duty.get(role)
    if found is None or not found.since <= now < found.since + SHIFT:
        return None
    return Person(found.person, role)


def signed_on(terms: Terms, table: Table, event: events.SignedOn) -> Change:
    return on(table, event.by, event.at), ()


def on(table: Table, who: Person, at: int) -> Table:
    """With somebody on duty; a badge that waited for that person's PIN waits no longer."""
    now_on = {**table.on_duty, who.role: OnDuty(who.id, at)}
    waits = table.badge if table.badge is None or table.badge.person != who.id else None
    return replace(table, on_duty=now_on, badge=waits)


def signed_off(terms: Terms, table: Table, event: events.SignedOff) -> Change:
    found = table.on_duty.get(event.role)
    if found is None:
        raise Refused("role", f"nobody is on duty as {event.role}")
    if found.person != event.by.id and event.by.role not in _SIGN_OTHERS_OFF:
        problem = f"{found.person} is on duty as {event.role}"
        raise Refused("role", problem, "a floorperson signs others off")
    return _without(table, event.role), ()


def lapsed(terms: Terms, table: Table, event: events.DutyLapsed) -> Change:
    if event.role not in table.on_duty:
        raise Refused("role", f"nobody is on duty as {event.role}")
    return _without(table, event.role), ()


def without_person(table: Table, person: str) -> Table:
    """Whoever it was proves anew who they are, in each role."""
    on = {role: one for role, one in table.on_duty.items() if one.person != person}
    return replace(table, on_duty=on)


def shifted(table: Table, milliseconds: int) -> dict[Role, OnDuty]:
    """The clock was set: a shift lasts as long as it lasts."""
    return {
        role: replace(one, since=one.since + milliseconds) for role, one in table.on_duty.items()
    }


def _without(table: Table, role: Role) -> Table:
    on = {other: one for other, one in table.on_duty.items() if other != role}
    return replace(table, on_duty=on)
