"""What an action is: a name, who may do it, what it is given, and how it is done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from controller.daemon.access import Caller, NotAllowed
from controller.daemon.bounds import beyond
from controller.rules.faults import Refused, listed
from controller.table.people import Person, Role


class TableRefused(Refused):
    """The table did not take it. It is recorded, with this reason."""


class NoSuch(Refused):
    """There is no such action, or it is given what it does not know."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Somebody asks for an action, through one way in."""

    caller: Caller
    given: Any
    #: "dealer-1" or "dealer-1:dealer"; needed where an action has roles.
    as_: str = ""
    pin: str | None = None
    second_pin: str | None = None


Run = Callable[[Asked, Person | None], Awaitable[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Action:
    name: str
    does: str
    #: In which roles it may be done; none: by whoever may look.
    roles: tuple[Role, ...]
    #: What it is given.
    takes: type[msgspec.Struct]
    run: Run
    #: Whether it is an act at the table: then the machine decides about the role, and records it.
    is_act: bool = False

    def schema(self) -> dict[str, Any]:
        return msgspec.json.schema(self.takes)

    def given(self, given: Any) -> msgspec.Struct:
        """What it is given, checked, or what is wrong with it."""
        if too_much := beyond(given):
            raise NoSuch(self.name, too_much, "give less")
        try:
            return msgspec.convert(given, self.takes)
        except msgspec.ValidationError as error:
            raise NoSuch(self.name, _plain(str(error)), f"it takes {self._takes()}") from None

    def _takes(self) -> str:
        fields = msgspec.structs.fields(self.takes)
        return listed(one.name if one.required else f"[{one.name}]" for one in fields)


def must_be_for(action: Action, person: Person) -> None:
    """Refuse what is not for this role; about an act at the table the machine decides."""
    if not action.is_act and person.role not in action.roles:
        who = listed(action.roles)
        raise NotAllowed("as", f"{action.name} is not for a {person.role}", who)


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """For an action that is given nothing."""


def _plain(text: str) -> str:
    """msgspec's words without its path marks."""
    return text.replace(" - at `$.", ": ").replace(" - at `$`", "").replace("`", "")
