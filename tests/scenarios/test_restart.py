"""felt ends in the middle of something, and comes back: nothing is lost, nothing done twice."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from controller.journal.reader import Reader
from controller.library import Library
from controller.recorder import Taken
from controller.table import events
from controller.table.duty import UNSEEN
from controller.table.events import Event
from controller.table.people import NOBODY
from controller.technician import logs, past
from controller.technician.replaying import Replayer
from drivers.wire import messages
from tests.scenarios.rigged import folder
from tests.scenarios.stage import Killed, Stage


@pytest.fixture
def stage() -> Iterator[Stage]:
    with folder() as where:
        yield Stage(where)


def cut(stage: Stage, wire: str) -> None:
    line = stage.simulated.ports[wire]
    line.inward.cut()
    line.outward.cut()


def mended(stage: Stage, wire: str) -> None:
    line = stage.simulated.ports[wire]
    line.inward.restore()
    line.outward.restore()


def must_replay(stage: Stage) -> None:
    """Every run of the daemon does the same again from its logs, what was owed included."""
    state, library = stage.simulated.configuration.journal.parent, Library()
    runs = logs.read([state / "logs"]).runs
    assert len(runs) > 1
    for run in runs:
        with Reader.look(state / "journal.db") as reader:
            before = past.of_journal(reader, library, run.after_entry)
            outcome = Replayer(run, before, library, late_s=0).run()
        assert outcome.identical, outcome.difference


@pytest.mark.rule("R31")
def test_a_chip_that_was_on_its_way_back_goes_back_after_a_crash(stage: Stage) -> None:
    """Ordered back before the last event: what that one asked for is not all that is owed."""
    top, acceptor = stage.world.top, stage.world.acceptors[1]

    async def before() -> None:
        await stage.plays_until(lambda: stage.table.seat(1).wagers.get("progressive"))
        cut(stage, "acceptors")
        # Nothing that is ordered now reaches the acceptor.
        assert not await stage.says(events.DeckRemoved, "floorperson", deck="A", reason="a spot")
        assert not stage.table.seat(1).wagers
        facts = {"deck": "C", "colour": "green", "design": "bee"}
        assert not await stage.says(events.DeckReceived, "dealer", **facts)
        assert acceptor.inside == [100]

    stage.killed(before)
    mended(stage, "acceptors")
    had = top.money["player 1"]

    async def after() -> None:
        await stage.until(lambda: top.money["player 1"] == had + 100)
        assert not acceptor.inside
        assert not acceptor.rolled
        await asyncio.sleep(12.0)
        assert not stage.table.holds
        assert [one for one in acceptor.done if isinstance(one, messages.Return)] == [
            messages.Return(100)
        ]

    stage.run(after)
    must_replay(stage)


async def late_wagers(stage: Stage, count: int) -> None:
    """So many chips come late to the first seat, and the acceptor must give each of them back."""
    await stage.plays_until(lambda: [d for d in stage.table.decks if d.shuffled != "no"])
    for _ in range(count):
        late = events.WagerCameLate(
            at=stage.service.clock.wall_ms(),
            seat=1,
            wager="progressive",
            amount=100,
            sensed="after the lock",
        )
        assert not (await stage.service.core.post(late)).step.refused


@pytest.mark.rule("R15", "R31")
def test_what_can_not_be_repeated_calls_the_floor(stage: Stage) -> None:
    """Another chip lies where the one was that went back: nobody gives that one back on a guess."""
    acceptor = stage.world.acceptors[1]

    async def before() -> None:
        await late_wagers(stage, 1)
        await stage.plays_until(lambda: stage.table.seat(1).wagers.get("progressive"))
        assert stage.table.back

    stage.killed(before)

    async def after() -> None:
        await stage.until(lambda: stage.table.holds)
        [hold] = stage.table.holds
        assert (hold.where, hold.clears) == ("acceptor 1", "floorperson")
        assert "nobody knows whether it gave back 100 cents" in hold.cause
        await asyncio.sleep(12.0)
        returned = [one for one in acceptor.done if isinstance(one, messages.Return)]
        assert len(returned) == 1

    stage.run(after)
    must_replay(stage)


def test_the_same_doubt_is_said_once_at_a_start(stage: Stage) -> None:
    """Two chips of one size went back, and another lies there: one matter for the floorperson."""

    async def before() -> None:
        await late_wagers(stage, 2)
        await stage.plays_until(lambda: stage.table.seat(1).wagers.get("progressive"))
        assert len(stage.table.back) == 2

    stage.killed(before)
    stage.events.clear()

    async def after() -> None:
        await stage.until(lambda: stage.table.holds)
        await asyncio.sleep(12.0)

    stage.run(after)
    faults = [one for one, _ in stage.events if isinstance(one, events.DeviceFaulted)]
    assert [one.device for one in faults] == ["acceptor 1"]
    must_replay(stage)


@pytest.mark.rule("R15")
def test_a_refused_chip_is_told_again_until_its_fate_is_known(stage: Stage) -> None:
    """Nobody has the chip on the books: only the acceptor's word, kept, brings it to light."""
    acceptor = stage.world.acceptors[2]

    async def before() -> None:
        await stage.plays_until(lambda: stage.table.seat(2).wagers.get("ante"))
        stage.world.top.fund("player 2", 700)
        stage.service.listen(killer)
        # No progressive wager is of this size: it is refused.
        acceptor.insert(700)
        stage.simulated.ports["acceptors"].kick()
        await stage.until(lambda: False)

    def killer(event: Event, taken: Taken) -> None:
        if isinstance(event, events.WagerPlaced) and taken.step.refused:
            raise Killed

    stage.killed(before)
    assert acceptor.inside == [700]
    assert acceptor.responder.unacknowledged

    async def after() -> None:
        await stage.until(lambda: stage.table.holds)
        [hold] = stage.table.holds
        assert hold.where == "acceptor 2"
        assert "700 cents" in hold.cause
        assert hold.clears == "floorperson"
        await stage.until(lambda: not acceptor.responder.unacknowledged)
        assert "progressive" not in stage.table.seat(2).wagers

    stage.run(after)
    must_replay(stage)


