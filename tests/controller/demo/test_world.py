"""What people do with the cards of a demonstration, as they would at a table."""

from __future__ import annotations

import random

from controller.demo.crew import Do
from controller.demo.world import World
from simulators.panel import Panel
from simulators.shoe import Shoe
from simulators.shuffler import Shuffler
from simulators.tabletop import SHOE, SHUFFLER, TableTop


def test_a_deck_in_the_shoe_that_must_be_shuffled_again_is_taken_out_first() -> None:
    top = TableTop()
    shuffler, shoe = Shuffler(top), Shoe(top)
    world = World(top, random.Random(0), Panel(), shuffler, shoe)
    world.do(Do("bring", name="A"))
    world.do(Do("put into shoe", name="A"))
    assert top.deck_at(SHOE) == "A"
    again = Do("put into shuffler", name="A")
    assert world.do(again) is shoe
    assert not top.count(SHOE)
    assert world.do(again) is shuffler
    assert top.count(SHUFFLER) == 52
