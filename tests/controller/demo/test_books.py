"""The second count of accounts and meters agrees with a table that was played, and only then."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from controller.demo.books import Books
from controller.journal.reader import Reader
from controller.library import Library
from controller.recorder import Taken
from controller.replay import Played, Replay
from controller.table import events
from controller.table.change import replace, with_seat
from controller.table.machine import new_table
from controller.table.state import Level, Table
from controller.table.terms import Terms
from tests.scenarios.test_play import played, table


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Terms, list[Played]]]:
    """Some rounds of a table with accounts and with a meter."""
    show = played(tmp_path_factory.mktemp("books"), table("pa-639a"), rounds=2, seed=3)
    with Reader.look(show.simulated.configuration.journal) as reader:
        replay = Replay(reader, Library())
        yield replay.at(reader.head.seq).terms, list(replay.events())


def kept(
    terms: Terms, game: list[Played], altered: Callable[[Played], Table | None] = lambda _: None
) -> tuple[Books, Table]:
    """Books over all of it; from an event on, the machine may have another table."""
    now = new_table(terms)
    books = Books(terms, now)
    for one in game:
        now = altered(one) or one.step.table
        books.told(one.event, Taken(one.entry.seq, one.step._replace(table=now)))
    return books, now


def test_they_agree_with_what_was_played(game: tuple[Terms, list[Played]]) -> None:
    terms, some = game
    books, last = kept(terms, some)
    assert list(books.differences(last)) == []
    # There was something to agree about.
    assert any(books.accounts.values())
    assert all(meter.cents_in for meter in last.meters.values())


def test_a_cent_on_an_account_that_nobody_brought_or_won(game: tuple[Terms, list[Played]]) -> None:
    terms, some = game
    books, last = kept(terms, some)
    last = with_seat(last, 1, balance=last.seat(1).balance + 1)
    [found] = books.differences(last)
    assert found.startswith("seat 1 brought, wagered and won")


def test_a_wager_that_a_meter_has_not_counted(game: tuple[Terms, list[Played]]) -> None:
    terms, some = game
    books, last = kept(terms, some)
    name, meter = next(iter(last.meters.items()))
    last = replace(last, meters={**last.meters, name: replace(meter, cents_in=meter.cents_in - 1)})
    [found] = books.differences(last)
    assert found.startswith(f"the {name} meter has counted")


def test_a_meter_that_moves_by_itself(game: tuple[Terms, list[Played]]) -> None:
    terms, some = game

    def moved(one: Played) -> Table | None:
        """A hundredth of a cent, when somebody decides."""
        if not isinstance(one.event, events.Decided):
            return None
        after = one.step.table
        name, meter = next(iter(after.meters.items()))
        level, has = next(iter(meter.levels.items()))
        meter = replace(meter, levels={**meter.levels, level: Level(has.holds + 1, has.overflow)})
        return replace(after, meters={**after.meters, name: meter})

    books, last = kept(terms, some, moved)
    found = list(books.differences(last))
    assert "Decided in round 1 moved" in found[0]
    assert "by 1 hundredths of a cent, not 0" in found[0]
