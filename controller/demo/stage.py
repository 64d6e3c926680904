"""One thing that goes wrong for show, once: a device jams, and the hold stays for a while.

Whoever watches a demonstration sees what a hold is, what it stops and who ends it. The crew would
have it cleared before anybody has read it; so it looks at this one for as long as a person would.
"""

from __future__ import annotations

import asyncio

from controller.demo.board import Board
from controller.demo.performer import Performer
from controller.demo.world import World
from controller.recorder import Taken
from controller.table.events import Event
from controller.table.state import Hold, Phase
from simulators.device import Device
from simulators.faults import Fault

#: Rounds that go by before it.
AFTER_ROUNDS = 1
#: So many seconds it stays, at the pace of people.
LINGERS_S = 15.0


class Stage:
    def __init__(self, world: World, performer: Performer, board: Board, *, speed: float) -> None:
        self._performer = performer
        self._board = board
        self._lingers_s = LINGERS_S / speed
        #: The device, and the phase in which what it is asked for next goes wrong.
        self._device: Device | None = world.shoe or world.shuffler
        self._phase: Phase = "locked" if world.shoe is not None else "clearing"
        self._is_set = False
        #: The hold that was staged, and until when nobody clears it.
        self._hold: int | None = None
        self._until = 0.0
        performer.crew.leaves = self.leaves

    def told(self, _event: Event, taken: Taken) -> None:
        table, device = taken.step.table, self._device
        if device is None or self._hold is not None:
            return
        if not self._is_set:
            if table.phase == self._phase and table.round > AFTER_ROUNDS:
                self._is_set = True
                device.faults.switch_on(Fault("jam"))
            return
        for hold in table.holds:
            if hold.where == device.name:
                self._stays(hold)
                return

    def _stays(self, hold: Hold) -> None:
        loop = asyncio.get_running_loop()
        self._hold, self._until = hold.number, loop.time() + self._lingers_s
        self._board.note(f"staged for show: a {hold.clears} comes in {self._lingers_s:.0f} s")
        loop.call_later(self._lingers_s, self._performer.nudge)

    def leaves(self, hold: Hold) -> bool:
        """Whether the crew lets it stand for now."""
        return hold.number == self._hold and asyncio.get_running_loop().time() < self._until
