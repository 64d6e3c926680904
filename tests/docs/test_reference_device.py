"""The reference device in C: by itself, under felt's own drivers, and through whole rounds.

Built by its own makefile, with the sanitizers on: what they find ends a program, and its test.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

from controller.table import commands, events
from drivers.acceptor import Acceptor
from drivers.attachment import Attachment
from drivers.contract import Driver, Settings
from drivers.panel import Panel
from drivers.shoe import Shoe
from drivers.shuffler import Shuffler
from drivers.wire import messages
from drivers.wire.keys import BENCH_KEY
from drivers.wire.line import Line
from drivers.wire.ports import PortSettings
from drivers.wire.serial import SerialPort
from drivers.wire.station import Station
from tests.docs import independent as wire
from tests.docs import reference
from tests.docs.by_hand import ByHand
from tests.docs.pages import VECTORS
from tests.docs.reference import Program, program
from tests.docs.reference_table import ReferenceTable
from tests.drivers.live import LiveBench, _running
from tests.drivers.people import driver, seal

#: Enough to pass by everything that the fuzzer does; `make fuzz` goes on for longer.
FUZZED = 3000


def run(name: str, *words: str) -> str:
    programs = reference.built(name)
    done = subprocess.run(
        [programs / name, *words], capture_output=True, text=True, check=False, cwd=programs
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# --- By itself ------------------------------------------------------------------


def test_the_vectors_hold_and_power_may_be_cut_at_every_byte() -> None:
    said = run("selftest")
    assert "the self-test holds" in said
    assert "0 times something was lost" in said


def test_whatever_comes_over_the_line_it_holds() -> None:
    assert f"{FUZZED} inputs, and nothing broke" in run("fuzz", str(FUZZED))


# --- Under felt's own drivers -----------------------------------------------------


@contextlib.contextmanager
def driven(one: Driver, at: Program) -> Iterator[LiveBench]:
    """In real time: the device has a clock of its own."""
    loop = asyncio.new_event_loop()
    nonces = random.Random(at.kind)
    station = Station(1, BENCH_KEY, lambda: nonces.randbytes(16))
    attachment = Attachment(one, station, bench_key=True)
    bench = LiveBench(loop, attachment, lambda: at.act("cable out"), lambda: at.act("cable in"))
    port = SerialPort(PortSettings(str(at.port)), Line([station]), on_turn=bench.turned)
    bench.kicked.append(port.kick)
    with _running(loop, port.run()):
        yield bench


def first(bench: LiveBench, kind: type[events.Event]) -> events.Event:
    bench.until(lambda: bench.heard(kind))
    return bench.heard(kind)[0]


def test_a_shoe_deals_a_round(tmp_path: Path) -> None:
    with program("shoe", tmp_path) as shoe, driven(driver(Shoe), shoe) as bench:
        bench.connected()
        identity = bench.attachments[0].station.identity
        assert identity is not None
        assert identity.firmware == reference.digest("shoe")
        shoe.act("load 52")
        assert first(bench, events.DeckLoaded) == events.DeckLoaded(
            at=0, deck=events.UNNAMED, cards=52
        )
        bench.order(commands.ArmShoe(round=7, stacks=(5, 3)))
        for number, cards in enumerate((5, 3), 1):
            bench.order(commands.Dispense(round=7, number=number, cards=cards, to=number))
            bench.until(lambda n=number: len(bench.heard(events.StackDispensed)) == n)  # type: ignore[misc]
            shoe.act("take")
            bench.until(lambda n=number: len(bench.heard(events.StackTaken)) == n)  # type: ignore[misc]
        assert first(bench, events.StubReported) == events.StubReported(at=0, cards=44)
        assert [line for line in shoe.heard() if "feeds" in line] == ["1 feeds 5", "1 feeds 3"]


def test_a_shuffler_shuffles_the_deck_that_comes_after_the_order_and_tells_of_a_jam(
    tmp_path: Path,
) -> None:
    with program("shuffler", tmp_path) as shuffler, driven(driver(Shuffler), shuffler) as bench:
        bench.connected()
        bench.order(commands.StartShuffle(deck="A"))
        shuffler.act("put 52")
        done = first(bench, events.ShuffleCompleted)
        assert done == events.ShuffleCompleted(at=0, deck="A", count=52)
        shuffler.act("fault jam")
        bench.order(commands.StartShuffle(deck="A"))
        failed = first(bench, events.ShuffleFailed)
        assert failed == events.ShuffleFailed(at=0, deck="A", nature="jam")


def test_a_panel_lights_and_is_pressed(tmp_path: Path) -> None:
    with program("panel", tmp_path) as panel, driven(driver(Panel), panel) as bench:
        bench.connected()
        bench.order(commands.EnableDeal(enabled=True))
        bench.until(lambda: "1 deal on" in panel.heard())
        panel.act("press lock_out")
        first(bench, events.LockOutPressed)


def acceptor_with(watchdog_ms: int) -> Acceptor:
    settings = Settings("acceptor 1", seat=1, wager="progressive", watchdog_ms=watchdog_ms)
    return Acceptor(settings, seal)


def test_what_an_acceptor_is_given_is_told_once_though_its_cable_is_out(tmp_path: Path) -> None:
    # Longer than a machine may be busy with something else: it stays open meanwhile.
    one = acceptor_with(watchdog_ms=60_000)
    with program("acceptor", tmp_path) as acceptor, driven(one, acceptor) as bench:
        bench.connected()
        bench.order(commands.Unlock(seat=1, device="acceptor"))
        bench.until(lambda: "1 lock open" in acceptor.heard())
        acceptor.act("cable out")
        acceptor.act("wager 100")
        bench.until(lambda: "1 lamp placed" in acceptor.heard())
        acceptor.act("cable in")
        bench.until(lambda: bench.heard(events.WagerPlaced))
        bench.until(lambda: bench.attachments[0].is_present)
        bench.run(1.0)
        wager = events.WagerPlaced(at=0, seat=1, wager="progressive", amount=100)
        assert bench.heard(events.WagerPlaced) == [wager]


def test_without_felt_an_acceptor_locks_itself_and_gives_back(tmp_path: Path) -> None:
    with (
        program("acceptor", tmp_path) as acceptor,
        driven(acceptor_with(watchdog_ms=1000), acceptor) as bench,
    ):
        bench.connected()
        bench.order(commands.Unlock(seat=1, device="acceptor"))
        bench.until(lambda: "1 lock open" in acceptor.heard())
        acceptor.act("cable out")
        bench.until(lambda: "1 lock closed" in acceptor.heard())
        acceptor.act("wager 100")
        acceptor.act("cable in")
        bench.until(lambda: bench.heard(events.WagerCameLate))
        assert not bench.heard(events.WagerPlaced)


def test_with_another_key_it_is_turned_away(tmp_path: Path) -> None:
    key = tmp_path / "other.key"
    key.write_text("ab" * 32)
    with program("panel", tmp_path, key=key) as panel, driven(driver(Panel), panel) as bench:
        bench.until(lambda: bench.attachments[0].station.stage == "refused")


# --- By hand: what felt itself never says -------------------------------------------


@contextlib.contextmanager
def by_hand(at: Program) -> Iterator[ByHand]:
    hand = ByHand(at.port)
    try:
        yield hand
    finally:
        hand.close()


def boot_of(identity: bytes) -> int:
    """After protocol, kind, two names and the firmware."""
    rest = identity[2:]
    for _ in range(2):
        rest = rest[1 + rest[0] :]
    return int.from_bytes(rest[32:36], "big")


def test_boot_goes_up_by_one_unless_events_wait(tmp_path: Path) -> None:
    with program("panel", tmp_path) as panel:
        with by_hand(panel) as felt:
            boot = boot_of(felt.greet())
        panel.cut_power()
        panel.switch_on()
        with by_hand(panel) as felt:
            assert boot_of(felt.greet()) == (boot + 1) % 2**32
            panel.act("press deal")
            assert felt.wait_for(wire.EVENT, 1).payload == messages.to_bytes(
                messages.Pressed("deal")
            )
        panel.cut_power()
        panel.switch_on()
        with by_hand(panel) as felt:
            identity = felt.greet()
            assert boot_of(identity) == (boot + 1) % 2**32
            assert b"kept:1" in identity
            felt.wait_for(wire.EVENT, 1)
            felt.acknowledge(1)
            assert felt.is_silent()


def test_a_stack_that_was_accepted_is_not_ordered_twice_by_a_loss_of_power(tmp_path: Path) -> None:
    """felt can't see this restart, as the boot stays: it asks again, under the same id."""
    arm = messages.to_bytes(messages.Arm(7, (5, 5)))
    dispense = messages.to_bytes(messages.Dispense(7, 1, 5))
    report = messages.to_bytes(messages.Report())
    with program("shoe", tmp_path) as shoe:
        with by_hand(shoe) as felt:
            felt.greet()
            shoe.act("load 52")
            felt.wait_for(wire.EVENT, 1)  # and it waits, as nobody acknowledges it
            assert felt.command(1, arm) == ("done", "")
            assert felt.command(2, dispense) == ("accepted", "")
            while not any(line == "1 feeds 5" for line in shoe.heard()):
                felt.listen(0.01)
        shoe.cut_power()
        shoe.switch_on()
        with by_hand(shoe) as felt:
            assert b"kept:1" in felt.greet()
            assert felt.command(2, dispense) == ("accepted", "")
            assert felt.is_silent()
            assert [line for line in shoe.heard() if "feeds" in line] == ["1 feeds 5"]
            # What it says of itself is exact: no stack, and the cards that have left it are gone.
            felt.command(3, report)
            for number in range(1, 20):
                event = felt.wait_for(wire.EVENT, number).payload
                felt.acknowledge(number)
                if event[0] == messages.ShoeState.code:
                    break
            state = messages.from_bytes(event)
            assert isinstance(state, messages.ShoeState)
            assert (state.round, state.last, state.on_its_way) == (7, 0, 0)
            assert state.inside <= 52


