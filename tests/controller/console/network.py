"""Between browsers and the console: a network that can be cut, and a table that can be killed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from controller.daemon import secrets
from controller.daemon.client import Answered, Client, Unanswered
from controller.daemon.configuration import read
from controller.library import Library
from tests.drivers.wire.plugs import AT_LAST_S
from tests.scenarios.kill.processes import Daemon

HERE = "127.0.0.1"
#: Another address of this PC, at which the network can be cut.
THERE = "127.0.0.2"


def free_port() -> int:
    with socket.socket() as one:
        one.bind((HERE, 0))
        port: int = one.getsockname()[1]
        return port


class Network:
    """Carries bytes from ``THERE`` to ``HERE``, unless it is cut: then they are lost on the way.

    Nobody is told: connections stay open at both ends, as with a cable that was pulled out of a
    switch in the middle.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.is_cut = False
        self.connections = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Network:
        self._server = await asyncio.start_server(self._carry, THERE, self.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        others: list[asyncio.StreamWriter] = [writer]
        try:
            if self.is_cut:
                await asyncio.Event().wait()
            there_reader, there_writer = await asyncio.open_connection(HERE, self.port)
            others.append(there_writer)
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pass(reader, there_writer))
                group.create_task(self._pass(there_reader, writer))
        except (OSError, asyncio.CancelledError, ExceptionGroup):
            pass
        finally:
            for one in others:
                one.close()
            self._tasks.discard(task)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """What was lost stays lost: a connection that was there during a cut never speaks again."""
        while data := await reader.read(1 << 16):
            if self.is_cut:
                await asyncio.Event().wait()
            writer.write(data)
            await writer.drain()
        writer.close()
        raise ConnectionResetError


class Table(Daemon):
    """``felt run`` in a process of its own, and questions to it."""

    def __init__(self, file: Path) -> None:
        super().__init__(file, file.with_name("felt.log"))
        configuration = read(file, Library())
        self.socket = configuration.socket
        self.journal = configuration.journal
        for device in (*configuration.devices, secrets.FACES):
            secrets.make_key(configuration.secrets, device)

    async def asks(self, action: str, given: dict[str, Any] | None = None, **who: Any) -> Any:
        def ask() -> Any:
            with Client(self.socket) as client:
                return client.ask(action, given, **who)

        async with asyncio.timeout(AT_LAST_S):
            while True:
                with contextlib.suppress(Unanswered):
                    return await asyncio.to_thread(ask)
                if self.code is not None:
                    raise AssertionError(self.last_words())
                await asyncio.sleep(0.1)

    async def seq(self) -> int:
        """The last entry, once none comes after it."""
        before = -1
        while True:
            now = int((await self.asks("picture"))["seq"])
            if now == before:
                return now
            before = now
            await asyncio.sleep(0.2)


class Console:
    """``felt console`` in a process of its own, always at the same port."""

    def __init__(self, socket_: Path, *words: str) -> None:
        self.port = free_port()
        self._words = ("--socket", str(socket_), "--name", THERE, *words)
        self._process: asyncio.subprocess.Process | None = None
        self.log: list[str] = []

    @property
    def address(self) -> str:
        """By way of the network."""
        return f"http://{THERE}:{self.port}/"

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "controller", "console", "--listen", f"{HERE}:{self.port}",
            *self._words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        assert self._process.stdout is not None
        async with asyncio.timeout(AT_LAST_S):
            assert (await self._process.stdout.readline()).decode().startswith("http")

    async def kill(self) -> None:
        if self._process is None:
            return
        os.kill(self._process.pid, signal.SIGKILL)
        await self._process.wait()
        self._process = None
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def felt_and_console(file: Path) -> AsyncIterator[tuple[Table, Console, Network]]:
    table = Table(file)
    console = Console(table.socket)
    table.start()
    try:
        await table.asks("who")
        await console.start()
        async with Network(console.port) as network:
            yield table, console, network
    finally:
        await console.kill()
        table.end()


__all__ = ["Answered", "Console", "Network", "Table", "felt_and_console"]
