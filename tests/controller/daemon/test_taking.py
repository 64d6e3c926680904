"""Whoever takes what the table offers, over its socket, knows no rule and plays whole rounds."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.daemon import pins
from controller.daemon.client import Answered
from controller.recorder import Taken
from controller.rules.cards import DECK, name
from controller.table import events
from controller.table.offer import Offer
from controller.table.people import Person
from tests.controller.daemon.house import PEOPLE, House, table_file
from tests.controller.table.filling import Filling

#: In the order in which somebody looks at what is offered.
GROUPS = ("due", "may", "floor")


def by_people_alone(folder: Path, **changes: Any) -> Path:
    """A table at which people do everything: a manual shoe, and a panel that nobody presses."""
    file = table_file(folder, **changes)
    text = file.read_text().replace("automated shoe", "manual shoe")
    text = text.replace("[devices]\nshuffler = { counts = true }\n", "")
    file.write_text(text.replace('["shuffler", "shoe", "panel"]', '["panel"]'))
    return file


def who_may(role: str) -> str:
    """Anybody of the house who has the role: "PERSON:ROLE"."""
    return next(f"{one}:{role}" for one, roles in PEOPLE.items() if role in roles)


class Taker:
    """Sees pictures, takes offers, and fills in what they ask for."""

    def __init__(self, house: House, seed: int = 1) -> None:
        self.house = house
        self.filling = Filling(seed)
        self.random = random.Random(seed)
        self.pack: list[str] = []
        self.presses = 0

    async def looks(self) -> dict[str, Any]:
        found: dict[str, Any] = await self.house.asks("picture")
        return found

    async def find(self, words: str) -> Offer:
        """The one offer whose title has these words."""
        found = [one for one in offers_of(await self.looks()) if words in one.title]
        assert found, f"nothing with {words!r} is offered"
        return found[0]

    async def takes(self, offer: Offer, **more: Any) -> dict[str, Any]:
        seen = await self.looks()
        self.presses += 1
        given = {
            "offer": offer.id,
            "fields": more.pop("fields", None) or self.fields(offer),
            "round": more.pop("round", seen["round"]),
            "seq": more.pop("seq", seen["seq"]),
            "id": more.pop("id", f"press-{self.presses}"),
        }
        who = more.pop("as_", who_may(offer.who))
        done: dict[str, Any] = await self.house.asks("take", given, as_=who, **more)
        return done

    def fields(self, offer: Offer) -> dict[str, Any]:
        """What is asked for, as somebody would who sees the cards."""
        found = {}
        for ask in offer.asks:
            if ask.shape == "cards":
                found[ask.name] = self._dealt(ask.count or 0, ask.includes.split())
            elif ask.required:
                found[ask.name] = msgspec.to_builtins(self.filling.value(ask))
        return found

    def _dealt(self, count: int, known: list[str]) -> str:
        """The next cards of a pack that is shuffled when a round begins."""
        cards = [*known]
        while len(cards) < count:
            cards.append(self.pack.pop())
        return " ".join(cards)

    async def goes_on(self) -> str:
        """Take what is due, or else what leads on; answers with the phase."""
        return str((await self.takes(self.leads_on(await self.looks())))["phase"])

    def leads_on(self, seen: dict[str, Any]) -> Offer:
        """Of what a picture offers."""
        found = offers_of(seen)
        if seen["phase"] == "betting":
            self.pack = self.random.sample([name(one) for one in DECK], len(DECK))
        due = [one for one in found if one.group == "due" and "Remove" not in one.title]
        return max(due, key=lambda one: len(one.acts)) if due else self._besides(found)

    def _besides(self, found: list[Offer]) -> Offer:
        for act in ("table_opened", "player_sat", "wager_placed", "lock_out_pressed"):
            for one in found:
                if one.acts[0].action == act:
                    return one
        raise AssertionError(f"nothing leads on: {[one.title for one in found]}")

    async def until(self, phase: str) -> dict[str, Any]:
        for _ in range(200):
            seen = await self.looks()
            if seen["phase"] == phase:
                return seen
            await self.goes_on()
        raise AssertionError(f"{phase} never came")


def offers_of(seen: dict[str, Any]) -> list[Offer]:
    return msgspec.convert(seen["offers"], list[Offer])


@asynccontextmanager
async def opened(folder: Path, **changes: Any) -> AsyncIterator[Taker]:
    """A table that was opened: its panel is not there, so no self-check would let it."""
    async with House(by_people_alone(folder, **changes)).with_desk().running() as house:
        at, floor = house.service.clock.wall_ms(), Person("floor-1", "floorperson")
        taken = await house.takes(events.TableOpened(at=at, by=floor))
        assert not taken.step.refused
        yield Taker(house)


async def test_whole_rounds_are_played_by_taking_what_is_offered(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        for _ in range(3):
            await at.until("clearing")
            await at.until("betting")
        seen = await at.looks()
        assert seen["round"] >= 3
        assert not at.house.recorded(events.AttemptRefused)
        # The next round begins with what lay on the layout in the last one.
        repeat = await at.find("Repeat the last wagers of seat")
        last = next(one["last"] for one in seen["seats"] if one["number"] == repeat.seat)
        await at.takes(repeat)
        seats = (await at.looks())["seats"]
        assert next(one["wagers"] for one in seats if one["number"] == repeat.seat) == last


async def test_each_act_of_an_offer_is_an_event_of_its_own(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        await at.until("dealing")
        row = await at.find("Dealt as prompted")
        assert len(row.acts) > 1
        done = await at.takes(row, id="all-of-it")
        assert done["done"] == len(row.acts)
        dealt = at.house.recorded(events.CardsDealt)[-len(row.acts) :]
        assert [{"to": one.to, "cards": one.cards} for one in dealt] == [
            act.given for act in row.acts
        ]
        named = [re.fullmatch(r"act/all-of-it\.[0-9a-f]{8}/(\d)", one.id or "") for one in dealt]
        assert [one and int(one[1]) for one in named] == list(range(len(row.acts)))
        assert {one.by for one in dealt} == {Person("dealer-1", "dealer")}


async def test_a_sequence_stops_at_the_first_act_that_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        await at.until("dealing")
        service, row = at.house.service, await at.find("Dealt as prompted")

        def floor_steps_in(event: events.Event, taken: Taken) -> None:
            if isinstance(event, events.CardsDealt) and not taken.step.table.void:
                by = Person("floor-1", "floorperson")
                service.core.post(
                    events.RoundVoided(at=service.clock.wall_ms(), by=by, reason="a card fell")
                )

        service.listen(floor_steps_in)
        with pytest.raises(Answered, match=r"1 of \d+ were done; cards_dealt was refused") as why:
            await at.takes(row)
        assert why.value.code == "refused"
        first, second = at.house.recorded(events.CardsDealt)
        assert (first.id[-2:], second.id[-2:]) == ("/0", "/1")
        assert (await at.looks())["void"]


async def test_what_has_gone_by_is_stale_and_on_record(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        await at.until("betting")
        await at.takes(await at.find("Seat a player at seat 1"), fields={"player": "Ann"})
        leaves = await at.find("Ann leaves seat 1")
        with pytest.raises(Answered, match="is not offered now") as other:
            await at.takes(leaves, round=(await at.looks())["round"] + 1)
        assert other.value.code == "stale"
        await at.takes(leaves)
        with pytest.raises(Answered, match=r"press what is offered there") as gone:
            await at.takes(leaves)
        assert gone.value.code == "stale"
        tried = at.house.recorded(events.AttemptRefused)
        assert [(one.person, one.attempt) for one in tried] == [("dealer-1", "take")] * 2
        assert leaves.id in tried[0].reason
        assert len(at.house.recorded(events.PlayerLeft)) == 1


async def test_an_offer_outlives_what_does_not_concern_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        await at.until("betting")
        sits = await at.find("Seat a player at seat 1")
        await at.house.asks("sign_on", as_="dealer-2")
        await at.takes(await at.find("Ante of seat 2"))
        assert (await at.takes(sits, fields={"player": "Bob"}, seq=1))["phase"] == "betting"


def sat_at_1(house: House) -> list[str]:
    return [one.player for one in house.recorded(events.PlayerSat) if one.seat == 1]


async def test_a_press_that_is_sent_again_is_done_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        await at.until("betting")
        sits = await at.find("Seat a player at seat 1")
        some = [at.takes(sits, id="twice", fields={"player": "Ann"}) for _ in range(3)]
        told = await asyncio.gather(*some)
        assert sorted(one["repeated"] for one in told) == [False, True, True]
        assert len({one["seq"] for one in told}) == 1
        assert sat_at_1(at.house) == ["Ann"]
    # felt is started again, and the page has still no answer.
    async with House(tmp_path / "table.toml").with_desk().running() as house:
        again = Taker(house)
        done = await again.takes(sits, id="twice", fields={"player": "Ann"})
        assert (done["repeated"], done["done"]) == (True, 1)
        with pytest.raises(Answered, match="is not offered now"):
            await again.takes(sits, id="another", fields={"player": "Ann"})
        assert sat_at_1(house) == ["Ann"]


async def test_a_press_under_the_name_of_another_is_refused_in_words(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        await at.until("betting")
        one = await at.find("Seat a player at seat 1")
        await at.takes(one, fields={"player": "Ann"}, id="mine")
        other = await at.find("Ann leaves seat 1")
        assert (await at.takes(one, fields={"player": "Ann"}, id="mine"))["repeated"]
        for offer, player, who in (
            (other, "", "dealer-1:dealer"), (one, "Eve", "dealer-1:dealer"),
            (other, "", "dealer-2:dealer"), (one, "Ann", "floor-1:floorperson"),
        ):  # fmt: skip
            fields = {"player": player} if player else {}
            with pytest.raises(Answered, match=r"mine was taken for another press") as told:
                await at.takes(offer, fields=fields, id="mine", as_=who)
            assert told.value.code == "refused"
        assert at.house.service.core.table.seats[0].player == "Ann"


async def test_nor_is_it_after_felt_was_restarted(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        await at.until("betting")
        one = await at.find("Seat a player at seat 1")
        await at.takes(one, fields={"player": "Ann"}, id="mine")
    async with House(tmp_path / "table.toml").with_desk().running() as house:
        at = Taker(house)
        assert (await at.takes(one, fields={"player": "Ann"}, id="mine"))["repeated"]
        other = await at.find("Ann leaves seat 1")
        with pytest.raises(Answered, match="mine was taken for another press"):
            await at.takes(other, id="mine")


async def test_what_was_not_asked_for_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        await at.until("betting")
        sits = await at.find("Seat a player at seat 1")
        for fields, why in (
            ({"player": "Ann", "amount": 500}, "amount: is not asked for"),
            ({"player": ""}, "0 characters"),
            ({"player": 7}, "7 is no text"),
            ({"nobody": 1}, "nobody: is not asked for"),
        ):
            with pytest.raises(Answered, match=why) as told:
                await at.takes(sits, fields=fields)
            assert told.value.code == "refused"
        await at.takes(sits, fields={"player": "Ann"})
        ante = await at.find("Ante of seat 1")
        with pytest.raises(Answered, match=r"\$4.99 is out of bounds"):
            await at.takes(ante, fields={"amount": 499})
        with pytest.raises(Answered, match="amount: is missing"):
            await at.takes(ante, fields={"tender": "chips"} if len(ante.asks) > 1 else {"": 0})
        assert not at.house.recorded(events.WagerPlaced)


async def test_nobody_takes_what_is_offered_to_another_role(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        await at.until("betting")
        await at.takes(await at.find("Seat a player at seat 1"), fields={"player": "Ann"})
        ante = await at.find("Ante of seat 1")
        with pytest.raises(Answered, match="not for a floorperson") as keyed:
            await at.takes(ante, as_="floor-1")
        assert keyed.value.code == "not allowed"
        leaves = await at.find("Ann leaves seat 1")
        with pytest.raises(Answered, match="is for a dealer") as machine:
            await at.takes(leaves, as_="floor-1")
        assert machine.value.code == "refused"
        with pytest.raises(Answered, match="not among the people"):
            await at.takes(leaves, as_="somebody:dealer")
        assert not at.house.recorded(events.WagerPlaced)
        (refused,) = at.house.recorded(events.PlayerLeft)
        assert refused.by.id == "floor-1"


async def test_the_second_of_two_proves_who_they_are(tmp_path: Path) -> None:
    file = by_people_alone(tmp_path)
    for person, pin in (("technician-1", "1111"), ("floor-1", "2222")):
        pins.keep(tmp_path / "secrets", person, pin)
    async with House(file).with_desk().running() as house:
        at = Taker(house)
        enters = await at.find("Enter maintenance")
        fields = {"reason": "a belt", "second": {"id": "floor-1", "role": "floorperson"}}
        more: dict[str, Any] = {"fields": fields, "id": "one-press"}
        with pytest.raises(Answered, match="technician-1 must give a PIN"):
            await at.takes(enters, **more)
        with pytest.raises(Answered, match="floor-1 must give a PIN") as needed:
            await at.takes(enters, **more, pin="1111")
        assert needed.value.code == "pin"
        await at.takes(enters, **more, pin="1111", second_pin="2222")
        (entered,) = house.recorded(events.MaintenanceEntered)
        assert entered.second == Person("floor-1", "floorperson")


async def test_what_is_offered_to_one_role(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        whole = await at.house.asks("offers")
        dealers = await at.house.asks("offers", {"role": "dealer"})
        floors = await at.house.asks("offers", {"role": "supervisor"})
        assert {one["who"] for one in dealers["offers"]} == {"dealer"}
        assert {"floorperson", "supervisor"} >= {one["who"] for one in floors["offers"]}
        assert len(whole["offers"]) > len(dealers["offers"]) > 0
        assert whole["round"] == (await at.looks())["round"]


async def test_prompts_name_the_offer_that_answers_them(tmp_path: Path) -> None:
    async with opened(tmp_path) as at:
        seen = await at.looks()
        named = {one["offer"] for one in seen["prompts"] if one["answer"]}
        assert named
        assert named <= {one["id"] for one in seen["offers"]}
        assert (await at.house.asks("prompts"))["prompts"] == seen["prompts"]
        assert (await at.house.asks("status"))["prompts"] == seen["prompts"]
        done = await at.house.asks(
            "deck_received", {"deck": "A", "colour": "red", "design": "plain"}, as_="dealer-1"
        )
        assert done["prompts"] == (await at.looks())["prompts"]
