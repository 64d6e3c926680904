"""The console's end of a control socket: asks, and hears changes on the same connection.

Results stay as the bytes that came (``msgspec.Raw``): most of them are only passed on.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from controller.daemon.client import Answered, Unanswered

#: An answer is awaited for so long. The table itself gives up a little earlier, with words.
ANSWER_S = 35.0
CONNECT_S = 5.0
MAX_ANSWER = 8 << 20

NOTHING = msgspec.Raw(b"null")


class _Line(msgspec.Struct):
    id: int | str | None = None
    ok: bool = False
    result: msgspec.Raw = NOTHING
    code: str = ""
    error: str = ""
    #: No union with None: of that msgspec takes null alone.
    change: msgspec.Raw = NOTHING


_lines = msgspec.json.Decoder(_Line)
_encoder = msgspec.json.Encoder()


class Connection:
    """Open while its reader runs; ``gone`` says why it is not any more."""

    def __init__(
        self, path: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.path = path
        self.gone: Unanswered | None = None
        #: What it said for nobody's question, before it closed.
        self.last_words = ""
        #: Told of every change after ``watch``, and once when the connection has gone.
        self.changed: Callable[[msgspec.Raw], None] = lambda _: None
        self.ended: Callable[[], None] = lambda: None
        self._reader = reader
        self._writer = writer
        self._asked = 0
        self._waiting: dict[int, asyncio.Future[msgspec.Raw]] = {}
        self._reading = asyncio.create_task(self._read(), name=f"console reads {path}")

    @classmethod
    async def open(cls, path: Path) -> Self:
        try:
            async with asyncio.timeout(CONNECT_S):
                reader, writer = await asyncio.open_unix_connection(path, limit=MAX_ANSWER)
        except (OSError, TimeoutError) as error:
            why = getattr(error, "strerror", None) or str(error) or "no answer"
            step = "the table's service is not running; start it"
            if isinstance(error, PermissionError):
                step = "the console's user must be in the group of the table's control socket"
            raise Unanswered("", f"nobody answers at {path}: {why}", step) from None
        return cls(path, reader, writer)

    async def ask(
        self,
        action: str,
        given: dict[str, Any] | None = None,
        *,
        timeout_s: float = ANSWER_S,
        **who: str | None,
    ) -> msgspec.Raw:
        """The result as it came; ``Answered`` with the reason if there is none."""
        if self.gone is not None:
            raise self.gone
        self._asked += 1
        number = self._asked
        request: dict[str, Any] = {"id": number, "action": action, "with": given or {}}
        request |= {name.rstrip("_"): value for name, value in who.items() if value}
        answer: asyncio.Future[msgspec.Raw] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            async with asyncio.timeout(timeout_s):
                # Where it has gone, it may have said why before: that is read.
                with contextlib.suppress(OSError):
                    self._writer.write(_encoder.encode(request) + b"\n")
                    await self._writer.drain()
                return await answer
        except TimeoutError:
            raise Unanswered("", f"{self.path} does not answer", "felt doctor says more") from None
        finally:
            self._waiting.pop(number, None)

    async def _read(self) -> None:
        why = Unanswered("", f"{self.path} was closed", "the table's service has stopped")
        try:
            while line := await self._reader.readline():
                self._heard(_lines.decode(line))
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            why = Unanswered("", f"{self.path} is gone: {error}")
        finally:
            self._end(why)

    def _heard(self, line: _Line) -> None:
        if line.change is not NOTHING:
            self.changed(line.change)
        elif line.id is None and not line.ok:
            # It turned the connection away, could not read us, or ends what was opened under a PIN
            # that is worth nothing now: nothing else will be answered.
            self.last_words = line.error
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(Answered(line.code, line.error))
        elif isinstance(line.id, int) and (asked := self._waiting.get(line.id)) is not None:
            if asked.done():
                return
            if line.ok:
                asked.set_result(line.result)
            else:
                asked.set_exception(Answered(line.code, line.error))

    def _end(self, why: Unanswered) -> None:
        if self.gone is not None:
            return
        self.gone = why
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(why)
        self._writer.close()
        self.ended()

    async def close(self) -> None:
        self._reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reading
        self._end(Unanswered("", f"{self.path} was closed by the console"))
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
