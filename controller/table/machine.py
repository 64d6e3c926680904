"""The machine: one event and a table make the next table and what the devices are told.

An event that is not allowed changes nothing and comes back with its reason, so that it can be
recorded as refused; a terminal that asked for it is told. Nothing else decides anything: not the
pages, not the drivers, not the tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from controller.rules.faults import Refused, listed
from controller.table import clock, events, lateness, refusals, repeats, resuming, returns, waits
from controller.table.change import replace
from controller.table.commands import Command, ShowWarning
from controller.table.credentials import must_be_free
from controller.table.meters import opening_meters
from controller.table.people import Person, Role, must_be, must_be_listed
from controller.table.state import Link, Phase, Seat, Table
from controller.table.terms import Terms
from controller.table.transitions import TRANSITIONS, Rule

#: Acts that take two people.
WITH_A_SECOND = (
    events.MeterCorrected,
    events.MeterReset,
    events.MaintenanceEntered,
    events.MaintenanceLeft,
    events.RecordAccepted,
    events.DeviceAccepted,
)


class Step(NamedTuple):
    table: Table
    commands: tuple[Command, ...] = ()
    #: Why the event was not taken; nothing if it was.
    refused: str = ""


def new_table(terms: Terms) -> Table:
    """A table that has never been opened."""
    seats = tuple(Seat(number) for number in range(1, terms.seats + 1))
    link = Link() if terms.linked else None
    return Table(seats=seats, method=terms.method, meters=opening_meters(terms), link=link)


def step(terms: Terms, table: Table, event: events.Event) -> Step:
    """What follows from one event."""
    try:
        return _taken(terms, table, event)
    except Refused as refused:
        return Step(table, _answered(table, event, refused), str(refused))


def _answered(table: Table, event: events.Event, refused: Refused) -> tuple[Command, ...]:
    """Whoever asked for it at a device hears that nothing came of it; the table stays as it was."""
    rule = TRANSITIONS[type(event)]
    holds = tuple(hold for hold in table.holds if hold.blocks in rule.blocked_by)
    in_phase = table.phase in rule.phases
    return refusals.told(table, event, refused, in_phase=in_phase, holds=holds)


def _taken(terms: Terms, table: Table, event: events.Event) -> Step:
    rule = TRANSITIONS[type(event)]
    repeats.must_be_new(table, event)
    lateness.must_mean_now(event)
    if table.phase not in rule.phases:
        raise Refused("", *_out_of_phase(_kind(event), table.phase, rule.phases))
    if isinstance(event, events.Act):
        for person in _people(event):
            must_be_listed(terms.people, person)
            must_be_free(table, person)
    if rule.role is not None:
        must_be(_person(event), role_of(terms, rule), _kind(event))
    for hold in table.holds:
        if hold.blocks in rule.blocked_by:
            raise Refused(
                "",
                f"hold {hold.number} blocks it: {hold.cause} ({hold.where})",
                f"a {hold.clears} clears it",
            )
    # A stamp from before the last one: the clock went back, and nobody could say so in time.
    set_back = event.at < table.at and not isinstance(event, events.ClockStepped)
    now = clock.caught_up(table, event.at) if set_back else table
    after, commands = rule.handler(terms, now, event)
    after, commands = resuming.followed(terms, now, after, commands)
    after, commands = waits.noted(terms, after, commands, event.at)
    if set_back:
        commands = [*commands, *clock.timers(terms, after, event.at)]
    if bool(after.holds) != bool(table.holds):
        commands = [*commands, ShowWarning(lit=bool(after.holds))]
    after = returns.noted(terms, table, after, event, commands)
    number = table.taken + 1
    after = replace(repeats.with_taken_event(after, event), at=event.at, taken=number)
    named = tuple(replace(one, id=f"{number}.{n}") for n, one in enumerate(commands, 1))
    return Step(after, named)


@cache  # a few thousand at most, and nothing is refused more often
def _out_of_phase(kind: str, phase: Phase, phases: tuple[Phase, ...]) -> tuple[str, str]:
    return f"{kind} is not for the phase {phase}", f"it is for {listed(phases)}"


def _kind(event: events.Event) -> str:
    return str(type(event).__struct_config__.tag)


def _people(event: events.Act) -> Iterator[Person]:
    """Everyone who has a part in an act."""
    yield event.by
    if isinstance(event, WITH_A_SECOND):
        yield event.second


def _person(event: events.Event) -> Person:
    assert isinstance(event, events.Act)
    return event.by


def role_of(terms: Terms, rule: Rule) -> Role:
    """Whose act it is at this table, where the rule has a role at all."""
    procedures = terms.ruleset.rulebook.procedures
    if rule.role == "recut":
        return procedures.recut_ordered_by.is_
    if rule.role == "shuffle":
        ordered = procedures.extra_shuffle_ordered_by
        return ordered.is_ if ordered is not None else "floorperson"
    if rule.role == "exposure":
        confirmed = procedures.exposure_confirmed_by
        return confirmed.is_ if confirmed is not None else "floorperson"
    assert rule.role is not None
    return rule.role
