"""Meters: what every wager adds, what a void round takes back, what awards take off. Exact.

A rate is a whole percent and a wager whole cents, so in hundredths of a cent every contribution
is a whole number and nothing is ever rounded away. A meter falls in three ways only: an award, the
reversal of what a returned wager had added, or a correction by two people.
"""

from __future__ import annotations

from typing import Any

from controller.rules.faults import Refused, listed
from controller.rules.paytables import dollars
from controller.rules.ruleset import MeterTerms
from controller.table import events, link
from controller.table.change import Change, held, replace
from controller.table.commands import ShowMeter
from controller.table.people import must_be, must_differ
from controller.table.state import (
    HITS_KEPT,
    PER_CENT,
    Contribution,
    Due,
    Hit,
    Level,
    Meter,
    Table,
)
from controller.table.terms import Terms

# --- Opening ----------------------------------------------------------------


def opening_meters(terms: Terms) -> dict[str, Meter]:
    """The meters of a table that has never played."""
    return {name: _meter(terms, name, found) for name, found in terms.ruleset.meters.items()}


def _meter(terms: Terms, name: str, found: MeterTerms) -> Meter:
    wager = terms.wager_on(name)
    levels = {level: Level(found.start_cents(level, wager) * PER_CENT) for level in found.levels}
    return _under(terms, Meter(name, levels), found)


def _under(terms: Terms, meter: Meter, found: MeterTerms) -> Meter:
    """The same meter with the rates, starts and limit that these terms have for it."""
    wager = terms.wager_on(meter.name)
    return replace(
        meter,
        rate={level: rate or 0 for level, rate in found.rate.items()},
        reserve_rate=found.reserve_rate or 0,
        base={level: found.start_cents(level, wager) for level in found.levels},
        reset={level: found.reseed_cents(level, wager) for level in found.levels},
        limit=terms.meter_limits.get(meter.name),
    )


def adopted(terms: Terms, table: Table) -> Table:
    """When the table opens: what the operator changed while it was closed counts from now on."""
    _must_lose_nothing(terms, table)
    meters = {}
    for name, found in terms.ruleset.meters.items():
        meters[name] = _meter(terms, name, found)
        if name in table.meters:
            before = table.meters[name]
            levels = meters[name].levels | {
                level: holds for level, holds in before.levels.items() if level in found.levels
            }
            meters[name] = _raised(
                before, _under(terms, replace(before, levels=levels), found), found
            )
    return replace(table, meters=meters, link=link.of(terms, table))


def _must_lose_nothing(terms: Terms, table: Table) -> None:
    """Refuse to open without a meter, or a level of one, that players have paid into."""
    for name, meter in table.meters.items():
        found = terms.ruleset.meters.get(name)
        theirs = [
            level
            for level, what in meter.levels.items()
            if (found is None or level not in found.levels) and _is_players(meter, level, what)
        ]
        if theirs or (found is None and meter.reserve):
            what = f"{name} {listed(theirs)}" if found is not None else name
            cents = sum(meter.shows().get(level, 0) for level in theirs)
            cents += meter.reserve // PER_CENT if found is None else 0
            raise Refused(
                "meter",
                f"the {what} holds {dollars(cents)}, and this table file has no place for it",
                "open it as it was, and two supervisors correct it to $0 before it goes",
            )


def _is_players(meter: Meter, level: str, what: Level) -> bool:
    """Whether it holds anything beside what the house has filled it with."""
    filled = {0, meter.base.get(level, 0) * PER_CENT, meter.reset.get(level, 0) * PER_CENT}
    return what.holds not in filled or what.overflow > 0


def _raised(before: Meter, after: Meter, found: MeterTerms) -> Meter:
    """A meter that is wagered on with more than before, with what its start grew by.

    Only where the regulation prints the start for the wager; and a meter that starts again from
    its reserve has that start once. What a meter holds never falls by this.
    """
    if found.reset_cents is not None or (found.restarts_at == "reserve" and before.hits):
        return after
    more = {
        name: max(0, after.base[name] - before.base.get(name, after.base[name]))
        for name in after.levels
    }
    levels = {
        name: replace(level, holds=level.holds + more[name] * PER_CENT)
        for name, level in after.levels.items()
    }
    return replace(after, levels=levels)


def must_be_unchanged(terms: Terms, table: Table) -> None:
    """Refuse to play under a rate, start or limit other than the table was opened with."""
    for name, found in terms.ruleset.meters.items():
        meter = table.meters.get(name)
        if meter is None or _under(terms, meter, found) != meter:
            raise Refused(
                "meter",
                f"the {name} has another rate, start or limit than when the table opened",
                "close the table and open it again",
                found.clause,
            )


# --- Contributions ----------------------------------------------------------


