"""Who does at the device what felt can't: a person at the bench, a command, or a process's input.

An act is an object with one name, as ``felt simulate`` takes it: {"restart": true}, {"wager": 100}.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, Protocol

from controller.certify.verdict import NotForIt, NotTried

#: So long a person has for one act, and a command.
PERSON_S = 300.0
COMMAND_S = 60.0
#: What a command ends with that can't do this with its device.
CANT = 3
#: Between the end of a process that was killed and its start.
OFF_S = 1.2
#: How long a process may take to end.
ENDS_S = 5.0


class Hands(Protocol):
    async def do(self, act: dict[str, Any], words: str) -> None:
        """Done when it returns. ``NotTried`` if nobody can, ``NotForIt`` if the device has none."""

    async def begin(self) -> None: ...
    async def end(self) -> None: ...


class Nobody:
    """Nobody is at the bench."""

    async def do(self, act: dict[str, Any], words: str) -> None:
        raise NotTried(f"nobody was there to do it: {words}")

    async def begin(self) -> None:
        return

    async def end(self) -> None:
        return


class Person(Nobody):
    """Whoever sits at this terminal."""

    def __init__(self, ask: Callable[[str], None]) -> None:
        self._ask = ask
        self._lines: asyncio.Queue[str] = asyncio.Queue()

    async def begin(self) -> None:
        loop = asyncio.get_running_loop()

        def read() -> None:
            while line := sys.stdin.readline(200):
                if loop.is_closed():
                    return
                with contextlib.suppress(RuntimeError):
                    loop.call_soon_threadsafe(self._lines.put_nowait, line)
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._lines.put_nowait, "skip")

        # A thread that nobody waits for: at the end it may still wait for a line.
        threading.Thread(target=read, name="standard input", daemon=True).start()

    async def do(self, act: dict[str, Any], words: str) -> None:
        while not self._lines.empty():
            self._lines.get_nowait()
        self._ask(f"{words}; then press Enter (skip: not now; none: it has no such thing)")
        try:
            async with asyncio.timeout(PERSON_S):
                said = (await self._lines.get()).strip().lower()
        except TimeoutError:
            raise NotTried(f"nobody did it within {PERSON_S:.0f} s: {words}") from None
        if said == "skip":
            raise NotTried(f"it was left out at the bench: {words}")
        if said == "none":
            raise NotForIt(f"it has no such thing: {words}")


class Command(Nobody):
    """A command that is run for each act, which it gets as its last argument."""

    def __init__(self, command: str) -> None:
        self._command = shlex.split(command)

    async def do(self, act: dict[str, Any], words: str) -> None:
        said = json.dumps(act)
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command, said, stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
        except OSError as error:
            raise NotTried(f"{self._command[0]}: {error.strerror}") from None
        try:
            async with asyncio.timeout(COMMAND_S):
                _, errors = await process.communicate()
        except TimeoutError:
            process.kill()
            await process.wait()
            raise NotTried(f"the hook did not end within {COMMAND_S:.0f} s for {said}") from None
        if process.returncode == CANT:
            raise NotForIt(f"the hook says that it can't be done with this device: {said}")
        if process.returncode:
            why = errors.decode(errors="replace").strip().splitlines()[-1:] or [""]
            raise NotTried(f"the hook ended with {process.returncode} for {said}: {why[0][:200]}")


class Process(Nobody):
    """A device that is a process: started here, told of each act by a line on its input.

    Its power is cut by {"restart": true}, or by killing it and starting it again. What it prints is
    read for {"refused": why}, as ``felt simulate`` says it.
    """

    def __init__(self, command: str, *, kills: bool) -> None:
        self._command = shlex.split(command)
        self._kills = kills
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._refused = ""

    async def begin(self) -> None:
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise NotTried(f"{self._command[0]} can't be started: {error.strerror}") from None
        self._reading = asyncio.create_task(self._read(self._process), name="what it prints")

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while True:
            try:
                line = await process.stdout.readline()
            except ValueError:
                continue  # longer than any line that says something here
            if not line:
                return
            with contextlib.suppress(ValueError):
                said = json.loads(line)
                if isinstance(said, dict) and "refused" in said:
                    self._refused = str(said["refused"])

    async def do(self, act: dict[str, Any], words: str) -> None:
        if "restart" in act and self._kills:
            await self.end()
            await asyncio.sleep(OFF_S)
            await self.begin()
            return
        process = self._process
        if process is None or process.stdin is None or process.returncode is not None:
            raise NotTried(f"{self._command[0]} has ended")
        self._refused = ""
        with contextlib.suppress(ConnectionError):
            process.stdin.write(json.dumps(act).encode() + b"\n")
            await process.stdin.drain()
        # It says at once what it can't do; what it does is seen on the wire.
        await asyncio.sleep(0.1)
        if self._refused:
            raise NotForIt(f"the device's process says: {self._refused[:200]}")

    async def end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ENDS_S):
                    await process.wait()
        if process.stdin is not None:
            process.stdin.close()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
            self._reading = None
