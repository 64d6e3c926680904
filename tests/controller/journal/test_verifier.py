"""The verifier finds one flipped byte anywhere, says where it is, and cries wolf at nothing."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from controller.journal import schema, verifier
from controller.journal.entry import CHECKPOINT, Record
from controller.journal.errors import Damaged
from controller.journal.journal import Journal
from controller.journal.verifier import Finding, Unreadable, main, verify
from tests.controller.journal.making import (
    START_NS,
    TABLE,
    copied,
    flip,
    grow,
    made,
    record,
    sound,
)

PAGE = 4096
#: Pages of the smallest journal that has everything.
SMALLEST = 5


@contextmanager
def flipped(file: Path, at: int, mask: int = 0xFF) -> Iterator[None]:
    """One byte of a file is another one, for a while."""
    flip(file, at, mask)
    yield
    flip(file, at, mask)


def found(path: Path) -> list[Finding]:
    """What the verifier finds; a file that it does not even take for a journal is a finding too."""
    try:
        return verify(path).findings
    except Unreadable as error:
        return [Finding(str(path), str(error))]


def missed(path: Path, places: Iterable[int], mask: int = 0xFF) -> list[int]:
    """The bytes of which a change is not found."""
    file = os.open(path, os.O_RDWR)
    result = []
    for at in places:
        byte = os.pread(file, 1, at)
        os.pwrite(file, bytes((byte[0] ^ mask,)), at)
        if not found(path):
            result.append(at)
        os.pwrite(file, byte, at)
    os.close(file)
    return result


def found_with(path: Path, at: int, mask: int) -> list[Finding]:
    with flipped(path, at, mask):
        return found(path)


# A sound journal.


@pytest.mark.parametrize("count", [0, 1, 7, 200])
def test_a_sound_journal(path: Path, count: int) -> None:
    report = sound(made(path, count))
    with Journal.open(path, TABLE) as journal:
        assert (report.head_seq, report.head_link) == journal.head
        assert report.rounds == len(journal.rounds(1000))
    assert (report.table, report.created) == (TABLE, START_NS)
    assert report.remarks == []


def test_reading_changes_nothing(path: Path, folder: Path) -> None:
    with Journal.create(path, TABLE) as journal:
        grow(journal, 20)
        crashed = copied(path, folder / "crashed")
    before = {file.name: file.read_bytes() for file in crashed.parent.iterdir()}
    crashed.parent.chmod(0o555)
    assert sound(crashed).head_seq == 20
    crashed.parent.chmod(0o755)
    assert {file.name: file.read_bytes() for file in crashed.parent.iterdir()} == before


def test_what_is_only_in_the_log_counts(path: Path, folder: Path) -> None:
    with Journal.create(path, TABLE) as journal:
        grow(journal, 20)
        crashed = copied(path, folder / "crashed")
        head = journal.head
    report = sound(crashed)
    assert report.log.frames
    assert (report.head_seq, report.head_link) == head
    crashed.with_name("J.db-wal").unlink()
    assert sound(crashed).head_seq == 0


def test_it_does_not_verify_what_its_own_process_has_open(path: Path) -> None:
    with Journal.create(path, TABLE), pytest.raises(Unreadable, match="open in this very process"):
        verify(path)


def test_it_has_the_schema_by_heart() -> None:
    assert set(verifier.CONTENTS.values()) == {*schema.RECORD, *schema.DERIVED}
    assert verifier.APPLICATION_ID == schema.APPLICATION_ID
    assert verifier.SCHEMA == schema.VERSION


# One flipped byte in the file.


@pytest.fixture
def smallest(path: Path) -> Path:
    """A journal with everything in it: entries, rounds, a checkpoint."""
    with Journal.create(path, TABLE, START_NS) as journal:
        grow(journal, 4, longest=120)
        journal.append([Record(CHECKPOINT, b"how the table stands", START_NS)])
    assert path.stat().st_size == SMALLEST * PAGE
    return path


@pytest.mark.rule("R32", "R36")
@pytest.mark.parametrize("page", range(1, SMALLEST + 1))
def test_every_byte_of_a_journal_that_was_changed_is_found(smallest: Path, page: int) -> None:
    assert missed(smallest, range((page - 1) * PAGE, page * PAGE)) == []


@pytest.mark.slow
@pytest.mark.parametrize("mask", [0x01, 0x10, 0x80])
def test_every_byte_of_a_journal_with_long_entries(path: Path, mask: int) -> None:
    made(path, 8, longest=7000)
    assert missed(path, range(path.stat().st_size), mask) == []


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal whose trees have grown a level and been rearranged, dead bytes and all."""
    path = tmp_path_factory.mktemp("large") / "J.db"
    with Journal.create(path, TABLE, START_NS) as journal:
        grow(journal, 1200, longest=4000)
        # Rounds out of order, so that the index is rearranged in the middle too.
        chance = random.Random(5)
        for _ in range(15):
            journal.append(
                [record(seq)._replace(round=chance.randrange(1 << 40)) for seq in range(100)]
            )
            body = chance.randbytes(chance.randrange(20_000))
            journal.append([Record(CHECKPOINT, body, START_NS)])
    return path


