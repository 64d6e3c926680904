"""Whatever is plugged into the table PC is on record: a keyboard, a stick, a serial adapter.

The kernel tells of it as it happens, where it lets us listen; every few seconds the list of what
is there is read as well, so that nothing is missed where it does not. A device that is there and
gone in an instant is told by the kernel alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from pathlib import Path

from controller.daemon.clock import Clock
from controller.daemon.core import Core
from controller.table import events

LOOK_EVERY_S = 5.0
#: So many are recorded in a minute; more are counted.
RECORDED, WITHIN_S = 20, 60.0
#: Things that are remembered: a PC has some dozens.
MAX_KNOWN = 4096
MAX_MESSAGE = 8192

USB = Path("/sys/bus/usb/devices")
TTY = Path("/sys/class/tty")

_KOBJECT_UEVENT = 15
_KERNEL_GROUP = 1


def seen(usb: Path = USB, tty: Path = TTY) -> dict[str, str]:
    """What is plugged in now: the kernel's name of it, and in words."""
    found: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for one in sorted(usb.iterdir()):
            if (one / "idVendor").is_file():
                found[f"usb {one.name}"] = _usb(one)
    with contextlib.suppress(OSError):
        for one in sorted(tty.iterdir()):
            # Consoles and pseudo-terminals have no device behind them.
            if (one / "device").exists():
                found[f"serial {one.name}"] = f"serial port {one.name}"
    return found


def _usb(folder: Path) -> str:
    def said(name: str) -> str:
        with contextlib.suppress(OSError):
            text = (folder / name).read_bytes()[:64].decode("utf-8", "replace")
            return "".join(c if c.isprintable() else "?" for c in text.strip())
        return ""

    ids = f"{said('idVendor')}:{said('idProduct')}"
    words = " ".join(one for one in (said("manufacturer"), said("product"), said("serial")) if one)
    return f"usb {folder.name}: {ids} {words}".strip()


def parsed(message: bytes) -> tuple[str, str] | None:
    """The kernel's word that something came: its name, and in words. None for all else."""
    parts = message.split(b"\0")
    facts = dict(
        part.decode("utf-8", "replace").partition("=")[::2] for part in parts[1:] if b"=" in part
    )
    name = facts.get("DEVPATH", "").rpartition("/")[2]
    if facts.get("ACTION") != "add" or not name:
        return None
    if facts.get("SUBSYSTEM") == "usb" and facts.get("DEVTYPE") == "usb_device":
        return f"usb {name}", f"usb {name}: {facts.get('PRODUCT', '')}".strip(": ")
    if facts.get("SUBSYSTEM") == "tty" and "/virtual/" not in facts.get("DEVPATH", ""):
        return f"serial {name}", f"serial port {name}"
    return None


class Appearing:
    def __init__(
        self,
        core: Core,
        clock: Clock,
        said: Callable[..., None],
        look: Callable[[], dict[str, str]] = seen,
    ) -> None:
        self._core = core
        self._clock = clock
        self._said = said
        self._look = look
        self._known: set[str] = set()
        self._recorded: list[float] = []
        self._stirred = asyncio.Event()

    async def run(self) -> None:
        """As work of the service. What is there at the start was there."""
        self._known = set(await asyncio.to_thread(self._look))
        with contextlib.ExitStack() as stack:
            self._listen(stack)
            while True:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_EVERY_S):
                        await self._stirred.wait()
                self._stirred.clear()
                self.compare(await asyncio.to_thread(self._look))

    def compare(self, there: dict[str, str]) -> None:
        for name, words in there.items():
            if name not in self._known:
                self.appeared(name, words)
        # What is gone is new when it comes again.
        self._known = set(there)

    def appeared(self, name: str, words: str) -> None:
        if name in self._known:
            return
        if len(self._known) < MAX_KNOWN:
            self._known.add(name)
        self._said("plugged in", what=words)
        now = self._clock.running()
        self._recorded = [one for one in self._recorded if now - one < WITHIN_S]
        if len(self._recorded) < RECORDED:
            self._recorded.append(now)
            at = self._clock.wall_ms()
            self._core.post(events.DeviceAppeared(at=at, what=words[:500]))

    def _listen(self, stack: contextlib.ExitStack) -> None:
        """Have the kernel tell us, if it lets us."""
        try:
            kernel = socket.socket(
                socket.AF_NETLINK, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK, _KOBJECT_UEVENT
            )
        except OSError:
            return
        stack.callback(kernel.close)
        try:
            kernel.bind((0, _KERNEL_GROUP))
        except OSError:
            return
        loop = asyncio.get_running_loop()
        loop.add_reader(kernel, self._told, kernel)
        stack.callback(loop.remove_reader, kernel)

    def _told(self, kernel: socket.socket) -> None:
        try:
            message, (sender, _) = kernel.recvfrom(MAX_MESSAGE)
        except OSError:
            self._stirred.set()  # messages were lost: look
            return
        # Programs can send to the same group; the kernel's own number is 0.
        if sender == 0 and (found := parsed(message)) is not None:
            self.appeared(*found)
