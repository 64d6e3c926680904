"""felt ended and another one took over: what the device has kept, and for whom it was said."""

from __future__ import annotations

import pytest

from controller.table import commands, events
from drivers.acceptor import Acceptor
from drivers.shoe import Shoe
from drivers.wire import handshake, messages
from simulators.shoe import Shoe as SimulatedShoe
from simulators.tabletop import TableTop
from tests.drivers.bench import Bench
from tests.drivers.people import driver, moment

ARMED = commands.ArmShoe(round=7, stacks=(5, 5))


def loaded() -> SimulatedShoe:
    top = TableTop()
    top.bring("A")
    top.put_into_shoe("A")
    return SimulatedShoe(top)


def kept(shoe: SimulatedShoe, message: messages.Event, bench: Bench) -> None:
    """It says something right before felt ends: nobody acknowledges it."""
    shoe.tell(message)
    assert shoe.responder.unacknowledged
    bench.lanes[0].cut(bench.now)


@pytest.mark.rule("R10")
def test_a_word_from_before_the_order_is_no_answer_about_it() -> None:
    shoe = loaded()
    first = Bench.of((driver(Shoe), shoe))
    first.connected()
    first.order(ARMED, commands.Dispense(round=7, number=1, cards=5, to=1))
    first.until(lambda: messages.Dispense(7, 1, 5) in shoe.done)
    # Asked by the first felt before the stack was out; the second must not take it for its answer.
    kept(shoe, messages.ShoeState(7, 0, 0, 52, 0), first)
    shoe.advance(first.now + 5)
    assert [number for _, number, _ in shoe.given] == [1]
    second = Bench.of((driver(Shoe), shoe))
    second.now = first.now + 5
    # On this bench all say the same hello first, and the shoe takes that for an echo.
    second.lanes[0].out.cut()
    second.run(0.3)
    second.lanes[0].out.restore()
    second.connected()
    assert second.heard(events.ShoeReported) == [
        events.ShoeReported(at=0, last=1, cards=5, round=7, inside=47)
    ]
    # What happened is news all the same.
    assert second.heard(events.StackDispensed) == [
        events.StackDispensed(at=0, number=1, cards=5, lies=True)
    ]


def test_what_is_said_after_the_hello_counts_for_whoever_said_it() -> None:
    shoe = loaded()
    bench = Bench.of((driver(Shoe), shoe))
    bench.connected()
    assert bench.heard(events.ShoeReported) == [
        events.ShoeReported(at=0, last=0, cards=0, round=0, inside=52)
    ]


def test_an_old_reading_of_an_open_lock_is_no_fault() -> None:
    acceptor = driver(Acceptor, seat=3)
    acceptor.told(commands.Unlock(seat=3, device="acceptor"))
    acceptor.answered(messages.Unlock(), "done", "", moment())
    # Open when it is asked, and locked before it comes to say so: it has a lot to say first.
    acceptor.answered(messages.Report(), "done", "", moment())
    acceptor.told(commands.Lock(seat=3, device="acceptor"))
    [confirmed] = acceptor.answered(messages.Lock(), "done", "", moment())
    assert isinstance(confirmed, events.LockConfirmed)
    assert not acceptor.heard(messages.LockState(False), moment())
    # Only that one was still to come: the next is how it stands.
    [fault] = acceptor.heard(messages.LockState(False), moment())
    assert isinstance(fault, events.DeviceFaulted)


def test_a_restart_forgets_the_readings_that_were_to_come() -> None:
    acceptor = driver(Acceptor, seat=3)
    acceptor.answered(messages.Report(), "done", "", moment())
    acceptor.restarted()
    acceptor.told(commands.Lock(seat=3, device="acceptor"))
    acceptor.answered(messages.Lock(), "done", "", moment())
    assert acceptor.heard(messages.LockState(False), moment())


@pytest.mark.parametrize(
    ("capabilities", "last"),
    [
        ("", 0),
        ("counts", 0),
        ("kept:57", 57),
        ("counts kept:3 more", 3),
        ("kept:", 0),
        ("kept:x", 0),
    ],
)
def test_how_much_was_kept(capabilities: str, last: int) -> None:
    assert handshake.kept(identity(capabilities)) == last


def test_a_device_that_has_kept_nothing_says_nothing_of_it() -> None:
    assert handshake.with_kept("counts", 8) == "counts kept:8"
    assert handshake.with_kept("", 8) == "kept:8"
    assert SimulatedShoe(TableTop()).responder.identity.capabilities == ""


def identity(capabilities: str) -> handshake.Identity:
    made = SimulatedShoe(TableTop()).responder.identity
    return handshake.Identity(
        protocol=made.protocol,
        kind=made.kind,
        model=made.model,
        serial_number=made.serial_number,
        firmware=made.firmware,
        boot=made.boot,
        capabilities=capabilities,
        nonce=made.nonce,
    )
