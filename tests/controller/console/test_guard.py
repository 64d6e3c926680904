"""Requests that no page of the console makes: they are refused, told apart, and never come far."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from controller.console import doors, guard
from tests.controller.console.browser import connected, live, parsed
from tests.controller.console.served import PINS, TABLE, Served, served
from tests.drivers.wire.plugs import AT_LAST_S

SIGN_ON = json.dumps({"person": "dealer-1", "role": "dealer", "pin": PINS["dealer-1"]}).encode()


async def nobody_is_on(at: Served) -> bool:
    return "dealer" not in (await at.at.looks())["on_duty"]


async def test_the_same_from_a_page_of_ours_is_taken(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        assert (await at.asked("POST", "/api/sign-on", SIGN_ON)).status == 200
        assert not await nobody_is_on(at)


FORGED: list[dict[str, Any]] = [
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": None},
    {"origin": "https://127.0.0.1"},
    {"sec_fetch_site": "cross-site"},
    {"sec_fetch_site": "same-site"},
    {"content_type": "text/plain"},
    {"content_type": "application/x-www-form-urlencoded"},
    {"content_type": "multipart/form-data; boundary=x"},
    {"content_type": None},
    {"host": "evil.example"},
    {"host": "127.0.0.1"},
    {"more": "host: evil.example\r\n"},
    {"more": "origin: http://evil.example\r\n"},
    {"more": "content-type: text/plain\r\n"},
]


async def test_a_forged_press_never_comes_to_the_table(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        for headers in FORGED:
            at.said.clear()
            found = await at.asked("POST", "/api/sign-on", SIGN_ON, **headers)
            assert found.status in (400, 403, 415, 421), headers
            assert await nobody_is_on(at), headers
            if found.body.startswith(b"{"):  # h11 itself refuses two hosts
                assert at.refusals() == [found.json["error"]]


async def test_a_name_that_somebody_lets_point_here_is_not_served(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        port = at.address.rstrip("/").rpartition(":")[2]
        for name in ("rebound.example", "localhost.evil.example", "0.0.0.0"):
            assert (await at.asked("GET", "/api/tables", host=f"{name}:{port}")).status == 421
        for name in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"):
            assert (await at.asked("GET", "/api/tables", host=f"{name}:{port}")).status == 200
        assert (await at.asked("GET", "/api/tables", host=None)).status == 400


async def test_a_page_of_another_site_gets_no_live_connection(tmp_path: Path) -> None:
    forged: list[dict[str, Any]] = [
        {"origin": "http://evil.example"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Host": "evil.example"},
    ]
    async with served(tmp_path) as at:
        for headers in forged:
            with pytest.raises(InvalidStatus) as refused:
                async with live(at.address, **headers):
                    raise AssertionError("it was let in")
            assert refused.value.response.status_code in (400, 403, 421)


async def test_another_site_can_lead_to_a_page_and_read_nothing(tmp_path: Path) -> None:
    from_there = {"sec_fetch_site": "cross-site"}
    led = {**from_there, "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    framed = {**led, "sec_fetch_dest": "iframe"}
    async with served(tmp_path) as at:
        page = await at.asked("GET", f"/dealer/{TABLE}", **led)
        assert page.status == 200
        # It would take the place of the cookie of whoever is signed on.
        assert "set-cookie" not in page.headers
        assert (await at.asked("GET", f"/dealer/{TABLE}", **framed)).status == 403
        for path in (f"/api/tables/{TABLE}/picture", "/static/js/live.js", "/health"):
            for headers in (from_there, led):
                assert (await at.asked("GET", path, **headers)).status == 403


async def test_a_body_has_a_bound_said_or_not(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        large = b'{"person":"' + b"x" * guard.MAX_BODY + b'"}'
        assert (await at.asked("POST", "/api/sign-on", large)).status == 413
        chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(large), large)
        more = "transfer-encoding: chunked\r\n"
        found = await at.asked("POST", "/api/sign-on", chunked, content_length=None, more=more)
        assert found.status == 413
        assert await nobody_is_on(at)


NO_SIGN_ON = [
    b"", b"{", b"[]", b"null", b'{"person":1}', b"\xff\xfe", b'{"who":"me"}', b"[" * 20_000,
    b'{"person":"dealer-1","role":"dealer","pin":"' + b"1" * 40 + b'"}',
]  # fmt: skip


async def test_what_is_no_sign_on_is_refused_with_words(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        for body in NO_SIGN_ON:
            found = await at.asked("POST", "/api/sign-on", body)
            assert found.status == 400
            assert found.json["error"].startswith("this is no HttpSignOn")
            assert b"1111" not in found.body  # no PIN comes back, not even a wrong one


async def test_who_never_sends_what_was_begun_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doors, "REQUEST_S", 0.3)
    monkeypatch.setattr(guard, "BODY_S", 0.2)
    async with served(tmp_path) as at, asyncio.timeout(AT_LAST_S):
        host = at.address.rstrip("/").rpartition("/")[2]
        async with connected(at.address) as (reader, writer):
            writer.write(b"GET / HTTP/1.1\r\nHost")  # and no more
            with contextlib.suppress(ConnectionResetError):
                assert await reader.read() == b""
        async with connected(at.address) as (reader, writer):
            head = f"host: {host}\r\norigin: http://{host}\r\ncontent-type: application/json\r\n"
            writer.write(f"POST /api/sign-on HTTP/1.1\r\n{head}content-length: 9\r\n\r\n".encode())
            assert parsed(await reader.readuntil(b"}")).status == 408
        assert (await at.asked("GET", "/api/tables")).status == 200


async def test_one_address_has_so_many_connections_and_no_more(tmp_path: Path) -> None:
    async with served(tmp_path) as at, asyncio.timeout(AT_LAST_S):
        host, port = at.address.removeprefix("http://").rstrip("/").split(":")
        some = [await asyncio.open_connection(host, int(port)) for _ in range(80)]
        try:
            gone = 0
            for reader, _ in reversed(some[64:]):
                try:
                    gone += await reader.read() == b""
                except ConnectionResetError:
                    gone += 1
            assert gone == 16
            some[0][1].close()
            await some[0][1].wait_closed()
            # There is room again as soon as one has gone.
            while True:
                try:
                    assert (await at.asked("GET", "/api/tables")).status == 200
                    break
                except (ConnectionResetError, IndexError):
                    await asyncio.sleep(0.05)
        finally:
            for _, writer in some:
                writer.close()
