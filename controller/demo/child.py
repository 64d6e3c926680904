"""A felt of its own that serves a page of a demonstration, and ends with it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

#: It ends by itself within so long, or is made to.
END_S = 5.0

FELT = str(Path(__file__).resolve().parents[2])
#: Runs the felt that runs here, wherever that is installed.
_START = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from controller.cli import main; sys.exit(main())"
)


def felt(*words: str) -> list[str]:
    """The command line of this felt in a process of its own."""
    as_here = ["-ISB"] if sys.flags.isolated and sys.flags.no_site else []
    return [sys.executable, *as_here, "-c", _START, FELT, *words]


class Child:
    """One that has been started; its standard input ends with this process, whatever ends that."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process, self._input, self._output = process, process.stdin, process.stdout
        self._said = ""
        self._reading = asyncio.create_task(self._keep_last(process.stderr), name="a page's log")

    async def address(self) -> str:
        """Where its page is, once it is served; nothing if it ends before."""
        return (await self._output.readline()).decode().strip()

    async def ended(self) -> str:
        """Waits for it, and says why."""
        await self._reading
        await self._process.wait()
        return self._said or f"code {self._process.returncode}"

    async def end(self) -> None:
        self._input.close()
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_S):
                await self._process.wait()
        if self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    async def _keep_last(self, stream: asyncio.StreamReader) -> None:
        """Of what it says, the last that is in words: why it ended, if it does."""
        while line := await stream.readline():
            text = line.decode(errors="replace").strip()
            with contextlib.suppress(ValueError):
                json.loads(text)
                continue
            self._said = text


@contextlib.asynccontextmanager
async def child(*words: str) -> AsyncIterator[Child]:
    process = await asyncio.create_subprocess_exec(
        *felt(*words, "--until-stdin-ends"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        # Its log would stand in the middle of the view.
        stderr=asyncio.subprocess.PIPE,
        # Ctrl-C is for the demonstration, which then ends this.
        start_new_session=True,
    )
    one = Child(process)
    try:
        yield one
    finally:
        await one.end()
