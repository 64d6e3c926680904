"""What must hold of a whole journal, however often the daemon was killed while it was written.

Told from the events and from what the machine made of them, and held against what the simulated
devices did. Whoever asks gets every sentence that is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from controller.demo.totals import Totals, differences
from controller.journal.reader import Reader
from controller.library import Library
from controller.recorder import Decision, Taken
from controller.replay import Played, Replay
from controller.table import commands, events
from controller.table.dealing import next_step
from controller.table.machine import Step, new_table
from controller.table.paying import must_be_verified
from controller.table.state import Due, Table
from controller.table.terms import Terms
from tests.controller.table.invariants import check
from tests.scenarios.kill.live import LiveTable


class Told:
    """A journal from its first entry to its last, event by event.

    ``then`` is the table in it when ``taken`` events had been taken.
    """

    def __init__(self, journal: Path, library: Library, terms: Terms, taken: int) -> None:
        self.terms = terms
        self.then: Table | None = None
        self._until = taken
        self.table: Table = new_table(terms)
        self.totals = Totals(terms, self.table)
        self.wrong: list[str] = []
        self.events = 0
        self.kinds: Counter[str] = Counter()
        #: The stacks that the table knows of, as (round, number), and the rounds that were void.
        self.stacks: Counter[tuple[int, int]] = Counter()
        self.void: set[int] = set()
        #: By order, how often the shoe was told; and how often it said that it had not carried it
        #: out, when it was asked or by refusing it.
        self.ordered: Counter[tuple[int, int]] = Counter()
        self.not_done: Counter[tuple[int, int]] = Counter()
        self.late = 0
        self.progressive = 0
        self._paid: Counter[tuple[int, int]] = Counter()
        with Reader.look(journal, terms.id) as reader:
            self._decided(reader)
            for played in Replay(reader, library).events():
                self._event(played)

    def _decided(self, reader: Reader) -> None:
        """What was written as the machine's decision is what the machine decides again."""
        decisions = (entry for entry in reader.entries() if entry.kind == "decision")
        self._decisions = [msgspec.json.decode(one.body, type=Decision) for one in decisions]

    def _event(self, played: Played) -> None:
        event, step, before = played.event, played.step, self.table
        self.table = step.table
        if self.table.taken == self._until:
            self.then = self.table
        self._same_decision(step)
        self.events += 1
        self.kinds[str(event.__struct_config__.tag)] += not step.refused
        self.totals.told(event, Taken(played.entry.seq, step))
        where = f"entry {played.entry.seq}"
        try:
            check(self.terms, step.table)
        except AssertionError as error:
            self.wrong.append(f"{where}: {error}")
        if not step.refused:
            for one in self._problems(before, event, step):
                self.wrong.append(f"{where}: {one}")

    def _same_decision(self, step: Step) -> None:
        if self.events >= len(self._decisions):
            self.wrong.append(f"event {self.events} has no decision")
            return
        written = self._decisions[self.events]
        if written != Decision(step.table.phase, step.commands, step.refused):
            self.wrong.append(f"event {self.events} was decided otherwise: {written}")

    def _problems(self, before: Table, event: events.Event, step: Step) -> Iterator[str]:
        yield from self._wagers(before, event)
        yield from self._cards(before, event, step)
        yield from self._payments(before, event, step.table)
        yield from _holds(before, event, step.table)
        yield from _resumes(before, event, step.table)

    def _wagers(self, before: Table, event: events.Event) -> Iterator[str]:
        match event:
            case events.WagerPlaced(wager=wager, amount=cents):
                self.progressive += cents if wager == "progressive" else 0
                if before.phase != "betting":
                    yield f"a wager was taken in {before.phase}"
            case events.WagerCameLate(wager="progressive", amount=cents):
                self.late += cents

    # --- Cards ------------------------------------------------------------------

    def _cards(self, before: Table, event: events.Event, step: Step) -> Iterator[str]:
        after = step.table
        if after.void and after.void != "side wagers":
            self.void.add(after.round)
        if after.deal.done > before.deal.done and before.phase == "dealing":
            planned = next_step(before)
            assert planned is not None
            if planned.by_shoe:
                self.stacks[before.round, before.deal.done + 1] += 1
        if isinstance(event, events.ShoeReported) and event.last == before.deal.done:
            self.not_done[before.round, event.last + 1] += 1
        if isinstance(event, events.DispenseRefused):
            self.not_done[before.round, event.number] += 1
        for command in step.commands:
            if isinstance(command, commands.Dispense):
                order = (command.round, command.number)
                self.ordered[order] += 1
                if self.ordered[order] > 1 + self.not_done[order]:
                    yield f"stack {order[1]} of round {order[0]} was ordered again, unasked"

    # --- Money ------------------------------------------------------------------

    def _payments(self, before: Table, event: events.Event, after: Table) -> Iterator[str]:
        """Each line is paid once, by the dealer's word for its seat, and to its account once."""
        now = [
            (n, due)
            for n, (was, due) in enumerate(zip(before.due, after.due, strict=False))
            if due.paid and not was.paid
        ]
        for n, due in now:
            self._paid[after.round, n] += 1
            if self._paid[after.round, n] > 1:
                yield f"line {n} of round {after.round} was paid twice"
            seen = due.verified_by and (due.validated_by or not due.validate)
            if due.returns and must_be_verified(self.terms, due) and not seen:
                yield f"{due.wager} of seat {due.seat} was paid and nobody had validated it"
            if isinstance(event, events.SeatPaid) and due.seat != event.seat:
                yield f"seat {due.seat} was paid with seat {event.seat}"
        if isinstance(event, events.SeatPaid):
            if not now:
                yield f"seat {event.seat} was paid, and nothing was due"
            electronic = sum(due.returns for _, due in now if self._to_account(due))
            seat = event.seat
            rose = after.seat(seat).balance - before.seat(seat).balance
            if rose != electronic:
                yield f"seat {seat} was due {electronic} cents and its account rose by {rose}"
        yield from self._moved(before, event, after)

    def _to_account(self, due: Due) -> bool:
        """Won on it, or a stake that came from it and goes back."""
        found = self.terms.ruleset.rulebook.wagers.get(due.wager)
        stake_only = due.paid_by is None and found is not None and found.on == "terminal"
        return due.paid_by == "account" or stake_only

    def _moved(self, before: Table, event: events.Event, after: Table) -> Iterator[str]:
        """An account moves only for what moves money."""
        may = (
            events.BoughtIn, events.CashedOut, events.WagerPlaced, events.WagerTakenBack,
            events.SeatPaid,
        )  # fmt: skip
        is_void = bool(after.void) and not before.void
        moved = any(
            seat.balance != was.balance for seat, was in zip(after.seats, before.seats, strict=True)
        )
        if moved and not is_void and not isinstance(event, may):
            yield f"{type(event).__name__} moved an account"


