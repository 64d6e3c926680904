"""Acts under ids that others used before, for something else: none is swallowed, none is done."""

from __future__ import annotations

import random
from typing import Any

from controller.table import events
from controller.table.machine import step
from controller.table.people import Person
from tests.attacks.conftest import Tally
from tests.controller.table.playing import BOSS, DEALER, FLOOR, OTHER_DEALER, open_table

TRIES = 200


def test_no_act_hides_behind_anothers_id(tally: Tally) -> None:
    by_chance = random.Random(9)
    at = open_table("s10").shuffles().antes(1, 3)
    at.does(events.PlayerSat, seat=2, player="ann", id="act/mine")
    at.does(events.LockOutPressed, by=DEALER, id="act/lock")
    kinds: list[tuple[type[Any], dict[str, Any]]] = [
        (events.RoundVoided, {"reason": "a card fell"}),
        (events.DealPressed, {}),
        (events.LockOutPressed, {}),
        (events.ChipsCounted, {"chips": 1}),
        (events.TableClosed, {}),
        (events.PlayerLeft, {"seat": 1}),
    ]
    people: tuple[Person, ...] = (OTHER_DEALER, FLOOR, BOSS)
    bad = 0
    for n in range(TRIES):
        kind, given = by_chance.choice(kinds)
        by, id_ = by_chance.choice(people), by_chance.choice(("act/mine", "act/lock"))
        done = step(at.terms, at.table, kind(at=at.now + n, by=by, id=id_, **given))
        # Refused for what it is: the answer of the first act is not its own.
        bad += not done.refused or "taken for another act" not in done.refused
    tally("ids of other people's acts", TRIES, bad)
