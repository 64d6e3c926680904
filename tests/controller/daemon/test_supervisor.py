"""Devices come and go while the disk is slow: the table is told of all of it, in order."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from controller.daemon.clock import Clock
from controller.daemon.core import Core
from controller.daemon.duty import NobodyOnDuty
from controller.daemon.supervisor import GRACE_S, Supervisor
from controller.daemon.unbelieved import NOT_TAKEN
from controller.journal.journal import Journal
from controller.recorder import Recorder, Taken
from controller.table import events
from controller.table.events import Event
from controller.table.people import Person
from controller.table.state import Table
from controller.tables import read_file, table_part
from drivers.acceptor import Acceptor
from drivers.attachment import NUMBERS_ANEW
from drivers.shoe import Shoe
from drivers.terminal import Terminal
from drivers.wire import messages
from simulators import acceptor, shoe, terminal, virtual_time
from simulators.device import DONE, Answer
from simulators.tabletop import TableTop
from tests.controller.rules.rounds import library
from tests.drivers.bench import Lane
from tests.drivers.people import driver

TABLE = Path(__file__).parents[3] / "config" / "tables" / "pa-639a.toml"
WIRE = "wire"
DEALER, FLOOR = Person("dealer-1", "dealer"), Person("floor-1", "floorperson")


class SlowDisk(Recorder):
    """Writes when it is let."""

    def __init__(self, journal: Journal, data: Any) -> None:
        super().__init__(journal, data, library())
        self.let = threading.Event()
        self.let.set()

    def take(self, event: Event) -> Taken:
        self.let.wait()
        return super().take(event)


class House:
    """The service's own core and supervisor, and a device on a line that can be cut."""

    def __init__(self, recorder: SlowDisk, lane: Lane) -> None:
        loop = asyncio.get_running_loop()
        self.disk = recorder
        self.lane = lane
        self.taken: list[tuple[str, str]] = []
        self.core = Core(recorder, lambda _: None, self._told)
        clock = Clock(loop.time, lambda: 1_767_225_600 + loop.time())
        self.supervisor = Supervisor(clock, NobodyOnDuty(), lambda _what, **_facts: None)
        self.supervisor.attach(WIRE, lane.attachments)
        self._time = loop.time
        self._core_runs = asyncio.create_task(self.core.run())
        self.supervisor.start(self.core)

    def _told(self, event: Event, taken: Taken) -> None:
        self.taken.append((type(event).__name__, taken.step.refused))

    @property
    def table(self) -> Table:
        return self.core.table

    def arrives(self) -> None:
        """The cable is in, and the device says who it is."""
        self.lane.restore(self._time())
        self.talks()
        assert all(one.is_present for one in self.lane.attachments)

    def talks(self) -> None:
        """Until nobody has anything to say any more."""
        now = self._time()
        self.supervisor.turned(WIRE)
        while self.lane.speak(now) | self.lane.carry(now):
            self.supervisor.turned(WIRE)

    def departs(self) -> None:
        self.lane.cut(self._time())
        self.supervisor.turned(WIRE)

    async def is_missed(self) -> None:
        """It has been gone for so long that the table is to be told."""
        await asyncio.sleep(GRACE_S)
        # Time stands still; the core takes up what was posted.
        for _ in range(5):
            await asyncio.sleep(0)

    async def is_held_up(self, by: str) -> None:
        """From now on nothing that is posted is decided."""
        if by == "the disk":
            self.disk.let.clear()
        else:
            self._core_runs.cancel()
            await asyncio.wait([self._core_runs])

    async def goes_on(self) -> None:
        """Everything that was posted is decided."""
        self.disk.let.set()
        if self._core_runs.done():
            self._core_runs = asyncio.create_task(self.core.run())
        await self.core.ping()

    async def ends(self) -> None:
        self.disk.let.set()
        self._core_runs.cancel()
        await asyncio.wait([self._core_runs])
        self.supervisor.close()
        self.core.close()


def run(folder: Path, lane: Lane, script: Callable[[House], Awaitable[None]]) -> None:
    """In virtual time, and the device is there."""

    async def whole() -> None:
        data = table_part(read_file(TABLE))
        with Journal.create(folder / "J.db", data["id"]) as journal:
            house = House(SlowDisk(journal, data), lane)
            try:
                house.arrives()
                await house.goes_on()
                await script(house)
            finally:
                await house.ends()

    virtual_time.run(whole)


