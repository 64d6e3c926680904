"""A simulated device of a kind that felt does not know, for whoever writes a driver for one.

What it reads and what it shows are words that a device and its driver agree on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from drivers.wire import messages
from drivers.wire.messages import Command, Event
from simulators.device import DONE, Answer, Device

MAX_SHOWN = 16


class Other(Device):
    kind = "other"

    def __init__(self, itself: str = "badge", **more: Any) -> None:
        self.itself = itself
        #: What it shows, by name.
        self.shown: dict[str, str] = {}
        self.capabilities = f"kind:{itself}"
        super().__init__(**{"name": itself, **more})

    def read(self, what: str, value: str = "", covered: bytes = b"") -> None:
        """Somebody did something at it, or held something to it."""
        self.tell(messages.Reading(what, value, covered))

    def obey(self, command: Command) -> Answer | None:
        match command:
            case messages.Show(what, value):
                if what not in self.shown and len(self.shown) >= MAX_SHOWN:
                    return self.refuse(command, f"it shows {MAX_SHOWN} things and no more")
                self.shown[what] = value
            case _:
                return None
        return DONE

    def report(self) -> Iterable[Event]:
        return ()

    def go_safe(self) -> None:
        self.shown = {}

    def forget(self) -> None:
        self.shown = {}
