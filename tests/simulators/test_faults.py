"""The menu of faults: when each strikes, and what can't be ordered."""

from __future__ import annotations

import re

import pytest

from simulators.faults import MENU, Fault, Faults, NoFault


def struck(fault: Fault, moments: int = 1000) -> list[int]:
    faults = Faults(fault.entry.of[0], [fault])
    return [now for now in range(moments) if faults.strikes(fault.name, now)]


def test_once_from_a_moment_on() -> None:
    assert struck(Fault("jam")) == [0]
    assert struck(Fault("jam", at=30)) == [30]
    assert struck(Fault("jam", at=30, times=3)) == [30, 31, 32]


def test_a_state_lasts() -> None:
    assert len(struck(Fault("lamp"))) == 1000


def test_with_a_probability_the_same_seed_strikes_the_same() -> None:
    some = struck(Fault("jam", chance=0.2, seed=1))
    assert 120 < len(some) < 280
    assert struck(Fault("jam", chance=0.2, seed=1)) == some
    assert struck(Fault("jam", chance=0.2, seed=2)) != some


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("jam", ("jam", 0, 0, 1.0)),
        ("wrong-count=2@30", ("wrong-count", 2, 30, 1.0)),
        ("wrong-stack=-2", ("wrong-stack", -2, 0, 1.0)),
        ("jam%20", ("jam", 0, 0, 0.2)),
        ("slow=0.5@1.5%50", ("slow", 0.5, 1.5, 0.5)),
    ],
)
def test_a_fault_as_people_say_it(said: str, expected: tuple[str, float, float, float]) -> None:
    fault = Fault.said(said)
    assert (fault.name, fault.number, fault.at, fault.chance) == expected


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("fire", "there is no fault 'fire'; there are: jam, stop"),
        ("jam=", "'jam=' is no fault: name[=number][@second][%chance in percent]"),
        ("", "'' is no fault"),
    ],
)
def test_what_is_not_on_the_menu_is_said(said: str, why: str) -> None:
    with pytest.raises(NoFault, match=re.escape(why)):
        Fault.said(said)


def test_a_device_has_the_faults_of_its_kind() -> None:
    with pytest.raises(NoFault, match="a sign has no fault 'jam'; it has: reset, mute, clock"):
        Faults("sign", [Fault("jam")])
    faults = Faults("shoe", [Fault("jam")])
    faults.switch_off("jam")
    assert faults.strikes("jam", 0) is None


def test_every_device_and_the_wire_have_some() -> None:
    kinds = {kind for entry in MENU.values() for kind in entry.of}
    assert kinds == {"shuffler", "shoe", "panel", "acceptor", "terminal", "sign", "other", "wire"}


def test_there_is_an_end_to_them() -> None:
    faults = Faults("shoe")
    for _ in range(32):
        faults.switch_on(Fault("jam"))
    with pytest.raises(NoFault, match="32 faults are on already"):
        faults.switch_on(Fault("jam"))
