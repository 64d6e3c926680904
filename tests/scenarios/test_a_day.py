"""A day at one table, in virtual time: nothing grows but the record, and that within its bounds."""

from __future__ import annotations

import asyncio
import resource
from pathlib import Path

import pytest

from controller.daemon.service import Service
from simulators import virtual_time
from tests.scenarios.test_play import show_of, table

HOUR_S = 3600.0
#: Looked at so often; the first looks are while caches still fill.
LOOKS_EVERY_S = HOUR_S / 4
#: Kilobytes that the process may have more after the first quarter of the time than at its end.
MAY_GROW_KB = 20_000


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def memory_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.parametrize(
    "hours", [0.1, pytest.param(24, marks=pytest.mark.slow)], ids=["some minutes", "a day"]
)
def test_nothing_grows_over_the_hours(hours: float, tmp_path: Path) -> None:
    """People take their time between two acts, as people do, so that hours pass and decks age."""
    looks: list[tuple[int, int, int]] = []
    # About a round a minute: a hundred acts and more, and the devices' own time.
    show = show_of(tmp_path, table("pa-669a"), rounds=10**9, seed=4, pause=0.6)

    def prepared(service: Service) -> None:
        async def watch() -> None:
            every = min(LOOKS_EVERY_S, hours * HOUR_S / 4)
            for _ in range(int(hours * HOUR_S / every)):
                await asyncio.sleep(every)
                looks.append((descriptors(), len(asyncio.all_tasks()), memory_kb()))
            service.stop()

        service.also("watch", watch)

    show.prepared = prepared
    virtual_time.run(show.run)
    assert show.differences() == []
    assert show.totals is not None
    assert show.totals.rounds > hours * 20
    first, *rest = looks[len(looks) // 4 :]
    for found in rest:
        assert found[0] <= first[0] + 2
        assert found[1] <= first[1] + 2
        assert found[2] <= first[2] + MAY_GROW_KB
    assert files(tmp_path) < 64


def files(folder: Path) -> int:
    return sum(1 for file in folder.rglob("*") if file.is_file() and file.suffix != ".key")
