"""The menu of what can go wrong, with a device and on its wire.

A fault is switched on: at a moment, so many times, or with a probability and a seed. The device, or
the wire, asks at each occasion whether it strikes now.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf

MAX_ON = 32
WIRE = "wire"


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    #: The kinds of device that can have it, or the wire.
    of: tuple[str, ...]
    what: str
    #: What its number means, if it has one, and which it is if nobody says.
    number: str = ""
    usual: float = 0.0
    #: How often it strikes if nobody says: once, or at every occasion.
    times: float = 1


_ALL = ("shuffler", "shoe", "panel", "acceptor", "terminal", "sign", "other")
_ON_WIRE = (WIRE,)

MENU = {
    entry.name: entry
    for entry in (
        Entry("jam", ("shuffler", "shoe"), "cards jam in the middle of the next cycle or stack"),
        Entry("stop", ("shuffler",), "the next cycle stops in its middle"),
        Entry("wrong-count", ("shuffler",), "cards are missing when it counts", "how many", 1),
        Entry("false-count", ("shuffler",), "it says 52 whatever there is", times=inf),
        Entry("sort-mode", ("shuffler",), "somebody sets it to sort"),
        Entry("face-up", ("shoe",), "a card of the next stack lies face up"),
        Entry("wrong-stack", ("shoe",), "the next stack has other than its cards", "by", -1),
        Entry("wrong-number", ("shoe",), "the next stack is told as another", "by", 1),
        Entry("door", ("shuffler", "shoe", "acceptor"), "its door opens and will not close"),
        Entry("lamp", ("panel", "acceptor"), "its lamps stay dark", times=inf),
        Entry("late-wager", ("acceptor",), "a chip takes long from sensor to told", "seconds", 1.0),
        Entry("reset", _ALL, "it restarts after the next command, before it answers"),
        Entry("mute", _ALL, "it hears and does not answer", "for seconds", 10.0),
        Entry("clock", _ALL, "its own clock runs wrong", "times as fast", 4.0, inf),
        Entry("lost", _ON_WIRE, "writes get lost", "of 1", 0.2, inf),
        Entry("twice", _ON_WIRE, "writes arrive twice", "of 1", 0.2, inf),
        Entry("noise", _ON_WIRE, "bytes change on the way", "of 1 write", 0.1, inf),
        Entry("split", _ON_WIRE, "every byte arrives by itself", times=inf),
        Entry("merged", _ON_WIRE, "writes arrive together", "after seconds", 0.05, inf),
        Entry("slow", _ON_WIRE, "writes arrive late", "by up to seconds", 0.2, inf),
        Entry("unplug", _ON_WIRE, "the cable is out, and in again", "after seconds", 5.0),
    )
}  # fmt: skip

_SAID = re.compile(
    r"(?P<name>[a-z-]+)(=(?P<number>-?\d+(\.\d+)?))?(@(?P<at>\d+(\.\d+)?))?(%(?P<chance>\d+))?"
)


class NoFault(ValueError):
    """There is no such fault, or not with this device. Says what there is."""


class Fault:
    def __init__(
        self,
        name: str,
        number: float | None = None,
        *,
        at: float = 0.0,
        chance: float = 1.0,
        times: float | None = None,
        seed: int = 0,
    ) -> None:
        entry = MENU.get(name)
        if entry is None:
            raise NoFault(f"there is no fault {name!r}; there are: {', '.join(MENU)}")
        self.entry = entry
        self.name = name
        self.number = entry.usual if number is None else number
        self.at = at
        self.chance = chance
        #: With a probability it goes on, unless somebody says otherwise.
        self.left = times if times is not None else (entry.times if chance == 1 else inf)
        #: How often it struck.
        self.struck = 0
        self._random = random.Random(f"{name}/{seed}")

    @classmethod
    def said(cls, text: str, seed: int = 0) -> Fault:
        """From ``name[=number][@second][%chance]``: "jam", "wrong-count=2@30", "jam%20"."""
        found = _SAID.fullmatch(text)
        if found is None:
            raise NoFault(f"{text!r} is no fault: name[=number][@second][%chance in percent]")
        number, chance = found["number"], found["chance"]
        return cls(
            found["name"],
            float(number) if number else None,
            at=float(found["at"] or 0),
            chance=int(chance) / 100 if chance else 1.0,
            seed=seed,
        )

    def strikes(self, now: float) -> bool:
        if now < self.at or self.left <= 0 or self._random.random() >= self.chance:
            return False
        self.left -= 1
        self.struck += 1
        return True


class Faults:
    """What is switched on at one device or wire."""

    def __init__(self, of: str, some: Iterable[Fault] = ()) -> None:
        self.of = of
        self._on: list[Fault] = []
        for fault in some:
            self.switch_on(fault)

    def switch_on(self, fault: Fault) -> None:
        if self.of not in fault.entry.of:
            can = [name for name, entry in MENU.items() if self.of in entry.of]
            raise NoFault(f"a {self.of} has no fault {fault.name!r}; it has: {', '.join(can)}")
        if len(self._on) >= MAX_ON:
            raise NoFault(f"{MAX_ON} faults are on already")
        self._on.append(fault)

    def switch_off(self, name: str) -> None:
        self._on = [fault for fault in self._on if fault.name != name]

    @property
    def any_on(self) -> bool:
        return bool(self._on)

    def __iter__(self) -> Iterator[Fault]:
        return iter(self._on)

    def is_on(self, name: str) -> bool:
        return any(fault.name == name for fault in self._on)

    def strikes(self, name: str, now: float) -> Fault | None:
        """The fault of this name that strikes at this occasion, if one does."""
        for fault in self._on:
            if fault.name == name and fault.strikes(now):
                return fault
        return None

    def wakes_at(self, now: float) -> float:
        """When the next one that waits for its moment begins."""
        if not self._on:
            return inf
        return min((fault.at for fault in self._on if fault.at > now and fault.left), default=inf)
