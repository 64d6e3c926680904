"""A proof is worth what it was made with: a new PIN, a lock or a withdrawal ends it at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from controller.daemon import pins
from controller.daemon.client import Answered
from controller.table import events
from tests.controller.daemon.house import House, felt, table_file, wrong_pin
from tests.controller.daemon.test_control import Raw
from tests.drivers.wire.plugs import AT_LAST_S

SIT = {"seat": 1, "player": "ann"}


@asynccontextmanager
async def proved(tmp_path: Path) -> AsyncIterator[tuple[House, Raw]]:
    """A house, and a connection on which dealer-1 has given the PIN 1234."""
    file = table_file(tmp_path)
    for person in ("dealer-1", "supervisor-1"):
        pins.keep(tmp_path / "secrets", person, "1234")
    async with House(file).with_desk().running() as house:
        raw = await Raw.at(house)
        await raw.says({"id": 1, "action": "sign_on", "as": "dealer-1", "pin": "1234"})
        assert (await raw.hears())["ok"]
        yield house, raw
        await raw.leaves()


async def ended(raw: Raw) -> str:
    """Why the connection was ended; what comes after that on it is not done."""
    async with asyncio.timeout(AT_LAST_S):
        told = await raw.hears()
        assert (told["ok"], told["code"], told["id"]) == (False, "pin", None)
        assert await raw.reader.read() == b""
    return str(told["error"])


@pytest.mark.rule("R40")
async def test_a_new_pin_ends_what_the_old_one_opened(tmp_path: Path) -> None:
    async with proved(tmp_path) as (house, raw):
        done = await felt(
            "pin", "dealer-1", "--stdin", "--table", house.configuration.file, stdin="8642\n"
        )
        assert done.code == 0, done.err
        assert "dealer-1 was given a new PIN" in await ended(raw)
        with pytest.raises(Answered, match="wrong"):
            await house.asks("sign_on", as_="dealer-1", pin="1234")
        await house.asks("sign_on", as_="dealer-1", pin="8642")
        # Somebody else's connection goes on.


@pytest.mark.rule("R40")
async def test_a_pin_that_was_changed_in_the_file_alone_ends_the_proof_too(tmp_path: Path) -> None:
    async with proved(tmp_path) as (house, raw):
        pins.keep(tmp_path / "secrets", "dealer-1", "8642")
        await raw.says({"id": 2, "action": "sign_off", "as": "dealer-1"})
        assert (await raw.hears())["code"] == "pin"
        assert not house.recorded(events.SignedOff)


@pytest.mark.rule("R40")
async def test_a_withdrawn_credential_ends_it_and_does_nothing_more(tmp_path: Path) -> None:
    async with proved(tmp_path) as (house, raw):
        done = await felt("pin", "dealer-1", "--withdraw", "--table", house.configuration.file)
        assert done.code == 0, done.err
        assert "dealer-1 does nothing without a new PIN" in done.out
        assert "was withdrawn" in await ended(raw)
        with pytest.raises(Answered, match="was withdrawn"):
            await house.asks("sign_on", as_="dealer-1", pin="1234")
        again = await felt("pin", "dealer-1", "--withdraw", "--table", house.configuration.file)
        assert "has no PIN" in again.err


@pytest.mark.rule("R40")
async def test_a_lock_ends_it_and_unlocking_does_not_bring_it_back(tmp_path: Path) -> None:
    async with proved(tmp_path) as (house, raw):
        at = house.service.clock.wall_ms()
        for n in range(10):
            await house.takes(wrong_pin(at, "dealer-1", f"page {n}"))
        assert "the credential of dealer-1 is locked" in await ended(raw)
        status = await house.asks("status")
        assert any("dealer-1 is locked: 10 wrong PINs" in one for one in status["wrong"])
        unlock = {"person": "dealer-1", "reason": "found who it was"}
        await house.asks("credential_unlocked", unlock, as_="supervisor-1", pin="1234")
        await house.asks("sign_on", as_="dealer-1", pin="1234")


async def test_a_pin_set_where_the_service_has_a_copy_of_the_file_counts_at_once(
    tmp_path: Path,
) -> None:
    async with proved(tmp_path) as (house, raw):
        given = {"person": "dealer-1", "kept": pins.hashed("8642")}
        await house.asks("pin_set", given)
        assert "new PIN" in await ended(raw)
        with pytest.raises(Answered, match="wrong"):
            await house.asks("sign_on", as_="dealer-1", pin="1234")
        await house.asks("sign_on", as_="dealer-1", pin="8642")
        # A file that is written after that says the last word.
        pins.keep(tmp_path / "secrets", "dealer-1", "7777")
        await house.asks("sign_on", as_="dealer-1", pin="7777")


async def test_the_status_says_whose_pin_is_tried_before_it_is_locked(tmp_path: Path) -> None:
    async with proved(tmp_path) as (house, _):
        at = house.service.clock.wall_ms()
        for n in range(3):
            await house.takes(wrong_pin(at, "dealer-1", f"page {n}"))
        status = await house.asks("status")
        assert not status["healthy"]
        said = "the PIN of dealer-1 was tried: 3 wrong PINs, last at page 2"
        assert said in status["wrong"]


async def test_only_the_pages_say_where_somebody_is(tmp_path: Path) -> None:
    async with proved(tmp_path) as (house, _):
        # The tests' own user keeps the secrets, and so is believed.
        for n in range(2):
            raw = await Raw.at(house)
            asked = {"action": "sign_on", "as": "supervisor-1", "pin": "0", "from": f"192.0.2.{n}"}
            await raw.says(asked)
            assert f"locked out at page 192.0.2.{n}" in (await raw.hears())["error"]
            await raw.leaves()
        tried = house.recorded(events.CredentialRefused)
        assert [one.device for one in tried] == ["page 192.0.2.0", "page 192.0.2.1"]
