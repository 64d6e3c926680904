"""The shuffler's driver: what a shuffler says and is told, word for word."""

from __future__ import annotations

import pytest

from controller.table import commands, events
from controller.table.events import Event
from drivers.contract import BadgeSeen
from drivers.shuffler import Shuffler
from drivers.wire import messages
from tests.drivers.people import driver, moment


def heard(shuffler: Shuffler, *said: messages.Event) -> list[Event | BadgeSeen]:
    return [event for one in said for event in shuffler.heard(one, moment())]


@pytest.mark.parametrize(
    ("said", "event"),
    [
        (messages.CycleStarted("A"), events.ShuffleStarted(at=1000, deck="A")),
        (messages.CycleCompleted("A", 51), events.ShuffleCompleted(at=1000, deck="A", count=51)),
        (messages.CycleCompleted("A", 255), events.ShuffleCompleted(at=1000, deck="A")),
        (messages.CycleFailed("A", "jam"), events.ShuffleFailed(at=1000, deck="A", nature="jam")),
        (messages.Mode("sort", "A"), events.ShufflerReported(at=1000, mode="sort", holds="A")),
        (messages.Mode("shuffle", ""), events.ShufflerReported(at=1000, mode="shuffle")),
        (messages.Game("Raise"), events.ShufflerSet(at=1000, game="Raise")),
        (messages.Hands(6), events.HandsCounted(at=1000, hands=6)),
        (
            messages.Door(True),
            events.DeviceFaulted(at=1000, device="shuffler", nature="its door is open"),
        ),
        (
            messages.Door(False),
            events.DeviceRecovered(at=1000, device="shuffler", nature="its door is open"),
        ),
        (
            messages.Fault("power", "24 V"),
            events.DeviceFaulted(at=1000, device="shuffler", nature="power: 24 V"),
        ),
    ],
)
def test_what_it_says(said: messages.Event, event: Event) -> None:
    assert heard(driver(Shuffler), said) == [event]


def test_sort_mode_is_recognised_however_it_is_told() -> None:
    shuffler = driver(Shuffler)
    found = heard(shuffler, messages.Mode("shuffle", "A"), messages.Fault("sort mode"))
    assert found[1] == events.ShufflerReported(at=1000, mode="sort", holds="A")


def test_a_cycle_whose_end_nobody_heard_is_incomplete() -> None:
    shuffler = driver(Shuffler)
    found = heard(
        shuffler,
        messages.CycleStarted("A"),
        messages.ShufflerState("idle", "shuffle", "A", 255, ""),
        messages.ShufflerState("idle", "shuffle", "A", 255, "Raise"),
    )
    assert [type(one).__name__ for one in found] == [
        "ShuffleStarted",
        "ShuffleFailed",
        "ShufflerReported",
        "ShufflerReported",
        "ShufflerSet",
    ]


def test_a_state_never_counts_as_a_shuffle() -> None:
    found = heard(driver(Shuffler), messages.ShufflerState("complete", "shuffle", "A", 52, ""))
    assert found == [events.ShufflerReported(at=1000, mode="shuffle", holds="A")]


def test_a_failed_cycle_and_its_fault_are_one_warning() -> None:
    shuffler = driver(Shuffler)
    found = heard(shuffler, messages.CycleFailed("A", "jam"), messages.Fault("jam"))
    assert [type(one) for one in found] == [events.ShuffleFailed]
    found = heard(shuffler, messages.FaultCleared("jam"), messages.Fault("jam"))
    assert [type(one) for one in found] == [events.DeviceRecovered, events.DeviceFaulted]


def test_what_can_be_no_event_is_a_fault() -> None:
    [event] = heard(driver(Shuffler), messages.CycleStarted("a deck with a long name"))
    assert isinstance(event, events.DeviceFaulted)
    assert "it said 'cycle_started' with what can't be" in event.nature
    [event] = heard(driver(Shuffler), messages.Pressed("deal"))
    assert isinstance(event, events.DeviceFaulted)
    assert event.nature == "it said 'pressed': no shuffler does"


def test_what_it_is_told() -> None:
    shuffler = driver(Shuffler, game="Raise")
    assert [one.message for one in shuffler.configure()] == [
        messages.SetWatchdog(3000),
        messages.SetGame("Raise"),
        messages.Report(),
    ]
    [told] = shuffler.told(commands.StartShuffle(deck="A"))
    assert told.message == messages.Shuffle("A")
    [told] = shuffler.told(commands.ShowColumn(wager="cover_all", column="3", pays=(300, 125, 40)))
    assert told.message == messages.ShowPayouts("cover_all", 3, (300, 125, 40))
    assert not shuffler.told(commands.EnableDeal(enabled=True))


def test_a_shuffle_that_is_refused_or_unclear_counts_for_nothing() -> None:
    shuffler = driver(Shuffler)
    order = messages.Shuffle("A")
    assert shuffler.answered(order, "accepted", "", moment()) == ()
    [event] = shuffler.answered(order, "refused", "door open", moment())
    assert isinstance(event, events.DeviceFaulted)
    assert event.nature == "it refused 'shuffle': door open"
    assert shuffler.unclear(order, moment()) == (
        events.ShuffleFailed(at=1000, deck="A", nature="incomplete"),
    )
    assert shuffler.unclear(messages.Report(), moment()) == ()
