"""What people do with the cards of a demonstration, as they would at a table."""

from __future__ import annotations

import random

from controller.demo.crew import Do
from controller.demo.world import World
from simulators.panel import Panel
from simulators.shoe import Shoe
from simulators.shuffler import Shuffler
from simulators.tabletop import SHOE, SHUFFLER, TableTop


def table() -> World:
    top = TableTop()
    return World(top, random.Random(0), Panel(), Shuffler(top), Shoe(top))


def test_a_new_deck_may_have_the_name_of_one_that_plays_no_more() -> None:
    world = table()
    world.do(Do("bring", name="A"))
    world.do(Do("put into shuffler", name="A"))
    world.top.lose(SHUFFLER)
    world.do(Do("put right", name="deck A"))
    world.do(Do("bring", name="A"))
    world.do(Do("put into shuffler", name="A"))
    assert world.top.count(SHUFFLER) == 52


def test_nobody_takes_a_deck_out_of_a_shuffler_that_runs() -> None:
    world = table()
    for name in ("A", "B"):
        world.do(Do("bring", name=name))
    world.do(Do("put into shuffler", name="A"))
    assert world.shuffler is not None
    world.shuffler.cycle = "running"
    world.do(Do("put into shuffler", name="B"))
    assert world.top.deck_at(SHUFFLER) == "A"


def test_a_deck_in_the_shoe_that_must_be_shuffled_again_is_taken_out_first() -> None:
    world = table()
    top, shuffler, shoe = world.top, world.shuffler, world.shoe
    world.do(Do("bring", name="A"))
    world.do(Do("put into shoe", name="A"))
    assert top.deck_at(SHOE) == "A"
    again = Do("put into shuffler", name="A")
    assert world.do(again) is shoe
    assert not top.count(SHOE)
    assert world.do(again) is shuffler
    assert top.count(SHUFFLER) == 52
