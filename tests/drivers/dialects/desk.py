"""Drivers on a real port: what the table would be told, and a way to wait for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from controller.table.commands import Command
from controller.table.events import Event
from drivers.attachment import Attachment, Happened
from drivers.contract import Driver
from drivers.wire.line import Spoken
from drivers.wire.ports import PortSettings
from drivers.wire.serial import SerialPort
from tests.drivers.people import moment

#: Longer than anything here takes, however busy the machine is.
PATIENCE_S = 300


class Desk:
    def __init__(self, line: Spoken, drivers: Sequence[Driver], port: str) -> None:
        self.attachments = [
            Attachment(driver, station)
            for driver, station in zip(drivers, line.stations, strict=True)
        ]
        self.told: list[Event] = []
        self.port = SerialPort(PortSettings(port, baud=9600), line, on_turn=self._turn)

    def _turn(self) -> None:
        now = asyncio.get_running_loop().time()
        for attachment in self.attachments:
            for outcome in attachment.turn(now, lambda id_: moment()):
                if isinstance(outcome, Happened):
                    self.told += outcome.events
                    attachment.durable(outcome)

    @property
    def all_ready(self) -> bool:
        return all(attachment.is_present for attachment in self.attachments)

    async def until(self, condition: Callable[[], bool | Awaitable[bool]]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                holds = condition()
                if holds if isinstance(holds, bool) else await holds:
                    return
                await asyncio.sleep(0.005)

    def carry_out(self, command: Command) -> None:
        now = asyncio.get_running_loop().time()
        for attachment in self.attachments:
            attachment.carry_out(command, now)
        self.port.kick()

    def count(self, kind: type[Event]) -> int:
        return sum(isinstance(event, kind) for event in self.told)


@asynccontextmanager
async def desk(line: Spoken, drivers: Sequence[Driver], port: str) -> AsyncIterator[Desk]:
    """The port runs for as long as the test needs it."""
    one = Desk(line, drivers, port)
    running = asyncio.create_task(one.port.run(), name="port")
    try:
        yield one
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
