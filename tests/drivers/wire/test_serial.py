"""A serial port with a real terminal behind it: used, full, pulled out, plugged in, taken away."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

import pytest

from drivers.wire import frame, serial
from drivers.wire.frame import Splitter
from drivers.wire.handshake import PROTOCOL, Identity
from drivers.wire.line import Correspondent, Counts, Line, Spoken
from drivers.wire.messages import Door, Lock
from drivers.wire.notices import Answered, Heard, Identified, Lost, Notice, NotSent
from drivers.wire.ports import PortSettings
from drivers.wire.responder import Responder
from drivers.wire.serial import READ_BYTES, SerialPort
from drivers.wire.station import Rest, Station
from simulators import virtual_time
from tests.drivers.wire.plugs import AT_LAST_S, Plug, device_at, plugged_in, until

KEY = bytes(range(32))


@pytest.fixture
def plug(tmp_path: Path) -> Iterator[Plug]:
    with plugged_in(tmp_path / "shoe") as plug:
        yield plug


def responder(boot: int = 1) -> Responder:
    return Responder(
        Identity(PROTOCOL, "shoe", "S-1", "4711", bytes(32), boot, "", bytes(16)),
        KEY,
        lambda command: ("done", ""),
        lambda: os.urandom(16),
    )


@dataclass
class Tapped:
    """What goes through the port, as it goes."""

    records: list[tuple[str, bytes]] = field(default_factory=list)
    ports: list[str] = field(default_factory=list)
    rests: list[Rest] = field(default_factory=list)

    def received(self, data: bytes, now: float) -> None:
        self.records.append(("in", data))

    def sent(self, data: bytes, now: float) -> None:
        self.records.append(("out", data))

    def quiet(self, rest: Rest) -> None:
        self.rests.append(rest)

    def port(self, what: str, now: float) -> None:
        self.ports.append(what)

    def bytes_of(self, way: str) -> bytes:
        return b"".join(data for which, data in self.records if which == way)


class Desk:
    """One station at one port, and whoever collects its notices."""

    def __init__(self, path: Path, *, jitter: Callable[[float, float], float] = max) -> None:
        self.station = Station(1, KEY, lambda: os.urandom(16))
        self.line = Line([self.station])
        self.tap = Tapped()
        self.notices: list[Notice] = []
        self.turns = 0
        self.port = SerialPort(
            PortSettings(str(path)), self.line, on_turn=self.turn, tap=self.tap, jitter=jitter
        )

    def turn(self) -> None:
        self.turns += 1
        loop = asyncio.get_running_loop()
        for notice in self.station.notices():
            self.notices.append(notice)
            match notice:
                case Identified():
                    self.station.accept(loop.time())
                case Heard(_, seq, boot):
                    self.station.acknowledge(boot, seq)

    def count(self, kind: type[Notice]) -> int:
        return sum(isinstance(notice, kind) for notice in self.notices)

    @property
    def is_ready(self) -> bool:
        return self.station.stage == "ready"


@asynccontextmanager
async def running(port: SerialPort) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(port.run())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled() and task.exception() is not None:
            await task


# --- Used ---------------------------------------------------------------------


@pytest.mark.parametrize("chunk", [1024, 7, 1])
async def test_a_device_is_found_told_and_heard(plug: Plug, chunk: int) -> None:
    desk = Desk(plug.path)
    device = responder()
    with device_at(plug, device, chunk=chunk):
        async with running(desk.port):
            await until(lambda: desk.is_ready)
            loop = asyncio.get_running_loop()
            desk.station.send(7, Lock(), deadline=loop.time() + 10)
            desk.port.kick()
            device.tell(Door(True))
            await until(lambda: desk.count(Answered) == 1 and desk.count(Heard) == 1)
            await until(lambda: device.unacknowledged == 0)
            assert desk.port.state.status == "open"
    assert desk.tap.ports[0] == f"open {plug.path} 115200 8N1"
    assert desk.line.counts.bytes_in == len(desk.tap.bytes_of("in"))
    assert desk.line.counts.bytes_out == len(desk.tap.bytes_of("out"))
    assert desk.line.counts.garbage == 0


async def test_a_kick_is_written_before_it_returns(plug: Plug) -> None:
    desk = Desk(plug.path)
    with device_at(plug, responder()):
        async with running(desk.port):
            await until(lambda: desk.is_ready)
            before = len(desk.tap.records)
            loop = asyncio.get_running_loop()
            desk.station.send(7, Lock(), deadline=loop.time() + 10)
            desk.port.kick()
            assert [way for way, _ in desk.tap.records[before:]] == ["out"]


def test_a_kick_of_a_port_that_nobody_runs_does_nothing(tmp_path: Path) -> None:
    Desk(tmp_path / "shoe").port.kick()


async def test_chunks_are_tapped_as_they_were_read(plug: Plug) -> None:
    desk = Desk(plug.path)
    async with running(desk.port):
        await until(lambda: desk.port.state.status == "open")
        for chunk in (b"one", b"two\0", b"\0three"):
            before = len(desk.tap.bytes_of("in"))
            os.write(plug.master, chunk)
            await until(lambda: len(desk.tap.bytes_of("in")) > before)  # noqa: B023
    assert [data for way, data in desk.tap.records if way == "in"] == [
        b"one",
        b"two\0",
        b"\0three",
    ]


async def test_only_one_may_run_a_port(plug: Plug) -> None:
    desk = Desk(plug.path)
    async with running(desk.port):
        await until(lambda: desk.port.state.status == "open")
        with pytest.raises(RuntimeError, match="has its owner already"):
            await desk.port.run()
        assert desk.port.state.status == "open"


# --- Pulled out and plugged in ------------------------------------------------


async def test_it_comes_back_under_its_name(plug: Plug) -> None:
    desk = Desk(plug.path, jitter=lambda least, most: 0.01)
    async with running(desk.port):
        for times in range(1, 4):
            with device_at(plug, responder()):
                await until(lambda times=times: desk.count(Identified) == times)  # type: ignore[misc]
            plug.pull_out()
            await until(lambda times=times: desk.count(Lost) == times)  # type: ignore[misc]
            assert desk.port.state.status == "absent"
            trouble = desk.port.state.trouble
            assert trouble is not None
            assert str(plug.path) in trouble.reason
            await until(lambda: "missing" in desk.tap.ports[-1])
            plug.plug_in()
    lost = [notice.why for notice in desk.notices if isinstance(notice, Lost)]
    assert lost == [f"{plug.path} was unplugged or lost its power"] * 3
    assert all(not n.restarted for n in desk.notices if isinstance(n, Identified))


async def test_a_hang_up_does_not_spin(plug: Plug) -> None:
    desk = Desk(plug.path)
    with device_at(plug, responder()):
        async with running(desk.port):
            await until(lambda: desk.is_ready)
            before = desk.turns
            os.close(plug.master)
            await until(lambda: desk.port.state.status == "absent")
            # One turn that says so, and those that the clock brings.
            assert desk.turns - before < 10
            plug.master = os.open("/dev/null", os.O_RDONLY)


def test_a_missing_port_is_tried_ever_more_seldom_and_said_once(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "shoe", jitter=min)

    async def wait() -> None:
        async with running(desk.port):
            await asyncio.sleep(60)

    virtual_time.run(wait)
    # After 0, 0.25, 0.75, 1.75, 3.75 and 7.75 s, and then every 5 s.
    assert desk.port.state.times == 16
    assert desk.tap.ports == [f"absent, missing: {tmp_path / 'shoe'} is not there"]


def test_the_pauses_are_spread_within_their_bounds(tmp_path: Path) -> None:
    asked: list[tuple[float, float]] = []

    def jitter(least: float, most: float) -> float:
        asked.append((least, most))
        return most

    desk = Desk(tmp_path / "shoe", jitter=jitter)

    async def wait() -> None:
        async with running(desk.port):
            await asyncio.sleep(60)

    virtual_time.run(wait)
    assert asked[0] == (0.25, 0.375)
    assert asked[-1] == (5.0, 7.5)
    # 0, 0.375, 1.125, 2.625, 5.625 and then every 5 s at the most.
    assert len(asked) == 15


def test_deadlines_pass_while_nobody_is_there(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "shoe")

    async def wait() -> None:
        async with running(desk.port):
            loop = asyncio.get_running_loop()
            await asyncio.sleep(1)
            desk.station.send(7, Lock(), deadline=loop.time() + 2)
            desk.port.kick()
            await asyncio.sleep(1.9)
            assert desk.notices == []
            await asyncio.sleep(0.2)
            assert [type(notice) for notice in desk.notices] == [NotSent]

    virtual_time.run(wait)
    assert desk.tap.records == []


async def test_another_trouble_is_said_and_counted_anew(tmp_path: Path) -> None:
    path = tmp_path / "shoe"
    desk = Desk(path, jitter=lambda least, most: 0.005)
    async with running(desk.port):
        await until(lambda: desk.port.state.times > 3)
        path.mkdir()
        await until(lambda: "not a tty" in desk.tap.ports[-1])
        await until(lambda: desk.port.state.times > 3)
        path.rmdir()
        with plugged_in(path):
            await until(lambda: desk.port.state.status == "open")
    assert [said.partition(":")[0] for said in desk.tap.ports[:2]] == [
        "absent, missing",
        "absent, not a tty",
    ]
    assert "tries" in desk.tap.ports[-1]


HOLD = """
import fcntl, os, sys
port = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
if sys.argv[2] == "locked":
    fcntl.flock(port, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def other_program(path: Path, how: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), how], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"held\n"
        yield program


