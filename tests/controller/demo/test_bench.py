"""The bench: all that somebody can do at it, what the table hears of that, and its socket."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from controller.daemon.access import Caller, NotAllowed
from controller.daemon.action import Asked
from controller.daemon.service import Service
from controller.demo.bench_socket import SOCKET, BenchActions
from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.library import Library
from controller.rules.faults import Refused
from tests.controller.demo.somebody import Somebody, played_with
from tests.drivers.wire.plugs import AT_LAST_S
from tests.scenarios.test_play import table

State = dict[str, Any]


def small(book: str = "pa-639a", method: str | None = None) -> dict[str, Any]:
    data = table(book, method)
    data["options"]["seats"] = 2
    return data


def device(state: State, name: str) -> State:
    return next(one for one in state["devices"] if one["name"] == name)


def fault(state: State, name: str) -> State:
    return next(one for one in state["faults"] if one["name"] == name)


async def until(me: Somebody, is_so: Callable[[State], bool]) -> State:
    """Virtual time: nobody waits for it."""
    while not is_so(state := me.bench.state()):  # noqa: ASYNC110 - nobody tells it
        await asyncio.sleep(0.05)
    return state


async def to_wager(me: Somebody) -> None:
    """Somebody sits at seat 1, the wagers are open, and everybody waits for theirs."""
    await me.does("play", who="seat 1", by="me")
    await until(me, lambda now: now["phase"] == "betting" and now["seats"][0]["awaited"])


def at_a_bench(
    folder: Path,
    meanwhile: Callable[[Somebody], Awaitable[None]],
    data: dict[str, Any] | None = None,
) -> Show:
    """The rounds go on by themselves once what is done at the bench has been done."""
    done: list[Somebody] = []

    async def run(me: Somebody) -> None:
        await meanwhile(me)
        done.append(me)
        await me.does("play", who="seat 1", by="simulated")
        await me.does("play", who="dealer", by="simulated")
        await me.does("play", who="floor", by="simulated")

    show, me = played_with(folder, data or small(), run, rounds=1)
    assert done == [me]
    assert show.table is not None
    assert show.table.round == 1
    return show


# --- Players --------------------------------------------------------------------


def test_a_chip_lies_in_the_slot_and_comes_out_again(tmp_path: Path) -> None:
    async def meanwhile(me: Somebody) -> None:
        await to_wager(me)
        await me.does("wager", seat=1, wager="ante", amount=1000)
        await me.does("chip", seat=1)
        in_slot = await until(me, lambda now: device(now, "acceptor 1")["lamp"] == "accepted")
        assert device(in_slot, "acceptor 1")["slot"] == [100]
        assert me.bench.table.seat(1).wagers["progressive"] == 100
        await me.does("take_back", seat=1, wager="progressive")
        await until(me, lambda now: "progressive" not in now["seats"][0]["wagers"])
        with pytest.raises(Refused, match="no chip lies in it"):
            await me.does("take_chip", seat=1)

    at_a_bench(tmp_path, meanwhile)


def test_whoever_sits_down_wagers_decides_and_sees_their_own_hand_only(tmp_path: Path) -> None:
    async def meanwhile(me: Somebody) -> None:
        await to_wager(me)
        with pytest.raises(Refused, match="nothing to decide"):
            await me.does("decide", seat=1, choice="fold")
        await me.does("wager", seat=1, wager="ante", amount=2000)
        await me.does("ready", seat=1)
        now = await until(me, lambda now: bool(now["seats"][0]["decisions"]))
        assert len(now["seats"][0]["hand"].split()) == now["seats"][0]["cards"] == 5
        assert now["seats"][1]["hand"] == ""
        assert now["seats"][0]["awaited"]
        bet, *_ = now["seats"][0]["decisions"]
        with pytest.raises(Refused, match="ante"):
            await me.does("decide", seat=1, choice="wager", amount=bet["cents"] + 1)
        await me.does("decide", seat=1, choice="wager", amount=bet["cents"])
        await until(me, lambda now: now["phase"] == "revealing")
        assert me.bench.table.seat(1).wagers["bet"] == bet["cents"]

    show = at_a_bench(tmp_path, meanwhile)
    assert show.differences() == []


def test_a_seat_that_wagers_nothing_sits_out(tmp_path: Path) -> None:
    async def meanwhile(me: Somebody) -> None:
        await to_wager(me)
        await me.does("ready", seat=1)
        now = await until(me, lambda now: now["phase"] == "dealing")
        assert now["seats"][0]["wagers"] == {}

    at_a_bench(tmp_path, meanwhile)


def test_money_of_a_terminal(tmp_path: Path) -> None:
    async def meanwhile(me: Somebody) -> None:
        await to_wager(me)
        await me.does("buy_in", seat=1, amount=12_300)
        now = await until(me, lambda now: device(now, "terminal 1")["balance"] > 0)
        had = now["seats"][0]["balance"]
        assert had == device(now, "terminal 1")["balance"]
        await me.does("wager", seat=1, wager="ante", amount=1000)
        now = await until(me, lambda now: "ante" in now["seats"][0]["wagers"])
        electronic = next(
            one for one in now["seats"][0]["wagers_offered"] if one["on"] == "terminal"
        )
        given = {"seat": 1, "wager": electronic["wager"]}
        await me.does("wager", **given, amount=electronic["amounts"][0])
        await until(me, lambda now: electronic["wager"] in now["seats"][0]["wagers"])
        await me.does("take_back", **given)
        await until(me, lambda now: electronic["wager"] not in now["seats"][0]["wagers"])
        await me.does("cash_out", seat=1, amount=2_300)
        await until(me, lambda now: now["seats"][0]["balance"] == had - 2_300)

    at_a_bench(tmp_path, meanwhile)


# --- The dealer -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("book", "method", "works"),
    [
        ("pa-639a", "automated shoe", {"take_stack", "load_shoe", "put_into_shuffler"}),
        ("s10", "manual shoe", {"put_into_shuffler"}),
        ("pa-682a", "hand", {"put_into_shuffler"}),
    ],
)
def test_a_dealer_who_would_rather_use_their_own_hands(
    book: str, method: str, works: set[str], tmp_path: Path
) -> None:
    """Whatever only a device tells of waits for them, and is listed."""
    worked: list[str] = []

    async def meanwhile(me: Somebody) -> None:
        await me.does("hands", follow=False)
        await me.does("play", who="dealer", by="me")
        saying = asyncio.create_task(me.plays())
        while me.bench.table.phase not in ("revealing", "settling"):
            for one in me.bench.state()["handwork"][:1]:
                worked.append(one["do"])
                await me.does(one["do"], **one["with"])
            await asyncio.sleep(0.25)
        saying.cancel()

    show = at_a_bench(tmp_path, meanwhile, small(book, method))
    assert works <= set(worked)
    assert show.differences() == []


def test_the_panel_has_buttons_of_its_own(tmp_path: Path) -> None:
    """Whoever deals may press them there; they light up as the table says."""

    async def meanwhile(me: Somebody) -> None:
        await until(me, lambda now: now["phase"] == "betting")
        await me.does("play", who="dealer", by="me")
        await until(me, lambda now: now["awaited"] == ["dealer"])
        await me.does("press", button="lock_out")
        now = await until(me, lambda now: now["phase"] == "locked")
        assert all(device(now, f"acceptor {seat}")["locked"] for seat in (1, 2))

    at_a_bench(tmp_path, meanwhile)


def test_hands_can_not_do_what_is_not_there_to_be_done(tmp_path: Path) -> None:
    async def meanwhile(me: Somebody) -> None:
        await to_wager(me)
        for name, given, why in (
            ("take_stack", {}, "no stack lies"),
            ("give_back", {"seat": 1, "amount": 100}, "no chip lies"),
            ("load_shoe", {"deck": "Z"}, "no deck 'Z'"),
            ("put_right", {"where": "roof"}, "nothing is held for 'roof'"),
            ("take_chip", {"seat": 7}, "there is no seat 7"),
            ("press", {"button": "bell"}, "button"),
        ):
            with pytest.raises(Refused, match=why):
                await me.does(name, **given)

    at_a_bench(tmp_path, meanwhile)


# --- Devices --------------------------------------------------------------------


def test_an_open_door_holds_the_table_until_somebody_closes_it(tmp_path: Path) -> None:
    async def meanwhile(me: Somebody) -> None:
        await me.does("play", who="floor", by="me")
        await me.does("play", who="dealer", by="me")
        await until(me, lambda now: device(now, "shoe")["status"] == "ready")
        await me.does("door", device="shoe", open=True)
        now = await until(me, lambda now: bool(me.bench.table.holds))
        assert device(now, "shoe")["door"]
        assert [hold.where for hold in me.bench.table.holds] == ["shoe"]
        await me.does("door", device="shoe", open=False)
        await until(me, lambda now: not device(now, "shoe")["door"])

    at_a_bench(tmp_path, meanwhile)


def test_a_door_that_was_forced_does_not_close_until_it_is_put_right(tmp_path: Path) -> None:
    async def meanwhile(me: Somebody) -> None:
        await me.does("play", who="floor", by="me")
        await until(me, lambda now: device(now, "acceptor 2")["status"] == "ready")
        await me.does("hands", follow=False)
        await me.does("fault", device="acceptor 2", name="door", on=True)
        await until(me, lambda now: bool(device(now, "acceptor 2")["door"]))
        with pytest.raises(Refused, match="will not close"):
            await me.does("door", device="acceptor 2", open=False)
        await me.does("put_right", where="acceptor 2")
        await until(me, lambda now: not device(now, "acceptor 2")["door"])

    at_a_bench(tmp_path, meanwhile)


def test_a_cable_takes_all_that_is_on_it_and_one_device_its_own(tmp_path: Path) -> None:
    def gone(now: State) -> list[str]:
        return [one["name"] for one in now["devices"] if one["status"] != "ready"]

    async def meanwhile(me: Somebody) -> None:
        await to_wager(me)
        await until(me, lambda now: not gone(now))
        await me.does("cable", name="acceptor 2", plugged=False)
        now = await until(me, lambda now: bool(gone(now)))
        assert gone(now) == ["acceptor 2"]
        assert not device(now, "acceptor 2")["plugged"]
        await me.does("cable", name="acceptor 2", plugged=True)
        await until(me, lambda now: not gone(now))
        await me.does("cable", name="acceptors", plugged=False)
        await until(me, lambda now: gone(now) == ["acceptor 1", "acceptor 2"])
        await me.does("cable", name="acceptors", plugged=True)
        await until(me, lambda now: not gone(now))

    at_a_bench(tmp_path, meanwhile)


def test_power_is_cut_for_one_device_or_for_all(tmp_path: Path) -> None:
    async def meanwhile(me: Somebody) -> None:
        await to_wager(me)
        before = {one["name"]: one["boots"] for one in me.bench.state()["devices"]}
        await me.does("power_cut", device="shoe")
        now = {one["name"]: one["boots"] for one in me.bench.state()["devices"]}
        assert now == before | {"shoe": before["shoe"] + 1}
        await me.does("power_cut")
        now = {one["name"]: one["boots"] for one in me.bench.state()["devices"]}
        assert all(now[name] > boots for name, boots in before.items())
        await until(me, lambda now: all(one["status"] == "ready" for one in now["devices"]))

    at_a_bench(tmp_path, meanwhile)


def test_a_fault_strikes_as_often_as_it_can_and_is_off_again(tmp_path: Path) -> None:
    async def meanwhile(me: Somebody) -> None:
        await me.does("play", who="floor", by="me")
        await me.does("hands", follow=False)
        await me.does("fault", device="shuffler", name="jam", on=True)
        assert fault(device(me.bench.state(), "shuffler"), "jam")["on"]
        saying = asyncio.create_task(me.plays())
        now = await until(me, lambda now: device(now, "shuffler")["trouble"] == ["jam"])
        saying.cancel()
        jam = fault(device(now, "shuffler"), "jam")
        assert (jam["struck"], jam["on"]) == (1, False)
        await me.does("put_right", where="shuffler")
        assert device(me.bench.state(), "shuffler")["trouble"] == []

    at_a_bench(tmp_path, meanwhile)


def test_faults_of_a_wire_are_switched_on_and_off(tmp_path: Path) -> None:
    async def meanwhile(me: Somebody) -> None:
        await me.does("fault", wire="acceptors", name="twice", on=True, number=1)
        await to_wager(me)
        wire = next(one for one in me.bench.state()["wires"] if one["name"] == "acceptors")
        assert fault(wire, "twice")["on"]
        assert fault(wire, "twice")["struck"] > 0
        await me.does("fault", wire="acceptors", name="twice", on=False)
        wire = next(one for one in me.bench.state()["wires"] if one["name"] == "acceptors")
        assert not any(one["on"] for one in wire["faults"])
        for given, why in (
            ({"wire": "acceptors", "name": "jam"}, "jam"),
            ({"device": "sign", "name": "jam"}, "jam"),
            ({"device": "sign", "name": "flood"}, "flood"),
            ({"device": "oven", "name": "jam"}, "no 'oven'"),
            ({"wire": "oven", "name": "lost"}, "no wire 'oven'"),
            ({"name": "lost"}, "name one of them"),
        ):
            with pytest.raises(Refused, match=why):
                await me.does("fault", on=True, **given)

    at_a_bench(tmp_path, meanwhile)


def test_a_shuffler_that_sorts(tmp_path: Path) -> None:
    async def meanwhile(me: Somebody) -> None:
        await to_wager(me)
        await me.does("mode", mode="sort")
        assert device(me.bench.state(), "shuffler")["mode"] == "sort"
        await me.does("put_right", where="shuffler")
        assert device(me.bench.state(), "shuffler")["mode"] == "shuffle"

    at_a_bench(tmp_path, meanwhile)


# --- Pace -----------------------------------------------------------------------


def test_nobody_moves_while_the_crew_is_stopped(tmp_path: Path) -> None:
    async def meanwhile(me: Somebody) -> None:
        await until(me, lambda now: now["phase"] == "shuffling")
        await me.does("stop")
        await asyncio.sleep(30)  # whoever was in the middle of something
        before = me.bench.state()
        await asyncio.sleep(300)
        assert me.bench.state() == before
        assert not before["goes"]
        await me.does("go")
        await me.does("pace", speed=2)
        assert me.bench.state()["speed"] == 2
        await until(me, lambda now: now["phase"] == "betting")

    at_a_bench(tmp_path, meanwhile)


# --- The socket -----------------------------------------------------------------


class Caught:
    """Somebody at the other end of the bench's socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._asked = 0

    async def asks(self, action: str, **given: Any) -> dict[str, Any]:
        self._asked += 1
        line = {"id": self._asked, "action": action, "with": given}
        self._writer.write(json.dumps(line).encode() + b"\n")
        while (answer := await self.hears()).get("id") != self._asked or "change" in answer:
            pass
        return answer

    async def leaves(self) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def hears(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(await self._reader.readline())
        return answer

    async def hears_of(self, is_so: Callable[[State], bool]) -> State:
        async with asyncio.timeout(AT_LAST_S):
            while True:
                told = await self.hears()
                if "change" in told and is_so(told["change"]):
                    state: State = told["change"]
                    return state


@contextlib.asynccontextmanager
async def a_table(folder: Path) -> AsyncIterator[tuple[Show, Path]]:
    """In real time, with people who are quick."""
    options = Options(seed=1, pause=0.01, broker=True, bench=True)
    view = View(io.StringIO())
    show = Show(small(), folder, Library(), options, rounds=10**6, view=view)
    services: list[Service] = []
    show.prepared = services.append
    running = asyncio.create_task(show.run())
    path = show.simulated.configuration.socket.with_name(SOCKET)
    try:
        async with asyncio.timeout(AT_LAST_S):
            while not path.exists() and not running.done():  # noqa: ASYNC110 - nobody tells it
                await asyncio.sleep(0.02)
        yield show, path
    finally:
        for service in services:
            service.stop()
        await running


async def test_the_bench_is_worked_through_its_socket(tmp_path: Path) -> None:
    async with a_table(tmp_path) as (show, path):
        one = Caught(*await asyncio.open_unix_connection(path, limit=1 << 22))
        other = Caught(*await asyncio.open_unix_connection(path, limit=1 << 22))
        first = (await one.asks("watch_bench"))["result"]
        assert first["table"] == "pa-639a-1"
        assert (await one.asks("watch_bench"))["ok"] is False
        kinds = {device["kind"] for device in first["devices"]}
        assert kinds == {"panel", "shuffler", "shoe", "acceptor", "terminal", "sign"}
        assert set(first["cast"]) == {"dealer", "floor", "seat 1", "seat 2"}

        assert (await other.asks("do", do="play", who="seat 1", by="me"))["ok"]
        now = await one.hears_of(lambda now: now["seats"][0]["awaited"])
        assert now["cast"]["seat 1"] == "me"
        # Without an Ante the chip would be given back, sooner than anybody is told of it.
        ante = next(one for one in now["seats"][0]["wagers_offered"] if one["wager"] == "ante")
        least = ante["amounts"][0]
        assert (await other.asks("do", do="wager", seat=1, wager="ante", amount=least))["ok"]
        await one.hears_of(lambda now: now["seats"][0]["wagers"].get("ante") == least)
        assert (await other.asks("do", do="chip", seat=1))["ok"]
        await one.hears_of(lambda now: device(now, "acceptor 1")["slot"] == [100])
        assert (await other.asks("do", do="play", who="seat 1", by="simulated"))["ok"]
        await one.hears_of(lambda now: now["round"] >= 2)
        await one.leaves()
        await other.leaves()
    assert show.differences() == []


async def test_bad_input_is_answered_in_words(tmp_path: Path) -> None:
    async with a_table(tmp_path) as (_, path):
        one = Caught(*await asyncio.open_unix_connection(path, limit=1 << 22))
        for given, why in (
            ({}, "nobody can do"),
            ({"do": "dance"}, "nobody can do 'dance'"),
            ({"do": ["chip"]}, "nobody can do"),
            ({"do": "chip"}, "seat"),
            ({"do": "chip", "seat": 1, "colour": "red"}, "colour"),
            ({"do": "chip", "seat": "one"}, "seat"),
            ({"do": "chip", "seat": 1, "amount": -5}, "amount"),
            ({"do": "play", "who": "cook", "by": "me"}, "nobody at this table is 'cook'"),
            ({"do": "play", "who": "dealer", "by": "you"}, "by"),
            ({"do": "pace", "speed": 1e9}, "speed"),
            ({"do": "door", "device": "roof", "open": True}, "there is no 'roof'"),
            ({"do": "wager", "seat": 1, "wager": "luck", "amount": 100}, "'luck' is not offered"),
            ({"do": "buy_in", "seat": 3}, "there is no seat 3"),
        ):
            answer = await one.asks("do", **given)
            assert not answer["ok"]
            assert why in answer["error"]
        assert "nobody" not in json.dumps(await one.asks("acts"))
        assert not (await one.asks("open_sesame"))["ok"]
        assert (await one.asks("bench"))["ok"]
        await one.leaves()


def test_whoever_may_only_look_may_only_look(tmp_path: Path) -> None:
    async def meanwhile(me: Somebody) -> None:
        actions = BenchActions(me.bench)
        looker = Asked(Caller("somebody", frozenset(), keeps_secrets=True), {"do": "stop"})
        assert (await actions.do("bench", looker))["table"] == "pa-639a-1"
        with pytest.raises(NotAllowed):
            await actions.do("do", looker)
        assert me.bench.performer.goes.is_set()

    at_a_bench(tmp_path, meanwhile)