@pytest.mark.rule("R31")
def test_a_restart_after_the_lock_records_no_refusal(stage: Stage) -> None:
    async def before() -> None:
        await stage.plays_until(lambda: stage.table.deal_enabled)

    stage.run(before)

    async def after() -> None:
        attached = stage.service.supervisor.attachments.values()
        await stage.until(lambda: all(one.is_present for one in attached))
        await asyncio.sleep(5.0)
        assert stage.table.phase == "locked"
        refused = [taken.step.refused for _, taken in stage.events if taken.step.refused]
        assert refused == []
        await stage.plays_until(lambda: stage.table.phase == "shuffling")

    stage.run(after)
    assert stage.amiss() == []


@pytest.mark.rule("R31")
def test_the_panel_shows_after_a_restart_that_betting_is_open(stage: Stage) -> None:
    async def before() -> None:
        await stage.plays_until(lambda: stage.table.seat(1).wagers.get("ante"))
        assert stage.world.panel.lights.lock_out == "off"

    stage.run(before)

    async def after() -> None:
        await stage.until(lambda: not stage.world.acceptors[1].is_locked)
        await stage.until(lambda: stage.world.panel.lights.lock_out == "off")

    stage.run(after)


@pytest.mark.rule("R31", "R40")
def test_the_dealer_is_on_duty_over_a_restart_and_not_over_an_absence(stage: Stage) -> None:
    async def before() -> None:
        await stage.plays_until(lambda: stage.table.deal_enabled)

    stage.killed(before)
    dealer = stage.service.duty.acting("dealer")
    assert dealer.id != NOBODY
    signed_on = [event for event, _ in stage.events if isinstance(event, events.SignedOn)]

    async def after() -> None:
        # The lamp burns since before the kill. What is pressed before felt hears is no press.
        await stage.until(lambda: stage.service.supervisor.is_settled)
        await stage.until(lambda: stage.world.panel.lights.deal == "on")
        await stage.presses("deal")
        await stage.until(lambda: stage.table.phase == "dealing")
        [pressed] = [event for event, _ in stage.events if isinstance(event, events.DealPressed)]
        assert pressed.by == dealer
        again = [event for event, _ in stage.events if isinstance(event, events.SignedOn)]
        assert again == signed_on
        await stage.plays_until(lambda: stage.table.phase == "shuffling")

    stage.run(after)
    assert stage.amiss() == []
    stage.is_away(UNSEEN / 1000)

    async def later() -> None:
        await stage.until(lambda: not stage.table.on_duty)
        assert stage.service.duty.acting("dealer").id == NOBODY

    stage.run(later)


