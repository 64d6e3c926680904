"""Every byte is in the log, whatever becomes of the disk; and the log never grows beyond bounds."""

from __future__ import annotations

import asyncio
import gzip
import os
import resource
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest

from drivers.wire import capture, describe, frame, messages
from drivers.wire.capture import QUIET_S, REMEMBERED, Capture, Heading
from drivers.wire.devicelog import Bytes, Clock, Damage, Header, Polled, Quiet, Record, Remark
from drivers.wire.frame import Kind, Packet
from drivers.wire.line import Line
from drivers.wire.logfiles import Limits
from drivers.wire.logreading import read_records
from drivers.wire.ports import PortSettings
from drivers.wire.serial import SerialPort
from drivers.wire.station import Rest, Station
from tests.drivers.wire.plugs import plugged_in, until

HEADING = Heading("T12", "acceptors", "/dev/x 115200 8N1", "0.1.0", "pa-669a")
SMALL = Limits(file_bytes=4000, kept_files=5, kept_bytes=1 << 20)


class Clocks:
    """Two clocks: one that only goes on, and one that somebody may set."""

    def __init__(self) -> None:
        self.now = 100.0
        self.ahead = 1_700_000_000.0

    def monotonic(self) -> float:
        return self.now

    def utc(self) -> float:
        return self.now + self.ahead


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


def make(folder: Path, clocks: Clocks, **options: object) -> Capture:
    return Capture(folder, HEADING, clock=clocks.monotonic, utc=clocks.utc, **options)  # type: ignore[arg-type]


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def everything(folder: Path) -> list[Record | Damage]:
    return [record for path in files(folder) for record in read_records(path)]


def chunks(records: list[Record | Damage]) -> list[tuple[str, bytes]]:
    return [(one.direction, one.data) for one in records if isinstance(one, Bytes)]


def test_what_came_and_went_is_read_back_as_it_was(tmp_path: Path, clocks: Clocks) -> None:
    log = make(tmp_path, clocks, describe=describe.frames)
    idle = frame.to_bytes(Packet(Kind.IDLE, 1, 1, 4, b"", bytes(8)))
    log.port("open /dev/x", 100.0)
    log.sent(b"\x01\x02", 100.000001)
    log.received(idle[:4], 100.5)
    log.received(idle[4:], 101.25)
    log.note("the technician's\nnote", 102.0)
    log.device("acceptor 3", "acceptor model='A'", 103.0)
    log.device("acceptor 3", "acceptor model='A'", 104.0)
    log.received(b"{}", 105.0, channel="felt/T12/sign/event")
    log.close()
    header, *rest = everything(tmp_path)
    assert isinstance(header, Header)
    assert header.facts[:5] == (
        ("table", "T12"),
        ("line", "acceptors"),
        ("port", "/dev/x 115200 8N1"),
        ("device", "acceptor 3: acceptor model='A'"),
        ("felt", "0.1.0"),
    )
    assert header.fact("monotonic") == "100.000000"
    assert datetime.fromisoformat(header.fact("utc")).timestamp() == 1_700_000_100.0
    assert rest == [
        Remark(0, "port", "open /dev/x"),
        Bytes(1, "out", b"\x01\x02"),
        Bytes(500_000, "in", idle[:4]),
        Bytes(1_250_000, "in", idle[4:], "idle 1 s1 #4"),
        Remark(2_000_000, "note", "the technician's\nnote"),
        Remark(3_000_000, "device", "acceptor 3: acceptor model='A'"),
        Bytes(5_000_000, "in", b"{}", channel="felt/T12/sign/event"),
    ]


def test_half_a_frame_before_the_port_was_lost_is_no_part_of_one_after(
    tmp_path: Path, clocks: Clocks
) -> None:
    log = make(tmp_path, clocks, describe=describe.frames)
    idle = frame.to_bytes(Packet(Kind.IDLE, 1, 1, 4, b"", bytes(8)))
    log.received(idle[:6], 100.0)
    log.port("absent", 101.0)
    log.received(idle, 102.0)
    log.close()
    last = everything(tmp_path)[-1]
    assert isinstance(last, Bytes)
    assert last.comment == "idle 1 s1 #4"