def of_terminal() -> Lane:
    return Lane([(driver(Terminal, 3), terminal.Terminal(seat=3))])


def of_shoe() -> Lane:
    return Lane([(driver(Shoe), shoe.Shoe(TableTop()))])


HELD_UP = pytest.mark.parametrize("by", ["the disk", "the queue"])


@HELD_UP
def test_a_device_that_comes_back_before_its_absence_is_written_down_is_back(
    tmp_path: Path, by: str
) -> None:
    async def script(at: House) -> None:
        at.departs()
        await at.is_held_up(by)
        await at.is_missed()
        assert not at.core.is_idle
        at.arrives()
        assert not at.taken
        await at.goes_on()
        assert at.taken == [("DeviceWentOffline", ""), ("DeviceCameOnline", "")]
        assert not at.table.offline

    run(tmp_path, of_terminal(), script)


def test_a_device_that_goes_again_before_its_return_is_written_down_is_gone(
    tmp_path: Path,
) -> None:
    async def script(at: House) -> None:
        at.departs()
        await at.is_missed()
        await at.goes_on()
        assert at.table.offline == ("terminal 3",)
        await at.is_held_up("the queue")
        at.arrives()
        at.departs()
        await at.is_missed()
        await at.goes_on()
        assert at.table.offline == ("terminal 3",)
        assert [one for one, _ in at.taken] == [
            "DeviceWentOffline",
            "DeviceCameOnline",
            "DeviceWentOffline",
        ]
        at.arrives()
        await at.goes_on()
        assert not at.table.offline

    run(tmp_path, of_terminal(), script)


@HELD_UP
def test_a_shoe_that_comes_back_before_its_silence_is_written_down_is_said_to_work_again(
    tmp_path: Path, by: str
) -> None:
    async def script(at: House) -> None:
        at.departs()
        await at.is_held_up(by)
        await at.is_missed()
        at.arrives()
        await at.goes_on()
        assert at.taken[:2] == [("DeviceFaulted", ""), ("DeviceRecovered", "")]
        assert [hold.where for hold in at.table.holds] == ["shoe"]

    run(tmp_path, of_shoe(), script)


OPENING = (
    events.TableOpened(at=1, by=FLOOR),
    events.DeckReceived(at=1, by=DEALER, deck="A", colour="red", design="bee"),
    events.DeckInspected(at=1, by=DEALER, deck="A"),
    events.DeckVerified(at=1, by=FLOOR, deck="A"),
    events.DeckSpread(at=1, by=DEALER, deck="A"),
    events.PlayerSat(at=1, by=DEALER, seat=3, player="ann"),
    events.DeckShown(at=1, by=DEALER, deck="A"),
    events.DeckWashed(at=1, by=DEALER, deck="A"),
    events.ShuffleCompleted(at=1, deck="A", count=52),
)


@pytest.mark.parametrize(("name", "phase"), [("blue 9", "shuffling"), ("", "betting")])
def test_cards_that_the_table_knows_nothing_of_are_held(
    tmp_path: Path, name: str, phase: str
) -> None:
    """A shoe that does not know the deck's name has the one that is due."""
    lane = of_shoe()

    async def script(at: House) -> None:
        for event in OPENING:
            await follows(at, event)
        lane.end.devices[0].tell(messages.Loaded(name, 52))
        at.talks()
        await at.goes_on()
        await at.goes_on()
        cause = f"{NOT_TAKEN}deck: 'blue 9' is not a deck of this table"
        held = [(hold.where, hold.cause) for hold in at.table.holds]
        assert held == ([("shoe", cause)] if name else [])
        assert at.table.phase == phase

    run(tmp_path, lane, script)


# --- What players see at their terminals ----------------------------------------

OF_A_SCREEN = (messages.SeatState, messages.WagerState, messages.AskDecision)
OPENS = events.TableOpened(at=1, by=FLOOR)
SITS = events.PlayerSat(at=1, by=DEALER, seat=3, player="ann")


