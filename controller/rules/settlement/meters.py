"""Meters while a round is settled: each award is taken off before the next seat's turn."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from controller.rules.paytables import Odds
from controller.rules.ruleset import MeterTerms


class RunningMeter:
    """One progressive meter from the first seat's turn to the last's."""

    def __init__(self, terms: MeterTerms, shows: Mapping[str, int], wager: int) -> None:
        self._terms = terms
        self._levels = {level: shows[level] for level in terms.levels}
        self._reserve = shows.get("reserve", 0)
        self._wager = wager
        self._shares: dict[Hashable, int] = {}

    def award(self, odds: Odds, sharers: int = 1, once: Hashable = None) -> int:
        """What one sharer gets of the level that ``odds`` name; the meter falls by all shares.

        A prize that several share carries a key in ``once``: it is valued and taken off at the
        first sharer's turn, and the others are told the same amount.
        """
        if once is not None and once in self._shares:
            return self._shares[once]
        value = self._levels[odds.level] * odds.number // 100
        each = value // sharers
        paid = each * sharers
        if odds.number == 100:
            # What does not divide stays with the players, on top of the new start.
            self._levels[odds.level] = self._restart(odds.level) + value - paid
        else:
            self._levels[odds.level] -= paid
        if once is not None:
            self._shares[once] = each
        return each

    def _restart(self, level: str) -> int:
        if self._terms.restarts_at == "reserve":
            start, self._reserve = self._reserve, 0
            return start
        start = self._terms.reseed_cents(level, self._wager)
        # The reserve funds the new start first; what it can't fund the house adds.
        self._reserve = max(0, self._reserve - start)
        return start

    def shows(self) -> dict[str, int]:
        reserve = {"reserve": self._reserve} if self._terms.has_reserve else {}
        return {**self._levels, **reserve}
