"""What a live page is told: how the table stands, soon after it changed, and that it is alive."""

from __future__ import annotations

import asyncio
import json
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed

from controller.console import page as pages
from controller.console import shown
from controller.console.messages import QUESTIONS
from controller.console.serving import MAX_FRAME, Options
from tests.controller.console.browser import Live, asked, cookie_of, live
from tests.controller.console.served import TABLE, Served, console, served, table
from tests.controller.daemon.house import House
from tests.controller.daemon.test_taking import by_people_alone
from tests.drivers.wire.plugs import AT_LAST_S


async def test_a_page_is_greeted_and_then_sees_the_whole_table(tmp_path: Path) -> None:
    async with served(tmp_path) as at, live(at.address) as page:
        hello = await page.hears("hello")
        assert hello["session"] is None
        assert hello["build"]
        assert not [one for one in page.frames if '"picture"' in one]  # it has not looked yet
        await page.says("look", face="dealer", tables=[TABLE])
        first = await page.hears("picture")
        assert (first["table"], first["picture"]["phase"]) == (TABLE, "opening")
        assert first["age_ms"] >= 0
        whole = await at.at.looks()
        assert set(first["picture"]) == set(whole)


async def test_what_happens_at_the_table_is_seen(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page, at.page("floor") as floor:
        done = await at.at.takes(await at.at.find("Receive a deck"), pin="1111")
        for one in (page, floor):
            seen = await one.since(done["seq"])
            assert len(seen["decks"]) == 1


async def test_it_is_told_that_the_table_answers(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page:
        for _ in range(3):
            alive = await page.hears("alive")
            assert list(alive["tables"]) == [TABLE]
            assert alive["tables"][TABLE]["heard_ms"] >= 0
        # It is the table that is heard, again and again, not only the console.
        await page.hears("alive", lambda one: one["tables"][TABLE]["heard_ms"] < 1000)


async def test_all_tables_are_looked_at_by_naming_none(tmp_path: Path) -> None:
    async with served(tmp_path) as at, live(at.address) as page:
        await page.says("look", face="floor", tables=[])
        assert (await page.hears("picture"))["table"] == TABLE
        await page.says("look", face="floor", tables=["another"])
        await page.hears("alive", lambda one: one["tables"] == {})


async def test_a_sign_is_given_nothing_of_people_and_nothing_to_press(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page("sign") as page:
        seen = json.loads(page.frames[-1])["picture"]
        assert set(seen) == shown.ON_A_SIGN
        assert not {"people", "on_duty", "seats", "offers", "prompts", "holds"} & set(seen)
        assert "dealer-1" not in "".join(page.frames)


async def test_a_page_asks_questions_and_nothing_else(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page:
        found = await page.asks("ask", table=TABLE, action="status")
        assert found["result"]["table"] == TABLE
        for action in QUESTIONS:
            answer = await page.asks("ask", table=TABLE, action=action)
            assert answer["ok"] or answer["code"] != "not allowed", answer
        for action in (
            "stop",
            "seat_paid",
            "table_closed",
            "sign_on",
            "take",
            "watch",
            "signature",
        ):
            answer = await page.asks("ask", table=TABLE, action=action)
            assert (answer["ok"], answer["code"]) == (False, "not allowed")
        assert not (await page.asks("ask", table="other", action="status"))["ok"]
        assert not (await page.asks("bench", table=TABLE, do="press"))["ok"]


WRONG = [
    "", "{", "[]", "null", "1", '{"kind":"nothing"}', '{"kind":"look"}', '{"face":"dealer"}',
    '{"kind":"look","face":"kitchen"}', '{"kind":"look","face":"dealer","tables":["x"],"more":1}',
    '{"kind":"take","table":"test-1","press":"a b","offer":"x","round":1,"seq":1}',
    '{"kind":"take","table":"test-1","press":"a","offer":"x","round":-1,"seq":1}',
    '{"kind":"take","table":"test-1","press":"a","offer":"x","round":1e99,"seq":1}',
    '{"kind":"sign_on","person":"dealer-1","role":"dealer","pin":"' + "1" * 40 + '"}',
    "[" * 10_000, '{"kind":"look","face":"dealer","tables":' + "[" * 5000 + "}",
]  # fmt: skip


async def test_what_is_no_message_is_answered_and_changes_nothing(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as page:
        for text in WRONG:
            await page.socket.send(text)
            answer = await page.hears("answer")
            assert (answer["ok"], answer["code"]) == (False, "bad request"), text
        await page.socket.send(b"\x00\x01")
        assert (await page.hears("answer"))["error"] == "frames are text"
        assert (await page.asks("ask", table=TABLE, action="who"))["ok"]


async def test_a_frame_has_a_bound(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        async with at.page() as page:
            await page.socket.send("x" * (MAX_FRAME + 1))
            with pytest.raises(ConnectionClosed):
                await page.hears("answer")
            assert page.socket.close_code == 1009
        async with at.page():
            pass


async def test_who_says_more_than_anybody_can_press_is_let_go(tmp_path: Path) -> None:
    async with served(tmp_path) as at, at.page() as other:
        async with at.page() as page:
            with pytest.raises(ConnectionClosed):
                await never_stops(page)
            assert page.socket.close_code == pages.TOO_MANY
        await other.hears("alive")


async def never_stops(page: Live) -> None:
    while True:
        for _ in range(100):
            await page.says("here")
        await page.hears("alive")


# --- Who does not read --------------------------------------------------------


async def test_who_does_not_read_is_let_go_and_nobody_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "SEND_S", 0.5)
    monkeypatch.setattr(pages, "PICTURES_S", 0.0)
    async with served(tmp_path, has_pins=False) as at, at.page() as reads:
        slow = await upgraded(at)
        try:
            async with asyncio.timeout(AT_LAST_S):
                while not any(event == "page let go" for event, _ in at.said):
                    # Something happens all the time, and is seen by who reads.
                    before = (await at.at.looks())["seq"]
                    await at.at.goes_on()
                    await reads.since(before + 1)
        finally:
            slow.close()
        (why,) = [facts["why"] for event, facts in at.said if event == "page let go"]
        assert "it has read nothing" in why
        await reads.hears("alive", lambda one: one["tables"][TABLE]["heard_ms"] < 2000)


async def upgraded(at: Served) -> socket.socket:
    """A live page with the smallest window that the system allows, of which nobody reads a byte."""
    there = urlsplit(at.address)
    cookie = cookie_of(await at.asked("GET", "/api/session"))
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    made.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(made, (there.hostname, there.port))
    head = (
        f"GET /live HTTP/1.1\r\nhost: {there.netloc}\r\norigin: http://{there.netloc}\r\n"
        f"cookie: {cookie}\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
        "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    await loop.sock_sendall(made, head.encode())
    message = json.dumps({"kind": "look", "face": "dealer", "tables": [TABLE]}).encode()
    mask = b"\x00\x00\x00\x00"  # which changes nothing
    await asyncio.sleep(0.2)
    await loop.sock_sendall(made, bytes([0x81, 0x80 | len(message)]) + mask + message)
    return made


# --- A table that goes and comes ----------------------------------------------


async def test_a_table_that_ends_is_lost_and_seen_again_when_it_is_back(tmp_path: Path) -> None:
    said: list[tuple[str, dict[str, object]]] = []
    file = by_people_alone(tmp_path)
    path = tmp_path / "run" / "control.sock"
    async with console(Options(sockets=(path,), port=0), said) as address, live(address) as page:
        await page.says("look", face="dealer", tables=[])
        lost = await page.hears("lost")
        assert "nobody answers" in lost["why"]
        assert "start it" in lost["next_step"]
        for _ in range(2):
            async with House(file).with_desk().running():
                seen = await page.hears("picture")
                assert seen["table"] == TABLE
            lost = await page.hears("lost")
            assert lost["table"] == TABLE
            assert (await asked(address, "GET", "/health")).status == 503
            assert (await asked(address, "GET", f"/api/tables/{TABLE}/picture")).status == 503
        await page.hears("alive")  # it is the table that is gone, not the console


async def test_a_table_that_hangs_is_heard_no_more(tmp_path: Path) -> None:
    """Its socket is open, and nobody answers: that is no sign of life."""
    path = tmp_path / "control.sock"
    hung: list[asyncio.StreamWriter] = []

    async def never_answers(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hung.append(writer)

    server = await asyncio.start_unix_server(never_answers, path)
    async with server, console(Options(sockets=(path,), port=0), []) as address:
        async with live(address) as page:
            await page.says("look", face="dealer", tables=[])
            lost = await page.hears("lost", lambda one: "does not answer" in one["why"])
            assert lost["next_step"]
            alive = await page.hears("alive")
            assert [one["heard_ms"] for one in alive["tables"].values()] == [None]
        for writer in hung:
            writer.close()


async def test_what_is_no_picture_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"

    async def answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            id_ = json.loads(line)["id"]
            writer.write(
                json.dumps({"id": id_, "ok": True, "result": {"round": 1}}).encode() + b"\n"
            )
        writer.close()

    server = await asyncio.start_unix_server(answers, path)
    options = Options(sockets=(path,), port=0)
    async with server, console(options, []) as address, live(address) as page:
        await page.says("look", face="dealer", tables=[])
        lost = await page.hears("lost", lambda one: "no picture:" in one["why"])
        assert lost["next_step"] == "console and table must be of the same felt"


async def test_tables_that_are_not_named_are_found_when_they_start(tmp_path: Path) -> None:
    async with console(Options(port=0, run=tmp_path), []) as address, live(address) as page:
        await page.says("look", face="floor", tables=[])
        await page.hears("alive", lambda one: one["tables"] == {})
        async with table(tmp_path):
            assert (await page.hears("picture"))["table"] == TABLE
        assert await page.hears("lost")
