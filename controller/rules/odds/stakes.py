"""Odds as whole numbers of parts of a stake, so that sums over deals stay exact.

A settlement rounds 3 to 2 down to the cent. The odds of a game must not depend on the size
of a wager, so here the stake is divided finely enough for every row of the table instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import lcm

from controller.rules.paytables import Kind, Odds, PayTable

#: Sums of 64 bits are safe for any printed odds; beyond this they would no longer be.
_HIGHEST = 10_000_000


def unit(*tables: PayTable) -> int:
    """Into how many parts a stake must be divided for all payouts of the tables to be whole."""
    return lcm(*(row.odds.per for table in tables for row in table.rows))


def paid(odds: Odds, parts: int) -> int:
    """What a stake of ``parts`` is paid, without the stake itself."""
    if odds.kind is Kind.SHARE or odds.kind is Kind.SUM:
        raise ValueError(f"{odds} does not scale with the wager; it belongs to a progressive")
    if odds.number * parts > _HIGHEST * odds.per:
        raise ValueError(f"{odds} is beyond the odds that can be counted exactly")
    return odds.winnings(parts)


def net(odds: Odds, parts: int) -> int:
    """How far a stake of ``parts`` leaves the player ahead; negative is behind."""
    return paid(odds, parts) + odds.stake_back(parts) - parts


def nets(table: PayTable, strengths: Iterable[int], parts: int) -> list[int]:
    """``net`` for each of the strengths."""
    return [net(table.odds_for(int(strength)), parts) for strength in strengths]


def all_paid(table: PayTable, strengths: Iterable[int], parts: int) -> list[int]:
    """``paid`` for each of the strengths."""
    return [paid(table.odds_for(int(strength)), parts) for strength in strengths]
