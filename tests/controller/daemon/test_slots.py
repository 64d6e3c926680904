"""Room at the socket, by user; how fast one is answered; and what is too much for a request."""

from __future__ import annotations

from typing import Any

import pytest

from controller.daemon.bounds import MAX_ITEMS, MAX_TEXT, beyond
from controller.daemon.pace import A_SECOND, BURST, Pace
from controller.daemon.peers import Peer
from controller.daemon.proofs import Caller
from controller.daemon.slots import EACH, EACH_LOOKING, FOR_ROOT, LOOKING, MOST, POOL, Slot, Slots
from controller.table.people import Role

EVE, PIT, CONSOLE, BOSS = 2001, 2002, 2003, 2004


def comes(slots: Slots, uid: int, *may: Role, trusted: bool = False) -> Slot | str:
    peer = Peer(1, uid, frozenset())
    return slots.take(peer, Caller(f"user {uid}", frozenset(may)), trusted=trusted or uid == 0)


def test_one_user_has_a_part_and_the_rest_is_everybody_elses() -> None:
    slots = Slots()
    taken = [comes(slots, EVE, "dealer") for _ in range(64)]
    assert sum(isinstance(one, Slot) for one in taken) == EACH
    assert "8 connections of 2001 are open; close one of them" in str(taken[-1])
    assert isinstance(comes(slots, PIT, "dealer"), Slot)
    assert isinstance(taken[0], Slot)
    slots.leave(taken[0])
    assert isinstance(comes(slots, EVE, "dealer"), Slot)


def test_who_may_only_look_never_crowds_out_who_acts() -> None:
    slots = Slots()
    looking = [comes(slots, uid) for uid in range(3000, 3020) for _ in range(10)]
    assert sum(isinstance(one, Slot) for one in looking) == LOOKING
    assert sum(isinstance(one, Slot) for one in looking[:10]) == EACH_LOOKING
    assert isinstance(comes(slots, PIT, "dealer"), Slot)


def test_root_the_pages_and_each_supervisor_get_into_a_full_room() -> None:
    slots = Slots()
    for uid in range(3000, 3050):
        for _ in range(EACH):
            comes(slots, uid, "dealer")
    assert len(slots) == POOL
    assert "as many as there is room for; close one" in str(comes(slots, PIT, "dealer"))
    assert isinstance(comes(slots, CONSOLE, "dealer", trusted=True), Slot)
    assert isinstance(comes(slots, BOSS, "supervisor"), Slot)
    # One each: the place is not for somebody who is in already.
    assert isinstance(comes(slots, BOSS, "supervisor"), str)
    assert isinstance(comes(slots, BOSS + 1, "supervisor"), Slot)
    assert all(isinstance(comes(slots, 0, "dealer"), Slot) for _ in range(FOR_ROOT))
    assert isinstance(comes(slots, 0, "dealer"), str)
    for uid in range(4000, 4100):
        comes(slots, uid, "supervisor")
        comes(slots, CONSOLE, "dealer", trusted=True)
    assert len(slots) <= MOST


def test_who_asks_without_a_pause_waits_and_nobody_else_does() -> None:
    pace = Pace()
    waits = [pace.wait_s(EVE, 10.0) for _ in range(int(BURST) + 50)]
    assert waits[: int(BURST)] == [0.0] * int(BURST)
    assert waits[-1] == pytest.approx(50 / A_SECOND)
    assert pace.wait_s(PIT, 10.0) == 0.0
    assert pace.wait_s(EVE, 10.0 + 60) == 0.0
    for uid in range(10_000):
        pace.wait_s(uid, 70.0)
    assert pace.wait_s(EVE, 70.0) == 0.0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"seat": 10**4299}, "with.seat: a number is at most 9,223,372,036,854,775,807"),
        ({"seat": -(10**30)}, "with.seat: a number"),
        ({"cents": 1e300}, "with.cents: a number"),
        ({"reason": "x" * (MAX_TEXT + 1)}, "with.reason: a text is at most 2,048 characters"),
        ({"seats": list(range(MAX_ITEMS + 1))}, "with.seats: at most 256 at once, not 257"),
        ({str(n): n for n in range(MAX_ITEMS + 1)}, "with: at most 256 at once"),
        ({"a" * 65: 1}, "with: a name is at most 64"),
        ({"fields": {"x": [0, 10**40]}}, "with.fields.x[1]: a number"),
        ({"a": [[[[[[[[[1]]]]]]]]]}, "at most 8 deep"),
        ({"seat": 7, "cards": "As Kd", "lost": True, "second": {"id": "a"}, "no": None}, ""),
    ],
)
def test_what_is_too_much_is_named_with_its_place(given: dict[str, Any], said: str) -> None:
    found = beyond(given)
    assert said in found
    assert bool(found) is bool(said)
