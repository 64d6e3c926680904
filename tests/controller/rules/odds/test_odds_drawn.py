"""Cajun Stud and Raise It Up Stud: against a plain solution of single hands, and as published."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from controller.rules.cards import cards
from controller.rules.odds import cajun, raise_it_up
from controller.rules.odds.suits import bits, classes
from controller.rules.paytables import Kind, PayTable
from controller.rules.rankings import FIVE

HANDS = (
    "royal flush",
    "straight flush",
    "four-of-a-kind",
    "full house",
    "flush",
    "straight",
    "three-of-a-kind",
    "two pair",
)
JACKS = (*HANDS, "pair of jacks or better", "pair of 6s to 10s")
TENS = (*HANDS, "pair of 10s or better")

CAJUN = {
    "A": "500 100 40 10 6 4 3 2 1 push",
    "B": "500 100 40 11 7 4 3 3/2 1 push",
    "C": "500 100 40 11 7 5 3 3/2 1 push",
}
PLAY = "100 20 10 6 5 4 3 3/2 1"
BLIND = "1000 200 30 4 3 2 1 push push"


def read(hands: tuple[str, ...], payouts: str) -> dict[str, str]:
    cells = (
        cell if cell == "push" else " to ".join(cell.split("/") if "/" in cell else (cell, "1"))
        for cell in payouts.split()
    )
    return dict(zip(hands, cells, strict=True))


def gain(table: PayTable, strength: int) -> Fraction:
    odds = table.odds_for(strength)
    if odds.kind is Kind.TO:
        return Fraction(odds.number, odds.per)
    return Fraction(0 if odds.kind is Kind.PUSH else -1)


def kind_of(own: tuple[int, ...]) -> int:
    return int(classes(len(own)).of(bits(np.array(sorted(own), np.uint8)[:, None]))[0])


@pytest.mark.parametrize("own", ["6h 5h", "Js 8d", "7c 2d"])
@pytest.mark.parametrize("name", ["A", "C"])
def test_cajun_by_plain_backward_induction(
    make_table: Callable[..., PayTable], own: str, name: str
) -> None:
    table = make_table(FIVE, read(JACKS, CAJUN[name]))

    @cache
    def paid(known: frozenset[int]) -> Fraction:
        return gain(table, FIVE.strength(sorted(known)))

    @cache
    def one_stake(known: frozenset[int]) -> Fraction:
        return sum((paid(known | {c}) for c in range(52) if c not in known), Fraction(0)) / 48

    @cache
    def ahead(known: frozenset[int], staked: int) -> Fraction:
        options = [Fraction(-staked)]
        for more in (staked + 1, staked + 2, staked + 3):
            if len(known) == 4:
                options.append(more * one_stake(known))
            else:
                left = [c for c in range(52) if c not in known]
                total = sum((ahead(known | {c}, more) for c in left), Fraction(0))
                options.append(total / len(left))
        return max(options)

    held = cards(own)
    found = cajun.best_play(table, unit=2).value[kind_of(held)]
    assert Fraction(int(found), 2 * 50 * 49 * 48) == ahead(frozenset(held), 1)


@pytest.mark.parametrize("own", ["9s 8s 7s", "Kc 7d 2h"])
def test_raise_it_up_by_plain_backward_induction(
    make_table: Callable[..., PayTable], own: str
) -> None:
    play, blind = make_table(FIVE, read(TENS, PLAY)), make_table(FIVE, read(TENS, BLIND))
    tens = FIVE.spans["pair of 10s or better"].low

    @cache
    def paid(known: frozenset[int]) -> tuple[Fraction, Fraction]:
        """Over the cards to come: what Ante and Blind gain if played, and what Play gains."""
        if len(known) == 6:
            strength = FIVE.strength(sorted(known))
            if strength < tens:
                return Fraction(-2), Fraction(-1)
            return 1 + gain(blind, strength), gain(play, strength)
        each = [paid(known | {c}) for c in range(52) if c not in known]
        first, second = (sum(gains, Fraction(0)) / len(each) for gains in zip(*each, strict=True))
        return first, second

    @cache
    def ahead(known: frozenset[int]) -> Fraction:
        start, once = paid(known)
        options = [start + times * once for times in range(1, 7 - len(known))]
        left = [c for c in range(52) if c not in known]
        if len(known) == 5:
            options = [start + once, Fraction(-2)]
        else:
            options.append(sum((ahead(known | {c}) for c in left), Fraction(0)) / len(left))
        return max(options)

    held = cards(own)
    found = raise_it_up.best_play(play, blind, unit=2).value[kind_of(held)]
    assert Fraction(int(found), 2 * 49 * 48 * 47) == ahead(frozenset(held))


@pytest.mark.parametrize(
    ("name", "text", "per_wagered"),
    [
        # The Board's range for these tables ends at 1.37% and 4.28% of all money wagered.
        ("A", "7664112/155937600", "1.37%"),
        ("B", "23753760/155937600", "4.28%"),
        ("C", "21996024/155937600", "3.92%"),
    ],
)
def test_cajun_as_published(
    make_table: Callable[..., PayTable], name: str, text: str, per_wagered: str
) -> None:
    edge = cajun.main_game(make_table(FIVE, read(JACKS, CAJUN[name])))
    assert edge.text == text
    assert f"{float(edge.per_wagered):.2%}" == per_wagered


def test_raise_it_up(make_table: Callable[..., PayTable]) -> None:
    edge = raise_it_up.main_game(
        make_table(FIVE, read(TENS, PLAY)), make_table(FIVE, read(TENS, BLIND))
    )
    assert edge.text == "85559244/2443022400"
    assert edge.per_wagered == Fraction(171_118_488, 16_182_385_008)
