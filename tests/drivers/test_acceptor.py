"""The acceptor's driver: wagers, the lock and the lamp of one seat."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from controller.table import commands, events
from drivers.acceptor import Acceptor
from drivers.contract import Settings
from drivers.device import BadSettings
from drivers.wire import messages
from drivers.wire.messages import LampRead, LateWager, LockState, Wager
from simulators import acceptor as simulated
from simulators.tabletop import TableTop
from tests.drivers.bench import Bench
from tests.drivers.people import driver, moment, seal

LOCK = commands.Lock(seat=3, device="acceptor")
BACK = commands.ReturnWager(seat=3, wager="progressive", cents=100, to="layout")
UNLOCK = commands.Unlock(seat=3, device="acceptor")


def acceptor(**options: str | int) -> Acceptor:
    return driver(Acceptor, 3, "progressive", **options)


def is_done(one: Acceptor, message: messages.Command) -> list[events.Event]:
    return [*one.answered(message, "done", "", moment())]


def opened() -> Acceptor:
    one = acceptor()
    one.told(UNLOCK)
    is_done(one, messages.Unlock())
    return one


def test_one_chip_of_several_goes_back_by_its_name() -> None:
    one = acceptor()
    [told] = one.told(replace(BACK, chip="acceptor-3:7:12"))
    assert told.message == messages.GiveBack(7, 12, 100)
    # In the queue of the locks, like a return.
    assert told.urgent
    for outcome in ("refused", "unknown"):
        [event] = one.answered(told.message, outcome, "", moment())
        assert isinstance(event, events.DeviceFaulted)
        assert "it did not give back 100 cents: give them back by hand" in event.nature
    assert not one.answered(told.message, "done", "", moment())
    [event] = one.unclear(told.message, moment())
    assert isinstance(event, events.DeviceFaulted)
    # A chip that nobody can name is no acceptor's.
    [told] = one.told(replace(BACK, chip=""))
    assert told.message == messages.GiveBack(0, 0, 100)


def test_a_chip_that_it_gives_back_unasked_is_a_fault() -> None:
    one = acceptor()
    one._boot = 7
    assert not one.heard(messages.Returned((12, 13), "dealer"), moment())
    [fault] = one.heard(messages.Returned((12,), "player"), moment())
    assert isinstance(fault, events.DeviceFaulted)
    assert fault.nature == "it gave back a chip that nobody ordered back"
    one.told(replace(BACK, chip="acceptor-3:7:12"))
    assert not one.heard(messages.Returned((12,), "player"), moment())
    # The accepted one beside it stays.
    assert one.heard(messages.Returned((13,), "player"), moment())
    one.told(BACK)
    assert not one.heard(messages.Returned((13, 14), "player"), moment())
    one.told(commands.Unlock(seat=3, device="acceptor"))
    assert one.heard(messages.Returned((14,), "player"), moment())


def test_it_has_a_seat() -> None:
    with pytest.raises(BadSettings, match="needs the number of its seat"):
        Acceptor(Settings("acceptor 3"), seal)


def test_a_wager_at_its_seat() -> None:
    one = opened()
    assert one.heard(Wager("", 100), moment()) == [
        events.WagerPlaced(at=1000, seat=3, wager="progressive", amount=100)
    ]
    assert one.heard(Wager("progressive", 100, "coupon"), moment()) == [
        events.WagerPlaced(
            at=1000, seat=3, wager="progressive", amount=100, tender="progressive coupon"
        )
    ]
    assert one.heard(messages.WagerRemoved("progressive"), moment()) == [
        events.WagerTakenBack(at=1000, seat=3, wager="progressive", out=True)
    ]
    assert not one.heard(messages.ChipsReturned(1), moment())


def test_another_wager_than_the_one_it_should_take_is_a_fault() -> None:
    [event] = opened().heard(Wager("bonus", 100), moment())
    assert event == events.DeviceFaulted(
        at=1000, device="acceptor 3", nature="it takes 'bonus' where 'progressive' is played"
    )


def test_what_came_after_the_lock_came_late() -> None:
    one = opened()
    one.told(LOCK)
    # Sensed and told before the lock reached it: the order of events decides.
    assert one.heard(Wager("", 100), moment()) == [
        events.WagerCameLate(
            at=1000,
            seat=3,
            wager="progressive",
            amount=100,
            sensed="before the lock",
            given_back=False,
        )
    ]
    assert one.heard(LateWager("", 100, "after the lock"), moment()) == [
        events.WagerCameLate(at=1000, seat=3, wager="progressive", amount=100, given_back=True)
    ]
    back = commands.ReturnWager(seat=3, wager="progressive", cents=100, to="layout")
    assert [told.message for told in one.told(back)] == [messages.Return(100)]


def test_one_that_gives_nothing_back_is_not_asked_to() -> None:
    back = commands.ReturnWager(seat=3, wager="progressive", cents=100, to="layout")
    assert not driver(Acceptor, 3, "progressive", returns=False).told(back)
    assert not acceptor().told(commands.ReturnWager(seat=3, wager="ante", cents=100, to="layout"))


def test_whether_chips_came_back_is_looked_into() -> None:
    [event] = acceptor().unclear(messages.Return(100), moment())
    assert isinstance(event, events.DeviceFaulted)


def test_a_lock_comes_before_everything_and_is_confirmed() -> None:
    one = opened()
    [told] = one.told(LOCK)
    assert told.message == messages.Lock()
    assert told.urgent
    confirmed = events.LockConfirmed(at=1000, seat=3, device="acceptor")
    assert is_done(one, messages.Lock()) == [confirmed]
    assert not one.heard(LockState(True), moment())
    # Orders for others.
    assert not one.told(commands.Lock(seat=4, device="acceptor"))
    assert not one.told(commands.Lock(seat=3, device="terminal"))


def test_a_lock_that_takes_its_time_is_confirmed_when_it_is_read() -> None:
    one = opened()
    one.told(LOCK)
    assert not one.answered(messages.Lock(), "accepted", "", moment())
    [event] = one.heard(LockState(True), moment())
    assert isinstance(event, events.LockConfirmed)


def test_a_lock_that_is_refused_is_a_fault() -> None:
    one = opened()
    one.told(LOCK)
    [event] = one.answered(messages.Lock(), "refused", "stuck", moment())
    assert isinstance(event, events.DeviceFaulted)


def test_only_the_last_order_confirms_the_lock() -> None:
    one = acceptor()
    one.configure()
    one.told(UNLOCK)
    one.told(LOCK)
    assert not is_done(one, messages.Lock())
    assert not is_done(one, messages.Unlock())
    [event] = is_done(one, messages.Lock())
    assert isinstance(event, events.LockConfirmed)


def test_one_that_never_answered_confirms_when_it_is_back() -> None:
    one = opened()
    one.told(LOCK)
    assert not one.unclear(messages.Lock(), moment())
    assert one.configure()[0].message == messages.Lock()
    [event] = is_done(one, messages.Lock())
    assert isinstance(event, events.LockConfirmed)


def test_one_that_comes_back_while_betting_is_open_confirms_nothing() -> None:
    one = opened()
    one.configure()
    assert not one.heard(messages.WentSafe(), moment())
    assert not is_done(one, messages.Lock())
    assert not one.heard(LockState(True), moment())


@pytest.mark.parametrize("said", [messages.WentSafe(), LockState(True)])
def test_one_that_locked_itself_was_as_good_as_away(said: messages.Event) -> None:
    one = opened()
    assert one.heard(said, moment()) == [
        events.DeviceWentOffline(at=1000, device="acceptor 3"),
        events.DeviceCameOnline(at=1000, device="acceptor 3"),
    ]
    assert not one.heard(said, moment())
    # Opened again, it does it again: now it stays away, and somebody must look.
    one.told(UNLOCK)
    assert one.heard(said, moment()) == [
        events.DeviceWentOffline(at=1000, device="acceptor 3"),
        events.DeviceFaulted(at=1000, device="acceptor 3", nature="it keeps locking itself"),
    ]


def test_one_that_is_open_after_the_lock_is_at_fault() -> None:
    one = opened()
    one.told(LOCK)
    assert not one.heard(LockState(False), moment())
    is_done(one, messages.Lock())
    [event] = one.heard(LockState(False), moment())
    assert event == events.DeviceFaulted(
        at=1000, device="acceptor 3", nature="it is open although it was told to lock"
    )


def test_the_lamp_is_read_back() -> None:
    one = acceptor()
    for lamp in ("invite", "off"):
        [told] = one.told(commands.SetLamp(seat=3, lamp=lamp))
        assert told.message == messages.SetLamp(lamp)
        is_done(one, told.message)
    assert not one.heard(LampRead("invite"), moment())  # replaced meanwhile
    for read in ("off", "placed", "invite"):
        assert one.heard(LampRead(read), moment()) == [events.LampRead(at=1000, seat=3, lamp=read)]
    assert not one.answered(messages.SetLamp("off"), "unknown", "it has no lamp", moment())
    [event] = one.answered(messages.SetLamp("off"), "refused", "", moment())
    assert isinstance(event, events.DeviceFaulted)


@pytest.mark.rule("R15")
def test_no_lock_overtakes_what_goes_back() -> None:
    """Locked first, the acceptor would let the chip roll to the dealer."""
    top = TableTop()
    top.fund("player 3", 100)
    device = simulated.Acceptor(top, seat=3, seed=1)
    bench = Bench.of((acceptor(), device))
    bench.connected()
    bench.order(UNLOCK)
    bench.until(lambda: not device.is_locked)
    device.insert(100)
    bench.until(lambda: device.inside)
    bench.order(commands.SetLamp(seat=3, lamp="off"), BACK, LOCK)
    bench.until(lambda: device.is_locked)
    assert top.money["player 3"] == 100
    assert not device.rolled


@pytest.mark.parametrize("outcome", ["refused", "unknown"])
def test_what_it_does_not_give_back_people_do(outcome: Any) -> None:
    one = acceptor()
    [told] = one.told(BACK)
    [event] = one.answered(told.message, outcome, "its box is shut", moment())
    assert isinstance(event, events.DeviceFaulted)
    assert event.nature == (
        "it did not give back 100 cents (its box is shut): give them back by hand"
    )


@pytest.mark.rule("R13")
def test_a_lamp_that_differs_after_a_lost_answer_is_asked_about() -> None:
    """The old reading of the lost order, or a dark lamp: only its own word tells them apart."""
    one = acceptor()
    for lamp in ("invite", "accepted"):
        one.told(commands.SetLamp(seat=3, lamp=lamp))
    one.unclear(messages.SetLamp("invite"), moment())
    is_done(one, messages.SetLamp("accepted"))
    assert not one.heard(LampRead("off"), moment())
    [asked] = one.asks()
    assert asked.message == messages.Report()
    assert not one.asks()
    is_done(one, messages.Report())
    dark = events.LampRead(at=1000, seat=3, lamp="off")
    assert one.heard(LampRead("off"), moment()) == [dark]


@pytest.mark.rule("R13")
def test_a_report_of_what_it_lit_by_itself_is_not_awaited_for_ever() -> None:
    """It was asked how it stands when a chip had just been put in: its lamp was no order's."""
    one = acceptor()
    is_done(one, messages.Report())
    assert not one.heard(LampRead("placed"), moment())
    is_done(one, *(told.message for told in one.told(commands.SetLamp(seat=3, lamp="accepted"))))
    for read in ("accepted", "off"):
        assert one.heard(LampRead(read), moment()) == [events.LampRead(at=1000, seat=3, lamp=read)]


