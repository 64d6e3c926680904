"""The dealer's place is taken in the middle of a round, and given back in another."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from controller.demo.show import Show
from controller.recorder import Taken
from controller.table.events import Event
from tests.controller.demo.somebody import Somebody, played_with
from tests.scenarios.test_play import table

PHASES = (
    "shuffling",
    "betting",
    "locked",
    "dealing",
    "deciding",
    "revealing",
    "settling",
    "clearing",
)
#: Every rulebook, and each way of dealing twice.
TABLES = (
    ("pa-639a", "automated shoe"),
    ("s10", "manual shoe"),
    ("pa-682a", "hand"),
    ("ma", "automated shoe"),
    ("pa-669a", "hand"),
    ("pa-669a", "automated shoe"),
    ("pa-683a", "manual shoe"),
)


def few_seats(book: str, method: str) -> dict[str, Any]:
    data = table(book, method)
    data["options"]["seats"] = 3
    return data


def adds_up(show: Show, me: Somebody, rounds: int) -> None:
    assert me.refused == []
    assert show.differences() == []
    assert show.totals is not None
    assert show.totals.rounds == rounds
    assert show.totals.void == 0


@pytest.mark.parametrize(("book", "method"), TABLES)
def test_a_dealer_who_comes_and_goes_in_every_phase(book: str, method: str, tmp_path: Path) -> None:
    """In the n-th round from the n-th phase on, until two phases later."""

    async def meanwhile(me: Somebody) -> None:
        def told(_event: Event, taken: Taken) -> None:
            now = taken.step.table
            phase = PHASES.index(now.phase) if now.phase in PHASES else 0
            # The cards are shuffled, and wagers go down, before a round has a number.
            round_ = now.round + (now.phase in ("shuffling", "betting"))
            since = (round_ - 1) % len(PHASES)
            is_me = (phase - since) % len(PHASES) < 2
            if me.bench.cast.is_me("dealer") != is_me:
                me.bench.play("dealer", "me" if is_me else "simulated")

        me.service.listen(told)
        await me.plays()

    show, me = played_with(tmp_path, few_seats(book, method), meanwhile, rounds=8)
    adds_up(show, me, 8)
    assert {"lock_out_pressed", "deal_pressed", "decided", "seat_paid"} <= set(me.said)
    assert "cards_racked" in me.said


@pytest.mark.parametrize(("book", "method"), TABLES[:3])
def test_a_round_that_is_dealt_from_the_page_alone(book: str, method: str, tmp_path: Path) -> None:
    """From the first deck on, floor and dealer, with hands that follow."""

    async def meanwhile(me: Somebody) -> None:
        me.bench.play("dealer", "me")
        me.bench.play("floor", "me")
        await me.plays()

    show, me = played_with(tmp_path, few_seats(book, method), meanwhile, rounds=2)
    adds_up(show, me, 2)
    assert {"deck_received", "deck_verified", "player_sat", "seat_paid"} <= set(me.said)


def test_nothing_is_dealt_while_nobody_deals(tmp_path: Path) -> None:
    """The crew waits for whoever has the place for as long as it takes, and then goes on."""
    waited: list[str] = []

    async def meanwhile(me: Somebody) -> None:
        await phase_is(me, "betting")
        me.bench.play("dealer", "me")
        await asyncio.sleep(600)
        waited.append(me.bench.table.phase)
        assert me.bench.state()["awaited"] == ["dealer"]
        me.bench.play("dealer", "simulated")

    show, me = played_with(tmp_path, few_seats("s10", "manual shoe"), meanwhile, rounds=2)
    assert waited == ["betting"]
    adds_up(show, me, 2)


async def phase_is(me: Somebody, phase: str, *, round_: int = 0) -> None:
    while me.bench.table.phase != phase or me.bench.table.round < round_:  # noqa: ASYNC110
        await asyncio.sleep(0.05)
