"""What a station has to say to its driver, whatever is spoken on the wire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from drivers.wire import messages
from drivers.wire.handshake import Identity, Outcome

StrangeThing = Literal[
    "bad tag",
    "wrong proof",
    "old session",
    "unknown message",
    "out of turn",
    "no identity",
    "numbers anew",
]


class Identified(Struct, frozen=True):
    """The device proved who it is. ``accept`` or ``refuse`` it."""

    identity: Identity
    #: It is not the boot that was spoken to before: what it was told is forgotten.
    restarted: bool


class Heard(Struct, frozen=True):
    """An event, for the first time. ``acknowledge`` it when it is safe."""

    message: messages.Event
    seq: int
    boot: int
    #: How many events before it never arrived.
    missed: int = 0
    #: Uncovers the faces in it. Call it only to seal them at once.
    faces: Callable[[], bytes] | None = None
    #: Before that it can't have happened, on the clock that the wire runs by; None if nobody knows.
    since: float | None = None


class Answered(Struct, frozen=True):
    command: int
    message: messages.Command
    outcome: Outcome
    detail: str = ""


class Unclear(Struct, frozen=True):
    """Nobody knows whether the command was carried out. Ask the device what it did."""

    command: int
    message: messages.Command
    why: str


class NotSent(Struct, frozen=True):
    """The command was never given to the device, and will not be."""

    command: int
    message: messages.Command
    why: str


class Lost(Struct, frozen=True):
    why: str


class Strange(Struct, frozen=True):
    """Something that a device in order does not do. It changed nothing."""

    what: StrangeThing
    #: Of a wrong proof: whose key it was made with, if that is known.
    whose: str = ""


class Refused(Struct, frozen=True):
    """The station itself had to turn the device away, and asks it again from time to time."""

    why: str
    next_step: str


Notice = Identified | Heard | Answered | Unclear | NotSent | Lost | Strange | Refused
