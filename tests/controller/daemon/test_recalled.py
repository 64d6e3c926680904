"""A round that is asked for over the socket, as it lay: for whoever decides about a dispute."""

from __future__ import annotations

from pathlib import Path

from controller.rules.cards import DECK, name
from tests.controller.daemon.test_matters import fails
from tests.controller.daemon.test_picture import every_word
from tests.controller.daemon.test_taking import opened


async def test_an_unfinished_round_lies_as_it_lies_and_no_face_is_seen_before_its_time(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as at:
        seen = await at.until("deciding")
        (one,) = (await at.house.asks("recall", {"round": 1}))["rounds"]
        assert (one["finished"], one["phase"], one["up_card"]) == (
            False, "deciding", seen["up_card"],
        )  # fmt: skip
        assert one["placed"]["dealer"] == 5
        assert [seat["dealt"] for seat in one["seats"]] == [5] * len(one["seats"])
        assert every_word(one) & {name(card) for card in DECK} == {seen["up_card"]}


async def test_a_void_round_keeps_its_wagers_and_every_hold_with_its_end(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        await at.until("deciding")
        await fails(at, "shuffler", "shuffler jam")
        cleared = await at.takes(await at.find("Clear hold 1"), fields={"reason": "card freed"})
        seen = await at.looks()
        wagers = {seat["number"]: seat["wagers"] for seat in seen["seats"] if seat["wagers"]}
        await at.takes(await at.find("The round is void"), fields={"reason": "a dispute"})
        (one,) = (await at.house.asks("recall", {"round": 1}))["rounds"]
        assert one["void"] == "a dispute"
        assert {seat["seat"]: seat["wagers"] for seat in one["seats"]} == wagers
        (held,) = one["held"]
        assert (held["where"], held["cause"]) == ("shuffler", "shuffler jam")
        assert held["seq"] < cleared["seq"] == held["cleared"]["seq"]
        assert (held["cleared"]["by"], held["cleared"]["reason"]) == ("floor-1", "card freed")
        (line,) = (await at.house.asks("recall", {"brief": True}))["rounds"]
        assert line == {
            "round": 1, "finished": False, "began": one["began"], "ended": one["ended"],
            "phase": "clearing", "void": "a dispute", "deck": "A", "method": one["method"],
            "seats": len(wagers), "held": 1, "paid": 0,
        }  # fmt: skip
