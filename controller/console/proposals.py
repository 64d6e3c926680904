"""Acts for two whose second person is at a screen of their own: asked for here, agreed to there.

The first says what is to be done, and nothing is done. It shows on the pages of the second person
alone, who agrees with their PIN, and then it is taken as the first would have taken it with both
at one screen. What nobody agrees to in time is forgotten; nothing of it has come to the table.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from controller.console.messages import Agree, Propose, Withdraw
from controller.console.sessions import Session, place_of
from controller.console.table_link import Said
from controller.daemon.client import Answered

#: Proposals that wait, of all people together, and for how long.
MAX_WAITING = 16
LASTS_S = 180.0


@dataclass(frozen=True)
class Proposal:
    id: str
    first: Session
    message: Propose
    began: float


class Proposals:
    def __init__(self, clock: Callable[[], float], said: Said) -> None:
        self._clock = clock
        self._said = said
        self._waiting: dict[str, Proposal] = {}

    def propose(self, session: Session | None, message: Propose) -> dict[str, Any]:
        if session is None or session.ended:
            raise Answered("not allowed", "nobody is signed on here; sign on first")
        if message.table not in session.acting:
            raise Answered("not allowed", f"{session.person} is not signed on at {message.table}")
        if message.second.id == session.person:
            raise Answered("refused", "an act for two takes two different people")
        self._forget()
        if len(self._waiting) >= MAX_WAITING:
            raise Answered("busy", f"{MAX_WAITING} acts wait for a second person; finish one")
        one = Proposal(secrets.token_urlsafe(9), session, message, self._clock())
        self._waiting[one.id] = one
        return {"proposal": one.id}

    async def agree(self, session: Session | None, message: Agree) -> msgspec.Raw:
        """Take it, as its first person, proved by the second one's PIN."""
        one = self._of(session, message.proposal)
        first, second, asked = one.first, one.message.second, one.message
        if session is None or not _is_second(session, one):
            raise Answered("not allowed", f"it is for {second.id} as {second.role} to agree to")
        fields = {**asked.fields, "second": {"id": second.id, "role": second.role}}
        given = {
            "offer": asked.offer,
            "fields": fields,
            "round": asked.round,
            "seq": asked.seq,
            "id": asked.press,
        }
        result = await first.acting[asked.table].do(
            "take", given, second_pin=message.pin, place=place_of(session.address)
        )
        self._waiting.pop(one.id, None)
        return result

    def withdraw(self, session: Session | None, message: Withdraw) -> None:
        """Either of the two does not want it."""
        one = self._of(session, message.proposal)
        del self._waiting[one.id]
        who = session.person if session is not None else ""
        self._said("act for two refused", by=who, table=one.message.table, offer=one.message.offer)

    def shown(self, session: Session | None) -> list[dict[str, Any]]:
        """Those that are asked of somebody, and those that they have asked for."""
        self._forget()
        if session is None:
            return []
        return [
            {
                "id": one.id,
                "table": one.message.table,
                "offer": one.message.offer,
                "fields": one.message.fields,
                "first": {"id": one.first.person, "role": one.first.role},
                "second": {"id": one.message.second.id, "role": one.message.second.role},
                "mine": one.first is session,
                "since_s": round(self._clock() - one.began),
            }
            for one in self._waiting.values()
            if one.first is session or _is_second(session, one)
        ]

    def _of(self, session: Session | None, id_: str) -> Proposal:
        self._forget()
        one = self._waiting.get(id_)
        if one is None:
            raise Answered("stale", "it is not asked for any more")
        if session is None or not (one.first is session or _is_second(session, one)):
            raise Answered("not allowed", "it is asked of somebody else")
        return one

    def _forget(self) -> None:
        """What is too old, and what its first person can't do any more."""
        now = self._clock()
        self._waiting = {
            id_: one
            for id_, one in self._waiting.items()
            if now - one.began < LASTS_S
            and not one.first.ended
            and one.message.table in one.first.acting
        }


def _is_second(session: Session, one: Proposal) -> bool:
    second = one.message.second
    return (session.person, session.role) == (second.id, second.role)
