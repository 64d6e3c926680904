"""What waits for the floor, in the picture: since when, by which entry, and what answers it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from controller.daemon import pins
from controller.daemon.client import Answered
from controller.daemon.matters import PARTS, Matter, waiting
from controller.journal.reader import Reader
from controller.table import events
from controller.table.machine import new_table, step
from controller.table.offering import offered
from controller.table.people import Person
from tests.controller.daemon.house import House, table_file, wrong_pin
from tests.controller.daemon.test_taking import Taker, opened
from tests.controller.table.playing import BOOKS, AtTheTable, terms_of

HOLD = {
    "id", "kind", "who", "text", "clause", "seat", "hold", "device", "since", "age_s", "entry",
    "offers", "also",
}  # fmt: skip


def kind_of(house: House, entry: int) -> str:
    """What the journal has under an entry."""
    with Reader.look(house.configuration.journal) as reader:
        return reader.entry(entry).body.decode().split('"kind":"')[1].split('"')[0]


def named(seen: dict[str, Any], ids: list[str]) -> list[str]:
    by_id = {one["id"]: one["title"] for one in seen["offers"]}
    return [by_id[one] for one in ids]


async def fails(at: Taker, device: str, nature: str) -> None:
    now = at.house.service.clock.wall_ms()
    await at.house.service.core.post(events.DeviceFaulted(at=now, device=device, nature=nature))


async def test_the_oldest_comes_first_and_each_has_its_entry(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        await at.until("betting")
        assert [one["kind"] for one in (await at.looks())["matters"]] == []
        await fails(at, "shuffler", "shuffler jam")
        await asyncio.sleep(0.01)
        await fails(at, "acceptor 2", "it is jammed")
        seen = await at.looks()
        first, second = seen["matters"]
        assert set(first) == HOLD
        assert (first["id"], first["kind"], first["hold"]) == ("hold 1", "hold", 1)
        assert (first["device"], first["seat"]) == ("shuffler", None)
        assert (second["device"], second["seat"]) == ("acceptor 2", 2)
        assert first["since"] == seen["holds"][0]["since"] < second["since"]
        assert kind_of(at.house, first["entry"]) == "device_faulted"
        assert first["entry"] < second["entry"] <= seen["seq"]
        assert named(seen, first["offers"]) == ["Clear hold 1: shuffler"]
        assert named(seen, first["also"]) == ["I have seen hold 1: shuffler"]
        # It waits on, with the same beginning, and the other is the first when it is cleared.
        await at.takes(await at.find("I have seen hold 1"))
        seen = await at.looks()
        assert seen["matters"][0]["entry"] == first["entry"]
        assert seen["matters"][0]["also"] == []
        assert seen["holds"][0]["seen_by"]
        await at.takes(await at.find("Clear hold 1"))
        assert [one["id"] for one in (await at.looks())["matters"]] == ["hold 2"]


def of(at: AtTheTable) -> tuple[Matter, dict[str, str]]:
    """The one matter of a table, and the titles of what is offered there by id."""
    found = offered(at.terms, at.table)
    (matter,) = waiting(at.terms, at.table, found)
    return matter, {one.id: one.title for one in found.offers}


def test_a_question_has_both_of_its_answers() -> None:
    at = AtTheTable(terms_of("s10")).opens().sits(1).shuffles().antes(1).locks().deals()
    at.does(events.CardExposed, where="dealer")
    matter, titles = of(at)
    assert [titles[one] for one in matter.offers] == [
        "A card was seen: confirm that the round is void",
        "No card was seen: the round goes on",
    ]


def test_what_else_concerns_its_seat_is_with_it() -> None:
    at = AtTheTable(terms_of("pa-639a")).opens().sits(1, 3).shuffles().antes(1).antes(3).locks()
    at.does(events.PlayerLeft, seat=3)
    matter, titles = of(at)
    assert (matter.id, [titles[one] for one in matter.offers]) == (
        "hold 1",
        ["Clear hold 1: seat 3"],
    )
    assert {titles[one] for one in matter.also} == {
        "I have seen hold 1: seat 3",
        "The wagers of seat 3 are abandoned",
        "The wagers of seat 3 stay: the hand is played on",
    }


@pytest.mark.parametrize("book", BOOKS)
def test_nothing_begins_to_wait_by_an_event_that_is_not_looked_at(book: str) -> None:
    """For most events nobody asks what waits."""
    at = AtTheTable(terms_of(book)).opens().sits(1, 3).plays(1, 3)
    at.does(events.DeviceFaulted, device="shuffler", nature="red light")
    at.does(events.HoldCleared, hold=1, by=Person("floor-2", "floorperson"), reason="a bulb")
    table, known, looked = new_table(at.terms), set[str](), 0
    for event in at.taken:
        after = step(at.terms, table, event).table
        waits = {one.id for one in waiting(at.terms, after)}
        if any(getattr(table, part) is not getattr(after, part) for part in PARTS):
            known, looked = waits, looked + 1
        assert known == waits, event
        table = after
    assert looked < len(at.taken)


async def test_a_locked_credential_waits_for_a_supervisor(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    pins.keep(tmp_path / "secrets", "dealer-1", "1111")
    async with House(file).with_desk().running() as house:
        for n in range(2):
            with pytest.raises(Answered, match="wrong"):
                await house.asks("sign_on", as_="dealer-1:dealer", pin=f"{n}")
        at = house.service.clock.wall_ms()
        for _ in range(8):
            await house.takes(wrong_pin(at, "dealer-1", "page 192.0.2.7"))
        seen = await house.asks("picture")
        (matter,) = [one for one in seen["matters"] if one["kind"] == "credential"]
        assert matter["who"] == "supervisor"
        assert kind_of(house, matter["entry"]) == "credential_refused"
        (locked,) = seen["credentials"]
        assert (locked["person"], locked["wrong"]) == ("dealer-1", 10)
        assert named(seen, matter["offers"]) == ["Unlock the credential of dealer-1"]


async def test_after_a_restart_it_has_waited_since_it_began(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        await at.until("deciding")
        await fails(at, "shuffler", "shuffler jam")
        (before,) = (await at.looks())["matters"]
        file = tmp_path / "table.toml"
    async with House(file).with_desk().running() as house:
        assert house.desk is not None
        await house.desk.matters.look_back()
        (now,) = (await house.asks("picture"))["matters"]
        assert (now["since"], now["entry"]) == (before["since"], before["entry"])
