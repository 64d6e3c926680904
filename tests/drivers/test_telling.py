"""A driver tells what its device can see. What is the table's to decide never comes from one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from controller.table import events
from controller.table.events import Event
from controller.table.people import Person
from drivers.contract import Settings, Told
from drivers.device import Device, Faces
from drivers.telling import not_its_own
from drivers.wire import messages
from simulators.other import Other
from tests.drivers.bench import Bench
from tests.drivers.people import DANA, FRAN, driver, moment

BOSS = Person("boss-1", "supervisor")


class Greedy(Device):
    """A vendor's, which would rather decide itself."""

    kind = "greedy"

    def said(self, message: messages.Event, moment: object, faces: Faces | None) -> Sequence[Event]:
        return (
            events.SignedOn(at=0, by=BOSS),
            events.CredentialAccepted(at=0, person="boss-1", device="greedy"),
            events.LockOutPressed(at=0, by=DANA),
        )

    def told(self, command: object) -> Sequence[Told]:
        return ()


def test_what_a_vendors_driver_may_not_tell_is_a_fault_of_its_device() -> None:
    device = Other("greedy")
    bench = Bench.of((driver(Greedy), device))
    bench.connected()
    device.read("anything")
    bench.run(1)
    assert bench.heard() == [
        events.DeviceFaulted(
            at=0, device="greedy", nature="its driver told 'signed_on', which no greedy can see"
        ),
        events.DeviceFaulted(
            at=0,
            device="greedy",
            nature="its driver told 'credential_accepted', which no greedy can see",
        ),
        events.LockOutPressed(at=0, by=DANA),
    ]


@pytest.mark.parametrize(
    ("kind", "seat", "event", "why"),
    [
        ("panel", None, events.DealPressed(at=0, by=DANA), ""),
        ("panel", None, events.RoundVoided(at=0, by=FRAN, reason="key"), ""),
        ("panel", None, events.DealPressed(at=0, by=BOSS), "who is not on duty"),
        ("panel", None, events.HoldCleared(at=0, by=FRAN, hold=1, reason="x"), "no panel can see"),
        ("badge", None, events.RoundVoided(at=0, by=FRAN, reason="x"), "no badge can see"),
        ("badge", None, events.DeviceFaulted(at=0, device="shoe", nature="x"), "another device"),
        ("acceptor", 3, events.LampRead(at=0, seat=3, lamp="off"), ""),
        ("acceptor", 3, events.LampRead(at=0, seat=4, lamp="off"), "of another seat"),
        ("terminal", 3, events.SignedOff(at=0, by=DANA, role="dealer"), "no terminal can see"),
    ],
)
def test_who_may_tell_what(kind: str, seat: int | None, event: Event, why: str) -> None:
    found = not_its_own(kind, Settings(kind, seat=seat), moment(), event)
    assert (why in found) if why else not found
