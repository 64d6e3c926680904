"""A table in virtual time with timers, and devices that leave out one of their duties.

What a device does not do is taken out of a simulated one that does everything: it refuses an order,
does not know it, does not answer it, or keeps an event to itself.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from controller.table import events
from controller.table.commands import Command, SetTimer
from drivers.wire import messages
from drivers.wire.frame import Kind, Packet
from simulators.device import Answer, Device
from tests.drivers.house import House


class Waiting(House):
    """The timers of the machine ring, as the daemon lets them."""

    def __init__(self) -> None:
        self._timers: list[SetTimer] = []
        super().__init__()

    def _carry_out(self, commands: tuple[Command, ...]) -> None:
        self._timers += [one for one in commands if isinstance(one, SetTimer)]
        super()._carry_out(commands)

    def _exchange(self) -> None:
        super()._exchange()
        due = [one for one in self._timers if one.at <= self.stamp]
        self._timers = [one for one in self._timers if one.at > self.stamp]
        for one in due:
            self.happened(events.TimerFired(at=self.stamp, timer=one.timer))
        if due:
            super()._exchange()

    def _wakes_at(self) -> float:
        now = self.stamp
        ahead = min((one.at - now for one in self._timers), default=inf)
        return min(super()._wakes_at(), self.now + max(ahead, 1) / 1000)


def keeps_to_itself(device: Device, *kinds: type[messages.Event]) -> None:
    tell: Callable[[messages.Event], int] = device.tell

    def told(event: messages.Event) -> int:
        return 0 if isinstance(event, kinds) else tell(event)

    device.tell = told  # type: ignore[method-assign]


def answers(device: Device, kind: type[messages.Command], answer: Answer) -> None:
    """It does nothing of it, and says so: refused, unknown, or even that it was done."""
    obey: Callable[[messages.Command], Answer | None] = device.obey

    def obeys(command: messages.Command) -> Answer | None:
        return answer if isinstance(command, kind) else obey(command)

    device.obey = obeys  # type: ignore[method-assign]


def is_mute_to(device: Device, kind: type[messages.Command]) -> None:
    """It does not answer such a command, and does nothing of it."""
    received: Callable[[Packet, float], Packet | None] = device.received

    def receives(packet: Packet, now: float) -> Packet | None:
        if packet.kind is Kind.COMMAND and packet.payload[4] == kind.code:
            return None
        return received(packet, now)

    device.received = receives  # type: ignore[method-assign]