async def test_a_program_that_has_locked_the_port_is_named_and_waited_for(plug: Plug) -> None:
    desk = Desk(plug.path, jitter=lambda least, most: 0.01)
    with other_program(plug.path, "locked") as other:
        async with running(desk.port):
            await until(lambda: bool(desk.tap.ports))
            assert "absent, busy" in desk.tap.ports[0]
            assert f"(process {other.pid})" in desk.tap.ports[0]
            assert other.stdin is not None
            other.stdin.close()
            await until(lambda: desk.port.state.status == "open")


async def test_a_program_that_only_has_it_open_is_named_too(plug: Plug) -> None:
    desk = Desk(plug.path)
    with other_program(plug.path, "open") as other:
        async with running(desk.port):
            await until(lambda: desk.port.state.status == "open")
            (shared_with,) = desk.port.state.shared_with
            assert f"(process {other.pid})" in shared_with
            assert shared_with in desk.tap.ports[0]


# --- Full and flooded ---------------------------------------------------------


class Talker:
    """A line that says what it is given, and hears without listening."""

    def __init__(self) -> None:
        self.counts = Counts()
        self.frames: list[bytes] = []
        self.heard = b""
        self.cuts: list[str] = []
        self.asked = 0
        self.wakes = inf
        self.stations: Sequence[Correspondent] = ()

    def received(self, data: bytes, now: float) -> None:
        self.counts.bytes_in += len(data)
        self.heard += data

    def to_write(self, now: float) -> list[bytes]:
        self.asked += 1
        frames, self.frames = self.frames, []
        return frames

    def wakes_at(self) -> float:
        return self.wakes

    def cut(self, now: float, why: str) -> None:
        self.cuts.append(why)

    def memory(self) -> None:
        """It says nothing of itself."""

    def recall(self, memory: dict[str, Any]) -> None:
        raise ValueError(memory)


