"""Who may do what: every human act carries a person and the role that the person acts in."""

from __future__ import annotations

from typing import Literal

import msgspec

from controller.rules.faults import Refused

Role = Literal["dealer", "floorperson", "supervisor", "technician", "auditor"]

#: A supervisor may do what a floorperson may. Nobody else stands in for anyone.
_STANDS_IN = {"floorperson": {"floorperson", "supervisor"}}


class Person(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    role: Role


def must_be(person: Person, role: Role, act: str) -> None:
    """Refuse the act unless the person has the role, or one that may stand in for it."""
    if person.role not in _STANDS_IN.get(role, {role}):
        raise Refused("by", f"{act} is for a {role}, not for {person.id} as {person.role}")


def must_differ(one: str, other: str, act: str) -> None:
    """Refuse an act that takes two people when one does both parts."""
    if one == other:
        raise Refused("by", f"{act} takes two different people; {one} did the other part")
