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
        one.answered("done")
    one.asked("done")
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
    one.answered("done")
    # That reading was quicker than the answer to its order.
    assert one.read("off") == "different"


def test_a_reading_after_an_order_that_nobody_answered_for_may_be_an_old_one() -> None:
    one = lamp("on", "off")
    one.answered("done")
    one.unclear()
    assert not one.wants_to_know()
    assert one.read("on") == "no news"
    # It is not excused: the device is asked, and what it says to that is judged.
    assert one.wants_to_know()
    assert not one.wants_to_know()
    one.asked("done")
    assert one.read("on") == "different"
    assert one.read("off") == "as told"


def test_once_it_shows_what_it_was_told_nothing_is_in_doubt() -> None:
    one = lamp("on", "off")
    one.answered("done")
    one.unclear()
    assert one.read("off") == "as told"
    assert one.read("on") == "different"


def test_a_restart_forgets_the_readings() -> None:
    one = lamp("on")
    one.answered("done")
    one.restarted()
    assert one.read("off") == "different"


def test_a_refused_order_that_is_not_read_back_does_not_excuse_later_readings() -> None:
    one = lamp("on", "blink")
    one.answered("refused")
    one.answered("refused")
    one.told("off")
    one.answered("done")
    assert one.read("off") == "as told"
    assert one.read("on") == "different"


def test_the_readings_of_refused_orders_are_how_it_stands() -> None:
    one = lamp("on")
    one.answered("refused")
    one.told("blink")
    one.answered("refused")
    assert [one.read("off"), one.read("off")] == ["no news", "different"]
    assert not one.wants_to_know()


def test_a_reading_after_a_refused_order_and_another_one_may_be_of_either() -> None:
    one = lamp("on")
    one.answered("refused")
    one.told("blink")
    one.answered("done")
    assert one.read("off") == "no news"
    assert one.wants_to_know()
    one.asked("done")
    assert one.read("off") == "different"
    # And if it was of the refused one, nothing is wrong.
    one.told("on")
    one.answered("refused")
    one.told("blink")
    one.answered("done")
    assert one.read("off") == "no news"
    assert one.read("blink") == "as told"


def test_what_was_lost_is_not_awaited() -> None:
    one = lamp("on", "off", "on")
    for _ in range(3):
        one.answered("done")
    # More than can have been of these, and yet only these.
    one.may_not_come(70)
    assert one.read("on") == "as told"
    assert one.read("off") == "different"


def test_what_may_not_come_is_awaited_as_long_as_more_must_come() -> None:
    one = lamp("on", "off", "on")
    for _ in range(3):
        one.answered("done")
    one.may_not_come()
    assert [one.read(value) for value in ("on", "off", "on")] == ["no news", "no news", "as told"]
    assert one.wants_to_know()


def test_a_device_that_does_not_say_how_it_stands_is_judged_by_its_next_reading() -> None:
    one = lamp("on")
    one.asked("unknown")
    one.answered("done")
    assert one.read("on") == "as told"
    assert one.read("off") == "different"
