"""A replay does what was recorded; where it would do something else, that is found and named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from controller.cli import main
from controller.library import Library
from controller.technician import cut
from controller.technician.cut import Cut
from controller.technician.replaying import Outcome, Replayer
from drivers.wire.devicelog import Remark
from tests.logs.recording import HERE, Case, recorded

LIBRARY = Library()
GOLDEN = HERE / "shoe-jam" / "cut.zip"


def replayed(found: Cut, secrets: Path | None = None) -> Outcome:
    return Replayer(found.run, found.past, LIBRARY, secrets=secrets, late_s=0).run()


def test_with_the_keys_every_byte_is_the_same(tmp_path: Path) -> None:
    case = Case("keyed", "tags too", "pa-639a", "automated shoe", {"wire acceptors": "lost=0.05"})
    found = cut.read(recorded(case, tmp_path, LIBRARY))
    outcome = replayed(found, tmp_path / "secrets")
    assert outcome.difference is None
    assert outcome.remarks == []
    other = tmp_path / "secrets/shoe.key"
    other.write_text("00" * 32)
    assert replayed(found, tmp_path / "secrets").difference is not None


def test_without_keys_it_says_that_tags_were_not_checked() -> None:
    outcome = replayed(cut.read(GOLDEN))
    assert outcome.identical
    assert outcome.remarks == ["tags not checked: no keys were given"]
    assert outcome.from_devices


def test_a_decision_that_is_another_one_is_named_with_its_entry() -> None:
    found = cut.read(GOLDEN)
    entries = list(found.past.entries)
    place = next(n for n, one in enumerate(entries) if b"unlock" in one.body)
    changed = entries[place].body.replace(b"unlock", b"lock")
    entries[place] = entries[place]._replace(body=changed)
    outcome = replayed(replace(found, past=replace(found.past, entries=tuple(entries))))
    assert outcome.difference is not None
    assert f"entry {entries[place].seq - 1}, " in outcome.difference.what
    assert "decided otherwise" in outcome.difference.what
    assert outcome.difference.recorded == changed.decode()


def test_an_event_that_no_device_said_is_named() -> None:
    found = cut.read(GOLDEN)
    entries = list(found.past.entries)
    place = next(n for n, one in enumerate(entries) if b'"shoe:' in one.body)
    body = entries[place].body.replace(b'"shoe:1:', b'"shoe:1:9')
    entries[place] = entries[place]._replace(body=body)
    outcome = replayed(replace(found, past=replace(found.past, entries=tuple(entries))))
    assert outcome.difference is not None
    assert outcome.difference.what == "a device's event is another one"


def test_the_exit_code_says_whether_it_is_identical(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(GOLDEN), "--exact", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["identical"]
    assert main(["replay", str(GOLDEN), "--exact", "--until", "entry:20", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["records"] < said["records"]
    assert main(["replay", str(GOLDEN), "--speed", "backwards"]) == 2
    assert "is no speed" in capsys.readouterr().err


def test_one_wire_alone_is_replayed_with_the_journal(tmp_path: Path) -> None:
    found = cut.read(GOLDEN)
    alone = replace(found.run, wires={"shoe": found.run.wires["shoe"]})
    outcome = Replayer(alone, found.past, LIBRARY, late_s=0).run()
    assert outcome.difference is None
    assert 0 < outcome.from_devices < outcome.events


def test_a_note_that_was_written_a_day_later_changes_nothing() -> None:
    found = cut.read(GOLDEN)
    shoe = found.run.wires["shoe"]
    last = shoe.records[-1]
    day = 86_400_000_000
    shoe.records.append(
        last._replace(at_us=last.at_us + day, record=Remark(last.at_us + day, "note", "cleaned"))
    )
    assert replayed(found).difference is None