def talking(path: Path, talker: Spoken, tap: Tapped | None = None) -> SerialPort:
    # At this rate a buffer that is full is stuck soon.
    settings = PortSettings(str(path), baud=4_000_000)
    return SerialPort(
        settings, talker, on_turn=lambda: None, tap=tap, jitter=lambda least, most: 0.01
    )


async def test_a_full_buffer_takes_what_it_can_and_the_rest_later(plug: Plug) -> None:
    talker, tap = Talker(), Tapped()
    port = talking(plug.path, talker, tap)
    frames = [bytes((n,)) * 800 for n in range(1, 61)]
    whole = b"".join(frames)
    got = b""
    async with running(port):
        await until(lambda: port.state.status == "open")
        talker.frames = frames[:]
        port.kick()
        assert len(tap.bytes_of("out")) < len(whole)
        asked = talker.asked
        # While the buffer is full, nothing more is asked of the line.
        port.kick()
        port.kick()
        assert talker.asked == asked
        async with asyncio.timeout(AT_LAST_S):
            while len(got) < len(whole):
                with suppress(BlockingIOError):
                    got += os.read(plug.master, 999)
                await asyncio.sleep(0)
        await until(lambda: talker.asked > asked)
    assert got == whole
    assert tap.bytes_of("out") == got


async def test_a_port_that_takes_nothing_is_cut_and_opened_again(
    plug: Plug, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serial, "STUCK_S", 0.05)
    talker, tap = Talker(), Tapped()
    port = talking(plug.path, talker, tap)
    async with running(port):
        await until(lambda: port.state.status == "open")
        talker.frames = [b"x" * 800] * 60
        port.kick()
        await until(lambda: len(talker.cuts) >= 3)
        assert port.state.status == "open"
    assert any("absent, stuck" in said for said in tap.ports)
    assert f"{plug.path} has taken no bytes" in talker.cuts[1]