def test_no_face_is_in_a_log(tmp_path: Path, clocks: Clocks) -> None:
    """The bytes are those of the wire, where the faces are covered; the words have none."""
    log = make(tmp_path, clocks, describe=describe.frames)
    covered = b"\xaa\xbb\xcc"
    event = messages.to_bytes(messages.Dispensed(1, 1, 3, covered))
    log.received(frame.to_bytes(Packet(Kind.EVENT, 1, 1, 1, event, bytes(8))), 100.0)
    log.close()
    (record,) = [one for one in everything(tmp_path) if isinstance(one, Bytes)]
    assert record.comment == "event 1 s1 #1 dispensed round=1 number=1 cards=3"
    assert "aabbcc" not in log.flight().partition(";")[2]


def test_files_are_rotated_compressed_and_let_go(tmp_path: Path, clocks: Clocks) -> None:
    log = make(tmp_path, clocks, limits=SMALL)
    log.device("acceptor 3", "acceptor model='A'", 100.0)
    sent = []
    for number in range(600):
        data = number.to_bytes(4, "big") * 10
        sent.append(("in", data))
        log.received(data, 100.0 + number)
        if number % 7 == 0:
            log.flush()
    log.close()
    names = [path.name for path in files(tmp_path)]
    assert len(names) <= SMALL.kept_files + 1
    assert names[-1].endswith(".log")
    assert all(name.endswith(".log.gz") for name in names[:-1])
    found = everything(tmp_path)
    assert not [one for one in found if isinstance(one, Damage)]
    # The newest are kept, without a hole.
    kept = chunks(found)
    assert kept == sent[-len(kept) :]
    assert len(kept) > 100
    # Each file stands alone, and counts its own time.
    for path in files(tmp_path):
        header, first, *_ = read_records(path)
        assert isinstance(header, Header)
        assert header.fact("device") == "acceptor 3: acceptor model='A'"
        assert isinstance(first, Bytes)
        assert first.at_us == 0
        began = float(header.fact("monotonic"))
        assert sent[round(began - 100)] == ("in", first.data)


def test_all_kept_bytes_are_bounded_too(tmp_path: Path, clocks: Clocks) -> None:
    limits = Limits(file_bytes=4000, kept_files=1000, kept_bytes=5000)
    log = make(tmp_path, clocks, limits=limits)
    for number in range(1500):
        log.received(os.urandom(40), 100.0 + number)
        log.flush()
    log.close()
    assert sum(path.stat().st_size for path in files(tmp_path)) < 5000 + 2 * 4000


def test_a_start_goes_on_in_the_last_file(tmp_path: Path, clocks: Clocks) -> None:
    for start in range(50):
        log = make(tmp_path, clocks)
        log.received(bytes((start,)), clocks.now)
        log.close()
        clocks.now += 10
    assert len(files(tmp_path)) == 1
    found = everything(tmp_path)
    assert len([one for one in found if isinstance(one, Header)]) == 50
    assert chunks(found) == [("in", bytes((start,))) for start in range(50)]


def test_a_line_that_was_cut_off_is_ended_and_the_rest_is_read(
    tmp_path: Path, clocks: Clocks
) -> None:
    log = make(tmp_path, clocks)
    log.received(b"one", 100.0)
    log.close()
    (path,) = files(tmp_path)
    path.write_bytes(path.read_bytes() + b"      9.000000 in     aab")
    log = make(tmp_path, clocks)
    log.received(b"two", 110.0)
    log.close()
    found = everything(tmp_path)
    assert chunks(found) == [("in", b"one"), ("in", b"two")]
    assert len([one for one in found if isinstance(one, Damage)]) == 1