@pytest.mark.rule("R13")
def test_readings_that_were_lost_are_not_awaited() -> None:
    one = acceptor()
    for lamp in ("invite", "accepted"):
        is_done(one, *(told.message for told in one.told(commands.SetLamp(seat=3, lamp=lamp))))
        one.missed(3)
    assert not one.heard(LampRead("off"), moment())
    [asked] = one.asks()
    is_done(one, asked.message)
    assert one.heard(LampRead("off"), moment()) == [events.LampRead(at=1000, seat=3, lamp="off")]


class _Talkative(simulated.Acceptor):
    """It has more to say than it keeps, just when an order comes that it should read back."""

    def obey(self, command: messages.Command) -> Any:
        if command == messages.SetLamp("invite"):
            for _ in range(100):
                self.tell(messages.ChipsReturned(0))
        return super().obey(command)


@pytest.mark.rule("R13")
def test_a_lamp_is_judged_again_when_its_reading_was_among_the_lost() -> None:
    device = _Talkative(TableTop(), seat=3, seed=1)
    bench = Bench.of((acceptor(), device))
    bench.connected()
    bench.order(commands.SetLamp(seat=3, lamp="invite"))
    bench.run(30)
    # The gap is seen at the next event after it.
    bench.order(commands.SetLamp(seat=3, lamp="accepted"))
    bench.run(1)
    [fault] = bench.heard(events.DeviceFaulted)
    assert isinstance(fault, events.DeviceFaulted)
    assert fault.nature == "37 of its events never arrived"
    device.tell(LampRead("off"))
    bench.run(1)
    read = [events.LampRead(at=0, seat=3, lamp=lamp) for lamp in ("accepted", "off")]
    assert bench.heard(events.LampRead)[-2:] == read
