"""A test that leaves a descriptor, a task or a thread behind has failed, whatever it asserted.

Import the fixtures into the ``conftest`` of a part of the tests, and they hold for all of it.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

#: A thread that was told to end needs a moment; one that was not told needs more than this.
LEFT_AFTER_S = 60.0
PAUSE_S = 0.01


def descriptors() -> dict[int, str]:
    """What is open, and what it is."""
    found = {}
    for link in Path("/proc/self/fd").iterdir():
        try:
            found[int(link.name)] = str(link.readlink())
        except OSError:
            # The one by which this directory is read.
            continue
    return found


def left_descriptors(before: dict[int, str]) -> list[str]:
    now = descriptors()
    return [f"{number} is {what}" for number, what in now.items() if before.get(number) != what]


def left_threads(before: set[threading.Thread]) -> list[str]:
    # execnet's are the workers that pytest itself runs in.
    return [
        thread.name
        for thread in threading.enumerate()
        if thread not in before and not thread.name.startswith("execnet")
    ]


@pytest.fixture(autouse=True)
def nothing_left_open() -> Iterator[None]:
    """No descriptor and no thread, once the test's loop is closed too."""
    open_before, running_before = descriptors(), set(threading.enumerate())
    yield
    until = time.monotonic() + LEFT_AFTER_S
    while time.monotonic() < until:
        if not left_threads(running_before) and not left_descriptors(open_before):
            return
        time.sleep(PAUSE_S)
    assert not left_threads(running_before), "threads were left running"
    assert not left_descriptors(open_before), "descriptors were left open"


@pytest.fixture
async def no_task_left() -> AsyncIterator[None]:
    yield
    own = asyncio.current_task()
    until = time.monotonic() + LEFT_AFTER_S
    while left := [task.get_name() for task in asyncio.all_tasks() if task is not own]:
        assert time.monotonic() < until, f"tasks were left running: {left}"
        # A task that was cancelled ends in the next turns of the loop, or with a thread.
        await asyncio.sleep(PAUSE_S)


@pytest.fixture(autouse=True)
def tasks_are_ended(request: pytest.FixtureRequest, nothing_left_open: None) -> None:
    """For tests that have a loop; the others need none for this."""
    if inspect.iscoroutinefunction(request.function):
        request.getfixturevalue("no_task_left")
