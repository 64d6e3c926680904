"""SQLite's write-ahead log, seen from outside: made ready, counted, read.

A commit that overwrites what is in the log already costs one flush. One that makes the log grow
costs more, because the file's size has to reach the disk as well. So the log is filled with zeros
when the journal is opened, and keeps its size from then on.

SQLite's locks are on the other files, so this one may be opened beside it.
"""

from __future__ import annotations

import os
from pathlib import Path

from controller.journal.verifier import FRAME, FRAME_HEADER, LOG_HEADER

#: In pieces, because the system keeps what was written at once together from then on, and a
#: commit then handles all of it: with 5 MiB at once, commits took a twelfth longer.
_FILLING = bytes(1 << 16)


class WriteAheadLog:
    """The log of an open journal, of which this process is the only writer."""

    def __init__(self, journal: Path, capacity: int) -> None:
        self._fd = os.open(f"{journal}-wal", os.O_RDWR | os.O_CLOEXEC)
        self._mark = b""
        self._capacity = self._limit = capacity
        #: Frames since the log was last begun anew.
        self.frames = 0
        #: Pages written since ``taken`` was called, and the frame that has the newest content.
        self._written: dict[int, int] = {}

    def make_ready(self) -> None:
        """Fill the log to its capacity, and wait until that is on the disk."""
        # One commit may go beyond the limit before anything is done about it.
        wanted = LOG_HEADER.size + (self._capacity + self._capacity // 8) * FRAME
        size = os.fstat(self._fd).st_size
        if size < wanted:
            while size < wanted:
                size += os.pwrite(self._fd, _FILLING[: wanted - size], size)
            os.fsync(self._fd)

    def emptied(self) -> None:
        """All that could be brought into the file has been.

        The next commit begins the log anew, unless somebody is still reading from it: then it
        grows, and trying again at every commit would not help.
        """
        self._limit = self.frames + self._capacity // 4

    def recovered(self, frames: int) -> None:
        """Take notice of the frames that were there when the journal was opened."""
        self._begun_anew()
        for _ in range(frames):
            self._next()

    def committed(self, commits: int = 1) -> None:
        """Take notice of what this process has committed.

        Each commit ends with its own mark. What lies behind the last one can be from a commit that
        was cut short before the last start, and is still to be overwritten.
        """
        for _ in range(commits):
            frame = self._next()
            if not frame:
                # Nothing where the log went on before: so this commit has begun it anew.
                self._begun_anew()
                frame = self._next()
            while frame and not any(frame[4:8]):
                frame = self._next()

    @property
    def full(self) -> bool:
        """Is it time to bring the log into the file?"""
        return self.frames >= self._limit

    def _begun_anew(self) -> None:
        mark = os.pread(self._fd, 8, 16)
        if mark != self._mark:
            self._mark = mark
            self._limit = self._capacity
            self.frames = 0

    def _next(self) -> bytes:
        """The next frame's header, or nothing where there is no next one."""
        frame = os.pread(self._fd, FRAME_HEADER.size, LOG_HEADER.size + self.frames * FRAME)
        if frame[8:16] != self._mark:
            return b""
        self._written[int.from_bytes(frame[:4], "big")] = self.frames
        self.frames += 1
        return frame

    def taken(self) -> dict[int, bytes]:
        """The pages written since the last time, with their newest content."""
        written, self._written = self._written, {}
        return {
            page: os.pread(
                self._fd,
                FRAME - FRAME_HEADER.size,
                LOG_HEADER.size + frame * FRAME + FRAME_HEADER.size,
            )
            for page, frame in sorted(written.items())
        }

    def close(self) -> None:
        os.close(self._fd)