def test_a_large_journal_is_sound_and_has_dead_bytes(large: Path) -> None:
    """The case for the ledger: without it, nobody could say what these bytes should be."""
    sound(large)
    data = large.read_bytes()
    dead = 0
    for at in range(0, len(data), PAGE):
        page = data[at : at + PAGE]
        if page[0] in (2, 5, 10):
            end = (12 if page[0] != 10 else 8) + 2 * int.from_bytes(page[3:5], "big")
            dead += any(page[end : int.from_bytes(page[5:7], "big")])
    assert dead > 5


@pytest.mark.rule("R32")
def test_a_changed_byte_in_a_large_journal_is_found(large: Path) -> None:
    """Anywhere, and above all where pages were rearranged."""
    data = large.read_bytes()
    chance = random.Random(11)
    inner = [at for at in range(0, len(data), PAGE) if data[at] in (2, 5, 10)]
    places = [chance.randrange(len(data)) for _ in range(5)]
    places += [chance.choice(inner) + chance.randrange(PAGE) for _ in range(7)]
    assert missed(large, places, 0x20) == []


@pytest.mark.slow
def test_many_changed_bytes_in_a_large_journal_are_found(large: Path) -> None:
    chance = random.Random(12)
    size = large.stat().st_size
    assert missed(large, (chance.randrange(size) for _ in range(300)), 0x40) == []


@pytest.mark.slow
def test_a_journal_beyond_a_gibibyte(tmp_path: Path) -> None:
    """SQLite leaves out the page there. Nobody else may use it either."""
    path = tmp_path / "J.db"
    with Journal.create(path, TABLE) as journal:
        for _ in range(1030):
            journal.append([Record("note", bytes(1 << 20), 0)])
    assert sound(path).head_seq == 1030
    for at in (1 << 30, (1 << 30) + 4095, (1 << 30) - 1, (1 << 30) + 4096):
        assert found_with(path, at, 0x01)
    path.unlink()


@pytest.mark.rule("R32", "R36")
@pytest.mark.parametrize("entry", [1, 2, 12, 39, 40])
def test_a_change_in_an_entry_is_named_by_its_number(path: Path, entry: int) -> None:
    made(path, 40)
    body = record(entry).body
    data = path.read_bytes()
    begin = data.index(body)
    with Journal.open(path, TABLE) as journal:
        (written,) = journal.entries(entry, entry)
        link_at = data.index(written.link)
    for at in (begin, begin + len(body) - 1, link_at, link_at + 31, link_at - 1):
        named = {finding.entry for finding in found_with(path, at, 0x04)}
        assert named == {entry}
    # The bytes before: the row's own header, and where the page says that the row is.
    assert entry in {finding.entry for finding in found_with(path, link_at - 20, 0x04)}


def test_a_change_outside_of_entries_is_named_by_its_place(path: Path) -> None:
    made(path, 4)
    (finding, *_) = found_with(path, 2 * PAGE + 100, 0x01)
    assert str(finding) == (
        f"page 3, byte 100 (byte {2 * PAGE + 100} of the file): an unused byte is not zero"
    )


