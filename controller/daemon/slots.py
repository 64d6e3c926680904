"""Room at a socket: nobody takes all of it, and those who must get in always do.

Clients share a pool, of which each user of the PC has a part. Beside the pool, some places are kept
for root, for the pages, and one for each user who may act as a supervisor.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from controller.daemon.peers import ROOT, Peer
from controller.daemon.proofs import Caller

#: Clients in the pool, and of one user. The pages have a connection for each of their people.
POOL = 48
EACH, EACH_TRUSTED = 8, 32
#: Of the pool, people who may only look: they never crowd out who has to act.
LOOKING, EACH_LOOKING = 16, 4
#: Kept beside the pool: for root, for the pages, and for supervisors, of whom each has one.
FOR_ROOT, FOR_PAGES, FOR_SUPERVISORS = 4, 8, 16
MOST = POOL + FOR_ROOT + FOR_PAGES + FOR_SUPERVISORS


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    uid: int
    #: In the pool, or in which of the kept places.
    kind: str
    looks: bool


class Slots:
    def __init__(self) -> None:
        self._taken: set[Slot] = set()

    def __len__(self) -> int:
        return len(self._taken)

    def take(self, peer: Peer, caller: Caller, *, trusted: bool) -> Slot | str:
        """A place; or why there is none, and what to do."""
        mine = [one for one in self._taken if one.uid == peer.uid]
        looks = not caller.may
        why = self._too_many(peer, len(mine), looks=looks, trusted=trusted)
        if not why and sum(one.kind == "pool" for one in self._taken) < POOL:
            return self._given(Slot(peer.uid, "pool", looks))
        kept = self._kept(peer, caller, mine, trusted=trusted)
        if kept is not None:
            return self._given(Slot(peer.uid, kept, looks))
        full = f"{len(self._taken)} are connected, as many as there is room for"
        return f"{why or full}; close one of them"

    def leave(self, slot: Slot) -> None:
        self._taken.discard(slot)

    def _given(self, slot: Slot) -> Slot:
        self._taken.add(slot)
        return slot

    def _too_many(self, peer: Peer, mine: int, *, looks: bool, trusted: bool) -> str:
        if peer.uid == ROOT:
            return ""
        each = EACH_TRUSTED if trusted else EACH_LOOKING if looks else EACH
        if mine >= each:
            return f"{mine} connections of {peer.name} are open"
        looking = sum(one.looks for one in self._taken)
        if looks and looking >= LOOKING:
            return f"{looking} who may only look are connected"
        return ""

    def _kept(self, peer: Peer, caller: Caller, mine: list[Slot], *, trusted: bool) -> str | None:
        kinds = Counter(one.kind for one in self._taken)
        if peer.uid == ROOT and kinds["root"] < FOR_ROOT:
            return "root"
        if trusted and peer.uid != ROOT and kinds["pages"] < FOR_PAGES:
            return "pages"
        if "supervisor" in caller.may and not mine and kinds["supervisor"] < FOR_SUPERVISORS:
            return "supervisor"
        return None
