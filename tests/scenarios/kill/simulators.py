"""Simulated devices as processes of their own, ``felt simulate``, to be killed like one.

Each has a mirror among the devices of the table: what people do at that is done at the process, and
it stands as the process says that it was told. Cards and chips lie on the table of the test, so
whatever holds some (shuffler, shoe, acceptors) stays there with them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from drivers.wire import messages
from simulators.device import DONE, Device
from simulators.panel import Panel
from simulators.terminal import Terminal

#: Only so that a test ends.
ENDS_WITHIN_S = 300.0
READ_BYTES = 65536


class Simulator:
    """``where`` are the words that say which wire it is on."""

    def __init__(self, mirror: Device, key: Path, where: Sequence[str], log: Path) -> None:
        self.mirror = mirror
        self._log = log
        self._words = [mirror.kind, "--key-file", str(key), *where]
        if isinstance(mirror, Terminal):
            self._words += ["--seat", str(mirror.seat)]
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""
        self._started_in = 0
        self.starts = 0
        self._reflect()

    def _reflect(self) -> None:
        """What somebody does at the mirror is done at the process."""
        mirror: Any = self.mirror
        if isinstance(self.mirror, Panel):
            mirror.press = lambda button: self._act({"press": button})
        if isinstance(self.mirror, Terminal):
            mirror.buy_in = lambda cents: self._act({"buy_in": cents})
            mirror.wager = lambda wager, cents: self._act(
                {"wager": {"wager": wager, "cents": cents}}
            )

    def _act(self, act: dict[str, Any]) -> None:
        """At a device without power nothing happens."""
        if self._process is not None:
            assert self._process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(json.dumps(act).encode() + b"\n")
                self._process.stdin.flush()

    # --- The process ------------------------------------------------------------

    async def start(self) -> None:
        # It counts its starts by the second.
        while int(time.time()) == self._started_in:  # noqa: ASYNC110 - nobody could tell it
            await asyncio.sleep(0.05)
        self._launch()
        asyncio.get_running_loop().add_reader(self._out(), self.hear)

    def _launch(self) -> None:
        self._started_in = int(time.time())
        self.starts += 1
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "controller", "simulate", *self._words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
            )

    def kill(self) -> None:
        process = self._process
        if process is None:
            return
        ended = process.poll()
        assert ended is None, f"{self.mirror.name} ended by itself: {self._log.read_text()}"
        process.kill()
        process.wait(timeout=ENDS_WITHIN_S)
        self.hear()
        self._close(process)
        # It has no power: whatever it was told is gone, and it takes no wager.
        self.mirror.forget()

    def end(self) -> None:
        """However it stands; for whoever clears up."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=ENDS_WITHIN_S)
            self._close(self._process)

    def _close(self, process: subprocess.Popen[bytes]) -> None:
        asyncio.get_running_loop().remove_reader(self._out())
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        self._process = None
        self._rest = b""

    def _out(self) -> int:
        assert self._process is not None
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        return self._process.stdout.fileno()

    # --- What it says -----------------------------------------------------------

    def hear(self) -> None:
        """All that it has said up to now. It says what it was told before it answers."""
        if self._process is None:
            return
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._out(), READ_BYTES):
                *lines, self._rest = (self._rest + data).split(b"\n")
                for line in lines:
                    self._heard(json.loads(line))

    def _heard(self, said: dict[str, Any]) -> None:
        if "told" not in said or said["answer"] == "refused":
            return
        kind = messages.BY_NAME[said["told"]["message"]]
        command = msgspec.convert(said["told"], kind)
        assert isinstance(command, messages.Command)
        answer = self.mirror.obey(command)
        if isinstance(command, messages.Quiesce):
            self.mirror.go_safe()
        self.mirror.on_told(command, answer or DONE)


def at_broker(mirror: Device, key: Path, broker: str, table: str, log: Path) -> Simulator:
    return Simulator(mirror, key, ["--mqtt", broker, "--table", table], log)


def on_port(mirror: Device, key: Path, port: Path, log: Path) -> Simulator:
    return Simulator(mirror, key, ["--port", str(port)], log)