def test_what_is_no_message_is_unknown_and_nothing_breaks(tmp_path: Path) -> None:
    given = json.loads(VECTORS.read_text(encoding="utf-8"))
    with program("acceptor", tmp_path) as acceptor, by_hand(acceptor) as felt:
        felt.greet()
        for number, one in enumerate(given["no_messages"], 1):
            payload = bytes.fromhex(one["payload"])
            assert felt.command(number, payload)[0] == "unknown", one["why"]
        noise = random.Random(1)
        good = felt.signed(wire.COMMAND, felt.request + 1, bytes(4) + b"\x29")
        for one in given["no_frames"]:
            felt.put(bytes.fromhex(one["bytes"]))
        for _ in range(50):
            felt.put(noise.randbytes(noise.randrange(300)) + b"\0")
            bad = bytearray(good)
            bad[noise.randrange(len(bad) - 1)] ^= 1 << noise.randrange(8)
            felt.put(bytes(bad) + b"\0")
        felt.put(b"\0")
        felt.poll()
        assert "1 lock open" not in acceptor.heard()


def test_a_frame_of_an_earlier_session_does_nothing(tmp_path: Path) -> None:
    with program("acceptor", tmp_path) as acceptor, by_hand(acceptor) as felt:
        felt.greet()
        unlock = felt.signed(wire.COMMAND, 1, bytes(4) + b"\x29")
        felt.greet()
        felt.put(unlock)
        felt.poll()
        assert "1 lock open" not in acceptor.heard()


