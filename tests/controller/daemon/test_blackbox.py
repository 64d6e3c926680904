"""Log and journal say where in the other one to look, and a fault leaves what led to it behind."""

from __future__ import annotations

from pathlib import Path

from controller.daemon.blackbox import MAX_CHARACTERS, BlackBox, flight
from controller.recalling import FLIGHT, flight_of
from controller.recorder import Taken
from controller.table import events
from controller.table.machine import Step, new_table
from drivers.wire.capture import Capture, Heading
from drivers.wire.devicelog import Remark
from drivers.wire.logreading import read_records
from tests.controller.table.playing import terms_of

TABLE = new_table(terms_of("pa-639a", "automated shoe"))
HEADING = Heading("t1", "shoe", "/dev/x", "0.1.0", "pa-639a", run="7 after entry 1")


class Kept:
    def __init__(self, folder: Path) -> None:
        self.entries: list[tuple[str, bytes, int]] = []
        self.folder = folder
        self.capture = Capture(folder, HEADING, clock=lambda: 5.0, utc=lambda: 5.0)
        self.box = BlackBox({"shoe": self.capture}, lambda *one: self.entries.append(one))
        self.box.wire_of["shoe"] = "shoe"

    def faults(self, now: float) -> None:
        event = events.DeviceFaulted(at=1, device="shoe", nature="jam")
        self.box.told(TABLE, event, Taken(12, Step(TABLE)), now)

    def remarks(self) -> list[tuple[str, str]]:
        self.capture.close()
        (file,) = self.folder.iterdir()
        return [(r.word, r.text) for r in read_records(file) if isinstance(r, Remark)]


def test_a_log_says_which_entry_is_acted_on(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.box.decided(Taken(345, Step(TABLE)), 6.0)
    kept.box.decided(Taken(347, Step(TABLE, refused="not now")), 6.5)
    kept.box.arrived("shoe", "shoe serial='4711'", 7.0)
    kept.box.arrived("a stranger", "nobody", 7.0)
    assert kept.remarks() == [
        ("table", "entry 345 round 0 closed"),
        ("table", "entry 347 round 0 closed refused"),
        ("device", "shoe: shoe serial='4711'"),
    ]


def test_a_fault_leaves_what_led_to_it_in_the_journal(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.capture.received(b"\x01\x02", 5.5)
    kept.faults(6.0)
    ((kind, body, at),) = kept.entries
    found = flight_of(body)
    assert (kind, at) == (FLIGHT, 1)
    assert (found["wire"], found["device"], found["entry"]) == ("shoe", "shoe", 12)
    assert [line.split() for line in found["said"]] == [["5.500000", "in", "0102"]]


def test_one_that_fails_all_the_time_fills_no_journal(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    for second in range(100):
        kept.faults(float(second))
    assert len(kept.entries) == 2


def test_a_flight_is_bounded_and_its_newest_lines_are_whole() -> None:
    lines = [f"line {number}" for number in range(10_000)]
    found = flight_of(flight("shoe", "shoe", 1, "\n".join(lines)))
    assert sum(map(len, found["said"])) <= MAX_CHARACTERS
    assert found["said"] == lines[-len(found["said"]) :]


def test_a_flight_of_another_felt_is_an_empty_one() -> None:
    assert flight_of(b"\xff") == flight_of(b"[]") == {}
