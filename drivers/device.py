"""What felt's own drivers have in common: faults, doors, and words that can be no event.

A device may say anything. What does not fit the table's events must not reach the journal, which
could not be read again; it is told as a fault of the device that said it.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, get_args

import msgspec

from controller.table.events import DOOR_OPEN, DeviceFaulted, DeviceRecovered, Event
from drivers.contract import BadgeSeen, Driver, Moment
from drivers.wire import messages
from drivers.wire.fields import MAX_TEXT_BYTES
from drivers.wire.handshake import Identity, Outcome

Faces = Callable[[], bytes]

#: Seconds for an order that does no harm when it is late, and much when it is forgotten: a lock, a
#: lamp, a balance. They are carried out in their order, so a late one is never the last word.
PATIENCE = 10.0

_EVENTS = msgspec.json.Decoder(Event)
#: Fields of events that have another name on the wire.
_ALSO = {"amount": "cents"}


class BadSettings(ValueError):
    """The table's configuration says something of a device that can't be."""


class Device(Driver):
    known_options: ClassVar[Mapping[str, str] | None] = {}
    #: The table counts on these: a device that does not do one is at fault.
    relied_on: ClassVar[tuple[type[messages.Command], ...]] = ()

    # --- Who it is --------------------------------------------------------------

    _boot: int | None = None

    def unfit(self, identity: Identity) -> str:
        why = super().unfit(identity)
        if not why:
            if self._boot not in (None, identity.boot):
                self.restarted()
            self._boot = identity.boot
        return why

    def restarted(self) -> None:
        """What it had to say before is forgotten."""
        return

    # --- What it said ---------------------------------------------------------

    def heard(
        self, message: messages.Event, moment: Moment, faces: Faces | None = None
    ) -> Sequence[Event | BadgeSeen]:
        on_the_wire = self.kind if self.kind in get_args(messages.Kinds) else "other"
        if message.devices and on_the_wire not in message.devices:
            return (self.faulted(moment, f"it said {_name(message)!r}: no {self.kind} does"),)
        return [
            one if isinstance(one, BadgeSeen) else self._possible(one, message, moment)
            for one in self._heard(message, moment, faces)
        ]

    def _heard(
        self, message: messages.Event, moment: Moment, faces: Faces | None
    ) -> Sequence[Event | BadgeSeen]:
        match message:
            case messages.Fault(nature, detail):
                return (self.faulted(moment, f"{nature}: {detail}" if detail else nature),)
            case messages.Door(open=True):
                return (self.faulted(moment, DOOR_OPEN),)
            case messages.FaultCleared(nature):
                return (self._recovered(moment, nature),)
            case messages.Door():
                return (self._recovered(moment, DOOR_OPEN),)
        return self.said(message, moment, faces)

    @abstractmethod
    def said(
        self, message: messages.Event, moment: Moment, faces: Faces | None
    ) -> Sequence[Event | BadgeSeen]:
        """What only this kind of device says."""

    def _possible(self, event: Event, message: messages.Event, moment: Moment) -> Event:
        try:
            _EVENTS.decode(msgspec.json.encode(event))
        except msgspec.ValidationError as error:
            what = _what(error, message)
            return self.faulted(moment, f"it said {_name(message)!r} with what can't be: {what}")
        return event

    def faulted(self, moment: Moment, nature: str) -> DeviceFaulted:
        return DeviceFaulted(at=moment.at, device=self.settings.name, nature=nature)

    def _recovered(self, moment: Moment, nature: str) -> DeviceRecovered:
        return DeviceRecovered(at=moment.at, device=self.settings.name, nature=nature)

    # --- What became of what it was told --------------------------------------

    def answered(
        self, message: messages.Command, outcome: Outcome, detail: str, moment: Moment
    ) -> Sequence[Event]:
        if not isinstance(message, self.relied_on) or outcome in ("done", "accepted"):
            return ()
        why = f": {detail}" if detail else ""
        did = "it refused" if outcome == "refused" else "it does not know"
        return (self.faulted(moment, f"{did} {_name(message)!r}{why}"),)


def short(text: str) -> str:
    """As much of a text as fits into a message."""
    return text.encode()[:MAX_TEXT_BYTES].decode(errors="ignore")


def _what(error: msgspec.ValidationError, message: messages.Message) -> str:
    """The value that makes no event, under the name that the page has for it."""
    found = re.search(r"at `\$\.(\w+)", str(error))
    name = found[1] if found else ""
    value = getattr(message, name, getattr(message, _ALSO.get(name, ""), None))
    return str(error) if value is None else f"{_ALSO.get(name, name)} {value!r}"


def _name(message: messages.Message) -> str:
    return messages.name(message)
