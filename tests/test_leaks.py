"""The checks for leaks must be able to fail."""

from __future__ import annotations

import pytest

LEAKING = """
import asyncio, os, threading, time
import pytest
import tests.leaks
from tests.leaks import no_task_left, nothing_left_open, tasks_are_ended

# Nobody waits a minute for what never ends.
tests.leaks.LEFT_AFTER_S = 2.0
ENDS = threading.Event()

def test_descriptor():
    os.open("/dev/null", os.O_RDONLY)

def test_thread():
    threading.Thread(target=ENDS.wait, name="left alone", daemon=True).start()

async def test_task():
    asyncio.create_task(asyncio.sleep(1000), name="left alone")

async def test_good():
    task = asyncio.create_task(asyncio.sleep(1000))
    await asyncio.to_thread(int)
    task.cancel()
    with open("/dev/null"):
        pass

def test_also_good():
    threading.Thread(target=int).start()
"""


def test_what_is_left_behind_fails_the_test(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(LEAKING)
    pytester.makeini("[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:xdist")
    result.assert_outcomes(passed=5, errors=3)
    output = result.stdout.str()
    for said in ("descriptors were left open", "threads were left running", "tasks were left"):
        assert said in output
