"""felt is killed in the middle of a deal. Where the shoe can say what happened, nobody is called.

A stack that was on its way is asked about, and the shoe's own word settles it: out, or not begun,
as its count of cards bears out. Only what stays in doubt is a hold.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal.reader import Reader
from controller.replay import Replay
from controller.table.delivery import unanswered_cause
from tests.scenarios.kill.killer import Strike
from tests.scenarios.kill.live import DISPENSE_S
from tests.scenarios.kill.story import Story

#: Around an order for a stack: when it is given, when it comes, when it is taken.
MOMENTS = ("shoe dispense", "stack given", "stack taken")


def mid_deal(seed: int, count: int) -> Iterator[Strike]:
    """Kills right at the moment, and a little later: while the stack is on its way, or has come."""
    chance = random.Random(f"mid-deal/{seed}")
    for number in range(count):
        when = MOMENTS[number % len(MOMENTS)]
        at_once = when == "shoe dispense" and chance.random() < 0.5
        after = 0.0 if at_once else chance.uniform(0, 1.5 * DISPENSE_S)
        down = chance.choice((0.0, 0.0, 0.2, 1.0))
        yield Strike("daemon", when, after, down, at_once=at_once)


def unanswered(story: Story) -> list[int]:
    """The stacks for which a floorperson was called because nobody knew what became of them."""
    live, found = story.live, []
    with Reader.look(live.configuration.journal, live.configuration.terms.id) as reader:
        known: set[int] = set()
        for played in Replay(reader, live.library).events():
            for hold in played.step.table.holds:
                number = played.step.table.deal.done
                asked = {unanswered_cause(one) for one in (number, number + 1)}
                if hold.number not in known and hold.cause in asked:
                    found.append(hold.number)
                known.add(hold.number)
    return found


@pytest.mark.rule("R31", "R10")
@pytest.mark.parametrize(("seed", "count"), [(1, 3), pytest.param(2, 21, marks=pytest.mark.slow)])
async def test_a_kill_in_mid_deal_calls_nobody_where_the_shoe_knows(
    tmp_path: Path, seed: int, count: int
) -> None:
    story = Story(tmp_path, seed)
    told = await story.play(list(mid_deal(seed, count)))
    assert story.live.daemon.starts == count + 1
    asked = told.kinds["dispense_unanswered"]
    assert asked, "no kill came while a stack was on its way"
    assert unanswered(story) == []
    assert not told.void
