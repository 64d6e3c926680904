"""Somebody who has taken a place at a simulated table and acts from a page, for tests.

They do what is left to them, by the actions of the desk, and never touch a card: what is done with
the cards goes with what they say, or hands follow the prompts.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from controller.daemon.access import ROLES, Caller
from controller.daemon.action import Asked
from controller.daemon.acts import tag
from controller.daemon.desk import Desk
from controller.daemon.service import Service
from controller.demo.bench import Bench
from controller.demo.bench_acts import BenchActs
from controller.demo.crew import Act, Do, Say, is_handwork
from controller.demo.performer import people_of
from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.library import Library
from controller.rules.faults import Refused
from controller.table import events
from simulators import virtual_time

STARTS_AT = 1_767_225_600.0
#: Between two looks of a person at the page.
LOOKS_S = 0.1


class Somebody:
    def __init__(self, show: Show, service: Service) -> None:
        self.show = show
        self.service = service
        self.desk = Desk(service, Library())
        self.caller = Caller("a test", frozenset(ROLES), keeps_secrets=True)
        self.people = people_of(service.recorder.terms)
        #: What they said, and what of it was refused.
        self.said: list[str] = []
        self.refused: list[str] = []
        self._seen: list[Act] | None = None

    @property
    def bench(self) -> Bench:
        assert self.show.bench is not None
        return self.show.bench

    async def does(self, name: str, /, **given: Any) -> None:
        """Something at the bench."""
        await BenchActs(self.bench).do({"do": name, **given}, Asked(self.caller, {}))

    async def plays(self) -> None:
        """Whatever is left to them, for as long as it lasts."""
        while True:
            await asyncio.sleep(LOOKS_S)
            left = self.bench.performer.crew.left_to_me
            if left is self._seen or not left:
                continue
            self._seen = left
            for act in left:
                if await self._says(act):
                    break

    async def _says(self, act: Act) -> bool:
        if isinstance(act, Do):
            if is_handwork(act):
                return False
            kind = {"lock_out": events.LockOutPressed, "deal": events.DealPressed}[act.name]
            act = Say(kind, "dealer")
        person = self.people[act.role or "dealer"]
        facts = dict(act.facts)
        # Where the shoe has read them, the cards are filled in; otherwise they lie there.
        for field in {"card", "cards"} & set(facts):
            if not isinstance(facts[field], int):
                facts[field] = " ".join(one["cards"] for one in self.bench.state()["to_key_in"])
        asked = Asked(self.caller, facts, f"{person.id}:{person.role}")
        try:
            await self.desk.actions.do(tag(act.kind), asked)
        except Refused as refused:
            self.refused.append(f"{tag(act.kind)}: {refused}")
        self.said.append(tag(act.kind))
        return True


#: Does things at the table while it is played.
Meanwhile = Callable[[Somebody], Awaitable[None]]


def show_of(folder: Path, data: dict[str, Any], rounds: int, seed: int = 1) -> Show:
    options = Options(seed=seed, pause=0.25, broker=False, starts_at=STARTS_AT)
    return Show(data, folder, Library(), options, rounds=rounds, view=View(io.StringIO()))


def played_with(
    folder: Path, data: dict[str, Any], meanwhile: Meanwhile, *, rounds: int, seed: int = 1
) -> tuple[Show, Somebody]:
    """In virtual time; ends when the rounds are over."""
    show = show_of(folder, data, rounds, seed)
    show.simulated.write_table_file()  # what a daemon with a desk checks at its start
    found: list[Somebody] = []

    def prepared(service: Service) -> None:
        me = Somebody(show, service)
        found.append(me)

        async def run() -> None:
            await meanwhile(me)

        service.also("somebody", run)

    show.prepared = prepared
    virtual_time.run(show.run)
    return show, found[0]
