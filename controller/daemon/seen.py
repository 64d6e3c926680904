"""What somebody saw who acts: the round, and the last entry of the record that the screen had.

A press belongs to the round that was looked at. One that comes when the next has begun is refused,
though the table would take it there as well.
"""

from __future__ import annotations

from controller.daemon.service import Service
from controller.rules.faults import Refused

_STEP = "look at the table, and act on what is there"


class Stale(Refused):
    """It was for what the table was before."""


def must_be_seen_now(service: Service, round_: int | None, seq: int | None) -> None:
    """``Stale``, if what was seen was another round, or no entry of this record."""
    core = service.core
    if seq is not None and seq > (last := service.journal.head.seq):
        problem = f"entry {seq} was seen, and the record ends with entry {last}"
        raise Stale("seq", problem, "this is not the record that was seen: call the floor")
    if round_ is None and seq:
        round_ = service.journal.round_at(seq)
    if round_ is not None and round_ != core.table.round:
        problem = f"round {round_} was seen, and this is round {core.table.round}"
        raise Stale("round", problem, _STEP)
