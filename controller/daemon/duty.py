"""Who is on duty: a button on the panel does not say who pressed it, so people sign on."""

from __future__ import annotations

from controller.table.people import Person, Role

#: Signed on as nobody, an act is refused where people are listed, and recorded as nobody's.
NOBODY = "nobody"


class Duty:
    def __init__(self) -> None:
        self._on: dict[Role, Person] = {}

    def sign_on(self, person: Person) -> None:
        self._on[person.role] = person

    def sign_off(self, role: Role) -> None:
        self._on.pop(role, None)

    def acting(self, role: Role) -> Person:
        return self._on.get(role) or Person(NOBODY, role)

    def everyone(self) -> tuple[Person, ...]:
        return tuple(self._on.values())