def test_a_step_of_the_clock_is_a_record(tmp_path: Path, clocks: Clocks) -> None:
    log = make(tmp_path, clocks)
    log.received(b"one", 100.0)
    log.flush()
    clocks.now, clocks.ahead = 110.0, clocks.ahead + 3600
    log.flush()
    clocks.now += 10
    log.flush()
    log.close()
    assert [one for one in everything(tmp_path) if isinstance(one, Clock)] == [
        Clock(10_000_000, round(clocks.ahead * 1e6) + 110_000_000)
    ]


def test_the_flight_recorder_has_the_last_each_way(tmp_path: Path, clocks: Clocks) -> None:
    log = make(tmp_path, clocks)
    for number in range(1000):
        log.sent(b"\x01" + number.to_bytes(2, "big"), 100.0 + number)
        if number < 150:
            log.received(b"\x02" + number.to_bytes(2, "big"), 100.5 + number)
    log.note("here", 2000.0)
    lines = log.flight().splitlines()
    assert len(lines) == 2 * REMEMBERED + 1
    # Those that came are not pushed out by the many that went.
    assert sum(" in " in line for line in lines) == REMEMBERED
    assert lines[-1].endswith("here")
    assert lines == sorted(lines)


def test_a_description_that_fails_costs_only_the_description(
    tmp_path: Path, clocks: Clocks
) -> None:
    def fails() -> Callable[[str, bytes], str]:
        def describe(direction: str, data: bytes) -> str:
            raise KeyError("nobody knows")

        return describe

    log = make(tmp_path, clocks, describe=fails)
    log.received(b"one", 100.0)
    log.close()
    (record,) = [one for one in everything(tmp_path) if isinstance(one, Bytes)]
    assert record.data == b"one"
    assert "could not be described" in record.comment


def test_a_note_that_says_nothing_is_refused(tmp_path: Path, clocks: Clocks) -> None:
    with pytest.raises(ValueError, match="says nothing"):
        make(tmp_path, clocks).note("", 100.0)


# --- Disks --------------------------------------------------------------------


def test_a_full_disk_is_said_and_nothing_is_lost_that_was_kept(
    tmp_path: Path, clocks: Clocks
) -> None:
    (tmp_path / "acceptors.000001.log").symlink_to("/dev/full")
    log = make(tmp_path, clocks)
    log.received(b"one", 100.0)
    log.flush()
    assert "No space left on device" in log.warning
    assert "acceptors" in log.warning
    log.received(b"two", 101.0)
    log.flush()
    (tmp_path / "acceptors.000001.log").unlink()
    log.flush()
    assert log.warning == ""
    log.close()
    assert chunks(everything(tmp_path)) == [("in", b"one"), ("in", b"two")]


def test_a_disk_that_fills_up_in_the_middle_keeps_the_log_whole(
    tmp_path: Path, clocks: Clocks
) -> None:
    log = make(tmp_path, clocks)
    log.received(b"first", 100.0)
    log.flush()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # As a full disk does, this lets some of a write through and then no more.
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        for number in range(60):
            log.received(bytes((number,)) * 20, 101.0 + number)
        log.flush()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "File too large" in log.warning
    log.close()
    assert log.warning == ""
    found = everything(tmp_path)
    assert not [one for one in found if isinstance(one, Damage)]
    sent = [("in", bytes((number,)) * 20) for number in range(60)]
    assert chunks(found) == [("in", b"first"), *sent]


def test_a_folder_that_is_taken_away_is_made_again(tmp_path: Path, clocks: Clocks) -> None:
    folder = tmp_path / "logs"
    log = make(folder, clocks)
    log.received(b"one", 100.0)
    log.flush()
    shutil.rmtree(folder)
    log.received(b"two", 101.0)
    log.close()
    assert log.warning == ""
    header, *rest = everything(folder)
    assert isinstance(header, Header)
    assert chunks(rest) == [("in", b"two")]


