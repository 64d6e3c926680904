"""What a terminal remembers when its power was cut, and what it refuses to begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.rules.faults import Refused
from controller.terminal.memory import CONNECTIONS, Memory
from drivers.wire import messages

PLACED = messages.Wager("five_card_player", 100, "account")


def started(file: Path) -> Memory:
    return Memory(file)


def test_a_start_with_nothing_left_to_say_is_a_new_boot_and_counts_from_1(tmp_path: Path) -> None:
    file = tmp_path / "memory"
    first = started(file)
    first.say(1, "p", PLACED)
    first.heard(1)
    boot = first.boot
    first.close()
    second = started(file)
    assert (second.boot, second.next, second.waiting) == (boot + 1, 1, ())
    second.close()


def test_what_was_not_heard_keeps_its_boot_and_its_number(tmp_path: Path) -> None:
    file = tmp_path / "memory"
    first = started(file)
    boot = first.boot
    for number in (1, 2):
        first.say(number, f"press {number}", PLACED)
    first.heard(1)
    first.close()
    for again in (1, 2):
        one = started(file)
        assert (one.boot, one.next, one.connections) == (boot, 3, again * CONNECTIONS)
        assert [(said.number, said.press, said.read()) for said in one.waiting] == [
            (2, "press 2", PLACED)
        ]
        one.close()
    last = started(file)
    last.heard(2)
    last.close()
    new = started(file)
    assert new.boot == boot + 1
    new.close()


def test_a_transfer_is_open_until_it_is_answered(tmp_path: Path) -> None:
    file = tmp_path / "memory"
    first = started(file)
    asked = messages.CashOut("t-1", 500)
    first.say(1, "p", asked)
    first.say(2, "", asked)  # asked for again
    first.heard(2)
    first.close()
    second = started(file)
    assert dict(second.transfers()) == {"t-1": asked}
    second.answered("t-1")
    second.close()
    third = started(file)
    assert not third.transfers()
    third.close()


def test_a_file_that_was_lost_begins_with_a_boot_that_never_was(tmp_path: Path) -> None:
    file = tmp_path / "memory"
    first = started(file)
    first.close()
    file.unlink()
    other = started(file)
    # Seconds since 1970: above every count that began there.
    assert other.boot >= first.boot > 1_600_000_000
    other.close()


def test_one_file_is_one_terminal(tmp_path: Path) -> None:
    file = tmp_path / "memory"
    first = started(file)
    with pytest.raises(Refused, match="another terminal runs with it"):
        started(file)
    first.close()
    started(file).close()


def test_what_is_no_memory_is_not_begun_with(tmp_path: Path) -> None:
    file = tmp_path / "memory"
    file.write_text("{}")
    with pytest.raises(Refused, match="is not what a terminal remembers"):
        started(file)
    assert file.read_text() == "{}"
    file.unlink()
    started(file).close()  # the lock was let go


def test_nobody_else_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "memory"
    started(file).close()
    assert file.stat().st_mode & 0o077 == 0
