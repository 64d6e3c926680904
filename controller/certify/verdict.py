"""What a check is, and how it ends.

A check tries one duty, or one sentence of docs/protocol.md, at a device on a bench. It returns if
the device keeps it. Otherwise it raises one of these three, in words for the maker.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from controller.certify.bench import Bench

Grade = Literal["bronze", "silver", "gold"]
GRADES: tuple[Grade, ...] = ("bronze", "silver", "gold")
Wire = Literal["line", "bus", "mqtt"]
Verdict = Literal["passed", "failed", "not tried", "not for it"]


class Broken(Exception):
    """The device does something else than the page says. What was seen.

    ``about`` is the check that it is about, where one round of things is tried for several.
    """

    def __init__(self, what: str, about: str = "") -> None:
        super().__init__(what)
        self.about = about


class NotTried(Exception):
    """It could not be tried: nobody was there to do what it takes. Why."""


class NotForIt(Exception):
    """It is not for this device. Why."""


class Silent(Broken):
    """It does not answer any more."""


Do = Callable[["Bench"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Check:
    #: That of the duty, where it tries one. Reports name it, so it stays.
    id: str
    grade: Grade
    #: The duty's sentence, or the page's.
    says: str
    do: Do
    kinds: tuple[str, ...] = ()
    wires: tuple[Wire, ...] = ()
    #: What somebody has to do at the device meanwhile: its power, or something of its own.
    hand: str = ""
    #: Seconds after which it has failed, whatever it waits for.
    within: float = 60.0
    #: It begins as the one before it has ended: it is about how anything begins at all.
    is_bare: bool = False

    def is_for(self, kind: str, wire: Wire) -> bool:
        return (not self.kinds or kind in self.kinds) and (not self.wires or wire in self.wires)


@dataclass(frozen=True, slots=True)
class Result:
    check: Check
    verdict: Verdict
    #: What was seen, or why it was not tried; nothing where it passed.
    found: str = ""
    seconds: float = 0.0