def test_a_folder_that_is_a_file_is_said(tmp_path: Path, clocks: Clocks) -> None:
    (tmp_path / "logs").write_text("")
    log = make(tmp_path / "logs", clocks)
    log.received(b"one", 100.0)
    log.flush()
    assert str(tmp_path / "logs") in log.warning


def test_what_waits_for_the_disk_is_bounded_and_the_gap_is_said(
    tmp_path: Path, clocks: Clocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "MAX_WAITING", 10)
    full = tmp_path / "acceptors.000001.log"
    full.symlink_to("/dev/full")
    log = make(tmp_path, clocks)
    for number in range(25):
        log.received(bytes((number,)), 100.0 + number)
        if number == 5:
            log.flush()
    assert log.lost == 15
    full.unlink()
    log.flush()
    log.received(b"after", 200.0)
    log.close()
    found = everything(tmp_path)
    assert chunks(found) == [*(("in", bytes((n,))) for n in range(10)), ("in", b"after")]
    (gap,) = [one for one in found if isinstance(one, Remark)]
    assert gap.word == "gap"
    assert gap.text.startswith("15 records were lost")


def test_so_are_the_bytes_in_it(
    tmp_path: Path, clocks: Clocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "MAX_WAITING_BYTES", 1000)
    log = make(tmp_path, clocks)
    for number in range(30):
        log.received(bytes(100), 100.0 + number)
    assert log.lost == 20
    log.close()
    assert len(chunks(everything(tmp_path))) == 10


def test_what_can_not_be_compressed_is_said_and_the_log_goes_on(
    tmp_path: Path, clocks: Clocks
) -> None:
    # A folder in the place of the compressed file.
    (tmp_path / "acceptors.000001.log.gz").mkdir()
    (tmp_path / "acceptors.000001.log").write_text("# felt device log 1\n" * 300)
    log = make(tmp_path, clocks, limits=SMALL)
    log.received(b"one", 100.0)
    log.flush()
    assert "tidied up" in log.warning
    log.received(b"two", 101.0)
    log.close()
    newest = tmp_path / "acceptors.000002.log"
    assert chunks(list(read_records(newest))) == [("in", b"one"), ("in", b"two")]


def test_half_compressed_files_of_a_crash_are_removed(tmp_path: Path, clocks: Clocks) -> None:
    (tmp_path / "acceptors.000007.log.gz.tmp").write_text("half")
    with gzip.open(tmp_path / "acceptors.000007.log.gz", "wb") as old:
        old.write(b"# felt device log 1\n")
    log = make(tmp_path, clocks)
    log.received(b"one", 100.0)
    log.close()
    names = [path.name for path in files(tmp_path)]
    assert names == ["acceptors.000007.log.gz", "acceptors.000008.log"]


def test_a_log_does_not_touch_the_files_of_another(tmp_path: Path, clocks: Clocks) -> None:
    other = tmp_path / "acceptors-2.000001.log"
    other.write_text("theirs")
    log = make(tmp_path, clocks, limits=SMALL)
    for number in range(300):
        log.received(bytes(40), 100.0 + number)
        log.flush()
    log.close()
    assert other.read_text() == "theirs"


# --- Beside the loop ----------------------------------------------------------


async def ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_records_reach_the_file_by_themselves_and_the_rest_at_the_end(
    tmp_path: Path,
) -> None:
    log = Capture(tmp_path, HEADING)
    loop = asyncio.get_running_loop()
    log.received(b"before", loop.time())
    task = asyncio.create_task(log.run())
    await until(lambda: bool(files(tmp_path)) and len(chunks(everything(tmp_path))) == 1)
    log.received(b"one", loop.time())
    await until(lambda: len(chunks(everything(tmp_path))) == 2)
    log.received(b"last", loop.time())
    await ended(task)
    assert [data for _, data in chunks(everything(tmp_path))] == [b"before", b"one", b"last"]


