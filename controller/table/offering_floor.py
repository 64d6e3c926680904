"""What floorperson, supervisor and technician can do: the table, holds, devices, meters, people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from controller.rules.faults import Refused
from controller.rules.part import Method
from controller.table import events, guesses, link
from controller.table.belonging import standing
from controller.table.credentials import in_maintenance
from controller.table.decks import MAINTENANCE, RECORD
from controller.table.drafts import Draft, keyed, number, of_a_person, one_of, reason, second
from controller.table.exposure import is_waited_for
from controller.table.offer import Ask
from controller.table.state import Table
from controller.table.terms import Terms, must_be_equipped
from controller.table.voiding import ALL_SIX, EXPOSED

BETWEEN_ROUNDS = ("closed", "opening", "shuffling", "betting")
#: What an act is about, where that stays while play goes on. Who types why a credential is
#: unlocked must not begin anew whenever the dealer has done something.
_LASTING = frozenset({"hold", "person", "place", "device", "meter"})
#: As many cards as a field of an event takes.
_MOST_CARDS = 200
_MOST_CENTS = 10**12


def floor(terms: Terms, table: Table) -> Iterator[Draft]:
    for draft in _floor(terms, table):
        draft.group = "floor"
        draft.outlives = not _LASTING.isdisjoint(draft.acts[0][1])
        yield draft


def _floor(terms: Terms, table: Table) -> Iterator[Draft]:
    yield from _holds(table, terms)
    for one in table.credentials:
        if one.locked or guesses.is_the_floors(terms, one, table.at):
            title = f"Unlock the credential of {one.person}"
            yield of_a_person(terms, events.CredentialUnlocked, title, reason(), person=one.person)
    for shut in table.resting:
        if table.at < shut.until:
            title = f"Let people sign on at {shut.place} again"
            yield of_a_person(terms, events.PlaceUnlocked, title, reason(), place=shut.place)
    if table.deal.lies and table.phase == "dealing":
        title = f"Stack {table.deal.lies} is out of the shoe"
        yield keyed("floorperson", events.StackTaken, title, number=table.deal.lies)
    if table.phase not in BETWEEN_ROUNDS:
        return
    if table.phase == "closed":
        yield of_a_person(terms, events.TableOpened, "Open the table")
    elif not any(seat.wagers or seat.balance for seat in table.seats):
        yield of_a_person(terms, events.TableClosed, "Close the table")
    if not any(seat.wagers for seat in table.seats):
        yield from _devices(terms, table)
        if not in_maintenance(table):
            asks = (second("floorperson", "supervisor"), reason("what for"))
            draft = of_a_person(terms, events.MaintenanceEntered, "Enter maintenance", *asks)
            draft.follows = "Play stops until two people leave maintenance together"
            yield draft
    if not table.in_round():
        yield from _meters(terms, table)


# --- Holds ------------------------------------------------------------------


def _holds(table: Table, terms: Terms) -> Iterator[Draft]:
    for hold in table.holds:
        if not hold.seen_by:
            title = f"I have seen hold {hold.number}: {hold.where}"
            draft = keyed(hold.clears, events.HoldSeen, title, hold=hold.number)
            draft.follows = "On record, and the table knows that you come; the hold stands"
            yield draft
        if hold.where == MAINTENANCE:
            asks = (second("floorperson", "supervisor"), reason("what was done"))
            yield of_a_person(terms, events.MaintenanceLeft, "Leave maintenance", *asks)
        elif hold.where == RECORD:
            asks = (second("floorperson", "supervisor"), reason("what was found and put right"))
            draft = of_a_person(terms, events.RecordAccepted, "Go on from this record", *asks)
            draft.follows = "The table goes on as its journal has it"
            draft.outlives = True
            yield draft
        elif (other := standing(table, hold)) is not None:
            asks = (second("floorperson", "supervisor"), reason("why it was exchanged"))
            title = f"Accept {other.number} as {hold.where}, in place of {other.expected}"
            facts = {"device": hold.where, "serial_number": other.number}
            draft = of_a_person(terms, events.DeviceAccepted, title, *asks, **facts)
            draft.follows = "It is used, and expected from now on"
            draft.outlives = True
            yield draft
        elif hold.where != EXPOSED:
            title = f"Clear hold {hold.number}: {hold.where}"
            draft = keyed(hold.clears, events.HoldCleared, title, reason(), hold=hold.number)
            draft.follows = f"{hold.cause} is put right, and play goes on"
            yield draft
    if is_waited_for(table):
        yield from _exposed(terms, table)


def _exposed(terms: Terms, table: Table) -> Iterator[Draft]:
    hold = next(one for one in table.holds if one.where == EXPOSED)
    clause = terms.ruleset.rulebook.procedures.exposed_early.clause
    title = "An All-Six card was seen: the round is void" if hold.cause == ALL_SIX else ""
    title = title or "A card was seen: confirm that the round is void"
    yes = of_a_person(terms, events.ExposureDecided, title, reason(), clause=clause, void=True)
    no = of_a_person(
        terms,
        events.ExposureDecided,
        "No card was seen: the round goes on" if hold.cause != ALL_SIX else "The round goes on",
        reason(),
        clause=clause,
        void=False,
    )
    yield from (yes, no)


# --- Devices ----------------------------------------------------------------


def _devices(terms: Terms, table: Table) -> Iterator[Draft]:
    rule = terms.ruleset.rulebook.procedures.failed_device
    marks = ("covered", "signed", "removed") if rule.is_ == "covered or signed" else ("removed",)
    there = {"shuffler": terms.has_shuffler, "shoe": terms.method == "automated shoe"}
    in_service = {"shuffler": table.shuffler_in_service, "shoe": table.shoe_in_service}
    for device in [one for one, is_there in there.items() if is_there]:
        out = in_service[device]
        after = {**in_service, device: not out}
        ways = _ways(terms, shuffler=terms.has_shuffler and after["shuffler"], shoe=after["shoe"])
        if not ways:
            continue
        method = one_of("method", "how the table is dealt from now on", ways)
        if out:
            asks = (
                number("cards_inside", "how many cards were found inside", 0, _MOST_CARDS),
                one_of("how", "how it is marked", marks),
                method,
            )
            title, kind = f"Take the {device} out of service", events.DeviceTakenOut
            yield of_a_person(terms, kind, title, *asks, clause=rule.clause, device=device)
        elif table.phase in ("opening", "shuffling"):
            title = f"The {device} is back in service"
            yield of_a_person(
                terms, events.DeviceReturned, title, method, clause=rule.clause, device=device
            )


def _ways(terms: Terms, *, shuffler: bool, shoe: bool) -> tuple[str, ...]:
    """The ways of dealing for which the table would be equipped."""
    known = [str(one) for one in terms.ruleset.rulebook.procedures.deck_life_hours]
    found = []
    for method in [one for one in get_args(Method) if one in known]:
        if method == "automated shoe" and (not shoe or terms.method != "automated shoe"):
            continue
        try:
            must_be_equipped(terms, method, shuffler=shuffler)
        except Refused:
            continue
        found.append(method)
    return tuple(found)


# --- Meters -----------------------------------------------------------------


def _meters(terms: Terms, table: Table) -> Iterator[Draft]:
    for name, meter in table.meters.items():
        if table.link is not None and name == link.METER:
            continue
        found = terms.ruleset.meters.get(name)
        clause = found.clause if found is not None else ""
        for level in meter.levels:
            most = meter.limit if meter.limit is not None else _MOST_CENTS
            what = f"{terms.ruleset.title_of(name)}, {level}"
            facts = {"meter": name, "level": level}
            sums = Ask("cents", "cents", "what it holds", least=0, most=most)
            asks: tuple[Ask, ...] = (sums, second("supervisor"), reason())
            yield of_a_person(
                terms, events.MeterCorrected, f"Correct the meter {what}", *asks,
                clause=clause, **facts,
            )  # fmt: skip
            asks = (second("auditor"), reason())
            yield of_a_person(
                terms, events.MeterReset, f"Set the meter {what} back to its start", *asks,
                clause=clause, **facts,
            )  # fmt: skip
