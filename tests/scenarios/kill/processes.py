"""The daemon of a table as a process of its own, to be killed like one."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

#: Only so that a test ends if the daemon does not.
ENDS_WITHIN_S = 300.0


class Daemon:
    def __init__(self, file: Path, log: Path) -> None:
        self._file = file
        self.log = log
        self._process: subprocess.Popen[bytes] | None = None
        self.starts = 0

    def start(self, *, largest_file: int | None = None) -> None:
        """``largest_file``: no file may become longer, in bytes, as on a disk that fills up."""
        assert self._process is None, "it runs already"
        self.starts += 1
        words = [sys.executable, "-m", "controller", "run", "--config", str(self._file)]
        if largest_file is not None:
            words = ["prlimit", f"--fsize={largest_file}", *words]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    @property
    def is_running(self) -> bool:
        return self._process is not None

    @property
    def code(self) -> int | None:
        """Its exit code if it has ended by itself."""
        return self._process.poll() if self._process is not None else None

    @property
    def pid(self) -> int:
        return self._running().pid

    def kill(self) -> None:
        """Like a power cut, as far as a process can tell."""
        process = self._running()
        ended = process.poll()
        assert ended is None, f"the daemon ended by itself with {ended}:\n{self.last_words()}"
        process.kill()
        process.wait(timeout=ENDS_WITHIN_S)
        self._process = None

    def end(self) -> None:
        """However it stands; for whoever clears up."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=ENDS_WITHIN_S)
            self._process = None

    async def stop(self) -> int:
        """In good order; its exit code."""
        self._running().send_signal(signal.SIGTERM)
        return await self.ended()

    async def ended(self) -> int:
        """Wait for its end, while the devices go on; its exit code."""
        process = self._running()
        code: int = await asyncio.to_thread(process.wait, ENDS_WITHIN_S)
        self._process = None
        return code

    def last_words(self, lines: int = 30) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "it does not run"
        return self._process
