"""Whoever watches the table is told of every event, and of every device that comes, goes or fails.

The table is never kept waiting for it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import Any

import msgspec

from controller.recorder import Taken
from controller.rules.faults import Refused
from controller.table.events import Event
from controller.table.people import Person
from controller.table.prompt import Prompt
from controller.table.prompts import prompts
from controller.table.repeats import told_by
from controller.table.state import Table
from controller.table.telling import clauses, facts
from controller.table.telling import told as said
from controller.table.terms import Terms

#: Changes that wait for one watcher; who does not keep up is told how many it missed.
MAX_WAITING = 256
MAX_WATCHERS = 96


class Watcher:
    def __init__(self) -> None:
        self._waiting: deque[msgspec.Raw] = deque()
        self._more = asyncio.Event()
        self._missed = 0

    def put(self, change: msgspec.Raw) -> None:
        if len(self._waiting) >= MAX_WAITING:
            self._waiting.popleft()
            self._missed += 1
        self._waiting.append(change)
        self._more.set()

    async def next(self) -> msgspec.Raw | dict[str, Any]:
        """The next change; ``missed`` says how many before it are gone."""
        while not self._waiting:
            self._more.clear()
            await self._more.wait()
        change = self._waiting.popleft()
        if not self._missed:
            return change
        missed, self._missed = self._missed, 0
        return {**msgspec.json.decode(change), "missed": missed}


class Changes:
    def __init__(self, terms: Terms, table: Table) -> None:
        """``table`` is how it stands before the first change."""
        self._terms = terms
        self._table = table
        #: What was asked of people when the last change was told, and at which table.
        self._asked: tuple[Table, tuple[Prompt, ...]] | None = None
        self._watchers: set[Watcher] = set()

    def told(self, event: Event, taken: Taken) -> None:
        before, self._table = self._table, taken.step.table
        if not self._watchers:
            return
        follows = clauses(self._terms, self._prompts(before), before, event, self._table)
        change = {**_of_event(self._terms, before, event, taken), "clauses": _once(follows)}
        asked = prompts(self._terms, self._table)
        self._asked = (self._table, asked)
        self._put({**change, "prompts": [one._asdict() for one in asked]})

    def _prompts(self, table: Table) -> tuple[Prompt, ...]:
        known = self._asked
        return known[1] if known and known[0] is table else prompts(self._terms, table)

    def device_is(self, at: int, device: str, status: str, reason: str, next_step: str) -> None:
        """How a device stands is no event: most of it concerns nobody who plays."""
        standing = {"device": device, "status": status, "reason": reason, "next_step": next_step}
        self._put({"at": at, **standing})

    def watch(self) -> Watcher:
        if len(self._watchers) >= MAX_WATCHERS:
            raise Refused("watch", f"{MAX_WATCHERS} watch already", "close one of them")
        watcher = Watcher()
        self._watchers.add(watcher)
        return watcher

    def leave(self, watcher: Watcher) -> None:
        self._watchers.discard(watcher)

    def _put(self, change: dict[str, Any]) -> None:
        # Written out once, however many watch.
        said = msgspec.Raw(msgspec.json.encode(change)) if self._watchers else msgspec.Raw()
        for watcher in self._watchers:
            watcher.put(said)


def _of_event(terms: Terms, before: Table, event: Event, taken: Taken) -> dict[str, Any]:
    table = taken.step.table
    device = told_by(event.id)
    return {
        "seq": taken.seq,
        "at": event.at,
        "event": str(type(event).__struct_config__.tag),
        #: The event's own fields, and the same in a sentence.
        "with": facts(event),
        "said": said(terms, before, event, table),
        "by": _by(terms, event),
        "told_by": device.device.replace("-", " ") if device is not None else None,
        "refused": taken.step.refused or None,
        "phase": table.phase,
        "round": table.round,
        "holds": msgspec.to_builtins(table.holds),
    }


def _once(clauses_: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(clauses_))


def _by(terms: Terms, event: Event) -> dict[str, Any] | None:
    """Who did it; of what was keyed in for a device, the event's id has the name."""
    by = getattr(event, "by", None)
    if isinstance(by, Person):
        return {"id": by.id, "role": by.role}
    kind, _, rest = (event.id or "").partition("/")
    if kind != "key":
        return None
    name = rest.partition("/")[0]
    known = [one for one in terms.people if one.startswith(name)]
    return {"id": known[0] if len(known) == 1 else name, "role": None}
