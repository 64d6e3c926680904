"""The record turned back, cut, begun anew, forged: with what was acknowledged at stake each time.

An attacker has the table PC's disk while felt does not run, and can reckon. What felt must never do
is to play on from a journal that has less, or says other, than what was acknowledged.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

import pytest_asyncio

from controller.journal.entry import Record, chained
from controller.journal.errors import JournalError
from controller.journal.reader import Reader
from tests.attacks.conftest import Tally
from tests.controller.daemon.house import House
from tests.controller.daemon.images import image_of
from tests.controller.daemon.test_heads import happening, table_with_heads
from tests.controller.daemon.test_heads_at_brokers import (
    at_the_broker,
    broker,
    disk,
    felt,
    holds,
    lives,
)
from tests.controller.journal.forging import added, anew
from tests.drivers.wire.mosquitto import Mosquitto
from tests.drivers.wire.over_mqtt import until

__all__ = ["broker", "disk"]

EVENTS = 20
CHANCE = random.Random(14)


class Victim:
    """A table as a kill has left it, and earlier images of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.images: list[Path] = []
        self.heads: list[int] = []

    async def lives(self) -> None:
        house = House(table_with_heads(self.folder / "house"))
        async with house.running():
            for n in range(EVENTS):
                await house.takes(happening(house.service.clock.wall_ms()))
                self.heads.append(house.service.journal.head.seq)
                self.images.append(image_of(house, self.folder / f"image-{n}"))

    @property
    def acknowledged(self) -> int:
        return self.heads[-1]

    def copy(self) -> Path:
        """Of the last image: what the attack is carried out on."""
        source = self.images[-1].parent
        folder = self.folder / "attacked"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder)
        file = folder / "table.toml"
        file.write_text(file.read_text().replace(str(source), str(folder)))
        return file


@pytest_asyncio.fixture
async def victim(tmp_path: Path) -> AsyncIterator[Victim]:
    made = Victim(tmp_path)
    await made.lives()
    yield made


async def plays_on(file: Path, acknowledged: int) -> bool:
    """Whether felt starts on it without a hold, though it has less than was acknowledged."""
    try:
        house = House(file)
    except JournalError:
        return False  # it says that the journal is damaged, and does not start
    has = house.service.journal.head.seq
    disputed = bool(house.service.heads.dispute)
    async with house.running():
        await house.service.core.ping()
        held = any(one.where == "record" for one in house.service.core.table.holds)
    return not (disputed and held) and has < acknowledged


async def test_the_attacked_image_itself_is_sound(victim: Victim) -> None:
    house = House(victim.copy())
    assert house.service.heads.dispute == ""
    assert house.service.journal.head.seq >= victim.acknowledged
    house.close()


def journal_of(file: Path) -> Path:
    return file.parent / "state" / "journal.db"


async def test_turned_back_to_every_moment(victim: Victim, tally: Tally) -> None:
    """By one event, by two, and so on to the first: journal and log as they lay there then."""
    bad = 0
    for image in victim.images[:-1]:
        file = victim.copy()
        for part in ("journal.db", "journal.db-wal"):
            shutil.copy(journal_of(image).with_name(part), journal_of(file).with_name(part))
        journal_of(file).with_name("journal.db-shm").unlink(missing_ok=True)
        bad += await plays_on(file, victim.acknowledged)
    tally("journal: an older copy in its place", len(victim.images) - 1, bad)


async def test_the_whole_disk_turned_back(disk: Path, broker: Mosquitto, tally: Tally) -> None:
    """Journal, head file and device logs of one moment bear each other out; the broker, which is on
    another PC, has the head of a later one."""
    older = []
    for n in range(8):
        await lives(disk, broker, n % 3)
        older.append(shutil.copytree(disk, disk.with_name(f"older-{n}")))
    bad = 0
    for one in older[:-1]:
        shutil.rmtree(disk)
        shutil.copytree(one, disk)
        async with felt(disk) as service:
            await until(partial(at_the_broker, service))
            await service.core.ping()
            bad += not holds(service)
        shutil.rmtree(disk)
        shutil.copytree(older[-1], disk)
        await lives(disk, broker, 1)
    tally("the whole disk turned back, beside a broker elsewhere", len(older) - 1, bad)


async def test_the_log_cut_short_anywhere(victim: Victim, tally: Tally) -> None:
    bad, tries = 0, 120
    for n in range(tries):
        file = victim.copy()
        wal = journal_of(file).with_name("journal.db-wal")
        size = wal.stat().st_size
        with wal.open("r+b") as opened:
            opened.truncate(CHANCE.randrange(size) if n % 2 else size * n // tries)
        bad += await plays_on(file, victim.acknowledged)
    tally("journal: its log cut short", tries, bad)


async def test_the_log_or_the_whole_deleted(victim: Victim, tally: Tally) -> None:
    bad = 0
    for parts in (("-wal",), ("-wal", "-shm"), ("", "-wal", "-shm"), ("",)):
        file = victim.copy()
        for part in parts:
            journal_of(file).with_name(f"journal.db{part}").unlink(missing_ok=True)
        bad += await plays_on(file, victim.acknowledged)
    tally("journal: deleted, in part or as a whole", 4, bad)


async def test_made_anew_from_every_entry_on(victim: Victim, tally: Tally) -> None:
    """The right number of entries, each chained: only that one of them says something else."""
    bad = tries = 0
    for at in range(2, victim.acknowledged, 3):
        file = victim.copy()
        anew(journal_of(file), at, lambda body: body[:-1] + b" " + body[-1:])
        try:
            house = House(file)
        except (JournalError, ValueError):
            continue
        tries += 1
        bad += not house.service.heads.dispute
        house.close()
    tally("journal: one entry changed, all after it chained anew", tries, bad)


async def test_entries_added_at_its_end(victim: Victim, tally: Tally) -> None:
    bad = 0
    counts = (4, 5, 20, 300)
    for count in counts:
        file = victim.copy()
        with Reader.look(journal_of(file)) as reader:
            last = reader.entry(reader.head.seq)
            more = [Record(last.kind, last.body, last.at, last.round)] * count
            rows = chained(last.seq, last.link, more)
        added(journal_of(file), rows)
        house = House(file)
        bad += not house.service.heads.dispute
        house.close()
    tally("journal: entries chained on at its end", len(counts), bad)


async def test_the_head_kept_apart_is_altered(victim: Victim, tally: Tally) -> None:
    """Together with a journal that was turned back; by whoever has that folder too, but no key."""

    def raised(data: bytes) -> bytes:
        return data.replace(b"felt head", b"felt tale")

    changes: list[Callable[[bytes], bytes]] = [raised, lambda _: b"", lambda data: data[:100]]
    changes += [lambda data, at=at: data[:at] + b"0" + data[at + 1 :] for at in range(30, 60)]  # type: ignore[misc]
    bad = 0
    for change in changes:
        file = victim.copy()
        for part in ("journal.db", "journal.db-wal"):
            older = journal_of(victim.images[7]).with_name(part)
            shutil.copy(older, journal_of(file).with_name(part))
        (head,) = (file.parent / "secrets").glob("*.head")
        head.write_bytes(change(head.read_bytes()))
        bad += await plays_on(file, victim.acknowledged)
    tally("journal: turned back, and its head altered", len(changes), bad)
