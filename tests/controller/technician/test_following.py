"""A log that is followed while felt writes it: files fill up, felt starts again, lines are half."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.rules.faults import Refused
from controller.technician.choosing import Choice, Chosen
from controller.technician.following import SETTLES_S, Follower
from drivers.wire import frame, messages
from drivers.wire.capture import Capture, Heading
from drivers.wire.devicelog import Bytes, Remark
from drivers.wire.frame import Kind, Packet
from drivers.wire.logfiles import Limits

ALL = Choice()
#: Only so that a test ends if nobody else does.
ENDS_WITHIN_S = 300.0


def written(
    folder: Path, *, wire: str = "acceptors", run: int = 1, file_bytes: int = 1 << 20
) -> Capture:
    """felt's own log of a bus with three acceptors."""
    devices = [f"acceptor {seat}" for seat in (1, 2, 3)]
    heading = Heading(
        table="T12",
        line=wire,
        port="/dev/bus",
        felt="0.1.0",
        rulebook="pa-669a",
        run=f"177009150600{run} after entry 0",
        wire=json.dumps({"devices": devices, "serial": "/dev/bus"}),
    )
    limits = Limits(file_bytes=file_bytes)
    return Capture(folder, heading, limits=limits, clock=lambda: 0.0, utc=lambda: 1.77e9)


def told(address: int, seq: int, lamp: messages.Lamp = "off") -> bytes:
    """A command, as it stands on the line."""
    payload = seq.to_bytes(4, "big") + messages.to_bytes(messages.SetLamp(lamp))
    return frame.to_bytes(Packet(Kind.COMMAND, address, 1, seq, payload, bytes(8)))


@contextmanager
def following(*paths: Path, choice: Choice = ALL, number: int | None = None) -> Iterator[Follower]:
    follower = Follower(paths, choice, number)
    try:
        yield follower
    finally:
        follower.close()


class Watch:
    """Looks at it, and waits until all that was written has settled."""

    def __init__(self, follower: Follower) -> None:
        self.follower = follower
        self.now = 100.0

    def new(self) -> list[Chosen]:
        found = list(self.follower.new(self.now))
        self.now += 2 * SETTLES_S
        return found + list(self.follower.new(self.now))


def texts(found: list[Chosen]) -> list[str]:
    return [
        one.logged.record.text if isinstance(one.logged.record, Remark) else one.words
        for one in found
    ]


def test_only_what_is_new_is_told_after_the_last_few(tmp_path: Path) -> None:
    log = written(tmp_path)
    for n in range(20):
        log.note(f"before {n}", float(n))
    log.flush()
    with following(tmp_path) as follower:
        assert texts(follower.before(3)) == ["before 17", "before 18", "before 19"]
        watch = Watch(follower)
        assert watch.new() == []
        log.note("after", 30.0)
        log.flush()
        assert texts(watch.new()) == ["after"]
        assert watch.new() == []


def test_wires_are_put_in_their_order_although_one_writes_later(tmp_path: Path) -> None:
    shoe, bus = written(tmp_path, wire="shoe"), written(tmp_path)
    with following(tmp_path) as follower:
        bus.note("second", 2.0)
        bus.flush()
        assert list(follower.new(100.0)) == []
        shoe.note("first", 1.0)
        shoe.flush()
        assert list(follower.new(100.2)) == []
        assert texts(list(follower.new(100.2 + SETTLES_S))) == ["first", "second"]


def test_a_file_that_is_full_is_read_to_its_end_and_the_next_one_too(tmp_path: Path) -> None:
    log = written(tmp_path, file_bytes=600)
    log.note("in the first file", 1.0)
    log.flush()
    with following(tmp_path) as follower:
        follower.before(0)
        watch = Watch(follower)
        for n in range(12):
            # The file before is compressed and gone when the next one is begun.
            log.note(f"note {n}", 2.0 + n)
            log.note(f"again {n}", 2.5 + n)
            log.flush()
            assert texts(watch.new()) == [f"note {n}", f"again {n}"]
    assert len(list(tmp_path.glob("*.log.gz"))) > 1