def contributions(terms: Terms, table: Table) -> tuple[Contribution, ...]:
    """What this round's wagers add, in hundredths of a cent, before any limit."""
    found = []
    for seat in table.in_round():
        for wager, cents in seat.wagers.items():
            name = terms.ruleset.wagers[wager].meter
            if name is None:
                continue
            meter = terms.ruleset.meters[name]
            rates = {**meter.rate, "reserve": meter.reserve_rate}
            for level, rate in rates.items():
                if rate:
                    found.append(Contribution(seat.number, wager, name, level, cents * rate))
    return tuple(found)


def _out_of_bounds(terms: Terms, table: Table, seat: int, wager: str) -> bool:
    cents, taken = table.seat(seat).wagers[wager], terms.ruleset.amounts_of(wager)
    return cents <= 0 or (taken is not None and cents not in taken)


def contributed(terms: Terms, table: Table, at: int) -> Table:
    """At the lock: wagers are counted in and the meters rise."""
    kept: list[Contribution] = []
    meters = dict(table.meters)
    for one in contributions(terms, table):
        if _out_of_bounds(terms, table, one.seat, one.wager):
            # No way leads here but a damaged record: the meter is kept clean and people called.
            cents = dollars(table.seat(one.seat).wagers[one.wager])
            cause = f"a contribution from a wager of {cents} is out of bounds"
            table = held(table, cause, f"meter {one.meter}", at, blocks="play")
            continue
        meters[one.meter], added = _added(meters[one.meter], one)
        kept.append(added)
    table = link.queued(replace(table, contributed=tuple(kept)), kept, at, 1)
    return replace(table, meters=_counted(table, meters, tuple(kept), 1))


def _added(meter: Meter, one: Contribution) -> tuple[Meter, Contribution]:
    """A level rises up to its limit; what is over waits in its overflow."""
    if one.level == "reserve":
        return replace(meter, reserve=meter.reserve + one.amount), one
    level = meter.levels[one.level]
    room = one.amount
    if meter.limit is not None:
        room = max(0, min(one.amount, meter.limit * PER_CENT - level.holds))
    over = one.amount - room
    level = Level(level.holds + room, level.overflow + over)
    return replace(meter, levels={**meter.levels, one.level: level}), replace(one, over=over)


def _counted(
    table: Table, meters: dict[str, Meter], some: tuple[Contribution, ...], by: int
) -> dict[str, Meter]:
    """The in-count follows the wagers that these contributions came from."""
    for seat, wager, name in sorted({(one.seat, one.wager, one.meter) for one in some}):
        one, cents = meters[name], table.seat(seat).wagers[wager]
        meters[name] = replace(
            one, wagers_in=one.wagers_in + by, cents_in=one.cents_in + by * cents
        )
    return meters


def taken_back(table: Table, number: int, kinds: list[str]) -> Table:
    """Wagers of a seat go back to the player: exactly what they had added comes off again."""
    some = tuple(c for c in table.contributed if c.seat == number and c.wager in kinds)
    return _reversed(table, some)


def reversed_for_void(terms: Terms, table: Table) -> Table:
    """A void round takes back what it added, and only that."""
    return _reversed(table, table.contributed)


def _reversed(table: Table, some: tuple[Contribution, ...]) -> Table:
    meters = dict(table.meters)
    for one in some:
        meter = meters[one.meter]
        if one.level == "reserve":
            meters[one.meter] = replace(meter, reserve=meter.reserve - one.amount)
            continue
        level = meter.levels[one.level]
        level = Level(level.holds - (one.amount - one.over), level.overflow - one.over)
        meters[one.meter] = replace(meter, levels={**meter.levels, one.level: level})
    left = tuple(one for one in table.contributed if one not in some)
    table = link.queued(table, some, table.at, -1)
    return replace(table, meters=_counted(table, meters, some, -1), contributed=left)


# --- Awards -----------------------------------------------------------------


