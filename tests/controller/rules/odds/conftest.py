"""Paytables written as a person would, for the tests of odds."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from controller.rules.paytables import PayTable, Row, odds
from controller.rules.rankings import Ranking


@pytest.fixture(scope="session")
def make_table() -> Callable[..., PayTable]:
    def make(ranking: Ranking, rows: Mapping[str, str]) -> PayTable:
        return PayTable(
            "test", "-", ranking, [Row(hand, odds(cell)) for hand, cell in rows.items()]
        )

    return make
