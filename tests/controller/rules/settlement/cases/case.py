"""What a case is, and what a payout is worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controller.library import Library
from tests.controller.rules.settlement.printed import Payout

#: What the meters show in these rounds, in cents; nothing divides evenly by accident.
SHOWN = {"main": 3_000_037, "mega": 5_000_059, "major": 700_073, "minor": 40_049}
#: Where the operator sets it: what a meter starts again at.
RESET = 1_234_567

#: A card that adds nothing to a five-card hand.
SIXTH = {
    "royal flush": "2c",
    "straight flush": "Kc",
    "four-of-a-kind": "Kd",
    "full house": "Kh",
    "flush": "9c",
    "straight": "Kc",
    "three-of-a-kind": "9c",
    "two pair": "9d",
    "pair of aces": "Jh",
    "pair of jacks": "9h",
    "pair of 10s": "Kh",
    "pair of 9s": "Kh",
    "pair of 6s": "Kh",
    "pair of 5s": "Kh",
    "ace high": "7h",
}


@dataclass(frozen=True)
class Case:
    rulebook: str
    name: str
    clauses: tuple[str, ...]
    #: Plays the round and asserts what comes back.
    play: Callable[[Library], None]


def worth(payout: Payout, stake: int) -> int:
    """What comes back for a stake; a share is one of the meters as shown."""
    if payout is None:
        return 0
    if payout == "push":
        return stake
    kind, number, *more = payout
    if kind == "share":
        return SHOWN[more[0]] * int(number) // 100
    if kind == "sum":
        return int(number) * 100
    winnings = int(number) * stake // (more[0] if more else 1)
    return winnings + (stake if kind == "to" else 0)


def is_share(payout: Payout) -> bool:
    return isinstance(payout, tuple) and payout[0] == "share"
