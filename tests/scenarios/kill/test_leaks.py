"""One daemon through all of it: the broker dies, devices restart, cables are pulled.

Whatever is opened for them is closed again: descriptors, threads and memory do not grow.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.scenarios.kill.killer import strikes
from tests.scenarios.kill.people import People, Window
from tests.scenarios.kill.story import Story, added_up, ended

#: The first strikes fill what is kept by design: caches, the last events, the last results.
WARM_UP, STRIKES = 30, 120
#: A megabyte for each forty rounds or so would be a leak; an allocator's ups and downs are less.
MEGABYTES = 8


class Held(NamedTuple):
    descriptors: int
    threads: int
    kilobytes: int


def held(pid: int) -> Held:
    """What the process has, by the system's word."""
    status = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
    )
    return Held(
        len(list(Path(f"/proc/{pid}/fd").iterdir())),
        int(status["Threads"]),
        int(status["VmRSS"].split()[0]),
    )


@pytest.mark.slow
async def test_nothing_grows_in_a_long_run(tmp_path: Path) -> None:
    story = Story(tmp_path, seed=7)
    live, killer = story.live, story.killer
    devices, wires = list(live.devices), list(live.simulated.ports)
    some = list(strikes(7, STRIKES, ("broker", "restart", "unplug"), devices, wires))
    with Window(live.configuration.socket) as window:
        async with live.running():
            live.daemon.start()
            people = People(live, window, seed=7, moment=killer.moment)
            found = []
            for part in (some[:WARM_UP], some[WARM_UP:]):
                striking = asyncio.create_task(killer.strike_all(part, people))
                await people.play(lambda _, task=striking: task.done())  # type: ignore[misc]
                striking.result()
                await people.play(lambda table: table.phase == "betting")
                found.append(held(live.daemon.pid))
            assert live.daemon.starts == 1
            table = await ended(live, people)
    await added_up(live, table)
    before, after = found
    # A thread more or less: the pool for slow questions fills up as it is asked.
    assert after.threads <= before.threads + 4, found
    assert after.descriptors <= before.descriptors + 4, found
    assert after.kilobytes <= before.kilobytes + MEGABYTES * 1024, found
