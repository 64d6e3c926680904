"""Recorded devices that speak Modbus and ccTalk, played to a felt that runs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from controller.technician.asked import AskedDevice
from controller.technician.orders import Orders
from controller.technician.script import Ordered, Part, Script, Shows, Spoils
from drivers.contract import Settings
from drivers.dialects import rtu
from drivers.dialects.modbus import Wiring, panel_line
from drivers.dialects.other_end import ModbusEnd, Request
from drivers.wire.notices import Heard, Identified
from simulators.cctalk import Faults
from tests.controller.technician.playing_to import played, taken
from tests.controller.technician.shelf import Shelf, recorded

# --- Against a real felt --------------------------------------------------------


def again(then: Path, now: Path, speed: str) -> None:
    """Played, felt does what it had done, and takes what it had taken."""
    done = played(now, then / "state/logs", "--secrets", then / "secrets",
                  "--acts", "--speed", speed)  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == "felt did all as it had"
    was, is_ = (taken(one / "state/journal.db") for one in (then, now))
    differ = (was - is_) + (is_ - was)
    # A felt that is ready before all devices are says so to who opens the table too early.
    assert [one for one in differ if '"attempt_refused"' not in one] == []
    for kind in ('"lock_out_pressed"', '"deal_pressed"'):
        assert any(kind in one for one in is_)


def test_a_round_with_a_module_and_coin_acceptors(tmp_path: Path) -> None:
    shelf = recorded(tmp_path / "then")
    assert any(one.box for one in shelf.acceptors)
    again(tmp_path / "then", tmp_path / "now", "20")


async def everything_goes_wrong(shelf: Shelf) -> None:
    """Answers are lost and spoilt, the module falls silent, an acceptor restarts, a cable is
    out."""
    for one in shelf.acceptors:
        one.faults = Faults(silence=0.02, wrong_checksum=0.02, lost_byte=0.02)
    await asyncio.sleep(1.5)
    shelf.module.is_silent = True
    await asyncio.sleep(4)
    shelf.module.is_silent = False
    shelf.acceptors[0].restart()
    shelf.ports["acceptors"].unplug()
    await asyncio.sleep(2)
    shelf.ports["acceptors"].plug_in()


@pytest.mark.slow
@pytest.mark.parametrize("speed", ["real", "20"])
def test_what_went_wrong_goes_wrong_again(tmp_path: Path, speed: str) -> None:
    recorded(tmp_path / "then", meanwhile=everything_goes_wrong)
    again(tmp_path / "then", tmp_path / "now", speed)


# --- The device -----------------------------------------------------------------

END = ModbusEnd(Wiring())
UNIT = 1
INPUTS = "inputs 0 to 7"


def request(frame: bytes) -> Request:
    (found,) = END.requests(bytearray(frame))
    return found


def answer(function: int, bits: int) -> bytes:
    body = bytes((UNIT, function, 1, bits))
    return body + rtu.crc(body)


READ_INPUTS = request(rtu.read_inputs(UNIT, 0, 8).frame)
READ_COILS = request(rtu.read_coils(UNIT, 0, 8).frame)


def writes(*lamps: bool) -> Request:
    return request(rtu.write_coils(UNIT, 0, (*lamps, *[False] * (8 - len(lamps)))).frame)


def shows(at_us: int, bits: int, looks: int, *, function: int = rtu.READ_INPUTS) -> Shows:
    what = INPUTS if function == rtu.READ_INPUTS else "outputs 0 to 7"
    return Shows(
        at_us=at_us,
        where=f"panel.log:{at_us}",
        device="panel",
        what=what,
        answer=answer(function, bits),
        looks=looks,
        is_first=at_us == 0,
        is_as_set=function == rtu.READ_COILS and at_us == 0,
    )


def panel(*firsts: Shows) -> AskedDevice:
    return AskedDevice(Part("panel", "panel", UNIT, polled=True, end=END), firsts)


def read(device: AskedDevice, clock_us: int = 0) -> int:
    said = device.answer(READ_INPUTS, clock_us, b"")
    assert said is not None
    return said[0][3]


def test_a_press_stays_until_felt_believes_it_and_a_bounce_is_as_short_as_it_was() -> None:
    rests, bounces, again_, pressed = (
        shows(0, 0, 100), shows(50, 1, 1), shows(70, 0, 1), shows(90, 1, 50))  # fmt: skip
    rests.then, bounces.then, again_.then = bounces, again_, pressed
    device = panel(rests)
    assert [read(device) for _ in range(5)] == [0] * 5
    device.show(bounces)
    # One look each; from then on it is pressed, whenever the record comes to say so.
    assert [read(device, 50) for _ in range(5)] == [1, 0, 1, 1, 1]
    device.show(again_)
    device.show(pressed)
    assert read(device, 90) == 1
    assert not device.unacknowledged


def test_the_record_waits_until_felt_has_looked() -> None:
    device = panel(shows(0, 0, 100))
    device.show(shows(50, 1, 50))
    looked = 0
    while device.is_new(INPUTS):
        read(device, 50)
        looked += 1
    assert looked >= Wiring().debounce


def test_what_this_felt_sets_reads_back_unless_the_record_has_it_otherwise() -> None:
    device = panel(shows(0, 0, 5, function=rtu.READ_COILS))
    device.answer(writes(True, False, True), 0, b"")
    assert device.answer(READ_COILS, 0, b"") == (answer(rtu.READ_COILS, 0b101), 0)
    # The module restarted: felt sees it dark, and only then lights it anew.
    device.show(shows(50, 0, 1, function=rtu.READ_COILS))
    device.answer(writes(True, True), 50, b"")
    assert device.answer(READ_COILS, 50, b"") == (answer(rtu.READ_COILS, 0), 0)
    device.answer(writes(True, True), 50, b"")
    assert device.answer(READ_COILS, 50, b"") == (answer(rtu.READ_COILS, 0b11), 0)


def test_an_answer_that_was_spoilt_is_spoilt_once() -> None:
    device = panel(shows(0, 0, 100))
    device.spoil(Spoils(at_us=50, where="", device="panel", answers=(b"", b"\x3f")))
    assert device.answer(READ_INPUTS, 50, b"") == (b"", 0)
    assert device.answer(READ_INPUTS, 50, b"") == (b"\x3f", 0)
    assert device.is_spoilt
    assert read(device, 50) == 0
    assert not device.is_spoilt


def test_a_real_line_takes_a_press_from_it_once() -> None:
    line = panel_line([(1, Settings(name="panel"))], 1_770_000_000)
    (station,) = line.stations
    rests, pressed = shows(0, 0, 100), shows(500_000, 1, 8)
    rests.then, pressed.then = pressed, shows(700_000, 0, 100)
    coils = shows(0, 0, 5, function=rtu.READ_COILS)
    done = Shows(
        at_us=0, where="", device="panel", what="set outputs 0 to 7", is_first=True,
        answer=bytes.fromhex("010f00000008540d"), is_done=True,
    )  # fmt: skip
    device = panel(rests, coils, done)
    heard: list[Heard] = []
    for tick in range(400):
        now = 100 + tick / 200
        if tick == 200:
            device.show(pressed)
        if tick == 240:
            device.show(pressed.then)
        for frame in line.to_write(now):
            said = device.answer(request(frame), tick * 5_000, b"")
            assert said is not None
            line.received(said[0], now)
        for notice in station.notices():
            if isinstance(notice, Identified):
                station.accept(now)
            if isinstance(notice, Heard):
                heard.append(notice)
                station.acknowledge(notice.boot, notice.seq)
    assert [str(one.message) for one in heard] == ["Pressed(button='lock_out')"]


# --- What felt sets -------------------------------------------------------------


def ordered(at_us: int, **sets: int) -> Ordered:
    named = {f"{name.replace('_', '-')} lamp": value for name, value in sets.items()}
    return Ordered(at_us=at_us, where=f"panel.log:{at_us}", device="panel", sets=named)


def test_an_order_is_heard_once_and_what_was_never_set_is_strange() -> None:
    script = Script()
    first, then, much_later = (
        ordered(0, lock_out=1, deal=0, warning=0),
        ordered(1_000_000, deal=1),
        ordered(60_000_000, warning=1),
    )
    script.add([first, then, much_later])
    orders, device = Orders(script), panel(shows(0, 0, 5))

    def sets(request_: Request, clock_us: int) -> tuple[list[Ordered], list[str]]:
        found = orders.hear(device, request_, clock_us)
        device.answer(request_, clock_us, b"")
        return found

    assert sets(writes(True, False, False), 0) == ([first], [])
    # The same again is no order.
    assert sets(writes(True, False, False), 0) == ([], [])
    assert sets(writes(True, True, False), 0) == ([then], [])
    assert sets(writes(True, True, True), 2_000_000) == ([], ["warning lamp to 1"])
    assert not much_later.is_heard
