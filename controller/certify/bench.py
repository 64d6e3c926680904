"""A device under test: the conversation with it, and who does things at it.

What every check begins with and needs is here; the checks are in the modules beside this one.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from controller.certify.hands import PERSON_S, Hands
from controller.certify.medium import Medium
from controller.certify.talk import STILL_S, Restless, Talk, Told
from controller.certify.timing import Limit, Times
from controller.certify.verdict import Broken, Silent
from drivers.wire import messages
from drivers.wire.frame import Kind
from drivers.wire.messages import Command, Event

#: How long a device may take from its power to its first answer.
STARTS_S = 90.0
#: What is tried is shown to be true of the watchdog with this time; felt itself says 3000.
WATCHDOG_MS = 1000
USUAL_WATCHDOG_MS = 3000
METER = messages.ShowMeter("progressive", "royal flush", 12_345_678)

#: What leaves the safe state of a device of the kind, though nothing be put into it.
OPENS: dict[str, tuple[Command, ...]] = {
    "acceptor": (messages.Unlock(),),
    "terminal": (messages.Unlock(),),
    "panel": (messages.Lights("off", "on", "off"),),
    "sign": (METER,),
    "shoe": (messages.Arm(1, (5,)), messages.Dispense(1, 1, 5)),
    "shuffler": (messages.SetGame("certify"), messages.Shuffle("certify")),
}
#: What ``report`` brings, whatever else.
STATES: dict[str, tuple[type[Event], ...]] = {
    "shuffler": (messages.ShufflerState,),
    "shoe": (messages.ShoeState,),
    "panel": (messages.LightsRead,),
    "acceptor": (messages.LockState, messages.LampRead),
    "terminal": (messages.LockState,),
    "sign": (messages.Showing,),
}
LOCKS = ("acceptor", "terminal")


@dataclass(slots=True)
class Given:
    """What whoever certifies says of the device."""

    kind: str
    deck: str = "red"
    wager: str = ""
    #: SHA-256 of the program that was put into it; none if nobody says.
    firmware: bytes = b""
    random: random.Random = field(default_factory=lambda: random.Random(1))


class Bench:
    def __init__(self, talk: Talk, hands: Hands, given: Given) -> None:
        self.talk = talk
        self.hands = hands
        self.given = given
        self.watchdogs = Times(
            Limit("went_safe after the last word from felt", WATCHDOG_MS * 0.9, WATCHDOG_MS + 500)
        )

    @property
    def kind(self) -> str:
        return self.given.kind

    @property
    def medium(self) -> Medium:
        return self.talk.medium

    @property
    def random(self) -> random.Random:
        return self.given.random

    async def fresh(self) -> None:
        """A new session, nothing that waits, and a state that can be asked for."""
        talk = self.talk
        talk.holds = talk.deaf = talk.may_miss = False
        talk.log.clear()
        await talk.greet()
        # One that never has done with it is found out by the check for that.
        with contextlib.suppress(Restless):
            await talk.settle()
        await talk.command(messages.SetWatchdog(USUAL_WATCHDOG_MS))
        await self.prepare()

    async def prepare(self) -> None:
        if self.kind == "sign":
            await self.talk.command(METER)
            await self.talk.settle()

    # --- What it says ---------------------------------------------------------------

    async def told_by(self, command: Command | bytes, id_: int | None = None) -> list[Told]:
        """The events that follow a command."""
        mark = len(self.talk.told)
        await self.talk.command(command, id_)
        return await self.follows(mark)

    async def follows(self, mark: int) -> list[Told]:
        await self.talk.settle()
        return self.talk.told[mark:]

    async def state(self) -> list[Event]:
        """What it says to a report."""
        return [one.message for one in await self.told_by(messages.Report()) if one.message]

    async def nothing_follows(self, what: str, *, since: int) -> None:
        """It does nothing: no answer, and no event."""
        mark = len(self.talk.log)
        said = await self.talk.listen(STILL_S)
        if not said and self.talk.polled:
            await self.talk.settle()
        # Its watchdog may bite meanwhile: nobody has said anything that counts.
        told = [
            one for one in self.talk.told[since:] if not isinstance(one.message, messages.WentSafe)
        ]
        said = [one for one in said if one.kind is not Kind.EVENT]
        if told:
            raise Broken(f"{what}, and it told {self.name_of(told[0])}")
        if said:
            raise Broken(f"{what}, and it said {said[0].kind.name} {said[0].seq}")
        del self.talk.log[:mark]

    @staticmethod
    def name_of(told: Told) -> str:
        return messages.name(told.message) if told.message else f"event {told.raw.hex()}"

    async def tells(
        self,
        kind: type[Event],
        what: str,
        *,
        since: int,
        within: float = 15.0,
        like: Callable[[Any], object] = lambda _: True,
        about: str = "",
    ) -> Any:
        """The event of this kind, or ``Broken``."""

        def found() -> list[Event]:
            return [
                one.message
                for one in self.talk.told[since:]
                if isinstance(one.message, kind) and like(one.message)
            ]

        if not await self.talk.until(found, within):
            told = ", ".join(self.name_of(one) for one in self.talk.told[since:]) or "nothing"
            raise Broken(
                f"{what}: no such {messages.name(kind)} within {within:g} s; it told {told}", about
            )
        return found()[0]

    # --- What it is told -------------------------------------------------------------

    async def obeys(self, command: Command, *outcomes: str) -> None:
        """It answers with one of these outcomes."""
        wanted = outcomes or ("done",)
        result = await self.talk.command(command)
        if result.outcome not in wanted:
            why = f" ({result.detail})" if result.detail else ""
            raise Broken(
                f"it answers {messages.name(command)} with {result.outcome}{why}, and not with "
                f"{' or '.join(wanted)}"
            )

    async def open(self) -> None:
        """Out of its safe state, as far as a command can bring it there."""
        for command in OPENS[self.kind]:
            result = await self.talk.command(command)
            if result.outcome in ("done", "accepted"):
                break
        await self.talk.settle()

    async def is_locked(self) -> bool:
        for one in await self.state():
            if isinstance(one, messages.LockState):
                return one.locked
        raise Broken("a report does not bring its lock_state")

    # --- What is done at it ----------------------------------------------------------

    async def act(self, act: dict[str, Any], words: str) -> None:
        """Somebody does something at the device, while felt goes on talking to it."""
        doing = asyncio.create_task(self.hands.do(act, words), name="at the device")
        try:
            await self.talk.until(doing.done, PERSON_S + 10)
            await doing
        finally:
            doing.cancel()

    async def power(self, words: str = "") -> None:
        """Its power is cut and comes back; it may not be up yet."""
        said = words or "switch the device off, wait two seconds and switch it on again"
        await self.hands.do({"restart": True}, said)

    async def up(self) -> None:
        """Until it answers again."""
        end = self.talk.now + STARTS_S
        while await self.talk.greet_once(within=0.5) is None:
            if self.talk.now >= end:
                raise Silent(f"it does not answer {STARTS_S:.0f} s after its power came back")

    def shares(self, of: Sequence[Event], *kinds: type[Event]) -> list[type[Event]]:
        """The kinds that are missing among them."""
        return [kind for kind in kinds if not any(isinstance(one, kind) for one in of)]
