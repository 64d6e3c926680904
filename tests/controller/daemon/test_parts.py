"""Clocks, timers, secrets, seals and words for systemd: the daemon's small parts."""

from __future__ import annotations

import asyncio
import os
import random
import socket
from pathlib import Path

import pytest

from controller.daemon import notify, secrets
from controller.daemon.clock import STEP_MS, Clock
from controller.daemon.duty import Duty
from controller.daemon.sealing import Sealer
from controller.daemon.timers import Timers
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
        timers = Timers(Clock(loop.time, lambda: loop.time() + ahead), lambda _: fired.append(1))
        timers.set("deck A", 100_000)
        await asyncio.sleep(10)
        ahead = 95.0
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
    sealer = Sealer(os.urandom(32))
    faces = bytes(random.Random(1).sample(range(52), 5))
    sealed = sealer.seal(faces)
    assert sealer.open(sealed) == tuple(faces)
    assert sealer.seal(faces) != sealed
    for place in range(0, len(sealed), 7):
        other = sealed[:place] + ("A" if sealed[place] != "A" else "B") + sealed[place + 1 :]
        with pytest.raises(Refused, match="can't be opened"):
            sealer.open(other)
    with pytest.raises(Refused, match="can't be opened"):
        Sealer(os.urandom(32)).open(sealed)


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