def test_a_felt_that_starts_again_is_followed(tmp_path: Path) -> None:
    log = written(tmp_path)
    log.note("old", 50.0)
    log.close()
    with following(tmp_path, choice=Choice.of(None, ["acceptor 2"], None, None)) as follower:
        follower.before(0)
        watch = Watch(follower)
        again = written(tmp_path, run=2)
        again.port("open /dev/bus", 3.0)
        again.sent(told(2, 1), 4.0)
        again.sent(told(3, 1), 5.0)
        again.flush()
        opened, said = texts(watch.new())
        assert opened == "open /dev/bus"
        assert said.startswith("command 2 ")
        assert said.endswith("set_lamp lamp='off'")
        (file,) = tmp_path.glob("*.log")
        file.unlink()
        third = written(tmp_path, run=3)
        third.note("begun anew", 6.0)
        third.flush()
        assert texts(watch.new()) == ["begun anew"]


def test_half_a_line_waits_for_the_other_half(tmp_path: Path) -> None:
    log = written(tmp_path)
    log.note("whole", 1.0)
    log.flush()
    (file,) = tmp_path.glob("*.log")
    with following(file) as follower:
        follower.before(0)
        watch = Watch(follower)
        with file.open("ab", buffering=0) as other:
            other.write(b"      2.000000 note   ha")
            assert watch.new() == []
            other.write(b"lf\n# felt device log 1\n# table: T12\n# line: acceptors\n")
            assert texts(watch.new()) == ["half"]
            # Nor is a header read before it is whole.
            other.write(b"# utc: 2026-02-03T04:05:06+00:00\n# monotonic: 9.0")
            assert watch.new() == []
            other.write(b"00000\n      1.000000 note   next\n")
            (found,) = watch.new()
    assert found.logged.at_us == 10_000_000
    assert not follower.damage.said()


def test_damage_is_named_with_its_place_in_the_file(tmp_path: Path) -> None:
    log = written(tmp_path)
    log.note("whole", 1.0)
    log.flush()
    (file,) = tmp_path.glob("*.log")
    with following(file) as follower:
        follower.before(0)
        watch = Watch(follower)
        lines = file.read_text().count("\n")
        with file.open("ab") as other:
            other.write(b"      2.000000 note   fine\nnonsense\n")
        assert texts(watch.new())[0] == "fine"
        assert follower.damage.said() == [
            f"{file}:{lines + 2}: skipped: no time and word at its beginning"
        ]


def test_a_round_is_followed_from_its_wagers_to_its_end(tmp_path: Path) -> None:
    log = written(tmp_path)
    with following(tmp_path, number=2) as follower:
        watch = Watch(follower)
        for n, mark in enumerate(
            ("1 shuffling", "1 betting", "2 locked", "2 dealing", "2 shuffling", "2 betting")
        ):
            log.table(f"entry {10 + n} round {mark}", float(n))
            log.note(mark, n + 0.5)
        log.table("entry 9 round 3 locked", 9.0)
        log.note("3 locked", 9.5)
        log.flush()
        found = texts(watch.new())
    assert found[0] == "entry 10 round 1 shuffling"
    assert found[-1] == "entry 14 round 2 shuffling"
    assert "2 dealing" in found


def test_a_folder_without_logs_is_waited_at(tmp_path: Path) -> None:
    with following(tmp_path) as follower:
        watch = Watch(follower)
        assert watch.new() == []
        log = written(tmp_path)
        log.sent(told(1, 1), 1.0)
        log.flush()
        (one,) = watch.new()
    assert isinstance(one.logged.record, Bytes)
    with pytest.raises(Refused, match="is not there"):
        Follower([tmp_path / "nothing"], ALL)


def test_an_interrupt_ends_it_quietly(tmp_path: Path) -> None:
    log = written(tmp_path)
    log.note("seen", 1.0)
    log.flush()
    command = [sys.executable, "-m", "controller", "log", "show", "--follow", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as felt:
        assert felt.stdout is not None
        assert felt.stderr is not None
        assert b"seen" in felt.stdout.readline()
        felt.send_signal(signal.SIGINT)
        assert felt.wait(ENDS_WITHIN_S) == 0
        assert felt.stderr.read() == b""
