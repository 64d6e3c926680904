"""How much a device may tell, and for how long it is not listened to beyond that."""

from __future__ import annotations

import json
from itertools import pairwise

from drivers.pace import AT_ONCE, FIRST_PAUSE_S, FORGIVEN_S, LONGEST_PAUSE_S, PER_S, Pace


def flooded(pace: Pace, now: float) -> float:
    """It tells without end until it is muted; when that ends."""
    while pace.tells(now):
        now += 0.001
    assert pace.muted_until is not None
    return pace.muted_until


def test_what_was_kept_may_come_at_once_and_a_busy_table_is_no_flood() -> None:
    pace = Pace()
    assert all(pace.tells(0.0) for _ in range(AT_ONCE))
    pace = Pace()
    assert all(pace.tells(n / PER_S) for n in range(10_000))
    assert pace.times == 0


def test_a_flood_is_muted_ever_longer_and_forgiven_after_quiet() -> None:
    pace, now = Pace(), 100.0
    pauses = []
    for _ in range(6):
        until = flooded(pace, now)
        assert not pace.listens(until - 0.01)
        assert not pace.tells(until - 0.01)
        pauses.append(until)
        assert pace.listens(until)
        now = until
    gaps = [b - a for a, b in pairwise(pauses)]
    assert [round(gap) // 10 for gap in gaps] == [1, 2, 4, 6, 6]
    assert gaps[-1] < LONGEST_PAUSE_S + 5
    assert pace.times == 6
    quiet = now + FORGIVEN_S + 1
    assert flooded(pace, quiet) - quiet < FIRST_PAUSE_S + 5


def test_it_is_remembered() -> None:
    pace = Pace()
    until = flooded(pace, 10.0)
    again = Pace()
    again.recall(json.loads(json.dumps(pace.memory())))
    assert (again.muted_until, again.times) == (until, 1)
    assert not again.listens(until - 1)
