"""The journal's head, kept and said elsewhere: so that a record can't be turned back unseen.

A chain of links shows what was altered, and not that its end was cut off, that an older copy was
put in its place, or that somebody who can reckon made it anew. What else knows how far the journal
went does: a file in a folder of its own, under a key; the device logs, which name the entry that
each order followed; and whoever was shown a signed head. At each start the journal is held against
those that felt can reach. If it has less than they know, play is held until two people have
compared the table with its record.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.daemon import secrets
from controller.daemon.configuration import Configuration
from controller.daemon.core import Core
from controller.journal.entry import HEAD, Head, Header
from controller.journal.errors import JournalError
from controller.journal.headfile import HeadFile, Kept, boot_id, file_key
from controller.journal.journal import Journal
from controller.journal.notes import BadNote, Key, Note, name_of, note_of, origin_of, signed_by
from controller.journal.reader import Reader
from controller.table import events

#: The file is brought to the disk so often: a power cut leaves it behind by no more.
SYNC_EVERY_S = 1.0
#: A head is said at the end of each round, and otherwise so often if there is a new one.
SAID_EVERY_S = 60.0
#: While the system runs on, a kill comes between a commit and its head, and no more is missing.
BEHIND_AFTER_A_KILL = 2
#: Of each device log, this much of its end is looked at.
LOG_TAIL = 256 * 1024
_RUN = re.compile(rb"^# run: (?P<run>\d{1,19}) after", re.MULTILINE)
_SAID = re.compile(
    _RUN.pattern + rb"|^ *\d+\.\d{6} (?:[0-9a-f]{4} )?table +entry (?P<entry>\d{1,19})\b",
    re.MULTILINE,
)


#: What to do about a journal that is not the one that was kept.
NOT_IT = "stop the table, keep the file, and find the journal that goes on from its head"
NO_KEY = "make the key of its heads: felt keys FOLDER --table TABLE.toml"


class Signer:
    """Signs heads with the table's key."""

    def __init__(self, seed: bytes, header: Header) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.key = public_key(seed, header.table)
        self._origin = origin_of(header.table, header.created)

    def note(self, head: Head) -> Note:
        made = Note(self._origin, head.seq, head.link)
        return signed_by(self.key, made, self._private.sign(made.body.encode()))

    def of(self, payload: bytes) -> Note | None:
        """A note as somebody has kept it; none if it is not one that this key has signed."""
        try:
            note = note_of(payload.decode())
            for signature in note.of(self.key):
                self._private.public_key().verify(signature, note.body.encode())
        except (BadNote, UnicodeDecodeError, InvalidSignature):
            return None
        return note if note.of(self.key) else None

    def against(self, note: Note, journal: Journal) -> str:
        """What a note of this key's says against the journal; nothing if that goes on from it."""
        have = journal.head.seq
        if note.origin != self._origin:
            return f"a head of {note.origin} with {note.size} entries, and this is {self._origin}"
        if note.size > have:
            return f"a head of entry {note.size}, and it ends with entry {have}"
        try:
            link = journal.entry(note.size).link if note.size else journal.header.link
        except JournalError as error:
            return f"a head of entry {note.size}, and {error.thing} {error.cause}"
        return "" if link == note.hash else f"a head of entry {note.size}, which is another one"


def public_key(seed: bytes, table: str) -> Key:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    return Key(name_of(table), private.public_key().public_bytes_raw())


def head_file(configuration: Configuration, seed: bytes) -> HeadFile:
    name = f"{secrets.slug(configuration.terms.id)}.head"
    return HeadFile(configuration.heads / name, file_key(seed))


