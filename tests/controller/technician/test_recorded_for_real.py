"""A log of the real stack replays identically, whatever went wrong while it was recorded.

The daemon is a process, the serial lines are ptys, the rest is at mosquitto, and time is real.
Everything on the menu of faults goes wrong again and again, and felt is stopped and killed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.controller.technician.recording import Recording, Restart
from tests.scenarios.test_play import BOOKS

#: Seconds from one thing that goes wrong to the next, about: a thousand rounds see each of them at
#: each device many times.
EVERY_S = 1.2
THOUSAND = 1000
SOME: tuple[Restart, ...] = ("stopped", "killed")


async def replays(recording: Recording, *ends: Restart) -> None:
    """Each run of felt, by how it ended."""
    said = await recording.replayed()
    assert [one.get("difference") for one in said] == [None] * len(ends)
    for one, end in zip(said, ends, strict=True):
        if end == "killed" and one["identical"] is None:
            # What a busy PC had not written of one wire yet went with it: so it can't be compared.
            assert any("its log ends here" in remark for remark in one["remarks"]), one["remarks"]
        else:
            assert one["identical"] is True, one["remarks"]
    assert sum(one["from_devices"] for one in said) > 30


@pytest.mark.parametrize("book", ["pa-639a", pytest.param("s10", marks=pytest.mark.slow)])
async def test_a_few_rounds_and_every_start_of_felt(book: str, tmp_path: Path) -> None:
    recording = Recording(tmp_path, book, seed=1, every=0.5)
    await recording.play(6, SOME)
    assert sum(recording.trouble.struck.values()) > 10
    await replays(recording, *SOME, "stopped")


@pytest.mark.slow
@pytest.mark.parametrize("book", BOOKS)
async def test_a_thousand_rounds_with_all_that_can_go_wrong(book: str, tmp_path: Path) -> None:
    recording = Recording(tmp_path, book, seed=2, every=EVERY_S)
    await recording.play(THOUSAND)
    struck = recording.trouble.struck
    assert {name for name in recording.trouble.possible if not struck[name]} == set()
    await replays(recording, "stopped")


@pytest.mark.slow
@pytest.mark.parametrize("book", BOOKS)
async def test_felt_that_is_stopped_and_killed_again_and_again(book: str, tmp_path: Path) -> None:
    recording = Recording(tmp_path, book, seed=3, every=EVERY_S)
    await recording.play(200, SOME * 10)
    await replays(recording, *SOME * 10, "stopped")
