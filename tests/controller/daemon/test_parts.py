"""Clocks, timers, secrets, seals and words for systemd: the daemon's small parts."""

from __future__ import annotations

import asyncio
import datetime
import os
import random
import socket
import time as system_time
from pathlib import Path

import pytest

from controller.daemon import notify, secrets
from controller.daemon.clock import DRIFT_MS, STEP_MS, Clock, Memory
from controller.daemon.duty import Duty
from controller.daemon.sealing import Sealer, public_of
from controller.daemon.timers import Timers
from controller.recorder import LAST_STAMP
from controller.rules.faults import Refused
from controller.table.duty import SHIFT
from controller.table.people import NOBODY, Person
from controller.table.state import OnDuty, Table
from simulators.virtual_time import run


class Time:
    """A wall clock that a test sets, and one that only runs."""

    def __init__(self) -> None:
        self.running = 100.0
        self.wall = 1_700_000_000.0

    def passes(self, seconds: float, drift: float = 0.0) -> None:
        self.running += seconds
        self.wall += seconds + drift


@pytest.mark.rule("R38")
def test_a_step_of_the_wall_clock_is_seen_once() -> None:
    time = Time()
    clock = Clock(lambda: time.running, lambda: time.wall)
    time.passes(60)
    assert clock.stepped() == 0
    time.wall -= 3600
    assert clock.stepped() == -3_600_000
    time.passes(1)
    assert clock.stepped() == 0


@pytest.mark.rule("R38")
def test_drift_is_no_step_however_long_it_goes_on() -> None:
    time = Time()
    clock = Clock(lambda: time.running, lambda: time.wall)
    for _ in range(100):
        time.passes(1, drift=STEP_MS / 2000)
        assert clock.stepped() == 0


@pytest.mark.rule("R38")
@pytest.mark.parametrize("jump", [-86_400, -3_600, 3_600, 86_400])
def test_no_event_has_the_new_time_before_the_step_is_found(jump: int) -> None:
    time = Time()
    clock = Clock(lambda: time.running, lambda: time.wall)
    before = clock.wall_ms()
    time.passes(10, drift=jump)
    assert clock.wall_ms() == before + 10_000
    assert clock.stepped() == jump * 1000
    assert clock.wall_ms() == before + 10_000 + jump * 1000


@pytest.mark.rule("R8", "R38")
@pytest.mark.parametrize("rate", [-0.4, -0.01, 0.01, 0.4])
def test_a_clock_that_is_slewed_too_far_is_noticed_and_ages_nothing(rate: float) -> None:
    time = Time()
    clock = Clock(lambda: time.running, lambda: time.wall)
    begun, shifted = clock.wall_ms(), 0
    for _ in range(40_000):
        time.passes(1, drift=rate)
        shifted += clock.stepped()
        age = clock.wall_ms() - begun - shifted
        assert abs(age - (time.running - 100) * 1000) <= DRIFT_MS
    assert shifted


@pytest.mark.parametrize("year", [-50, 3_000, 9_999, 60_000])
def test_a_year_that_can_not_be_stops_nothing(year: int) -> None:
    time = Time()
    clock = Clock(lambda: time.running, lambda: time.wall)
    before, good = clock.wall_ms(), time.wall
    time.wall = (year - 1970) * 31_556_952.0
    time.running += 5
    assert clock.stepped() == 0
    assert clock.is_mad
    assert clock.wall_ms() == before + 5_000
    time.wall = good
    assert clock.stepped() == -5_000
    assert not clock.is_mad
    time.wall = (year - 1970) * 31_556_952.0
    at_start = Clock(lambda: time.running, lambda: time.wall)
    assert 0 <= at_start.wall_ms() <= LAST_STAMP
    assert datetime.datetime.fromtimestamp(at_start.wall_ms() / 1000, datetime.UTC)
    time.passes(60)
    assert at_start.stepped() == 0


@pytest.mark.rule("R8", "R38")
def test_a_step_while_felt_was_away_is_known_as_long_as_the_pc_runs(tmp_path: Path) -> None:
    ahead = 0.0
    boot, file = tmp_path / "boot_id", tmp_path / "clock.json"
    boot.write_text("one\n")

    def started() -> Memory:
        return Memory(file, Clock(wall=lambda: system_time.time() + ahead), boot)

    assert started().stepped_meanwhile() == 0
    started().keep()
    assert started().stepped_meanwhile() == 0
    for ahead in (-3600.0, 86_400.0):
        assert started().stepped_meanwhile() == pytest.approx(ahead * 1000, abs=50)
    # Another run of the PC has another running clock; and what is no memory is none.
    boot.write_text("two\n")
    assert started().stepped_meanwhile() == 0
    for damaged in (b"", b"{}", b"\xff", b'{"boot": "two", "offset": "x"}'):
        file.write_bytes(damaged)
        assert started().stepped_meanwhile() == 0
    # Nor is that of a clock which is not the PC's.
    virtual = Memory(file, Clock(lambda: 5.0, lambda: 5.0), boot)
    virtual.keep()
    assert file.read_bytes() == damaged


