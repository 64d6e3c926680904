"""A real service on a temporary folder, with wires whose ports are not there, for tests.

An absent device is a state, so such a service starts, answers and records like any other.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from controller.daemon.client import Answered, Client
from controller.daemon.clock import Clock
from controller.daemon.configuration import Configuration, read
from controller.daemon.desk import Desk
from controller.daemon.sealing import ROUND, Kept, Sealer, public_of
from controller.daemon.service import Service
from controller.journal.reader import Reader
from controller.library import Library
from controller.recorder import Taken
from controller.replay import Replay
from controller.table.events import CredentialRefused, Event

KEY = bytes(range(32))

TABLE = """
id = "test-1"
rulebook = "pa-639a"
method = "automated shoe"
decks = 1
ante = {{ least = 500, most = 50_000 }}
people = [{people}]

[devices]
shuffler = {{ counts = true }}

[options]
seats = 2
adjacent_boxes = 1
bonus = "B"

[service]
state = "{folder}/state"
runtime = "{folder}/run"
secrets = "{folder}/secrets"
{service}

[wires.rack]
serial = "{folder}/no-such-port"
devices = ["shuffler", "shoe", "panel"]
{more}
"""

PEOPLE = {
    "dealer-1": ["dealer"],
    "dealer-2": ["dealer"],
    "floor-1": ["floorperson"],
    "supervisor-1": ["supervisor"],
    "supervisor-2": ["supervisor"],
    "technician-1": ["technician"],
    "auditor-1": ["auditor"],
    "relief-1": ["dealer", "floorperson"],
}


def table_file(folder: Path, *, people: bool = True, service: str = "", more: str = "") -> Path:
    listed = ", ".join(
        f'{{ id = "{one}", name = "{one.title()}", roles = {roles} }}'
        for one, roles in PEOPLE.items()
        if people
    ).replace("'", '"')
    for name, mode in (("state", 0o755), ("run", 0o755), ("secrets", 0o700)):
        (folder / name).mkdir(mode, exist_ok=True)
    file = folder / "table.toml"
    file.write_text(TABLE.format(folder=folder, people=listed, service=service, more=more))
    return file


class House:
    """A service that runs, and what it has said."""

    def __init__(
        self, file: Path, library: Library | None = None, clock: Clock | None = None
    ) -> None:
        self.library = library or Library()
        self.configuration: Configuration = read(file, self.library)
        self.said: list[tuple[str, dict[str, Any]]] = []
        self.service = Service(
            self.configuration,
            self.library,
            sealer=Sealer(public_of(KEY), kept=Kept(self.configuration.state / ROUND, KEY)),
            clock=clock or Clock(),
            said=lambda event, **facts: self.said.append((event, facts)),
        )
        self.desk: Desk | None = None

    def with_desk(self) -> House:
        """Open its control socket too."""
        try:
            self.desk = Desk(self.service, self.library)
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        """For a service that never ran."""
        self.service.core.close()
        self.service.journal.close()

    async def asks(self, action: str, given: dict[str, Any] | None = None, **who: Any) -> Any:
        """One question over the real socket, on a connection of its own.

        On a PC that is busy with other things a question is asked again, as the answer says.
        """
        path = self.configuration.socket

        def ask(patience: int = 0 if who else 20) -> Any:
            try:
                with Client(path) as client:
                    return client.ask(action, given, **who)
            except Answered as answered:
                if answered.code != "late" or not patience:
                    raise
            return ask(patience - 1)

        # Not among the threads that the service itself works with: they would wait for each other.
        with ThreadPoolExecutor(1) as thread:
            return await asyncio.get_running_loop().run_in_executor(thread, ask)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[House]:
        ready = asyncio.Event()
        task = asyncio.create_task(self.service.run(ready.set))
        waiting = asyncio.create_task(ready.wait())
        try:
            await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                task.result()
            yield self
        finally:
            waiting.cancel()
            self.service.stop()
            await task

    async def takes(self, event: Event) -> Taken:
        return await self.service.core.post(event)

    def recorded(self, kind: type[Any] | None = None) -> list[Any]:
        """The events that the journal's file has, of one kind or all."""
        with Reader.look(self.configuration.journal) as reader:
            played = Replay(reader, self.library).events()
            return [one.event for one in played if kind is None or isinstance(one.event, kind)]


def wrong_pin(at: int, person: str, place: str) -> CredentialRefused:
    """As the service tells the table that a PIN was wrong."""
    return CredentialRefused(at=at, person=person, device=place, by_place=True)


class Done(NamedTuple):
    code: int
    out: str
    err: str


async def felt(*words: str | Path, stdin: str = "") -> Done:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "controller", *map(str, words),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate(stdin.encode())
    assert "Traceback" not in err.decode(), err.decode()
    assert process.returncode is not None
    return Done(process.returncode, out.decode(), err.decode())
