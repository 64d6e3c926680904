"""A journal that was put back, cut or forged holds the table, until two people go on from it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from controller.daemon import secrets
from controller.journal.entry import HEAD, Record, chained
from controller.journal.notes import note_of
from controller.journal.reader import Reader
from controller.table import events
from controller.table.people import Person
from tests.controller.daemon.house import House, table_file
from tests.controller.daemon.images import image_of
from tests.controller.journal.forging import added, anew

BOSS, FLOOR = Person("supervisor-1", "supervisor"), Person("floor-1", "floorperson")


def table_with_heads(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    file = table_file(folder)
    secrets.make_key(folder / "secrets", secrets.HEADS)
    return file


def happening(at: int) -> events.AttemptRefused:
    return events.AttemptRefused(
        at=at, person="somebody", device="panel", attempt="deal", reason="a thing"
    )


async def lives(file: Path, some: int = 3) -> House:
    """felt runs, something happens, felt ends."""
    house = House(file)
    async with house.running():
        for _ in range(some):
            at = house.service.clock.wall_ms()
            await house.takes(happening(at))
    return house


def entries(house: House) -> int:
    with Reader.look(house.configuration.journal) as reader:
        return reader.head.seq


async def found(file: Path) -> str:
    """What a start says against the journal; and that it is what holds the table."""
    house = House(file)
    async with house.running():
        await house.service.core.ping()
        holds = house.service.core.table.holds
        causes = [one.cause for one in holds if one.where == "record"]
        assert not house.service.heads.dispute or house.service.heads.dispute in causes
    return house.service.heads.dispute


async def test_a_start_and_a_kill_go_on_from_their_journal(tmp_path: Path) -> None:
    file = table_with_heads(tmp_path)
    for _ in range(3):
        await lives(file)
        assert await found(file) == ""


async def test_every_commit_is_kept_before_anybody_is_told(tmp_path: Path) -> None:
    house = House(table_with_heads(tmp_path))
    async with house.running():
        for _ in range(5):
            at = house.service.clock.wall_ms()
            await house.takes(happening(at))
            kept = house.service.heads.file
            assert kept is not None
            said = kept.read()
            assert said is not None
            assert said.head == house.service.journal.head


@pytest.mark.parametrize("back", [1, 2, 6])
async def test_an_older_copy_in_its_place_is_seen(tmp_path: Path, back: int) -> None:
    """By one event or by several: the copy is whole, and so is every link in it."""
    file = table_with_heads(tmp_path)
    house = await lives(file)
    older = shutil.copy(house.configuration.journal, tmp_path / "copy.db")
    had = entries(house)
    house = await lives(file, back)
    now = entries(house)
    shutil.copy(older, house.configuration.journal)
    assert await found(file) == f"it ends with entry {had}, and {now} were recorded"


async def test_after_a_kill_it_goes_on_and_without_its_log_it_is_held(tmp_path: Path) -> None:
    """What was acknowledged stands in the log beside the file; who takes that away takes it all."""
    file = table_with_heads(tmp_path / "house")
    house = House(file)
    async with house.running():
        for _ in range(10):
            await house.takes(happening(house.service.clock.wall_ms()))
        known = house.service.journal.head.seq
        killed = image_of(house, tmp_path / "killed")
        robbed = image_of(house, tmp_path / "robbed")
    (robbed.parent / "state" / "journal.db-wal").unlink()
    assert await found(killed) == ""
    assert f"and {known} were recorded" in await found(robbed)


async def test_a_journal_that_was_deleted_is_seen(tmp_path: Path) -> None:
    file = table_with_heads(tmp_path)
    house = await lives(file)
    house.configuration.journal.unlink()
    assert "it is not the journal that was kept" in await found(file)


async def test_a_journal_that_was_made_anew_is_seen(tmp_path: Path) -> None:
    file = table_with_heads(tmp_path)
    house = await lives(file, 8)
    now = entries(house)
    anew(house.configuration.journal, 5, lambda body: body.replace(b"thing", b"wager"))
    assert await found(file) == f"entry {now} is another one than was recorded"


async def test_entries_that_were_added_are_seen(tmp_path: Path) -> None:
    """Whoever has the disk can chain on; felt had not written them."""
    file = table_with_heads(tmp_path)
    house = await lives(file)
    known = entries(house)
    with Reader.look(house.configuration.journal) as reader:
        last = reader.entry(known)
        records = [Record(last.kind, last.body, last.at, last.round)] * 20
        rows = chained(known, last.link, records)
    added(house.configuration.journal, rows)
    assert f"and only {known} were recorded" in await found(file)


@pytest.mark.parametrize("what", ["gone", "another key's", "empty"])
async def test_a_head_that_is_gone_or_forged_is_seen(tmp_path: Path, what: str) -> None:
    file = table_with_heads(tmp_path)
    house = await lives(file)
    kept = house.service.heads.file
    assert kept is not None
    if what == "gone":
        kept.path.unlink()
        assert "is gone" in await found(file)
        return
    text = kept.path.read_bytes()
    kept.path.write_bytes(b"" if what == "empty" else text.replace(b"felt head 1", b"felt head 2"))
    assert "nothing that this table's key has signed" in await found(file)


async def test_without_its_key_a_journal_that_had_one_is_not_gone_on_with(tmp_path: Path) -> None:
    file = table_with_heads(tmp_path)
    await lives(file)
    (tmp_path / "secrets" / "heads.key").unlink()
    assert "the key of its heads is gone" in await found(file)


async def test_a_journal_from_before_there_were_heads_goes_on(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    await lives(file)
    assert await found(file) == ""
    secrets.make_key(tmp_path / "secrets", secrets.HEADS)
    assert await found(file) == ""
    house = await lives(file)
    with Reader.look(house.configuration.journal) as reader:
        assert reader.last(HEAD) is not None


async def test_the_hold_outlasts_restarts_and_two_people_end_it(tmp_path: Path) -> None:
    file = table_with_heads(tmp_path)
    house = await lives(file)
    house.configuration.journal.unlink()
    assert await found(file)
    house = House(file)
    async with house.running():
        assert house.service.heads.dispute == ""
        (hold,) = [one for one in house.service.core.table.holds if one.where == "record"]
        at = house.service.clock.wall_ms()
        alone = events.HoldCleared(at=at, by=BOSS, hold=hold.number, reason="looked")
        taken = await house.takes(alone)
        assert "two people go on from a record together" in taken.step.refused
        both = events.RecordAccepted(at=at, by=BOSS, second=BOSS, reason="compared")
        assert "takes two different people" in (await house.takes(both)).step.refused
        both = events.RecordAccepted(at=at, by=BOSS, second=FLOOR, reason="compared")
        assert not (await house.takes(both)).step.refused
    assert await found(file) == ""
    assert not house.service.core.table.holds


async def test_a_device_log_that_is_ahead_is_seen_where_the_head_is_gone_too(
    tmp_path: Path,
) -> None:
    """Both were deleted; the logs name the entries that were followed."""
    file = table_with_heads(tmp_path)
    house = await lives(file)
    kept = house.service.heads.file
    assert kept is not None
    kept.path.unlink()
    house.configuration.journal.unlink()
    logs = house.configuration.logs
    logs.mkdir(exist_ok=True)
    (logs / "panel.000001.log").write_text(
        "# felt device log 1\n# run: 1700000000000 after entry 0\n"
        "      0.000412 a1d0 table  entry 40 round 2 betting\n"
        "      1.000412 a1d0 table  entry 47 round 2 dealing\n"
    )
    assert "follows entry 47" in await found(file)
    # It was looked into: that log is of a journal that was given up.
    assert await found(file) == ""


async def test_heads_are_signed_in_the_journal(tmp_path: Path) -> None:
    house = await lives(table_with_heads(tmp_path), 40)
    signer = house.service.heads.signer
    assert signer is not None
    with Reader.look(house.configuration.journal) as reader:
        noted = [one for one in reader.entries() if one.kind == HEAD]
        assert len(noted) == 2
        for one in noted:
            note = note_of(one.body.decode())
            assert note.is_signed_by(signer.key)
            assert (note.size, note.hash) == (one.seq - 1, reader.entry(one.seq - 1).link)
