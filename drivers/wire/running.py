"""What a wire is while somebody runs it: tries that never end, a timer, and errors of our own.

A serial port and the connection to a broker have this in common. Whatever happens in a callback of
the loop, where nobody would see an error, ends the one who runs it instead.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar

from drivers.wire.ticks import tick

#: Between one try and the next: at first, and at the most.
FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 5.0
#: Whoever wants to be woken though it has nothing to say is woken ever more seldom.
LEAST_REST_S = 0.001
LONGEST_REST_S = 1.0


class _Trouble(Protocol):
    @property
    def reason(self) -> str: ...


class State(Protocol):
    """How a port or the connection to a broker stands."""

    @property
    def status(self) -> Literal["absent", "open"]: ...
    @property
    def since(self) -> float: ...
    @property
    def trouble(self) -> _Trouble | None: ...


def remembered(line: dict[str, Any], state: State) -> dict[str, Any]:
    """What is known of a wire: how it stands, and what is known of who is on it."""
    absent = None
    if state.status != "open":
        absent = {"reason": state.trouble.reason if state.trouble else "", "since": state.since}
    return {"absent": absent, "line": line}


class Running:
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.timer: asyncio.TimerHandle | None = None
        #: How often in a row it was woken and had nothing to say.
        self.idle = 0
        self._error: asyncio.Future[None] = loop.create_future()

    def now(self) -> float:
        return tick(self.loop.time())

    async def try_for_ever(
        self, once: Callable[[], Awaitable[bool]], jitter: Callable[[float, float], float]
    ) -> None:
        """``once`` again and again, after ever longer pauses until it says that it was of use."""
        pause = FIRST_PAUSE_S
        while True:
            if await once():
                pause = FIRST_PAUSE_S
            wait = min(jitter(pause, 1.5 * pause), LONGEST_PAUSE_S)
            pause = min(2 * pause, LONGEST_PAUSE_S)
            await self.first_of(within=wait)

    async def first_of(self, *futures: asyncio.Future[Any], within: float | None = None) -> None:
        """Until one of them is done, the time is over or there is an error of our own."""
        waited: Sequence[asyncio.Future[Any]] = [self._error, *futures]
        await asyncio.wait(waited, timeout=within, return_when=asyncio.FIRST_COMPLETED)
        if self._error.done():
            self._error.result()

    def guarded(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:
            self.fail(error)

    def fail(self, error: Exception) -> None:
        if not self._error.done():
            self._error.set_exception(error)

    def rested(self, at: float, now: float, *, spoke: bool) -> float:
        """When it is woken that wants to be woken at ``at``; at once twice, and then less."""
        if at > now or spoke:
            self.idle = 0
            return at
        self.idle += 1
        if self.idle <= 1:
            return at
        return now + min(LEAST_REST_S * 2.0 ** min(self.idle - 2, 16), LONGEST_REST_S)

    def cancel_timer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def end(self) -> None:
        self.cancel_timer()
        if not self._error.done():
            self._error.cancel()
        elif not self._error.cancelled():
            self._error.exception()


R = TypeVar("R", bound=Running)


class Runs(ABC, Generic[R]):
    """Who runs a wire: it begins with ``run``, and what there is only meanwhile ends with it."""

    def __init__(self, wire: str, jitter: Callable[[float, float], float]) -> None:
        #: As it is called where nobody but us is to blame.
        self._wire = wire
        self._jitter = jitter
        self._running: R | None = None

    @abstractmethod
    def _begin(self, loop: asyncio.AbstractEventLoop) -> R: ...

    @abstractmethod
    async def _once(self, running: R) -> bool:
        """Come in, and stay until it is over. False if it was of no use."""

    @abstractmethod
    def _speak_now(self) -> None: ...

    async def run(self) -> None:
        """Until it is cancelled. Raises only errors of our own."""
        if self._running is not None:
            raise RuntimeError(f"{self._wire} has its owner already")
        self._running = running = self._begin(asyncio.get_running_loop())
        try:
            await running.try_for_ever(lambda: self._once(running), self._jitter)
        finally:
            self._running = None
            running.end()

    def kick(self) -> None:
        """There is something new to say: at once, as far as it is its turn."""
        if self._running is not None:
            self._running.guarded(self._speak_now)

    def _here(self) -> R:
        if self._running is None:
            raise RuntimeError(f"{self._wire} is not run by anyone")
        return self._running

    def _guarded(self, step: Callable[[], None]) -> None:
        """In a callback nobody would see an error: it ends ``run`` instead."""
        if self._running is not None:
            self._running.guarded(step)
