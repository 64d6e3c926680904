"""People act through a page: as whom they have signed on, and the table decides."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from controller.console import page as pages
from controller.console.sessions import place_of
from controller.daemon import pins
from controller.table import events
from controller.table.people import Person
from tests.controller.console.browser import Live, asked, cookie_of, live
from tests.controller.console.served import PINS, TABLE, Served, served
from tests.drivers.wire.plugs import AT_LAST_S

DEALER = ("dealer-1", "dealer", PINS["dealer-1"])
DECK = {"deck": "A", "colour": "red", "design": "bee"}


async def seen_by(page: Live) -> dict[str, Any]:
    """The last picture that a page has."""
    found: dict[str, Any] = next(
        json.loads(one)["picture"] for one in reversed(page.frames) if '"kind":"picture"' in one
    )
    return found


async def on_duty(at: Served) -> Any:
    return (await at.at.looks())["on_duty"].get("dealer")


async def test_who_signs_on_is_on_duty_and_takes_what_is_offered(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page:
        signed = await page.signs_on(*DEALER)
        assert signed["ok"]
        session = signed["result"]["session"]
        assert (session["person"], session["role"], session["tables"]) == (
            "dealer-1", "dealer", [TABLE],
        )  # fmt: skip
        assert 0 < session["until_s"] <= 300
        assert await on_duty(at) == "dealer-1"
        done = await page.takes(await seen_by(page), "Receive a deck", **DECK)
        assert done["ok"], done
        assert done["result"]["phase"] == "opening"
        (received,) = at.house.recorded(events.DeckReceived)
        assert received.by == Person("dealer-1", "dealer")
        assert (await page.picture(lambda p: p["decks"]))["decks"][0]["colour"] == "red"


async def test_whole_rounds_are_dealt_from_a_page(tmp_path: Path) -> None:
    async with served(tmp_path, has_pins=False) as at, at.page() as page, at.page("floor") as floor:
        assert (await page.signs_on("dealer-1", "dealer"))["ok"]
        assert (await floor.signs_on("floor-1", "floorperson"))["ok"]
        done: dict[str, Any] = {"seq": 0}
        for _ in range(300):
            seen = await page.since(done["seq"])
            if seen["round"] >= 1 and seen["phase"] == "clearing":
                break
            offer = at.at.leads_on(seen)
            who = floor if offer.who == "floorperson" else page
            answer = await who.asks(
                "take", table=TABLE, offer=offer.id, fields=at.at.fields(offer),
                round=seen["round"], seq=seen["seq"],
            )  # fmt: skip
            assert answer["ok"], (offer, answer)
            done = answer["result"]
        else:
            raise AssertionError("no round was played")
        assert not at.house.recorded(events.AttemptRefused)


async def test_nobody_acts_who_has_not_signed_on(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page:
        done = await page.takes(await seen_by(page), "Receive a deck", **DECK)
        assert (done["ok"], done["code"]) == (False, "not allowed")
        assert "sign on first" in done["error"]
        assert not at.house.recorded(events.DeckReceived)


async def test_a_wrong_pin_is_counted_by_the_table(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page:
        wrong = await page.signs_on("dealer-1", "dealer", "9999")
        assert (wrong["ok"], wrong["code"]) == (False, "not allowed")
        assert "2 more and dealer-1 is locked out at page 127.0.0.1" in wrong["error"]
        (refused,) = at.house.recorded(events.CredentialRefused)
        assert refused.person == "dealer-1"
        none = await page.signs_on("dealer-1", "dealer", None)
        assert (none["ok"], none["code"]) == (False, "pin")
        assert await on_duty(at) is None


async def test_nobody_signs_on_in_a_role_that_is_not_theirs(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page:
        for person, role in (("dealer-1", "supervisor"), ("nobody", "dealer"), ("dealer-1", "god")):
            done = await page.signs_on(person, role, PINS["dealer-1"])
            assert not done["ok"]
        tried = at.house.recorded(events.AttemptRefused)
        assert ("dealer-1", "sign_on") in {(one.person, one.attempt) for one in tried}


async def test_an_offer_of_another_role_is_refused_and_on_record(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page:
        await page.signs_on(*DEALER)
        done = await page.takes(await seen_by(page), "Close the table")
        assert (done["ok"], done["code"]) == (False, "refused")
        assert "not for dealer-1" in done["error"]
        (tried,) = at.house.recorded(events.TableClosed)
        assert tried.by == Person("dealer-1", "dealer")
        assert (await at.at.looks())["phase"] == "opening"


async def test_an_act_for_two_is_proved_by_both(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page:
        await page.signs_on("technician-1", "technician", PINS["technician-1"])
        seen = await seen_by(page)
        second = {"id": "supervisor-1", "role": "supervisor", "pin": "0000"}
        wrong = await page.takes(seen, "Enter maintenance", second, reason="a new shoe")
        assert not wrong["ok"]
        assert at.house.recorded(events.CredentialRefused)
        second["pin"] = PINS["supervisor-1"]
        done = await page.takes(seen, "Enter maintenance", second, reason="a new shoe")
        assert done["ok"], done
        (entered,) = at.house.recorded(events.MaintenanceEntered)
        assert (entered.by.id, entered.second.id) == ("technician-1", "supervisor-1")


async def test_what_has_gone_by_is_stale(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page:
        await page.signs_on(*DEALER)
        seen = await seen_by(page)
        assert (await page.takes(seen, "Receive a deck", **DECK))["ok"]
        again = await page.takes(seen, "Receive a deck", **DECK)
        assert (again["ok"], again["code"]) == (False, "stale")
        (tried,) = at.house.recorded(events.AttemptRefused)
        assert (tried.person, tried.attempt) == ("dealer-1", "take")


async def test_a_press_that_is_sent_again_is_done_once(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page:
        await page.signs_on(*DEALER)
        seen = await seen_by(page)
        offer = next(one for one in seen["offers"] if "Receive a deck" in one["title"])
        press = {
            "table": TABLE, "press": "press-1", "offer": offer["id"], "fields": DECK,
            "round": seen["round"], "seq": seen["seq"],
        }  # fmt: skip
        first, second = await page.asks("take", **press), await page.asks("take", **press)
        assert (first["ok"], second["ok"]) == (True, True)
        assert second["result"]["repeated"] is True
        assert len(at.house.recorded(events.DeckReceived)) == 1


async def test_two_pages_of_a_browser_share_who_is_signed_on(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        cookie = cookie_of(await at.asked("GET", f"/dealer/{TABLE}"))
        async with at.page(cookie=cookie) as page:
            await page.signs_on(*DEALER)
            async with live(at.address, cookie) as other:
                assert (await other.hears("hello"))["session"]["person"] == "dealer-1"
                await other.says("sign_off")
                assert (await other.hears("session"))["session"] is None
            gone = await page.hears("session", lambda one: one["session"] is None)
            assert gone["why"] == "signed off"


# --- Ends ---------------------------------------------------------------------


async def test_a_cookie_that_was_copied_is_worth_nothing_after_signing_off(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        cookie = cookie_of(await at.asked("GET", f"/dealer/{TABLE}"))
        async with at.page(cookie=cookie) as page:
            await page.signs_on(*DEALER)
            stolen = (await at.asked("GET", "/api/session", cookie=cookie)).json["session"]
            assert stolen["person"] == "dealer-1"  # this is why it is spent
            await page.says("sign_off")
            with pytest.raises(ConnectionClosed):
                await page.hears("never")
            assert page.socket.close_code == pages.SPENT
        assert (await at.asked("GET", "/api/session", cookie=cookie)).json["session"] is None
        async with live(at.address) as page:
            await page.says("look", face="dealer", tables=[TABLE])
            seen = await page.picture()
            # The next one is signed on; the old name does not lead to them.
            await page.signs_on("dealer-2", "dealer", PINS["dealer-2"])
            offer = next(one for one in seen["offers"] if "Receive a deck" in one["title"])
            press = {"press": "p", "offer": offer["id"], "round": seen["round"], "seq": seen["seq"]}
            body = json.dumps({**press, "fields": DECK}).encode()
            done = await at.asked("POST", f"/api/tables/{TABLE}/take", body, cookie=cookie)
            assert (done.status, done.json["code"]) == (403, "not allowed")
        assert not at.house.recorded(events.DeckReceived)


async def test_signing_off_is_on_record_and_locking_leaves_one_on_duty(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        async with at.page() as page:
            await page.signs_on(*DEALER)
            await page.says("sign_off", lock=True)
            gone = await page.hears("session", lambda one: one["session"] is None)
            assert gone["why"] == "the screen is locked"
        assert await on_duty(at) == "dealer-1"
        async with at.page() as page, asyncio.timeout(AT_LAST_S):
            await page.signs_on(*DEALER)
            await page.says("sign_off")
            await page.hears("session", lambda one: one["session"] is None)
            while await on_duty(at) is not None:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.05)
        (off,) = at.house.recorded(events.SignedOff)
        assert off.by == Person("dealer-1", "dealer")


async def test_a_session_that_nobody_touches_ends(tmp_path: Path) -> None:
    async with served(tmp_path, idle_s={"dealer": 1.0}) as at, at.page() as page:
        await page.signs_on(*DEALER)
        gone = await page.hears("session", lambda one: one["session"] is None)
        assert "nobody touched the screen" in gone["why"]
        # Only the screen is locked: somebody still deals.
        assert await on_duty(at) == "dealer-1"


async def test_who_touches_the_screen_stays_signed_on(tmp_path: Path) -> None:
    async with served(tmp_path, idle_s={"dealer": 60.0}) as at, at.page() as page:
        await page.signs_on(*DEALER)
        cookie_seen = [json.loads(one) for one in page.frames if '"kind":"session"' in one]
        assert cookie_seen[-1]["session"]["until_s"] <= 60
        await page.says("here")
        assert (await page.asks("ask", table=TABLE, action="who"))["ok"]


async def test_the_next_person_takes_the_place_of_the_last(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page:
        await page.signs_on(*DEALER)
        await page.signs_on("dealer-2", "dealer", PINS["dealer-2"])
        assert await on_duty(at) == "dealer-2"
        assert (await page.takes(await seen_by(page), "Receive a deck", **DECK))["ok"]
        (received,) = at.house.recorded(events.DeckReceived)
        assert received.by.id == "dealer-2"


async def test_somebody_is_not_kept_out_by_others_who_try(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page:
        codes = [(await page.signs_on("auditor-1", "dealer", "0"))["code"] for _ in range(15)]
        assert codes[-1] == "busy"  # the console asks the table no more
        assert len(at.house.recorded(events.AttemptRefused)) < 15


# --- For programs -------------------------------------------------------------


async def test_a_program_signs_on_takes_and_signs_off(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        body = json.dumps(dict(zip(("person", "role", "pin"), DEALER, strict=True))).encode()
        signed = await at.asked("POST", "/api/sign-on", body)
        assert signed.json["session"]["tables"] == [TABLE]
        cookie = cookie_of(signed)
        seen = (await at.asked("GET", f"/api/tables/{TABLE}/picture")).json["picture"]
        offer = next(one for one in seen["offers"] if "Receive a deck" in one["title"])
        press = {"press": "p", "offer": offer["id"], "round": seen["round"], "seq": seen["seq"]}
        take = json.dumps({**press, "fields": DECK}).encode()
        where = f"/api/tables/{TABLE}/take"
        assert (await at.asked("POST", where, take)).status == 403  # without the cookie
        done = await at.asked("POST", where, take, cookie=cookie)
        assert (done.status, done.json["ok"]) == (200, True)
        stale = json.dumps({**press, "press": "q", "fields": DECK}).encode()
        found = await at.asked("POST", where, stale, cookie=cookie)
        assert (found.status, found.json["code"]) == (409, "stale")
        assert (await at.asked("POST", "/api/sign-off", b"{}", cookie=cookie)).status == 200
        session = await asked(at.address, "GET", "/api/session", cookie=cookie)
        assert session.json["session"] is None


async def test_a_new_pin_ends_the_session_that_the_old_one_opened(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page, at.page() as other:
        assert (await page.signs_on(*DEALER))["ok"]
        assert (await other.signs_on("floor-1", "floorperson", PINS["floor-1"]))["ok"]
        pins.keep(at.house.configuration.secrets, "dealer-1", "864200")
        await at.house.asks("pin_set", {"person": "dealer-1"})
        ended = await page.hears("session", lambda said: not said["session"])
        assert ended["why"] == "dealer-1 was given a new PIN; sign on with it"
        assert await on_duty(at) is None
        # Nobody else is signed off by it.
        assert (await other.takes(await seen_by(other), "Close the table"))["ok"]


async def test_wrong_pins_count_for_the_address_of_the_page(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page:
        await page.signs_on("dealer-1", "dealer", "9999")
        (refused,) = at.house.recorded(events.CredentialRefused)
        assert refused.device == "page 127.0.0.1"


def test_a_place_is_an_address_or_a_network_that_costs_something() -> None:
    assert place_of("192.0.2.7") == place_of("::ffff:192.0.2.7") == "192.0.2.7"
    assert place_of("2001:db8:0:7:1::1") == place_of("2001:db8:0:7::9") == "2001:db8:0:7::/64"
    assert place_of("fe80::1%eth0") == "fe80::/64"
    assert (place_of("::1"), place_of("")) == ("::1", "somewhere")
