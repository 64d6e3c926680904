"""One table's service: self-check, recovery, devices, the loop, and an orderly stop.

Nothing here decides anything about the round. It joins the journal, the machine and the wires, and
keeps going: a device that is absent is a state; a journal that can't be written ends the service,
because what is not recorded must not be acted on.
"""

from __future__ import annotations

import asyncio
import secrets as system_secrets
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from msgspec.structs import replace

from controller import draws
from controller.daemon.abuse import Watch
from controller.daemon.announcing import Announcer
from controller.daemon.blackbox import LETS_GO, BlackBox
from controller.daemon.clock import Clock, Memory
from controller.daemon.configuration import Configuration
from controller.daemon.core import Core
from controller.daemon.disk import Disk
from controller.daemon.duty import Duty
from controller.daemon.heads import Heads
from controller.daemon.on_offer import OnOffer
from controller.daemon.reveals import SEALS, UNOPENED, is_lost
from controller.daemon.sealing import Sealer
from controller.daemon.supervisor import Supervisor
from controller.daemon.timers import Timers
from controller.daemon.waypoints import Waypoints
from controller.journal.journal import Journal
from controller.journal.patrol import Patrol
from controller.library import Library
from controller.recorder import Recorder, Taken
from controller.table import events
from controller.table.clock import timers as timers_of
from controller.table.commands import Command, Dispense, RequestDraw, SetTimer
from controller.table.duty import UNSEEN
from controller.table.events import Event
from controller.table.sealed import may_be_revealed
from controller.table.state import Table
from controller.table.wagers import owed_draws
from controller.table.waits import anew
from drivers.wire import describe
from drivers.wire.broker import EmbeddedBroker
from drivers.wire.capture import Capture

#: Between two looks at the wall clock.
CLOCK_EVERY_S = 1.0
#: The patrol goes through the journal while nothing else is to do.
PATROL_EVERY_S = 1.0
#: Devices get so long to be told to rest before felt lets go of them.
QUIESCE_S = 0.5

Told = Callable[[Event, Taken], None]
Work = Callable[[], Coroutine[Any, Any, None]]


