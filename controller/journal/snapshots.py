"""Snapshots: the table's state at an entry, so that recovery need not begin at the first one.

They are a cache. Each is bound to the number and the link of its entry by a digest, and one that
does not fit is passed over for an older one, or for the entries themselves.

There are a few slots of fixed size, overwritten in place, so nothing is ever freed in the file. A
state is cut into pieces; every slot has as many as the largest state so far has needed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from hashlib import sha256
from struct import Struct
from typing import NamedTuple

from controller.journal.schema import PIECE_BYTES, SNAPSHOT_SLOTS

MAX_STATE_BYTES = 1 << 24

_BOUND = Struct(">QQ32s32s")
_PREFIX = Struct(">QQ")


class Snapshot(NamedTuple):
    """The table as it was when entry ``seq`` had been taken in."""

    seq: int
    link: bytes
    state: bytes


def digest(seq: int, link: bytes, state: bytes) -> bytes:
    return sha256(b"felt snapshot" + _PREFIX.pack(seq, len(state)) + link + state).digest()


def put(db: sqlite3.Connection, snapshot: Snapshot) -> None:
    """Write a snapshot over the oldest one; the caller makes it one transaction."""
    seq, link, state = snapshot
    bounds = [_BOUND.unpack(bound) for bound in _slots(db)]
    taken = {its_seq: slot for slot, (its_seq, *_) in enumerate(bounds) if its_seq}
    slot = taken.get(seq, min(range(SNAPSHOT_SLOTS), key=lambda slot: bounds[slot][0]))
    (there,) = db.execute("SELECT ifnull(max(id), -1) + 1 FROM pieces").fetchone()
    needed = -(-len(state) // PIECE_BYTES)
    db.executemany(
        "INSERT INTO pieces VALUES (?, zeroblob(?))",
        ((id_, PIECE_BYTES) for id_ in range(there, needed * SNAPSHOT_SLOTS)),
    )
    # What the state before left behind is cleared as well: unused is zero.
    old = -(-bounds[slot][1] // PIECE_BYTES)
    db.executemany(
        "UPDATE pieces SET piece = ? WHERE id = ?",
        (
            (
                state[part * PIECE_BYTES : (part + 1) * PIECE_BYTES].ljust(PIECE_BYTES, b"\0"),
                part * SNAPSHOT_SLOTS + slot,
            )
            for part in range(max(needed, old))
        ),
    )
    bound = _BOUND.pack(seq, len(state), link, digest(seq, link, state))
    db.execute("UPDATE snapshots SET bound = ? WHERE slot = ?", (bound, slot))


class Slot(NamedTuple):
    """A snapshot as it stands in the file, whose state is still to be read."""

    number: int
    seq: int
    size: int
    link: bytes
    digest: bytes


def slots(db: sqlite3.Connection) -> list[Slot]:
    """The slots in use, the newest first."""
    found = [Slot(number, *_BOUND.unpack(bound)) for number, bound in enumerate(_slots(db))]
    return sorted((slot for slot in found if slot.seq), key=lambda slot: -slot.seq)


def get(db: sqlite3.Connection, slot: Slot) -> Snapshot | None:
    """The snapshot in a slot, or nothing where it is not as it was written."""
    if slot.size > MAX_STATE_BYTES:
        return None
    state = b"".join(_pieces(db, slot))[: slot.size]
    if len(state) != slot.size or digest(slot.seq, slot.link, state) != slot.digest:
        return None
    return Snapshot(slot.seq, slot.link, state)


def _slots(db: sqlite3.Connection) -> list[bytes]:
    return [bound for (bound,) in db.execute("SELECT bound FROM snapshots ORDER BY slot")]


def _pieces(db: sqlite3.Connection, slot: Slot) -> Iterator[bytes]:
    for part in range(-(-slot.size // PIECE_BYTES)):
        id_ = part * SNAPSHOT_SLOTS + slot.number
        found = db.execute("SELECT piece FROM pieces WHERE id = ?", (id_,)).fetchone()
        if found is None:
            return
        yield found[0]
