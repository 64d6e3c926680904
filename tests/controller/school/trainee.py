"""A trainee who reads what the table offers and what lies there, and knows no rule of any game.

What a drill wants upon something that has happened, and no prompt asks for, they report.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from controller.daemon.access import ROLES, Caller
from controller.daemon.action import Asked
from controller.rules.faults import Refused
from controller.school import lying
from controller.school.drill import TRAINEE, Wanted, has
from controller.school.running import Running
from controller.table.offer import Ask, Offer

#: Between two looks of a person at the page.
LOOKS_S = 0.1
ANSWER_S = 10.0

#: Does something else than what is offered; whether it did.
Otherwise = Callable[["Trainee", list[Offer]], Awaitable[bool]]


class Trainee:
    def __init__(self, running: Running, otherwise: Otherwise | None = None) -> None:
        self.running = running
        self.refused: list[str] = []
        #: The acts that were taken, by their names.
        self.actions: list[str] = []
        #: What is not reported, though it was seen.
        self.forgets: frozenset[str] = frozenset()
        self._otherwise = otherwise
        self._done: set[int] = set()
        self._called: set[int] = set()

    async def plays(self) -> None:
        """Until the drill has ended."""
        run = self.running
        while run.stage == "setting":  # noqa: ASYNC110 - nobody tells it
            await asyncio.sleep(LOOKS_S)
        if run.stage != "running":
            return
        await self.does("sign_on")
        self._watch()
        while run.stage == "running":
            await asyncio.sleep(LOOKS_S)
            if not run.is_dark:
                await self.acts()

    def _watch(self) -> None:
        """What happens is seen when it happens."""
        for n, one in enumerate(self.running.drill.given.happens, 1):
            if one.says is None:
                self._called.add(n)

    def _seen(self) -> set[int]:
        given = self.running.drill.given.happens
        seen = {n for n, one in enumerate(given, 1) if one.says in self.running.seen}
        return seen | self._called

    async def acts(self) -> None:
        """One thing that is wanted, or that a prompt asks for."""
        offers = self.offers()
        if self._otherwise is not None and await self._otherwise(self, offers):
            return
        for n, wanted in enumerate(self.running.drill.given.wanted):
            is_seen = bool(wanted.upon) and wanted.upon in self._seen()
            if n in self._done or not is_seen or wanted.action in self.forgets:
                continue
            offer = _which(offers, wanted)
            if offer is not None:
                self._done.add(n)
                await self.takes(offer, wanted.facts)
                return
        for offer in offers:
            if offer.group == "due" and offer.who == "dealer" and self._is_time(offer):
                fields = self.fields(offer)
                if fields is not None:
                    await self.takes(offer, fields)
                    return

    def offers(self) -> list[Offer]:
        service = self.running.service
        return list(service.on_offer.at(service.core.table).offers)

    def _is_time(self, offer: Offer) -> bool:
        """Players wager and decide; the dealer waits for them, and for what is to be told."""
        given = offer.acts[0].given
        match offer.acts[0].action:
            case "wager_placed" | "wager_taken_back" | "player_sat" | "table_closed":
                return False
            case "lock_out_pressed":
                return self.running.is_due
            case "decided":
                says = self.says(given["seat"])
                return says is not None and says == (given["choice"], given.get("amount", 0))
        return True

    def says(self, seat: int) -> tuple[str, int] | None:
        run = self.running
        one = run.table.seat(seat)
        return run.performer.crew.says(run.table, one)

    def fields(self, offer: Offer) -> dict[str, Any] | None:
        """What it asks for, as it lies there; None where it can't be seen yet."""
        found = {}
        for ask in offer.asks:
            value = self._value(ask, offer)
            if value is not None:
                found[ask.name] = value
            elif ask.required:
                return None
        return found

    def _value(self, ask: Ask, offer: Offer) -> Any:
        run = self.running
        world = run.performer.world
        if ask.shape == "cards":
            lies = lying.of(world, run.table, offer)
            return lies.cards if lies is not None else None
        if ask.shape == "count":
            return {"chips": world.chips(), "cards": world.stub(), "depth": 20}.get(ask.name)
        if not ask.required:
            return None
        if ask.choices:
            return ask.choices[0]
        return "as seen" if ask.shape in ("words", "name") else None

    # --- At the desk --------------------------------------------------------------

    async def takes(self, offer: Offer, fields: dict[str, Any]) -> None:
        known = {ask.name for ask in offer.asks}
        given = {name: value for name, value in fields.items() if name in known}
        self.actions += [deed.action for deed in offer.acts]
        await self.does("take", offer=offer.id, fields=given)

    async def does(self, action: str, **given: Any) -> None:
        caller = Caller("a test", frozenset(ROLES))
        asked = Asked(caller, given, f"{TRAINEE}:dealer")
        try:
            # Whoever presses as the power goes gets no answer.
            async with asyncio.timeout(ANSWER_S):
                await self.running.desk.actions.do(action, asked)
        except TimeoutError:
            return
        except Refused as refused:
            self.refused.append(f"{action}: {refused}")


def _which(offers: list[Offer], wanted: Wanted) -> Offer | None:
    for offer in offers:
        deed = offer.acts[0]
        asked = {ask.name for ask in offer.asks}
        known = {k: v for k, v in wanted.facts.items() if k not in asked}
        if deed.action == wanted.action and has(known, msgspec.to_builtins(deed.given)):
            return offer
    return None
