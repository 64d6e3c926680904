"""The skeleton driver works: it is the one that people copy."""

from __future__ import annotations

from controller.table import commands, events
from drivers.skeleton import Pedal
from drivers.wire import messages
from tests.drivers.people import DANA, driver, moment


def test_a_press_and_a_fault_reach_the_table() -> None:
    pedal = driver(Pedal)
    assert pedal.heard(messages.Pressed("lock_out"), moment()) == (
        events.LockOutPressed(at=1000, by=DANA),
    )
    assert pedal.heard(messages.Fault("sensor", "bent"), moment()) == (
        events.DeviceFaulted(at=1000, device="panel", nature="sensor: bent"),
    )
    assert pedal.heard(messages.FaultCleared("sensor"), moment()) == (
        events.DeviceRecovered(at=1000, device="panel"),
    )
    assert not pedal.heard(messages.Pressed("deal"), moment())


def test_its_lamp_is_lit_while_it_may_be_pressed() -> None:
    pedal = driver(Pedal)
    [told] = pedal.told(commands.Unlock(seat=1, device="acceptor"))
    assert told.message == messages.Lights("on", "off", "off")
    [told] = pedal.told(commands.Lock(seat=1, device="acceptor"))
    assert told.message == messages.Lights("off", "off", "off")
    assert not pedal.told(commands.EnableDeal(enabled=True))