def shown(table: Table) -> dict[str, dict[str, int]]:
    """What settlement starts from, in whole cents; reserve beside the levels."""
    return {
        name: {**meter.shows(), "reserve": meter.reserve // PER_CENT}
        for name, meter in table.meters.items()
    }


def level_of(odds: str | None) -> str:
    """The level that a share names: "10% of meter" is of the main one."""
    name = (odds or "").rpartition(" of ")[2]
    return "main" if name == "meter" else name


def awarded(terms: Terms, table: Table, paid: tuple[Due, ...]) -> Change:
    """When the last seat is paid: awards come off, fractions of a cent stay, hits are noted."""
    before, meters, commands = shown(table), dict(table.meters), []
    for name, after in table.after.items():
        if table.link is not None and name == link.METER:
            continue  # the link said what it holds, with the hit itself
        for level, cents in after.items():
            by = (cents - before[name][level]) * PER_CENT
            if by:
                meters[name] = _moved(meters[name], level, by)
    for due in paid:
        wager = terms.ruleset.wagers.get(due.wager)
        if wager is not None and wager.meter is not None and due.result == "win":
            meters[wager.meter] = _hit(meters[wager.meter], table, due)
    for name, meter in meters.items():
        commands += [ShowMeter(meter=name, level=n, cents=c) for n, c in meter.shows().items()]
    return replace(table, meters=meters, after={}), commands


def _moved(meter: Meter, level: str, by: int) -> Meter:
    if level == "reserve":
        return replace(meter, reserve=meter.reserve + by)
    one = meter.levels[level]
    holds, back = one.holds + by, 0
    if meter.limit is not None:
        # What players paid in beyond the limit goes on from the new start.
        back = max(0, min(one.overflow, meter.limit * PER_CENT - holds))
    return replace(meter, levels={**meter.levels, level: Level(holds + back, one.overflow - back)})


def _hit(meter: Meter, table: Table, due: Due) -> Meter:
    machine = due.paid_by == "account"
    meter = replace(
        meter,
        wins=meter.wins + 1,
        machine_paid=meter.machine_paid + (due.returns if machine else 0),
        attendant_paid=meter.attendant_paid + (0 if machine else due.returns),
    )
    if due.paid_by != "hand":
        return meter
    level = level_of(due.odds)
    hit = Hit(table.at, table.round, due.seat, level, due.returns, order=due.order)
    return replace(meter, hits=meter.hits + 1, last_hits=(hit, *meter.last_hits)[:HITS_KEPT])


# --- People -----------------------------------------------------------------


def corrected(terms: Terms, table: Table, event: events.MeterCorrected) -> Change:
    """By two supervisors with a reason: the one way in which people alter what a meter holds."""
    must_be(event.second, "supervisor", "correcting a meter")
    must_differ(event.by.id, event.second.id, "correcting a meter")
    meter = _between_rounds(table, event.meter, event.level)
    if meter.limit is not None and event.cents > meter.limit:
        allowed = f"at most {dollars(meter.limit)}"
        raise Refused("cents", f"{dollars(event.cents)} is above the limit", allowed)
    if not event.cents:
        meter = _emptied(meter, event.level)
    return _set(table, meter, event.level, event.cents)


def _emptied(meter: Meter, level: str) -> Meter:
    """What is corrected to nothing has nothing waiting for it either: no overflow, and a meter of
    which no level holds anything has no reserve."""
    levels = {**meter.levels, level: Level(0)}
    rest = any(one.holds for one in levels.values())
    return replace(meter, levels=levels, reserve=meter.reserve if rest else 0)


def reset(terms: Terms, table: Table, event: events.MeterReset) -> Change:
    """Back to the start, by a technician before an auditor: neither of them can correct a meter."""
    must_be(event.second, "auditor", "resetting a meter")
    must_differ(event.by.id, event.second.id, "resetting a meter")
    meter = _between_rounds(table, event.meter, event.level)
    return _set(table, meter, event.level, meter.reset[event.level])


def _between_rounds(table: Table, name: str, level: str) -> Meter:
    if table.in_round():
        raise Refused("meter", "a round is in play")
    if table.link is not None and name == link.METER:
        raise Refused("meter", "the link keeps this meter", "it is altered there")
    meter = table.meters.get(name)
    if meter is None:
        raise Refused("meter", f"{name!r} is no meter", f"there are {listed(table.meters)}")
    if level not in meter.levels:
        raise Refused("level", f"{level!r} is no level", f"there are {listed(meter.levels)}")
    return meter


def _set(table: Table, meter: Meter, level: str, cents: int) -> Change:
    one = replace(meter.levels[level], holds=cents * PER_CENT)
    meter = replace(meter, levels={**meter.levels, level: one})
    show = ShowMeter(meter=meter.name, level=level, cents=cents)
    return replace(table, meters={**table.meters, meter.name: meter}), (show,)


# --- On demand --------------------------------------------------------------


def reading(meter: Meter) -> dict[str, Any]:
    """All that an inspector may ask of a meter, at any moment.

    What a level holds, its overflow and the reserve are in hundredths of a cent, the rest in cents.
    """
    return {
        "in": {"wagers": meter.wagers_in, "cents": meter.cents_in},
        "hits": meter.hits,
        "wins": meter.wins,
        "reserve": meter.reserve,
        "limit": meter.limit,
        "paid": {
            "machine": meter.machine_paid,
            "attendant": meter.attendant_paid,
            "cumulative": meter.cumulative_paid,
        },
        "levels": {
            name: {
                "holds": level.holds,
                "base": meter.base[name],
                "reset": meter.reset[name],
                "rate": meter.rate[name],
                "overflow": level.overflow,
            }
            for name, level in meter.levels.items()
        },
        "last hits": [
            {
                "at": h.at,
                "table": h.table or None,
                "round": h.round,
                "seat": h.seat,
                "level": h.level,
                "cents": h.cents,
                "order": h.order or None,
            }
            for h in meter.last_hits
        ],
    }
