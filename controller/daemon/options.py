"""What stands under a wire's options, held against all who could read it: nobody's is refused.

An option that nobody knows is a setting that somebody believes to be in force. It is looked at with
the table file, before anything opens; values are for whoever knows the name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from controller.rules.faults import Refused, listed
from drivers.contract import Driver
from drivers.dialects import lines
from drivers.finding import NoDriver, driver


class _Wire(Protocol):
    @property
    def speaks(self) -> str: ...
    @property
    def driver(self) -> str: ...
    @property
    def options(self) -> Mapping[str, str | int | bool]: ...


class _Device(Protocol):
    @property
    def kind(self) -> str: ...
    @property
    def wire(self) -> str: ...


def check(wires: Mapping[str, _Wire], devices: Iterable[_Device]) -> None:
    """``Refused`` names the first option of a wire that neither driver nor dialect knows."""
    kinds: dict[str, set[str]] = {}
    for one in devices:
        kinds.setdefault(one.wire, set()).add(one.kind)
    for name, wire in wires.items():
        # Most wires have none, and to find a driver takes a while.
        if not wire.options:
            continue
        known = _known(wire, sorted(kinds.get(name, ())))
        if known is None:
            continue
        for option in wire.options:
            if option not in known:
                raise Refused(f"wires.{name}.options.{option}", nobodys(option), there_are(known))


def nobodys(option: str) -> str:
    instead = ": it stands under [serial_numbers]" if option == "serial_number" else ""
    return f"no driver on this wire knows it{instead}"


def there_are(known: Mapping[str, str]) -> str:
    return f"there are {listed(sorted(known))}" if known else "there are none for these devices"


def _known(wire: _Wire, kinds: list[str]) -> dict[str, str] | None:
    try:
        return known_to(wire.speaks, [driver(wire.driver or one) for one in kinds])
    except NoDriver:
        # Whoever runs the table is told; a file may be checked where its driver is not.
        return None


def known_to(spoken: str, drivers: Iterable[type[Driver]]) -> dict[str, str] | None:
    """Each with what it means; none if a driver looks at its options itself."""
    known = dict.fromkeys(lines.options_of(spoken), "")
    for one in drivers:
        if one.known_options is None:
            return None
        known |= one.known_options
    return known
