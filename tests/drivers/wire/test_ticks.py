"""Whole microseconds, never early, and the same again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drivers.wire.ticks import tick


@given(st.floats(0, 1e8))
def test_a_tick_is_never_early_and_at_most_a_microsecond_late(now: float) -> None:
    made = tick(now)
    assert now <= made <= now + 1.1e-6


@given(st.integers(0, 10**14))
def test_a_whole_microsecond_stays_what_it_is(micros: int) -> None:
    assert tick(micros / 1e6) == micros / 1e6
    assert tick(tick(micros / 1e6)) == micros / 1e6


@given(st.integers(0, 10**13), st.integers(0, 10**9))
def test_a_log_gives_back_the_very_time(start: int, later: int) -> None:
    began, now = start / 1e6, (start + later) / 1e6
    assert (start + round((now - began) * 1e6)) / 1e6 == now