def test_a_timer_takes_the_place_of_the_one_with_its_name() -> None:
    async def play() -> list[tuple[str, float]]:
        loop = asyncio.get_running_loop()
        clock = Clock(loop.time, loop.time)
        fired: list[tuple[str, float]] = []
        timers = Timers(clock, lambda name: fired.append((name, loop.time())))
        timers.set("deck A", 5_000)
        timers.set("deck B", 8_000_000)
        timers.set("deck A", 20_000)
        await asyncio.sleep(10_000)
        assert timers.due == {}
        timers.set("never", 99_000_000)
        timers.close()
        return fired

    assert run(play) == [("deck A", 20.0), ("deck B", 8000.0)]


@pytest.mark.rule("R8")
def test_a_timer_goes_by_the_wall_clock_when_that_is_set() -> None:
    async def play() -> list[float]:
        loop = asyncio.get_running_loop()
        ahead = 0.0
        fired: list[float] = []
        clock = Clock(loop.time, lambda: loop.time() + ahead)
        timers = Timers(clock, lambda _: fired.append(1))
        timers.set("deck A", 100_000)
        await asyncio.sleep(10)
        ahead = 95.0
        assert clock.stepped() == 95_000
        timers.clock_stepped()
        await asyncio.sleep(0.001)
        assert len(fired) == 1
        return fired

    run(play)


def test_nobody_is_on_duty_until_somebody_signs_on() -> None:
    time, table = Time(), Table()
    duty = Duty.at(lambda: table, Clock(lambda: time.running, lambda: time.wall))
    assert duty.acting("dealer") == Person(NOBODY, "dealer")
    now = int(time.wall * 1000)
    table = Table(on_duty={"dealer": OnDuty("dealer-1", now)})
    assert duty.acting("dealer") == Person("dealer-1", "dealer")
    assert duty.acting("floorperson").id == NOBODY
    time.passes(SHIFT / 1000 - 1)
    assert duty.everyone() == (Person("dealer-1", "dealer"),)
    assert duty.seconds() == {"dealer": SHIFT // 1000 - 1}
    time.passes(1)
    assert duty.acting("dealer").id == NOBODY
    assert duty.everyone() == ()


def test_a_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    assert secrets.make_key(tmp_path, "acceptor 3")
    made = secrets.key(tmp_path, "acceptor 3")
    assert len(made) == 32
    assert not secrets.make_key(tmp_path, "acceptor 3")
    assert secrets.key(tmp_path, "acceptor 3") == made
    assert (tmp_path / "acceptor-3.key").stat().st_mode & 0o777 == 0o400


@pytest.mark.parametrize(
    ("text", "said"),
    [(None, "is missing"), ("", "has 0 digits"), ("xyz", "is not a key"), ("00" * 31, "62 digits")],
)
def test_a_key_that_is_none_is_refused_with_its_file(
    tmp_path: Path, text: str | None, said: str
) -> None:
    if text is not None:
        (tmp_path / "shoe.key").write_text(text)
    with pytest.raises(Refused, match=said) as refused:
        secrets.key(tmp_path, "shoe")
    assert "shoe.key" in str(refused.value)


@pytest.mark.rule("R12")
def test_a_seal_tells_nothing_and_can_not_be_altered() -> None:
    sealer = Sealer(public_of(os.urandom(32)))
    faces = bytes(random.Random(1).sample(range(52), 5))
    sealed = sealer.seal(faces)
    assert sealer.open(sealed) == tuple(faces)
    assert sealer.seal(faces) != sealed
    for place in range(0, len(sealed), 7):
        other = sealed[:place] + ("A" if sealed[place] != "A" else "B") + sealed[place + 1 :]
        with pytest.raises(Refused, match="can't be opened"):
            sealer.open(other)
    with pytest.raises(Refused, match="can't be opened"):
        Sealer(public_of(os.urandom(32))).open(sealed)


def test_words_reach_systemd_if_it_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    assert not notify.tell("READY=1")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        assert notify.tell("READY=1", "STATUS=playing")
        assert systemd.recv(100) == b"READY=1\nSTATUS=playing"
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "gone"))
    assert not notify.tell("READY=1")


def test_the_watchdog_is_only_fed_if_it_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WATCHDOG_USEC", raising=False)
    assert notify.watchdog_s() is None
    monkeypatch.setenv("WATCHDOG_USEC", "10000000")
    monkeypatch.delenv("WATCHDOG_PID", raising=False)
    assert notify.watchdog_s() == 10
    monkeypatch.setenv("WATCHDOG_PID", "1")
    assert notify.watchdog_s() is None
