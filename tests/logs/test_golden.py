"""Every golden log replays identically; and the checks of that can fail."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from controller.library import Library
from controller.technician import cut
from controller.technician.promoting import CUT, EXPECTED, digest, promote, wrong
from controller.technician.replaying import Replayer
from tests.logs.recording import HERE, cases

LIBRARY = Library()
KEPT = sorted(one.name for one in HERE.iterdir() if one.is_dir() and not one.name.startswith("_"))
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


def flipped(file: Path, wire: str, line: int) -> None:
    """Change one byte of a record in a cut."""
    with zipfile.ZipFile(file) as packed:
        members = {one.filename: packed.read(one) for one in packed.infolist()}
    lines = members[f"logs/{wire}.log"].decode().split("\n")
    words = lines[line - 1].split(" ")
    at = next(n for n, word in enumerate(words) if len(word) >= 16)
    data = bytearray.fromhex(words[at])
    data[7] ^= 0x41
    words[at] = data.hex()
    lines[line - 1] = " ".join(words)
    members[f"logs/{wire}.log"] = "\n".join(lines).encode()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, body in members.items():
            packed.writestr(name, body)


@pytest.mark.parametrize(
    ("wire", "said"),
    [("shoe", "; command"), ("panel", "; ack"), ("acceptors", "; poll"), ("sign", "; hello")],
)
def test_one_byte_that_felt_sent_is_found_at_its_record(
    tmp_path: Path, wire: str, said: str
) -> None:
    file = tmp_path / CUT
    shutil.copyfile(JAM / CUT, file)
    with zipfile.ZipFile(file) as packed:
        lines = packed.read(f"logs/{wire}.log").decode().split("\n")
    line = next(n for n, text in enumerate(lines, 1) if said in text)
    flipped(file, wire, line)
    found = cut.read(file)
    outcome = Replayer(found.run, found.past, LIBRARY, late_s=0).run()
    assert outcome.difference is not None
    assert outcome.difference.wire == wire
    assert outcome.difference.where.endswith(f"{wire}.log:{line}")


def test_one_byte_that_a_device_sent_is_found_on_its_wire(tmp_path: Path) -> None:
    """A frame with a wrong byte is no frame: felt would have asked again, or not acknowledged."""
    file = tmp_path / CUT
    shutil.copyfile(JAM / CUT, file)
    with zipfile.ZipFile(file) as packed:
        lines = packed.read("logs/shoe.log").decode().split("\n")
    line = next(n for n, text in enumerate(lines, 1) if "; result 1" in text)
    flipped(file, "shoe", line)
    found = cut.read(file)
    outcome = Replayer(found.run, found.past, LIBRARY, late_s=0).run()
    assert outcome.difference is not None
    assert outcome.difference.wire == "shoe"
    at = int(outcome.difference.where.rpartition(":")[2])
    assert line <= at <= line + 2


def test_the_digest_is_of_the_cut() -> None:
    assert json.loads((JAM / EXPECTED).read_text())["sha256"] == digest(JAM / CUT)
