"""A panel for felt, written from docs/protocol.md alone: buttons, and lamps that it reads back."""

from __future__ import annotations

from tests.docs.independent_device import DONE, UNKNOWN, IndependentDevice

PRESSED, LIGHTS_READ = 0x60, 0x61
BUTTONS = ("lock_out", "deal", "void", "floor_key")


class Panel(IndependentDevice):
    kind = 2

    def __init__(self, *args: object, **more: object) -> None:
        super().__init__(*args, **more)  # type: ignore[arg-type]
        self.lights = bytes(3)

    def press(self, button: str) -> None:
        self.tell(PRESSED, bytes((BUTTONS.index(button),)))

    def _go_safe(self) -> None:
        """Nothing moves in it."""

    def _carry_out(self, message: bytes) -> int:
        code, fields = message[0] if message else None, message[1:]
        match code:
            case 0x01 if not fields:
                self.tell(LIGHTS_READ, self.lights)
            case 0x02 | 0x03:
                return super()._carry_out(message)
            case 0x20 if len(fields) == 3 and max(fields) <= 2:
                self.lights = fields
                self.tell(LIGHTS_READ, self.lights)
            case _:
                return UNKNOWN
        return DONE
