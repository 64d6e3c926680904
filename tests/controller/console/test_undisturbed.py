"""Whoever floods, forges, climbs or guesses: the round goes on as if they were not there."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from pathlib import Path

from controller.console.guard import MAX_BODY
from controller.console.limits import REQUESTS
from controller.table import events
from tests.controller.console.browser import connected
from tests.controller.console.served import PINS, TABLE, Served, served
from tests.controller.console.test_live import upgraded
from tests.controller.daemon.house import felt, wrong_pin
from tests.drivers.wire.plugs import AT_LAST_S

#: Requests, and how many connections they come by.
BURST, WAYS = 10_000, 20
#: What they ask, again and again: what is served, what is not, and what nobody may ask.
ASKED = (
    ("GET", "/api/tables", "", b""),
    ("GET", f"/api/tables/{TABLE}/picture", "", b""),
    ("GET", "/static/../../../etc/passwd", "", b""),
    ("GET", "/api/session", "cookie: felt=guessed.1.guessed", b""),
    ("GET", f"/dealer/{TABLE}", "sec-fetch-site: cross-site", b""),
    ("POST", f"/api/tables/{TABLE}/take", "origin: http://evil.example", b"{}"),
    ("POST", "/api/sign-on", "content-type: text/plain", b'{"person":"dealer-1"}'),
    ("POST", "/api/sign-on", "content-type: application/json", b"[" * 500),
    ("PUT", "/", "", b"x"),
)


async def floods(at: Served) -> Counter[int]:
    """How all of it was answered."""
    host = at.address.rstrip("/").rpartition("/")[2]
    some = []
    for method, path, header, body in ASKED:
        own = "" if "origin" in header or method == "GET" else f"origin: http://{host}\r\n"
        more = f"{header}\r\n" if header else ""
        head = f"{method} {path} HTTP/1.1\r\nhost: {host}\r\n{own}{more}"
        some.append(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
    found: Counter[int] = Counter()
    each = BURST // WAYS

    async def comes_one_way(first: int) -> None:
        async with connected(at.address) as (reader, writer):
            for number in range(first, first + each):
                writer.write(some[number % len(some)])
                status = int((await reader.readuntil(b"\r\n")).split()[1])
                headers = await reader.readuntil(b"\r\n\r\n")
                length = headers.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
                await reader.readexactly(int(length))
                found[status] += 1

    async with asyncio.TaskGroup() as group:
        for way in range(WAYS):
            group.create_task(comes_one_way(way * each))
    return found


async def sends_too_much(at: Served) -> None:
    """A body that never ends."""
    host = at.address.rstrip("/").rpartition("/")[2]
    head = f"POST /api/sign-on HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\n"
    head += f"content-type: application/json\r\ncontent-length: {1 << 40}\r\n\r\n"
    async with connected(at.address) as (_, writer):
        writer.write(head.encode())
        with contextlib.suppress(ConnectionError):
            for _ in range(64):
                writer.write(b"x" * MAX_BODY)
                await writer.drain()


async def test_a_round_goes_on_while_others_do_their_worst(tmp_path: Path) -> None:
    async with served(tmp_path, has_pins=False) as at, at.page() as page:
        slow = await upgraded(at)
        try:
            async with asyncio.timeout(AT_LAST_S):
                begun = time.monotonic()
                flood = asyncio.create_task(floods(at))
                too_much = asyncio.create_task(sends_too_much(at))
                await at.at.until("clearing")
                found = await flood
                took = time.monotonic() - begun
                await too_much
        finally:
            slow.close()
        # Every single one was answered, none by an error of ours, and with "too many" whatever went
        # beyond what an address may ask in the time that this took.
        assert found.total() == BURST
        assert BURST - found[429] <= REQUESTS.burst + REQUESTS.a_second * took + 1
        assert found[429] > 0
        assert not [status for status in found if status >= 500]
        # Who was there before has seen the whole round meanwhile, and sees the end of it.
        seen = await page.since((await at.at.looks())["seq"])
        assert (seen["round"], seen["phase"]) == (1, "clearing")
        assert not at.house.recorded(events.AttemptRefused)
        assert not [facts for event, facts in at.said if event == "server"]
    done = await felt("verify", tmp_path / "state" / "journal.db")
    assert done.code == 0, done.out


async def test_a_pin_that_is_guessed_locks_the_person_out_at_that_place(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page:
        first = await page.signs_on("dealer-1", "dealer", "0001")
        assert "2 more" in first["error"]
        second = await page.signs_on("dealer-1", "dealer", "0002")
        assert "try again in 2 s" in second["error"]
        # What waits is not looked at: neither a wrong one nor the right one.
        waits = await page.signs_on("dealer-1", "dealer", PINS["dealer-1"])
        assert (waits["ok"], waits["code"]) == (False, "not allowed")
        now = at.house.service.clock.wall_ms()
        await at.house.takes(wrong_pin(now, "dealer-1", "page 127.0.0.1"))
        right = await page.signs_on("dealer-1", "dealer", PINS["dealer-1"])
        assert (right["ok"], right["code"]) == (False, "not allowed")
        assert "locked out at page 127.0.0.1" in right["error"]
        assert len(at.house.recorded(events.CredentialRefused)) == 3
        assert not at.house.recorded(events.SignedOn)
        # Another person's is not; and the person's own is, at another place.
        assert (await page.signs_on("dealer-2", "dealer", PINS["dealer-2"]))["ok"]
        await at.house.asks("sign_on", as_="dealer-1", pin=PINS["dealer-1"])
        assert not [one for one in page.frames if PINS["dealer-1"] in one]