class WithAScreen(terminal.Terminal):
    capabilities = "offers"

    def obey(self, command: messages.Command) -> Answer | None:
        return DONE if isinstance(command, OF_A_SCREEN) else super().obey(command)

    def shown(self) -> list[messages.Command]:
        found: list[messages.Command] = [one for one in self.done if isinstance(one, OF_A_SCREEN)]
        self.done.clear()
        return found


async def follows(at: House, event: Event) -> None:
    """The table takes it, and devices are told what follows, as the service does it."""
    taken = at.core.post(event)
    await at.goes_on()
    assert not (await taken).step.refused
    at.supervisor.carry_out(())
    at.talks()


def test_a_terminal_with_a_screen_is_shown_the_seat_and_then_what_changes(tmp_path: Path) -> None:
    device = WithAScreen(seat=3)

    async def script(at: House) -> None:
        first = device.shown()
        assert [type(one) for one in first] == [
            messages.SeatState, messages.WagerState, messages.WagerState, messages.AskDecision,
        ]  # fmt: skip
        await follows(at, OPENS)
        assert not device.shown()  # closed or opening: the same to a player
        await follows(at, SITS)
        (seat, *wagers) = device.shown()
        assert isinstance(seat, messages.SeatState)
        assert seat.player == "ann"
        assert {one.stands for one in wagers if isinstance(one, messages.WagerState)} == {
            "needs another wager"
        }
        at.departs()
        at.arrives()
        assert len(device.shown()) == len(first)  # whoever comes back is told all of it

    run(tmp_path, Lane([(driver(Terminal, 3), device)]), script)


def test_a_terminal_without_one_is_told_what_it_always_was(tmp_path: Path) -> None:
    device = terminal.Terminal(seat=3)

    async def script(at: House) -> None:
        await follows(at, OPENS)
        await follows(at, SITS)
        assert not device.errors  # it would not know what that is

    run(tmp_path, Lane([(driver(Terminal, 3), device)]), script)


# --- Devices that restart and say that they did not ------------------------------


def of_acceptor() -> Lane:
    return Lane([(driver(Acceptor, 3, "progressive"), acceptor.Acceptor(TableTop(), seat=3))])


def chip(at: House) -> None:
    """It tells of one, whatever the table makes of it."""
    [device] = at.lane.end.devices
    device.tell(messages.Wager("progressive", 100))
    at.talks()


async def wagers_told(at: House) -> int:
    for _ in range(8):
        await asyncio.sleep(0.5)
        at.talks()
        await at.goes_on()
    return [one.startswith("Wager") for one, _ in at.taken].count(True)


def test_a_chip_of_a_device_that_began_anew_is_no_repeat_and_people_look(tmp_path: Path) -> None:
    async def script(at: House) -> None:
        [device] = at.lane.end.devices
        chip(at)
        assert await wagers_told(at) == 1
        await asyncio.sleep(2)
        at.talks()
        device.boot -= 1
        device.restart()
        await asyncio.sleep(2)
        at.talks()
        chip(at)
        assert await wagers_told(at) == 2
        assert [hold.cause for hold in at.table.holds if "anew" in hold.cause] == [NUMBERS_ANEW]
        assert device.responder.unacknowledged == 0

    run(tmp_path, of_acceptor(), script)


def test_nor_is_it_if_another_felt_had_heard_of_those_before(tmp_path: Path) -> None:
    """All that this felt knows of it is in the journal."""

    async def script(at: House) -> None:
        at.departs()
        boot = at.lane.attachments[0].station.identity.boot  # type: ignore[union-attr]
        for n in (1, 20):
            id_ = f"acceptor-3:{boot}:{n}"
            at.core.post(events.DeviceFaulted(at=1, id=id_, device="acceptor 3", nature="door"))
        await at.goes_on()
        [device] = at.lane.end.devices
        device.boot -= 1
        device.restart()
        await asyncio.sleep(1)
        # The felt of this test has just begun: of its station nothing is remembered.
        station = at.lane.attachments[0].station
        station._boot = station._last_event = None  # type: ignore[attr-defined]
        at.arrives()
        chip(at)
        assert await wagers_told(at) == 1
        assert [hold.cause for hold in at.table.holds if "anew" in hold.cause] == [NUMBERS_ANEW]

    run(tmp_path, of_acceptor(), script)
