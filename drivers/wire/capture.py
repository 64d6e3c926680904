"""The device log of one line: all that came and went, always, whatever else happens.

Most of what goes over a bus is felt asking and devices answering that there is nothing. Such polls
are counted and not written out: their bytes follow from the rest, and a log that is full of them is
pushed out within a day. The moment anything else happens it is all there, byte by byte.

What is said here on the loop costs a tuple in a queue. Beside the loop the records are put into
words, written a few times a second, and at once after a fault. If they can't be written that is
said, and felt goes on: the last of them are in memory for whoever looks into a fault.

Bytes are kept as they were on the wire. Faces travel under the key of a session that ends with it,
so a log does not tell them; and the words beside the bytes leave them out.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from drivers.wire import devicelog
from drivers.wire.describe import Describe
from drivers.wire.devicelog import FORMAT, Checks, Direction, Header, Word
from drivers.wire.frame import Kind
from drivers.wire.logfiles import Limits, LogFiles
from drivers.wire.lull import Lull
from drivers.wire.station import Rest
from drivers.wire.ticks import tick

#: Records go to the file so often, if nothing is urgent.
FLUSH_S = 0.5
#: Until the next attempt, when they can't be written.
RETRY_S = 5.0
#: At the end nobody waits longer than this for a disk that hangs.
PATIENCE_S = 2.0
#: Records, and bytes in them, that wait for the disk. When there are more, the new ones are lost.
MAX_WAITING = 20_000
MAX_WAITING_BYTES = 4 << 20
#: Written in one go, so that a file is not much longer than its limit.
MAX_BLOCK = 64 * 1024
#: The flight recorder: so many records each way.
REMEMBERED = 100
#: The table PC's clock was set if it moved by more than this against the one that never steps.
CLOCK_STEP_S = 0.25
#: Polls that say nothing are counted for so long at the most before that is written.
QUIET_S = 5.0
_WAYS = ("in", "out")
#: In a frame the kind stands behind the first byte.
_POLL = bytes([Kind.POLL])
#: How a poll begins that is published.
POLL_TEXT = b'{"kind":"poll",'


@dataclass(frozen=True, slots=True)
class Heading:
    """What every file says of itself, so that it can be read without the others."""

    table: str
    line: str
    #: The port and its settings; or the broker.
    port: str
    #: felt's version.
    felt: str
    rulebook: str
    #: Which start of felt this was: logs of one run belong together.
    run: str = ""
    #: What the table file says of this wire and its devices, as JSON. Never a secret.
    wire: str = ""
    #: All wires of the table, by name: whoever has some of the logs knows which are missing.
    wires: tuple[str, ...] = ()


class _Kept(NamedTuple):
    now: float
    word: Direction | Word | Literal["clock", "quiet"]
    data: bytes
    text: str
    lull: Lull | None = None


#: Makes a record in half the time of its own constructor: every poll and answer is one at first.
_new = tuple.__new__


class Capture:
    """Implements the ``Tap`` of a serial port."""

    def __init__(
        self,
        folder: Path,
        heading: Heading,
        *,
        describe: Callable[[], Describe] | None = None,
        limits: Limits | None = None,
        on_warning: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        utc: Callable[[], float] = time.time,
        every_poll: bool = False,
    ) -> None:
        """``every_poll``: write out polls that say nothing, too.

        ``on_warning`` gets a sentence when the log can't be written, and "" when it can again.

        ``clock`` must be the one that the records' times come from: the loop's.
        """
        self.heading = heading
        #: Why the log can't be written; nothing while it can.
        self.warning = ""
        #: Records that found no place, ever.
        self.lost = 0
        self._untidy = ""
        self._files = LogFiles(folder, heading.line, limits or Limits())
        self._folder = folder
        self._describe = describe or (lambda: lambda direction, data: "")
        self._describer = self._describe()
        self._on_warning = on_warning
        self._warned = ""
        self._clock = clock
        self._utc = utc
        self._wall_ahead: float | None = None
        self._waiting: deque[_Kept] = deque()
        #: Bytes that ever began to wait, and that ever were written: one thread counts each.
        self._bytes_kept = 0
        self._bytes_written = 0
        self._gap = 0
        self._every_poll = every_poll
        #: What was last sent and what came after it, until it is known whether it was a poll that
        #: said nothing: on a serial line, or with each device at a broker. On the loop only.
        self._held: dict[str, list[_Kept]] = {}
        #: At a broker: what came last may still be the answer to a poll that said nothing.
        self._unjudged = False
        self._lulls: dict[str, Lull] = {}
        self._mark: _Kept | None = None
        #: The phase that it tells of.
        self._marked = ""
        self._section_start: float | None = None
        self._checks = Checks()
        self._part = 0
        self._devices: dict[str, str] = {}
        self._flight: dict[str, deque[_Kept]] = {
            kind: deque(maxlen=REMEMBERED) for kind in ("in", "out", "remark")
        }
        self._writing = threading.Lock()
        self._stirred: asyncio.Event | None = None
        self._urgent: asyncio.Event | None = None

    # --- On the loop ----------------------------------------------------------

    def received(self, data: bytes, now: float, channel: str = "") -> None:
        one = _new(_Kept, (tick(now), "in", data, channel, None))
        if self._unjudged:
            self._settle()
        held = self._held.get(_conversation(channel) if channel else "")
        if held is not None and len(held) == 1:
            held.append(one)
            self._unjudged = bool(channel)
        else:
            self._keep(one)

    def sent(self, data: bytes, now: float, channel: str = "") -> None:
        one = _new(_Kept, (tick(now), "out", data, channel, None))
        if channel and not data.startswith(POLL_TEXT):
            self._keep(one)
            return
        # On a line all wait for the answer. At a broker others are asked meanwhile.
        conversation = _conversation(channel) if channel else ""
        if conversation in self._held:
            self._settle()
        self._held[conversation] = [one]

    def quiet(self, rest: Rest, channel: str = "") -> None:
        """What was last sent and received was a poll and its answer, and nothing follows.

        At a broker: at that device's topics, of which ``channel`` is one.
        """
        conversation = _conversation(channel) if channel else ""
        held = self._held.get(conversation, ())
        if len(held) < 2 or self._every_poll or not _is_poll(held[0], rest):
            return
        del self._held[conversation]
        self._unjudged = False
        lull = self._lulls.get(conversation)
        if lull is not None and rest.heard_at - lull.since > QUIET_S:
            self._settle()
            lull = None
        if lull is None:
            lull = self._lulls[conversation] = Lull(held[0].now)
        lull.add(rest)

    def port(self, what: str, now: float) -> None:
        """The port was opened, or was lost and why."""
        self._keep(_Kept(tick(now), "port", b"", what))
        self.flush_soon()

    def device(self, name: str, facts: str, now: float) -> None:
        """A device said who it is. It is in the header of every file from here on."""
        if self._devices.get(name) != facts:
            self._devices[name] = facts
            self._keep(_Kept(tick(now), "device", b"", f"{name}: {facts}"))

    def table(self, text: str, now: float) -> None:
        """Where the table is: which entry of its journal is acted on from here.

        If nothing happens on this wire before the next entry, and it is still the same phase, the
        next one says enough.
        """
        phase = _phase(text)
        if self._held or (self._mark is not None and phase != self._marked):
            self._settle()
        self._marked = phase
        self._mark = _new(_Kept, (tick(now), "table", b"", text, None))

    def state(self, text: str, now: float) -> None:
        """All that felt knows of this wire: from here a replay can begin."""
        self._keep(_Kept(tick(now), "state", b"", text))

    def note(self, text: str, now: float) -> None:
        """For the technician: what was done at the device, in words."""
        if not text:
            raise ValueError("a note that says nothing")
        self._keep(_Kept(tick(now), "note", b"", text))
        self.flush_soon()

    def flush_soon(self) -> None:
        """Something is wrong, and somebody may pull the plug: to the disk with it."""
        self._settle()
        if self._urgent is not None:
            self._urgent.set()

    def flight(self) -> str:
        """The last records each way, from memory. Times are by the clock that never steps."""
        self._settle()
        kept = sorted((one for each in self._flight.values() for one in list(each)), key=_when)
        describe = self._describe()
        return "".join(_line(one, 0.0, describe) for one in kept)

    def _settle(self) -> None:
        """Nothing more can be left out of what has happened so far."""
        kept = [] if self._mark is None else [self._mark]
        kept += [_Kept(one.until, "quiet", b"", "", one) for one in self._lulls.values()]
        for held in self._held.values():
            kept += held
        if len(kept) > 1:
            # At a broker a device is asked while another answers. At one moment the mark is first.
            kept.sort(key=_when)
        for one in kept:
            self._put(one)
        self._mark = None
        self._unjudged = False
        self._lulls.clear()
        self._held.clear()

    def _keep(self, one: _Kept) -> None:
        self._settle()
        self._put(one)

    def _put(self, one: _Kept) -> None:
        if one.word != "state":
            self._flight[one.word if one.word in _WAYS else "remark"].append(one)
        waiting_bytes = self._bytes_kept - self._bytes_written
        if len(self._waiting) >= MAX_WAITING or waiting_bytes >= MAX_WAITING_BYTES:
            self._gap += 1
            self.lost += 1
            return
        if self._gap:
            said = f"{self._gap} records were lost: {self.warning or 'the disk was too slow'}"
            self._waiting.append(_Kept(one.now, "gap", b"", said))
            self._gap = 0
        self._waiting.append(one)
        self._bytes_kept += len(one.data)
        if self._stirred is not None:
            self._stirred.set()

    # --- Beside the loop ------------------------------------------------------

    async def run(self) -> None:
        """Write what is kept, until cancelled; then write the rest."""
        loop = asyncio.get_running_loop()
        self._stirred, self._urgent = asyncio.Event(), asyncio.Event()
        if self._waiting:
            self._stirred.set()
        pool = ThreadPoolExecutor(1, thread_name_prefix="felt capture")
        try:
            while True:
                await self._stirred.wait()
                await self._a_while(RETRY_S if self.warning else FLUSH_S)
                self._stirred.clear()
                self._urgent.clear()
                self._look_at_the_clock()
                await asyncio.shield(loop.run_in_executor(pool, self._flush))
                self._tell()
                if self._waiting:
                    self._stirred.set()
        finally:
            self._stirred = self._urgent = None
            self._settle()
            ending = loop.run_in_executor(pool, self._close)
            pool.shutdown(wait=False)
            await asyncio.wait([ending], timeout=PATIENCE_S)

    async def _a_while(self, seconds: float) -> None:
        if self._urgent is not None and not self.warning:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._urgent.wait()
        else:
            await asyncio.sleep(seconds)

    def _tell(self) -> None:
        if self.warning != self._warned:
            self._warned = self.warning
            if self._on_warning is not None:
                self._on_warning(self.warning)

    def close(self) -> None:
        """Write what is left, and let go of the file. May be used again. Blocks."""
        self._settle()
        self._close()

    def _close(self) -> None:
        self._flush()
        with self._writing:
            self._files.close()
            self._section_start = None

    def flush(self) -> None:
        """Write what is kept. Blocks; never raises for the disk."""
        self._settle()
        self._look_at_the_clock()
        self._flush()

    def _flush(self) -> None:
        with self._writing:
            try:
                if self._section_start is not None and not self._files.is_open:
                    self._section_start = None
                # No more than there can be: what comes in meanwhile has its turn later.
                for _ in range(MAX_WAITING + MAX_WAITING_BYTES // MAX_BLOCK):
                    if not self._waiting:
                        break
                    self._write_block()
            except OSError as error:
                self._section_start = None
                self._files.close()
                self.warning = self._worded("written to", error)
            else:
                self.warning = self._untidy

    def _write_block(self) -> None:
        if self._section_start is None or self._files.is_full:
            self._begin_section(self._waiting[0].now)
        start = self._section_start or 0.0
        checks = copy(self._checks)
        taken: list[_Kept] = []
        lines: list[str] = []
        length = 0
        while self._waiting and length < MAX_BLOCK:
            one = self._waiting.popleft()
            taken.append(one)
            if one.word == "port":
                # What was half received before is nothing that goes on after it.
                self._describer = self._describe()
            lines.append(checks.line(_line(one, start, self._describer)))
            length += len(lines[-1])
        try:
            self._files.append("".join(lines).encode())
        except OSError:
            self._waiting.extendleft(reversed(taken))
            raise
        self._checks = checks
        self._bytes_written += sum(len(one.data) for one in taken)

    def _begin_section(self, start: float) -> None:
        self._section_start = None
        self._files.open()
        header = devicelog.header_line(Header(FORMAT, self._facts(start)))
        self._files.append(header.encode())
        self._part += 1
        self._checks.line(header)
        self._section_start = start
        try:
            self._files.tidy()
            self._untidy = ""
        except OSError as error:
            # It takes more room than it should; what happens from here on is written all the same.
            self._untidy = self._worded("tidied up in", error)

    def _worded(self, what: str, error: OSError) -> str:
        return (
            f"the device log of {self.heading.line} can't be {what} {self._folder}: "
            f"{error.strerror or error}; free the disk or correct the folder's owner"
        )

    def _facts(self, start: float) -> tuple[tuple[str, str], ...]:
        heading = self.heading
        utc = datetime.fromtimestamp(self._utc() - (self._clock() - start), UTC)
        wires = " ".join(heading.wires)
        known = (("run", heading.run), ("wire", heading.wire), ("wires", wires))
        return (
            ("table", heading.table),
            ("line", heading.line),
            ("port", heading.port),
            *(("device", f"{name}: {facts}") for name, facts in self._devices.copy().items()),
            ("felt", heading.felt),
            ("rulebook", heading.rulebook),
            *((key, said) for key, said in known if said),
            ("utc", utc.isoformat(timespec="microseconds")),
            ("monotonic", f"{start:.6f}"),
            ("part", str(self._part + 1)),
            *([("after", f"{self._checks.last:04x}")] if self._part else []),
        )

    def _look_at_the_clock(self) -> None:
        now = self._clock()
        ahead = self._utc() - now
        if self._wall_ahead is None:
            self._wall_ahead = ahead
        elif abs(ahead - self._wall_ahead) > CLOCK_STEP_S:
            self._wall_ahead = ahead
            shows = str(round((now + ahead) * 1e6))
            self._settle()
            self._waiting.append(_Kept(now, "clock", b"", shows))


def _is_poll(sent: _Kept, rest: Rest) -> bool:
    """Whether this is the poll that was answered: an acknowledgement may have come in between."""
    return sent.now == rest.sent_at and (bool(sent.text) or sent.data[1:2] == _POLL)


def _conversation(channel: str) -> str:
    """With whom: all on a serial line, and each device at a broker by itself."""
    return channel.rpartition("/")[0]


def _phase(mark: str) -> str:
    """Of a mark, all but its entry's number."""
    return mark.partition(" round ")[2]


def _when(one: _Kept) -> float:
    return one.now


def _line(one: _Kept, start: float, describe: Describe) -> str:
    # Records of one loop are in order; one from beside it may be a moment early.
    at_us = max(round((one.now - start) * 1e6), 0)
    match one.word:
        case "in" | "out" as direction:
            comment = _comment(describe, direction, one.data)
            return devicelog.bytes_line(at_us, direction, one.data, comment, one.text)
        case "clock":
            return devicelog.clock_line(at_us, int(one.text))
        case "quiet":
            assert one.lull is not None
            return devicelog.quiet_line(one.lull.record(at_us))
        case word:
            return devicelog.remark_line(at_us, word, one.text)


def _comment(describe: Describe, direction: Direction, data: bytes) -> str:
    try:
        return describe(direction, data)
    except Exception as error:
        # Somebody's dialect can't put it into words. The bytes are what counts.
        return f"could not be described: {error!r}"
