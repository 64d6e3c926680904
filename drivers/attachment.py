"""One device at the table: its driver, its place on a wire, and how it stands.

The attachment walks a device through the contract: it turns the wrong one away, configures the
right one, has the table's commands carried out, and hands on what the device said with an id under
which it counts once. No I/O and no clock: the owner of the wire calls ``turn`` when something may
have happened, makes what comes out durable, and then says so.
"""

from __future__ import annotations

import binascii
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from controller.table.commands import Command
from controller.table.events import DeviceFaulted, Event
from drivers import memory
from drivers.contract import BadgeSeen, Driver, Health, Moment, Status, Told
from drivers.pace import Pace
from drivers.telling import not_its_own
from drivers.wire import handshake, messages
from drivers.wire.handshake import PROTOCOL, Identity
from drivers.wire.line import Correspondent
from drivers.wire.notices import (
    Answered,
    Heard,
    Identified,
    Lost,
    NotSent,
    Refused,
    Strange,
    Unclear,
)
from drivers.wire.station import NEWER, OLDER, is_told_anew

#: Makes the moment of an event: now, by whoever is on duty, under this id.
MakeMoment = Callable[[str], Moment]


#: Seconds within which an event comes that nothing keeps back: an answer shows every second that
#: nothing waits at a device, and a frame that was lost is sent again.
AT_ONCE_S = 2.0


class Happened(msgspec.Struct, frozen=True):
    """What the table must know. Make it durable, then call ``durable``."""

    events: tuple[Event, ...]
    #: The boot and the number of the device's event, if there is one to acknowledge.
    boot: int = 0
    seq: int = 0
    #: A badge that was read, and when: whoever knows whose it is says so to the table.
    badge: tuple[BadgeSeen, Moment] | None = None


class Known(msgspec.Struct, frozen=True):
    """It is known what became of something that the device was told; call ``by``.

    After all that came before it, so that what went wrong is on its way to the table first.
    """

    by: Callable[[], None]


class Arrived(msgspec.Struct, frozen=True):
    """The device is there, proved who it is, and was told its configuration."""

    identity: Identity
    restarted: bool


class Departed(msgspec.Struct, frozen=True):
    why: str


class TurnedAway(msgspec.Struct, frozen=True):
    """A device answered that can't be used here."""

    why: str
    next_step: str


class Exchanged(TurnedAway, frozen=True):
    """It is in order, and another one than the one that belongs here."""

    number: str
    expected: str


Outcome = Happened | Known | Arrived | Departed | TurnedAway


