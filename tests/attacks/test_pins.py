"""PINs guessed by whoever has time, locks used against the staff, and acts under an old PIN."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from controller.daemon import pins
from controller.rules.faults import Refused
from controller.table import events, guesses
from controller.table.credentials import must_be_free, of
from controller.table.machine import step
from controller.table.people import Person
from tests.attacks.conftest import Tally
from tests.controller.daemon.house import House, table_file, wrong_pin
from tests.controller.daemon.test_control import Raw
from tests.controller.table.playing import (
    BOSS,
    DEALER,
    FLOOR,
    OTHER_BOSS,
    OTHER_DEALER,
    TECH,
    open_table,
)
from tests.drivers.wire.plugs import AT_LAST_S

STAFF = (DEALER, OTHER_DEALER, FLOOR, BOSS, OTHER_BOSS, TECH)
EVE = "control socket, user eve"
PAGES = ("page 192.0.2.7", "page 192.0.2.8", "page 192.0.2.9", "page 192.0.2.10")
SEEDS = 100


class Table:
    """PINs as they come to a table, looked at or not."""

    def __init__(self) -> None:
        at = open_table("pa-639a")
        self.terms, self.table, self.now = at.terms, at.table, at.now

    def tries(self, person: Person, place: str, *, is_right: bool = False) -> bool:
        """Whether it was looked at whether the PIN is right."""
        try:
            must_be_free(self.table, person)
            found = of(self.table, person.id)
            guesses.must_be_open(self.terms, self.table, found, place, self.now)
        except Refused:
            return False
        kind = events.CredentialAccepted if is_right else events.CredentialRefused
        event = kind(at=self.now, person=person.id, device=place, by_place=True)
        done = step(self.terms, self.table, event)
        assert not done.refused, done.refused
        self.table = done.table
        return True

    def is_locked(self, person: Person) -> bool:
        found = of(self.table, person.id)
        return found is not None and found.locked


def test_guesses_around_right_pins_are_bounded(tally: Tally) -> None:
    """Within a shift, with any number of right ones between, from as many places as one likes."""
    tried = bad = 0
    for seed in range(SEEDS):
        by_chance, at = random.Random(seed), Table()
        looked_at = 0
        for _ in range(200):
            at.now += by_chance.choice((1_000, 10_000, 60_000, 120_000))
            place = by_chance.choice((EVE, *PAGES))
            if by_chance.random() < 0.4:
                at.tries(DEALER, place, is_right=True)
                continue
            tried += 1
            looked_at += at.tries(DEALER, place)
        bad += looked_at > at.terms.wrong_pins_in_all
        # Somebody must hear of it.
        bad += not guesses.is_the_floors(at.terms, at.table.credentials[0], at.now) and not (
            at.is_locked(DEALER)
        )
    tally("PINs guessed between right ones", tried, bad)


def test_nobody_is_locked_out_of_the_table_from_one_place(tally: Tally) -> None:
    """One login, all day, at all the people: each of them signs on elsewhere."""
    tried = bad = 0
    for seed in range(SEEDS):
        by_chance, at = random.Random(seed), Table()
        for _ in range(150):
            at.now += by_chance.choice((1, 500, 5_000, 60_000, 3_000_000))
            tried += 1
            at.tries(by_chance.choice(STAFF), EVE)
        bad += any(at.is_locked(one) for one in STAFF)
        bad += sum(not at.tries(one, PAGES[0], is_right=True) for one in STAFF)
    tally("locking the staff out from one place", tried, bad)


def test_in_three_seconds_one_login_harms_nobody(tally: Tally) -> None:
    bad = 0
    at = Table()
    for n in range(3_000):
        at.now += 1
        at.tries(STAFF[n % len(STAFF)], EVE)
    tried = sum(one.wrong for one in at.table.credentials)
    bad += tried > guesses.PEOPLE_A_PLACE
    bad += sum(not at.tries(one, PAGES[0], is_right=True) for one in STAFF)
    tally("locking the staff out from one place", 3_000, bad)


async def test_no_act_is_done_under_a_pin_that_is_no_more(tmp_path: Path, tally: Tally) -> None:
    """Proved before; then a new PIN, told or not, a withdrawal, a lock: at once, or with an act."""
    file, secrets = table_file(tmp_path), tmp_path / "secrets"
    ways = ("new", "new, not told", "withdrawn", "locked")
    acts = ("sign_off", "seat_paid", "take", "deck_inspected")
    tried = bad = 0
    for person in ("dealer-1", "supervisor-1"):
        pins.keep(secrets, person, "1234")
    async with House(file).with_desk().running() as house:
        for way in ways:
            await house.asks("pin_set", {"person": "dealer-1", "kept": pins.hashed("1234")})
            pins.keep(secrets, "dealer-1", "1234")
            await house.asks("pin_set", {"person": "dealer-1"})
            some = [await Raw.at(house) for _ in range(3)]
            for raw in some:
                await raw.says({"id": 1, "action": "sign_on", "as": "dealer-1", "pin": "1234"})
                bad += not (await raw.hears())["ok"]
            before = len(house.recorded())
            await _ends(house, way, secrets)
            marks = len(house.recorded())
            assert marks >= before
            for n, raw in enumerate(some):
                for action in acts[n:]:
                    tried += 1
                    bad += await _was_done(raw, action)
            for raw in some:
                await raw.leaves()
            bad += sum(_is_by_the_dealer(one) for one in house.recorded()[marks:])
    tally("acts under an old PIN", tried, bad)


async def _ends(house: House, way: str, secrets: Path) -> None:
    match way:
        case "new":
            pins.keep(secrets, "dealer-1", "8642")
            await house.asks("pin_set", {"person": "dealer-1"})
        case "new, not told":
            pins.keep(secrets, "dealer-1", "8642")
        case "withdrawn":
            await house.asks("pin_set", {"person": "dealer-1", "withdrawn": True})
        case "locked":
            at = house.service.clock.wall_ms()
            for n in range(10):
                await house.takes(wrong_pin(at, "dealer-1", f"page {n}"))
            unlock = {"person": "dealer-1", "reason": "found who it was"}
            await house.asks("credential_unlocked", unlock, as_="supervisor-1", pin="1234")


async def _was_done(raw: Raw, action: str) -> bool:
    given = {"seat_paid": {"seat": 1}, "deck_inspected": {"deck": "A"}, "take": {"offer": "x"}}
    try:
        await raw.says({"id": 2, "action": action, "with": given.get(action, {}), "as": "dealer-1"})
        async with asyncio.timeout(AT_LAST_S):
            line = await raw.reader.readline()
    except OSError:
        return False
    # Closed, told that it is over, or asked for the PIN: all else would be an act of the old one.
    return bool(line) and b'"code":"pin"' not in line


def _is_by_the_dealer(event: events.Event) -> bool:
    return isinstance(event, events.Act) and event.by.id == "dealer-1"
