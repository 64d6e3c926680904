"""Device logs while they are written: what is new, as ``tail -f`` has it, in its order in time.

A wire's file is full some day, is compressed, and the next one is begun; a felt that starts again
goes on in the last one with a new section; somebody may remove them all. A line that is half
written waits for its other half. What is new is read as a log of its own: the section it stands in,
and the lines since.
"""

from __future__ import annotations

import contextlib
import heapq
import os
import tempfile
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import BinaryIO

from controller.rules.faults import Refused
from controller.technician import logs, span
from controller.technician.choosing import Choice, Chosen, Sieve
from controller.technician.logs import Damages, Logged, Wire
from drivers.wire.devicelog import Damage

#: A wire's records reach its file within half a second: so long the others wait for them.
SETTLES_S = 0.7
#: Of each file, what is looked at for what came before.
BEFORE_BYTES = 64 * 1024
#: Read in one go.
MAX_READ = 1 << 20
_MAGIC = b"# felt device log "
_CLOCK = b" clock  "

#: A wire of a start of felt at a table.
_Key = tuple[str, str, str]


class Follower:
    """``Refused`` if a file is not there, or nothing can be written to it."""

    def __init__(self, paths: Iterable[Path], choice: Choice, number: int | None = None) -> None:
        self._paths = list(paths)
        self._choice = choice
        self._round = number
        self._rounds: dict[_Key, _Rounds] = {}
        self._tails: dict[Path, _Tail] = {}
        self._sieves: dict[_Key, Sieve] = {}
        self.damage = Damages()
        self._heap: list[tuple[int, int, float, Chosen]] = []
        self._numbers = count()
        for path in self._files(first=True):
            self._tails[path] = _Tail(path, since_end=True)
        self._scratch = tempfile.TemporaryDirectory(prefix="felt-follow-")

    def close(self) -> None:
        for tail in self._tails.values():
            tail.close()
        self._scratch.cleanup()

    def new(self, now: float) -> Iterator[Chosen]:
        """What can be told by now: all wires have had the time to write what came before it."""
        self._read(now)
        while self._heap and self._heap[0][2] <= now - SETTLES_S:
            yield heapq.heappop(self._heap)[3]

    def before(self, most: int) -> list[Chosen]:
        """The last ones of what was there at the beginning."""
        self._read(0.0)
        there = [heapq.heappop(self._heap)[3] for _ in range(len(self._heap))]
        return there[-most:] if most else []

    # --- Files ------------------------------------------------------------------

    def _files(self, *, first: bool = False) -> list[Path]:
        found: list[Path] = []
        for path in self._paths:
            if path.is_dir():
                with contextlib.suppress(OSError):
                    found += sorted(one for one in path.iterdir() if one.name.endswith(".log"))
            elif path.is_file():
                found.append(path)
            elif first:
                step = "name the log that is written, or its folder"
                raise Refused(str(path), "is not there", step)
        return [path for path in found if path.is_file()]

    def _read(self, now: float) -> None:
        for path in self._files():
            if path not in self._tails or self._tails[path].is_another():
                if (old := self._tails.get(path)) is not None:
                    self._take(old, now)
                    old.close()
                try:
                    self._tails[path] = _Tail(path)
                except OSError as error:
                    what = f"can't be read: {error.strerror}"
                    self.damage.add(Damage(path, 0, what))
        for path, tail in list(self._tails.items()):
            is_gone = not path.exists()
            self._take(tail, now)
            if is_gone:
                # It was compressed or removed; what it had is read.
                tail.close()
                del self._tails[path]

    def _take(self, tail: _Tail, now: float) -> None:
        for text, lines in tail.new():
            copy = Path(self._scratch.name) / "new.log"
            copy.write_bytes(text)
            read = logs.read([copy])
            for run in read.runs:
                for wire in run.wires.values():
                    new = (one for one in wire.records() if one.line > lines)
                    self._tell((run.table, run.id, wire.name), wire, new, now)
            for one in read.damage.first.values():
                # What stands in front was said already, and not with these lines before it.
                if one.line > lines:
                    place = tail.line + one.line - lines - 1
                    self.damage.add(Damage(tail.path, place, one.what))

    def _tell(self, key: _Key, wire: Wire, records: Iterable[Logged], now: float) -> None:
        sieve = self._sieves.get(key)
        if sieve is None:
            sieve = self._sieves[key] = Sieve(wire, self._choice)
        rounds = self._rounds.setdefault(key, _Rounds(self._round))
        for logged in records:
            if rounds.takes(logged):
                for one in sieve.taken(logged):
                    number = next(self._numbers)
                    heapq.heappush(self._heap, (one.logged.at_us, number, now, one))


