"""A simulated jackpot sign: meters, wins, and a notice when felt is not heard."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from drivers.wire import messages
from drivers.wire.messages import Command, Event
from simulators.device import DONE, Answer, Device

MAX_WINS = 25
MAX_METERS = 16


class Sign(Device):
    kind = "sign"

    def __init__(self, **more: Any) -> None:
        self.meters: dict[tuple[str, str], int] = {}
        #: The wins that it showed, the last one last, each with when.
        self.wins: list[tuple[float, messages.ShowWin]] = []
        self.notice: Literal["none", "link down", "out of order"] = "none"
        super().__init__(**more)

    def obey(self, command: Command) -> Answer | None:
        match command:
            case messages.ShowMeter(meter, level, cents):
                if (meter, level) not in self.meters and len(self.meters) >= MAX_METERS:
                    return self.refuse(command, f"it shows {MAX_METERS} levels and no more")
                self.meters[meter, level] = cents
                self.tell(messages.Showing(meter, level, cents))
            case messages.ShowWin():
                self.wins = [*self.wins, (self.now, command)][-MAX_WINS:]
            case messages.ShowNotice(notice):
                self.notice = notice
            case _:
                return None
        return DONE

    def report(self) -> Iterable[Event]:
        for (meter, level), cents in self.meters.items():
            yield messages.Showing(meter, level, cents)

    def go_safe(self) -> None:
        """What it shows is old: players are told."""
        self.notice = "link down"

    def forget(self) -> None:
        self.meters = {}
        self.notice = "none"
