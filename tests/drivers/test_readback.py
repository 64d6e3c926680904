"""Readings against orders: late ones are no news, wrong ones are."""

from __future__ import annotations

from drivers.readback import ReadBack


def lamp(*told: str) -> ReadBack[str]:
    one: ReadBack[str] = ReadBack()
    for value in told:
        one.told(value)
    return one


def test_a_reading_is_judged_when_it_is_the_last_to_come() -> None:
    one = lamp("on", "off", "on")
    for _ in range(3):
        one.answered()
    one.asked()
    assert [one.read(value) for value in ("on", "off", "on", "on")] == [
        "no news",
        "no news",
        "no news",
        "as told",
    ]
    assert one.read("off") == "different"
    assert one.read("on") == "as told"


def test_while_an_order_is_out_no_reading_is_news() -> None:
    one = lamp("on")
    assert one.read("off") == "no news"
    one.answered()
    # That reading was quicker than the answer to its order.
    assert one.read("off") == "different"


def test_a_reading_after_an_order_that_nobody_answered_for_may_be_an_old_one() -> None:
    one = lamp("on", "off")
    one.answered()
    one.unclear()
    assert not one.wants_to_know()
    assert one.read("on") == "no news"
    # It is not excused: the device is asked, and what it says to that is judged.
    assert one.wants_to_know()
    assert not one.wants_to_know()
    one.asked()
    assert one.read("on") == "different"
    assert one.read("off") == "as told"


def test_once_it_shows_what_it_was_told_nothing_is_in_doubt() -> None:
    one = lamp("on", "off")
    one.answered()
    one.unclear()
    assert one.read("off") == "as told"
    assert one.read("on") == "different"


def test_a_restart_forgets_the_readings() -> None:
    one = lamp("on")
    one.answered()
    one.restarted()
    assert one.read("off") == "different"
