"""SIGKILL, again and again: of the daemon, of its broker, of its devices. Nothing is lost by it.

Real processes, real ptys, a real broker, real time. The people at the table act through the control
socket and know no more than it tells them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.scenarios.kill.killer import at_instants, strikes
from tests.scenarios.kill.story import Story

#: In the order of a round. Each time the device has done as told and its answer is never heard:
#: whatever felt was about to do with it, another daemon has to find out.
INSTANTS = (
    "terminal credit",
    "acceptor lamp accepted",
    "acceptor lock",
    "shoe dispense",
    "stack given",
    "seat_paid",
)
MORE = (
    "terminal show_balance",
    "terminal lock",
    "terminal unlock",
    "acceptor unlock",
    "acceptor lamp invite",
    "panel deal on",
    "shoe arm",
    "sign show_meter",
    "shuffler shuffle",
)
EVERYTHING = ("daemon", "daemon", "daemon", "broker", "restart", "unplug")


@pytest.mark.rule("R31", "R10", "R13")
@pytest.mark.parametrize("instants", [INSTANTS, pytest.param(MORE, marks=pytest.mark.slow)])
async def test_killed_when_a_device_has_done_it(tmp_path: Path, instants: Sequence[str]) -> None:
    story = Story(tmp_path, seed=1)
    told = await story.play(at_instants(instants))
    assert story.live.daemon.starts == len(instants) + 1
    assert dict(story.killer.moments) == dict.fromkeys(instants, 1)
    assert {one.name: list(one.errors) for one in story.live.devices.values() if one.errors} == {}
    # No round was given up: each went on where it was.
    assert not told.void


@pytest.mark.rule("R31", "R10")
async def test_whatever_is_struck_the_table_goes_on(tmp_path: Path) -> None:
    story = Story(tmp_path, seed=2)
    devices, wires = list(story.live.devices), list(story.live.simulated.ports)
    await story.play(list(strikes(2, 6, ("broker", "restart", "unplug"), devices, wires)))


@pytest.mark.slow
@pytest.mark.rule("R31", "R10", "R13")
@pytest.mark.parametrize(("seed", "count"), [(3, 200)])
async def test_hundreds_of_kills_in_one_run(tmp_path: Path, seed: int, count: int) -> None:
    story = Story(tmp_path, seed)
    devices, wires = list(story.live.devices), list(story.live.simulated.ports)
    told = await story.play(list(strikes(seed, count, EVERYTHING, devices, wires)))
    assert story.live.daemon.starts > count / 3
    assert sum(story.killer.struck.values()) == count
    assert told.totals.rounds > count / 6


#: Of processes alone: what is not a process here has its power cut and its cable pulled.
PROCESSES = ("daemon", "broker", "simulator", "simulator")


@pytest.mark.rule("R31", "R10", "R13")
@pytest.mark.parametrize(
    ("seed", "count", "what"),
    [
        (4, 6, PROCESSES),
        pytest.param(5, 300, (*PROCESSES, "restart", "unplug"), marks=pytest.mark.slow),
    ],
)
async def test_daemon_broker_and_devices_are_killed(
    tmp_path: Path, seed: int, count: int, what: Sequence[str]
) -> None:
    story = Story(tmp_path, seed, apart=True)
    live = story.live
    devices, wires = list(live.devices), list(live.simulated.ports)
    some = strikes(seed, count, what, devices, wires, processes=list(live.simulators))
    await story.play(list(some))
    assert sum(story.killer.struck.values()) == count
    struck = {kind: _of(story, kind) for kind in PROCESSES}
    assert all(struck.values()), struck
    assert live.daemon.starts == struck["daemon"] + 1
    started = sum(one.starts for one in live.simulators.values())
    assert started == struck["simulator"] + len(live.simulators)


def _of(story: Story, kind: str) -> int:
    return sum(n for name, n in story.killer.struck.items() if name.split()[0] == kind)
