"""Simulated devices on a pty: to felt it is a serial port, with the pace of one.

A pty hands bytes on at once, so the port keeps the time that they would need on a line of its baud
rate, in both directions. It keeps the slave open, so that felt may come and go. Pulling the cable
closes everything; plugging it in again makes a new pty under the same name, as an adapter does.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tty
from collections import deque
from collections.abc import Iterable
from math import inf
from pathlib import Path

from simulators.device import Device
from simulators.end import DeviceEnd
from simulators.wires import Wire

READ_BYTES = 4096
#: Start bit, eight bits, stop bit.
BITS_A_BYTE = 10
#: Bytes that wait for their time; a line holds no more.
MAX_WAITING = 4096


class Paced:
    """Chunks of bytes, each out when its last bit would be."""

    def __init__(self, baud: int) -> None:
        self._byte_s = BITS_A_BYTE / baud
        self._free_at = 0.0
        self._chunks: deque[tuple[float, bytes]] = deque()

    def put(self, data: bytes, now: float) -> None:
        if len(self._chunks) < MAX_WAITING:
            self._free_at = max(self._free_at, now) + len(data) * self._byte_s
            self._chunks.append((self._free_at, data))

    def take(self, now: float) -> list[bytes]:
        out = []
        while self._chunks and self._chunks[0][0] <= now:
            out.append(self._chunks.popleft()[1])
        return out

    def wakes_at(self) -> float:
        return self._chunks[0][0] if self._chunks else inf

    def clear(self) -> None:
        self._chunks.clear()


class PtyPort:
    """``link`` is a name that stays the same; without one the pty's own name is the port's."""

    def __init__(
        self,
        devices: Iterable[Device],
        *,
        baud: int = 115_200,
        link: Path | None = None,
        inward: Wire | None = None,
        outward: Wire | None = None,
    ) -> None:
        self.end = DeviceEnd(devices)
        #: Bytes that the pty gave us and took from us, ever.
        self.bytes_read = 0
        self.bytes_written = 0
        self.inward = inward or Wire()
        self.outward = outward or Wire()
        self._arriving = Paced(baud)
        self._leaving = Paced(baud)
        self._link = link
        self._loop: asyncio.AbstractEventLoop | None = None
        self._handle: asyncio.TimerHandle | None = None
        self._master = self._slave = -1
        self._open()

    @property
    def path(self) -> str:
        return str(self._link) if self._link else os.ttyname(self._slave)

    # --- The cable --------------------------------------------------------------

    @property
    def is_plugged_in(self) -> bool:
        return self._master >= 0

    def unplug(self) -> None:
        """The adapter is gone, and its name with it."""
        if self._master < 0:
            return
        if self._loop is not None:
            self._loop.remove_reader(self._master)
        for descriptor in (self._master, self._slave):
            os.close(descriptor)
        self._master = self._slave = -1
        if self._link is not None:
            self._link.unlink(missing_ok=True)
        self._arriving.clear()
        self._leaving.clear()
        self.end.cut()

    def plug_in(self) -> None:
        """A new pty, which may have another number, under the same name."""
        if self._master < 0:
            self._open()
            self._listen()
            self.kick()

    def _open(self) -> None:
        self._master, self._slave = os.openpty()
        for descriptor in (self._master, self._slave):
            tty.setraw(descriptor)
        os.set_blocking(self._master, False)
        if self._link is not None:
            self._link.unlink(missing_ok=True)
            self._link.symlink_to(os.ttyname(self._slave))

    # --- The loop ---------------------------------------------------------------

    async def run(self) -> None:
        """Until cancelled; then the cable is pulled."""
        self._loop = asyncio.get_running_loop()
        self._listen()
        self.kick()
        try:
            await self._loop.create_future()
        finally:
            if self._handle is not None:
                self._handle.cancel()
            self.unplug()
            self._loop = None

    def kick(self) -> None:
        """Somebody did something at a device: it may have something to say."""
        loop = self._loop
        if loop is None:
            return
        now = loop.time()
        self.end.advance(now)
        for data in self._arriving.take(now):
            self.inward.put(data, now)
        for data in self.inward.take(now):
            self._say(self.end.received(data, now), now)
        self._say(self.end.to_write(now), now)
        for data in self.outward.take(now):
            self._leaving.put(data, now)
        for data in self._leaving.take(now):
            self._write(data)
        self._come_back(loop, now)

    def _say(self, frames: Iterable[bytes], now: float) -> None:
        for one in frames:
            self.outward.put(one, now)

    def _come_back(self, loop: asyncio.AbstractEventLoop, now: float) -> None:
        if self._handle is not None:
            self._handle.cancel()
        at = min(
            self.end.wakes_at(),
            self._arriving.wakes_at(),
            self._leaving.wakes_at(),
            self.inward.wakes_at(now),
            self.outward.wakes_at(now),
        )
        # Never at once again: a device that always has something to say lets others go on too.
        self._handle = loop.call_at(max(at, now + 0.0001), self.kick) if at < inf else None

    def _listen(self) -> None:
        if self._loop is not None and self._master >= 0:
            self._loop.add_reader(self._master, self._readable)

    def _readable(self) -> None:
        assert self._loop is not None
        try:
            data = os.read(self._master, READ_BYTES)
        except BlockingIOError:
            return
        self.bytes_read += len(data)
        # Frame by frame: how the system has put them together must not decide when each is there.
        for piece in data.split(b"\0")[:-1]:
            self._arriving.put(piece + b"\0", self._loop.time())
        if rest := data.rpartition(b"\0")[2]:
            self._arriving.put(rest, self._loop.time())
        self.kick()

    def _write(self, data: bytes) -> None:
        # What does not fit is lost, as on a line whose other end does not read.
        with contextlib.suppress(BlockingIOError):
            if self._master >= 0:
                self.bytes_written += os.write(self._master, data)
