"""What a driver says that it hears is all that it does something about: nothing is kept from it."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.table.commands import Command
from drivers.acceptor import Acceptor
from drivers.contract import Driver, Settings
from drivers.panel import Panel
from drivers.shoe import Shoe
from drivers.shuffler import Shuffler
from drivers.sign import Sign
from drivers.terminal import Terminal

SEAT = 3
DRIVERS: list[type[Driver]] = [Acceptor, Panel, Shoe, Shuffler, Sign, Terminal]


def driver_of(kind: type[Driver]) -> Driver:
    seat = SEAT if kind in (Acceptor, Terminal) else None
    return kind(Settings(kind.kind, seat=seat, wager="progressive"), bytes.hex)


@pytest.mark.parametrize("kind", DRIVERS)
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_it_does_nothing_about_what_it_does_not_hear(
    kind: type[Driver], data: st.DataObject
) -> None:
    assert kind.hears is not None
    others = [one for one in get_args(Command) if one not in kind.hears]
    command = data.draw(st.sampled_from(others).flatmap(st.from_type))
    assert driver_of(kind).told(command) == ()


@pytest.mark.parametrize("kind", [Acceptor, Terminal])
@given(data=st.data())
def test_what_is_for_another_seat_is_not_for_it(kind: type[Driver], data: st.DataObject) -> None:
    assert kind.hears is not None
    for_seats = [one for one in kind.hears if "seat" in one.__struct_fields__]
    command = data.draw(st.sampled_from(for_seats).flatmap(st.from_type))
    if getattr(command, "seat", None) != SEAT:
        assert driver_of(kind).told(command) == ()
