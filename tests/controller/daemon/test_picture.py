"""One picture of the table, for whoever draws it: all that may be shown, and nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from controller.daemon.questions import locks_first
from controller.rules.cards import DECK, name
from controller.table.events import LockOutPressed
from tests.controller.daemon.house import PEOPLE, House, table_file
from tests.controller.daemon.test_actions import with_seat_devices
from tests.controller.daemon.test_taking import opened
from tests.controller.table.playing import AtTheTable

#: What pages, console and bench were promised.
PICTURE = {
    "table", "title", "jurisdiction", "rulebook", "seq", "at", "badge", "round", "phase", "street",
    "method", "void", "seats", "places", "up_card", "decks", "shuffler", "shoe", "due", "holds",
    "devices", "meters", "meter_titles", "wins", "link", "late", "withheld", "wagers",
    "denominations", "people", "on_duty", "wrong", "healthy", "prompts", "offers", "matters",
    "credentials", "stands_in",
}  # fmt: skip
SEAT = {
    "number", "player", "wagers", "tender", "lamp", "acceptor_locked", "terminal_locked", "dealt",
    "acted", "chosen", "folded", "void", "forfeited", "left", "cards", "hand", "balance", "last",
}  # fmt: skip
OFFER = {
    "id", "who", "title", "clause", "seat", "group", "acts", "asks", "follows", "hold_to_press",
}  # fmt: skip
ASK = {
    "name", "shape", "words", "act", "count", "choices", "least", "most", "step", "required",
    "includes",
}  # fmt: skip


def every_word(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set().union(*map(every_word, value.values())) if value else set()
    if isinstance(value, list):
        return set().union(*map(every_word, value)) if value else set()
    return set(str(value).split())


async def test_it_has_what_pages_were_promised(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        for phase in ("opening", "betting", "dealing", "deciding", "settling", "clearing"):
            seen = await at.until(phase)
            assert set(seen) == PICTURE
            assert all(set(one) == SEAT for one in seen["seats"])
            assert all(set(one) == OFFER for one in seen["offers"])
            assert all(set(one) == ASK for offer in seen["offers"] for one in offer["asks"])
            assert all(set(one) == {"action", "with"} for o in seen["offers"] for one in o["acts"])
            prompt = {"who", "text", "clause", "seat", "answer", "offer"}
            assert all(set(one) == prompt for one in seen["prompts"])
            assert seen["seq"] <= at.house.service.journal.head.seq
        assert seen["table"] == "test-1"
        assert seen["people"] == [{"id": id_, "roles": roles} for id_, roles in PEOPLE.items()]


async def test_a_card_is_in_it_once_it_lies_face_up(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        seen = await at.until("deciding")
        up = seen["up_card"]
        assert up
        assert seen["places"]["dealer"] == {"cards": "", "count": 5}
        shown = {k: v for k, v in seen.items() if k != "offers"}
        assert every_word(shown) & {name(one) for one in DECK} == {up}
        seen = await at.until("settling")
        assert up in seen["places"]["dealer"]["cards"].split()
        dealt = [one for one in seen["seats"] if one["dealt"] and not one["folded"]]
        assert all(len(one["cards"].split()) == 5 for one in dealt)


async def test_it_is_as_new_as_the_last_answer(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        for _ in range(4):
            seen = await at.looks()
            done = await at.takes(await at.find(seen["offers"][0]["title"]))
            assert (await at.looks())["seq"] >= done["seq"] > seen["seq"]


async def test_the_wagers_of_the_table_with_their_sums(tmp_path: Path) -> None:
    async with House(with_seat_devices(tmp_path)).with_desk().running() as house:
        seen = await house.asks("picture")
        wagers = seen["wagers"]
        assert (wagers["ante"]["least"], wagers["ante"]["most"]) == (500, 50_000)
        assert wagers["progressive"]["on"] == "acceptor"
        assert wagers["progressive"]["amounts"] == [100]
        assert wagers["bet"]["amounts"] is None
        assert all(one["clause"] for one in wagers.values())
        status = await house.asks("status")
        for same in ("meters", "holds", "prompts", "on_duty", "phase", "round"):
            assert seen[same] == status[same]


async def test_a_lock_out_goes_before_a_picture(tmp_path: Path) -> None:
    async with House(with_seat_devices(tmp_path)).with_desk().running() as house:
        core, terms = house.service.core, house.service.recorder.terms
        at = AtTheTable(terms)
        at.now = house.service.clock.wall_ms() - 300_000
        at.opens().sits(1).shuffles().antes(1).locks()
        (pressed,) = (n for n, one in enumerate(at.taken) if isinstance(one, LockOutPressed))
        for event in at.taken[: pressed + 1]:
            assert not (await house.takes(event)).step.refused
        looks = asyncio.create_task(locks_first(core))
        await asyncio.sleep(0)
        assert not looks.done()
        # Nobody confirms, and the picture comes all the same.
        seen = await house.asks("picture")
        assert not all(one["acceptor_locked"] for one in seen["seats"])
        await looks
        for event in at.taken[pressed + 1 :]:
            assert not (await house.takes(event)).step.refused
        looks = asyncio.create_task(locks_first(core))
        await asyncio.sleep(0)
        assert looks.done()


async def test_whoever_may_look_may_look(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        seen = await house.asks("picture")
        assert seen["phase"] == "closed"
        assert [one["title"] for one in seen["offers"] if one["group"] == "due"]
