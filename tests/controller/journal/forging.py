"""What somebody who has the disk, and can reckon, makes of a journal: sound, and not what was."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from controller.journal.entry import Record, Row, chained
from controller.journal.reader import Reader


def anew(journal: Path, at: int, change: Callable[[bytes], bytes]) -> None:
    """One entry is another one, and all that follows is chained to it again."""
    with Reader.look(journal) as reader:
        before = reader.entry(at - 1).link if at > 1 else reader.header.link
        records = [Record(one.kind, one.body, one.at, one.round) for one in reader.entries(at)]
    records[0] = records[0]._replace(body=change(records[0].body))
    rows = chained(at - 1, before, records)
    with contextlib.closing(sqlite3.connect(journal)) as db, db:
        trigger = db.execute("SELECT sql FROM sqlite_schema WHERE name = 'entries_update'")
        (sql,) = trigger.fetchone()
        db.execute("DROP TRIGGER entries_update")
        for seq, _, _, _, body, link in rows:
            db.execute("UPDATE entries SET body = ?, link = ? WHERE seq = ?", (body, link, seq))
        db.execute(sql)


def added(journal: Path, rows: Sequence[Row]) -> None:
    """More entries at the end."""
    with contextlib.closing(sqlite3.connect(journal)) as db, db:
        for seq, at, kind, round_, body, link in rows:
            values = (seq, at, kind, round_, link, body)
            db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", values)