def _holds(before: Table, event: events.Event, after: Table) -> Iterator[str]:
    left = {hold.number for hold in after.holds}
    for hold in before.holds:
        if hold.number in left:
            continue
        if not isinstance(event, events.HoldCleared) or event.hold != hold.number:
            yield f"hold {hold.number} went away with {type(event).__name__}"
        elif event.by.role != hold.clears:
            yield f"hold {hold.number} is a {hold.clears}'s, and a {event.by.role} cleared it"


def _resumes(before: Table, event: events.Event, after: Table) -> Iterator[str]:
    if after.round not in (before.round, before.round + 1):
        yield f"round {after.round} came after round {before.round}"
    if after.round != before.round and not isinstance(event, events.LockOutPressed):
        yield f"a round began with {type(event).__name__}"


# --- Against the devices ------------------------------------------------------


def wrong(live: LiveTable, told: Told) -> list[str]:
    """Everything that does not hold, of the journal and of what lies on the table."""
    found = [*live.wrong, *told.wrong]
    found += differences(
        told.totals, told.table, live.world, live.configuration.journal, live.library
    )
    found += _stacks(live, told)
    found += _chips(live, told)
    return found


def _stacks(live: LiveTable, told: Told) -> Iterator[str]:
    if live.world.shoe is None:
        return
    given = Counter((round_, number) for round_, number, _ in live.world.shoe.given)
    for order, times in given.items():
        if times > 1:
            yield f"the shoe gave stack {order[1]} of round {order[0]} {times} times"
        if not told.ordered[order]:
            yield f"the shoe gave stack {order[1]} of round {order[0]}, which nobody ordered"
        if not told.stacks[order] and order[0] not in told.void:
            yield f"stack {order[1]} of round {order[0]} came, and the table does not know"
    for order in told.stacks:
        if not given[order]:
            yield f"the table has stack {order[1]} of round {order[0]}, which never came"


def _chips(live: LiveTable, told: Told) -> Iterator[str]:
    """Whoever's wager counts has put in a chip that did not come back."""
    money = live.world.top.money
    kept = money["inventory"] + sum(sum(one.inside) for one in live.world.acceptors.values())
    if kept < told.progressive:
        yield f"{told.progressive} cents were wagered in acceptors, which kept only {kept}"
