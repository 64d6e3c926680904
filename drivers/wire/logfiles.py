"""The files of one device log: the one that is written, and those before it, compressed.

    acceptors.000041.log.gz  acceptors.000042.log.gz  acceptors.000043.log

Their number and their size are bounded: the oldest go. A start goes on in the file of the last one,
so that a felt that starts over and over does not push out what happened before. Nothing is synced:
a power cut costs the last seconds of a log, and syncing would cost more than that all day.

All of it blocks, and raises OSError.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    #: A file is full at this size, and compressed to about a third.
    file_bytes: int = 8 << 20
    #: How much is kept in all, the file that is written not counted.
    kept_files: int = 200
    kept_bytes: int = 512 << 20


class LogFiles:
    def __init__(self, folder: Path, name: str, limits: Limits) -> None:
        self._folder = folder
        self._name = re.sub(r"[^A-Za-z0-9_-]+", "-", name) or "device"
        self._limits = limits
        self._pattern = re.compile(rf"{re.escape(self._name)}\.([0-9]{{6,12}})\.log(\.gz)?")
        self._descriptor = -1
        self._path: Path | None = None
        self.size = 0

    @property
    def path(self) -> Path | None:
        """The file that is being written."""
        return self._path

    @property
    def is_open(self) -> bool:
        """It is there, and under its name: nobody has moved or removed it."""
        if self._descriptor < 0 or self._path is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._descriptor), self._path.stat())
        except OSError:
            return False

    @property
    def is_full(self) -> bool:
        return self.size >= self._limits.file_bytes

    def open(self) -> None:
        """Go on in the newest file, or begin one."""
        self.close()
        self._folder.mkdir(parents=True, exist_ok=True)
        number, path = self._newest()
        if path is None or path.suffix == ".gz" or path.stat().st_size >= self._limits.file_bytes:
            path = self._folder / f"{self._name}.{number + 1:06}.log"
        self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o640)
        self._path = path
        self.size = os.fstat(self._descriptor).st_size
        if self.size and os.pread(self._descriptor, 1, self.size - 1) != b"\n":
            # The last one that wrote here was cut off in the middle of a line.
            self.append(b"\n")

    def append(self, text: bytes) -> None:
        """All of it or none, as far as the system lets us take back what is half written."""
        before = self.size
        rest = memoryview(text)
        try:
            while rest:
                written = os.write(self._descriptor, rest)
                self.size += written
                rest = rest[written:]
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, before)
            self.size = before
            raise

    def close(self) -> None:
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
        self._descriptor = -1
        self._path = None
        self.size = 0

    def tidy(self) -> None:
        """Compress what is no longer written, and let the oldest go."""
        # First make room: compressing needs some.
        self._let_go()
        for half_done in self._folder.glob(f"{self._name}.*.log.gz.tmp"):
            half_done.unlink(missing_ok=True)
        for _, path in self._files():
            if path != self._path and path.suffix == ".log":
                _compress(path)
        self._let_go()

    def _let_go(self) -> None:
        kept_bytes = 0
        kept = [path for _, path in reversed(self._files()) if path != self._path]
        for number, path in enumerate(kept, 1):
            kept_bytes += path.stat().st_size
            if number > self._limits.kept_files or kept_bytes > self._limits.kept_bytes:
                path.unlink(missing_ok=True)

    def _newest(self) -> tuple[int, Path | None]:
        files = self._files()
        return files[-1] if files else (0, None)

    def _files(self) -> list[tuple[int, Path]]:
        """The oldest first."""
        found = [
            (int(match[1]), path)
            for path in self._folder.iterdir()
            if (match := self._pattern.fullmatch(path.name))
        ]
        return sorted(found, key=lambda one: (one[0], one[1].suffix == ".log"))


def _compress(path: Path) -> None:
    whole = path.with_name(f"{path.name}.gz")
    half_done = path.with_name(f"{path.name}.gz.tmp")
    try:
        with path.open("rb") as log, gzip.open(half_done, "wb", compresslevel=6) as packed:
            shutil.copyfileobj(log, packed, CHUNK)
        half_done.replace(whole)
    except OSError:
        half_done.unlink(missing_ok=True)
        raise
    path.unlink()
