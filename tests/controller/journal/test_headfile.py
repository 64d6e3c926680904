"""The head that is kept apart: one slot is always whole, and none is made without the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.journal.entry import Head, Header
from controller.journal.errors import JournalError
from controller.journal.headfile import SLOT, SLOTS, HeadFile, Kept

KEY = bytes(range(32))
HEADER = Header("pa 639a/1", 1_770_091_506_000_000_000)


def kept_at(path: Path, *heads: int, key: bytes = KEY, since: int = 0) -> Kept | None:
    file = HeadFile(path, key)
    file.begin(HEADER, since)
    for seq in heads:
        file.keep(Head(seq, bytes([seq % 256]) * 32))
    file.close()
    return HeadFile(path, KEY).read()


def test_the_last_one_is_what_it_says(tmp_path: Path) -> None:
    path = tmp_path / "t.head"
    assert HeadFile(path, KEY).read() is None
    for last in range(1, 6):
        kept = kept_at(path, *range(last + 1))
        assert kept is not None
        assert (kept.table, kept.created) == HEADER[:2]
        assert kept.head == Head(last, bytes([last]) * 32)
    assert path.stat().st_size == SLOT * SLOTS
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("torn", [0, 1, 40, 200, SLOT - 1])
@pytest.mark.parametrize("last", [7, 8])
def test_a_write_that_was_cut_short_leaves_the_one_before(
    tmp_path: Path, torn: int, last: int
) -> None:
    """At any byte: what the slot held before is behind it."""
    path = tmp_path / "t.head"
    kept_at(path, *range(last))
    before = path.read_bytes()
    kept_at(path, last)
    after = bytearray(path.read_bytes())
    (slot,) = [n for n in range(SLOTS) if before[n * SLOT : (n + 1) * SLOT] not in bytes(after)]
    after[slot * SLOT + torn : (slot + 1) * SLOT] = before[slot * SLOT + torn : (slot + 1) * SLOT]
    path.write_bytes(after)
    kept = HeadFile(path, KEY).read()
    assert kept is not None
    assert kept.head.seq == (last if torn == SLOT - 1 else last - 1)
    # Going on writes over the torn one, and not over the only one that is whole.
    file = HeadFile(path, KEY)
    file.begin(HEADER)
    file.keep(Head(99, bytes(32)))
    file.close()
    assert {kept.head.seq for _, kept in file._slots(path.read_bytes())} >= {99, kept.head.seq}


def test_without_the_key_nobody_makes_one(tmp_path: Path) -> None:
    path = tmp_path / "t.head"
    file = HeadFile(path, bytes(32))
    file.begin(HEADER)
    file.keep(Head(5, bytes(32)))
    file.close()
    with pytest.raises(JournalError, match="nothing that this table's key has signed"):
        HeadFile(path, KEY).read()


def test_every_altered_byte_of_a_slot_makes_it_none(tmp_path: Path) -> None:
    path = tmp_path / "t.head"
    kept_at(path, 5)
    data = path.read_bytes()
    end = len(data[:SLOT].rstrip())
    file = HeadFile(path, KEY)
    assert len(list(file._slots(data))) == 1
    for at in range(end):
        altered = bytearray(data)
        altered[at] ^= 1
        assert not list(file._slots(bytes(altered))), at


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="there is no such folder; make it"):
        HeadFile(tmp_path / "no" / "t.head", KEY).begin(HEADER)
