"""Whole rounds are dealt from the dealer's page by touch, on the real stack."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.controller.console.dealing import TOUCH, Dealer, dealing
from tests.controller.console.demonstrating import browser, demonstration
from tests.controller.console.recorded import acts_of
from tests.scenarios.test_play import table

#: Touches of a dealer in a round, besides the cards that are keyed in.
MOST_TOUCHES = 30
#: Text, way of dealing, seats, and what else the demonstration is told.
QUICK = [("pa-639a", "automated shoe", 2, ())]
WHOLE = [
    ("ma", "automated shoe", 7, ()),
    ("s10", "manual shoe", 7, ()),
    ("pa-639a", "automated shoe", 7, ("--no-faces",)),
    ("pa-639a", "hand", 7, ()),
    ("pa-669a", "automated shoe", 6, ()),
    ("pa-669a", "manual shoe", 6, ()),
    ("pa-682a", "hand", 6, ()),
    ("pa-682a", "automated shoe", 6, ()),
    ("pa-683a", "automated shoe", 6, ("--no-faces",)),
]


@pytest.mark.parametrize(
    ("book", "method", "seats", "words"),
    [*QUICK, *(pytest.param(*one, marks=pytest.mark.slow) for one in WHOLE)],
)
async def test_a_round_is_dealt_by_touch(
    book: str, method: str, seats: int, words: tuple[str, ...], tmp_path: Path
) -> None:
    data = table(book, method)
    data["options"]["seats"] = seats
    async with demonstration(tmp_path, data, *words) as felt, browser(**TOUCH) as context:
        async with dealing(felt, context) as dealer:
            number = await dealer.plays()
            assert len(dealer.touched) <= MOST_TOUCHES, dealer.touched
            assert dealer.touched[-1] == "All cards are in the rack"
        assert "Everything adds up." in await felt.ends()
        has_every_step(felt.folder, number, dealer)


def has_every_step(folder: Path, number: int, dealer: Dealer) -> None:
    """However few the touches were: each act is in the journal, none of them refused."""
    acts = list(acts_of(folder, number))
    assert [one for one in acts if one.refused] == []
    by = {one.body["by"]["id"] for one in acts if one.is_keyed and "by" in one.body}
    assert by == {"dealer-1"}
    done = Counter(one.kind for one in acts)
    assert done["lock_out_pressed"] == done["deal_pressed"] == done["cards_racked"] == 1
    played = {one.body["seat"] for one in acts if one.kind == "wager_placed"}
    assert played == {one.body["seat"] for one in acts if one.kind == "decided"}
    turned = [one.body["seat"] for one in acts if one.kind == "hand_turned"]
    assert turned == sorted(set(turned), reverse=True)
    by_hand = sum(one.body["cards"] for one in acts if one.kind == "cards_dealt")
    rows = [int(name.split()[-2]) for name in dealer.touched if "Dealt as prompted" in name]
    assert by_hand == sum(rows)
    if rows:
        assert done["cards_dealt"] > len(rows)
