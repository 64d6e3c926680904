"""A serial port by its settings: opened, configured and kept for felt alone, or why it can't be.

pyserial knows how each system wants its ports configured, so it opens them; from then on felt has
the bare descriptor, because pyserial's ``write`` spins on a full buffer. All that is here may
block, so it runs beside the loop.

Whatever is in the way is said in words that somebody at the table can act on.
"""

from __future__ import annotations

import array
import contextlib
import errno
import fcntl
import grp
import os
import stat
import termios
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

import serial
from serial.rs485 import RS485Settings
from serial.serialposix import TCGETS2

Parity = Literal["none", "even", "odd", "mark", "space"]
_PARITIES = {
    "none": serial.PARITY_NONE,
    "even": serial.PARITY_EVEN,
    "odd": serial.PARITY_ODD,
    "mark": serial.PARITY_MARK,
    "space": serial.PARITY_SPACE,
}

#: An adapter divides its own clock: the other end still understands a rate that is so far off.
BAUD_TOLERANCE = 0.03
#: Where the speed stands in what the system tells of a terminal.
_SPEED_AT = 10
#: Names for the ports of a table, and who gives them.
NAMED = Path("/dev/felt")
NAMES = "/etc/udev/rules.d/71-felt-ports.rules"
#: Nobody reads more names than this.
MAX_HOLDERS = 4
#: Descriptors that are looked at in the search for whoever holds a port.
MAX_LOOKED_AT = 100_000


@dataclass(frozen=True, slots=True)
class PortSettings:
    #: A name that stays the same wherever the adapter is plugged in: /dev/serial/by-id/...
    path: str
    baud: int = 115200
    bytesize: Literal[5, 6, 7, 8] = 8
    parity: Parity = "none"
    stop_bits: Literal[1, 2] = 1
    #: Have the adapter switch the direction of a two-wire bus with RTS. Many do it by themselves.
    rs485: bool = False
    #: Ask the adapter not to collect bytes before it hands them on, if it knows how.
    low_latency: bool = True

    @property
    def byte_s(self) -> float:
        """How long one byte takes on the wire, with all that goes around it."""
        return (1 + self.bytesize + (self.parity != "none") + self.stop_bits) / self.baud

    def __str__(self) -> str:
        form = f"{self.bytesize}{self.parity[0].upper()}{self.stop_bits}"
        return f"{self.path} {self.baud} {form}{' rs485' if self.rs485 else ''}"


Nature = Literal[
    "missing", "busy", "not permitted", "not a tty", "settings", "hang-up", "stuck", "system"
]


@dataclass(frozen=True, slots=True)
class PortTrouble:
    """Why a port is not open, and what to do about it. Both name the port."""

    nature: Nature
    reason: str
    next_step: str


class NotOpened(Exception):
    def __init__(self, trouble: PortTrouble) -> None:
        super().__init__(f"{trouble.reason}; {trouble.next_step}")
        self.trouble = trouble


def open_port(settings: PortSettings) -> int:
    """A descriptor that does not block and that nobody else can open; or raises NotOpened."""
    port = serial.Serial()
    try:
        port.port = settings.path
        port.baudrate = settings.baud
        port.bytesize = settings.bytesize
        port.parity = _PARITIES[settings.parity]
        port.stopbits = settings.stop_bits
        port.exclusive = True
        # With this, to read when nothing is there is an error of its own. Without, it looks like a
        # hang-up, and a wake-up for nothing would lose the port.
        port.inter_byte_timeout = 0.0
        if settings.rs485:
            port.rs485_mode = RS485Settings()
        port.open()
        if settings.low_latency:
            # Not every driver can, and none must: these two are how pyserial says so.
            with contextlib.suppress(ValueError, NotImplementedError):
                port.set_low_latency_mode(True)
        # pyserial holds four more descriptors; its lock is the open file's, so a copy keeps it.
        descriptor = os.dup(port.fileno())
    except (OSError, termios.error, ValueError, OverflowError) as error:
        raise NotOpened(trouble_with(settings, error)) from None
    finally:
        with contextlib.suppress(OSError):
            port.close()
    try:
        _keep_to_ourselves(descriptor, settings)
    except BaseException:
        close_port(descriptor)
        raise
    return descriptor


def _keep_to_ourselves(descriptor: int, settings: PortSettings) -> None:
    os.set_blocking(descriptor, False)
    try:
        # The lock only holds off those who look at it; this holds off all but root.
        fcntl.ioctl(descriptor, termios.TIOCEXCL)
    except OSError as error:
        raise NotOpened(trouble_with(settings, error)) from None
    speed = _speed(descriptor)
    if speed and abs(speed - settings.baud) > BAUD_TOLERANCE * settings.baud:
        why = f"it runs at {speed} baud when asked for {settings.baud}"
        raise NotOpened(_unsuitable(settings, why))


def close_port(descriptor: int, *, discard: bool = False) -> None:
    """Let go of a port. To ``discard`` is to throw away what it has not sent yet.

    Without that, closing waits for the bytes to go out: for half a minute, if nobody takes them.
    """
    with contextlib.suppress(OSError, termios.error):
        if discard:
            termios.tcflush(descriptor, termios.TCOFLUSH)
        # If somebody else has it open, the port outlives us, and so would the ban.
        fcntl.ioctl(descriptor, termios.TIOCNXCL)
    with contextlib.suppress(OSError):
        os.close(descriptor)


