"""Long work is done once for all who ask while it runs, and anew for who asks after that."""

from __future__ import annotations

import asyncio
import threading

import pytest

from controller.daemon.joined import Joined


async def test_who_gave_up_and_asks_again_waits_for_the_same() -> None:
    began, may_end = 0, threading.Event()

    def work() -> int:
        nonlocal began
        began += 1
        may_end.wait()
        return began

    joined = Joined(work)
    gave_up = asyncio.create_task(joined.result())
    await asyncio.sleep(0)
    gave_up.cancel()
    again = [asyncio.create_task(joined.result()) for _ in range(3)]
    await asyncio.sleep(0)
    may_end.set()
    assert await asyncio.gather(*again) == [1, 1, 1]
    assert await joined.result() == 2


async def test_a_failure_is_told_to_who_waits_and_forgotten() -> None:
    outcomes = iter([OSError("the disk is gone"), None])

    def work() -> str:
        if (error := next(outcomes)) is not None:
            raise error
        return "read"

    joined = Joined(work)
    with pytest.raises(OSError, match="the disk is gone"):
        await joined.result()
    assert await joined.result() == "read"
