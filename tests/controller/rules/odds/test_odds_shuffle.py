"""The sampled deals repeat, are deals, and favour no card."""

from __future__ import annotations

import numpy as np

from controller.rules.odds.shuffle import deals, dealt, splitmix64


def test_splitmix64_gives_its_published_outputs() -> None:
    # The outputs for this seed that accompany implementations of the generator.
    assert splitmix64(1234567, 0, 5).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert splitmix64(1234567, 3, 1).tolist() == [4593380528125082431]
    assert len(splitmix64((1 << 64) - 1, 1 << 60, 2)) == 2


def test_deals_do_not_depend_on_how_they_are_asked_for() -> None:
    together = deals(7, 0, 100, 40)
    apart = np.concatenate([deals(7, 0, 60, 40), deals(7, 60, 40, 40)], axis=1)
    assert np.array_equal(together, apart)
    assert not np.array_equal(together, deals(8, 0, 100, 40))


def test_every_deal_has_distinct_cards() -> None:
    cards = np.sort(deals(3, 0, 5000, 40), axis=0)
    assert (cards[:-1] < cards[1:]).all()
    assert cards.max() == 51


def test_every_card_is_as_likely_at_every_place() -> None:
    count = 52_000
    cards = deals(11, 0, count, 40)
    for place in (0, 1, 17, 39):
        seen = np.bincount(cards[place], minlength=52)
        spread = ((seen - count / 52) ** 2).sum() / (count / 52)
        assert spread < 51 + 5 * np.sqrt(2 * 51)


def test_a_draw_in_the_remainder_drops_its_deal() -> None:
    highest, lowest = (1 << 32) - 1, 0
    # 2**32 divided by 52 leaves a remainder, so a draw of 0 is one too many for the first card.
    draws = np.array([[lowest, highest, highest], [highest, highest, 1 << 31]], np.uint64)
    found = dealt(draws)
    assert found.shape == (2, 2)
    # The last card of 52, which leaves the first in its place: again the last, or the middle.
    assert found.T.tolist() == [[51, 0], [51, 26]]
