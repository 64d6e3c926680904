"""What people do through a page, for WebSocket and HTTP alike: take an offer, ask a question."""

from __future__ import annotations

from typing import Any

import msgspec

from controller.console.house import House
from controller.console.messages import QUESTIONS, Ask, HttpTake, Take
from controller.console.sessions import Session
from controller.daemon.client import Answered
from controller.rules.faults import listed


async def taken(
    house: House, session: Session | None, message: Take | HttpTake, table: str = ""
) -> msgspec.Raw:
    """Take an offer at a table, as whoever is signed on; the table decides, and records it."""
    name = message.table if isinstance(message, Take) else table
    link = house.link(name)
    if session is None or session.ended:
        raise Answered("not allowed", "nobody is signed on here; sign on first")
    acting = session.acting.get(link.name)
    if acting is None:
        raise Answered("not allowed", f"{session.person} is not signed on at {link.name}")
    fields: dict[str, Any] = dict(message.fields)
    second_pin = None
    if message.second is not None:
        fields.setdefault("second", {"id": message.second.id, "role": message.second.role})
        second_pin = message.second.pin
    given = {
        "offer": message.offer,
        "fields": fields,
        "round": message.round,
        "seq": message.seq,
        "id": message.press,
    }
    return await acting.do("take", given, second_pin=second_pin)


async def asked(house: House, message: Ask) -> msgspec.Raw:
    if message.action not in QUESTIONS:
        problem = f"a page may not ask {message.action!r}; it may ask {listed(QUESTIONS)}"
        raise Answered("not allowed", problem)
    return await house.link(message.table).question(message.action, message.given)