async def test_a_fault_does_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "FLUSH_S", 3600.0)
    log = Capture(tmp_path, HEADING)
    loop = asyncio.get_running_loop()
    task = asyncio.create_task(log.run())
    await asyncio.sleep(0)
    log.received(b"one", loop.time())
    log.port("absent, hang-up", loop.time())
    await until(lambda: bool(files(tmp_path)) and len(everything(tmp_path)) == 3)
    await ended(task)


async def test_the_warning_is_told_once_and_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "RETRY_S", 0.01)
    monkeypatch.setattr(capture, "FLUSH_S", 0.01)
    full = tmp_path / "acceptors.000001.log"
    full.symlink_to("/dev/full")
    told: list[str] = []
    log = Capture(tmp_path, HEADING, on_warning=told.append)
    loop = asyncio.get_running_loop()
    task = asyncio.create_task(log.run())
    for number in range(10):
        log.received(bytes((number,)), loop.time())
        await asyncio.sleep(0.02)
    await until(lambda: len(told) == 1)
    full.unlink()
    await until(lambda: len(told) == 2)
    assert "No space left" in told[0]
    assert told[1] == ""
    await ended(task)
    assert len(chunks(everything(tmp_path))) == 10


@pytest.mark.parametrize("turns", range(8))
async def test_cancelled_at_any_moment_all_is_written(tmp_path: Path, turns: int) -> None:
    log = Capture(tmp_path, HEADING)
    loop = asyncio.get_running_loop()
    task = asyncio.create_task(log.run())
    await asyncio.sleep(0)
    for number in range(turns):
        log.received(bytes((number,)), loop.time())
        log.flush_soon()
        await asyncio.sleep(0)
    await ended(task)
    found = chunks(everything(tmp_path)) if turns else []
    assert found == [("in", bytes((number,))) for number in range(turns)]


async def test_a_port_is_captured(tmp_path: Path) -> None:
    station = Station(1, bytes(32), lambda: bytes(16))
    line = Line([station])
    log = Capture(tmp_path / "logs", HEADING, describe=describe.frames)
    with plugged_in(tmp_path / "shoe") as plug:
        port = SerialPort(PortSettings(str(plug.path)), line, on_turn=lambda: None, tap=log)
        tasks = [asyncio.create_task(log.run()), asyncio.create_task(port.run())]
        await until(lambda: line.counts.frames_out > 0)
        os.write(plug.master, b"noise\0")
        await until(lambda: line.counts.garbage == 5)
        for task in reversed(tasks):
            await ended(task)
    found = everything(tmp_path / "logs")
    assert not [one for one in found if isinstance(one, Damage)]
    assert sum(len(data) for way, data in chunks(found) if way == "out") == line.counts.bytes_out
    assert b"".join(data for way, data in chunks(found) if way == "in") == b"noise\0"
    said = [one.comment for one in found if isinstance(one, Bytes)]
    assert said[0].startswith("hello 1 ")
    assert "garbage, 5 bytes" in said


# --- Polls that say nothing ---------------------------------------------------


def poll(address: int, seq: int) -> bytes:
    return frame.to_bytes(Packet(Kind.POLL, address, 1, seq, bytes(4), bytes(8)))


def exchange(log: Capture, address: int, seq: int, at: float, *, quiet: bool = True) -> None:
    """A poll and its answer, a hundredth of a second later."""
    log.sent(poll(address, seq), at)
    heard = round(at + 0.01, 6)
    log.received(frame.to_bytes(Packet(Kind.IDLE, address, 1, seq, b"", bytes(8))), heard)
    if quiet:
        log.quiet(Rest(address, seq, at, heard, 0.03, 0.25))


def words(folder: Path) -> list[str]:
    """What is in the log, by its kind."""
    found = []
    for one in everything(folder)[1:]:
        match one:
            case Bytes(direction=direction, data=data):
                found.append(f"{direction} {data[1]:02x}")
            case Remark(word=word):
                found.append(word)
            case Quiet():
                found.append(f"quiet {one.polls}")
    return found


