"""The worked example: felt's own station and a device's responder talk; the packets are kept."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from drivers.wire import messages
from drivers.wire.frame import Packet
from drivers.wire.handshake import Outcome
from drivers.wire.notices import Heard, Identified
from drivers.wire.responder import Responder
from drivers.wire.station import Station
from tests.docs.session import (
    DEVICE_NONCE,
    FELT_NONCE,
    IDENTITY,
    KEY,
    MORE_DEVICE_NONCES,
    MORE_FELT_NONCES,
)


@dataclass(frozen=True, slots=True)
class Said:
    by: str
    packet: Packet
    #: What is happening, before it; nothing if it goes on as before.
    why: str = ""
    arrives: bool = True


class Scene:
    """Carries packets between the two by hand, and writes them down."""

    def __init__(self, *, address: int = 1, polled: bool = False, deadlines: bool = False) -> None:
        self.said: list[Said] = []
        self.now = 100.0
        felt_nonces = iter((FELT_NONCE, *MORE_FELT_NONCES))
        self._device_nonces = iter((DEVICE_NONCE, *MORE_DEVICE_NONCES))
        self._address, self._polled = address, polled
        self.station = Station(
            address, KEY, lambda: next(felt_nonces), polled=polled, deadlines=deadlines
        )
        self.device = self._device(IDENTITY.boot)

    def _device(self, boot: int) -> Responder:
        def do(command: messages.Command) -> tuple[Outcome, str]:
            return "done", ""

        return Responder(
            msgspec.structs.replace(IDENTITY, boot=boot),
            KEY,
            do,
            lambda: next(self._device_nonces),
            address=self._address,
            polled=self._polled,
        )

    def exchange(self, why: str = "", *, answer_lost: bool = False, wait: float = 0.0) -> None:
        """felt says what it has to say, and the device answers."""
        self.now += wait
        packet = self.station.next_packet(self.now)
        if packet is None:
            raise ValueError(f"felt has nothing to say: {why}")
        self.said.append(Said("felt", packet, why))
        answer = self.device.received(packet, self.now + 0.005)
        self.now += 0.01
        if answer is not None:
            self.said.append(Said("device", answer, arrives=not answer_lost))
            if not answer_lost:
                self.station.received(answer, self.now)
        self._follow()

    def event(self, event: messages.Event, why: str) -> None:
        """The device says something unasked, and felt acknowledges it."""
        self.device.tell(event)
        packet = self.device.next_packet(self.now)
        if packet is None:
            raise ValueError(f"the device has nothing to say: {why}")
        self.said.append(Said("device", packet, why))
        self.now += 0.01
        self.station.received(packet, self.now)
        self._follow()
        self.exchange()

    def command(self, number: int, message: messages.Command, why: str) -> None:
        self.station.send(number, message, deadline=self.now + 2)
        self.exchange(why)

    def restart(self) -> None:
        self.device = self._device(self.device.identity.boot + 1)

    def _follow(self) -> None:
        for notice in self.station.notices():
            match notice:
                case Identified():
                    self.station.accept(self.now)
                case Heard(_, seq, boot):
                    self.station.acknowledge(boot, seq)


def worked() -> list[Said]:
    scene = Scene()
    scene.exchange("felt greets whoever is at address 1; the device says who it is and proves it")
    scene.command(
        0x4D01,
        messages.SetWatchdog(3000),
        "command 0x4D01, request 1: set the watchdog to 3 s; done",
    )
    scene.command(0x4D02, messages.Unlock(), "command 0x4D02, request 2: take wagers; done")
    scene.event(
        messages.Wager("progressive", 100, "chips"),
        "event 1, unasked: a wager of 100 cents; felt acknowledges it when it is in the journal",
    )
    scene.exchange(
        "nothing was said for a second: felt polls (request 3) and the device has nothing to say",
        wait=1.0,
    )
    scene.station.send(0x4D03, messages.Lock(), deadline=scene.now + 2)
    scene.exchange("command 0x4D03, request 4: lock; the answer is lost", answer_lost=True)
    scene.exchange(
        "felt repeats the request, byte for byte; the device repeats its answer and locks nothing "
        "twice",
        wait=0.5,
    )
    scene.restart()
    scene.exchange(
        "the device has restarted: felt polls (request 5), the device has no session and asks for "
        "a hello",
        wait=1.0,
    )
    scene.exchange("felt greets it, in session 2 and with a new nonce; the device's boot is 8")
    return scene.said


def on_a_bus() -> list[Said]:
    scene = Scene(address=3, polled=True)
    scene.exchange("the handshake, with the device at address 3")
    scene.device.tell(messages.LampRead("invite"))
    scene.exchange("felt polls (request 1); the device hands over event 1", wait=1.0)
    scene.exchange("the next poll (request 2) acknowledges event 1; there is no other")
    return scene.said


def over_mqtt() -> list[Said]:
    scene = Scene(deadlines=True)
    scene.exchange("hello and identity")
    scene.command(0x4D01, messages.SetLamp("invite"), "a command and its result")
    scene.event(messages.LampRead("invite"), "an event and its acknowledgement")
    scene.exchange("a poll, and the answer", wait=1.0)
    return scene.said
