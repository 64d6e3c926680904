"""What was taken already: a sender that got no answer says the same again, under the same id.

A device numbers its events within each of its boots, and sends the next one only when the one
before is acknowledged. So of each boot the last number that was taken says of every id whether it
was: for as long as the device may be away, and in one line. Ids of people and of other programs
have no such order; of these the last ones are kept.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import NamedTuple

import msgspec

from controller.rules.faults import Refused
from controller.table import events
from controller.table.change import replace
from controller.table.state import BOOTS_KEPT, DEVICES_KEPT, IDS_KEPT, LastHeard, Table

#: As drivers/attachment.py makes it: the device, its boot, the number, and which of the events
#: that came of one message; the note about a wager that was refused comes after all of those.
_OF_A_DEVICE = re.compile(r"([^:/]+):(\d{1,10}):(\d{1,10})(?:\.(\d{1,4}))?(/late)?", re.ASCII)
_LATE = 10_000


class ToldBy(NamedTuple):
    """Which device said it, in which of its boots, under which number."""

    device: str
    boot: int
    seq: int
    place: int

    @property
    def is_note(self) -> bool:
        """Not said by the device: felt's own note about what it said."""
        return self.place == _LATE


@lru_cache(maxsize=64)  # whoever takes an event asks about it, and then notes it
def told_by(id_: str | None) -> ToldBy | None:
    """Who said what has this id; nothing if it was no device."""
    found = _OF_A_DEVICE.fullmatch(id_ or "")
    if found is None:
        return None
    device, boot, seq, place, late = found.groups()
    return ToldBy(device, int(boot), int(seq), _LATE if late else int(place or 0))


def was_taken(table: Table, id_: str | None) -> bool:
    """Whether an event with this id was taken; without an id nobody can say."""
    if id_ is None:
        return False
    told = told_by(id_)
    if told is None or id_ in table.ids:
        return id_ in table.ids
    for one in table.heard.get(told.device, ()):
        if one.boot == told.boot:  # each is there once
            return (told.seq, told.place) <= (one.seq, one.place)
    return False


def last_told(table: Table, id_: str | None) -> int | None:
    """The last number of this boot, if a device told under this id what had been taken already."""
    told = told_by(id_)
    if told is None or told.is_note or not was_taken(table, id_):
        return None
    boots = table.heard.get(told.device, ())
    return next((one.seq for one in boots if one.boot == told.boot), None)


def is_repeat(table: Table, event: events.Event) -> bool:
    """Whether it was taken already, as what it is: the same act by the same person."""
    if not was_taken(table, event.id):
        return False
    known = table.bound.get(event.id or "")
    return known is None or _same(known, _content(event))


def must_be_new(table: Table, event: events.Event) -> None:
    """An id names one act, of one person, with what was given: of another it is refused."""
    if not was_taken(table, event.id):
        return
    if is_repeat(table, event):
        raise Refused("id", f"{event.id} was taken already")
    act, by, *_ = table.bound[event.id or ""].split()
    problem = f"{event.id} was taken for another act, {act} by {by}"
    raise Refused("id", problem, "give each act an id of its own")


def _same(known: str, given: str) -> bool:
    """Cards that are left out are those that the shoe has read."""
    before, _, cards = known.partition("|")
    now, _, keyed = given.partition("|")
    return before == now and keyed in ("", cards)


def _content(event: events.Event) -> str:
    """Which act, by whom, and a digest of all else that was given; and its cards."""
    facts = msgspec.to_builtins(event)
    for name in ("at", "id", "kept"):
        facts.pop(name, None)
    by, kind = facts.pop("by", None) or {"id": "-", "role": ""}, facts.pop("kind")
    cards = [facts.pop(one) for one in ("card", "cards") if isinstance(facts.get(one), str)]
    rest = msgspec.json.encode([by["role"], facts], order="sorted")
    digest = hashlib.blake2b(rest, digest_size=8).hexdigest()
    return f"{kind} {by['id']} {digest}|{''.join(cards)}"


def with_taken_event(table: Table, event: events.Event) -> Table:
    """The table that knows this event's id too, and what it was taken for."""
    after = with_taken(table, event.id)
    if event.id is None or told_by(event.id) is not None:
        return after
    if len(table.ids) >= IDS_KEPT:
        known = set(after.ids)
        bound = {one: what for one, what in table.bound.items() if one in known}
    else:
        bound = dict(table.bound)
    return replace(after, bound={**bound, event.id: _content(event)})


def with_taken(table: Table, id_: str | None) -> Table:
    """The table that knows this id too."""
    if id_ is None:
        return table
    told = told_by(id_)
    if told is not None and told.device not in table.heard and len(table.heard) >= DEVICES_KEPT:
        told = None  # more than any table has: somebody makes names up
    if told is None:
        return replace(table, ids=(*table.ids, id_)[-IDS_KEPT:])
    # Boots have no order: a device that can't count them draws a number. The last to speak is last.
    others = tuple(one for one in table.heard.get(told.device, ()) if one.boot != told.boot)
    heard = (*others, LastHeard(told.boot, told.seq, told.place))[-BOOTS_KEPT:]
    return replace(table, heard={**table.heard, told.device: heard})
