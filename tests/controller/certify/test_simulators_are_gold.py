"""Every simulated device keeps every duty, on every wire."""

from __future__ import annotations

import pytest

from controller.certify.running import grade
from simulators import doing
from simulators.device import Device
from simulators.doing import made
from simulators.tabletop import TableTop
from tests.controller.certify.desk import certified

#: A device of a vendor's own kind has the duties that its vendor says.
KINDS = [kind for kind in doing.KINDS if kind != "other"]


def device(kind: str, *, polled: bool = False) -> Device:
    return made(kind, TableTop(), seat=1, reads=kind == "shoe" and not polled, polled=polled)


def is_gold(kind: str, wire: str) -> None:
    results, _ = certified(device(kind, polled=wire == "bus"), wire=wire)
    bad = {one.check.id: one.found for one in results if one.verdict in ("failed", "not tried")}
    assert bad == {}
    assert grade(results) == "gold"
    assert len(results) > 55


@pytest.mark.parametrize("kind", KINDS)
def test_on_a_line(kind: str) -> None:
    is_gold(kind, "line")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wire", ["bus", "mqtt"])
def test_on_other_wires(kind: str, wire: str) -> None:
    is_gold(kind, wire)


@pytest.mark.parametrize("wire", ["bus", "mqtt"])
def test_an_acceptor_on_other_wires(wire: str) -> None:
    is_gold("acceptor", wire)