def test_on_a_bus_each_speaks_only_when_it_is_asked(tmp_path: Path) -> None:
    with (
        program("acceptor", tmp_path, addresses=(1, 2), bus=True) as acceptor,
        by_hand(acceptor) as felt,
    ):
        assert felt.is_silent()
        felt.address = 2
        felt.greet()
        assert felt.command(1, b"\x29") == ("done", "")
        acceptor.act("2 wager 100")
        assert felt.is_silent()
        assert not felt.heard
        # Its oldest event at each poll, until a later one acknowledges that.
        for has, event in ((0, 1), (0, 1), (1, 2)):
            felt.request += 1
            felt.put(felt.signed(wire.POLL, felt.request, has.to_bytes(4, "big")))
            told = felt.wait_for(wire.EVENT)
            assert told.seq == event
        assert messages.from_bytes(told.payload) == messages.Wager("", 100)


# --- A whole table --------------------------------------------------------------


async def test_two_rounds_are_played_with_the_reference_devices(tmp_path: Path) -> None:
    table = ReferenceTable(tmp_path)
    try:
        service = table.service()
        refused: list[tuple[events.Event, str]] = []
        paid: list[events.Event] = []

        def told(event: events.Event, taken: object) -> None:
            if why := taken.step.refused:  # type: ignore[attr-defined]
                refused.append((event, why))
            if isinstance(event, events.SeatPaid):
                paid.append(event)

        service.listen(told)
        performer = table.performer(service)

        async def play() -> None:
            try:
                await performer.plays(2)
            finally:
                service.stop()

        service.also("script", play)
        async with asyncio.timeout(reference.AT_LAST_S):
            await service.run()
        assert refused == []
        assert not service.recorder.table.holds
        assert service.recorder.table.round == 2
        assert len(paid) >= 2
    finally:
        table.end()
    fed = [line for line in table.programs["shoe"].lines if "feeds" in line]
    # Three players and the dealer, twice, and no stack more.
    assert fed == ["1 feeds 5"] * 8
