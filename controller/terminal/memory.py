"""What the terminal must know after its power was cut: what it has said that felt may not have.

An event is on the disk before it is sent, so none is lost. And it keeps its number: a terminal that
is cut off while felt takes an event can't know of it, and says it again when it is back. So as long
as anything waits it goes on in the boot in which that was numbered, and felt takes a repeat for
what it is. When nothing waits, a start is a new boot, as it is with every device.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

import msgspec

from controller.rules.faults import Refused
from drivers.wire import messages
from drivers.wire.messages import BuyIn, CashOut, Event

#: As large as a boot can be.
_U32 = 0xFFFF_FFFF
MAX_BYTES = 256 * 1024
#: Connections to the broker within a start; the next one in the same boot counts on above them.
CONNECTIONS = 1 << 20

Transfer = BuyIn | CashOut


class Said(msgspec.Struct, frozen=True):
    """Something that the terminal has said, under its number; "" is no press of a player."""

    number: int
    press: str
    event: dict[str, Any]

    def read(self) -> Event:
        found = msgspec.convert(self.event, messages.BY_NAME[str(self.event["message"])])
        if not isinstance(found, Event):
            raise msgspec.ValidationError("no device says it")
        return found


class _Kept(msgspec.Struct):
    """The file."""

    boot: int
    #: How often it was started in this boot.
    starts: int
    #: The number of the next event.
    next: int
    waiting: list[Said] = []
    #: Transfers that felt has not answered.
    open: list[dict[str, Any]] = []


class Memory:
    """Of the one process that has it; ``close`` lets the next one have it."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = _locked(file)
        try:
            self._kept = self._read()
            self._begin()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        os.close(self._lock)

    def _begin(self) -> None:
        kept = self._kept
        if kept.waiting:
            kept.starts += 1
        else:
            kept.boot, kept.starts, kept.next = kept.boot % _U32 + 1, 1, 1
        self._write()

    # --- Asked ------------------------------------------------------------------

    @property
    def boot(self) -> int:
        return self._kept.boot

    @property
    def connections(self) -> int:
        """The connections of earlier starts in this boot, and more."""
        return (self._kept.starts - 1) * CONNECTIONS % _U32

    @property
    def next(self) -> int:
        return self._kept.next

    @property
    def waiting(self) -> tuple[Said, ...]:
        return tuple(self._kept.waiting)

    def transfers(self) -> OrderedDict[str, Transfer]:
        found: OrderedDict[str, Transfer] = OrderedDict()
        for one in self._kept.open:
            read = msgspec.convert(one, Transfer)
            found[read.transfer] = read
        return found

    # --- Told -------------------------------------------------------------------

    def say(self, number: int, press: str, event: Event) -> None:
        """On the disk when this returns."""
        self._kept.next = number + 1
        self._kept.waiting.append(Said(number, press, msgspec.to_builtins(event)))
        if isinstance(event, BuyIn | CashOut):
            asked = msgspec.to_builtins(event)
            if asked not in self._kept.open:
                self._kept.open.append(asked)
        self._write()

    def heard(self, number: int) -> None:
        """felt has everything up to this number."""
        before = len(self._kept.waiting)
        self._kept.waiting = [one for one in self._kept.waiting if one.number > number]
        if len(self._kept.waiting) != before:
            self._write()

    def answered(self, transfer: str) -> None:
        before = len(self._kept.open)
        self._kept.open = [one for one in self._kept.open if one["transfer"] != transfer]
        if len(self._kept.open) != before:
            self._write()

    # --- The file ---------------------------------------------------------------

    def _read(self) -> _Kept:
        try:
            data = self.file.read_bytes()[:MAX_BYTES]
        except FileNotFoundError:
            # No boot of a file that was lost may come again: felt would take news for repeats.
            return _Kept(boot=int(time.time()) % _U32, starts=0, next=1)
        except OSError as error:
            raise Refused(str(self.file), f"can't be read: {error.strerror}") from None
        try:
            return msgspec.json.decode(data, type=_Kept)
        except msgspec.MsgspecError as error:
            problem = f"is not what a terminal remembers: {error}"
            step = "see at the table what its player has asked for, then move the file away"
            raise Refused(str(self.file), problem, step) from None

    def _write(self) -> None:
        new = self.file.with_name(f"{self.file.name}.new")
        try:
            with open(new, "wb", opener=_private) as file:
                file.write(msgspec.json.format(msgspec.json.encode(self._kept)))
                file.flush()
                os.fsync(file.fileno())
            new.replace(self.file)
            folder = os.open(self.file.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise Refused(str(self.file), f"can't be written: {error.strerror}") from None


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _locked(file: Path) -> int:
    beside = file.with_name(f"{file.name}.lock")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(beside, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise Refused(str(beside), f"can't be made: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        problem = "another terminal runs with it"
        raise Refused(str(file), problem, "end that one, or give this one its own") from None
    return lock
