"""Who is on duty in the tests of the drivers, and a seal that a test can recognise."""

from __future__ import annotations

import itertools
from typing import TypeVar

from controller.table.people import Person
from drivers.contract import Driver, Moment, Settings

DANA = Person("dealer-1", "dealer")
FRAN = Person("floor-1", "floorperson")

_numbers = itertools.count(1)

D = TypeVar("D", bound=Driver)


def moment(at: int = 1_000) -> Moment:
    return Moment(at, f"test:{next(_numbers)}", DANA, FRAN)


def seal(faces: bytes) -> str:
    """No seal to rely on: it only shows that it was called, and with how many cards."""
    return f"sealed {len(faces)}"


def driver(kind: type[D], seat: int | None = None, wager: str = "", **options: str | int) -> D:
    name = f"{kind.kind} {seat}" if seat is not None else kind.kind
    return kind(Settings(name, seat=seat, wager=wager, options=options), seal)
