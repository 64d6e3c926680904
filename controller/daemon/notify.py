"""Words for systemd: ready, stopping, and a sign of life that only real work gives.

Without systemd there is nobody to tell, and all of this does nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # The console speaks to systemd as well, and has no use for journal and machine.
    from controller.daemon.core import Core


def tell(*words: str) -> bool:
    """Send words such as ``READY=1``. False if nobody listens."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return False
    if address.startswith("@"):
        address = "\0" + address[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as talking:
        try:
            talking.sendto("\n".join(words).encode(), address)
        except OSError:
            return False
    return True


def watchdog_s() -> float | None:
    """How long systemd waits for a sign of life; none if it does not watch this process."""
    given = os.environ.get("WATCHDOG_USEC", "")
    if not given.isdecimal() or int(given) == 0:
        return None
    if os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    return int(given) / 1_000_000


async def turns() -> None:
    """Keep the watchdog quiet as long as the loop turns: for who does nothing but answer."""
    period = watchdog_s()
    while period is not None:
        tell("WATCHDOG=1")
        await asyncio.sleep(period / 3)


async def feed(core: Core) -> None:
    """Keep the watchdog quiet, as long as what is asked of core and journal comes through.

    A loop that turns while the journal hangs is no sign of life.
    """
    period = watchdog_s()
    if period is None:
        return
    while True:
        with contextlib.suppress(asyncio.CancelledError if core.failure else TimeoutError):
            await asyncio.wait_for(core.ping(), period)
            tell("WATCHDOG=1")
        await asyncio.sleep(period / 3)
