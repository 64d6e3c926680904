"""What the table waits for of its devices: each has a deadline, and is said when it is over it.

A device that does not do what it took on is asked, or held, as far as that helps. What people have
to do is no wait: that is a prompt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from controller.table import events
from controller.table.change import Change, held, replace
from controller.table.commands import AskShoe, Command, SetTimer
from controller.table.dealing import is_by_hand, is_on_its_way, is_uncounted
from controller.table.decks import has_shuffler
from controller.table.delivery import asked, unanswered_cause
from controller.table.state import Table
from controller.table.terms import Terms

TIMER = "wait for "
SECOND = 1000
#: A stack takes a second or two; a cycle of a shuffler a minute or two.
STACK, COUNT, LOCK, CYCLE = 15 * SECOND, 5 * SECOND, 10 * SECOND, 300 * SECOND


class Wait(NamedTuple):
    what: str
    #: In milliseconds.
    patience: int
    remedy: str


def waits(terms: Terms, table: Table) -> Iterator[Wait]:
    """Everything that some device is to do or say now."""
    if table.phase == "locked":
        yield from _locks(table)
    if table.phase == "dealing":
        if is_on_its_way(table) and not _is_held(table):
            remedy = "look at the shoe; a floorperson voids the round if it can't go on"
            yield Wait(f"stack {table.deal.done + 1} from the shoe", STACK, remedy)
        elif is_uncounted(table):
            remedy = "count the stub face down by hand"
            yield Wait("the shoe's count of the stub", COUNT, remedy)
    if table.phase == "shuffling" and has_shuffler(terms, table) and not table.holds:
        yield from _cycle(table)


def _is_held(table: Table) -> bool:
    """The shoe was asked what became of the stack, and people wait for its word."""
    number = table.deal.done + 1
    cause = unanswered_cause(number)
    return table.deal.asked == number and any(hold.cause == cause for hold in table.holds)


def _locks(table: Table) -> Iterator[Wait]:
    for seat in table.seats:
        for device in ("acceptor", "terminal"):
            if not getattr(seat, f"{device}_locked"):
                remedy = f"look at it; the deal is not enabled before the {device} is locked"
                yield Wait(f"the lock of the {device} of seat {seat.number}", LOCK, remedy)
    for draw in table.draws_due:
        if draw not in table.draws:
            yield Wait(f"the draw of the {draw}", LOCK, "restart the service")


def _cycle(table: Table) -> Iterator[Wait]:
    for deck in table.decks:
        at_work = deck.cycle_runs or table.shuffler_holds == deck.id
        if deck.id == table.deck and deck.shuffled == "no" and at_work:
            yield Wait(f"the shuffle of deck {deck.id}", CYCLE, "look at the shuffler")


def noted(terms: Terms, table: Table, commands: Sequence[Command], at: int) -> Change:
    """After an event: since when each is waited for, and a timer for what is new."""
    now = {one.what: one for one in waits(terms, table)}
    if now.keys() == table.waits.keys():
        return table, commands
    since = {what: table.waits.get(what, at) for what in now}
    new = [
        SetTimer(timer=f"{TIMER}{what}", at=at + one.patience)
        for what, one in now.items()
        if what not in table.waits
    ]
    return replace(table, waits=since), [*commands, *new]


def timers(terms: Terms, table: Table) -> list[Command]:
    """For a clock that was set or a program that restarted."""
    return [
        SetTimer(timer=f"{TIMER}{one.what}", at=table.waits[one.what] + one.patience)
        for one in waits(terms, table)
        if one.what in table.waits
    ]


def anew(command: Command, now: int) -> Command:
    """After a restart a device is asked when it is back, and has its time to answer."""
    if isinstance(command, SetTimer) and command.timer.startswith(TIMER):
        return SetTimer(timer=command.timer, at=max(command.at, now + STACK))
    return command


def overdue(terms: Terms, table: Table, now: int) -> Iterator[tuple[Wait, int]]:
    """What takes longer than it may, and for how long it is waited for."""
    for one in waits(terms, table):
        age = now - table.waits.get(one.what, now)
        if age >= one.patience:
            yield one, age


def timer_fired(terms: Terms, table: Table, event: events.TimerFired) -> Change:
    """Too long: the shoe is asked, and a shuffler is held. What else is late is said."""
    what = event.timer.removeprefix(TIMER)
    wait = next((one for one in waits(terms, table) if one.what == what), None)
    if wait is None or what not in table.waits:
        return table, ()
    due = table.waits[what] + wait.patience
    if event.at < due:
        return table, (SetTimer(timer=event.timer, at=due),)
    if is_on_its_way(table):
        return asked(table, event.at)
    if is_uncounted(table) and not is_by_hand(table):
        return table, (AskShoe(),)
    if wait.patience == CYCLE:
        cause = f"{what} has not ended for {CYCLE // SECOND} s"
        return held(table, cause, "shuffler", event.at), ()
    return table, ()
