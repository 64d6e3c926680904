"""A simulated table in the middle of a round: it stands as the record says, and plays on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from controller.demo import standing
from controller.demo.onward import Onward, journal_in
from controller.demo.table import Options, SimulatedTable
from controller.journal.verifier import verify
from controller.library import Library
from controller.replay import recorded_terms
from controller.table import events
from controller.table.dealing import cards_at, stub
from controller.table.events import Event
from controller.table.machine import Step, step
from controller.table.state import LastHeard, Table
from controller.table.wagers import accepted
from controller.technician import continuing, cut
from controller.technician.continuing import Since
from controller.technician.cut import Cut
from simulators.tabletop import DECK_OF_CARDS, HANDS, SHOE
from tests.logs.recording import Case, recorded

LIBRARY = Library()
LOGS = Path(__file__).parents[2] / "logs"
PHASES = ("opening", "shuffling", "betting", "locked", "dealing", "deciding", "revealing",
          "settling", "clearing")  # fmt: skip
TABLES = [
    ("pa-639a", "automated shoe"),
    ("pa-669a", "manual shoe"),
    ("pa-682a", "automated shoe"),
    ("pa-683a", "automated shoe"),
    ("s10", "hand"),
]

_events = msgspec.json.Decoder(Event)


class Told:
    """Hears of every event, and has never enough."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, before: Table, event: Event, done: Step) -> bool:
        self.events.append(event)
        return True


@pytest.fixture(scope="module", params=TABLES, ids=" ".join)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Cut:
    book, method = request.param
    folder = tmp_path_factory.mktemp("recorded")
    return cut.read(recorded(Case("", "", book, method), folder, LIBRARY))


def played(found: Cut) -> Iterator[tuple[Since, Event, Step]]:
    """Every event of the round, with what came of it, and those before it."""
    terms, table = recorded_terms(found.past.data, LIBRARY), found.past.table
    since = Since(table)
    for entry in found.past.entries:
        if entry.kind != "event":
            continue
        event = _events.decode(entry.body)
        done = step(terms, table, event)
        yield since, event, done
        since.took(table, event, done)
        table = done.table


def firsts(found: Cut) -> Iterator[tuple[Since, Event, Step]]:
    """The first moment of each phase, and those in which cards are on their way."""
    seen: set[str] = set()
    for since, event, done in played(found):
        phase = done.table.phase
        if phase in PHASES and (phase not in seen or isinstance(event, events.StackDispensed)):
            yield since, event, done
        seen.add(phase)
    assert set(PHASES) <= seen


def test_every_card_and_chip_lies_where_the_table_has_it(found: Cut, tmp_path: Path) -> None:
    terms = recorded_terms(found.past.data, LIBRARY)
    for number, (_, event, done) in enumerate(firsts(found)):
        table = done.table
        data = {**msgspec.json.decode(found.past.data)}
        del data["rulebook_text"]
        folder = tmp_path / str(number)
        simulated = SimulatedTable(data, folder, LIBRARY, Options(broker=False))
        world = simulated.world
        standing.furnish(world, terms, table, last=event, owed=done.commands)
        for deck in table.decks:
            assert world.top.count_of(deck.id) == DECK_OF_CARDS
            lie = [card for pile in world.top.piles.values() for card in pile]
            faces = sorted(card.face for card in lie if card.deck == deck.id)
            assert faces == list(range(DECK_OF_CARDS))
        if table.phase in standing.DEALT:
            seats: list[int | str] = [seat.number for seat in table.seats]
            for place in [*seats, "dealer", "community", "extra"]:
                assert world.top.count(place) == cards_at(table, place)
            for seat in table.seats:
                assert tuple(world.at(seat.number))[: len(seat.cards)] == seat.cards
            for where, seen in table.faces.items():
                assert tuple(world.at(where))[: len(seen)] == seen
            if table.up_card is not None:
                assert table.up_card in world.at("dealer")
            if table.deal.stub == "in shoe":
                assert world.stub() == stub(table)
                assert world.top.count(SHOE if world.shoe else HANDS) == stub(table)
        inside = sum(len(one.inside) for one in world.acceptors.values())
        assert world.chips() + inside == accepted(table)
        for port in simulated.ports.values():
            port.unplug()


def test_from_each_phase_the_round_is_played_to_its_end(found: Cut, tmp_path: Path) -> None:
    for number, (since, event, done) in enumerate(firsts(found)):
        folder = tmp_path / str(number)
        begun = continuing.begin(journal_in(folder), found.past.data, since, event, [])
        assert begun.table == done.table
        assert begun.owed == done.commands
        onward = Onward(
            begun.data,
            folder,
            begun.library,
            begun.table,
            last=event,
            owed=begun.owed,
            starts_at=event.at / 1000,
        )
        told = Told()
        ended = onward.run(told)
        where = f"{done.table.phase} after {type(event).__name__}"
        assert (ended, onward.stuck, onward.amiss()) == ("the round is over", "", []), where
        assert (onward.round, onward.table.round, onward.table.phase) == (1, 1, "shuffling")
        assert list(onward.played) == [1]
        assert not onward.played[1].void, where
        assert onward.played[1].due, where
        given = [one.number for one in told.events if isinstance(one, events.StackDispensed)]
        taken = sum(one.by_shoe for one in done.table.deal.steps[: done.table.deal.done])
        if done.table.phase == "dealing":
            stacks = sum(one.by_shoe for one in done.table.deal.steps)
            assert given == list(range(taken + 1, stacks + 1)), "each stack comes once"
        assert verify(journal_in(folder)).sound


def no_deck_is_next(table: Table) -> Table | None:
    """Everybody waits for a deck, and none is on its way."""
    return replace(table, deck=None) if table.phase == "shuffling" else None


def no_card_is_left(table: Table) -> Table | None:
    """Cards are to be dealt, and the stub is in the rack."""
    deal = replace(table.deal, stub="racked")
    return replace(table, deal=deal) if table.phase == "dealing" else None


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (no_deck_is_next, "has led to nothing in phase shuffling"),
        (no_card_is_left, "1 cards from hands, where 0 lie"),
    ],
)
def test_a_round_that_can_not_be_played_is_not_said_to_be_over(
    tmp_path: Path, wrong: Callable[[Table], Table | None], why: str
) -> None:
    made = cut.read(LOGS / "s10-hand" / "cut.zip")
    tables = (wrong(done.table) for _, _, done in played(made))
    table = next(one for one in tables if one is not None)
    begun = continuing.begin(journal_in(tmp_path), made.past.data, Since(table), None, [])
    onward = Onward(
        begun.data,
        tmp_path,
        begun.library,
        table,
        last=None,
        owed=(),
        starts_at=table.at / 1000,
    )
    assert onward.run(Told()) == "stopped"
    assert why in onward.stuck


def test_a_device_says_news_under_a_boot_that_was_not_heard() -> None:
    heard = {"acceptor-1": (LastHeard(1, 40), LastHeard(3, 7)), "shoe": (LastHeard(7, 1),)}
    table = Table(heard=heard)
    names = ["acceptor 1", "shoe", "panel"]
    assert standing.boots(table, names) == {"acceptor 1": 2, "shoe": 1, "panel": 1}


def test_nobody_plays_at_a_closed_table(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="closed"):
        Onward({}, tmp_path, LIBRARY, Table(), last=None, owed=(), starts_at=0.0)
