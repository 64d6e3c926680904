"""Paytables: what a hand of some strength is paid, in the words of the regulation.

The cells of a table are written as a regulation prints them and are read here:

    "50 to 1"        the stake comes back and 50 times it is paid
    "3 to 2"         the same, half cents rounded down
    "9 for 1"        9 times the stake is paid and the stake stays with the house
    "100% of mega"   a share of a progressive meter, the stake stays with the house
    "$500"           this sum, the stake stays with the house
    "push"           the stake comes back
    "loss", "n/a"    the stake is lost
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from controller.rules.rankings import Ranking
from controller.rules.rankings.scale import cut


class Kind(Enum):
    TO = "to"
    FOR = "for"
    SHARE = "share"
    SUM = "sum"
    PUSH = "push"
    LOSS = "loss"


@dataclass(frozen=True, slots=True)
class Odds:
    """One cell of a paytable."""

    kind: Kind
    #: TO and FOR: how many times the stake, over ``per``. SHARE: percent. SUM: cents.
    number: int = 0
    per: int = 1
    #: SHARE: the level of the meter.
    level: str = ""
    said: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "said", self._said())

    def winnings(self, stake: int) -> int:
        """What is paid beyond the stake that comes back; for a share, nothing is known yet."""
        if self.kind is Kind.TO or self.kind is Kind.FOR:
            return stake * self.number // self.per
        return self.number if self.kind is Kind.SUM else 0

    def stake_back(self, stake: int) -> int:
        """How much of the stake comes back."""
        return stake if self.kind is Kind.TO or self.kind is Kind.PUSH else 0

    def __str__(self) -> str:
        return self.said

    def _said(self) -> str:
        match self.kind:
            case Kind.TO:
                return f"{self.number:,} to {self.per}"
            case Kind.FOR:
                return f"{self.number:,} for {self.per}"
            case Kind.SHARE:
                return f"{self.number}% of {'meter' if self.level == 'main' else self.level}"
            case Kind.SUM:
                return dollars(self.number)
            case _:
                return str(self.kind.value)


PUSH = Odds(Kind.PUSH)
LOSS = Odds(Kind.LOSS)
EVEN_MONEY = Odds(Kind.TO, 1)

_N = r"(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d*)"
_CELL = re.compile(
    rf"(?P<to>{_N}) to (?P<per>[1-9]\d*)"
    rf"|(?P<for>{_N}) for 1"
    r"|(?P<share>100|[1-9]\d?)% of (?P<level>meter|mega|major|minor)"
    rf"|\$(?P<sum>{_N})"
    r"|(?P<push>push)"
    r"|loss|n/a",
    re.ASCII,
)


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def dollars(cents: int) -> str:
    """Cents as a person reads them."""
    whole, rest = divmod(abs(cents), 100)
    sign = "-" if cents < 0 else ""
    return f"{sign}${whole:,}.{rest:02d}" if rest else f"{sign}${whole:,}"


def odds(cell: str) -> Odds:
    """The odds that a cell of a paytable states."""
    found = _CELL.fullmatch(cell)
    if found is None:
        raise ValueError(
            f"{cell!r} is not a payout; write '50 to 1', '9 for 1', '10% of meter', "
            "'100% of mega', '$500', 'push', 'loss' or 'n/a'"
        )
    if found["to"]:
        return Odds(Kind.TO, _number(found["to"]), int(found["per"]))
    if found["for"]:
        return Odds(Kind.FOR, _number(found["for"]))
    if found["share"]:
        level = "main" if found["level"] == "meter" else found["level"]
        return Odds(Kind.SHARE, int(found["share"]), level=level)
    if found["sum"]:
        return Odds(Kind.SUM, _number(found["sum"]) * 100)
    return PUSH if found["push"] else LOSS


class Row(NamedTuple):
    """One line of one column: which hands, and what they are paid."""

    hand: str
    odds: Odds


class PayTable:
    """One column of a printed table, ready to be asked.

    Rows are tried from the top and the first that the hand fits is the one that is paid, so
    "royal flush" stands above "straight flush", which would fit it as well.
    """

    __slots__ = ("_rows", "_starts", "clause", "name", "ranking", "rows")

    def __init__(self, name: str, clause: str, ranking: Ranking, rows: Iterable[Row]) -> None:
        self.name = name
        self.clause = clause
        self.ranking = ranking
        self.rows = tuple(rows)
        self._starts, self._rows = _pieces(ranking, self.rows)

    def row_for(self, strength: int) -> Row | None:
        """The row that a hand of this strength is paid by; None where the table has none."""
        return self._rows[bisect_right(self._starts, strength) - 1]

    def odds_for(self, strength: int) -> Odds:
        row = self.row_for(strength)
        return LOSS if row is None else row.odds


def _pieces(ranking: Ranking, rows: Sequence[Row]) -> tuple[list[int], list[Row | None]]:
    """The scale cut into pieces, each with the row that pays it."""
    for row in rows:
        if row.hand not in ranking.spans:
            raise ValueError(
                f"{row.hand!r} is not a hand of the ranking {ranking.name!r}; "
                f"it knows {', '.join(ranking.spans)}"
            )
    starts, pieces = cut([ranking.spans[row.hand] for row in rows], rows)
    for n, row in enumerate(rows):
        if row not in pieces or row in rows[:n]:
            raise ValueError(f"{row.hand!r} can never be paid: rows above it take all its hands")
    return starts, pieces
