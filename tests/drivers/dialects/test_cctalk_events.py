"""From two readings of an acceptor's events: what happened in between."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.dialects.cctalk_events import (
    FAULTS,
    NOTHING,
    ORDINARY,
    Readings,
    Result,
    Since,
    inhibited_coin,
    since,
)
from simulators.cctalk import CoinAcceptor

COIN = Result(3, 1)


def readings(counter: int, *results: Result) -> Readings:
    return Readings(counter, (*results, *[NOTHING] * 5)[:5])


def test_a_manual_s_example() -> None:
    data = bytes([6, 6, 4, 0, 20, 0, 23, 6, 4, 13, 2])
    assert Readings.of(data) == Readings(
        6, (Result(6, 4), Result(0, 20), Result(0, 23), Result(6, 4), Result(13, 2))
    )


@pytest.mark.parametrize(
    ("before", "now", "happened"),
    [
        (readings(0), readings(0), Since(())),
        (readings(0), readings(1, COIN), Since((COIN,))),
        (readings(4, COIN), readings(4, COIN), Since(())),
        (
            readings(254, COIN),
            readings(1, Result(2, 1), Result(1, 1), COIN),
            Since((Result(1, 1), Result(2, 1))),
        ),
        (readings(0), readings(7, *[COIN] * 5), Since((COIN,) * 5, missed=2)),
        (readings(9, *[COIN] * 5), readings(16, *[COIN] * 5), Since((COIN,) * 5, missed=2)),
        (readings(255, *[COIN] * 5), readings(6, *[COIN] * 5), Since((COIN,) * 5, missed=1)),
        # It began anew: at 0, or already counting.
        (readings(9, *[COIN] * 5), readings(0), Since((), restarted=True)),
        (readings(9, *[COIN] * 5), readings(2, COIN, COIN), Since((COIN, COIN), restarted=True)),
        (
            readings(1, Result(1, 1)),
            readings(2, Result(2, 1), Result(3, 1)),
            Since((Result(3, 1), Result(2, 1)), restarted=True),
        ),
        (readings(1, Result(1, 1)), readings(1, COIN), Since((COIN,), restarted=True)),
    ],
)
def test_between_two_readings(before: Readings, now: Readings, happened: Since) -> None:
    assert since(before, now) == happened


#: So many events between two readings, each a coin or a code.
happening = st.tuples(st.integers(0, 16), st.integers(1, 40)).map(lambda pair: Result(*pair))


@given(rounds=st.lists(st.lists(happening, max_size=9), max_size=80))
def test_every_event_is_told_once_or_counted_as_missed(rounds: list[list[Result]]) -> None:
    acceptor = CoinAcceptor()
    before = Readings()
    for happened in rounds:
        for result in happened:
            acceptor.happen(*result)
        now = Readings(acceptor.counter, tuple(Result(*pair) for pair in acceptor.results))
        assert since(before, now) == Since(
            tuple(happened[-5:]), missed=max(0, len(happened) - 5), restarted=False
        )
        before = now


@given(data=st.binary(min_size=22, max_size=22))
def test_any_two_readings_can_be_compared(data: bytes) -> None:
    found = since(Readings.of(data[:11]), Readings.of(data[11:]))
    assert len(found.results) <= 5
    assert 0 <= found.missed <= 255


def test_every_code_is_either_ordinary_a_fault_or_an_inhibited_coin() -> None:
    assert not ORDINARY & FAULTS.keys()
    assert set(range(41)) == {code for code in ORDINARY | FAULTS.keys() if code <= 40}
    assert [inhibited_coin(code) for code in (127, 128, 159, 160)] == [None, 1, 32, None]
