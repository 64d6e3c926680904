"""What people did is done again at a table that asks them for their PINs."""

from __future__ import annotations

import json
import os
import pty
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Self

import pytest

from controller.daemon import pins
from controller.library import Library, shipped
from controller.rules.faults import Refused
from controller.table.people import Person
from controller.tables import read_file
from controller.technician import doing
from controller.technician.acting import Act
from controller.technician.doing import pins_from
from tests.controller.technician.playing_to import played, taken
from tests.logs.recording import Case, recorded

#: Digits that are nowhere by chance.
PIN = "918273645546"


@pytest.fixture(scope="module")
def then(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("then")
    recorded(Case("pins", "", "s10", "hand"), folder, Library())
    return folder


def people() -> list[str]:
    return [one["id"] for one in read_file(shipped("tables") / "s10.toml")["people"]]


def files_in(folder: Path) -> bytes:
    return b"".join(one.read_bytes() for one in folder.rglob("*") if one.is_file())


def test_the_pins_of_the_recorded_table_do_not_come_along(then: Path, tmp_path: Path) -> None:
    pins.keep(then / "secrets", "dealer-1", PIN)
    done = played(tmp_path / "now", then / "state/logs", "--secrets", then / "secrets",
                  "--acts", "--speed", "20")  # fmt: skip
    assert (done.code, done.out.splitlines()[-1]) == (0, "felt did all as it had")
    made = tmp_path / "now/secrets"
    assert not pins.is_kept(made)
    # Links, so that no key lies on the bench; but for the bench's own.
    assert {one.name for one in made.iterdir() if not one.is_symlink()} == {"faces.key"}


def test_a_bench_with_pins_takes_the_acts_with_them(then: Path, tmp_path: Path) -> None:
    now = tmp_path / "now"
    (now / "secrets").mkdir(parents=True)
    given = tmp_path / "pins.toml"
    given.touch(mode=0o600)
    everybody = people()
    given.write_text("".join(f'{one} = "{PIN}"\n' for one in everybody))
    for one in everybody:
        pins.keep(now / "secrets", one, PIN)
    done = played(now, then / "state/logs", "--secrets", then / "secrets",
                  "--acts", "--speed", "20", "--pins", given)  # fmt: skip
    assert (done.code, done.out.splitlines()[-1]) == (0, "felt did all as it had")
    found = taken(now / "state/journal.db")
    assert any('"credential_accepted"' in one for one in found)
    assert not any('"credential_refused"' in one for one in found)
    assert PIN not in done.out + done.err
    assert PIN.encode() not in files_in(now)


def test_without_them_it_is_said_whose_is_missing(then: Path, tmp_path: Path) -> None:
    now = tmp_path / "now"
    (now / "secrets").mkdir(parents=True)
    pins.keep(now / "secrets", "dealer-1", PIN)
    done = played(now, then / "state/logs", "--acts", "--speed", "20", "--strict")
    assert done.code == 1
    assert "the table asks for the PIN of" in done.err
    assert "--pins" in done.err


def test_on_a_terminal_it_is_asked_for_and_not_shown() -> None:
    asks = "from controller.technician.doing import pins_from; print(len(pins_from(None).of('d')))"
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", asks], stdin=slave, stdout=slave, stderr=slave,
        start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    shown = b""
    while b"PIN of d" not in shown:
        shown += os.read(master, 1024)
    os.write(master, PIN.encode() + b"\n")
    while f"{len(PIN)}\r\n".encode() not in shown:
        shown += os.read(master, 1024)
    assert child.wait(timeout=300) == 0
    os.close(master)
    assert PIN.encode() not in shown


class SlowTable:
    """Serves a control socket, and is late with so many of its answers."""

    def __init__(self, folder: Path, late: int) -> None:
        self.path = folder / "control.sock"
        self.asked = 0
        self._late = late
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(self.path))
        self._socket.listen()
        self._thread = threading.Thread(target=self._serve)

    def _serve(self) -> None:
        caller, _ = self._socket.accept()
        with caller, caller.makefile("rwb") as lines:
            for line in lines:
                self.asked += 1
                answer = {"id": json.loads(line)["id"], "ok": True, "result": {}}
                if self.asked <= self._late:
                    answer |= {"ok": False, "code": "late", "error": "no answer within 30 s"}
                lines.write(json.dumps(answer).encode() + b"\n")
                lines.flush()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()
        self._socket.close()


@pytest.mark.parametrize(("late", "problem"), [(2, ""), (100, "no answer within 30 s")])
def test_a_table_that_answers_late_is_asked_again_and_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: int, problem: str
) -> None:
    monkeypatch.setattr(doing, "AGAIN_S", 0.0)
    floor = Person("floor-1", "floorperson")
    act = Act(at_us=0, where="", action="table_opened", by=floor)
    with SlowTable(tmp_path, late) as table:
        people = doing.Doing(table.path, pins_from(None), patience=0.0)
        try:
            assert people.done(act) == problem
        finally:
            people.close()
    assert table.asked == min(late + 1, doing.MAX_LATE)


@pytest.mark.parametrize(
    ("text", "mode", "says"),
    [
        (f'dealer-1 = "{PIN}"', 0o644, "others may read"),
        (f"dealer-1 = {PIN}", 0o600, "has no PIN for dealer-1"),
        (f'dealer-1 = "{PIN}', 0o600, "is not TOML"),
        ('[dealer-1]\npin = "1"', 0o600, "has no PIN for dealer-1"),
    ],
)
def test_a_file_that_is_none_is_refused_and_not_shown(
    tmp_path: Path, text: str, mode: int, says: str
) -> None:
    file = tmp_path / "pins.toml"
    file.write_text(text)
    file.chmod(mode)
    with pytest.raises(Refused, match=says) as refused:
        pins_from(file)
    assert PIN not in str(refused.value)
