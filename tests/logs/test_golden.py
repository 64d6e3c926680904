"""Every golden log replays identically; and the checks of that can fail."""

from __future__ import annotations

import json
import random
import shutil
import zipfile
from pathlib import Path

import pytest

from controller.library import Library
from controller.rules.faults import Refused
from controller.technician import cut, logs
from controller.technician.promoting import CUT, EXPECTED, digest, promote, wrong
from controller.technician.replaying import Replayer
from tests.logs.editing import changed, flipped, has_bytes, unchecked
from tests.logs.recording import HERE, cases, kept

LIBRARY = Library()
KEPT = kept()
JAM = HERE / "shoe-jam"


@pytest.mark.parametrize("name", KEPT)
def test_a_golden_log_replays_identically(name: str) -> None:
    assert wrong(HERE / name, LIBRARY) == []


def test_no_case_that_can_be_recorded_is_missing() -> None:
    assert {case.name for case in cases()} <= set(KEPT)


def test_a_missing_golden_fails(tmp_path: Path) -> None:
    (tmp_path / CUT).write_bytes((JAM / CUT).read_bytes())
    assert wrong(tmp_path, LIBRARY) == [
        f"{tmp_path / EXPECTED} is missing: promote the cut again, or remove the case"
    ]


def test_a_changed_golden_needs_a_reason(tmp_path: Path) -> None:
    case = tmp_path / "jam"
    shutil.copytree(JAM, case)
    before = json.loads((case / EXPECTED).read_text())["because"]
    other = HERE / "shuffler-jam" / CUT
    shutil.copyfile(other, case / CUT)
    assert "is not the one that was promoted" in wrong(case, LIBRARY)[0]
    promote(other, "jam", "the shuffler jams now", tmp_path, LIBRARY)
    assert wrong(case, LIBRARY) == []
    said = json.loads((case / EXPECTED).read_text())
    assert said["because"] == [*before, "the shuffler jams now"]


def test_a_case_may_be_that_felt_does_otherwise_now(tmp_path: Path) -> None:
    """It was wrong in the field. What is repaired is expected from now on, and at that place."""
    with cut.unpacked(JAM / CUT) as unpacked:
        shutil.copytree(unpacked, tmp_path / "cut")
    log = tmp_path / "cut" / "shoe.log"
    log.write_text(unchecked(log.read_text()))
    line = next(n for n, text in enumerate(log.read_text().split("\n"), 1) if "; command" in text)
    changed(log, flipped, line)
    file = tmp_path / "field.zip"
    with zipfile.ZipFile(file, "w") as packed:
        for one in (tmp_path / "cut").iterdir():
            packed.write(one, one.name)
    with pytest.raises(Refused, match=r"does not replay identically.*--differs"):
        promote(file, "wrong", "a wrong command", tmp_path, LIBRARY)
    made = promote(file, "wrong", "a wrong command", tmp_path, LIBRARY, differs=True)
    assert wrong(made, LIBRARY) == []
    # The same felt, and another place is expected.
    said = json.loads((made / EXPECTED).read_text())
    said["difference"]["where"] = "shoe.log:1"
    (made / EXPECTED).write_text(json.dumps(said))
    assert wrong(made, LIBRARY)[0].startswith("shoe.log:1: a difference was expected here")
    with pytest.raises(Refused, match="--differs"):
        promote(JAM / CUT, "right", "nothing", tmp_path, LIBRARY, differs=True)


def flipped_at(file: Path, member: str, line: int, place: int, bits: int) -> None:
    """Change one byte of a record in a cut."""
    with zipfile.ZipFile(file) as packed:
        members = {one.filename: packed.read(one) for one in packed.infolist()}
    lines = members[member].decode().split("\n")
    lines[line - 1] = flipped(lines[line - 1], place, bits)
    members[member] = "\n".join(lines).encode()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, body in members.items():
            packed.writestr(name, body)


def with_bytes(file: Path) -> list[tuple[str, int]]:
    """Where bytes stand in a cut."""
    with zipfile.ZipFile(file) as packed:
        return [
            (one.filename, number)
            for one in packed.infolist()
            if one.filename.startswith("logs/")
            for number, text in enumerate(packed.read(one).decode().split("\n"), 1)
            if has_bytes(text)
        ]


@pytest.mark.parametrize("name", KEPT)
def test_one_byte_of_one_record_is_found_and_named_there(name: str, tmp_path: Path) -> None:
    """Any of them: sent or received, whole or a piece, on every kind of wire."""
    file = tmp_path / CUT
    shutil.copyfile(HERE / name / CUT, file)
    chance = random.Random(name)
    member, line = chance.choice(with_bytes(file))
    flipped_at(file, member, line, chance.randrange(1 << 16), chance.randrange(1, 256))
    found = cut.read(file)
    late_s = json.loads((HERE / name / EXPECTED).read_text())["late_s"]
    outcome = Replayer(found.run, found.past, LIBRARY, late_s=late_s, start=found.start).run()
    assert outcome.first is not None
    assert outcome.first.where.endswith(f"{Path(member).name}:{line}")


@pytest.mark.parametrize(
    ("wire", "said"),
    [("shoe", "; command"), ("panel", "; ack"), ("acceptors", "; poll"), ("sign", "; hello")],
)
def test_what_felt_sent_is_compared_also_where_the_checks_were_taken_out(
    tmp_path: Path, wire: str, said: str
) -> None:
    with cut.unpacked(JAM / CUT) as unpacked:
        shutil.copytree(unpacked, tmp_path / "logs")
    log = tmp_path / "logs" / f"{wire}.log"
    log.write_text(unchecked(log.read_text()))
    line = next(n for n, text in enumerate(log.read_text().split("\n"), 1) if said in text)
    changed(log, flipped, line)
    (run,) = logs.read([tmp_path / "logs"]).runs
    outcome = Replayer(run, cut.read(JAM / CUT).past, LIBRARY, late_s=0).run()
    assert outcome.difference is not None
    assert outcome.difference.wire == wire
    at = int(outcome.difference.where.rpartition(":")[2])
    assert line <= at <= line + 3


def test_the_digest_is_of_the_cut() -> None:
    assert json.loads((JAM / EXPECTED).read_text())["sha256"] == digest(JAM / CUT)