class _Tail:
    """One file, open: it can be read to its end even when it has another name by then."""

    def __init__(self, path: Path, *, since_end: bool = False) -> None:
        self.path = path
        self._file: BinaryIO = path.open("rb")
        self._at = 0
        #: The line that is read next.
        self.line = 1
        #: The header of the section that it is in, the last time the clock was set in it, and the
        #: last record: its check is where that of the next one begins.
        self._header = b""
        self._clock = b""
        self._last = b""
        if since_end:
            self._skip()

    def close(self) -> None:
        self._file.close()

    def is_another(self) -> bool:
        """Under this name there is another file now, or it was emptied."""
        with contextlib.suppress(OSError):
            now, ours = self.path.stat(), os.fstat(self._file.fileno())
            return not os.path.samestat(now, ours) or now.st_size < self._at
        return False

    def _skip(self) -> None:
        """To a little before the end, with what is needed to read on from there."""
        size = os.fstat(self._file.fileno()).st_size
        begin = max(size - BEFORE_BYTES, 0)
        for at, line in self._lines(0):
            self._seen(line)
            self._at = at + len(line)
            self.line += 1
            if self._at >= begin:
                break

    def _lines(self, at: int) -> Iterator[tuple[int, bytes]]:
        self._file.seek(at)
        for line in self._file:
            if not line.endswith(b"\n"):
                return
            yield at, line
            at += len(line)

    def _seen(self, line: bytes) -> None:
        if line.startswith(_MAGIC):
            self._header, self._clock, self._last = line, b"", b""
        elif line.startswith(b"#"):
            if len(self._header) < MAX_READ:
                self._header += line
        else:
            self._last = line
            if _CLOCK in line[:24]:
                self._clock = line

    def new(self) -> Iterator[tuple[bytes, int]]:
        """Logs of their own with what is new, and how many lines stand in front of that."""
        while True:
            self._file.seek(self._at)
            text = self._file.read(MAX_READ)
            text = text[: text.rfind(b"\n") + 1]
            begins = text.find(b"\n" + _MAGIC) + 1
            if text.startswith(_MAGIC):
                # A header is whole when something follows it.
                body = _after_header(text)
                if body == len(text):
                    return
                begins = text.find(b"\n" + _MAGIC, body) + 1
            if begins:
                text = text[:begins]
            if not text:
                return
            front = b"" if text.startswith(_MAGIC) else self._header + self._clock + self._last
            yield front + text, front.count(b"\n")
            for line in text.splitlines(keepends=True):
                self._seen(line)
            self._at += len(text)
            self.line += text.count(b"\n")


def _after_header(text: bytes) -> int:
    at = 0
    while at < len(text) and text[at] == ord("#"):
        at = text.find(b"\n", at) + 1 or len(text)
    return at


class _Rounds:
    """Whether a round is played, by the marks of the table in the logs."""

    def __init__(self, number: int | None) -> None:
        self._number = number
        self._is_on = number is None
        self._is_over = False

    def takes(self, logged: Logged) -> bool:
        number = self._number
        mark = span.mark_of(logged) if number is not None else None
        if number is None or mark is None:
            return self._is_on
        is_last = mark.round == number and mark.phase == "shuffling"
        # The shuffle and the wagers before its lock-out belong to a round, and not those after it.
        begun = mark.round == number - 1 and (mark.phase == "shuffling" or self._is_on)
        was_on = self._is_on
        self._is_on = begun or (mark.round == number and not is_last and not self._is_over)
        self._is_over |= is_last
        return self._is_on or (was_on and is_last)
