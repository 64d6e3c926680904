"""Results keep their counts and say which convention a figure follows."""

from __future__ import annotations

from fractions import Fraction

import pytest

from controller.rules.odds import stakes
from controller.rules.odds.result import Edge, Estimate, Hits
from controller.rules.paytables import LOSS, PUSH, PayTable, Row, odds
from controller.rules.rankings import FIVE


def test_the_text_is_not_reduced() -> None:
    edge = Edge(loss=50, deals=1000, wagered=4000)
    assert edge.text == "50/1000"
    assert edge.edge == Fraction(1, 20)
    assert edge.per_wagered == Fraction(1, 80)
    assert edge.exact


@pytest.mark.parametrize(("loss", "text"), [(50, "25/1000"), (51, "51/2000")])
def test_half_units_keep_the_edge(loss: int, text: str) -> None:
    edge = Edge(loss=loss, deals=1000, wagered=4000, unit=2)
    assert edge.edge == Fraction(loss, 2000)
    assert edge.text == text


def test_an_estimate_says_so() -> None:
    estimate = Estimate(loss=70, deals=1000, wagered=1000, standard_error=0.0123)
    assert not estimate.exact
    assert estimate.text == "7.000% ± 1.230%"


def test_hits() -> None:
    row = Row("royal flush", odds("100% of meter"))
    assert Hits(row, 4, 2_598_960).probability == Fraction(1, 649_740)


@pytest.mark.parametrize(
    ("cell", "net"),
    [("50 to 1", 100), ("3 to 2", 3), ("9 for 1", 16), ("push", 0), ("loss", -2)],
)
def test_net_in_halves_of_a_stake(cell: str, net: int) -> None:
    assert stakes.net(odds(cell), 2) == net


def test_the_stake_is_divided_finely_enough() -> None:
    table = PayTable(
        "t", "-", FIVE, [Row("flush", odds("3 to 2")), Row("straight", odds("4 to 3"))]
    )
    unit = stakes.unit(table)
    assert unit == 6
    low = FIVE.spans["flush"].low, FIVE.spans["straight"].low, 1
    assert stakes.nets(table, low, unit) == [9, 8, -6]
    assert stakes.all_paid(table, low, unit) == [9, 8, 0]


@pytest.mark.parametrize("cell", ["10% of meter", "$500"])
def test_what_does_not_scale_with_the_wager_is_refused(cell: str) -> None:
    with pytest.raises(ValueError, match="progressive"):
        stakes.net(odds(cell), 1)


def test_odds_that_could_overflow_are_refused() -> None:
    assert stakes.net(odds("200,000 to 1"), 2) == 400_000
    with pytest.raises(ValueError, match="beyond"):
        stakes.net(odds("10,000,001 to 1"), 1)
    assert stakes.net(PUSH, 6) == 0
    assert stakes.net(LOSS, 6) == -6
