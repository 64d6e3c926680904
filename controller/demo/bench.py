"""The bench of a simulated table: all of its hardware under one's hands, and everybody's place.

What is done here is done to the devices and with the cards, as somebody standing at the table would
do it; the table learns of it by its wires. What people say to the table they say elsewhere.
"""

from __future__ import annotations

from typing import Any

from controller.daemon.service import Service
from controller.demo import bench_state
from controller.demo.cast import By, seat_part
from controller.demo.performer import PEOPLE_S, Performer
from controller.demo.table import SimulatedTable
from controller.demo.tablets import Tablets
from controller.rules.faults import Refused, listed
from controller.table.state import Seat, Table
from controller.table.terms import Terms
from simulators.device import Device
from simulators.port import PtyPort
from simulators.terminal import Terminal


class Bench:
    def __init__(self, simulated: SimulatedTable, service: Service, performer: Performer) -> None:
        self.simulated = simulated
        self.service = service
        self.performer = performer
        self.world = performer.world
        self.cast = performer.cast
        #: Where people sign on by pages: the PINs of a demonstration, which are no secret.
        self.pins: dict[str, str] = {}
        self.tablets = Tablets(simulated)
        service.also("tablets", self.tablets.run)
        self._devices = {device.name: device for device in simulated.devices}

    @property
    def terms(self) -> Terms:
        return self.service.recorder.terms

    @property
    def table(self) -> Table:
        return self.service.core.table

    def state(self) -> dict[str, Any]:
        """All of it. No clock is in it, so that it is the same while nothing happens."""
        table, performer = self.table, self.performer
        health = self.service.supervisor.health()
        left = tuple(performer.crew.left_to_me)
        work = list(bench_state.handwork(self.world, left))
        if performer.stack_lies:
            work.insert(0, {"do": "take_stack", "with": {}, "title": "Take the stack out"})
        return {
            "table": self.terms.id,
            "phase": table.phase,
            "round": table.round,
            "method": table.method,
            "goes": performer.goes.is_set(),
            "speed": round(PEOPLE_S / performer.pause, 2),
            "stuck": performer.stuck,
            "hands_follow": self.cast.hands_follow,
            "cast": dict(self.cast.by),
            "people": bench_state.people(self.terms, self.pins),
            "awaited": bench_state.awaited(performer, left),
            "handwork": work,
            "to_key_in": list(bench_state.to_key_in(self.world, table, left)),
            "chips_to_count": self.world.chips(),
            "devices": [
                bench_state.device(self.simulated, one, health.get(one.name), self._at_tablet(one))
                for one in self._devices.values()
            ],
            "wires": bench_state.wires(self.simulated),
            "seats": [
                {
                    **bench_state.seat(self.terms, table, one, performer, performer.crew),
                    "tablet": bench_state.tablet(self.tablets.at(one.number)),
                }
                for one in table.seats
            ],
            "top": bench_state.top(table, performer),
        }

    def _at_tablet(self, device: Device) -> Seat | None:
        """The seat whose terminal is a tablet now, in place of this device."""
        seat = device.seat if isinstance(device, Terminal) else 0
        return self.table.seat(seat) if seat and self.tablets.has(seat) else None

    # --- Who plays whom ---------------------------------------------------------

    def play(self, who: str, by: By) -> None:
        self.cast.play(who, by)
        if by == "simulated":
            for seat in self.world.terminals:
                if seat_part(seat) == who:
                    self.tablets.take_back(seat)
            self.performer.given_back(who)
        self.performer.nudge()

    # --- What is where ----------------------------------------------------------

    def device(self, name: str) -> Device:
        if name not in self._devices:
            raise Refused("device", f"there is no {name!r} at this table", listed(self._devices))
        return self._devices[name]

    def wire(self, name: str) -> PtyPort:
        if name not in self.simulated.ports:
            wires = listed(self.simulated.ports)
            raise Refused("wire", f"there is no wire {name!r} at this table", wires)
        return self.simulated.ports[name]

    def stirred(self, device: Device) -> None:
        """Something was done at it."""
        self.simulated.stirred(device)
        self.performer.nudge()
