"""One drill that runs: the crew sets the scene, the trainee deals, and things happen as it says.

The table is a simulated one like any other, and everything is done through its own ways in. What
was right is not decided here: that is read off the table's journal when it is over.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from controller.daemon import pins
from controller.daemon.desk import Desk
from controller.daemon.service import Service
from controller.demo import bench_socket
from controller.demo.bench import Bench
from controller.demo.cast import DEALER, Cast
from controller.demo.crew import Do
from controller.demo.performer import PEOPLE_S, Performer, Stuck, people_of
from controller.demo.table import Options, SimulatedTable
from controller.library import Library
from controller.recorder import Taken
from controller.rules.faults import Refused
from controller.school import report, scene
from controller.school.drill import TRAINEE, ChipAt, Drill, FaultAt, Happens
from controller.school.moments import Trigger, is_over
from controller.table import events
from controller.table.events import Event
from controller.table.state import Table
from simulators.faults import Fault
from simulators.shoe import DISPENSE_S
from simulators.shuffler import CYCLE_S
from simulators.tabletop import Impossible
from simulators.virtual_time import VirtualTimeLoop

Stage = Literal["setting", "running", "over", "failed"]
#: Why a drill has ended.
Ended = Literal[
    "", "it is over", "the trainee has ended it", "nobody acted for a long time",
    "it took too long",
]  # fmt: skip

#: People and devices set the scene as fast as they can.
HURRY_S = 0.02
#: Within so long the scene is set, or something is wrong with the drill.
SETTING_S = 120.0
#: A trainee who does nothing for so long has gone.
IDLE_S = 600.0
LONGEST_S = 3600.0
LOOKS_S = 0.5
#: So long it is dark when the power of the table PC was cut.
DARK_S = 4.0
#: What was seen is kept: more than any drill has.
MAX_SEEN = 40


class _Dark(Exception):
    """The power of the table PC is cut."""


class Running:
    service: Service
    desk: Desk
    bench: Bench
    performer: Performer

    def __init__(
        self,
        drill: Drill,
        folder: Path,
        library: Library,
        *,
        runtime: Path | None = None,
        speed: float = 1.0,
        pin: str = "",
        starts_at: float | None = None,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """``changed`` is told when the stage, or what is seen, is another one."""
        self.drill = drill
        self.stage: Stage = "setting"
        self.ended: Ended = ""
        #: Why the scene could not be set.
        self.wrong = ""
        #: What the dealer has seen and heard, in its order.
        self.seen: list[str] = []
        self.report: dict[str, Any] | None = None
        #: Whether nobody serves the table: it has no power, or is not there yet.
        self.is_dark = True
        self._library = library
        self._speed = speed
        self._changed = changed
        options = Options(
            seed=drill.given.seed, pause=HURRY_S, broker=False, bench=True, starts_at=starts_at,
            runtime=runtime,
        )  # fmt: skip
        self.simulated = SimulatedTable(drill.data, folder, library, options)
        self.simulated.write_table_file()
        if pin:
            pins.keep(self.simulated.configuration.secrets, TRAINEE, pin)
        self._cast = Cast(range(1, drill.terms.seats + 1))
        self._players = scene.scripted(drill)
        self._triggers = [
            (one, Trigger(one.when.round, phase=one.when.phase, action=one.when.action,
                          times=one.when.times))
            for one in drill.given.happens
        ]  # fmt: skip
        over = drill.given.over
        self._over = (
            Trigger(over.round, action=over.action, times=over.times) if over.action else None
        )
        self._cut = asyncio.Event()
        self._finished = asyncio.Event()
        self._closing = False
        self._last_seq = 0
        self._acted_at = self._began_at = 0.0

    @property
    def table(self) -> Table:
        return self.service.recorder.table

    @property
    def is_due(self) -> bool:
        """Whether the players are done, and wait for the dealer."""
        left = self.performer.crew.left_to_me
        return any(isinstance(one, Do) and one.name == "lock_out" for one in left)

    async def run(self) -> None:
        """Until ``close``: when it is over, the table stands as it was left."""
        try:
            while not self._closing:
                try:
                    await self._powered()
                except* _Dark:
                    await self._dark()
        except* (Stuck, Impossible, Refused) as errors:
            self.fails(str(errors.exceptions[0]))

    def end(self, why: Ended = "the trainee has ended it") -> None:
        if self.stage not in ("setting", "running"):
            return
        self.stage, self.ended = "over", why
        if not self.is_dark:
            self.performer.goes.clear()
        self._finished.set()
        self._changed()

    def close(self) -> None:
        """The table goes."""
        self._closing = True
        self.end()
        if not self.is_dark:
            self.service.stop()

    async def reported(self) -> dict[str, Any]:
        """Once it has ended: what was right, what was not, and why."""
        await self._finished.wait()
        if self.stage == "failed":
            return {}
        if self.report is None:
            journal = self.simulated.configuration.journal
            self.report = await asyncio.to_thread(
                report.of, journal, self.drill, self._library, ended=self.ended, last=self._last_seq
            )
            self._changed()
        return self.report

    def fails(self, why: str) -> None:
        self.is_dark = True
        self.stage, self.wrong = "failed", why
        self._finished.set()
        self._changed()

    # --- The table, from power to power ---------------------------------------------

    async def _powered(self) -> None:
        simulated = self.simulated
        self._cut.clear()
        self.is_dark = False
        self.service = service = simulated.service(lambda _what, **_facts: None)
        try:
            self.desk = Desk(service, self._library)
            self.performer = simulated.performer(service, players=self._players, cast=self._cast)
            if self.stage != "setting":
                self.performer.pause = PEOPLE_S / self._speed
            self.bench = Bench(simulated, service, self.performer)
            bench_socket.serve(self.bench, service)
        except BaseException:
            service.journal.close()
            raise
        self._before = self.table
        service.listen(self._told)
        service.also("crew", self._plays)
        service.also("power", self._power)
        service.also("drill", self._watches)
        if self.stage == "setting":
            self._hurries(is_set=False)
        await service.run()

    async def _plays(self) -> None:
        await self.performer.plays(10**6)

    async def _power(self) -> None:
        await self._cut.wait()
        raise _Dark

    async def _dark(self) -> None:
        """Devices are there, and nobody speaks to them."""
        self.is_dark = True
        loop = asyncio.get_running_loop()
        if isinstance(loop, VirtualTimeLoop):
            loop.on_their_way.clear()
        for port in self.simulated.ports.values():
            port.plug_in()
            port.bytes_read = port.bytes_written = 0
        await asyncio.sleep(DARK_S)

    async def _watches(self) -> None:
        """A drill never hangs."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        while True:
            await asyncio.sleep(LOOKS_S)
            now = loop.time()
            if self.stage == "setting" and now - began > SETTING_S:
                raise Stuck(f"the scene is not set: the table is {self.table.phase}")
            if self.stage == "running" and now - self._acted_at > IDLE_S:
                self.end("nobody acted for a long time")
            if self.stage == "running" and now - self._began_at > LONGEST_S:
                self.end("it took too long")

    # --- What happens at it -----------------------------------------------------------

    def _told(self, event: Event, taken: Taken) -> None:
        before, self._before = self._before, taken.step.table
        after = taken.step.table
        if self.stage in ("setting", "running"):
            self._last_seq = taken.seq
        by = getattr(event, "by", None)
        if by is not None and by.id == TRAINEE:
            self._acted_at = asyncio.get_running_loop().time()
        if taken.step.refused:
            return
        if isinstance(event, events.LockOutPressed) and after.round == 1:
            scene.rig(self.simulated.world, self.drill.terms, after, self.drill.given.cards)
        if self.stage == "setting" and isinstance(event, events.TableOpened):
            self._seats()
        if self.stage == "setting" and after.phase == self.drill.given.begins:
            self._hands_over()
        if self.stage == "running":
            self._goes_on(before, event, after)

    def _seats(self) -> None:
        """All who play, at once: whom the crew would seat later it would leave to the trainee."""
        dealer = people_of(self.drill.terms)["dealer"]
        for one in self.drill.given.players:
            at = self.service.clock.wall_ms()
            sits = events.PlayerSat(at=at, by=dealer, seat=one.seat, player=one.name)
            self.service.core.post(sits)

    def _hands_over(self) -> None:
        """From here on the trainee deals, and everybody has time."""
        self._hurries(is_set=True)
        self._cast.play(DEALER, "me")
        self.performer.pause = PEOPLE_S / self._speed
        self._began_at = self._acted_at = asyncio.get_running_loop().time()
        self.stage = "running"
        self._changed()

    def _hurries(self, *, is_set: bool) -> None:
        world = self.simulated.world
        if world.shuffler is not None:
            world.shuffler.cycle_s = CYCLE_S if is_set else HURRY_S
        if world.shoe is not None:
            world.shoe.dispense_s = DISPENSE_S

    def _goes_on(self, before: Table, event: Event, after: Table) -> None:
        for one, trigger in self._triggers:
            if trigger.told(before, event, after):
                self._happens(one)
        if self._over is not None:
            is_over_now = self._over.told(before, event, after)
        else:
            is_over_now = is_over(after, self.drill.given.over.round)
        if is_over_now:
            self.end("it is over")

    def _happens(self, one: Happens) -> None:
        if one.says is not None:
            self.seen = [*self.seen, one.says][-MAX_SEEN:]
        if one.fault is not None:
            self._breaks(one.fault)
        if one.chip is not None:
            self._puts_in(one.chip)
        if one.face_up is not None and self.simulated.world.top.count(one.face_up):
            self.simulated.world.top.turn_up(one.face_up)
        if one.power == "devices":
            for device in self.simulated.devices:
                device.restart()
                self.simulated.stirred(device)
        elif one.power == "felt":
            self._cut.set()
        self._changed()

    def _breaks(self, given: FaultAt) -> None:
        fault = Fault(given.name, given.number, seed=self.drill.given.seed)
        if given.wire is not None:
            port = self.simulated.ports[given.wire]
            port.outward.faults.switch_on(fault)
            port.kick()
            return
        device = next(one for one in self.simulated.devices if one.name == given.device)
        device.faults.switch_on(fault)
        self.simulated.stirred(device)

    def _puts_in(self, chip: ChipAt) -> None:
        with contextlib.suppress(Impossible):
            self.performer.do(Do("chip", seat=chip.seat, cents=chip.cents))
