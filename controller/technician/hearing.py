"""Whole frames out of the records of a wire, each with its device: whatever is spoken there.

A record is what was read or written in one go; a frame may be in several of them, and several may
be in one. On a bus a frame says for whom it is by an address, at a broker by a topic, and in a
dialect an answer is that of the device which was asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from controller.technician import said
from controller.technician.hearing_dialects import CcTalk, Modbus
from controller.technician.logs import Wire
from controller.technician.said import Said
from drivers.wire import envelope, topics
from drivers.wire.devicelog import Bytes, Direction, Polled
from drivers.wire.frame import Garbage, Splitter


class Ear(Protocol):
    """Hears one wire, from one of its records with bytes to the next."""

    def hear(self, record: Bytes) -> list[Said]:
        """What became whole with this record."""

    def waits(self, direction: Direction) -> bool:
        """Whether something is not whole yet."""

    def cut(self) -> None:
        """The port was opened or lost: what was half heard does not go on."""


class Names:
    """The devices of a wire, by their addresses on it."""

    def __init__(self, wire: Wire) -> None:
        given = wire.given
        listed = given.get("devices")
        #: In the table file's order; those that said who they are, if it does not say.
        self.all = [str(one) for one in listed] if isinstance(listed, list) else _met(wire)
        self.is_broker = bool(given.get("mqtt"))
        self._by_address = dict(_addressed(self.all))

    def at(self, address: int) -> str:
        return self._by_address.get(address, f"address {address}")

    def items(self) -> Iterator[tuple[int, str]]:
        yield from self._by_address.items()

    def polled(self, one: Polled) -> str:
        """Who a part of a quiet stretch is: at a broker they are counted by their places."""
        if self.is_broker:
            known = 1 <= one.address <= len(self.all)
            return self.all[one.address - 1] if known else f"place {one.address}"
        return self.at(one.address)


def _met(wire: Wire) -> list[str]:
    """Devices, from the facts of the header: they are there once they have said who they are."""
    facts = (value.partition(":")[0] for key, value in wire.header.facts if key == "device")
    return [one for one in facts if one and not one.startswith("(")]


def _addressed(names: list[str]) -> Iterator[tuple[int, str]]:
    """As the daemon gives them out: by the seat, or by the place on the line."""
    for place, name in enumerate(names, 1):
        seat = name.rpartition(" ")[2]
        yield (int(seat) if seat.isdecimal() else place), name


def ear_of(wire: Wire, names: Names) -> Ear:
    given = wire.given
    options = given.get("options")
    known: Mapping[str, object] = options if isinstance(options, dict) else {}
    match given.get("speaks"):
        case "cctalk":
            return CcTalk(dict(names.items()), known)
        case "modbus":
            return Modbus(dict(names.items()), known)
    return _Own(names)


class _Own:
    """felt's own protocol: frames on a line, or packets at a broker."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._splitters: dict[Direction, Splitter] = {}
        self._by_slug = {topics.slug(name): name for name in names.all if _has_slug(name)}
        self.cut()

    def cut(self) -> None:
        self._splitters = {"in": Splitter(), "out": Splitter()}

    def waits(self, direction: Direction) -> bool:
        return not self._splitters[direction].is_empty

    def hear(self, record: Bytes) -> list[Said]:
        if record.channel:
            return [self._published(record.channel, record.data)]
        at = self._names.at
        return [
            said.garbage("", one.data)
            if isinstance(one, Garbage)
            else said.of_packet(at(one.address), one)
            for one in self._splitters[record.direction].feed(record.data)
        ]

    def _published(self, topic: str, data: bytes) -> Said:
        place = topics.place_of(topic)
        slug = place.device if place is not None else ""
        device = self._by_slug.get(slug, slug)
        packet = envelope.from_json(data)
        if packet is not None:
            return said.of_packet(device, packet)
        presence = topics.presence_from_json(data)
        if presence is None:
            return said.garbage(device, data)
        words = f"{said.STATE} {presence.state} boot={presence.boot} #{presence.connection}"
        return Said(device, said.STATE, presence.state, text=words)


def _has_slug(name: str) -> bool:
    try:
        return bool(topics.slug(name))
    except ValueError:
        return False
