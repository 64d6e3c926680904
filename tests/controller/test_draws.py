"""Draws: every result as likely as any other, in each of the ranges that tables draw from.

The statistical test is one that can fail: sources with a small bias are shown to fail it. At its
significance a sound source fails once in a million runs.
"""

from __future__ import annotations

import inspect
import math
import random
import secrets
from collections import Counter

import pytest

from controller.draws import Below, answered
from controller.rules.cards import DECK, card, name
from controller.table import events
from controller.table.commands import RequestDraw
from controller.table.wagers import owed_draws
from tests.controller.table.playing import FLOOR, AtTheTable, open_table

SIGNIFICANCE = 1e-6
#: Cards, and one to eight seats with the dealer.
RANGES = [52, *range(2, 10)]


def request(among: int) -> RequestDraw:
    return RequestDraw(id="7.1", draw="magic_card" if among == 52 else "lucky", among=among)


def results(among: int) -> list[str]:
    if among == 52:
        return [name(one) for one in DECK]
    return [*map(str, range(1, among)), "dealer"]


def p_value(counts: list[int]) -> float:
    """How likely a sound source strays at least that far from equal counts: Pearson's test."""
    expected = sum(counts) / len(counts)
    half_chi = sum((n - expected) ** 2 for n in counts) / expected / 2
    half_freedom = (len(counts) - 1) / 2
    # One minus the lower incomplete gamma function, by its series.
    term = total = 1 / half_freedom
    n = half_freedom
    while term > total * 1e-16:
        n += 1
        term *= half_chi / n
        total += term
    log = half_freedom * math.log(half_chi) - half_chi - math.lgamma(half_freedom)
    return max(0.0, 1 - total * math.exp(log)) if half_chi else 1.0


def strays(among: int, below: Below) -> float:
    drawn = Counter(answered(request(among), 0, below).result for _ in range(1500 * among))
    assert set(drawn) <= set(results(among))
    return p_value([drawn[one] for one in results(among)])


def test_the_test_reckons_as_the_tables_do() -> None:
    # Upper percentage points of the chi-square distribution, from printed tables.
    for freedom, point, p in ((1, 3.841, 0.05), (8, 15.507, 0.05), (51, 68.669, 0.05)):
        # Two counts that stray by as much as it takes, the others as expected.
        off = math.sqrt(point * 10_000 / 2)
        counts = [10_000 + off, 10_000 - off, *[10_000] * (freedom - 1)]
        assert p_value(counts) == pytest.approx(p, rel=1e-3)  # type: ignore[arg-type]


@pytest.mark.rule("R39")
@pytest.mark.parametrize("among", RANGES)
def test_the_source_has_no_bias(among: int) -> None:
    assert strays(among, secrets.randbelow) > SIGNIFICANCE


@pytest.mark.rule("R39")
@pytest.mark.parametrize("among", RANGES)
def test_a_biased_source_would_be_noticed(among: int) -> None:
    wrapped: Below = lambda n: secrets.randbelow(n + 1) % n  # noqa: E731
    short: Below = lambda n: secrets.randbelow(n - 1)  # noqa: E731
    assert strays(among, wrapped) < SIGNIFICANCE
    assert strays(among, short) < SIGNIFICANCE


@pytest.mark.rule("R39")
def test_even_the_bias_of_a_byte_scaled_to_cards_would_be_noticed() -> None:
    """256 does not divide by 52: the classic slip, by which four cards come a fifth less often."""
    assert strays(52, lambda n: secrets.randbelow(256) % n) < SIGNIFICANCE


@pytest.mark.rule("R39")
@pytest.mark.parametrize("among", RANGES)
def test_each_number_of_the_source_is_one_result(among: int) -> None:
    """Nothing is scaled after the draw, so nothing can be scaled with a bias."""
    asked: list[int] = []

    def below(number: int, n: int) -> int:
        asked.append(n)
        return number

    found = [
        answered(request(among), 0, lambda n, number=number: below(number, n)).result  # type: ignore[misc]
        for number in range(among)
    ]
    assert found == results(among)
    assert asked == [among] * among


@pytest.mark.rule("R39")
def test_the_source_is_the_operating_systems_unless_another_is_put_there() -> None:
    assert inspect.signature(answered).parameters["below"].default is secrets.randbelow
    first = [answered(request(52), 0, random.Random(5).randrange) for _ in range(3)]
    again = [answered(request(52), 0, random.Random(5).randrange) for _ in range(3)]
    assert first == again


def test_a_card_is_drawn_among_52() -> None:
    with pytest.raises(ValueError, match="among 52, not among 51"):
        answered(RequestDraw(draw="magic_card", among=51), 0)


# --- At a table -------------------------------------------------------------


def drawing() -> tuple[AtTheTable, list[RequestDraw]]:
    at = open_table("pa-639a", draw_every={"magic_card": 1, "lucky": 1}).shuffles().antes(1, 3)
    commands = at.does(events.LockOutPressed)
    return at, [one for one in commands if isinstance(one, RequestDraw)]


@pytest.mark.rule("R39")
def test_the_machine_takes_every_answer_and_each_request_once() -> None:
    at, requests = drawing()
    assert {one.draw: one.among for one in requests} == {"magic_card": 52, "lucky": 8}
    for one in requests:
        event = answered(one, at.now + 1)
        given = {"draw": event.draw, "result": event.result, "id": event.id}
        at.does(events.Drawn, **given)
        assert "was taken already" in at.refuses(events.Drawn, **given)
        # Nor is it drawn again under another id.
        assert "is due" in at.refuses(events.Drawn, draw=event.draw, result=event.result)
    assert card(at.table.draws["magic_card"]) in DECK
    assert at.table.draws["lucky"] in results(8)


@pytest.mark.rule("R31")
def test_a_draw_that_was_asked_for_and_never_came_is_asked_for_again() -> None:
    """felt may end between the two, and the last event that it recorded need not be the request."""
    at, requests = drawing()
    assert len(owed_draws(at.terms, at.table)) == len(requests) == 2
    for left, one in enumerate(owed_draws(at.terms, at.table)):
        assert len(owed_draws(at.terms, at.table)) == 2 - left
        event = answered(one, at.now + 1)
        at.does(events.Drawn, draw=event.draw, result=event.result, id=event.id)
    assert not owed_draws(at.terms, at.table)


def test_no_draw_is_owed_where_no_round_waits_for_it() -> None:
    at, _ = drawing()
    at.does(events.RoundVoided, by=FLOOR, reason="a spilled drink")
    assert not owed_draws(at.terms, at.table)
