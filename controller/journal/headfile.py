"""The head of a journal, kept apart from it: what a copy that was put back can't bring along.

One small file in another folder. It is written with every commit, before anybody is told that the
commit is done, and says under a key how far the journal goes; no flush of its own, so that a commit
costs what it did. So after a kill it is as new as the journal, or one commit behind; after a power
cut by what the system had not written yet, at most some seconds. It is never ahead of the journal.
A journal that has less than its head was put back, cut or forged, and no power cut explains it.

Two slots are written in turn, so that one is whole at any instant. Each is a line of text:

    felt head 1 TABLE CREATED SEQ LINK SINCE BOOT TAG

in ``SLOT`` bytes, padded with blanks. ``SINCE`` is when people last accepted a journal that did
not go with its head, in nanoseconds; ``BOOT`` names the run of the system; ``TAG`` is a keyed
BLAKE2s over all that is before it.
"""

from __future__ import annotations

import hmac
import mmap
import os
from binascii import hexlify
from collections.abc import Iterator
from hashlib import blake2s
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from controller.journal.entry import Head, Header
from controller.journal.errors import JournalError, from_system

#: A slot is within a sector of any disk, which is written as a whole or not at all.
SLOT = 512
SLOTS = 2
_MARK = "felt head 1"
_BOOT = Path("/proc/sys/kernel/random/boot_id")


class Kept(NamedTuple):
    """What the file says."""

    table: str
    created: int
    head: Head
    #: Device logs that were begun before are of a journal that was given up.
    since: int
    #: The run of the system it was written in.
    boot: str


class HeadFile:
    """The head of one journal. To be written by whoever writes that, in the same thread."""

    def __init__(self, path: Path, key: bytes) -> None:
        self.path = path
        self._key = key
        self._descriptor = -1
        #: Where the next slot begins: there are two, and the other one stays meanwhile.
        self._turn = 0
        self._fixed = b""
        self._since = 0
        self._boot = boot_id()
        self._tail = b""

    def read(self) -> Kept | None:
        """What was kept last; nothing if there is no file. Refuses one of which no slot is ours."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise from_system(self.path, error) from error
        found = [kept for _, kept in self._slots(data)]
        if not found:
            raise JournalError(
                self.path,
                "says nothing that this table's key has signed",
                "find out who wrote it; two people may go on without it",
            )
        return max(found, key=_age)

    def _slots(self, data: bytes) -> Iterator[tuple[int, Kept]]:
        for turn in range(SLOTS):
            slot = data[turn * SLOT : (turn + 1) * SLOT]
            said, _, tag = slot.rstrip().rpartition(b" ")
            if said and hmac.compare_digest(tag, self._tag(said)):
                kept = _kept(said)
                if kept is not None:
                    yield turn, kept

    def _tag(self, said: bytes) -> bytes:
        return hexlify(blake2s(said, key=self._key).digest())

    def begin(self, header: Header, since: int = 0) -> None:
        """Make ready to keep the heads of this journal from now on."""
        self._since = since
        self._fixed = f"{_MARK} {quote(header.table, safe='')} {header.created} ".encode()
        self._tail = f" {since} {self._boot}".encode()
        if self._descriptor >= 0:
            return
        try:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            data = os.pread(self._descriptor, SLOTS * SLOT, 0)
            if len(data) < SLOTS * SLOT:
                # All of it has its place on the disk from now on: a mapping can't ask for more.
                os.pwrite(self._descriptor, data.ljust(SLOTS * SLOT, b"\n"), 0)
            self._map = mmap.mmap(self._descriptor, SLOTS * SLOT)
        except FileNotFoundError:
            step = "make it, for the service's user and nobody else"
            raise JournalError(self.path.parent, "there is no such folder", step) from None
        except OSError as error:
            raise from_system(self.path, error) from error
        # The newer one stays until the first is written beside it.
        newest = max(self._slots(data), key=lambda one: _age(one[1]), default=None)
        self._turn = SLOT if newest is not None and newest[0] == 0 else 0

    def keep(self, head: Head) -> None:
        """The journal goes so far, and everybody may be told."""
        # The table waits for this at every commit: as little as can be, and no call of the system.
        # What is in the mapping stays when felt is killed.
        said = b"%b%d %b%b" % (self._fixed, head.seq, hexlify(head.link), self._tail)
        slot = b"%b %b" % (said, self._tag(said))
        begin = self._turn
        self._map[begin : begin + SLOT - 1] = slot.ljust(SLOT - 1)
        self._turn = SLOT - begin

    def sync(self) -> None:
        """Have it on the disk: so that a power cut leaves it behind by no more than since then."""
        if self._descriptor >= 0:
            try:
                self._map.flush()
                os.fdatasync(self._descriptor)
            except OSError as error:
                raise from_system(self.path, error) from error

    def close(self) -> None:
        if self._descriptor >= 0:
            self.sync()
            self._map.close()
            os.close(self._descriptor)
            self._descriptor = -1


def _age(kept: Kept) -> tuple[int, int]:
    return kept.since, kept.head.seq


def _kept(said: bytes) -> Kept | None:
    text = said.decode("ascii", "replace")
    if not text.startswith(f"{_MARK} "):
        return None
    try:
        table, created, seq, link, since, boot = text.removeprefix(f"{_MARK} ").split(" ")
        head = Head(int(seq), bytes.fromhex(link))
        return Kept(unquote(table), int(created), head, int(since), boot)
    except ValueError:
        return None


def boot_id() -> str:
    """Names this run of the system; where there is no such name, each start is a run of its own."""
    try:
        return _BOOT.read_text(encoding="ascii").strip().replace(" ", "") or os.urandom(8).hex()
    except OSError:
        return os.urandom(8).hex()


def file_key(key: bytes) -> bytes:
    """The key of the file's tags, from the one that signs heads."""
    return hmac.digest(key, b"felt head file", "sha256")
