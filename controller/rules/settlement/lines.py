"""What a settlement says: a line for each wager or bonus, each with the clause it follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from controller.rules.part import Role


class Result(Enum):
    WIN = "win"
    LOSE = "lose"
    PUSH = "push"
    RETURN = "return"
    VOID = "void"


class Line(NamedTuple):
    """One wager or bonus of one seat. A tuple: a full table makes fifty of them a round."""

    wager: str
    result: Result
    #: Cents; 0 for what is paid without a stake of its own.
    stake: int
    #: All that goes back to the player for this line, in cents.
    returns: int
    clause: str
    odds: str | None = None
    #: "rack", "account", or "hand" for a share of a meter; None where nothing is paid.
    paid_by: str | None = None
    #: The role that must validate it before it is paid.
    validate: Role | None = None
    #: Cents by which a payout limit cut what was won.
    cut: int = 0

    def as_json(self) -> dict[str, Any]:
        line: dict[str, Any] = {
            "wager": self.wager,
            "result": self.result.value,
            "stake": self.stake,
            "odds": self.odds,
            "returns": self.returns,
            "paid_by": self.paid_by,
            "validate": self.validate,
            "clause": self.clause,
        }
        if self.cut:
            line["cut"] = self.cut
        return line


@dataclass(frozen=True, slots=True)
class SeatSettlement:
    seat: int
    hand: str
    lines: tuple[Line, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "seat": self.seat,
            "hand": self.hand,
            "lines": [line.as_json() for line in self.lines],
        }


@dataclass(frozen=True, slots=True)
class DealerHand:
    hand: str
    #: None in a game in which the dealer needs no particular hand.
    qualifies: bool | None = None

    def as_json(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"hand": self.hand}
        if self.qualifies is not None:
            shown["qualifies"] = self.qualifies
        return shown


@dataclass(frozen=True, slots=True)
class Settlement:
    rulebook: str
    dealer: DealerHand | None
    #: In the order in which seats are settled.
    seats: tuple[SeatSettlement, ...]
    #: What the meters hold afterwards.
    meters: Mapping[str, Mapping[str, int]]

    def as_json(self) -> dict[str, Any]:
        return {
            "rulebook": self.rulebook,
            "dealer": self.dealer.as_json() if self.dealer else None,
            "order": [seat.seat for seat in self.seats],
            "seats": [seat.as_json() for seat in self.seats],
            "meters": {name: dict(levels) for name, levels in self.meters.items()},
        }
