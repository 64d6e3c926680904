"""What ``felt drive`` shows of a wire: all that is said, both ways, in words and with its time.

Bytes are put together as they are spoken: a frame of felt's own protocol ends with a zero, a
request of a dialect has its length, and at a broker each publish is one. What is none of that is
garbage, and shown as that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from drivers.dialects.other_end import other_end
from drivers.wire import describe, envelope, frame
from drivers.wire.devicelog import Direction
from drivers.wire.frame import MAX_FRAME, Garbage, Kind
from drivers.wire.station import Rest

Say = Callable[[dict[str, Any]], None]
#: Of what is no frame, so much is kept until its end comes.
MAX_HELD = 4 * MAX_FRAME
WHO: dict[Direction, str] = {"in": "device", "out": "felt"}


class Shown:
    """The tap of a wire. ``polls``: those that say nothing are shown as well."""

    def __init__(self, say: Say, *, polls: bool) -> None:
        self._say = say
        self._polls = polls
        self._began: float | None = None

    def received(self, data: bytes, now: float, channel: str = "") -> None:
        self.heard("in", data, now, channel)

    def sent(self, data: bytes, now: float, channel: str = "") -> None:
        self.heard("out", data, now, channel)

    def port(self, what: str, now: float) -> None:
        self.show("wire", what, now)

    def quiet(self, rest: Rest, channel: str = "") -> None:
        """It was shown as it came."""

    def heard(self, way: Direction, data: bytes, now: float, channel: str) -> None:
        raise NotImplementedError

    def show(self, who: str, words: str, now: float, **more: str) -> None:
        if self._began is None:
            self._began = now
        self._say({"at": round(now - self._began, 6), "said by": who, "said": words, **more})


class Frames(Shown):
    """felt's own protocol on a serial line."""

    def __init__(self, say: Say, *, polls: bool) -> None:
        super().__init__(say, polls=polls)
        self._held: dict[Direction, bytes] = {"in": b"", "out": b""}

    def heard(self, way: Direction, data: bytes, now: float, channel: str) -> None:
        *ended, rest = (self._held[way] + data).split(b"\0")
        for coded in ended:
            if coded:
                self._frame(way, coded, now)
        if len(rest) > MAX_HELD:
            self._frame(way, rest, now)
            rest = b""
        self._held[way] = rest

    def _frame(self, way: Direction, coded: bytes, now: float) -> None:
        packet = frame.from_bytes(coded)
        if packet is None:
            words = describe.garbage(Garbage(coded))
        elif not self._polls and packet.kind in (Kind.POLL, Kind.IDLE):
            return
        else:
            words = describe.packet(packet)
        self.show(WHO[way], words, now, bytes=f"{coded.hex()}00")


class Publishes(Shown):
    """The same packets at a broker."""

    def heard(self, way: Direction, data: bytes, now: float, channel: str) -> None:
        packet = envelope.from_json(data)
        if packet is not None and not self._polls and packet.kind in (Kind.POLL, Kind.IDLE):
            return
        text = data.decode(errors="replace")
        words = describe.packet(packet) if packet is not None else "no packet"
        if channel.endswith(("/state", "/status")):
            words = channel.rpartition("/")[2]
        self.show(WHO[way], words, now, topic=channel, json=text)


class Dialect(Shown):
    """Requests and answers of hardware off the shelf."""

    def __init__(
        self, say: Say, dialect: str, options: Mapping[str, str | int | bool], *, polls: bool
    ) -> None:
        super().__init__(say, polls=polls)
        self._end = other_end(dialect, options)
        self._asked = bytearray()
        self._answer = bytearray()
        self._what = ""
        self._look: Callable[[bytes], int] | None = None
        #: What was last said to each question: shown again when it is another.
        self._last: dict[str, bytes] = {}
        self._request: tuple[str, bytes, float] | None = None

    def heard(self, way: Direction, data: bytes, now: float, channel: str) -> None:
        if way == "out":
            self._asked += data
            for request in self._end.requests(self._asked):
                self._unanswered()
                sets = ", ".join(f"{name} {value}" for name, value in request.sets.items())
                words = f"unit {request.unit}: {request.what}" + (f": {sets}" if sets else "")
                self._request = (words, request.frame, now)
                self._look = request.look
                self._answer.clear()
            return
        self._answer += data
        while self._answer and self._look is not None:
            length = self._look(bytes(self._answer))
            if length == 0 and len(self._answer) < MAX_HELD:
                return
            if length <= 0:
                # Noise, or on ccTalk the echo of what was asked.
                del self._answer[0]
                continue
            self._answered(bytes(self._answer[:length]), now)
            del self._answer[:length]
            self._look = None
        self._answer.clear()

    def _answered(self, answer: bytes, now: float) -> None:
        if self._request is None:
            return
        words, asked, at = self._request
        self._request = None
        if not self._polls and self._last.get(words) == answer:
            return
        if len(self._last) < MAX_HELD:
            self._last[words] = answer
        self.show("felt", words, at, bytes=asked.hex())
        refused = " (refused)" if self._end.refuses(answer) else ""
        self.show("device", f"answer to {words}{refused}", now, bytes=answer.hex())

    def _unanswered(self) -> None:
        if self._request is not None:
            words, asked, at = self._request
            self._request = None
            self._last.pop(words, None)
            self.show("felt", f"{words} (no answer)", at, bytes=asked.hex())
