"""What leaves the console of a table, for each face: no page is given more than it shows."""

from __future__ import annotations

from typing import Any

import msgspec

from controller.console.messages import Face
from controller.console.table_link import TableLink
from controller.daemon.client import Answered, Unanswered
from controller.rules.faults import Refused

#: A sign hangs in the room, before everybody: of a picture it gets the meters, what was won, and
#: why there may be nothing to see. No accounts, no people, nothing that can be pressed.
ON_A_SIGN = frozenset({
    "table", "title", "jurisdiction", "rulebook", "seq", "at", "round", "phase", "street", "void",
    "meters", "wins", "link", "withheld", "wagers", "healthy",
})  # fmt: skip

_fields = msgspec.json.Decoder(dict[str, msgspec.Raw])


def table(link: TableLink, face: Face) -> dict[str, Any]:
    """The message of how a table stands: its picture, or that it is lost."""
    if link.picture is None or link.lost is not None:
        lost = link.lost
        why, step = (lost.why, lost.next_step) if lost else ("no picture yet", "wait a moment")
        return {"kind": "lost", "table": link.name, "why": why, "next_step": step}
    return {
        "kind": "picture",
        "table": link.name,
        "age_ms": link.age_ms(),
        "picture": picture(link.picture, face),
    }


def picture(whole: msgspec.Raw, face: Face) -> Any:
    if face != "sign":
        return whole
    return {name: value for name, value in _fields.decode(whole).items() if name in ON_A_SIGN}


def refused(error: Refused) -> dict[str, str]:
    """Code and words, as they are told to a page."""
    code = "refused"
    if isinstance(error, Answered):
        code = error.code
    elif isinstance(error, Unanswered):
        code = "lost"
    return {"code": code, "error": str(error)}
