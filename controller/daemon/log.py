"""What the service says to whoever reads its log: JSON for a program, words for a person.

A fault repeats many times a second and hides what began it. So the first of a kind is printed at
once, its repeats are counted, and the count follows once in a while. What first went wrong with a
device stays pinned until the device is in order again.

No card ever stands in it: facts that could hold one are withheld whatever they hold.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO

import structlog

#: A count of repeats is printed so often.
COUNTED_EVERY_S = 60.0
#: Kinds that are remembered; the one that was silent longest is forgotten first.
MAX_KINDS = 512
#: Longer facts are cut: a log line is read by a person.
MAX_FACT = 500

#: Names under which a face could come in.
WITHHELD = frozenset(
    {"card", "cards", "face", "faces", "sealed", "up_card", "result", "pin", "key"}
)
#: A device is well again.
WELL = frozenset({"ready", "degraded"})

Print = Callable[[str, Mapping[str, Any]], None]


@dataclass(slots=True)
class _Kind:
    first: float
    repeats: int = 0
    last: dict[str, Any] = field(default_factory=dict)


class Log:
    """``said(event, **facts)`` is what the service is given."""

    def __init__(self, show: Print, clock: Callable[[], float] = time.monotonic) -> None:
        self._show = show
        self._clock = clock
        self._kinds: OrderedDict[tuple[str, ...], _Kind] = OrderedDict()
        #: By device, what first went wrong with it.
        self.first_causes: dict[str, str] = {}

    def said(self, event: str, **facts: Any) -> None:
        told = {name: _harmless(name, fact) for name, fact in facts.items()}
        self._pin(event, told)
        # Numbers differ from one repeat to the next, and it is the same trouble all the same.
        words = (f"{name}={fact}" for name, fact in sorted(told.items()) if isinstance(fact, str))
        name = (event, *words)
        known = self._kinds.get(name)
        now = self._clock()
        if known is not None and now - known.first < COUNTED_EVERY_S:
            known.repeats += 1
            known.last = told
            self._kinds.move_to_end(name)
            return
        if known is not None:
            self._count(name, known)
        self._kinds[name] = _Kind(now)
        self._kinds.move_to_end(name)
        if len(self._kinds) > MAX_KINDS:
            self._count(*self._kinds.popitem(last=False))
        self._show(event, told)

    def flush(self, *, all_: bool = False) -> None:
        """Print the counts that are due, and forget kinds that have been silent."""
        now = self._clock()
        for name, known in list(self._kinds.items()):
            if all_ or now - known.first >= COUNTED_EVERY_S:
                self._count(name, known)
                del self._kinds[name]

    async def run(self) -> None:
        """As work of the service: counts come out even if nothing more happens."""
        try:
            while True:
                await asyncio.sleep(COUNTED_EVERY_S)
                self.flush()
        finally:
            self.flush(all_=True)

    def _count(self, name: tuple[str, ...], known: _Kind) -> None:
        if known.repeats:
            seconds = round(self._clock() - known.first)
            self._show(name[0], {**known.last, "repeated": known.repeats, "seconds": seconds})

    def _pin(self, event: str, told: Mapping[str, Any]) -> None:
        device = told.get("device")
        if not isinstance(device, str):
            return
        if event == "device arrived" or told.get("status") in WELL:
            self.first_causes.pop(device, None)
        elif (why := told.get("why") or told.get("reason")) and len(self.first_causes) < MAX_KINDS:
            self.first_causes.setdefault(device, str(why))


def _harmless(name: str, fact: Any) -> Any:
    if name in WITHHELD or isinstance(fact, bytes | bytearray):
        return "withheld"
    if isinstance(fact, bool | int | float) or fact is None:
        return fact
    text = str(fact)
    return text if len(text) <= MAX_FACT else f"{text[:MAX_FACT]}..."


def printer(stream: TextIO | None = None) -> Print:
    """Lines on a stream: readable on a terminal, JSON into a file, a pipe or the journal."""
    out: TextIO = sys.stdout if stream is None else stream
    stamp = structlog.processors.TimeStamper(fmt="iso", utc=True)
    renderer: Any = (
        structlog.dev.ConsoleRenderer(pad_event_to=24)
        if out.isatty()
        else structlog.processors.JSONRenderer()
    )
    logger: Any = structlog.wrap_logger(
        structlog.PrintLogger(out),
        processors=[stamp, renderer],
        wrapper_class=structlog.BoundLogger,
    )

    def show(event: str, facts: Mapping[str, Any]) -> None:
        try:
            logger.msg(event, **facts)
        except OSError:
            # Whoever read the log is gone. The table goes on.
            return

    return show