class Service:
    def __init__(
        self,
        configuration: Configuration,
        library: Library,
        *,
        sealer: Sealer,
        clock: Clock,
        said: Callable[..., None],
        below: draws.Below = system_secrets.randbelow,
    ) -> None:
        self.configuration = configuration
        self.clock = clock
        #: Steps of the clock that were posted, and are not in the table yet.
        self._stepping = 0
        self.duty = Duty(lambda: self.core.table, self._tables_time)
        self.said = said
        self.sealer = sealer
        #: Keys of rounds that are being overwritten on the disk.
        self._forgetting: set[asyncio.Future[None]] = set()
        self._below = below
        #: Names this start of felt, in the logs and in what devices are told.
        self.run_id = str(clock.wall_ms())
        self.journal = Journal.at(configuration.journal, configuration.terms.id)
        try:
            # Before anything is written: what is there is held against what is known of it.
            self.heads = Heads(configuration, self.journal, int(self.run_id))
            signs = None if self.heads.signer is None else self.heads.signer.note
            self.recorder = Recorder(self.journal, configuration.data, library, signs)
        except BaseException:
            self.journal.close()
            raise
        self.clock_memory = Memory(configuration.journal.with_name("clock.json"), clock)
        self.core = Core(self.recorder, self._act, self._told, self._decided)
        self.supervisor = Supervisor(clock, self.duty, self._said_of_a_device)
        self.disk = Disk(configuration.state, self.core, clock, said)
        self.abuse = Watch(self.supervisor, self.core, clock, said)
        wires = self.supervisor.wires
        self.announcer = Announcer(self.heads, wires, said)
        self.timers = Timers(clock, self._fired)
        self.on_offer = OnOffer(self.recorder.terms, clock)
        #: The device logs, by wire.
        self.captures: dict[str, Capture] = {}
        #: Those that felt runs itself, by wire.
        self.brokers: dict[str, EmbeddedBroker] = {}
        self.blackbox = BlackBox(self.captures, self.core.keep)
        self.waypoints = Waypoints(self.supervisor, self.core, self.journal, clock, self.captures)
        self._before = self.recorder.table
        self._listeners: list[Told] = [self.announcer.told]
        self._stop = asyncio.Event()
        #: More work that runs as long as the service: wires, sockets, pages.
        self._work: list[tuple[str, Work]] = []

    def also(self, name: str, work: Work) -> None:
        self._work.append((name, work))

    def listen(self, listener: Told) -> None:
        """Be told of every event, after it is safe and has been acted on."""
        self._listeners.append(listener)

    def opening(self, opened: events.TableOpened) -> events.TableOpened:
        """What stands at the table when it is opened is expected there from then on."""
        numbers = self.supervisor.newly_expected()
        return replace(opened, serial_numbers=numbers) if numbers else opened

    async def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Until ``stop``; or until something fails that can't be put right, with its error."""
        try:
            async with asyncio.TaskGroup() as group:
                always: list[tuple[str, Work]] = [
                    ("core", self.core.run),
                    ("clock", self._watch_clock),
                    ("patrol", self._patrol),
                    ("waypoints", self.waypoints.run),
                    ("abuse of wires", self.abuse.run),
                    ("disk", self.disk.run),
                    ("heads", self.heads.keep_on_disk),
                    ("announced heads", self.announcer.run),
                ]
                tasks = [
                    group.create_task(work(), name=f"felt {name}")
                    for name, work in (*always, *self._work)
                ]
                self.heads.hold_if_disputed(self.core)
                if jump := self.clock_memory.stepped_meanwhile():
                    self._clock_stepped(jump)
                self.clock_memory.keep()
                self.supervisor.start(self.core)
                self._resume()
                ready()
                await self._stop.wait()
                await self._wind_down()
                for task in tasks:
                    task.cancel()
        finally:
            self.supervisor.close()
            self.timers.close()
            self.core.close()
            self.journal.close()
            self.heads.close()
            # A felt that has ended writes nothing more.
            if self._forgetting:
                await asyncio.wait(self._forgetting)

    def stop(self) -> None:
        self._stop.set()

    # --- What the machine asked for ---------------------------------------------

    def _act(self, commands: Sequence[Command]) -> None:
        for command in commands:
            match command:
                case SetTimer(timer=name, at=at):
                    self.timers.set(name, at)
                case RequestDraw():
                    self.core.post(draws.answered(command, self.clock.wall_ms(), self._below))
        self.supervisor.carry_out(commands)

    def _decided(self, taken: Taken) -> None:
        self.blackbox.decided(taken, self.clock.running())

    def _said_of_a_device(self, what: str, **facts: Any) -> None:
        if what == "device arrived":
            device = str(facts["device"])
            identity = self.supervisor.attachments[device].station.identity
            if identity is not None:
                self.blackbox.arrived(device, describe.identity(identity), self.clock.running())
        self.said(what, **facts)

    def _told(self, event: Event, taken: Taken) -> None:
        before, self._before = self._before, taken.step.table
        if self.sealer.is_used and not may_be_revealed(taken.step.table):
            self._forget_faces()
        self.blackbox.told(before, event, taken, self.clock.running())
        for listener in self._listeners:
            listener(event, taken)

    def _forget_faces(self) -> None:
        """The last card of the round is open: what else was dealt in it, felt can't open now."""
        self.sealer.forget()

        def kept(done: asyncio.Future[None]) -> None:
            self._forgetting.discard(done)
            if not done.cancelled() and (error := done.exception()) is not None:
                why = f"the key of the last round is still on the disk: {error}"
                self.said("seals", why=why, next_step="look at the disk")

        # Not in the journal's thread, whose turn may be a press.
        keeping = asyncio.get_running_loop().run_in_executor(None, self.sealer.keep)
        self._forgetting.add(keeping)
        keeping.add_done_callback(kept)

    def _fired(self, timer: str) -> None:
        self.core.post(events.TimerFired(at=self.clock.wall_ms(), timer=timer))

    def _resume(self) -> None:
        """What the last event before a stop or a crash asked for, and may not have happened.

        Devices are brought to where the table stands when they arrive. A dispense is never
        repeated: the shoe is asked.
        """
        # Draws may have been asked for before the last event: the table says which have not come.
        elsewhere = Dispense | RequestDraw
        owed = [one for one in self.recorder.owed if not isinstance(one, elsewhere)]
        table, terms = self.recorder.table, self.recorder.terms
        self._act((*owed, *owed_draws(terms, table)))
        now = self._tables_time()
        self._act(tuple(anew(one, now) for one in timers_of(terms, table, now)))
        self._who_is_there(table)
        if not may_be_revealed(table):
            self._forget_faces()
        elif is_lost(table, self.sealer.open):
            at = self.clock.wall_ms()
            self.core.post(events.DeviceFaulted(at=at, device=SEALS, nature=UNOPENED))

    def _who_is_there(self, table: Table) -> None:
        """People are on duty over a restart, but not over an absence in which others may come."""
        at = self.clock.wall_ms()
        if abs(self._tables_time() - table.at) < UNSEEN:
            return
        for role, one in table.on_duty.items():
            reason = f"felt was away; sign on again, {one.person}"
            self.core.post(events.DutyLapsed(at=at, role=role, reason=reason))

    def kept_elsewhere(self, where: str, payload: bytes) -> bool:
        """A broker has kept a head of this table; whether a newer one may take its place."""
        return self.heads.elsewhere(payload, where, self.core, self.clock.wall_ms())

    # --- Beside the loop --------------------------------------------------------

    async def _watch_clock(self) -> None:
        while True:
            await asyncio.sleep(CLOCK_EVERY_S)
            was_mad = self.clock.is_mad
            if jump := self.clock.stepped():
                self._clock_stepped(jump)
                self.clock_memory.keep()

            if self.clock.is_mad and not was_mad:
                step = "set the clock of the PC; felt goes on by the time that has passed"
                self.said("the clock shows a year that can't be", next_step=step)

    def _clock_stepped(self, jump: int) -> None:
        self.said("clock stepped", milliseconds=jump)
        self._stepping += jump

        def decided(_: Taken) -> None:
            self._stepping -= jump

        at = self.clock.wall_ms()
        self.core.post(events.ClockStepped(at=at, milliseconds=jump), decided)
        self.timers.clock_stepped()

    def _tables_time(self) -> int:
        """Now, as the table has it, which may not know yet that the clock was set."""
        return self.clock.wall_ms() - self._stepping

    async def _patrol(self) -> None:
        patrol = Patrol(self.journal)
        while True:
            await asyncio.sleep(PATROL_EVERY_S)
            await asyncio.to_thread(patrol.step)

    async def _wind_down(self) -> None:
        """Let devices go to rest. What they say and is not taken any more, they keep."""
        if not any(one.is_present for one in self.supervisor.attachments.values()):
            return
        self.blackbox.mark(LETS_GO, self.clock.running())
        self.supervisor.quiesce()
        await asyncio.sleep(QUIESCE_S)
