"""To take what the table offers: the acts of an offer, done in their order, or none of it.

Who presses saw the table as it stood a moment ago. So what they press must be offered now, in the
same round: an offer's id names exactly it. What has gone by is refused as stale, on record, and
nothing happens. A press that is sent again, because its answer was lost, is done once.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from dataclasses import replace
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from controller.daemon import views
from controller.daemon.access import ROLES, Access
from controller.daemon.action import Action, Asked, TableRefused, must_be_for
from controller.daemon.acts import Acts
from controller.daemon.seen import Stale, must_be_seen_now
from controller.daemon.service import Service
from controller.rules.faults import Refused
from controller.table.filled import filled
from controller.table.offer import Deed, Offer
from controller.table.offering import stands_in
from controller.table.people import Person, Role
from controller.table.repeats import was_taken

#: Presses whose answers are kept for whoever asks again.
PRESSES_KEPT = 64


class Offers(msgspec.Struct, forbid_unknown_fields=True):
    #: Only what is offered to this role.
    role: Role | None = None


class Take(msgspec.Struct, forbid_unknown_fields=True):
    offer: Annotated[str, Meta(min_length=1, max_length=64)]
    #: What the offer asks for, by name.
    fields: dict[str, Any] = {}
    #: The round that was seen; left out, it is the one that is played.
    round: Annotated[int, Meta(ge=0)] | None = None
    #: The last entry that was seen, for whoever is told that it was long ago.
    seq: Annotated[int, Meta(ge=0)] | None = None
    #: Names the press; the same is taken once. Its acts have numbers after it.
    id: Annotated[str, Meta(min_length=1, max_length=36)] | None = None


class Taking:
    def __init__(self, service: Service, access: Access, acts: Acts) -> None:
        self._service = service
        self._access = access
        self._acts = acts
        #: By person and press: what was pressed, and what comes of it.
        self._presses: OrderedDict[tuple[str, str], tuple[str, asyncio.Task[dict[str, Any]]]] = (
            OrderedDict()
        )

    def all(self) -> list[Action]:
        return [
            Action("offers", "What can be done now, by whom.", (), Offers, self._offers),
            Action("take", "Do what is offered.", ROLES, Take, self._take, is_act=True),
        ]

    async def _offers(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        found = self._service.on_offer.at(self._service.core.table)
        role = asked.given.role
        some = [one for one in found.offers if role is None or stands_in(role, one.who)]
        return {
            "seq": self._service.core.seq,
            "round": self._service.core.table.round,
            "phase": self._service.core.table.phase,
            "prompts": views.with_offers(found),
            "offers": msgspec.to_builtins(some),
        }

    # --- Presses ----------------------------------------------------------------

    async def _take(self, asked: Asked, person: Person | None) -> dict[str, Any]:
        """All of it is done though nobody waits for the answer any more."""
        assert person is not None
        press: str | None = asked.given.id
        if press is None:
            return await asyncio.shield(self._begun(asked, person))
        key, what = (person.id, press), _digest(asked.given, person)
        known, task = self._presses.get(key, ("", None))
        if task is not None and known == what:
            return {**await asyncio.shield(task), "repeated": True}
        try:
            self._must_be_free(press, what, known)
        except Refused as refused:
            await self._access.refused(asked.caller, person.id, "take", refused)
            raise
        task = self._begun(asked, person)
        self._presses[key] = (what, task)
        while len(self._presses) > PRESSES_KEPT:
            self._presses.popitem(last=False)
        try:
            return await asyncio.shield(task)
        except Refused:
            # Under the same name it may be tried again: with a PIN, or with other fields.
            self._presses.pop(key, None)
            raise

    def _begun(self, asked: Asked, person: Person) -> asyncio.Task[dict[str, Any]]:
        task = asyncio.create_task(self._pressed(asked, person), name="felt take")
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    async def _pressed(self, asked: Asked, person: Person) -> dict[str, Any]:
        given: Take = asked.given
        offer = self._offered(given)
        try:
            if offer is None:
                if (before := self._taken_before(given, person)) is not None:
                    return before
                raise self._stale(given)
            deeds = filled(offer, given.fields)
        except Refused as refused:
            await self._access.refused(asked.caller, person.id, "take", refused)
            raise
        return await self._all_of(offer, deeds, asked, person)

    async def _all_of(
        self, offer: Offer, deeds: tuple[Deed, ...], asked: Asked, person: Person
    ) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for n, deed in enumerate(deeds):
            try:
                result = await self._act(deed, n, asked, person)
            except TableRefused as refused:
                if len(deeds) == 1:
                    raise
                # What was done stands: each is an event of its own.
                at = f"{offer.title}: {n} of {len(deeds)} were done; {deed.action} was refused"
                raise TableRefused("", f"{at}: {refused}") from None
        return {**result, "done": len(deeds), "prompts": views.asked(self._service)}

    async def _act(self, deed: Deed, n: int, asked: Asked, person: Person) -> dict[str, Any]:
        action = self._acts.known[deed.action]
        try:
            must_be_for(action, person)
        except Refused as refused:
            await self._access.refused(asked.caller, person.id, deed.action, refused)
            raise
        facts = {**deed.given}
        if asked.given.id is not None:
            facts["id"] = _numbered(asked.given, n, person)
        one = replace(asked, given=action.given(facts))
        return await self._acts.happened(deed.action, one, person)

    def _must_be_free(self, press: str, what: str, known: str) -> None:
        """A press is one thing, by one person: under its name nothing else is done."""
        taken = (one.removesuffix("/0").rpartition(".") for one in self._service.core.table.ids)
        if known or any(of.endswith(f"/{press}") and one != what for of, _, one in taken):
            problem = f"{press} was taken for another press"
            raise Refused("id", problem, "give each press an id of its own")

    # --- What is offered --------------------------------------------------------

    def _offered(self, given: Take) -> Offer | None:
        table = self._service.recorder.table
        try:
            must_be_seen_now(self._service, given.round, given.seq)
        except Stale:
            return None
        found = self._service.on_offer.at(table)
        return next((one for one in found.offers if one.id == given.offer), None)

    def _taken_before(self, given: Take, person: Person) -> dict[str, Any] | None:
        """A press from before felt was restarted, or of which the answer was forgotten."""
        if given.id is None:
            return None
        table, done = self._service.core.table, 0
        while any(was_taken(table, one) for one in _ids(given, done, person)):
            done += 1
        if not done:
            return None
        return {
            "seq": self._service.core.seq,
            "phase": table.phase,
            "round": table.round,
            "repeated": True,
            "done": done,
            "prompts": views.asked(self._service),
        }

    def _stale(self, given: Take) -> Stale:
        table, seq = self._service.core.table, self._service.core.seq
        was = f", seen at entry {given.seq}" if given.seq is not None else ""
        was = f"{was} in round {given.round}" if given.round is not None else was
        now = f"the table is at entry {seq}, round {table.round}, {table.phase}"
        step = "look at the table, and press what is offered there"
        return Stale("offer", f"{given.offer}{was}, is not offered now: {now}", step)


def _digest(given: Take, person: Person) -> str:
    """Of what is pressed: the offer, what was filled in, and by whom."""
    pressed = msgspec.json.encode([person.id, given.offer, given.fields], order="sorted")
    return hashlib.blake2b(pressed, digest_size=4).hexdigest()


def _numbered(given: Take, n: int, person: Person) -> str:
    return f"{given.id}.{_digest(given, person)}/{n}"


def _ids(given: Take, n: int, person: Person) -> tuple[str, str]:
    """As ``Acts`` names an act, and what is keyed in."""
    own = _numbered(given, n, person)
    return f"act/{own}", f"key/{person.id[:18]}/{own}"