@pytest.mark.parametrize("cut", [1, 100, PAGE, 3 * PAGE])
def test_a_file_of_another_length_is_found(path: Path, cut: int) -> None:
    made(path, 40)
    data = path.read_bytes()
    for other in (data[:-cut], data + bytes(cut)):
        path.write_bytes(other)
        assert found(path)


@pytest.mark.parametrize("wiped", [slice(100, PAGE), slice(0, PAGE), slice(PAGE, None)])
def test_pages_of_zeros_are_found(path: Path, wiped: slice) -> None:
    data = bytearray(made(path, 40).read_bytes())
    data[wiped] = bytes(len(data[wiped]))
    path.write_bytes(data)
    assert found(path)


def test_swapped_pages_are_found(large: Path, path: Path) -> None:
    data = bytearray(large.read_bytes())
    leaves = [at for at in range(PAGE, len(data), PAGE) if data[at] == 13][20:22]
    one, other = leaves
    data[one : one + PAGE], data[other : other + PAGE] = (
        data[other : other + PAGE],
        data[one : one + PAGE],
    )
    path.write_bytes(data)
    assert found(path)


def test_a_row_that_was_never_written_is_found(path: Path) -> None:
    """By somebody who knows SQLite but not the chain."""
    made(path, 10)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("INSERT INTO entries VALUES (11, 1, 'note', NULL, zeroblob(32), x'00')")
    assert {finding.entry for finding in found(path)} >= {11}


def test_another_table_in_the_file_is_found(path: Path) -> None:
    made(path, 10)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("CREATE TABLE more (x)")
    assert any("more" in finding.what for finding in found(path))


@pytest.mark.parametrize(
    "change",
    ["DELETE FROM rounds WHERE round = 1", "VACUUM"],
)
def test_a_change_to_what_is_derived_is_found(path: Path, change: str) -> None:
    made(path, 30)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(change)
    assert found(path)


# The log.


@pytest.fixture
def crashed(path: Path, folder: Path) -> Path:
    """A journal whose process was killed: its last commits are in the log."""
    with Journal.open(made(path, 10), TABLE) as journal:
        for seq in range(11, 15):
            journal.append([record(seq)])
        return copied(path, folder / "crashed")


def log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def test_the_log_of_the_crashed_one(crashed: Path) -> None:
    assert sound(crashed).head_seq == 14


def in_the_log(crashed: Path, every: int) -> list[int]:
    """The bytes of the log, of which changes are not found."""
    log = log_of(crashed)
    size = verifier.LOG_HEADER.size + verify(crashed).log.frames * verifier.FRAME
    heads = {
        verifier.LOG_HEADER.size + frame * verifier.FRAME + at
        for frame in range(verify(crashed).log.frames)
        for at in range(verifier.FRAME_HEADER.size)
    }
    places = [at for at in range(size) if at < 32 or at in heads or at % every == 0]
    result = []
    for at in places:
        with flipped(log, at, 0x10):
            if not found(crashed):
                result.append(at)
    return result


@pytest.mark.rule("R32")
def test_a_changed_byte_in_the_log_is_found(crashed: Path) -> None:
    assert in_the_log(crashed, every=97) == []


@pytest.mark.slow
def test_every_changed_byte_in_the_log_is_found(crashed: Path) -> None:
    assert in_the_log(crashed, every=1) == []


@pytest.mark.rule("R32")
def test_a_change_before_the_last_commit_keeps_the_journal_from_being_opened(
    crashed: Path,
) -> None:
    """SQLite itself would take it for the end of the log, and forget what comes after."""
    log = log_of(crashed)
    header, frame = verifier.LOG_HEADER.size, verifier.FRAME
    frames = verify(crashed).log.frames
    assert frames >= 4
    # In the header; in a frame's page number, its mark, its checksum and its page.
    places = [4, 16, 24] + [header + frame + at for at in (1, 9, 17, 500)]
    for at in places:
        with flipped(log, at):
            report = verify(crashed)
            assert report.log.proven, at
            with pytest.raises(Damaged, match="more was recorded after it"):
                Journal.open(crashed, TABLE)
            flip(log, at)
            assert sound(crashed).head_seq == 14
            flip(log, at)


