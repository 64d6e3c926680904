"""What the two commands of the bench share: keys, JSON lines in and out, and an orderly end."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from controller.rules.faults import Refused
from drivers.wire.keys import BENCH_KEY, KEY_BYTES

#: Longer lines are no acts and no commands.
MAX_LINE = 4096


def key_of(file: Path | None, command: str) -> bytes:
    """The key in a file; without one the bench key, which everybody knows."""
    if file is None:
        sys.stderr.write(f"felt {command}: no --key-file, so the bench key: it proves nothing\n")
        return BENCH_KEY
    try:
        found = bytes.fromhex(file.read_text(encoding="ascii").strip())
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}") from None
    except ValueError:
        found = b""
    if len(found) != KEY_BYTES:
        raise Refused(str(file), "is not a key", f"{2 * KEY_BYTES} hexadecimal digits")
    return found


def address_of(given: argparse.Namespace) -> int:
    """Where the device is on its line: as a table has it, if nothing else is said."""
    if given.address is not None:
        return int(given.address)
    at_broker = getattr(given, "mqtt", None) is not None
    return 1 if at_broker or given.seat is None else int(given.seat)


def say(what: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def until_interrupted(
    work: Callable[[], Coroutine[Any, Any, None]],
    heard: Callable[[dict[str, Any]], None],
    seconds: float | None,
    at_the_end: Callable[[], Coroutine[Any, Any, None]] | None = None,
) -> int:
    """Run ``work``, hand it each JSON line of standard input, and end in order."""
    try:
        return asyncio.run(_run(work, heard, seconds, at_the_end))
    except ExceptionGroup as group:
        # One thing went wrong; which group it was raised in interests nobody.
        raise group.exceptions[0] from None


async def _run(
    work: Callable[[], Coroutine[Any, Any, None]],
    heard: Callable[[dict[str, Any]], None],
    seconds: float | None,
    at_the_end: Callable[[], Coroutine[Any, Any, None]] | None,
) -> int:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for one in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(one, ended.set)
    _read_lines(loop, lambda line: _take(line, heard))
    async with asyncio.TaskGroup() as tasks:
        working = tasks.create_task(work(), name="bench")
        waiting = tasks.create_task(_wait(ended, seconds), name="until interrupted")
        await waiting
        if at_the_end is not None:
            await at_the_end()
        working.cancel()
    return 0


async def _wait(ended: asyncio.Event, seconds: float | None) -> None:
    try:
        async with asyncio.timeout(seconds):
            await ended.wait()
    except TimeoutError:
        return


def _read_lines(loop: asyncio.AbstractEventLoop, took: Callable[[str], None]) -> None:
    # In a thread that nobody waits for: standard input may be a file, a pipe, a terminal or closed,
    # and at the end of it the bench goes on.
    def read() -> None:
        while line := sys.stdin.readline(MAX_LINE):
            if loop.is_closed():
                return
            loop.call_soon_threadsafe(took, line)

    threading.Thread(target=read, name="standard input", daemon=True).start()


def _take(line: str, heard: Callable[[dict[str, Any]], None]) -> None:
    if not line.strip():
        return
    try:
        given = json.loads(line)
    except ValueError as error:
        say({"refused": f"not JSON: {error}"})
        return
    if isinstance(given, dict):
        heard(given)
    else:
        say({"refused": "an object on a line, and nothing else"})
