"""Long random play with faults: whatever order things happen in, the invariants hold.

Every wager that went down ends exactly once, and the same events make the same table again.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from controller.table import events
from controller.table.commands import CollectWager, Command, Pay, ReturnWager
from controller.table.deciding import wager_at
from controller.table.machine import new_table, step
from controller.table.state import Table
from controller.table.terms import Terms
from tests.controller.table.invariants import check, nothing_moves
from tests.controller.table.playing import BOOKS, METHODS, OFFER, terms_of
from tests.controller.table.possible import EVERYTHING, is_trouble, possible


class Ledger:
    """Wagers that are down and have not ended yet."""

    def __init__(self) -> None:
        self.open: dict[tuple[int, str], int] = {}
        #: Of seats that were settled before the round was over: a void round returns these too.
        self.ended: dict[tuple[int, str], int] = {}

    def post(
        self, terms: Terms, before: Table, event: events.Event, commands: tuple[Command, ...]
    ) -> None:
        if isinstance(event, events.WagerPlaced):
            self.open[event.seat, event.wager] = event.amount
        if isinstance(event, events.WagerTakenBack):
            del self.open[event.seat, event.wager]
        if isinstance(event, events.Decided) and event.choice == "wager":
            self.open[event.seat, wager_at(terms, before.street)] = event.amount
        if isinstance(event, events.LockOutPressed):
            self.ended = {}
        for command in commands:
            if not isinstance(command, CollectWager | ReturnWager | Pay):
                continue
            key = (command.seat, command.wager)
            if isinstance(command, ReturnWager):
                was = self.open.pop(key) if key in self.open else self.ended.pop(key)
                assert was == command.cents
            elif isinstance(command, CollectWager):
                self.ended[key] = self.open.pop(key)
                assert self.ended[key] == command.cents
            elif key in self.open:  # a bonus without a stake of its own was never down
                self.ended[key] = self.open.pop(key)

    def agrees(self, table: Table) -> None:
        """What is down by the ledger is what is down on the table, until it is paid."""
        if table.phase in ("closed", "opening"):
            assert self.open == {}
        elif table.phase != "settling" and not (table.phase == "clearing" and table.due):
            down = {(s.number, k): v for s in table.seats for k, v in s.wagers.items()}
            paid = {(due.seat, due.wager) for due in table.due if due.paid}
            assert self.open == {key: cents for key, cents in down.items() if key not in paid}


def small(book: str, method: str, **more: Any) -> Terms:
    kept = ("progressive", "progressive_wager", "progressive_reset", "progressive_rate")
    options = {k: v for k, v in OFFER[book].items() if k in (*kept, "straight_flush")}
    return terms_of(book, method, options=options, seats=2, **more)


def wander(
    terms: Terms, seed: int, events_wanted: int, families: tuple[str, ...] = EVERYTHING
) -> int:
    """Random events, most of them fitting; how many rounds were played."""
    dice = random.Random(seed)
    table, ledger = new_table(terms), Ledger()
    taken: list[events.Event] = []
    for _ in range(events_wanted):
        choices = list(possible(terms, table, families))
        calm = [one for one in choices if not is_trouble(table, one) or dice.random() < 0.02]
        for event in dice.sample(calm, len(calm)):
            done = step(terms, table, event)
            if not done.refused:
                break
        else:
            raise AssertionError(f"nothing can happen any more in phase {table.phase}")
        nothing_moves(done.table, done.commands)
        ledger.post(terms, table, event, done.commands)
        table = done.table
        taken.append(event)
        check(terms, table)
        ledger.agrees(table)
        if table.deck is None and all(deck.removed for deck in table.decks) and table.decks:
            break  # the only deck of the walk was removed
    again = new_table(terms)
    for event in taken:
        again = step(terms, again, event).table
    assert again == table
    return table.round


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("method", METHODS)
def test_random_play_stays_sound(book: str, method: str) -> None:
    rounds = sum(wander(small(book, method), seed, 300) for seed in range(4))
    assert rounds > 0


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("method", ["automated shoe", "manual shoe"])
def test_random_play_without_a_shuffler_stays_sound(book: str, method: str) -> None:
    terms = small(book, method, shuffler_counts=None)
    assert sum(wander(terms, seed, 300) for seed in range(2)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("method", METHODS)
def test_random_play_for_long(book: str, method: str) -> None:
    for seed in range(100, 140):
        wander(small(book, method), seed, 1500)


class Play(RuleBasedStateMachine):
    """The same, led by hypothesis, which shrinks what it finds."""

    book = "pa-639a"

    def __init__(self) -> None:
        super().__init__()
        self.terms = small(self.book, "automated shoe")
        self.table, self.ledger = new_table(self.terms), Ledger()
        self.taken: list[events.Event] = []

    @rule(data=st.data())
    def something_happens(self, data: st.DataObject) -> None:
        choices = list(possible(self.terms, self.table, EVERYTHING))
        event = data.draw(st.sampled_from(choices))
        done = step(self.terms, self.table, event)
        if done.refused:
            assert done.table is self.table
            return
        nothing_moves(done.table, done.commands)
        self.ledger.post(self.terms, self.table, event, done.commands)
        self.table = done.table
        self.taken.append(event)

    @precondition(lambda self: len(self.taken) % 7 == 0)
    @rule()
    def the_journal_is_replayed(self) -> None:
        again = new_table(self.terms)
        for event in self.taken:
            again = step(self.terms, again, event).table
        assert again == self.table

    @invariant()
    def sound(self) -> None:
        check(self.terms, self.table)
        self.ledger.agrees(self.table)


class PlayRaiseItUp(Play):
    book = "pa-669a"


TestPlay = Play.TestCase
TestPlay.settings = settings(max_examples=20, stateful_step_count=60, deadline=None)
TestPlayRaiseItUp = PlayRaiseItUp.TestCase
TestPlayRaiseItUp.settings = settings(max_examples=20, stateful_step_count=60, deadline=None)
