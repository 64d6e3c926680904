"""What a driver is: it knows one kind of device, and holds no rules.

A driver translates. What a device says becomes events of the table, and the table's commands become
what the device is told. It never decides that play may go on, keeps no clock and does no I/O: the
bytes are the wire's business, and when to do what is the attachment's.

    open > identify > configure > run > quiesce > close

``identify`` is the last step that may turn a device away. After it, absence and garbage are states
that are said with an age and a reason, and never errors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple

from msgspec import UNSET, UnsetType

from controller.table.commands import Command
from controller.table.events import Event
from controller.table.people import Person
from drivers.wire import handshake, messages
from drivers.wire.handshake import Identity, Outcome

Status = Literal["absent", "connecting", "identifying", "ready", "degraded", "faulted"]

#: Opens nothing: takes the faces a shoe has read, and gives what only the reveal can open.
Seal = Callable[[bytes], str]


@dataclass(frozen=True, slots=True)
class Health:
    """How a device stands. ``since`` is in seconds on the clock that the wire runs by."""

    status: Status
    since: float
    reason: str = ""
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the table's configuration says of one device."""

    #: Its name at the table: "shoe", "acceptor 3".
    name: str
    seat: int | None = None
    #: The wager that an acceptor takes.
    wager: str = ""
    #: The serial number that the table file names; nothing if it names none. Whether the device has
    #: it is looked after by the attachment: another may have been accepted in its place.
    serial_number: str = ""
    #: SHA-256 digests, in hex, of the firmware that is approved for play.
    firmware: tuple[str, ...] = ()
    #: How long the device may hear nothing before it goes to its safe state.
    watchdog_ms: int = 3000
    #: What only this kind of device has.
    options: Mapping[str, str | int | bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Told:
    """Something for the device."""

    message: messages.Command
    #: Before anything else that waits: a lock-out.
    urgent: bool = False
    #: So many seconds it may take; after that it must not be done any more.
    within: float = 2.0


@dataclass(frozen=True, slots=True)
class BadgeSeen:
    """A badge was held to the device. Whose it is, and what that person may, the table decides.

    The number is a secret as a PIN is: it is in no log and no record.
    """

    number: str = field(repr=False)


class Moment(NamedTuple):
    """When something was heard, and who was on duty: a button does not say who pressed it."""

    #: Milliseconds since 1970, by the clock of the table PC.
    at: int
    #: Under this id the event is taken once.
    id: str
    dealer: Person
    floorperson: Person
    #: The same moment on the clock that only runs, in milliseconds; None where none is read.
    runs: int | None = None
    #: For how long, in milliseconds, it may have been kept before it was heard; None if nobody
    #: knows. Not set for what came at once.
    kept: int | UnsetType | None = UNSET


class Driver(ABC):
    #: What the device must call itself. One that felt does not know is brought by the driver: the
    #: device is of the kind "other" then, and says this word of itself.
    kind: ClassVar[str]
    #: The commands that it does something about, if it says so: it is asked about no others. A
    #: driver that says nothing is asked about all.
    hears: ClassVar[frozenset[type[Command]] | None] = None
    #: What a table file may say under this device's options, each with what it means: another is
    #: refused. None: the driver looks at its options itself.
    known_options: ClassVar[Mapping[str, str] | None] = None

    def __init__(self, settings: Settings, seal: Seal) -> None:
        self.settings = settings
        self.seal = seal

    # --- identify -------------------------------------------------------------

    def unfit(self, identity: Identity) -> str:
        """Why this device can't be used here; nothing if it can."""
        if (kind := handshake.kind_of(identity)) != self.kind:
            return f"it is a {kind}, not a {self.kind}"
        if self.settings.firmware and identity.firmware.hex() not in self.settings.firmware:
            return f"its firmware {identity.firmware.hex()[:16]} is not on the list"
        return ""

    # --- configure ------------------------------------------------------------

    def configure(self) -> Sequence[Told]:
        """What it is told before it may run, each time that it has come (back)."""
        return (
            Told(messages.SetWatchdog(self.settings.watchdog_ms)),
            Told(messages.Report()),
        )

    # --- run ------------------------------------------------------------------

    @abstractmethod
    def heard(
        self, message: messages.Event, moment: Moment, faces: Callable[[], bytes] | None = None
    ) -> Sequence[Event | BadgeSeen]:
        """What the device said, as events of the table; none if the table need not know.

        ``faces`` uncovers what came covered: the cards that a shoe read, the number of a badge.
        """

    def missed(self, count: int) -> None:
        """So many of its events are lost; whoever waits for one of them should wait no longer."""
        return

    @abstractmethod
    def told(self, command: Command) -> Sequence[Told]:
        """A command of the table, if it is for this device."""

    def answered(
        self, message: messages.Command, outcome: Outcome, detail: str, moment: Moment
    ) -> Sequence[Event]:
        """What became of something it was told. A lock that is done is a lock confirmed."""
        return ()

    def unclear(self, message: messages.Command, moment: Moment) -> Sequence[Event]:
        """Nobody knows whether the device did it, and it can't be told again."""
        return ()

    def asks(self) -> Sequence[Told]:
        """What it is asked or told because of what it just said or answered; mostly nothing."""
        return ()

    # --- quiesce --------------------------------------------------------------

    def quiesce(self) -> Sequence[Told]:
        """What it is told before felt lets go of it."""
        return (Told(messages.Quiesce(), within=1.0),)
