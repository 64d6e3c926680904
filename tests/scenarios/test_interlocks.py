"""Interlocks from end to end: what must not go on does not, whoever presses what."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from controller.daemon.views import holds, unwell
from controller.table import events
from drivers.wire import messages
from simulators.acceptor import Acceptor
from simulators.faults import Fault
from tests.scenarios.rigged import folder
from tests.scenarios.stage import Stage


@pytest.fixture
def stage() -> Iterator[Stage]:
    with folder() as where:
        yield Stage(where)


@pytest.mark.rule("R17")
def test_no_deal_before_the_last_lock_is_confirmed_and_the_chips_are_right(stage: Stage) -> None:
    async def script() -> None:
        acceptor = stage.world.acceptors[2]
        await stage.plays_until(lambda: stage.table.seat(1).wagers.get("progressive"))
        await stage.plays_until(lambda: stage.table.seat(2).wagers.get("ante"))
        acceptor.faults.switch_on(Fault("mute", 20.0))
        await stage.presses("lock_out")
        await stage.until(lambda: stage.table.phase == "locked")
        # A chip too many is counted, and found.
        assert not await stage.says(events.ChipsCounted, "dealer", chips=2)
        [hold] = stage.table.holds
        assert hold.cause == "2 progressive chips and coupons counted, 1 wagers accepted"
        assert not await stage.says(events.HoldCleared, "floorperson", hold=1, reason="one is mine")
        await stage.presses("deal")
        [refused] = stage.refusals(events.DealPressed)
        assert "the acceptor of seat 2, the count of the progressive chips" in refused
        assert not await stage.says(events.ChipsCounted, "dealer", chips=1)
        await stage.presses("deal")
        assert stage.refusals(events.DealPressed)[1:] == [
            "the deal waits for the acceptor of seat 2"
        ]
        assert stage.world.panel.lights.deal == "off"
        assert not stage.world.shoe or not stage.world.shoe.stacks
        await stage.plays_until(lambda: stage.table.phase == "dealing")
        assert not stage.table.seat(2).wagers.get("progressive")
        assert any(
            isinstance(event, events.LockConfirmed) and event.seat == 2 for event, _ in stage.events
        )
        await stage.plays_until(lambda: stage.table.phase == "shuffling")

    stage.run(script)
    assert stage.amiss() == []


def test_a_device_that_hears_nothing_locks_itself_and_comes_back_locked(stage: Stage) -> None:
    acceptor, terminal = stage.world.acceptors[2], stage.world.terminals[2]
    told: list[tuple[messages.Command, bool]] = []

    def late() -> None:
        stage.world.top.fund("player 2", 100)
        acceptor.insert(100)
        stage.simulated.ports["acceptors"].kick()

    async def script() -> None:
        await stage.plays_until(lambda: stage.table.seat(2).wagers.get("ante"))
        assert not acceptor.is_locked
        assert not terminal.is_locked
        lines = [stage.simulated.ports[name] for name in ("acceptors", "terminals")]
        for line in lines:
            line.inward.cut()
            line.outward.cut()
        await stage.until(lambda: acceptor.is_locked and terminal.is_locked)
        # By themselves, for nobody can tell them: the table still has betting open.
        assert stage.table.phase == "betting"
        late()
        assert stage.world.top.money["player 2"] == 100
        await stage.until(lambda: "progressive" in stage.table.withheld)
        acceptor.on_told = lambda command, _: told.append((command, acceptor.is_locked))
        for line in lines:
            line.inward.restore()
            line.outward.restore()
            line.kick()
        await stage.until(lambda: not stage.table.offline)
        assert told[0] == (messages.Lock(), True)
        # Nobody is left to wonder why no chip is taken.
        said = [one for one in unwell(stage.service, None) if "is not offered" in one]
        assert any(one.startswith("progressive ") for one in said)
        assert all("it is offered again from the next round" in one for one in said)
        # What was withheld is not taken before the next round, in whatever acceptor it lies.
        await asyncio.sleep(2.0)
        late()
        await stage.until(lambda: stage.world.top.money["player 2"] == 200)
        assert "progressive" not in stage.table.seat(2).wagers
        await stage.plays_until(lambda: stage.table.round == 1 and stage.table.phase == "shuffling")
        await stage.plays_until(lambda: stage.table.phase == "betting")
        await stage.until(lambda: not acceptor.is_locked and not terminal.is_locked)
        await stage.plays_until(lambda: stage.table.round == 2 and stage.table.phase == "shuffling")

    stage.run(script)
    assert stage.amiss() == []


def test_a_warning_and_the_lamps_outlive_the_daemon(stage: Stage) -> None:
    lamps = dict(stage.world.acceptors)

    async def before() -> None:
        await stage.plays_until(lambda: stage.table.deal_enabled)
        assert stage.table.seat(1).lamp == "accepted"
        assert stage.world.shuffler is not None
        stage.world.shuffler.faults.switch_on(Fault("sort-mode"))
        await stage.until(lambda: stage.table.holds)

    stage.run(before)
    held, was = stage.table.holds, stage.table
    for device in (*lamps.values(), stage.world.panel):
        device.restart()
    assert {one.lamp for one in lamps.values()} == {"off"}

    async def after() -> None:
        assert stage.table == was
        await stage.until(lambda: lamps[1].lamp == "accepted")
        assert lamps[2].lamp == "off"
        await stage.until(lambda: stage.world.panel.lights.warning != "off")
        assert stage.table.holds == held
        await stage.presses("deal")
        [refused] = stage.refusals(events.DealPressed)
        assert "shuffler in mode sort" in refused
        number = held[0].number
        why = await stage.says(events.HoldCleared, "dealer", hold=number, reason="it is late")
        assert "floorperson" in why
        assert stage.table.holds == held
        await stage.plays_until(lambda: stage.table.round == 2 and stage.table.phase == "shuffling")
        assert not stage.table.void
        [cleared] = [
            event
            for event, taken in stage.events
            if isinstance(event, events.HoldCleared) and not taken.step.refused
        ]
        assert cleared.by.role == "floorperson"

    stage.run(after)
    assert stage.amiss() == []


BACK = (messages.Return, messages.GiveBack)


def ordered_back(acceptor: Acceptor) -> list[messages.Command]:
    return [one for one in acceptor.done if isinstance(one, BACK)]


@pytest.mark.rule("R15", "PA-639a.7(d)(2)")
def test_a_second_chip_goes_back_and_the_accepted_one_stays(stage: Stage) -> None:
    """An acceptor that gave back whatever lies in it would take the accepted one out as well."""
    acceptor, top = stage.world.acceptors[1], stage.world.top

    async def script() -> None:
        await stage.plays_until(lambda: stage.table.seat(1).lamp == "accepted")
        top.fund("player 1", 100)
        had = top.money["player 1"]
        acceptor.insert(100)
        stage.simulated.ports["acceptors"].kick()
        await stage.until(lambda: stage.refusals(events.WagerPlaced))
        await stage.until(lambda: top.money["player 1"] == had)
        await stage.until(lambda: not acceptor.responder.unacknowledged)
        [order] = ordered_back(acceptor)
        assert isinstance(order, messages.GiveBack)
        assert acceptor.inside == [100]
        assert stage.table.seat(1).wagers["progressive"] == 100
        assert not stage.table.holds
        await stage.plays_until(lambda: stage.table.phase == "shuffling")

    stage.run(script)
    assert stage.amiss() == []


@pytest.mark.rule("R15", "R16")
def test_a_late_chip_that_the_acceptor_gave_back_is_ordered_back_by_nobody(stage: Stage) -> None:
    acceptor, top = stage.world.acceptors[1], stage.world.top

    async def script() -> None:
        await stage.plays_until(lambda: stage.table.seat(1).lamp == "accepted")
        # The lock overtakes it on its way from the sensor: it never was in.
        acceptor.faults.switch_on(Fault("late-wager", 1.0))
        top.fund("player 1", 100)
        had = top.money["player 1"]
        acceptor.insert(100)
        stage.simulated.ports["acceptors"].kick()
        await stage.presses("lock_out")
        await stage.until(lambda: stage.table.late)
        assert top.money["player 1"] == had
        await asyncio.sleep(12.0)
        assert ordered_back(acceptor) == []
        # The accepted one lies before the dealer.
        assert (acceptor.inside, acceptor.rolled) == ([], 1)
        assert not stage.table.holds
        await stage.plays_until(lambda: stage.table.phase == "shuffling")

    stage.run(script)
    assert stage.amiss() == []


@pytest.mark.rule("R15")
def test_an_acceptor_that_knows_no_names_gives_back_no_accepted_chip(stage: Stage) -> None:
    """One from before there were any is not told to give back all: people are called."""
    acceptor = stage.world.acceptors[1]
    obey = acceptor.obey
    acceptor.obey = (  # type: ignore[method-assign]
        lambda command: None if isinstance(command, messages.GiveBack) else obey(command)
    )

    async def script() -> None:
        await stage.plays_until(lambda: stage.table.seat(1).lamp == "accepted")
        stage.world.top.fund("player 1", 100)
        acceptor.insert(100)
        stage.simulated.ports["acceptors"].kick()
        await stage.until(lambda: stage.table.holds)
        [hold] = stage.table.holds
        assert (hold.where, hold.clears) == ("acceptor 1", "floorperson")
        assert "give them back by hand" in hold.cause
        assert acceptor.inside == [100, 100]
        assert stage.table.seat(1).wagers["progressive"] == 100

    stage.run(script)


@pytest.mark.rule("R2", "R3")
def test_a_shuffler_that_restarts_in_its_cycle_is_not_run_before_somebody_has_looked(
    stage: Stage,
) -> None:
    shuffler = stage.world.shuffler
    assert shuffler is not None

    def cycles() -> int:
        return sum(isinstance(one, messages.Shuffle) for one in shuffler.done)

    async def script() -> None:
        await stage.plays_until(lambda: shuffler.cycle == "running")
        was = cycles()
        shuffler.restart()
        await stage.until(lambda: stage.table.holds)
        [hold] = stage.table.holds
        assert hold.cause.startswith("shuffler incomplete")
        # A hand may be in it, however long that takes and whatever else it says meanwhile.
        await asyncio.sleep(30)
        shuffler.restart()
        await asyncio.sleep(30)
        assert (cycles(), shuffler.cycle) == (was, "idle")
        assert not await stage.says(
            events.HoldCleared, "floorperson", hold=hold.number, reason="52 counted, none inside"
        )
        await stage.plays_until(lambda: stage.table.phase == "betting")
        assert cycles() == was + 1

    stage.run(script)


@pytest.mark.rule("R10")
def test_a_shoe_that_takes_a_stack_on_and_never_gives_it_is_not_waited_for_in_silence(
    stage: Stage,
) -> None:
    shoe = stage.world.shoe
    assert shoe is not None

    async def script() -> None:
        await stage.plays_until(lambda: stage.table.deal_enabled)
        shoe.dispense_s = 10_000.0
        await stage.presses("deal")
        await stage.until(lambda: stage.table.phase == "dealing")
        await stage.until(lambda: stage.table.holds)
        [hold] = holds(stage.service)
        assert hold["cause"] == "stack 1 was not answered"
        assert hold["stops"] == "nothing of this round goes on"
        assert "void the round" in hold["next_step"]
        assert list(unwell(stage.service, None))
        given = {"hold": hold["number"], "reason": "play on"}
        assert "has not said" in await stage.says(events.HoldCleared, "floorperson", **given)
        assert not await stage.says(events.RoundVoided, "floorperson", reason="the shoe is stuck")
        shoe.dispense_s = 0.8
        await stage.plays_until(lambda: stage.table.round == 2 and stage.table.phase == "shuffling")

    stage.run(script)


@pytest.mark.rule("R5", "R9", "R10")
def test_a_shoe_that_restarts_with_cards_of_a_stack_out_is_ordered_nothing_more(
    stage: Stage,
) -> None:
    shoe, top = stage.world.shoe, stage.world.top
    assert shoe is not None

    async def script() -> None:
        await stage.plays_until(lambda: stage.table.deal_enabled)
        shoe.dispense_s = 5.0
        await stage.presses("deal")
        await stage.until(lambda: stage.table.phase == "dealing")
        await asyncio.sleep(1)
        top.move("shoe", "tray", 3)
        shoe.restart()
        await stage.until(lambda: stage.table.void)
        assert "49 cards inside where 52 should be" in stage.table.void
        assert not shoe.given
        top.move("tray", "rack")

    stage.run(script)
