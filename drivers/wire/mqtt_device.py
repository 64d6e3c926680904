"""A device's end of the wire over MQTT: what a device at a broker does, for the simulators.

It says that it is there, is told that it may go, and answers at its topics. It asks the broker to
forget it when it is gone: a command that waited for it would be too late.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from drivers.wire import envelope, topics
from drivers.wire.broker_client import Account
from drivers.wire.frame import Packet
from drivers.wire.participant import Participant, Tap
from drivers.wire.responder import Responder
from drivers.wire.topics import FELT, PLACE, Place

MAX_STATUS = 200


class MqttDevice(Participant):
    """``responder`` is the device; ``name`` is what the table calls it: "acceptor 3"."""

    def __init__(
        self,
        account: Account,
        table: str,
        name: str,
        responder: Responder,
        *,
        on_turn: Callable[[], None] | None = None,
        tap: Tap | None = None,
        jitter: Callable[[float, float], float] = random.uniform,
    ) -> None:
        slug = topics.slug(name)
        if slug == FELT or responder.address != envelope.ADDRESS or responder.polled:
            raise ValueError(f"{name!r} is no device for this wire")
        boot = responder.identity.boot
        super().__init__(account, table, slug, boot, fresh=True, tap=tap, jitter=jitter)
        self.responder = responder
        self._on_turn = on_turn
        self._commanded_at = self._topic("cmd")

    def show(self, status: str) -> None:
        """A word for people who look at the topics; felt does not read it."""
        payload = status[:MAX_STATUS].encode()
        self._guarded(lambda: self._say_now("status", payload))

    def _say_now(self, what: str, payload: bytes) -> None:
        self._say(self._topic(what), payload, self._here().loop.time(), retain=True)

    # --- As a participant -----------------------------------------------------

    def _listens_to(self) -> Iterable[str]:
        return (self._commanded_at,)

    def _arrive(self, now: float) -> None:
        """felt sees it by our state, and greets."""

    def _depart(self, now: float, why: str) -> None:
        """The session goes on when both are back, unless felt greets again, which it does."""

    def _turn(self) -> None:
        if self._on_turn is not None:
            self._on_turn()
        self._speak_now()

    def _speak(self, now: float) -> bool:
        packet = self.responder.next_packet(now)
        if packet is not None:
            self._answer(packet, now)
        return packet is not None

    def _wakes_at(self) -> float:
        return self.responder.wakes_at()

    def _hear(self, place: Place, payload: bytes, retained: bool, now: float) -> None:
        # What is kept at the topic was said to nobody: commands never are.
        if str(place) != self._commanded_at or retained:
            return
        if self._tap is not None:
            self._tap.received(payload, now, str(place))
        packet = envelope.from_json(payload)
        if packet is None:
            return
        answer = self.responder.received(packet, now)
        if answer is not None:
            self._answer(answer, now)

    def _answer(self, packet: Packet, now: float) -> None:
        self._say(self._topic(PLACE[packet.kind]), envelope.to_json(packet), now)
