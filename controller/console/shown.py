"""What leaves the console of a table, for each face: no page is given more than it shows."""

from __future__ import annotations

from typing import Any

import msgspec

from controller.console.messages import Face
from controller.console.table_link import TableLink
from controller.daemon.client import Answered, Unanswered
from controller.rules.faults import Refused

#: A sign hangs in the room, before everybody: of a picture it gets the meters, what was won, and
#: that there may be nothing to play for. No accounts, no people, nothing that can be pressed.
AS_IT_IS = frozenset({
    "table", "title", "jurisdiction", "rulebook", "seq", "at", "round", "phase", "street", "void",
    "meters", "meter_titles", "wins", "link", "wagers",
})  # fmt: skip
#: And, in less words than the table has for its people: which wagers are off, whether play is held.
IN_SHORT = frozenset({"withheld", "held"})
ON_A_SIGN = AS_IT_IS | IN_SHORT

_fields = msgspec.json.Decoder(dict[str, msgspec.Raw])
_some = msgspec.json.Decoder(list[msgspec.Raw])


def table(link: TableLink, face: Face) -> dict[str, Any]:
    """The message of how a table stands: its picture, or that it is lost."""
    if link.picture is None or link.lost is not None:
        lost = link.lost
        why, step = (lost.why, lost.next_step) if lost else ("no picture yet", "wait a moment")
        if face == "sign":
            why = step = ""  # they name sockets, and what is wrong with them
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
    fields = _fields.decode(whole)
    found: dict[str, Any] = {name: value for name, value in fields.items() if name in AS_IT_IS}
    found["withheld"] = list(_fields.decode(fields.get("withheld", b"{}")))
    found["held"] = bool(_some.decode(fields.get("holds", b"[]")))
    return found


def refused(error: Refused) -> dict[str, str]:
    """Code and words, as they are told to a page."""
    code = "refused"
    if isinstance(error, Answered):
        code = error.code
    elif isinstance(error, Unanswered):
        code = "lost"
    return {"code": code, "error": str(error)}
