"""One serial port: its bytes go to the line and the line's frames go out, for as long as felt runs.

The port opens it, notices that it is gone, and opens it again under the same name, for ever. What
is spoken is the line's business; when it is spoken is decided here, by the loop's clock.

While a port is absent it is a cable that leads nowhere: what the line says is thrown away, so that
deadlines pass and say so. Nobody hears anything, and nobody is taken to have heard.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Literal, Protocol

from drivers.wire import ports
from drivers.wire.line import Spoken
from drivers.wire.ports import NotOpened, PortSettings, PortTrouble
from drivers.wire.running import (
    LEAST_REST_S,
    LONGEST_PAUSE_S,
    LONGEST_REST_S,
    Running,
    Runs,
    remembered,
)
from drivers.wire.station import Rest

#: A replay rests as a port does, and looks for how long beside the port.
__all__ = ["LEAST_REST_S", "LONGEST_REST_S", "PortState", "SerialPort", "Tap"]

#: In one go: a device that floods the line still lets the loop get to everything else.
READ_BYTES = 1024
#: Frames that the port has taken over and the system has not. More is a line that ignores us.
MAX_OUTGOING = 64
#: A port that takes no byte for so long, or for as long as so many bytes need, is cut off.
STUCK_S = 2.0
STUCK_BYTES = 1024
#: Opening and closing may hang in the system; nobody waits for them longer than this at the end.
PATIENCE_S = 1.0


class Tap(Protocol):
    """Gets every byte, and what became of the port, with the time: see ``capture``."""

    def received(self, data: bytes, now: float) -> None: ...
    def sent(self, data: bytes, now: float) -> None: ...
    def port(self, what: str, now: float) -> None: ...
    def quiet(self, rest: Rest) -> None:
        """What was last sent and received was a poll and its answer, and nothing follows."""


@dataclass(frozen=True, slots=True)
class PortState:
    status: Literal["absent", "open"]
    #: By the loop's clock.
    since: float
    #: Why it is absent; none while it is open, and before the first attempt has ended.
    trouble: PortTrouble | None = None
    #: How many attempts in a row have ended in this trouble.
    times: int = 0
    #: Programs that had the port open before us: they may take bytes that are ours.
    shared_with: tuple[str, ...] = ()


class SerialPort(Runs["_Running"]):
    """Has one port for one line. ``on_turn`` is called when there may be notices to collect."""

    def __init__(
        self,
        settings: PortSettings,
        line: Spoken,
        *,
        on_turn: Callable[[], None],
        tap: Tap | None = None,
        jitter: Callable[[float, float], float] = random.uniform,
    ) -> None:
        super().__init__(settings.path, jitter)
        self.settings = settings
        self.line = line
        self.state = PortState("absent", 0.0)
        #: Bytes that the system gave us and took from us, ever.
        self.bytes_read = 0
        self.bytes_written = 0
        self._on_turn = on_turn
        self._tap = tap

    def memory(self) -> dict[str, Any] | None:
        """Where it stands, for a replay; none while anything but a poll is on its way.

        ``Unmemorable`` if what is spoken can't be written down.
        """
        line = self.line.memory()
        if self._running is None or self._running.outgoing or line is None:
            return None
        return remembered(line, self.state)

    # --- Opening and losing ---------------------------------------------------

    def _begin(self, loop: asyncio.AbstractEventLoop) -> _Running:
        self.state = PortState("absent", loop.time())
        return _Running(loop)

    async def _once(self, running: _Running) -> bool:
        """Open the port and use it until it is gone. False if it was of no use."""
        try:
            descriptor, others = await self._opened(running)
        except NotOpened as error:
            trouble = error.trouble
            self._guarded(lambda: self._became_absent(trouble))
            return False
        began = running.loop.time()
        heard = self.line.counts.bytes_in
        running.attach(descriptor)
        try:
            self._guarded(lambda: self._became_open(others))
            trouble = await running.lost_or_error()
            running.detach()
            # Said before it is closed: that may take a while.
            self._guarded(lambda: self._became_absent(trouble))
        finally:
            running.detach()
            await self._closed(running, descriptor)
        lasted = running.loop.time() - began > LONGEST_PAUSE_S
        return lasted or self.line.counts.bytes_in > heard

    async def _opened(self, running: _Running) -> tuple[int, tuple[str, ...]]:
        opening = running.loop.run_in_executor(running.pool, _open, self.settings)
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            # The thread can't be stopped; what it opens must be closed again.
            await asyncio.wait([opening], timeout=PATIENCE_S)
            if opening.done():
                _close_late(opening)
            else:
                opening.add_done_callback(_close_late)
            raise

    async def _closed(self, running: _Running, descriptor: int) -> None:
        closing = running.loop.run_in_executor(
            running.pool, lambda: ports.close_port(descriptor, discard=running.discards)
        )
        await asyncio.wait([closing], timeout=PATIENCE_S)

    def _became_open(self, others: tuple[str, ...]) -> None:
        running = self._here()
        now = running.now()
        tries = self.state.times
        self.state = PortState("open", now, shared_with=others)
        if self._tap is not None:
            after = f", after {tries} tries" if tries > 1 else ""
            also = f", also open in {' and '.join(others)}" if others else ""
            self._tap.port(f"open {self.settings}{after}{also}", now)
        running.loop.add_reader(running.descriptor, self._guarded, self._read)
        # Whatever the line said before, nobody heard it: it begins anew.
        self.line.cut(now, "the port was opened")
        self._turn()

    def _became_absent(self, trouble: PortTrouble) -> None:
        now = self._here().now()
        if self.state.trouble == trouble:
            self.state = replace(self.state, times=self.state.times + 1)
            return
        if self.state.status == "open":
            self.line.cut(now, trouble.reason)
        self.state = PortState("absent", now, trouble, 1)
        if self._tap is not None:
            self._tap.port(f"absent, {trouble.nature}: {trouble.reason}", now)
        self._turn()

    # --- Bytes ----------------------------------------------------------------

    def _read(self) -> None:
        running = self._here()
        try:
            data = os.read(running.descriptor, READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            running.lose(ports.trouble_with(self.settings, error))
            return
        if not data:
            # A hang-up; as long as the descriptor is open it would be readable for ever.
            running.lose(ports.hung_up(self.settings))
            return
        now = running.now()
        self.bytes_read += len(data)
        if self._tap is not None:
            self._tap.received(data, now)
        rest = self.line.received(data, now)
        if rest is not None and self._tap is not None:
            self._tap.quiet(rest)
        self._turn()

    def _wake(self) -> None:
        self._here().timer = None
        self._turn()

    def _turn(self) -> None:
        # First who may want something, then who says it: what is urgent goes before a poll.
        self._on_turn()
        self._speak_now()

    def _speak_now(self) -> None:
        running = self._here()
        now = running.now()
        spoke = False
        # With a full buffer nothing is asked of the line: it would only repeat itself.
        if not running.outgoing:
            frames = self.line.to_write(now)
            spoke = bool(frames)
            if running.is_attached:
                running.outgoing.extend(frames)
                # With the time that they were decided by: a replay decides by the log's times.
                self._drain(now)
        self._schedule(now, spoke=spoke)

    def _drain(self, now: float) -> None:
        """Hand the system as much as it takes."""
        running = self._here()
        while running.outgoing:
            frame = running.outgoing[0]
            try:
                taken = os.write(running.descriptor, frame)
            except (BlockingIOError, InterruptedError):
                taken = 0
            except OSError as error:
                running.lose(ports.trouble_with(self.settings, error))
                return
            self.bytes_written += taken
            if taken and self._tap is not None:
                self._tap.sent(frame[:taken], now)
            if taken < len(frame):
                running.outgoing[0] = frame[taken:]
                self._wait_for_room(progress=taken > 0)
                return
            running.outgoing.popleft()
        running.stop_waiting_for_room()

    def _wait_for_room(self, *, progress: bool) -> None:
        running = self._here()
        if len(running.outgoing) > MAX_OUTGOING:
            running.lose(ports.stuck(self.settings, 0.0), discard=True)
            return
        if not running.waits_for_room:
            running.waits_for_room = True
            running.loop.add_writer(running.descriptor, self._guarded, self._has_room)
        if progress or running.stuck_at is None:
            patience = max(STUCK_S, STUCK_BYTES * self.settings.byte_s)
            running.watch_for_stuck(
                patience,
                lambda: running.lose(ports.stuck(self.settings, patience), discard=True),
            )

    def _has_room(self) -> None:
        self._drain(self._here().now())
        if not self._here().outgoing:
            self._turn()

    # --- Time -----------------------------------------------------------------

    def _schedule(self, now: float, *, spoke: bool) -> None:
        """Come back when the line wants to; at once it may want to twice, and then less."""
        running = self._here()
        if running.outgoing:
            running.cancel_timer()
            return
        at = max(running.rested(self.line.wakes_at(), now, spoke=spoke), now)
        if running.timer is not None and now <= running.timer.when() <= at:
            # It comes early, and finds out. That is cheaper than a new one for every answer.
            return
        running.cancel_timer()
        if at < inf:
            running.timer = running.loop.call_at(at, self._guarded, self._wake)


class _Running(Running):
    """What there is only while the port is run: descriptor, timers and the thread beside it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="felt port")
        self.descriptor = -1
        self.outgoing: deque[bytes] = deque()
        self.waits_for_room = False
        self.stuck_at: asyncio.TimerHandle | None = None
        #: What was not sent yet is thrown away when the port is closed.
        self.discards = False
        self._lost: asyncio.Future[PortTrouble] | None = None

    @property
    def is_attached(self) -> bool:
        return self.descriptor >= 0

    def attach(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._lost = self.loop.create_future()
        self.discards = False

    def detach(self) -> None:
        """Nothing more comes of the descriptor. It is still to be closed."""
        self._stop_listening()
        self.outgoing.clear()
        self.descriptor = -1

    def lose(self, trouble: PortTrouble, *, discard: bool = False) -> None:
        # A lost port is readable all the time, and its owner only comes next.
        self._stop_listening()
        self.discards = self.discards or discard
        if self._lost is not None and not self._lost.done():
            self._lost.set_result(trouble)

    def _stop_listening(self) -> None:
        if self.is_attached:
            self.loop.remove_reader(self.descriptor)
            self.stop_waiting_for_room()

    def stop_waiting_for_room(self) -> None:
        if self.waits_for_room:
            self.waits_for_room = False
            self.loop.remove_writer(self.descriptor)
        if self.stuck_at is not None:
            self.stuck_at.cancel()
            self.stuck_at = None

    def watch_for_stuck(self, patience: float, then: Callable[[], None]) -> None:
        if self.stuck_at is not None:
            self.stuck_at.cancel()
        self.stuck_at = self.loop.call_later(patience, then)

    async def lost_or_error(self) -> PortTrouble:
        if self._lost is None:
            raise RuntimeError("nothing is attached")
        await self.first_of(self._lost)
        return self._lost.result()

    def end(self) -> None:
        self.pool.shutdown(wait=False)
        super().end()


def _open(settings: PortSettings) -> tuple[int, tuple[str, ...]]:
    descriptor = ports.open_port(settings)
    others = [
        f"{name} (process {pid})"
        for pid, name in ports.holders(settings.path)
        if pid != os.getpid()
    ]
    return descriptor, tuple(others)


def _close_late(opening: asyncio.Future[tuple[int, tuple[str, ...]]]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        ports.close_port(opening.result()[0])
