"""Somebody who acts at a table: a connection of their own, on which the PIN is given once.

The table remembers who has proved who they are for as long as that connection is open. So the
console keeps no PIN: when the connection has gone, the person gives it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from controller.console.socket_client import Connection
from controller.console.table_link import TableLink
from controller.daemon.client import Answered

#: Acts of one person that wait for one table.
MAX_WAITING = 4


class Acting:
    def __init__(self, link: TableLink, connection: Connection, as_: str, place: str) -> None:
        self.link = link
        self._place = place
        self._connection = connection
        self._as = as_
        self._waiting = 0
        self._one_at_a_time = asyncio.Lock()

    @classmethod
    async def sign_on(cls, link: TableLink, as_: str, pin: str | None, place: str) -> Acting:
        """On duty at a table, on record; or ``Answered`` with why not.

        The table counts wrong PINs by the place where they were given: an address, for a page.
        """
        connection = await Connection.open(link.path)
        try:
            await connection.ask("sign_on", as_=as_, pin=pin, from_=place)
        except BaseException:
            await connection.close()
            raise
        return cls(link, connection, as_, place)

    def when_gone(self, told: Callable[[Acting], None]) -> None:
        self._connection.ended = lambda: told(self)
        if self._connection.gone is not None:
            told(self)

    async def do(
        self,
        action: str,
        given: dict[str, Any],
        *,
        second_pin: str | None = None,
        place: str = "",
    ) -> msgspec.Raw:
        """With another ``place``, where the second person is who gives that PIN."""
        if self._waiting >= MAX_WAITING:
            raise Answered("busy", f"{MAX_WAITING} acts wait for {self.link.name}; wait for them")
        self._waiting += 1
        try:
            async with self._one_at_a_time:
                return await self._connection.ask(
                    action, given, as_=self._as, second_pin=second_pin, from_=place or self._place
                )
        finally:
            self._waiting -= 1

    @property
    def why_gone(self) -> str:
        """What the table said before it ended the connection, if it did."""
        return self._connection.last_words

    async def keep_open(self) -> None:
        """The table lets a connection go that says nothing for long."""
        if not self._waiting:
            await self._connection.ask("who")

    async def leave(self, *, duty: bool) -> None:
        """Close it; with ``duty``, the person is on duty no longer, which is on record."""
        self._connection.ended = lambda: None
        try:
            if duty and self._connection.gone is None:
                await self._connection.ask(
                    "sign_off", as_=self._as, from_=self._place, timeout_s=5.0
                )
        except (Answered, OSError, ValueError):
            return  # somebody else is on duty by now, or the table has gone
        finally:
            await self._connection.close()
