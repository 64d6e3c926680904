"""A simulated panel: buttons that somebody presses, and lamps that are read back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from drivers.wire import messages
from drivers.wire.messages import Button, Command, Event, Lights
from simulators.device import DONE, Answer, Device

DARK = Lights("off", "off", "off")


class Panel(Device):
    kind = "panel"

    def __init__(self, **more: Any) -> None:
        self.lights = DARK
        self.tones: list[str] = []
        super().__init__(**more)

    def press(self, button: Button) -> None:
        self.tell(messages.Pressed(button))

    def obey(self, command: Command) -> Answer | None:
        match command:
            case Lights():
                self.lights = DARK if self.faults.strikes("lamp", self.now) else command
                self.tell(self._read())
                return DONE if self.lights == command else ("refused", "its lamps stay dark")
            case messages.Tone(tone):
                self.tones = [*self.tones, tone][-16:]
                return DONE
        return None

    def _read(self) -> Event:
        return messages.LightsRead(self.lights.lock_out, self.lights.deal, self.lights.warning)

    def report(self) -> Iterable[Event]:
        yield self._read()

    def go_safe(self) -> None:
        self.lights = replace(self.lights, deal="off")

    def forget(self) -> None:
        self.lights = DARK
