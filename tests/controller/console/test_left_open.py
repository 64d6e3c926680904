"""A page that is left open over many rounds does not grow: neither its memory nor what is drawn."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import CDPSession

from controller.demo import performer
from tests.controller.console.chromium import browser, looked, room
from tests.controller.console.simulated import Simulated, simulated
from tests.scenarios.test_play import table

#: Rounds until everything has been drawn once, and then as many again.
FEW, MANY = 3, 500
#: What was left to be collected differs a little; what grows with the rounds differs by more.
HEAP_MORE, NODES_MORE = 400_000, 400


async def size(network: CDPSession) -> tuple[int, int]:
    """Bytes and nodes that are still held after everything that can be let go was."""
    for _ in range(3):
        await network.send("HeapProfiler.collectGarbage")
    await network.send("Performance.enable")
    found = await network.send("Performance.getMetrics")
    by_name = {one["name"]: int(one["value"]) for one in found["metrics"]}
    return by_name["JSHeapUsedSize"], by_name["Nodes"]


async def played(at: Simulated, rounds: int) -> None:
    """Until the same moment of a later round."""
    while True:
        now = at.service.recorder.table
        if now.round >= rounds and now.phase == "betting":
            return
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("rounds", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
async def test_a_page_that_is_left_open_does_not_grow(
    rounds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A chip that comes before its acceptor is open goes back: nobody thinks about that for long.
    # But who presses again and again leaves no moment in which nothing waits, and felt can't know
    # then how old each press is.
    monkeypatch.setattr(performer, "PATIENCE_S", 2.0)
    data = table("pa-639a", "automated shoe")
    data["options"]["seats"] = 3
    async with (
        simulated(tmp_path, data, rounds=3 * rounds + 5, pause=0.002) as at,
        browser() as chromium,
        room(chromium) as context,
    ):
        page = await looked(context, f"{at.address}dealer/{at.name}")
        network = await context.new_cdp_session(page.page)
        sizes = []
        for part in (1, 2):
            await played(at, part * rounds)
            sizes.append(await size(network))
            # What the test itself keeps of the page is not the page's.
            page.live.clear()
        (heap, nodes), (later_heap, later_nodes) = sizes
        assert later_heap - heap < HEAP_MORE, sizes
        assert later_nodes - nodes < NODES_MORE, sizes
        assert page.wrong == []
        at.service.stop()
