"""Wires do to bytes what their names say, the same for the same seed."""

from __future__ import annotations

from itertools import pairwise

from simulators.faults import Fault
from simulators.wires import MAX_ON_THEIR_WAY, WIRES, Wire

FRAMES = [bytes([n]) * 4 for n in range(1, 101)]


def through(wire: Wire, seconds: int = 200) -> list[bytes]:
    """A frame each second, and whatever comes out."""
    out = []
    for now in range(seconds):
        if now < len(FRAMES):
            wire.put(FRAMES[now], now)
        out += wire.take(now)
    return out


def test_a_plain_wire_changes_nothing() -> None:
    assert through(WIRES["plain"](1)) == FRAMES


def test_single_bytes_are_all_there_in_order() -> None:
    out = through(WIRES["one byte at a time"](1))
    assert {len(data) for data in out} == {1}
    assert b"".join(out) == b"".join(FRAMES)


def test_losses_are_about_a_fifth_and_the_same_each_time() -> None:
    out = through(WIRES["20% loss"](1))
    assert 60 < len(out) < 95
    assert out == through(WIRES["20% loss"](1)) != through(WIRES["20% loss"](2))
    assert out == sorted(out)


def test_duplicates_are_beside_what_they_double() -> None:
    out = through(WIRES["duplicates"](1))
    assert 110 < len(out) < 150
    assert sorted(set(out)) == FRAMES
    assert out == sorted(out)


def test_delays_keep_the_order() -> None:
    wire = Wire(Fault("slow", 5.0), seed=1)
    assert through(wire) == FRAMES
    wire.put(b"late", 300)
    assert wire.wakes_at(300) >= 300


def test_writes_that_wait_for_each_other_come_together() -> None:
    wire = Wire(Fault("merged", 1.0))
    wire.put(b"a", 0.25)
    wire.put(b"b", 0.5)
    assert wire.take(0.75) == []
    assert wire.take(1.0) == [b"ab"]


def test_noise_changes_one_bit() -> None:
    wire = Wire(Fault("noise", 1.0), seed=1)
    wire.put(bytes(8), 0)
    [data] = wire.take(0)
    assert sum(byte.bit_count() for byte in data) == 1


def test_a_cut_loses_what_was_on_its_way() -> None:
    wire = Wire(Fault("slow", 10.0))
    wire.put(b"a", 0)
    wire.cut()
    wire.put(b"b", 1)
    wire.restore()
    wire.put(b"c", 2)
    assert wire.take(100) == [b"c"]


def test_an_unplugged_cable_comes_back_by_itself() -> None:
    wire = Wire(Fault("unplug", 5.0, at=10))
    out = through(wire)
    gone = [FRAMES.index(one) for one in FRAMES if one not in out]
    assert gone == [10, 11, 12, 13, 14]
    assert all(a < b for a, b in pairwise(out))


def test_a_wire_holds_so_much_and_no_more() -> None:
    wire = Wire(Fault("split"))
    wire.put(bytes(2 * MAX_ON_THEIR_WAY), 0)
    assert len(wire.take(0)) == MAX_ON_THEIR_WAY
