"""The first of a kind is said, repeats are counted, and no card ever stands in it."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import pytest

from controller.daemon.log import COUNTED_EVERY_S, MAX_FACT, MAX_KINDS, Log, printer


class Kept:
    def __init__(self) -> None:
        self.now = 0.0
        self.lines: list[tuple[str, dict[str, Any]]] = []
        self.log = Log(self.show, lambda: self.now)

    def show(self, event: str, facts: Mapping[str, Any]) -> None:
        self.lines.append((event, dict(facts)))


def test_a_flood_is_one_line_and_a_count() -> None:
    kept = Kept()
    for n in range(1000):
        kept.log.said("no answer", device="shoe", tries=n)
    assert kept.lines == [("no answer", {"device": "shoe", "tries": 0})]
    kept.now = COUNTED_EVERY_S
    kept.log.flush()
    (_, (event, facts)) = kept.lines
    assert event == "no answer"
    assert facts == {"device": "shoe", "tries": 999, "repeated": 999, "seconds": 60}


def test_another_device_or_another_cause_is_another_kind() -> None:
    kept = Kept()
    for device in ("shoe", "panel"):
        for reason in ("jam", "door"):
            kept.log.said("fault", device=device, reason=reason)
    assert len(kept.lines) == 4


def test_after_a_while_the_same_is_said_again() -> None:
    kept = Kept()
    kept.log.said("fault", device="shoe")
    kept.now = COUNTED_EVERY_S + 1
    kept.log.said("fault", device="shoe")
    assert [event for event, _ in kept.lines] == ["fault", "fault"]


def test_what_was_counted_comes_out_at_the_end() -> None:
    kept = Kept()
    for _ in range(3):
        kept.log.said("fault", device="shoe")
    kept.log.flush(all_=True)
    assert kept.lines[-1][1]["repeated"] == 2


def test_only_so_many_kinds_are_remembered() -> None:
    kept = Kept()
    for n in range(3 * MAX_KINDS):
        kept.log.said("fault", device=f"d{n}")
    assert len(kept.lines) == 3 * MAX_KINDS
    assert len(kept.log._kinds) == MAX_KINDS


def test_the_first_cause_stays_until_the_device_is_well() -> None:
    kept = Kept()
    kept.log.said("device departed", device="shoe", why="unplugged")
    kept.log.said("device is", device="shoe", status="absent", reason="no answer")
    assert kept.log.first_causes == {"shoe": "unplugged"}
    kept.log.said("device is", device="shoe", status="ready", reason="")
    assert kept.log.first_causes == {}


@pytest.mark.rule("R12")
@pytest.mark.parametrize("name", ["card", "cards", "faces", "sealed", "pin", "key"])
def test_what_could_be_a_face_or_a_secret_is_withheld(name: str) -> None:
    kept = Kept()
    kept.log.said("turned", **{name: "As Kd"}, data=b"\x01")
    assert kept.lines == [("turned", {name: "withheld", "data": "withheld"})]


def test_a_long_fact_is_cut() -> None:
    kept = Kept()
    kept.log.said("fault", why="x" * 10 * MAX_FACT)
    assert len(kept.lines[0][1]["why"]) == MAX_FACT + 3


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_program_reads_json_and_a_person_reads_words() -> None:
    pipe, terminal = io.StringIO(), Terminal()
    for stream in (pipe, terminal):
        printer(stream)("device is", {"device": "shoe", "status": "ready"})
    line = json.loads(pipe.getvalue())
    assert (line["event"], line["device"], line["timestamp"][-1]) == ("device is", "shoe", "Z")
    assert "device is" in terminal.getvalue()
    assert not terminal.getvalue().startswith("{")