def test_a_commit_that_was_cut_short_is_forgotten_and_said(crashed: Path) -> None:
    """The last one: nobody can tell it from one that was altered, and so both are told."""
    report = verify(crashed)
    flip(log_of(crashed), verifier.LOG_HEADER.size + report.log.frames * verifier.FRAME - 3)
    (finding,) = verify(crashed).findings
    assert finding.kind == "log"
    assert "it was altered, or it was being written when the power went" in finding.what
    with Journal.open(crashed, TABLE) as journal:
        assert journal.head.seq == 13
        assert "cut short" in journal.recovery.remarks[0]
    assert sound(crashed).head_seq == 13


# As a program of its own.


def test_it_stands_alone(path: Path, folder: Path) -> None:
    """Copied to another machine, without felt."""
    made(path, 9)
    alone = folder / "elsewhere"
    alone.mkdir()
    shutil.copy(Path(verifier.__file__), alone / "verifier.py")

    def run(*given: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "-S", "verifier.py", *given]
        return subprocess.run(command, cwd=alone, capture_output=True, text=True, check=False)

    done = run(str(path))
    head = sound(path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        f"{path}: journal of table 'stud-7', created 2026-09-21T14:13:20.000000000Z\n"
        "entries 9, rounds 2, pages 5, frames in the log 0\n"
        f"head 9 {head.head_link.hex()}\n"
        "sound\n"
    )
    at = path.read_bytes().index(record(4).body)
    flip(path, at)
    done = run(str(path))
    assert done.returncode == 1
    assert "DAMAGED entry 4, page 3, byte" in done.stdout
    assert done.stdout.endswith("damaged: stop the table, keep the file as it is\n")
    assert run(str(path.with_name("none.db"))).returncode == 2
    assert run("verifier.py").returncode == 2
    assert run().returncode == 2
    assert run("--help").returncode == 2


@pytest.mark.parametrize("content", [b"", b"x" * 600, b"SQLite format 3\0" + bytes(5000)])
def test_what_is_not_a_journal_is_not_readable(
    path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    path.write_bytes(content)
    assert main([str(path)]) == 2
    assert "is not a journal of felt" in capsys.readouterr().err


def test_a_newer_schema_is_not_readable(path: Path) -> None:
    made(path, 3)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for kind, name, _ in verifier.CONTENTS:
            if kind == "trigger" or name in ("rounds", "pages"):
                db.execute(f"DROP {kind} {name}")
        db.execute("PRAGMA user_version = 3")
    with pytest.raises(
        Unreadable, match="has schema 3, and this verifier knows 2; use a newer one"
    ):
        verify(path)


def test_there_is_an_end_to_findings(large: Path, path: Path) -> None:
    data = bytearray(large.read_bytes())
    for at in range(10 * PAGE + 2000, len(data), PAGE):
        data[at] ^= 0xFF
    path.write_bytes(data)
    report = verify(path)
    assert len(report.findings) <= 3 * verifier.MAX_FINDINGS
    assert any(line.endswith("more places") for line in verifier.lines(report))


def test_random_garbage_is_no_crash(smallest: Path) -> None:
    """Whatever is in the file, the verifier ends with a finding and not with a traceback."""
    data = smallest.read_bytes()
    for seed in range(150):
        chance = random.Random(seed)
        other = bytearray(data)
        for _ in range(chance.randrange(1, 30)):
            at = chance.randrange(len(other))
            length = chance.randrange(1, 40)
            other[at : at + length] = chance.randbytes(len(other[at : at + length]))
        smallest.write_bytes(other)
        assert found(smallest)


def test_garbage_in_the_log_is_no_crash(crashed: Path) -> None:
    data = log_of(crashed).read_bytes()
    for seed in range(60):
        chance = random.Random(seed)
        other = bytearray(data)
        for _ in range(chance.randrange(1, 10)):
            at = chance.randrange(20_000)
            other[at : at + 30] = chance.randbytes(30)
        log_of(crashed).write_bytes(other[: chance.randrange(len(other))])
        found(crashed)
