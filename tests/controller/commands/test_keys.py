"""The keys of a table's devices over their lives, by the command that people give."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from controller.daemon import keyring, secrets
from controller.rules.faults import Refused
from tests.controller import inside
from tests.controller.daemon.house import table_file


def keys(file: Path, *words: str) -> tuple[int, str, str]:
    done = inside.felt("keys", *words, "--table", file)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = table_file(tmp_path, more='[serial_numbers]\npanel = "P-1"\n')
    assert keys(made, "new")[0] == 0
    return made


def test_new_makes_those_that_are_missing(file: Path, tmp_path: Path) -> None:
    kept = secrets.key(tmp_path / "secrets", "shoe")
    (tmp_path / "secrets" / "panel.key").unlink()
    code, out, _ = keys(file, "new")
    assert code == 0
    assert f"made {tmp_path}/secrets/panel.key\n1 made, 4 were there" in out
    assert secrets.key(tmp_path / "secrets", "shoe") == kept


def test_a_rotated_key_is_another_and_the_one_before_is_kept_apart(
    file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "secrets"
    before = secrets.key(folder, "shoe")
    code, out, _ = keys(file, "rotate", "shoe")
    assert code == 0
    after = secrets.key(folder, "shoe")
    assert after != before
    assert keyring.fingerprint(after) in out
    assert before.hex() not in out
    assert after.hex() not in out
    assert "systemctl restart felt@test-1" in out
    (apart,) = (tmp_path / "secrets.retired").iterdir()
    assert bytes.fromhex(apart.read_text()) == before
    assert apart.stat().st_mode & 0o777 == 0o400
    assert apart.parent.stat().st_mode & 0o777 == 0o700
    assert (folder / "shoe.key").stat().st_mode & 0o777 == 0o400
    assert secrets.key(folder, "panel"), "no other device is touched"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rotate", "acceptor 9"), "acceptor 9: is no device of this table; shuffler, shoe, panel"),
        (("rotate",), "say which device"),
        (("rotate", "heads"), "is no device of this table"),
        (("retire", "shoe"), "shoe: is on wires.rack, and needs its key; take it off the table"),
        (("retire", "heads"), "names no key that is left over; none"),
        (("retire",), "names no key that is left over"),
        (("new", "shoe"), "makes all that are missing; felt keys rotate 'shoe'"),
        (("list", "eve"), "eve: is no device of this table"),
        (("rotat", "shoe"), "'rotat' can't be done; new, list, rotate, retire"),
    ],
)
def test_what_can_not_be_done_names_what_can(
    file: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    before = {one.name: one.read_text() for one in (tmp_path / "secrets").iterdir()}
    code, out, err = keys(file, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert {one.name: one.read_text() for one in (tmp_path / "secrets").iterdir()} == before


def test_the_key_of_a_device_that_is_gone_is_found_and_retired(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    secrets.make_key(folder, "acceptor 3")
    assert "acceptor-3.key is of no device of this table" in keys(file, "list")[1]
    code, out, _ = keys(file, "retire", "acceptor 3")
    assert code == 0
    assert "is used no longer" in out
    assert not (folder / "acceptor-3.key").exists()
    (apart,) = keyring.retired(folder)
    assert apart.startswith("acceptor-3.")
    assert f"retired, in {folder}.retired: {apart}" in keys(file, "list")[1]


async def test_the_list_says_what_is_in_use_and_what_is_newer(file: Path, tmp_path: Path) -> None:
    code, out, _ = keys(file, "list")
    assert code == 0
    key = secrets.key(tmp_path / "secrets", "panel")
    (panel,) = [line for line in out.splitlines() if line.startswith("panel")]
    assert panel.split()[1] == hashlib.sha256(b"felt key" + key).hexdigest()[:8]
    assert panel.split()[3:] == ["P-1", "felt", "does", "not", "run"]
    assert key.hex() not in out
    (tmp_path / "secrets" / "panel.key").unlink()
    assert "MISSING" in keys(file, "list", "panel")[1]


def test_a_key_that_is_none_is_not_rotated_away(file: Path, tmp_path: Path) -> None:
    broken = tmp_path / "secrets" / "shoe.key"
    broken.chmod(0o600)
    broken.write_text("not a key")
    with pytest.raises(Refused, match="is not a key"):
        keyring.rotate(tmp_path / "secrets", "shoe")
    assert broken.read_text() == "not a key"