def test_polls_that_say_nothing_are_counted(tmp_path: Path, clocks: Clocks) -> None:
    log = make(tmp_path, clocks)
    for n in range(6):
        exchange(log, 1 + n % 2, 10 + n // 2, 100 + n / 8)
    log.sent(b"\x04\x02\x01\x00", 101.0)
    log.close()
    _, quiet, command = everything(tmp_path)
    assert quiet == Quiet(
        0,
        635_000,
        (
            Polled(1, 12, 3, 135_000, 125_000, 10_000, 0.03, 0.25),
            Polled(2, 12, 3, 10_000, 0, 10_000, 0.03, 0.25),
        ),
    )
    assert isinstance(command, Bytes)
    assert command.at_us == 365_000


def test_what_is_no_answer_to_the_poll_is_written_out(tmp_path: Path, clocks: Clocks) -> None:
    log = make(tmp_path, clocks)
    exchange(log, 1, 1, 100.0)
    exchange(log, 1, 2, 100.1, quiet=False)
    # An event and its acknowledgement come between a poll and its answer.
    log.sent(poll(1, 3), 100.2)
    log.received(b"\x04\x84\x01\x00", 100.201)
    log.sent(b"\x04\x04\x01\x00", 100.202)
    log.received(frame.to_bytes(Packet(Kind.IDLE, 1, 1, 3, b"", bytes(8))), 100.203)
    log.quiet(Rest(1, 3, 100.2, 100.203, 0.03, 0.25))
    exchange(log, 1, 4, 100.3)
    log.close()
    written = ["out 03", "in 83", "out 03", "in 84", "out 04", "in 83"]
    assert words(tmp_path) == ["quiet 1", *written, "quiet 1"]


def test_whoever_suspects_a_cable_gets_every_poll(tmp_path: Path, clocks: Clocks) -> None:
    log = make(tmp_path, clocks, every_poll=True)
    exchange(log, 1, 1, 100.0)
    exchange(log, 1, 2, 100.1)
    log.close()
    assert words(tmp_path) == ["out 03", "in 83"] * 2


def test_a_quiet_stretch_is_written_before_it_is_long(tmp_path: Path, clocks: Clocks) -> None:
    log = make(tmp_path, clocks)
    for n in range(120):
        exchange(log, 1, n + 1, 100 + n / 10)
    log.close()
    quiet = [one for one in everything(tmp_path) if isinstance(one, Quiet)]
    assert sum(one.polls for one in quiet) == 120
    assert len(quiet) == 3
    assert max(one.length_us for one in quiet) <= QUIET_S * 1e6


def test_of_entries_on_a_quiet_wire_the_last_says_enough(tmp_path: Path, clocks: Clocks) -> None:
    log = make(tmp_path, clocks)
    log.table("entry 1 round 1 betting", 100.0)
    exchange(log, 1, 1, 100.1)
    log.table("entry 3 round 1 betting", 100.2)
    exchange(log, 1, 2, 100.3)
    log.table("entry 5 round 1 locked", 100.4)
    log.sent(b"\x04\x02\x01\x00", 100.4)
    log.close()
    _, *found = everything(tmp_path)
    times = [one.at_us for one in found if not isinstance(one, Header | Damage)]
    assert times == sorted(times)
    assert [one.text for one in found if isinstance(one, Remark)] == [
        "entry 3 round 1 betting",
        "entry 5 round 1 locked",
    ]
    assert words(tmp_path) == ["table", "quiet 2", "table", "out 02"]


def test_a_fault_brings_what_was_held_back_to_the_disk(tmp_path: Path, clocks: Clocks) -> None:
    log = make(tmp_path, clocks)
    exchange(log, 1, 1, 100.0)
    log.sent(poll(1, 2), 100.1)
    assert " quiet " in log.flight()
    assert log.flight().count(" out ") == 1