class Attachment:
    def __init__(
        self,
        driver: Driver,
        station: Correspondent,
        *,
        bench_key: bool = False,
        run: str = "",
    ) -> None:
        """``run`` names this start of felt: no id of an earlier one is used again."""
        #: The serial number that belongs here now; nothing where any may come.
        self.expected: Callable[[], str] = lambda: driver.settings.serial_number
        self.driver = driver
        self.station = station
        self.name = driver.settings.name
        #: What a device in order does not do, by what it was.
        self.strange: Counter[str] = Counter()
        #: How much it may tell; and the event that waits for its acknowledgement until then.
        self.pace = Pace()
        self._unacknowledged: tuple[int, int] | None = None
        self._slug = self.name.replace(" ", "-")
        self._bench_key = bench_key
        self._run = run
        self._wire: Health | None = None
        self._away = ("", "")
        self._faults: dict[str, str] = {}
        self._health = Health("absent", 0.0, "not connected yet")
        self._told = 0
        #: Who waits to know what became of something that the device was told, by its number.
        self._awaited: dict[int, Callable[[], None]] = {}
        #: The table's id of what it was last told.
        self._carried_out = ""
        #: The boot that was met first, and up to which number it had kept events for others.
        self._kept: tuple[int, int] | None = None

    # --- Health ---------------------------------------------------------------

    @property
    def is_present(self) -> bool:
        return self.station.stage == "ready"

    def can(self, word: str) -> bool:
        """Whether the device that is there says so of itself."""
        identity = self.station.identity
        return self.is_present and identity is not None and word in identity.capabilities.split()

    def health(self, now: float) -> Health:
        """How the device stands; ``since`` changes when the status or its reason does."""
        status, reason, next_step = self._standing()
        if (status, reason) != (self._health.status, self._health.reason):
            self._health = Health(status, now, reason, next_step)
        return self._health

    @property
    def last_health(self) -> Health:
        """As it was when somebody last asked."""
        return self._health

    def wire_is(self, trouble: Health | None) -> bool:
        """What is wrong with the wire itself; nothing if it is open. True if that is news."""
        if trouble is self._wire or trouble == self._wire:
            return False
        self._wire = trouble
        return True

    def has_news(self, trouble: Health | None) -> bool:
        """Whether anything has happened to it since the last turn; ``trouble`` as above."""
        # Asked of all on a bus whenever one of them has spoken.
        is_news = trouble is not self._wire and self.wire_is(trouble)
        return is_news or bool(self.station.pending)

    def _standing(self) -> tuple[Status, str, str]:
        if self._wire is not None:
            return self._wire.status, self._wire.reason, self._wire.next_step
        why, next_step = self._away
        match self.station.stage:
            case "silent":
                return "connecting", *self._silent()
            case "refused":
                return "faulted", why, next_step
            case "identified":
                return "identifying", "", ""
        if self._faults:
            said = "; ".join(
                f"{nature}: {d}" if d else nature for nature, d in self._faults.items()
            )
            return "faulted", said, "put it right at the device, then clear the hold"
        return self._ready()

    def _silent(self) -> tuple[str, str]:
        place, elsewhere = self.station.place, self.station.elsewhere
        if not place:
            return "it does not answer", "check its power and its cable"
        why = f"it does not answer at {place}"
        if elsewhere is None:
            return why, "check its power, its cable and its address"
        step = "give it the address that it has here: that of its seat, or its place on the wire"
        return f"{why}; a device answers at address {elsewhere}", step

    def _ready(self) -> tuple[Status, str, str]:
        if self.pace.muted_until is not None:
            return "faulted", FLOODS, FLOODS_STEP
        identity = self.station.identity
        if identity is not None and "unproven" in identity.capabilities.split():
            return "degraded", "it can't prove who it is", "keep its cabinet locked and sealed"
        if self._bench_key:
            return "degraded", "it runs with the bench key", "give it a key of its own"
        if not self.driver.settings.firmware:
            return "degraded", "no firmware is on its list", "list the digest that was approved"
        return "ready", "", ""

    # --- For a replay ---------------------------------------------------------

    def memory(self) -> dict[str, Any]:
        """What it and its driver remember, besides the station; or ``memory.Unmemorable``."""
        return {
            "faults": self._faults,
            "told": self._told,
            "kept": self._kept,
            "away": self._away,
            "pace": self.pace.memory(),
            "unacknowledged": self._unacknowledged,
            "driver": memory.of(self.driver),
        }

    def recall(self, remembered: dict[str, Any]) -> None:
        """Go on from there; ``memory.Unmemorable`` if it is no memory of a device."""
        try:
            self._faults = {str(key): str(value) for key, value in remembered["faults"].items()}
            self._told = int(remembered["told"])
            kept, (why, next_step) = remembered["kept"], remembered["away"]
            self._kept = None if kept is None else (int(kept[0]), int(kept[1]))
            self._away = (str(why), str(next_step))
            if "pace" in remembered:
                self.pace.recall(remembered["pace"])
            if waits := remembered.get("unacknowledged"):
                self._unacknowledged = (int(waits[0]), int(waits[1]))
            memory.give(self.driver, remembered["driver"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise memory.Unmemorable(f"{self.name}: {error!r}") from None

    # --- To the device --------------------------------------------------------

    def hears(self, command: type[Command], seat: int | None) -> bool:
        """Whether such a command can be for this device at all."""
        mine, heard = self.driver.settings.seat, self.driver.hears
        elsewhere = mine is not None and seat is not None and seat != mine
        return not elsewhere and (heard is None or command in heard)

    def carry_out(self, command: Command, now: float) -> bool:
        """Have a command of the table carried out. False if it is not for this device."""
        told = self.driver.told(command)
        for place, one in enumerate(told):
            self._send(one, self._number(command, place), now)
        self._carried_out = command.id if told else ""
        return bool(told)

    def _number(self, command: Command, place: int = 0) -> int:
        """From the table's own id: after a restart of felt the device knows it again."""
        return binascii.crc32(f"{self._slug}/{command.id}/{place}".encode())

    def when_known(self, command: Command, known: Callable[[], None]) -> None:
        """Call this when it is known what became of the command that was carried out last.

        At once, if it was not for this device.
        """
        if self._carried_out == command.id:
            self._awaited[self._number(command)] = known
        else:
            known()

    def repeat(self, command: Command, now: float) -> None:
        """Bring the device to where the table has it: under ids of their own, so that it acts."""
        self._tell(self.driver.told(command), now)

    def tell(self, told: Told, now: float, known: Callable[[], None]) -> None:
        """Something that follows from what the device just said.

        ``known`` is called when it is known what became of it; never, if felt ends before that.
        """
        (number,) = self._tell((told,), now)
        self._awaited[number] = known

    def quiesce(self, now: float) -> None:
        if self.is_present:
            self._tell(self.driver.quiesce(), now)

    def _tell(self, told: Sequence[Told], now: float) -> list[int]:
        """Something that the table did not order: it has an id that was never used."""
        boot = self.station.identity.boot if self.station.identity else 0
        numbers = []
        for one in told:
            self._told += 1
            used = f"{self._slug}/{boot}/{self._run or now}/{self._told}"
            numbers.append(binascii.crc32(used.encode()))
            self._send(one, numbers[-1], now)
        return numbers

    def _send(self, told: Told, number: int, now: float) -> None:
        self.station.send(number, told.message, deadline=now + told.within, urgent=told.urgent)

    # --- From the device ------------------------------------------------------

    def turn(self, now: float, moment: MakeMoment) -> list[Outcome]:
        """What has happened since the last turn."""
        outcomes: list[Outcome] = []
        for notice in self.station.notices():
            match notice:
                case Identified():
                    outcomes.append(self._identified(notice, now))
                case Heard():
                    outcomes.append(self._heard(notice, moment, now))
                    if asked := self.driver.asks():
                        self._tell(asked, now)
                case Answered(command, message, outcome, detail):
                    made = moment(f"{self._slug}:c{command:x}")
                    followed = self.driver.answered(message, outcome, detail, made)
                    outcomes += self._follows(followed, made)
                    self._known(command, outcomes)
                    if asked := self.driver.asks():
                        self._tell(asked, now)
                case Unclear(command, message) | NotSent(command, message):
                    made = moment(f"{self._slug}:u{command:x}")
                    outcomes += self._follows(self.driver.unclear(message, made), made)
                    self._known(command, outcomes)
                case Lost(why):
                    outcomes.append(Departed(why))
                case Refused(why, next_step):
                    outcomes.append(self._turn_away(why, next_step))
                case Strange(what, whose):
                    self.strange[what] += 1
                    if what == "wrong proof":
                        outcomes.append(self._turn_away(*self._wrong_key(whose)))
                    elif what == "numbers anew":
                        outcomes += self._numbered_anew(moment(f"{self._slug}:n{now * 1000:.0f}"))
        return outcomes

    def _wrong_key(self, whose: str) -> tuple[str, str]:
        if not whose:
            return "it does not have the key", _KEY
        why, place = f"it has the key of {whose}", self.station.place
        if not place:
            return why, f"it is to be {whose}: give it that name; or load the key that belongs here"
        step = f"it is {whose}: give it the address of that, or plug it in there; or load the key"
        return f"{why}, and answers at {place}", f"{step} that belongs here"

    def _known(self, command: int, outcomes: list[Outcome]) -> None:
        if (by := self._awaited.pop(command, None)) is not None:
            outcomes.append(Known(by))

    def durable(self, happened: Happened) -> None:
        """The events are in the journal: the device may forget them.

        One that is muted hears so when its pause is over, and tells nothing more before.
        """
        if not happened.seq:
            return
        if self.pace.muted_until is not None:
            self._unacknowledged = (happened.boot, happened.seq)
        else:
            self.station.acknowledge(happened.boot, happened.seq)

    def listens_again(self, now: float) -> bool:
        """Acknowledge what waits for that, if its pause is over; whether it is."""
        if not self.pace.listens(now):
            return False
        if (waits := self._unacknowledged) is not None:
            self._unacknowledged = None
            self.station.acknowledge(*waits)
        return True

    def _identified(self, notice: Identified, now: float) -> Arrived | TurnedAway:
        """Who it is comes last: of a device that is of no use here nobody asks which one it is."""
        identity = notice.identity
        if identity.protocol != PROTOCOL:
            self.station.refuse(now)
            why = f"it speaks protocol {identity.protocol}, felt speaks {PROTOCOL}"
            return self._turn_away(why, NEWER if identity.protocol > PROTOCOL else OLDER)
        if why := self.driver.unfit(identity):
            self.station.refuse(now)
            return self._turn_away(why, _next_step(why))
        expected = self.expected()
        if expected and identity.serial_number != expected:
            self.station.refuse(now)
            why = f"its serial number is {identity.serial_number}, not {expected}"
            self._turn_away(why, EXCHANGED_STEP)
            return Exchanged(why, EXCHANGED_STEP, identity.serial_number, expected)
        self._away = ("", "")
        self._faults.clear()
        if self._kept is None:
            self._kept = (identity.boot, handshake.kept(identity))
        self.station.accept(now)
        self._tell(self.driver.configure(), now)
        return Arrived(identity, notice.restarted)

    def _turn_away(self, why: str, next_step: str) -> TurnedAway:
        self._away = (why, next_step)
        return TurnedAway(why, next_step)

    def _heard(self, notice: Heard, moment: MakeMoment, now: float) -> Happened:
        self.pace.tells(now)
        match notice.message:
            case messages.Fault(nature, detail):
                self._faults[nature] = detail
            case messages.FaultCleared(nature):
                self._faults.pop(nature, None)
        made = moment(f"{self._slug}:{notice.boot}:{notice.seq}")
        made = made._replace(runs=round(now * 1000), kept=self._kept_for(notice, now))
        events: list[Event] = []
        badge: BadgeSeen | None = None
        if notice.missed:
            self.driver.missed(notice.missed)
        if not self._is_outdated(notice):
            for one in self.driver.heard(notice.message, made, notice.faces):
                if isinstance(one, BadgeSeen):
                    badge = one
                else:
                    events.append(self._its_own(one, made))
        if notice.missed:
            said = f"{notice.missed} of its events never arrived"
            events.append(DeviceFaulted(at=made.at, device=self.name, nature=said))
        if made.kept is not UNSET:
            events = [replace(event, kept=made.kept) for event in events]
        return Happened(
            tuple(_distinct(events, made.id)),
            notice.boot,
            notice.seq,
            None if badge is None else (badge, made._replace(id=_numbered(made.id, len(events)))),
        )

    def _its_own(self, event: Event, made: Moment) -> Event:
        settings = self.driver.settings
        if why := not_its_own(self.driver.kind, settings, made, event):
            return DeviceFaulted(at=made.at, device=self.name, nature=why)
        return event

    def _follows(self, events: Sequence[Event], made: Moment) -> list[Outcome]:
        return _happened([self._its_own(one, made) for one in events], made.id)

    def _numbered_anew(self, made: Moment) -> list[Outcome]:
        """A restart that its boot did not tell of: what it had to say before may be lost."""
        return _happened(
            [DeviceFaulted(at=made.at, device=self.name, nature=NUMBERS_ANEW)], made.id
        )

    def told_again(self, happened: Happened, last: int) -> bool:
        """Whether it told again what the table had, up to this number of its boot.

        If not, it is another event under an old number: nothing of it is taken, and it is greeted
        again, to tell it under a boot of its own.
        """
        identity = self.station.identity
        kept = 0 if identity is None else handshake.kept(identity)
        return happened.seq == last or not is_told_anew(happened.seq, last, kept)

    def _kept_for(self, notice: Heard, now: float) -> int | UnsetType | None:
        """For how long it may have been kept, if that is longer than the wire's own pace."""
        if notice.since is None or self.is_kept(notice):
            return None
        age = now - notice.since
        return round(age * 1000) if age > AT_ONCE_S else UNSET

    def _is_outdated(self, notice: Heard) -> bool:
        """It says how it stood before what it was ordered since: when another felt asked, or
        before it restarted.

        What happened is news however old it is. How it stands now it is asked anew.
        """
        if not isinstance(notice.message, messages.STANDINGS):
            return False
        identity = self.station.identity
        return self.is_kept(notice) or (identity is not None and identity.boot != notice.boot)

    def is_kept(self, said: Heard | Happened) -> bool:
        """Whether the device had kept it for a felt that ended before it could take it."""
        if self._kept is None:
            return False
        boot, last = self._kept
        return said.boot == boot and said.seq <= last


#: Of a device that tells more than anybody could do at it.
FLOODS = "it floods the table: it tells more than may be, and is not listened to for a while"
FLOODS_STEP = "look at the device: replace it if it does not stop"
#: What is held against a device that restarted under the boot that it had.
NUMBERS_ANEW = (
    "it numbers its events anew under the same boot: it restarted, and may have forgotten what it "
    "took; count what is inside against the record"
)
#: Of a device that has the key and not the number that belongs here.
EXCHANGED_STEP = (
    "plug in the one that belongs here; or a technician and a floorperson accept this one together"
)
_KEY = "give felt and the device the same key, or look for a box in between"


def _next_step(why: str) -> str:
    if "firmware" in why:
        return "load approved firmware, or have this one approved and listed"
    return "plug the right device into this port"


def _happened(events: Sequence[Event], id_: str) -> list[Outcome]:
    return [Happened(tuple(_distinct(events, id_)))] if events else []


def _distinct(events: Sequence[Event], id_: str) -> Iterator[Event]:
    """Events that come of one message share its id, and each must count."""
    for place, event in enumerate(events):
        yield replace(event, id=_numbered(id_, place))


def _numbered(id_: str, place: int) -> str:
    return id_ if place == 0 else f"{id_}.{place}"
