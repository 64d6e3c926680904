"""Readings against orders: late ones are no news, wrong ones are."""

from __future__ import annotations

from drivers.readback import MAX_AWAITED, ReadBack


def test_readings_are_matched_with_orders_in_their_turn() -> None:
    lamp: ReadBack[str] = ReadBack()
    assert lamp.read("off") == "different"
    for value in ("invite", "off", "invite"):
        lamp.told(value)
    assert [lamp.read(value) for value in ("invite", "off", "invite")] == [
        "superseded",
        "superseded",
        "as told",
    ]
    assert lamp.read("invite") == "as told"
    assert lamp.read("off") == "different"


def test_a_reading_that_never_came_holds_nothing_up() -> None:
    lamp: ReadBack[str] = ReadBack()
    lamp.told("invite")
    lamp.told("off")
    assert lamp.read("off") == "as told"
    assert lamp.read("invite") == "different"


def test_it_remembers_so_many_and_forgets_when_told() -> None:
    meter: ReadBack[int] = ReadBack()
    for value in range(MAX_AWAITED + 1):
        meter.told(value)
    assert meter.read(0) == "different"
    assert meter.read(1) == "superseded"
    meter.forget()
    assert meter.read(2) == "different"
    assert meter.read(MAX_AWAITED) == "as told"