class Heads:
    """Keeps the heads of a journal that felt writes, and says what speaks against it."""

    def __init__(self, configuration: Configuration, journal: Journal, run: int) -> None:
        """``run`` is when this felt was started, in milliseconds, as its logs say."""
        self._journal = journal
        self._run = run
        self._logs = configuration.logs
        seed = secrets.key_if_there(configuration.secrets, secrets.HEADS)
        self.signer = None if seed is None else Signer(seed, journal.header)
        self.file = None if seed is None else head_file(configuration, seed)
        #: What speaks against this journal; nothing if all that is known goes with it.
        self.dispute = ""
        #: That is on its way into the journal.
        self.is_disputing = False
        self._since = 0
        if self.file is None:
            if journal.last(HEAD) is not None:
                self.dispute = "the key of its heads is gone, and the journal was kept under one"
            return
        folder = self.file.path.parent
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.dispute = self._against(self.file)
        if not self.dispute:
            self._begin()

    def _against(self, file: HeadFile) -> str:
        try:
            kept = file.read()
        except JournalError as error:
            return f"{error.thing} {error.cause}"
        if kept is None:
            if self._journal.last(HEAD) is not None:
                return f"its head was kept in {file.path}, and is gone"
            return self._logs_against(0)
        self._since = kept.since
        return against(self._journal, kept) or self._logs_against(kept.since)

    def _logs_against(self, since: int) -> str:
        """Device logs name the entry that each order followed; none is ahead of the journal."""
        known, where = last_followed(self._logs, since)
        have = self._journal.head.seq
        if known <= have:
            return ""
        return f"it ends with entry {have}, and the log {where} follows entry {known}"

    def _begin(self) -> None:
        assert self.file is not None
        self.file.begin(self._journal.header, self._since)
        self.file.keep(self._journal.head)
        self._journal.kept = self.file.keep

    def hold_if_disputed(self, core: Core) -> None:
        """Before anything else is posted: what speaks against the journal is its next entry."""
        if self.dispute:
            self._hold(core, self._run, self._on_record)

    def elsewhere(self, payload: bytes, where: str, core: Core, at: int) -> bool:
        """Hold the journal against the head that a broker has kept, which is out of the reach of
        whoever has this disk. True if the head that felt has now may take its place there.
        """
        note = None if self.signer is None else self.signer.of(payload)
        if self.signer is None or note is None or self.dispute:
            # Nobody's word; or the journal is in doubt already, and is held for what was found.
            return not self.is_disputing
        speaks = self.signer.against(note, self._journal)
        if speaks:
            self.dispute = f"the broker {where} has {speaks}"
            self._hold(core, at, lambda: None)
        return not speaks

    def _hold(self, core: Core, at: int, then: Callable[[], None]) -> None:
        self.is_disputing = True

        def on_record(_: object) -> None:
            self.is_disputing = False
            then()

        core.post(events.RecordDisputed(at=at, found=self.dispute[:500]), on_record)

    def _on_record(self) -> None:
        """It holds the table over any restart; so from here on the journal counts as it is."""
        if self.file is not None:
            self._since = self._run
            self._begin()

    def kept(self) -> Kept | None:
        """What is kept apart now; none where nothing is, or a dispute is not on record yet."""
        return None if self.file is None or self._journal.kept is None else self.file.read()

    def note(self) -> Note | None:
        """The head as it is now, signed; none without a key."""
        return None if self.signer is None else self.signer.note(self._journal.head)

    async def keep_on_disk(self) -> None:
        """As work of the service: bring the file to the disk, beside the loop."""
        if self.file is None:
            return
        while True:
            await asyncio.sleep(SYNC_EVERY_S)
            await asyncio.to_thread(self.file.sync)

    def close(self) -> None:
        """After the journal's end."""
        if self.file is not None:
            self.file.close()


def against(journal: Reader, kept: Kept, *, is_written: bool = False) -> str:
    """What a head that was kept says against a journal; nothing if it goes on from it.

    ``is_written``: a felt runs, and may have written more than was kept when that was looked at.
    """
    header, have, known = journal.header, journal.head, kept.head
    if (kept.table, kept.created) != (header.table, header.created):
        return (
            f"it is not the journal that was kept, of table {kept.table} with {known.seq} entries;"
            f" it has {have.seq}"
        )
    if known.seq > have.seq:
        return f"it ends with entry {have.seq}, and {known.seq} were recorded"
    link = journal.entry(known.seq).link if known.seq else header.link
    if link != known.link:
        return f"entry {known.seq} is another one than was recorded"
    if not is_written and kept.boot == boot_id() and have.seq - known.seq > BEHIND_AFTER_A_KILL:
        return f"it goes on to entry {have.seq}, and only {known.seq} were recorded"
    return ""


def last_followed(logs: Path, since: int) -> tuple[int, str]:
    """The highest entry that a device log follows, of starts of felt since then; and which log."""
    best, where = 0, ""
    for file in newest(logs):
        with contextlib.suppress(OSError):
            found = _followed(file, since)
            if found > best:
                best, where = found, file.name
    return best, where


def _followed(file: Path, since: int) -> int:
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - LOG_TAIL))
        text = opened.read()
        if since and _RUN.search(text) is None:
            # It began before the journal that counts, or after it: its beginning says which.
            opened.seek(0)
            text = opened.read()
    best, counts = 0, not since
    for said in _SAID.finditer(text):
        if said["run"] is not None:
            counts = int(said["run"]) >= since
        elif counts:
            best = max(best, int(said["entry"]))
    return best


def newest(logs: Path) -> list[Path]:
    """Of each wire, the log that was written last and is not compressed yet."""
    found: dict[str, Path] = {}
    with contextlib.suppress(OSError):
        for file in sorted(logs.glob("*.log")):
            found[file.name.split(".")[0]] = file
    return list(found.values())
