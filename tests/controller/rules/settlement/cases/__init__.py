"""Every printed figure as a round at a table: who sat there, what was down, what comes back.

A case knows its rulebook and its clauses and can be played with any library, so that the same
cases run as tests and against rulebooks with a figure changed on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.controller.rules.settlement.cases import cajun, caribbean, four_card_prime, raise_it_up
from tests.controller.rules.settlement.cases.case import Case


def all_cases() -> Iterator[Case]:
    for game in (caribbean, raise_it_up, four_card_prime, cajun):
        yield from game.cases()


__all__ = ["Case", "all_cases"]
