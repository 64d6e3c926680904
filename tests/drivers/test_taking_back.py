"""Before "no more bets", from the chip in its slot to the table and back."""

from __future__ import annotations

import pytest

from controller.table import events
from tests.drivers.house import House
from tests.drivers.people import FRAN


@pytest.mark.rule("PA-639a.7(c)")
def test_an_ante_that_is_withdrawn_brings_its_chip_back() -> None:
    house = House().opens().shuffles().antes(1, 3).chips(1, 3)
    assert house.top.money["player 1"] == 900
    house.does(events.WagerTakenBack, seat=1, wager="ante")
    house.until(lambda: house.top.money["player 1"] == 1000)
    house.run(2)
    assert house.acceptors[1].inside == []
    assert (house.acceptors[1].lamp, house.acceptors[3].lamp) == ("invite", "accepted")
    assert not house.acceptors[1].is_locked
    assert house.holds == []
    # And it may be placed again.
    house.antes(1).chips(1).locks()
    assert house.at.table.chips == 2


@pytest.mark.rule("PA-639a.7(c)")
def test_a_chip_that_its_player_takes_out_is_no_wager_and_nothing_more_goes_back() -> None:
    house = House().opens().shuffles().antes(1).chips(1)
    house.acceptors[1].take_back()
    house.until(lambda: "progressive" not in house.at.table.seat(1).wagers)
    house.acceptors[1].insert(100)
    house.until(lambda: house.acceptors[1].lamp == "accepted")
    house.run(2)
    assert house.acceptors[1].inside == [100]
    house.locks()
    assert house.at.table.chips == 1


@pytest.mark.rule("PA-639a.5(a)")
def test_a_chip_outlasts_a_shuffle_that_is_ordered() -> None:
    house = House().opens().shuffles().antes(1, 3).chips(1)
    house.does(events.ShuffleOrdered, by=FRAN, reason="a card was seen")
    house.run(2)
    # It rolled to the dealer as the acceptor closed; the light says that it is a wager still.
    assert (house.acceptors[1].rolled, house.acceptors[1].lamp) == (1, "accepted")
    house.top.move("shoe", "hands")
    house.run(1)
    house.clears()
    house.shuffles()
    assert house.at.table.seat(1).wagers == {"ante": 1000, "progressive": 100}
    assert house.acceptors[1].is_locked
    assert not house.acceptors[3].is_locked
    house.chips(3).locks()
    assert house.at.table.chips == 2
    house.deals()
    assert house.phase == "dealing"
