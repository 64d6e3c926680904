"""Which records of a log are looked at: of which wire and device, which way, of which kind.

A frame that came in several pieces is found whole: its pieces wait until it is known what they are.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from controller.rules.faults import Refused, listed
from controller.technician import said, span
from controller.technician.hearing import Ear, Names, ear_of
from controller.technician.hearing_dialects import NAMES
from controller.technician.logs import Logged, Run, Wire
from controller.technician.said import Said
from drivers.wire import messages
from drivers.wire.devicelog import Bytes, Damage, Direction, Quiet, Remark
from drivers.wire.frame import Kind

#: Pieces wait no longer for the rest of their frame, and there are no more of them.
PATIENCE_US = 2_000_000
MAX_WAITING = 300

#: Records that are no bytes.
WORDS = frozenset({"port", "device", "table", "state", "note", "gap", "clock", "quiet"})
#: What can be asked for as a kind of message.
KINDS = (
    WORDS
    | {kind.name.lower() for kind in Kind}
    | messages.BY_NAME.keys()
    | {"done", "accepted", "refused", "unknown"}
    | {said.GARBAGE, said.STATE, said.REQUEST, said.ANSWER, said.ECHO, said.LATE}
    | NAMES
)


@dataclass(frozen=True, slots=True)
class Choice:
    """What is wanted; empty is all."""

    wires: frozenset[str] = frozenset()
    devices: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    direction: str = ""

    @classmethod
    def of(
        cls,
        wires: Iterable[str] | None,
        devices: Iterable[str] | None,
        kinds: Iterable[str] | None,
        direction: str | None,
    ) -> Choice:
        """From the words of a command; ``Refused`` if there is no such kind of message."""
        named = frozenset(one.replace("-", "_").lower() for one in kinds or ())
        for one in sorted(named - KINDS):
            step = "poll, event, wager, dispense, refused, garbage, port, note ..."
            raise Refused("--message", f"there is no {one!r}", step)
        return cls(frozenset(wires or ()), frozenset(devices or ()), named, direction or "")

    def check(self, runs: Iterable[Run]) -> None:
        """``Refused`` if a wire or a device is nowhere in the logs."""
        wires = [wire for run in runs for wire in run.wires.values()]
        for what, wanted, known in (
            ("--wire", self.wires, {wire.name for wire in wires}),
            ("--device", self.devices, {name for wire in wires for name in Names(wire).all}),
        ):
            for one in sorted(wanted - known):
                allowed = listed(sorted(known)) if known else "these logs do not name any"
                raise Refused(what, f"there is no {one!r} in these logs", allowed)

    def takes(self, wire: Wire, names: Names) -> bool:
        if self.wires and wire.name not in self.wires:
            return False
        return not self.devices or not self.devices.isdisjoint(names.all)


class Chosen(NamedTuple):
    """A record that is wanted, and what it says if nothing beside it does."""

    logged: Logged
    words: str


def chosen(run: Run, choice: Choice) -> Iterator[Chosen]:
    """Of all wires, in their order in time."""
    each = [Sieve(wire, choice).all(wire.records()) for wire in run.wires.values()]
    return heapq.merge(*each, key=lambda one: one.logged.at_us)


class _Waiting:
    """A record whose frames are not all whole yet."""

    __slots__ = ("frames", "goes_on", "logged", "parts")

    def __init__(self, logged: Logged, frames: list[Said], *, goes_on: bool) -> None:
        self.logged = logged
        #: What became whole here, and what did later and is partly here.
        self.frames = frames
        self.parts: list[Said] = []
        #: What stands at its end is not whole.
        self.goes_on = goes_on


class Sieve:
    """One wire's records, one after the other."""

    def __init__(self, wire: Wire, choice: Choice) -> None:
        self._choice = choice
        self._names = Names(wire)
        self._ear: Ear = ear_of(wire, self._names)
        #: Without what the table file says of the wire it may be in a dialect.
        self._is_known = bool(wire.given)
        self._takes = choice.takes(wire, self._names)
        self._holds = bool(choice.devices or choice.kinds)
        self._waiting: list[_Waiting] = []
        self._phase = (-1, "")

    def all(self, records: Iterable[Logged]) -> Iterator[Chosen]:
        if self._takes:
            for logged in records:
                yield from self.taken(logged)
            yield from self.rest()

    def taken(self, logged: Logged) -> Iterator[Chosen]:
        """What can be told now that this one is known."""
        if not self._takes:
            return
        record = logged.record
        frames: list[Said] = []
        goes_on = False
        if isinstance(record, Bytes) and record.comment and not self._holds:
            # There are words for it, and nobody asks whose it is.
            if self._ear.waits(record.direction):
                self._ear.cut()
        elif isinstance(record, Bytes):
            frames = self._ear.hear(record)
            goes_on = self._ear.waits(record.direction)
            if frames and self._waiting:
                self._whole(record.direction, frames)
        elif isinstance(record, Damage) or (isinstance(record, Remark) and record.word == "port"):
            self._ear.cut()
        self._waiting.append(_Waiting(logged, frames, goes_on=goes_on))
        if not self._must_wait(logged.at_us):
            yield from self.rest()

    def rest(self) -> Iterator[Chosen]:
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if (found := self._wanted(one)) is not None:
                yield found

    def _must_wait(self, at_us: int) -> bool:
        if not self._holds or not (self._ear.waits("in") or self._ear.waits("out")):
            return False
        first = self._waiting[0].logged.at_us
        return len(self._waiting) < MAX_WAITING and at_us - first < PATIENCE_US

    def _whole(self, direction: Direction, frames: list[Said]) -> None:
        """The first of them began in the pieces that wait."""
        for one in reversed(self._waiting):
            record = one.logged.record
            if isinstance(record, Bytes) and record.direction == direction:
                if not one.goes_on:
                    break
                one.parts.append(frames[0])
                if one.frames:
                    break  # here something ended, and this began behind it

    def _wanted(self, one: _Waiting) -> Chosen | None:
        choice, logged = self._choice, one.logged
        record = logged.record
        if isinstance(record, Bytes):
            if choice.direction not in ("", record.direction):
                return None
            if self._holds and not any(map(self._fits, one.frames + one.parts)):
                return None
            return Chosen(logged, "" if record.comment else self._words(one))
        if choice.direction or (choice.kinds and _word(logged) not in choice.kinds):
            return None
        if choice.devices and isinstance(record, Quiet):
            theirs = tuple(p for p in record.devices if self._names.polled(p) in choice.devices)
            logged = logged._replace(record=record._replace(devices=theirs))
            return Chosen(logged, "") if theirs else None
        return Chosen(logged, "") if not choice.devices or self._concerns(logged) else None

    def _fits(self, frame: Said) -> bool:
        choice = self._choice
        if choice.devices and frame.device not in choice.devices:
            return False
        return not choice.kinds or frame.kind in choice.kinds or frame.name in choice.kinds

    def _concerns(self, logged: Logged) -> bool:
        """Whether it is of a wanted device, or of the whole wire."""
        record = logged.record
        if (mark := span.mark_of(logged)) is not None:
            # Most entries are about others. Where the table is says when it was.
            before, self._phase = self._phase, (mark.round, mark.phase)
            return before != self._phase
        if not isinstance(record, Remark) or record.word not in ("device", "note"):
            return True
        of, between, _ = record.text.partition(":")
        is_named = bool(between) and of in self._names.all
        return of in self._choice.devices if is_named else record.word == "note"

    def _words(self, one: _Waiting) -> str:
        """What the bytes say, where the log has no words beside them."""
        frames = one.frames
        if not self._is_known:
            frames = [frame for frame in frames if frame.packet is not None]
        return " | ".join(frame.words for frame in frames)


def _word(logged: Logged) -> str:
    record = logged.record
    match record:
        case Remark(word=word):
            return word
        case Quiet():
            return "quiet"
        case Damage() | Bytes():
            return ""
    return "clock"