def _speed(descriptor: int) -> int:
    """The rate that the port really has, or 0 if the system does not tell."""
    told = array.array("i", [0] * 64)
    try:
        fcntl.ioctl(descriptor, TCGETS2, told)
    except OSError:
        return 0
    return told[_SPEED_AT]


# --- What is in the way -------------------------------------------------------


def trouble_with(settings: PortSettings, error: Exception) -> PortTrouble:
    """An error of opening or using a port, in words."""
    path = settings.path
    number = _number(error)
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ENOTDIR):
        reason = f"{path} is not there"
        return PortTrouble("missing", reason, to_find(path))
    if number in (errno.EBUSY, errno.EAGAIN):
        return _busy(path)
    if number in (errno.EACCES, errno.EPERM):
        return _not_permitted(path)
    if number == errno.EIO:
        return hung_up(settings)
    return _misconfigured(settings, error, number)


def _misconfigured(settings: PortSettings, error: Exception, number: int | None) -> PortTrouble:
    path = settings.path
    if "RS485" in str(error):
        return PortTrouble(
            "settings",
            f"{path} can't switch the direction of a bus",
            f"leave rs485 out for {path} if its adapter switches by itself, or use one that can",
        )
    if number in (errno.ENOTTY, errno.EISDIR) or _is_no_device(path):
        return PortTrouble(
            "not a tty",
            f"{path} is not a serial port",
            f"put the name of a serial port in place of {path} in the table file",
        )
    if isinstance(error, ValueError | OverflowError) or number == errno.EINVAL:
        return _unsuitable(settings, str(error))
    return PortTrouble(
        "system", f"{path} can't be used: {error}", f"look for {path} in the system's log"
    )


def hung_up(settings: PortSettings) -> PortTrouble:
    path = settings.path
    return PortTrouble("hang-up", f"{path} was unplugged or lost its power", _look_at(path))


def stuck(settings: PortSettings, seconds: float) -> PortTrouble:
    path = settings.path
    return PortTrouble(
        "stuck",
        f"{path} has taken no bytes for {seconds:.0f} s",
        f"unplug the adapter {path} and plug it in again",
    )


def to_find(path: str) -> str:
    """What to do where a port is not there; who gives it its name, if somebody has to."""
    if Path(path).parent != NAMED:
        return _look_at(path)
    return f"{_look_at(path)}; its name is given by a line in {NAMES}"


def _look_at(path: str) -> str:
    return f"check the cable and the power of what is plugged in as {path}"


def _number(error: Exception) -> int | None:
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    # pyserial puts some of the system's errors into its own text, and termios has its own type.
    first = error.args[0] if error.args else None
    if isinstance(first, int):
        return first
    text = str(error)
    known = (errno.ENOTTY, errno.EIO, errno.EINVAL)
    return next((one for one in known if f"({one}," in text or f"[Errno {one}]" in text), None)


def _is_no_device(path: str) -> bool:
    try:
        return not stat.S_ISCHR(Path(path).stat().st_mode)
    except OSError:
        return False


def _unsuitable(settings: PortSettings, why: str) -> PortTrouble:
    path = settings.path
    return PortTrouble(
        "settings",
        f"{path} can't be set to {settings.baud} baud: {why}",
        f"use a rate for {path} that both the device and the adapter can do",
    )


def _busy(path: str) -> PortTrouble:
    held = holders(path)
    others = [f"{name} (process {pid})" for pid, name in held if pid != os.getpid()]
    if others:
        who = " and ".join(others)
        return PortTrouble("busy", f"{path} is in use by {who}", f"end {who} to free {path}")
    if held:
        reason = f"{path} is in use by felt itself"
        return PortTrouble("busy", reason, f"give {path} to one line only in the table file")
    step = f"end the program that uses {path}; `sudo fuser -v {path}` names it"
    return PortTrouble("busy", f"{path} is in use", step)


def holders(path: str) -> list[tuple[int, str]]:
    """Who has a port open: process ids and names, as far as we may know."""
    found: dict[int, str] = {}
    try:
        wanted = str(Path(path).resolve(strict=True))
    except OSError:
        return []
    for pid, link in islice(_descriptors(), MAX_LOOKED_AT):
        if pid in found:
            continue
        with contextlib.suppress(OSError):
            if str(link.readlink()) == wanted:
                found[pid] = Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()
        if len(found) == MAX_HOLDERS:
            break
    return list(found.items())


def _descriptors() -> Iterator[tuple[int, Path]]:
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            # It may be somebody else's, or have ended meanwhile.
            with contextlib.suppress(OSError):
                for link in (process / "fd").iterdir():
                    yield int(process.name), link


def _not_permitted(path: str) -> PortTrouble:
    reason = f"felt may not use {path}"
    try:
        entry = Path(path).stat()
    except OSError:
        return PortTrouble("not permitted", reason, f"check the folder that {path} is in")
    try:
        group = grp.getgrgid(entry.st_gid).gr_name
    except KeyError:
        group = str(entry.st_gid)
    shared = stat.S_IRGRP | stat.S_IWGRP
    if entry.st_mode & shared == shared and group != "root":
        step = f"add the service's user to the group {group}, which {path} belongs to, and restart"
    else:
        step = f'give {path} GROUP="dialout", MODE="0660" in a udev rule, and plug it in again'
    return PortTrouble("not permitted", reason, step)
