"""felt's end of a recorded conversation: a station that is given what chance gave the first one.

Its sessions and nonces are those of the log. Without the device's key it trusts what was recorded:
tags are then neither checked nor made, and whoever compares must leave them out. Faces stay covered
either way.
"""

from __future__ import annotations

from math import inf

from drivers.wire import handshake
from drivers.wire.commanded import Waiting
from drivers.wire.envelope import ADDRESS
from drivers.wire.frame import TAG_BYTES, Deadline, Packet
from drivers.wire.handshake import Identity
from drivers.wire.keys import KEY_BYTES, NONCE_BYTES, SessionKeys
from drivers.wire.station import Station, Timing, Whose

#: In place of a tag that can't be made. Without zeros, which would make each frame longer to code.
_NO_TAG = b"\xff" * TAG_BYTES


class _Trusting(SessionKeys):
    """No keys: whatever was recorded is taken to be what the device said."""

    __slots__ = ()

    def sign(self, packet: Packet) -> bytes:
        return _NO_TAG

    def signed(self, packet: Packet) -> bool:
        return True

    def cover(self, faces: bytes, seq: int) -> bytes:
        return faces


class RecordedStation(Station):
    def __init__(
        self,
        address: int,
        key: bytes | None,
        *,
        timing: Timing,
        polled: bool = False,
        whose: Whose | None = None,
    ) -> None:
        super().__init__(
            address,
            key or bytes(KEY_BYTES),
            self._recorded_nonce,
            timing=timing,
            polled=polled,
            whose=whose,
        )
        self.trusts = key is None
        #: The hello that was recorded, while its like is to be said.
        self.greeting: Packet | None = None

    def _recorded_nonce(self) -> bytes:
        hello = self.greeting and handshake.hello_from_bytes(self.greeting.payload)
        return hello.nonce if hello else bytes(NONCE_BYTES)

    def _hello(self, now: float) -> Packet:
        if self.greeting is not None:
            # How often felt greeted before anybody could hear it is not in a log.
            self._session = (self.greeting.session - 2) % 255 + 1
        return super()._hello(now)

    def _agreed(self, identity: Identity, written: bytes, proof: bytes) -> SessionKeys | None:
        if self.trusts:
            return _Trusting(b"", b"")
        return super()._agreed(identity, written, proof)

    def _agreed_before(self, identity: Identity) -> SessionKeys:
        return _Trusting(b"", b"") if self.trusts else super()._agreed_before(identity)


class RecordedAtBroker(RecordedStation):
    """The same at a broker, where a command says up to when it may be carried out."""

    #: A program that is busy reads its clock a little later; more is another deadline.
    NEAR_MS = 250

    def __init__(self, key: bytes | None, whose: Whose | None = None) -> None:
        super().__init__(ADDRESS, key, timing=Timing(), whose=whose)
        self.deadlines = True
        #: The record has its polls counted, and not written out: it says nothing meanwhile.
        self.rests = False
        #: The command that was recorded, while its like is to be said.
        self.commanded: Packet | None = None
        #: Commands that were given while felt began, and how long that took.
        self._first: frozenset[int] = frozenset()
        self._began_ms = 0

    def began_within(self, milliseconds: int) -> None:
        """What waits now was told at some moment of felt's start: a log does not say when."""
        self._first = frozenset(one.command for one in (*self._urgent, *self._ordinary))
        self._began_ms = milliseconds

    def wakes_at(self) -> float:
        return inf if self.rests else super().wakes_at()

    def _deadline(self, waiting: Waiting) -> Deadline | None:
        made = super()._deadline(waiting)
        recorded = self.commanded.deadline if self.commanded is not None else None
        if made is None or recorded is None or made.after != recorded.after:
            return made
        near = self.NEAR_MS + (self._began_ms if waiting.command in self._first else 0)
        return recorded if abs(made.milliseconds - recorded.milliseconds) <= near else made
