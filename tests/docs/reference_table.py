"""A whole table with the reference devices in the place of the simulated ones.

The daemon is felt's own, on real ptys and in real time. The crew of the demonstration plays the
people: what they do with cards and chips they do at these devices, and what a device says about
cards is held against those that lie on the table top.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controller.daemon import secrets
from controller.daemon.assembly import assembled
from controller.daemon.clock import Clock
from controller.daemon.configuration import Configuration, configured
from controller.daemon.service import Service
from controller.demo.cast import Cast
from controller.demo.crew import Crew, Do
from controller.demo.performer import Performer
from controller.demo.players import Player
from controller.demo.world import World
from controller.library import Library
from controller.table import events
from controller.table.state import Table
from controller.tables import read_file, table_part, terms_of
from drivers.wire.keys import KEY_BYTES, NONCE_BYTES
from simulators.device import Device
from simulators.panel import Panel
from simulators.shoe import Shoe
from simulators.shuffler import Shuffler
from simulators.tabletop import SHOE, SHUFFLER, TRAY, TableTop
from tests.docs import reference
from tests.docs.reference import KINDS, ROOT, Program

SEATS = 3
SEED = 2


@dataclass(slots=True)
class Hands(World):
    """Whoever stands at the table, with their hands at programs.

    The simulated devices that a world has are only the places where cards lie; nobody speaks to
    them.
    """

    programs: dict[str, Program] = field(default_factory=dict)
    _told: tuple[str, str] = ("", "")

    def chips(self) -> int:
        rolled = [one for one in self.programs["acceptor"].heard() if one.endswith("to the dealer")]
        return len(rolled) - self._put_away

    def do(self, act: Do) -> Device | None:
        match act:
            case Do("press", name=button) if button != "green":
                self.programs["panel"].act("press", button)
            case Do("chip", seat=seat, cents=cents):
                self.programs["acceptor"].act(seat, "wager", cents)
            case Do("press" | "give back"):
                pass
            case _:
                self._cards(act)
                self.look()
        return None

    def stack_came(self, table: Table, event: events.StackDispensed) -> Device | None:
        """The cards are where the shoe says: what it says of the others inside must fit."""
        self.top.move(SHOE, TRAY, event.cards)
        World.stack_came(self, table, event)
        self.programs["shoe"].act("take")
        return None

    def look(self) -> None:
        """What has been put into a device or taken out of one."""
        shuffler, shoe = self.top.deck_at(SHUFFLER), self.top.deck_at(SHOE)
        before = self._told
        self._told = (shuffler, shoe)
        if shuffler != before[0]:
            put = ("put", self.top.count(SHUFFLER)) if shuffler else ("take",)
            self.programs["shuffler"].act(*put)
        if shoe != before[1]:
            put = ("load", self.top.count(SHOE)) if shoe else ("stub",)
            self.programs["shoe"].act(*put)


class ReferenceTable:
    def __init__(self, folder: Path, *, pause: float = 0.0) -> None:
        self.folder = folder
        self._library = Library()
        self._pause = pause
        self._secrets = folder / "secrets"
        self._secrets.mkdir(mode=0o700)
        for name in (secrets.FACES, *self._names()):
            file = self._secrets / f"{secrets.slug(name)}.key"
            file.write_text(os.urandom(KEY_BYTES).hex(), encoding="ascii")
        secrets.make_key(self._secrets, secrets.HEADS)
        seats = tuple(range(1, SEATS + 1))
        self.programs = {
            kind: Program(
                kind,
                folder,
                addresses=seats if kind == "acceptor" else (1,),
                bus=kind == "acceptor",
                key=self._secrets / ("acceptor-%.key" if kind == "acceptor" else f"{kind}.key"),
            )
            for kind in KINDS
        }
        self.configuration = self._configured()
        self.terms = terms_of(table_part(self.configuration.data), self._library)
        top = TableTop()
        panel, shuffler, shoe = Panel(), Shuffler(top), Shoe(top)
        chance = random.Random(SEED)
        self.world = Hands(top, chance, panel, shuffler, shoe, programs=self.programs)

    @staticmethod
    def _names() -> list[str]:
        return ["shoe", "shuffler", "panel", *(f"acceptor {seat}" for seat in range(1, SEATS + 1))]

    def _configured(self) -> Configuration:
        data: dict[str, Any] = dict(read_file(ROOT / "config" / "tables" / "pa-639a.toml"))
        options = {**data["options"], "seats": SEATS}
        # Nothing that is wagered on a terminal.
        data["options"] = {k: v for k, v in options.items() if not k.startswith("five_card")}
        data["service"] = {
            "state": str(self.folder / "state"),
            "runtime": str(self.folder / "run"),
            "secrets": str(self._secrets),
        }
        data["wires"] = {
            kind: {
                "serial": str(one.port),
                "devices": [name for name in self._names() if name.startswith(kind)],
            }
            for kind, one in self.programs.items()
        }
        data["approved"] = {kind: [reference.digest(kind).hex()] for kind in KINDS}
        return configured(data, self._library, self.folder / "table.toml")

    def service(self) -> Service:
        loop = asyncio.get_running_loop()
        draws = random.Random(SEED)
        return assembled(
            self.configuration,
            self._library,
            said=lambda _what, **_facts: None,
            clock=Clock(loop.time),
            below=draws.randrange,
            random=os.urandom,
            make_nonce=lambda: os.urandom(NONCE_BYTES),
            jitter=lambda least, most: least,
        )

    def performer(self, service: Service) -> Performer:
        seats = range(1, SEATS + 1)
        players = {seat: Player(seat, random.Random(f"player {seat}/{SEED}")) for seat in seats}
        crew = Crew(self.terms, players, self.world, Cast(seats))
        stirred: Callable[[Device], None] = lambda _device: None  # noqa: E731
        return Performer(service, crew, self.world, stirred, pause=self._pause, cast=Cast(seats))

    def end(self) -> None:
        for one in self.programs.values():
            one.end()
