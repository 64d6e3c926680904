"""A tablet in the place of a simulated terminal: handed out at the bench, and taken back."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.daemon.service import Service
from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.library import Library
from controller.rules.faults import Refused
from tests.controller.console.browser import live
from tests.controller.demo.somebody import Somebody
from tests.controller.demo.test_bench import small
from tests.drivers.wire.plugs import AT_LAST_S


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(AT_LAST_S):
        while not is_so():  # noqa: ASYNC110 - nobody tells it
            await asyncio.sleep(0.05)


async def at_the_bench(me: Somebody) -> None:
    bench = me.bench
    with pytest.raises(Refused, match="played by itself"):
        await me.does("tablet", seat=1)
    await me.does("play", who="seat 1", by="me")
    await until(lambda: bench.table.phase == "betting")
    await me.does("buy_in", seat=1, amount=5_000)
    await until(lambda: bench.table.seat(1).balance == 5_000)
    await me.does("tablet", seat=1)
    await until(lambda: (bench.state()["seats"][0]["tablet"] or {}).get("address"))
    with pytest.raises(Refused, match="is a tablet"):
        await me.does("buy_in", seat=1)
    address = bench.state()["seats"][0]["tablet"]["address"]
    async with live(address, "none=1") as page:
        seen = await page.picture(lambda it: it["balance"] == 5_000)
        assert (seen["seat"], seen["player"]) == (1, "player 1")
        assert (await page.asks("buy_in", cents=100))["ok"]
        await until(lambda: bench.table.seat(1).balance == 5_100)
    (shown,) = [one for one in bench.state()["devices"] if one["name"] == "terminal 1"]
    assert (shown["balance"], shown["text"], shown["status"]) == (5_100, "a tablet", "ready")

    # With the seat the terminal goes back too: the crew plays with it as before.
    await me.does("play", who="seat 1", by="simulated")
    assert bench.state()["seats"][0]["tablet"] is None
    terminal = bench.world.terminals[1]
    await until(lambda: terminal.balance == 5_100)
    await until(lambda: bench.table.round >= 1)
    assert not bench.table.holds


async def test_a_tablet_takes_the_place_of_a_terminal_and_gives_it_back(tmp_path: Path) -> None:
    options = Options(seed=2, pause=0.02, broker=True)
    show = Show(small(), tmp_path, Library(), options, rounds=1000, view=View(io.StringIO()))
    show.simulated.write_table_file()

    def prepared(service: Service) -> None:
        me = Somebody(show, service)

        async def run() -> None:
            try:
                await at_the_bench(me)
            finally:
                service.stop()

        service.also("somebody", run)

    show.prepared = prepared
    await show.run()
    assert [one.errors for one in show.simulated.world.terminals.values() if one.errors] == []
