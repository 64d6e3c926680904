"""A recorded device that speaks felt's own protocol, as it is played.

It answers by the protocol, under the keys of the new session; what it says is what was recorded.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from controller.technician.script import Part, Says, Told
from drivers.wire import handshake, messages
from drivers.wire.frame import Kind, Packet
from drivers.wire.handshake import Identity, Result
from drivers.wire.responder import MAX_REMEMBERED, Responder

NOT_IN_THE_RECORD = "it is not in the record"

#: The recorded command, if there is one, and what is answered; nothing by who was silent.
Answer = tuple[Told | None, Result | None]


def _does_nothing(_message: messages.Command) -> tuple[handshake.Outcome, str]:
    return "unknown", NOT_IN_THE_RECORD


class PlayedDevice(Responder):
    """One recorded device. ``answered`` says what became of a command: nothing if it was silent."""

    def __init__(
        self,
        identity: Identity,
        key: bytes,
        answered: Callable[[bytes, float], Answer],
        nonce: Callable[[], bytes],
        part: Part,
    ) -> None:
        super().__init__(
            identity, key, _does_nothing, nonce, address=part.address, polled=part.polled
        )
        self._answered = answered
        self._written: dict[int, Says] = {}
        #: How long the answer that is given next took in the record.
        self.took_us = 0

    def say(self, says: Says) -> None:
        self._written[says.seq] = says
        self._next_event = says.seq
        # The message itself is in what is written: it need not be one that this felt knows.
        self.tell(messages.WentSafe())

    def _oldest_event(self) -> Packet | None:
        if self._keys is None:
            return None
        seq = self._events[0][0]
        says = self._written[seq]
        written = says.message
        message = messages.from_bytes(written) if says.covers else None
        if isinstance(message, messages.Dispensed):
            covered = self._keys.cover(message.faces, seq)
            written = messages.to_bytes(msgspec.structs.replace(message, faces=covered))
        return self._signed(Kind.EVENT, seq, written)

    def _command(self, packet: Packet, now: float) -> Packet | None:
        number = int.from_bytes(packet.payload[:4], "big")
        result = self._remembered.get(number)
        if result is None:
            told, found = self._answered(packet.payload[4:], now)
            if found is None:
                if told is not None and told.silence is not None:
                    # When felt says it again, it was not said before.
                    self._last_request = packet.seq - 1
                return None
            self.took_us = told.after_us if told else 0
            result = Result(number, found.outcome, found.detail)
            self._remembered[number] = result
            if len(self._remembered) > MAX_REMEMBERED:
                self._remembered.popitem(last=False)
        return self._signed(Kind.RESULT, packet.seq, handshake.result_to_bytes(result))
