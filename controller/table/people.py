"""Who may do what: every human act carries a person and the role that the person acts in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from controller.rules.faults import Refused, listed

Role = Literal["dealer", "floorperson", "supervisor", "technician", "auditor"]

#: Whose act it is when a button is pressed and nobody is signed on.
NOBODY = "nobody"
#: A supervisor may do what a floorperson may. Nobody else stands in for anyone.
_STANDS_IN = {"floorperson": {"floorperson", "supervisor"}}


class Person(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    role: Role


def must_be_listed(people: Mapping[str, Sequence[Role]], person: Person) -> None:
    """Refuse who is not among the people of the table, or acts in a role that is not theirs."""
    if not people:
        return
    if person.id == NOBODY and NOBODY not in people:
        step = f"sign on first: felt act sign_on --as PERSON:{person.role}"
        raise Refused("by", f"nobody is signed on as {person.role}", step)
    if person.id not in people:
        raise Refused("by", f"{person.id} is not among the people of this table")
    if person.role not in people[person.id]:
        is_ = f"{person.id} is {listed(people[person.id])}"
        raise Refused("by", f"{person.id} is no {person.role} at this table", is_)


def must_be(person: Person, role: Role, act: str) -> None:
    """Refuse the act unless the person has the role, or one that may stand in for it."""
    if person.role not in _STANDS_IN.get(role, {role}):
        raise Refused("by", f"{act} is for a {role}, not for {person.id} as {person.role}")


def must_differ(one: str, other: str, act: str) -> None:
    """Refuse an act that takes two people when one does both parts."""
    if one == other:
        raise Refused("by", f"{act} takes two different people; {one} did the other part")