async def test_more_than_a_line_may_say_at_once_cuts_it(plug: Plug) -> None:
    talker = Talker()
    port = talking(plug.path, talker)
    async with running(port):
        await until(lambda: port.state.status == "open")
        talker.frames = [b"x" * 2000] * (serial.MAX_OUTGOING + 10)
        port.kick()
        await until(lambda: len(talker.cuts) == 3)


async def test_a_flood_leaves_time_for_everything_else(plug: Plug) -> None:
    talker, tap = Talker(), Tapped()
    port = talking(plug.path, talker, tap)
    flood = os.urandom(200_000)
    others = 0

    async def somebody_else() -> None:
        nonlocal others
        while True:
            await asyncio.sleep(0)
            others += 1

    async with running(port):
        await until(lambda: port.state.status == "open")
        other = asyncio.create_task(somebody_else())
        sent = 0
        async with asyncio.timeout(AT_LAST_S):
            while len(talker.heard) < len(flood):
                with suppress(BlockingIOError):
                    sent += os.write(plug.master, flood[sent : sent + 4096])
                await asyncio.sleep(0)
        other.cancel()
    assert talker.heard == flood
    chunks = [data for way, data in tap.records if way == "in"]
    assert max(map(len, chunks)) <= READ_BYTES
    assert others >= len(chunks)


def test_a_line_that_wants_to_be_woken_for_nothing_is_let_sleep(tmp_path: Path) -> None:
    talker = Talker()
    talker.wakes = 0.0
    settings = PortSettings(str(tmp_path / "shoe"))
    port = SerialPort(settings, talker, on_turn=lambda: None)

    async def wait() -> None:
        async with running(port):
            await asyncio.sleep(100)

    virtual_time.run(wait)
    # Ten times at once and in ever longer pauses, then once a second.
    assert talker.asked < 130


async def test_noise_is_got_over(plug: Plug) -> None:
    desk = Desk(plug.path)
    async with running(desk.port):
        await until(lambda: desk.port.state.status == "open")
        os.write(plug.master, os.urandom(900) + b"\0")
        await until(lambda: desk.line.counts.bytes_in >= 901)
        with device_at(plug, responder()):
            await until(lambda: desk.is_ready)


# --- Ended --------------------------------------------------------------------


@pytest.mark.parametrize("turns", [*range(12), 20, 50, 100])
async def test_cancelled_at_any_moment_it_leaves_nothing(plug: Plug, turns: int) -> None:
    desk = Desk(plug.path)
    with device_at(plug, responder()):
        task = asyncio.create_task(desk.port.run())
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        # And may be run again.
        async with running(desk.port):
            await until(lambda: desk.is_ready)


@pytest.mark.parametrize("milliseconds", [0, 1, 2, 3, 5, 8, 13])
async def test_cancelled_while_it_opens_it_leaves_nothing(plug: Plug, milliseconds: int) -> None:
    desk = Desk(plug.path)
    task = asyncio.create_task(desk.port.run())
    await asyncio.sleep(milliseconds / 1000)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    # Whoever comes next finds the port free.
    os.close(os.open(plug.path, os.O_RDWR | os.O_NOCTTY))


async def test_an_error_of_our_own_ends_the_run_and_closes_the_port(plug: Plug) -> None:
    class Ours(Exception):
        pass

    def fail() -> None:
        raise Ours

    port = SerialPort(PortSettings(str(plug.path)), Talker(), on_turn=fail)
    with pytest.raises(Ours):
        await port.run()


async def test_an_error_while_the_port_is_absent_ends_the_run_too(tmp_path: Path) -> None:
    class Ours(Exception):
        pass

    def fail() -> None:
        raise Ours

    port = SerialPort(PortSettings(str(tmp_path / "shoe")), Talker(), on_turn=fail)
    with pytest.raises(Ours):
        await port.run()


def test_a_frame_is_written_whole(plug: Plug) -> None:
    """What goes out is what the line said, frame by frame, and nothing in between."""

    async def speak() -> Tapped:
        desk = Desk(plug.path)
        with device_at(plug, responder()):
            async with running(desk.port):
                await until(lambda: desk.is_ready)
        return desk.tap

    tap = asyncio.run(speak())
    for way, data in tap.records:
        if way == "out":
            assert len(list(Splitter().feed(data))) == 1
            assert frame.from_bytes(data[:-1]) is not None
