"""The ledger of pages: digests of those whose every byte no row accounts for.

A table's rows lie side by side in its pages and the rest is zero, so each byte there is either
part of a row or known. But where a tree grows a level or an index splits, SQLite moves references
about and leaves old ones behind in bytes it no longer uses. A flipped byte among them would change
nothing and could not be told. So these pages (page 1, the inner pages of trees, the pages of the
index) have their digest here.

The digests go into the log together with the pages themselves, before both go into the file. So
they always agree, wherever the power is cut.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from hashlib import sha256

from controller.journal.log import WriteAheadLog
from controller.journal.verifier import INDEX_INTERIOR, INDEX_LEAF, INTERIOR

#: Page types in their first byte; an overflow page has a zero there.
_REARRANGED = frozenset({INTERIOR, INDEX_LEAF, INDEX_INTERIOR})


class Ledger:
    """The digests as they stand in the file. New pages go behind the last, others are updated."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        rows = db.execute("SELECT id, page, digest FROM pages ORDER BY id").fetchall()
        self._known: dict[int, tuple[int, bytes]] = {page: (id_, dig) for id_, page, dig in rows}

    def follow(self, log: WriteAheadLog) -> None:
        """Write down the digests of the pages in the log that need one."""
        # Doing so can add a page to the ledger, which changes page 1 and one inner page; writing
        # that down changes digests in place, and so comes to an end.
        while self.enter(
            {
                page: sha256(data).digest()
                for page, data in log.taken().items()
                if page == 1 or data[0] in _REARRANGED
            },
            log,
        ):
            pass

    def enter(self, digests: Mapping[int, bytes], log: WriteAheadLog) -> bool:
        """Write these digests down; false if they stand there already."""
        known = dict(self._known)
        added = []
        updated = []
        for page, digest in digests.items():
            id_, before = known.get(page, (len(known) + 1, None))
            if before == digest:
                continue
            if before is None:
                added.append((id_, page, digest))
            else:
                updated.append((digest, id_))
            known[page] = id_, digest
        if not added and not updated:
            return False
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("INSERT INTO pages VALUES (?, ?, ?)", added)
        self._db.executemany("UPDATE pages SET digest = ? WHERE id = ?", updated)
        self._db.execute("COMMIT")
        log.committed()
        self._known = known
        return True
