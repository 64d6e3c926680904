"""How fast the machine takes events, beside general state machines of other people.

Everyone takes the same events of whole shifts, one call each. felt decides all of it: who may do
it, which hold blocks it, cards, wagers, meters, money, and what every device is told. The peers get
only what a general state machine has: the phases as states, and for every event in every phase
guards for the role, for the holds and, where an event can lead to several phases, for which one it
is - which they are told, since finding out is what felt does in between. They keep no table and
answer with no commands. So they do a small part of the work, and the ratio flatters them.

    python -m benchmarks.machine
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from time import process_time
from typing import Any, get_args

from statemachine import State, StateMachine
from transitions import Machine

from benchmarks.shifts import BOOKS, shift, terms
from controller.table.events import Act, Event
from controller.table.machine import new_table, step
from controller.table.state import Phase
from controller.table.terms import Terms
from controller.table.transitions import TRANSITIONS

PLAYERS = 7
ROUNDS = 20
REPETITIONS = 7
#: Required: events a second on one core, in the slowest rulebook.
REQUIRED = 20_000


@dataclass(frozen=True, slots=True)
class Happening:
    """An event as a peer gets it: what its guards ask for, and where it is to lead."""

    kind: str
    before: str
    after: str
    #: Who did it, who may, what lay over the table, and what of that would block it.
    role: str | None
    wanted: str | None
    holds: tuple[str, ...]
    blocked_by: tuple[str, ...]


@dataclass
class Contender:
    name: str
    run: Callable[[], object]
    seconds: list[float] = field(default_factory=list)

    def repeat(self) -> None:
        # The processor's time, not the wall's: nobody waits here, and others may use the machine.
        start = process_time()
        self.run()
        self.seconds.append(process_time() - start)

    def speed(self, events: int) -> float:
        return events / median(self.seconds)


def happenings(its: Terms, taken: Sequence[Event]) -> list[Happening]:
    """What a shift is to a machine that knows phases, roles and holds."""
    found = []
    table = new_table(its)
    for event in taken:
        rule = TRANSITIONS[type(event)]
        before, table = table, step(its, table, event).table
        by = event.by.role if isinstance(event, Act) else None
        found.append(
            Happening(
                str(type(event).__struct_config__.tag),
                before.phase,
                table.phase,
                by,
                # Where the rulebook names the role, whoever did it may.
                by if rule.role in ("recut", "shuffle", "exposure") else rule.role,
                tuple(hold.blocks for hold in before.holds),
                rule.blocked_by,
            )
        )
    return found


def may(happening: Happening) -> bool:
    return happening.wanted is None or happening.role == happening.wanted


def is_free(happening: Happening) -> bool:
    return not any(hold in happening.blocked_by for hold in happening.holds)


def leads(after: str) -> Callable[[Happening], bool]:
    def leads_there(happening: Happening) -> bool:
        return happening.after == after

    return leads_there


def moves(shift_: Sequence[Happening]) -> dict[tuple[str, str, str], list[Callable[..., bool]]]:
    """By event, phase and phase that follows, the guards of each move that a peer has to know."""
    known = sorted({(one.kind, one.before, one.after) for one in shift_})
    starts = [(kind, before) for kind, before, _ in known]
    return {
        (kind, before, after): [
            may,
            is_free,
            *([leads(after)] if starts.count((kind, before)) > 1 else []),
        ]
        for kind, before, after in known
    }


def felt(its: Terms, taken: Sequence[Event]) -> Callable[[], object]:
    def run() -> None:
        table = new_table(its)
        for event in taken:
            table = step(its, table, event).table

    return run


def with_transitions(shift_: Sequence[Happening]) -> Callable[[], object]:
    """``transitions``: its core machine, without extensions, guards as plain functions."""

    class Model:
        state: str

    model: Any = Model()
    Machine(
        model,
        states=list(get_args(Phase)),
        initial="closed",
        auto_transitions=False,
        transitions=[
            {
                "trigger": kind,
                "source": before,
                # None is an internal transition, the cheaper kind.
                "dest": None if before == after else after,
                "conditions": guards,
            }
            for (kind, before, after), guards in moves(shift_).items()
        ],
    )

    def run() -> None:
        for happening in shift_:
            getattr(model, happening.kind)(happening)
        assert model.state == shift_[-1].after

    return run


def with_statemachine(shift_: Sequence[Happening]) -> Callable[[], object]:
    """``python-statemachine``: a machine class as its metaclass makes it."""
    states = {name: State(initial=name == "closed") for name in get_args(Phase)}
    known: dict[str, Any] = {}
    for (kind, before, after), guards in moves(shift_).items():
        source, target = states[before], states[after]
        internal = {"internal": True} if before == after else {}
        one = source.to(target, cond=guards, **internal)
        known[kind] = known[kind] | one if kind in known else one
    made: Any = types.new_class(
        "Peer", (StateMachine,), exec_body=lambda its: its.update(states, **known)
    )
    machine = made()

    def run() -> None:
        for happening in shift_:
            machine.send(happening.kind, happening)
        assert machine.current_state_value == shift_[-1].after

    return run


def main() -> int:
    print(f"{ROUNDS} rounds a shift, {PLAYERS} players, the median of {REPETITIONS} repetitions\n")
    print(f"{'events a second':17}{'felt':>10}{'transitions':>16}{'python-statemachine':>24}")
    slowest = float("inf")
    for book in BOOKS:
        its, taken = terms(book), shift(book, ROUNDS, PLAYERS)
        as_peers_see_it = happenings(its, taken)
        own = Contender("felt", felt(its, taken))
        peers = [
            Contender("transitions", with_transitions(as_peers_see_it)),
            Contender("python-statemachine", with_statemachine(as_peers_see_it)),
        ]
        for _ in range(REPETITIONS):
            for contender in (own, *peers):
                contender.repeat()
        speed = own.speed(len(taken))
        slowest = min(slowest, speed)
        beside = [(peer.speed(len(taken)), speed / peer.speed(len(taken))) for peer in peers]
        said = "".join(f"{its_speed:16,.0f} ({ratio:.1f}x)" for its_speed, ratio in beside)
        print(f"{book:17}{speed:10,.0f}{said}")
    print(f"\nthe slowest, of {REQUIRED:,}/s: {slowest / REQUIRED:.2f} (required >= 1)")
    return 0 if slowest >= REQUIRED else 1


if __name__ == "__main__":
    sys.exit(main())
