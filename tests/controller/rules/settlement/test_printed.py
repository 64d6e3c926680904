"""Every column of every printed table, hand by hand, settled at a table."""

from __future__ import annotations

import pytest

from tests.controller.rules.rounds import library
from tests.controller.rules.settlement.cases import Case, all_cases


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=f"{case.rulebook}-{case.name}", marks=pytest.mark.rule(*case.clauses))
        for case in all_cases()
    ],
)
def test_a_printed_payout(case: Case) -> None:
    case.play(library())
