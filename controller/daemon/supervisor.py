"""Every device of the table, watched: what they say goes to the core, what it orders goes to them.

An absent device is a state. While it is absent the table is told, and when it comes back it is
brought to where the table has it: what is safe to repeat is repeated (locks, lamps, displays), and
what is not (a dispense) is asked about.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Literal, Protocol

from msgspec import UNSET, UnsetType

from controller.daemon.clock import Clock
from controller.daemon.core import Core
from controller.daemon.duty import Duty
from controller.daemon.foreseen import held_for, is_offline
from controller.daemon.standing import standing_orders
from controller.daemon.unbelieved import unbelieved
from controller.recorder import Taken
from controller.table import at_terminal, belonging, events, returns
from controller.table.commands import Command, RequestRefused, StartShuffle
from controller.table.dealing import is_on_its_way
from controller.table.decks import DECK_OF_CARDS
from controller.table.offers import devices as serving
from controller.table.repeats import last_told, was_taken
from controller.table.state import Table
from drivers.acceptor import Acceptor
from drivers.attachment import (
    Arrived,
    Attachment,
    Departed,
    Exchanged,
    Happened,
    Known,
    TurnedAway,
)
from drivers.contract import BadgeSeen, Health, Moment

#: A device may be gone for so long before the table is told: cables are kicked and seated again.
GRACE_S = 2.0
#: After the start devices are given longer, because they start too.
GRACE_AT_START_S = 5.0

#: What a terminal says of itself that has a screen for what its player may do.
OFFERS = "offers"
#: A device that holds cards: when it falls silent that is a fault, and not only an absence.
HOLDS_CARDS = ("shuffler", "shoe")
#: What is held against a device that is not there, and over when it is.
NOTHING_HEARD, TURNED_AWAY = "nothing is heard of it", "turned away: "
OF_AN_ABSENCE = (NOTHING_HEARD, TURNED_AWAY)


#: A device, the badge that was held to it, when, and what to call when that is on record.
ReadBadge = Callable[[str, BadgeSeen, Moment, Callable[[], None]], None]


class Wire(Protocol):
    """What carries some devices: a serial port or the connection to a broker."""

    def kick(self) -> None: ...
    def trouble(self) -> Health | None: ...
    async def run(self) -> None: ...


class Supervisor:
    def __init__(self, clock: Clock, duty: Duty, said: Callable[..., None]) -> None:
        self._clock = clock
        self._duty = duty
        #: Tells the log: a word for what happened, and the facts.
        self._said = said
        self._core: Core | None = None
        self.attachments: dict[str, Attachment] = {}
        self._wires: dict[str, Wire] = {}
        self._on_wire: dict[str, list[Attachment]] = {}
        #: The wire that a device is on, by its name.
        self._wire_of: dict[str, str] = {}
        #: Who hears a kind of command, for a seat or for none, and on which wire.
        self._hearing: dict[tuple[type[Command], int | None], list[tuple[str, Attachment]]] = {}
        #: Knows whose a badge is; where nobody does, badges are nothing.
        self.read_badge: ReadBadge | None = None
        #: The table as the screens of the terminals have it.
        self._seen: Table | None = None
        self._missing: dict[str, asyncio.TimerHandle] = {}
        #: Those that flood, and when they are listened to again.
        self._muted: dict[str, asyncio.TimerHandle] = {}
        #: Those that have come (back) and must say how they stand before they are told anything:
        #: a shuffler may have finished what it was ordered, and would do it all over again.
        self._to_say: set[str] = set()
        #: The stack that the felt before this one had ordered and not heard of, with its round.
        self._left: tuple[int, int] | None = None

    def attach(self, wire: str, attachments: Iterable[Attachment]) -> None:
        """Devices on a wire; the wire itself is given by ``carry``."""
        self._on_wire[wire] = list(attachments)
        self._hearing.clear()
        self.attachments.update({one.name: one for one in self._on_wire[wire]})
        self._wire_of.update({one.name: wire for one in self._on_wire[wire]})
        for one in self._on_wire[wire]:
            one.expected = partial(self._expected, one)

    def carry(self, wire: str, carrier: Wire) -> None:
        self._wires[wire] = carrier

    def wires(self) -> Iterable[Wire]:
        return self._wires.values()

    def wire_of(self, device: str) -> str:
        return self._wire_of[device]

    def wire(self, name: str) -> Wire:
        return self._wires[name]

    def on_wire(self, name: str) -> list[Attachment]:
        return self._on_wire[name]

    @property
    def is_settled(self) -> bool:
        """Nobody is being missed, or must still say how it stands."""
        return not (self._missing or self._to_say or self._muted)

    def start(self, core: Core) -> None:
        """The core runs: from now on devices are missed."""
        self._core, self._seen = core, core.table
        # One that is there was asked by this felt: a replay begins in the middle of its run.
        shoes = [one for one in self.attachments.values() if one.driver.kind == "shoe"]
        if not any(one.is_present for one in shoes):
            self._left = _awaited(core.table)
        self._give_back(core)
        for attachment in self.attachments.values():
            self._miss(attachment, GRACE_AT_START_S)

    def _give_back(self, core: Core) -> None:
        """What the felt before this one ordered back, and may not have told.

        It waits for the acceptor before anything else, the lock included: locked, the chip rolls
        to the dealer.
        """
        table, now = core.table, self._clock.running()
        # One that is there already was told by this felt: a replay begins in the middle of its run.
        away = {name: one for name, one in self.attachments.items() if not one.is_present}
        for order in returns.to_repeat(table):
            for attachment in away.values():
                attachment.repeat(order, now)
        # Each once: none of them is a hold yet when the next one is judged.
        for name, cents in dict.fromkeys(
            (f"acceptor {one.seat}", one.cents) for one in returns.in_doubt(table)
        ):
            if name in away:
                said = f"nobody knows whether it gave back {cents} cents before felt was restarted"
                self._hold(name, said)

    def close(self) -> None:
        for handle in (*self._missing.values(), *self._muted.values()):
            handle.cancel()
        self._missing.clear()
        self._muted.clear()

    # --- From the core to the devices -------------------------------------------

    def carry_out(self, commands: Iterable[Command]) -> None:
        now = self._clock.running()
        told: dict[str, None] = {}
        for command in commands:
            for wire, attachment in self._hearers(command):
                if attachment.carry_out(command, now):
                    told[wire] = None
        for attachment in self._screens_follow(now):
            told[self._wire_of[attachment.name]] = None
        for wire in told:
            if wire in self._wires:
                self._wires[wire].kick()

    def _screens_follow(self, now: float) -> Iterator[Attachment]:
        """What players see at their terminals is as the table has it, after each decision."""
        core = self._core
        if core is None or core.table is self._seen:
            return
        before, self._seen = self._seen or core.table, core.table
        for attachment, seat in self._screens():
            news = list(at_terminal.changes(core.recorder.terms, before, core.table, seat))
            for order in news:
                attachment.repeat(order, now)
            if news:
                yield attachment

    def _screens(self) -> Iterator[tuple[Attachment, int]]:
        """The terminals that show their player what may be wagered and decided."""
        for attachment in self.attachments.values():
            settings = attachment.driver.settings
            if settings.seat is not None and attachment.can(OFFERS):
                yield attachment, settings.seat

    def _hearers(self, command: Command) -> list[tuple[str, Attachment]]:
        kind, seat = type(command), getattr(command, "seat", None)
        found = self._hearing.get((kind, seat))
        if found is None:
            found = self._hearing[kind, seat] = [
                (wire, one)
                for wire, attachments in self._on_wire.items()
                for one in attachments
                if one.hears(kind, seat)
            ]
        return found

    def quiesce(self) -> None:
        """felt lets go of the devices: each goes to its safe state."""
        now = self._clock.running()
        for attachment in self.attachments.values():
            attachment.quiesce(now)
        for wire in self._wires.values():
            wire.kick()

    def health(self) -> dict[str, Health]:
        now = self._clock.running()
        return {name: one.health(now) for name, one in self.attachments.items()}

    # --- From the devices to the core -------------------------------------------

    def turned(self, wire: str) -> None:
        """Something may have happened on a wire."""
        if self._core is None:
            return
        now = self._clock.running()
        carrier = self._wires.get(wire)
        trouble = carrier.trouble() if carrier else None
        for attachment in self._on_wire[wire]:
            # Most often only one of many on a bus has said anything.
            if not attachment.has_news(trouble):
                continue
            outcomes = attachment.turn(now, self._moment)
            for outcome in outcomes:
                self._follow(attachment, outcome)
            self._listens_later(attachment, now)
            self._say_health(attachment, now)
        if carrier:
            carrier.kick()

    def _listens_later(self, attachment: Attachment, now: float) -> None:
        """One that floods is muted: all others on its wire go on, and its own commands too."""
        until, name = attachment.pace.muted_until, attachment.name
        if until is not None and name not in self._muted:
            loop = asyncio.get_running_loop()
            # Of a pause that ended in between, the timer only finds out.
            self._muted[name] = loop.call_later(until - now, self._listens_again, attachment)

    def _listens_again(self, attachment: Attachment) -> None:
        self._muted.pop(attachment.name, None)
        now = self._clock.running()
        if attachment.listens_again(now):
            self._say_health(attachment, now)
            self._kick(attachment)
        else:
            self._listens_later(attachment, now)

    def _say_health(self, attachment: Attachment, now: float) -> None:
        before, after = attachment.last_health, attachment.health(now)
        if after is not before:
            self._said(
                "device is",
                device=attachment.name,
                status=after.status,
                reason=after.reason,
                next_step=after.next_step,
            )

    def _moment(self, id_: str) -> Moment:
        return Moment(
            self._clock.wall_ms(),
            id_,
            self._duty.acting("dealer"),
            self._duty.acting("floorperson"),
        )

    def _follow(
        self,
        attachment: Attachment,
        outcome: Happened | Known | Arrived | Departed | TurnedAway,
    ) -> None:
        match outcome:
            case Happened():
                self._happened(attachment, outcome)
            case Known(by):
                by()
            case Arrived(identity, restarted):
                self._said(
                    "device arrived",
                    device=attachment.name,
                    model=identity.model,
                    serial_number=identity.serial_number,
                    firmware=identity.firmware.hex(),
                    boot=identity.boot,
                    restarted=restarted,
                )
                self._arrived(attachment)
            case Departed(why):
                self._said("device departed", device=attachment.name, why=why)
                self._other_is_gone(attachment)
                self._miss(attachment, GRACE_S)
            case Exchanged(why, next_step, number, expected):
                self._said(
                    "device exchanged",
                    device=attachment.name,
                    serial_number=number,
                    expected=expected,
                    next_step=next_step,
                )
                self._exchanged(attachment, number, expected)
            case TurnedAway(why, next_step):
                self._said(
                    "device turned away", device=attachment.name, why=why, next_step=next_step
                )
                self._hold(attachment.name, f"{TURNED_AWAY}{why}")

    def _hold(self, device: str, nature: str) -> None:
        """A fault that people must look at; said once while it is held."""
        core = self._running()
        if nature not in held_for(core, device):
            at = self._clock.wall_ms()
            core.post(events.DeviceFaulted(at=at, device=device, nature=nature))

    def _exchanged(self, attachment: Attachment, number: str, expected: str) -> None:
        """Another device in its place; said once for as long as it is the same one."""
        core = self._running()
        if belonging.cause_of(number, expected) not in held_for(core, attachment.name):
            core.post(
                events.DeviceExchanged(
                    at=self._clock.wall_ms(),
                    device=attachment.name,
                    serial_number=number,
                    expected=expected,
                    named=attachment.driver.settings.serial_number,
                )
            )

    def _other_is_gone(self, attachment: Attachment) -> None:
        """Of one that answered in its place nothing is heard any more: whoever clears may do so."""
        core = self._running()
        other = core.table.exchanged.get(attachment.name)
        if other is not None:
            cause = belonging.cause_of(other.number, other.expected)
            at = self._clock.wall_ms()
            core.post(events.DeviceRecovered(at=at, device=attachment.name, nature=cause))

    def _expected(self, attachment: Attachment) -> str:
        """The serial number of the device that belongs there."""
        named = attachment.driver.settings.serial_number
        if self._core is None:
            return named
        return belonging.expected(self._core.table, attachment.name, named)

    def newly_expected(self) -> dict[str, str]:
        """The numbers of devices that are there, where none was expected so far."""
        found = {}
        for name, one in self.attachments.items():
            identity = one.station.identity
            if one.is_present and identity is not None and not self._expected(one):
                found[name] = identity.serial_number
        return found

    def _happened(self, attachment: Attachment, happened: Happened) -> None:
        core = self._running()
        badge = happened.badge
        first = badge[1].id if badge is not None else ""
        if happened.events:
            first = happened.events[0].id or ""
        last = last_told(core.table, first) if first else None
        if last is not None and not attachment.told_again(happened, last):
            # As this felt found it: the table knows more of this boot than the device has said.
            attachment.station.begins_anew(self._clock.running())
            self._kick(attachment)
            return
        news = [one for one in happened.events if is_news(core.table, one)]
        taken: list[Taken] = []

        def acknowledge() -> None:
            attachment.durable(happened)
            self._kick(attachment)

        def safe(is_first_word: bool, one: Taken) -> None:
            if is_first_word:
                self._has_said(attachment, one)
            if one.step.refused:
                self._unbelieved(news[len(taken)], one)
            taken.append(one)
            if len(taken) < len(news):
                return
            refused = [
                event
                for event, one in zip(news, taken, strict=True)
                if isinstance(event, events.WagerPlaced) and _is_refused(event, one)
            ]
            told = [command for one in taken for command in _refusals(one)]
            if refused:
                then = _nothing if told else acknowledge
                self._refused(attachment, happened, refused[0], then)
            if told:
                # A felt that ends before the player knows of it hears of it again.
                attachment.when_known(told[0], acknowledge)
            elif not refused:
                acknowledge()

        if badge is not None and self.read_badge is not None:
            for event in news:
                core.post(event)
            self.read_badge(attachment.name, *badge, acknowledge)
            return
        for event in news:
            is_first_word = (
                isinstance(event, events.ShufflerReported) and attachment.name in self._to_say
            )
            if is_first_word:
                self._to_say.discard(attachment.name)
            core.post(event, partial(safe, is_first_word))
        if not news:
            attachment.durable(happened)

    def _unbelieved(self, event: events.Event, taken: Taken) -> None:
        terms, table, refused = self._running().recorder.terms, taken.step.table, taken.step.refused
        device, why = unbelieved(terms, table, event, refused)
        if device and not was_taken(table, event.id):
            self._hold(device, why)

    def _refused(
        self,
        attachment: Attachment,
        happened: Happened,
        placed: events.WagerPlaced,
        acknowledge: Callable[[], None],
    ) -> None:
        """What the table does not take goes back; if it came after the lock, that is on record.

        The device keeps its word until it is known what became of the chip: a felt that ends
        before that hears of it again.
        """
        core = self._running()
        if core.table.phase not in ("closed", "opening", "shuffling", "betting"):
            late = events.WagerCameLate(
                at=self._clock.wall_ms(),
                id=f"{placed.id}/late" if placed.id else None,
                seat=placed.seat,
                wager=placed.wager,
                amount=placed.amount,
                # The device held it and was locked after that; the order of events decides.
                sensed="before the lock",
                given_back=False,
            )
            # The table orders it back.
            core.post(late, lambda _: acknowledge())
        elif isinstance(attachment.driver, Acceptor):
            if attachment.is_kept(happened):
                # It was locked when felt came back, and what lay in it has rolled.
                said = f"it told of {placed.amount} cents that are no wager: give them back by hand"
                self._hold(attachment.name, said)
            now = self._clock.running()
            order = returns.of_a_chip(core.table, placed)
            attachment.tell(attachment.driver.gives_back(order), now, acknowledge)
            self._kick(attachment)
        else:
            acknowledge()

    # --- Coming and going -------------------------------------------------------

    def _arrived(self, attachment: Attachment) -> None:
        core = self._running()
        if handle := self._missing.pop(attachment.name, None):
            handle.cancel()
        table = core.table
        at = self._clock.wall_ms()
        if is_offline(core, name := _at_the_table(attachment)):
            core.post(events.DeviceCameOnline(at=at, device=name))
        for cause in sorted(held_for(core, attachment.name)):
            if cause.startswith(OF_AN_ABSENCE):
                core.post(events.DeviceRecovered(at=at, device=attachment.name, nature=cause))
        kind = attachment.driver.kind
        if kind == "shuffler":
            self._to_say.add(attachment.name)
        else:
            self._stand(attachment)
        if kind == "shoe" and is_on_its_way(table):
            # It may have dispensed before it, or felt, was restarted: it is asked, not told again.
            number = table.deal.done + 1
            restarted: Literal[True] | UnsetType = UNSET
            if self._left is not None and self._left == _awaited(table):
                restarted = True
            self._left = None
            if table.deal.asked != number:
                event = events.DispenseUnanswered(at=at, number=number, restarted=restarted)
                core.post(event)

    def _stand(self, attachment: Attachment) -> None:
        """Bring a device to where the table has it."""
        core, now = self._running(), self._clock.running()
        kind, seat = attachment.driver.kind, attachment.driver.settings.seat
        for order in standing_orders(core.recorder.terms, core.table, kind, seat):
            attachment.repeat(order, now)
        if seat is not None and attachment.can(OFFERS):
            # What was decided and is not carried out yet comes after it, as a change.
            for order in at_terminal.screen(core.recorder.terms, self._seen or core.table, seat):
                attachment.repeat(order, now)

    def _has_said(self, attachment: Attachment, taken: Taken) -> None:
        if not any(isinstance(one, StartShuffle) for one in taken.step.commands):
            self._stand(attachment)
            self._kick(attachment)

    def _miss(self, attachment: Attachment, grace: float) -> None:
        if handle := self._missing.pop(attachment.name, None):
            handle.cancel()
        loop = asyncio.get_running_loop()
        self._missing[attachment.name] = loop.call_later(grace, self._gone, attachment)

    def _gone(self, attachment: Attachment) -> None:
        self._missing.pop(attachment.name, None)
        if attachment.is_present:
            return
        if attachment.station.stage == "silent":
            self._other_is_gone(attachment)
        core = self._running()
        at = self._clock.wall_ms()
        name = _at_the_table(attachment)
        if attachment.driver.kind in HOLDS_CARDS:
            self._hold(name, NOTHING_HEARD)
        elif name in serving(core.recorder.terms) and not is_offline(core, name):
            core.post(events.DeviceWentOffline(at=at, device=name))

    def _kick(self, attachment: Attachment) -> None:
        if (carrier := self._wires.get(self._wire_of[attachment.name])) is not None:
            carrier.kick()

    def _running(self) -> Core:
        if self._core is None:
            raise RuntimeError("the supervisor has not been started")
        return self._core


def _awaited(table: Table) -> tuple[int, int] | None:
    """The stack that the shoe was ordered and has not answered for, with its round."""
    return (table.round, table.deal.done + 1) if is_on_its_way(table) else None


def _is_refused(placed: events.WagerPlaced, taken: Taken) -> bool:
    """Not taken; nor told again because felt ended before it could acknowledge it."""
    return bool(taken.step.refused) and not was_taken(taken.step.table, placed.id)


def _refusals(taken: Taken) -> list[RequestRefused]:
    """What the device is told because what it said was not taken."""
    if not taken.step.refused:
        return []
    return [one for one in taken.step.commands if isinstance(one, RequestRefused)]


def _nothing() -> None:
    return


def _at_the_table(attachment: Attachment) -> str:
    """What the table calls a device: the sign is where its meters are seen."""
    return "meter" if attachment.driver.kind == "sign" else attachment.name


def is_news(table: Table, event: events.Event) -> bool:
    """Whether the table waits for it. What a device only repeats of itself needs no entry."""
    match event:
        case events.LockConfirmed(seat=number, device=device):
            seat = table.seat(number)
            confirmed = seat.acceptor_locked if device == "acceptor" else seat.terminal_locked
            return table.phase == "locked" and not confirmed
        case events.ShoeReported(inside=inside) if table.phase in ("betting", "locked"):
            return inside not in (None, DECK_OF_CARDS)
        case events.ShoeReported() | events.StubReported() | events.StackTaken():
            return table.phase == "dealing"
        case events.LampRead(seat=seat, lamp=lamp):
            where = f"lamp of seat {seat}"
            dark = any(hold.where == where and not hold.over for hold in table.holds)
            return dark or lamp != table.seat(seat).lamp
    return True
