"""One writer: whoever holds the lock on the file beside the journal.

The lock is the system's, so it ends with the process however that ends. The file holds the
holder's process id, for the message that a second one gets.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from controller.journal.errors import InUse, from_system

#: A verifier holds the lock for an instant to find out whether anyone else does.
TRIES = 5
PAUSE_S = 0.02


class Lock:
    """The right to write a journal, from its making until ``release``."""

    def __init__(self, journal: Path) -> None:
        self._path = journal.with_name(f"{journal.name}-lock")
        holder = None
        try:
            for left in reversed(range(TRIES)):
                self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
                try:
                    if self._taken():
                        self._sign()
                        return
                    holder = self._holder() or holder
                except BaseException:
                    os.close(self._fd)
                    raise
                os.close(self._fd)
                if left:
                    time.sleep(PAUSE_S)
        except OSError as error:
            raise from_system(journal, error) from None
        raise InUse(journal, holder)

    def _sign(self) -> None:
        # The lock is what counts. On a full disk there may be no room for a name.
        with contextlib.suppress(OSError):
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, b"%d\n" % os.getpid(), 0)

    def _taken(self) -> bool:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        # The holder before may have removed the file between our opening and locking it: then we
        # hold a lock that nobody else will ever look at.
        try:
            return os.path.samestat(os.fstat(self._fd), self._path.stat())
        except FileNotFoundError:
            return False

    def _holder(self) -> int | None:
        text = os.pread(self._fd, 20, 0).strip()
        return int(text) if text.isdigit() else None

    def release(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._fd)

    @contextlib.contextmanager
    def released_after(self) -> Iterator[None]:
        try:
            yield
        finally:
            self.release()