@pytest.mark.rule("R30", "R31")
@pytest.mark.parametrize("asks", ["cash_out", "wager", "decide"])
def test_a_player_whose_request_was_refused_hears_of_it_after_a_crash(
    stage: Stage, asks: str
) -> None:
    """It was refused and on the disk, and felt ended before the terminal had heard of it."""
    terminal = stage.world.terminals[2]
    kinds = {
        "cash_out": events.CashedOut,
        "wager": events.WagerPlaced,
        "decide": events.PlayerDecided,
    }
    requests = {"cash_out": "cash_out", "wager": "wager", "decide": "decision"}

    async def before() -> None:
        await stage.plays_until(lambda: stage.table.seat(2).wagers.get("ante"))
        stage.service.listen(killer)
        match asks:
            case "cash_out":
                terminal.cash_out(10**9)
            case "wager":
                terminal.wager("five_card_player", 12_345_678)
            case _:
                terminal.decide("fold")
        stage.simulated.ports["terminals"].kick()
        await stage.until(lambda: False)

    def killer(event: Event, taken: Taken) -> None:
        if isinstance(event, kinds[asks]) and taken.step.refused:
            raise Killed

    stage.killed(before)
    assert not terminal.refusals
    assert terminal.responder.unacknowledged

    async def after() -> None:
        await stage.until(lambda: terminal.refusals)
        await stage.until(lambda: not terminal.responder.unacknowledged)
        # Once, although it was owed and told again.
        [refused] = terminal.refusals
        assert refused.request == requests[asks]
        assert refused.reason
        assert refused.balance == terminal.balance == stage.table.seat(2).balance
        assert not stage.table.holds

    stage.run(after)
    must_replay(stage)


@pytest.mark.rule("R30")
def test_a_refused_request_is_answered_at_once(stage: Stage) -> None:
    terminal = stage.world.terminals[2]

    async def script() -> None:
        await stage.plays_until(lambda: stage.table.seat(2).wagers.get("ante"))
        transfer = terminal.cash_out(10**9)
        stage.simulated.ports["terminals"].kick()
        await stage.until(lambda: terminal.refusals)
        [refused] = terminal.refusals
        assert (refused.request, refused.name) == ("cash_out", transfer)
        assert "the account holds" in refused.reason
        await stage.until(lambda: not terminal.responder.unacknowledged)
        # It is over: nobody asks for it again.
        asked = len(stage.refusals(events.CashedOut))
        await asyncio.sleep(12.0)
        assert len(stage.refusals(events.CashedOut)) == asked == 1

    stage.run(script)


@pytest.mark.rule("R15", "R31")
def test_after_a_crash_the_refused_chip_goes_back_and_the_accepted_one_does_not(
    stage: Stage,
) -> None:
    top, acceptor = stage.world.top, stage.world.acceptors[1]

    async def before() -> None:
        await stage.plays_until(lambda: stage.table.seat(1).lamp == "accepted")
        top.fund("player 1", 100)
        cut(stage, "acceptors")
        acceptor.insert(100)
        await asyncio.sleep(1.0)
        assert acceptor.inside == [100, 100]

    stage.killed(before)
    mended(stage, "acceptors")
    had = top.money["player 1"]

    async def after() -> None:
        await stage.until(lambda: not acceptor.responder.unacknowledged)
        # The acceptor was locked when felt came back: both have rolled, and the floor is told.
        await stage.until(lambda: stage.table.holds)
        assert (acceptor.inside, acceptor.rolled) == ([], 2)
        assert top.money["player 1"] == had
        assert all(hold.where == "acceptor 1" for hold in stage.table.holds)
        assert not [one for one in acceptor.done if isinstance(one, messages.Return)]
        assert stage.table.seat(1).wagers["progressive"] == 100

    stage.run(after)
    must_replay(stage)
