"""Caribbean Stud: the counts behind it against plain enumeration, and the published figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from controller.rules.cards import card, cards
from controller.rules.odds import caribbean
from controller.rules.odds.bulk import five, five_places, hands
from controller.rules.paytables import PayTable
from controller.rules.rankings import FIVE

BET: Mapping[str, str] = {
    "royal flush": "100 to 1",
    "straight flush": "50 to 1",
    "four-of-a-kind": "20 to 1",
    "full house": "7 to 1",
    "flush": "5 to 1",
    "straight": "4 to 1",
    "three-of-a-kind": "3 to 1",
    "two pair": "2 to 1",
    "pair or less": "1 to 1",
}


@pytest.fixture(scope="module")
def dealer() -> caribbean.Dealer:
    return caribbean.Dealer()


@pytest.mark.parametrize(
    ("player", "upcard"),
    [
        ("2c 2d 3h 4s 5c", "2h"),
        ("As Kd Qh Jc 9s", "Ah"),
        ("Ac Kc Qd 7h 2s", "Kd"),
        ("Ac Kd 4h 3s 2c", "As"),
        ("Ah Qd Jc 8s 3h", "3c"),
        ("7c 5d 4h 3s 2c", "2d"),
        ("Ts 9s 8s 7s 6s", "Js"),
        ("As Ks Qs Js Ts", "Ad"),
        ("8c 8d 8h Ks Kc", "8s"),
        ("Qd 9d 5d 4d 2d", "Kd"),
        ("6c 7d 8h 9s Tc", "5c"),
        ("Jc Jd 9h 9s Ac", "Jh"),
    ],
)
def test_dealers_hands(dealer: caribbean.Dealer, player: str, upcard: str) -> None:
    own, up = sorted(cards(player)), card(upcard)
    rest = np.array([c for c in range(52) if c not in own and c != up], np.uint8)
    # The hands of a deck of 46 are the first ones in the list of all.
    others = rest[hands(4)[:, : comb(46, 4)]]
    dealt = five(np.concatenate([others, np.full((1, others.shape[1]), up, np.uint8)]))
    mine = FIVE.strength(own)
    qualified = dealt >= FIVE.spans["ace-king"].low

    players = np.array(own, np.uint8)[:, None]
    found = dealer.against(players, five_places(players))

    assert found.unqualified[0, up] == (~qualified).sum()
    assert found.beaten[0, up] == (qualified & (dealt < mine)).sum()
    assert found.tied[0, up] == (qualified & (dealt == mine)).sum()
    assert found.better[0, up] == (qualified & (dealt > mine)).sum()


def test_the_published_edge(make_table: Callable[..., PayTable]) -> None:
    said: list[tuple[str, int, int]] = []
    edge = caribbean.main_game(
        make_table(FIVE, BET), lambda what, done, total: said.append((what, done, total))
    )
    assert edge.text == "1041372912372/19933230517200"
    assert edge.deals == comb(52, 5) * 47 * comb(46, 4)
    assert edge.edge == Fraction(1_041_372_912_372, 19_933_230_517_200)
    # Elsewhere published as 2.56% of all money wagered.
    assert round(float(edge.per_wagered), 4) == 0.0256
    assert said[-1] == ("hands of the player", 134_459, 134_459)
