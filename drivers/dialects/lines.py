"""A line in the dialect that the configuration names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, cast

import msgspec

from drivers.contract import Settings
from drivers.dialects import cctalk, modbus
from drivers.dialects.options import without_own
from drivers.wire.line import Spoken

Dialect = Literal["modbus", "cctalk"]

_LINES: dict[Dialect, Callable[[Sequence[tuple[int, Settings]], int], Spoken]] = {
    "modbus": modbus.panel_line,
    "cctalk": cctalk.acceptor_line,
}
_OPTIONS: dict[Dialect, type[msgspec.Struct]] = {"modbus": modbus.Wiring, "cctalk": cctalk.Options}


def speaking(dialect: Dialect, devices: Sequence[tuple[int, Settings]], boot: int) -> Spoken:
    """A line that speaks the dialect with these devices, by their places on it from 1.

    ``boot`` numbers the first contact, and goes up with every further one. Such hardware does not
    count its own starts, and what it says is taken once by that number; so whoever starts felt
    gives one above all that were used before. The seconds since 1970 will do.

    Raises ValueError if a place or an option can't be. Options that are not the dialect's are left
    to the driver.
    """
    return _LINES[dialect](devices, boot)


def options_of(spoken: str) -> tuple[str, ...]:
    """The options that a dialect knows; felt's own protocol has none."""
    found = {name: one.__struct_fields__ for name, one in _OPTIONS.items()}
    return found.get(cast(Dialect, spoken), ())


def for_driver(dialect: Dialect, settings: Settings) -> Settings:
    """What is left for the driver, which refuses options that it does not know."""
    return without_own(settings, _OPTIONS[dialect])
