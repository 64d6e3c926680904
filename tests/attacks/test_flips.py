"""Flipped bits, all over a journal and its log: a start finds them, or the patrol, or they touch
no entry. None makes felt go on as if nothing were, and none ends it in anything but plain words."""

from __future__ import annotations

import random
from pathlib import Path

from controller.journal import verifier
from controller.journal.errors import JournalError
from controller.journal.journal import Journal
from controller.journal.patrol import Patrol
from tests.attacks.conftest import Tally
from tests.controller.journal.making import TABLE, copied, grow, made, record

ENTRIES = 300
#: Only where an unused byte of a page is not zero any more, does nothing go on otherwise.
HARMLESS = (
    "an unused byte is not zero",
    "rows overlap, or leave a hole",
    "the page has holes, and nothing is ever removed",
)


def verdict(path: Path) -> str:
    """What becomes of a start: refused, remarked on, found by the patrol, or nothing."""
    try:
        journal = Journal.open(path, TABLE)
    except JournalError:
        return "refused"
    with journal:
        if journal.recovery.remarks:
            return "remarked"
        try:
            Patrol(journal).step(ENTRIES * 2)
        except JournalError:
            return "patrol"
    return "nothing"


def damage(path: Path) -> list[str]:
    try:
        return [one.what for one in verifier.verify(path).findings]
    except verifier.Unreadable as error:
        return [str(error)]


def outcome(path: Path, name: str, at: int, bit: int, whole: dict[str, bytes]) -> str:
    for one, data in whole.items():
        path.with_name(one).write_bytes(data)
    for stale in ("-shm", "-wal"):
        if f"{path.name}{stale}" not in whole:
            path.with_name(f"{path.name}{stale}").unlink(missing_ok=True)
    flipped = bytearray(whole[name])
    flipped[at] ^= 1 << bit
    path.with_name(name).write_bytes(flipped)
    found = damage(path)
    said = verdict(path)
    if said == "nothing" and found and not all(one.endswith(HARMLESS) for one in found):
        return f"{name} {at}.{bit}: verify finds {found[:2]}, and nothing else does"
    return said


def tried(path: Path, name: str, places: list[int], seed: int) -> list[str]:
    whole = {one.name: one.read_bytes() for one in path.parent.iterdir() if one.is_file()}
    whole = {one: data for one, data in whole.items() if one in (path.name, f"{path.name}-wal")}
    chance = random.Random(seed)
    return [outcome(path, name, at, chance.randrange(8), whole) for at in places]


KNOWN = ("refused", "remarked", "patrol", "nothing")


def test_bits_of_the_first_two_pages(tmp_path: Path, tally: Tally) -> None:
    path = made(tmp_path / "J.db", ENTRIES)
    chance = random.Random(1)
    said = tried(path, path.name, [chance.randrange(2 * verifier.PAGE) for _ in range(240)], 2)
    # In these pages all is refused or remarked on: none is left to the patrol.
    tally("bits of a journal's first pages", len(said), sum(o not in KNOWN[:2] for o in said))


def test_bits_of_all_pages(tmp_path: Path, tally: Tally) -> None:
    path = made(tmp_path / "J.db", ENTRIES, longest=1200)
    chance, size = random.Random(3), path.stat().st_size
    said = tried(path, path.name, [chance.randrange(size) for _ in range(240)], 4)
    tally("bits of a journal", len(said), sum(one not in KNOWN for one in said))


def test_bits_of_the_log(tmp_path: Path, tally: Tally) -> None:
    folder = tmp_path / "crashed"
    with Journal.open(made(tmp_path / "J.db", ENTRIES), TABLE) as journal:
        grow(journal, 3)
        for seq in range(ENTRIES + 4, ENTRIES + 16):
            journal.append([record(seq)])
        path = copied(journal.path, folder)
    frames = verifier.verify(path).log.frames
    size = verifier.LOG_HEADER.size + frames * verifier.FRAME
    chance = random.Random(5)
    said = tried(path, f"{path.name}-wal", [chance.randrange(size) for _ in range(160)], 6)
    tally("bits of a journal's log", len(said), sum(one not in KNOWN[:2] for one in said))
