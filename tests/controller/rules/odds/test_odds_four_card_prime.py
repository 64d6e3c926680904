"""Four Card Prime: the counts against plain enumeration, and the settlement of the bonuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb

import numpy as np
import pytest

from controller.rules.cards import cards
from controller.rules.odds import four_card_prime, holding
from controller.rules.odds.bulk import Cards, blocks, fours
from controller.rules.odds.four_card_prime import Counts
from controller.rules.odds.suits import bits, classes
from controller.rules.paytables import PayTable
from controller.rules.rankings.four import FOUR

HANDS = ("four-of-a-kind", "straight flush", "three-of-a-kind")


def bonuses(odds: str, kind: str) -> dict[str, str]:
    return {hand: f"{n} {kind} 1" for hand, n in zip(HANDS, odds.split("/"), strict=True)}


def dealers_without(own: list[int]) -> Iterator[Cards]:
    """All six-card hands of the other 47 cards."""
    rest = np.array([c for c in range(52) if c not in own], np.uint8)
    for block in blocks(6):
        if block[-1, 0] < 47:
            yield rest[block]


def test_hands_that_hold_four_cards() -> None:
    order = fours()
    part, count = next(holding._histograms(4, 6, order.best_places, len(order.strengths)))
    sets = classes(4).cards[:, part].T.tolist()
    for kind in range(0, len(sets), 150):
        left = [c for c in range(52) if c not in sets[kind]]
        expected = np.zeros(len(order.strengths), np.int64)
        for n, fifth in enumerate(left):
            for sixth in left[:n]:
                strength = FOUR.strength([*sets[kind], fifth, sixth])
                expected[np.searchsorted(order.strengths, strength)] += 1
        assert np.array_equal(count[kind], expected)


def test_hands_that_hold_all_of_the_players() -> None:
    order = fours()
    some = classes(5).cards[:, ::3001]
    places = order.best_places(some)
    found = four_card_prime._holding_all(order, some, places)
    for own, number in zip(some.T.tolist(), found.tolist(), strict=True):
        mine = FOUR.strength(own)
        others = (c for c in range(52) if c not in own)
        assert number == sum(FOUR.strength([*own, c]) <= mine for c in others)


def one_hand(hand: str, won: int) -> Counts:
    strength = FOUR.strength(cards(hand))
    return Counts(*(np.array([n], np.int64) for n in (strength, 1, won)))


ALL = comb(47, 6)


@pytest.mark.parametrize(
    ("hand", "won", "loss", "wagered"),
    [
        # Too weak: the Ante is given up.
        ("2c 3d 5h 7s 9c", ALL // 10, ALL, ALL),
        # Wins too little to raise more than once, too much to fold.
        ("9c 9d 5h 7s 2c", ALL // 3, 2 * (ALL - 2 * (ALL // 3)), 2 * ALL),
        # Wins more often than not: three times the Ante.
        ("Ac Ad 5h 7s 2c", ALL // 2 + 1, 4 * (ALL - 2 * (ALL // 2 + 1)), 4 * ALL),
        # Three-of-a-kind: two Antes more when it wins; beaten, ten Antes against the Raise.
        ("Ac Ad Ah 7s 2c", ALL - 100, 100 * (3 - 10) - (ALL - 100) * 6, 4 * ALL),
        # Four-of-a-kind and straight flush by their own lines.
        ("Ac Ad Ah As 2c", ALL - 1, (3 - 100) - (ALL - 1) * 29, 4 * ALL),
        ("Ac Kc Qc Jc 2d", ALL - 1, (3 - 50) - (ALL - 1) * 24, 4 * ALL),
    ],
)
def test_settlement(
    make_table: Callable[..., PayTable], hand: str, won: int, loss: int, wagered: int
) -> None:
    edge = four_card_prime.edge(
        one_hand(hand, won),
        make_table(FOUR, bonuses("25/20/2", "for")),
        make_table(FOUR, bonuses("100/50/10", "to")),
    )
    assert (edge.loss, edge.wagered) == (loss, wagered)


@pytest.mark.slow
def test_counts_and_edges(make_table: Callable[..., PayTable]) -> None:
    found = four_card_prime.counts()
    assert int(found.weight.sum()) == comb(52, 5)
    for hand in ("Ac Ad 5h 7s 2c", "Ks Qs Js Ts 2d", "8c 8d 8h 9s 9c", "2c 3d 4h 6s 7c"):
        own = sorted(cards(hand))
        mine = FOUR.strength(own)
        no_better = sum(
            int((fours().strengths[fours().best_places(block)] <= mine).sum())
            for block in dealers_without(own)
        )
        kind = classes(5).of(bits(np.array(own, np.uint8)[:, None]))[0]
        assert found.strengths[kind] == mine
        assert found.won[kind] == no_better

    win = make_table(FOUR, bonuses("25/20/2", "for"))
    expected = {
        "25/20/2": 919_088_332_404,
        "50/40/5": 866_347_361_940,
        "100/50/5": 865_750_445_340,
        "100/50/10": 779_451_162_900,
    }
    for bad_beat, loss in expected.items():
        edge = four_card_prime.edge(found, win, make_table(FOUR, bonuses(bad_beat, "to")))
        assert edge.text == f"{loss}/27906522724080"
        assert edge.wagered == 59_447_413_256_616
