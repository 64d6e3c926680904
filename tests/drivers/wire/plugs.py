"""Serial ports that are really there, for tests: a pty under a name of its own, and its other end.

Like a USB adapter it can be pulled out and plugged in again, and then has another number behind
the same name.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

from drivers.wire import frame
from drivers.wire.frame import Packet, Splitter
from drivers.wire.responder import Responder


class Plug:
    """One end of a cable: ``path`` is where felt finds it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.master = -1
        self._slave = -1

    def plug_in(self) -> None:
        self.master, self._slave = os.openpty()
        # Kept open: a pty whose port nobody has open hangs up.
        tty.setraw(self._slave)
        os.set_blocking(self.master, False)
        self.path.symlink_to(os.ttyname(self._slave))

    def pull_out(self) -> None:
        if self.master >= 0:
            self.path.unlink(missing_ok=True)
            os.close(self.master)
            os.close(self._slave)
            self.master = self._slave = -1


@contextlib.contextmanager
def plugged_in(path: Path) -> Iterator[Plug]:
    plug = Plug(path)
    plug.plug_in()
    try:
        yield plug
    finally:
        plug.pull_out()


@contextlib.contextmanager
def device_at(plug: Plug, responder: Responder, *, chunk: int = 1024) -> Iterator[None]:
    """A device at the other end, which writes so many bytes at a time."""
    loop = asyncio.get_running_loop()
    splitter = Splitter()
    timer: asyncio.TimerHandle | None = None

    def write(packet: Packet) -> None:
        data = frame.to_bytes(packet)
        for at in range(0, len(data), chunk):
            os.write(plug.master, data[at : at + chunk])

    def events() -> None:
        nonlocal timer
        if packet := responder.next_packet(loop.time()):
            write(packet)
        timer = loop.call_later(0.005, events)

    def readable() -> None:
        for found in splitter.feed(os.read(plug.master, chunk)):
            if isinstance(found, Packet) and (answer := responder.received(found, loop.time())):
                write(answer)

    master = plug.master
    loop.add_reader(master, readable)
    events()
    try:
        yield
    finally:
        loop.remove_reader(master)
        if timer is not None:
            timer.cancel()


#: Only so that a test ends, however busy the machine is.
AT_LAST_S = 300.0


async def until(there: Callable[[], bool]) -> None:
    """Wait for something that must come; the time is only there for when it does not."""
    async with asyncio.timeout(AT_LAST_S):
        while not there():  # noqa: ASYNC110 - a test looks from outside
            await asyncio.sleep(0.002)
