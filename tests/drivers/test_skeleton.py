"""The skeleton driver works: it is the one that people copy."""

from __future__ import annotations

from controller.table import commands, events
from drivers.skeleton import Pedal
from drivers.wire import messages
from simulators.other import Other
from tests.drivers.bench import Bench
from tests.drivers.people import DANA, driver, moment


def test_what_is_done_at_it_reaches_the_table() -> None:
    pedal = driver(Pedal)
    assert pedal.heard(messages.Reading("pressed", "short"), moment()) == [
        events.LockOutPressed(at=1000, by=DANA)
    ]
    assert pedal.heard(messages.Fault("sensor", "bent"), moment()) == [
        events.DeviceFaulted(at=1000, device="pedal", nature="sensor: bent")
    ]
    assert pedal.heard(messages.FaultCleared("sensor"), moment()) == [
        events.DeviceRecovered(at=1000, device="pedal", nature="sensor")
    ]
    assert not pedal.heard(messages.Reading("pressed", "twice"), moment())


def test_it_says_nothing_that_only_a_panel_says() -> None:
    [event] = driver(Pedal).heard(messages.Pressed("void"), moment())
    assert isinstance(event, events.DeviceFaulted)
    assert event.nature == "it said 'pressed': no pedal does"


def test_its_lamp_is_lit_while_it_may_be_pressed_also_when_it_was_away() -> None:
    pedal, device = driver(Pedal), Other("pedal")
    bench = Bench.of((pedal, device))
    bench.connected()
    bench.order(commands.Unlock(seat=1, device="acceptor"))
    bench.until(lambda: device.shown == {"lamp": "on"})
    for order in (
        commands.Unlock(seat=2, device="acceptor"),
        commands.Lock(seat=1, device="acceptor", withheld=True),
    ):
        assert not pedal.told(order)
    device.restart()
    bench.until(lambda: device.shown == {"lamp": "off"})
    bench.order(commands.Unlock(seat=1, device="acceptor"))
    bench.until(lambda: device.shown == {"lamp": "on"})
    device.read("pressed", "short")
    bench.run(1)
    assert bench.heard() == [events.LockOutPressed(at=0, by=DANA)]
    assert not device.errors


def test_one_that_calls_itself_otherwise_is_turned_away() -> None:
    bench = Bench.of((driver(Pedal), Other("footrest")))
    bench.run(3)
    [attachment] = bench.attachments
    assert attachment.health(bench.now).reason == "it is a footrest, not a pedal"
