"""PINs in their file: salted, private, and whole at any instant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.daemon import pins
from controller.rules.faults import Refused


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path


def test_only_the_pin_that_was_set_is_right(folder: Path) -> None:
    pins.keep(folder, "dealer-1", "1234")
    kept = pins.read(folder)["dealer-1"]
    assert pins.is_right(kept, "1234")
    assert not any(pins.is_right(kept, other) for other in ("1235", "", "01234", "١٢٣٤"))


def test_the_same_pin_is_kept_differently_for_everyone(folder: Path) -> None:
    for person in ("dealer-1", "dealer-2"):
        pins.keep(folder, person, "1234")
    known = pins.read(folder)
    assert known["dealer-1"] != known["dealer-2"]
    assert "1234" not in {part for one in known.values() for part in one.split(":")}


def test_a_new_pin_takes_the_place_of_the_old_and_leaves_the_others(folder: Path) -> None:
    pins.keep(folder, "dealer-1", "1234")
    pins.keep(folder, "dealer-2", "5678")
    pins.keep(folder, "dealer-1", "4321")
    known = pins.read(folder)
    assert pins.is_right(known["dealer-1"], "4321")
    assert not pins.is_right(known["dealer-1"], "1234")
    assert pins.is_right(known["dealer-2"], "5678")
    assert [file.name for file in folder.iterdir()] == [pins.FILE]


@pytest.mark.parametrize("pin", ["", "123", "1234567890123", "12a4", "12 34", "١٢٣٤"])
def test_what_is_no_pin_is_not_set(folder: Path, pin: str) -> None:
    with pytest.raises(Refused, match="4 to 12 digits"):
        pins.keep(folder, "dealer-1", pin)
    assert not pins.is_kept(folder)


def test_a_file_that_others_may_read_is_not_used(folder: Path) -> None:
    pins.keep(folder, "dealer-1", "1234")
    (folder / pins.FILE).chmod(0o644)
    with pytest.raises(Refused, match="chmod 600"):
        pins.read(folder)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"dealer-1": 1}', "\x00"])
def test_a_file_that_is_something_else_is_refused(folder: Path, text: str) -> None:
    (folder / pins.FILE).write_text(text)
    (folder / pins.FILE).chmod(0o600)
    with pytest.raises(Refused, match="not a file of PINs"):
        pins.read(folder)


@pytest.mark.parametrize(
    "kept", ["", "md5:1:1:1:00:00", "scrypt:3:8:1:00:00", "scrypt:x:8:1:00:00", "scrypt:16384"]
)
def test_a_damaged_hash_is_nobodys_pin(folder: Path, kept: str) -> None:
    (folder / pins.FILE).write_text(json.dumps({"dealer-1": kept}))
    assert not pins.is_right(kept, "1234")


def test_systemd_puts_a_name_before_those_of_a_folder(folder: Path) -> None:
    pins.keep(folder, "dealer-1", "1234")
    (folder / pins.FILE).rename(folder / f"secrets_{pins.FILE}")
    assert pins.is_kept(folder)
    assert pins.is_right(pins.read(folder)["dealer-1"], "1234")
