"""One changed byte gives another digest, and nothing else does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from controller.daemon import signature
from controller.daemon.signature import ROOT, Part
from controller.library import Library, shipped
from controller.rules.faults import Refused


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The program, in another place."""
    for own in signature.OWN:
        shutil.copytree(ROOT / own, tmp_path / own)
    return tmp_path


@pytest.mark.rule("R35")
def test_the_program_has_the_same_digest_wherever_it_is(copied: Path) -> None:
    (copied / "controller" / "__pycache__").mkdir(exist_ok=True)
    (copied / "controller" / "__pycache__" / "cli.cpython-311.pyc").write_bytes(b"made of it")
    assert signature.program(copied) == signature.program(copied)
    assert signature.program(copied).files > 100


@pytest.mark.rule("R35")
def test_one_byte_in_any_place_changes_the_digest(copied: Path) -> None:
    before = signature.program(copied)
    for name in ("controller/cli.py", "drivers/shoe.py", "controller/rules/cards.py"):
        file = copied / name
        kept = file.read_bytes()
        file.write_bytes(bytes([kept[0] ^ 1]) + kept[1:])
        assert signature.program(copied).digest != before.digest, name
        file.write_bytes(kept)
    assert signature.program(copied) == before


def test_a_file_more_or_less_or_under_another_name_changes_it(copied: Path) -> None:
    before = signature.program(copied).digest
    (copied / "drivers" / "more.py").write_text("")
    more = signature.program(copied).digest
    (copied / "drivers" / "more.py").rename(copied / "drivers" / "moved.py")
    moved = signature.program(copied).digest
    assert len({before, more, moved}) == 3


@pytest.mark.rule("R35")
def test_rulebooks_and_configuration_are_signed_too(tmp_path: Path) -> None:
    own = tmp_path / "own"
    shutil.copytree(shipped("rulebooks"), own)
    before = signature.rulebooks(Library(own))
    with (own / "ma.toml").open("a") as file:
        file.write("\n")
    assert signature.rulebooks(Library(own)) != before
    table = tmp_path / "table.toml"
    table.write_text("a")
    one = signature.configuration(table)
    table.write_text("b")
    assert signature.configuration(table) != one


def test_the_whole_follows_every_part_and_the_key() -> None:
    parts = {"program": Part("00", 1), "rulebooks": Part("11", 1)}
    plain = signature.signature(parts)
    assert "hmac" not in plain
    other = signature.signature({**parts, "rulebooks": Part("12", 1)})
    assert other["digest"] != plain["digest"]
    keys = [signature.key_of(text) for text in ("00" * 16, "01" * 16)]
    signed = [signature.signature(parts, key) for key in keys]
    assert {one["digest"] for one in signed} == {plain["digest"]}
    assert len({one["hmac"] for one in signed}) == 2


@pytest.mark.parametrize("text", ["", "zz", "00", "00" * 65])
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="hexadecimal"):
        signature.key_of(text)


def test_what_was_recorded_is_read_again(tmp_path: Path) -> None:
    assert signature.approved(tmp_path) == {}
    signature.record(tmp_path, {"program": Part("ab", 1)})
    signature.record(tmp_path, {"program": Part("cd", 1)})
    assert signature.approved(tmp_path) == {"program": "cd"}
    (tmp_path / signature.APPROVED).write_text("[]")
    with pytest.raises(Refused, match="--record"):
        signature.approved(tmp_path)


def test_a_file_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"gone\.py: can't be read"):
        signature.tree([("gone.py", tmp_path / "gone.py")])
