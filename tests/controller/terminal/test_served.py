"""How a terminal is served: to whom, what, and what is said when its table is not there."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from controller.console.assets import PAGES, Assets
from controller.console.guard import POLICY
from controller.console.serving import MAX_FRAME, Options, Served
from controller.rules.faults import Refused
from controller.terminal.app import application
from controller.terminal.bridge import Bridge
from controller.terminal.memory import Memory
from drivers.wire.broker_client import Account
from tests.controller.console.browser import asked, live
from tests.drivers.wire.mosquitto import free_port

KEY = bytes(range(32))


class Terminal:
    def __init__(self, served: Served, bridge: Bridge) -> None:
        self.address = served.address
        self.bridge = bridge
        self.said: list[tuple[str, dict[str, object]]] = []


@contextlib.asynccontextmanager
async def terminal(folder: Path) -> AsyncIterator[Terminal]:
    """In this process, with a broker that is not there."""
    memory = Memory(folder / "memory")
    found: list[tuple[str, dict[str, object]]] = []

    def said(event: str, **facts: object) -> None:
        found.append((event, facts))

    served = Served(Options(port=0), said)
    bridge = Bridge(Account("127.0.0.1", free_port()), "table-1", 3, KEY, memory, said=said)
    stop, ready = asyncio.Event(), asyncio.Event()
    app = application(bridge, served.own, Assets(PAGES), said)
    running = asyncio.create_task(served.serve(app, bridge.run, stop, ready.set))
    try:
        await ready.wait()
        there = Terminal(served, bridge)
        there.said = found
        yield there
    finally:
        stop.set()
        await running
        served.close()
        memory.close()


async def test_the_page_and_its_parts_and_nothing_else(tmp_path: Path) -> None:
    async with terminal(tmp_path) as at:
        page = await asked(at.address, "GET", "/")
        assert (page.status, page.headers["content-security-policy"]) == (200, POLICY)
        assert b"terminal.js" in page.body
        for part in ("js/terminal.js", "css/terminal.css", "js/live.js", "lang/en.json"):
            assert (await asked(at.address, "GET", f"/static/{part}")).status == 200
        for other in ("/static/dealer.html", "/dealer/table-1", "/api/tables", "/api/session"):
            assert (await asked(at.address, "GET", other)).status == 404, other


async def test_who_comes_from_elsewhere_is_not_let_in(tmp_path: Path) -> None:
    async with terminal(tmp_path) as at:
        assert (await asked(at.address, "GET", "/", host="evil.example")).status == 421
        for origin in ("http://evil.example", "null"):
            with pytest.raises(InvalidStatus) as refused:
                async with live(at.address, "none=1", origin=origin):
                    pass
            assert refused.value.response.status_code == 403
        assert any(event == "request refused" for event, _ in at.said)


async def test_what_is_no_message_is_answered_and_a_frame_has_a_bound(tmp_path: Path) -> None:
    async with terminal(tmp_path) as at, live(at.address, "none=1") as page:
        for text in ("", "[]", "{", '{"kind":"take"}', '{"kind":"wager","press":"p"}'):
            await page.socket.send(text)
            assert "no message" in (await page.hears("answer"))["error"]
        more = '{"kind":"buy_in","press":"p","cents":-5}'
        await page.socket.send(more)
        assert "no message" in (await page.hears("answer"))["error"]
        await page.socket.send("x" * (MAX_FRAME + 1))
        with pytest.raises(ConnectionClosed):
            await page.hears("answer")
        assert page.socket.close_code == 1009


async def test_without_a_broker_it_says_so_and_takes_nothing(tmp_path: Path) -> None:
    async with terminal(tmp_path) as at, live(at.address, "none=1") as page:
        lost = await page.hears("lost", lambda one: "127.0.0.1" in one["why"])
        assert "broker" in lost["next_step"]
        for kind, given in (("buy_in", {"cents": 100}), ("sit", {"player": "ann"})):
            answer = await page.asks(kind, **given)
            assert not answer["ok"]
            assert "not heard" in answer["error"]
        assert not at.bridge.device.responder.unacknowledged
        health = await asked(at.address, "GET", "/health")
        assert (health.status, health.json["ok"]) == (503, False)
        assert "127.0.0.1" in health.json["why"]


def test_on_the_network_only_with_a_certificate() -> None:
    with pytest.raises(Refused, match="others on the network"):
        Served(Options(host="0.0.0.0", port=0), lambda _what, **_facts: None)


def test_it_knows_nothing_of_a_control_socket() -> None:
    """Not even in its memory: what is not loaded can't be reached by a fault or a break-in."""
    script = (
        "import sys, controller.commands.terminal\n"
        "print([one for one in sys.modules if one.startswith('controller.')])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "controller.terminal.bridge" in run.stdout
    for one in (
        "daemon.client",
        "daemon.control",
        "daemon.core",
        "console.house",
        "journal",
        "table.",
    ):
        assert f"controller.{one}" not in run.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--broker", "nowhere"], "--broker: 'nowhere' is no address"),
        (["--seat", "0"], "--seat: 0 is no seat"),
        (["--listen", "8450"], "--listen: '8450' is no address"),
        (["--key", "no-such.key"], "no-such.key: can't be read"),
        (["--table-id", "!!"], "makes no name for a topic"),
    ],
)
def test_what_is_given_wrong_is_said_in_words(words: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "t.key").write_text(KEY.hex())
    usual = {
        "--table-id": "table-1", "--seat": "3", "--broker": "127.0.0.1:1883",
        "--key": str(tmp_path / "t.key"), "--listen": "127.0.0.1:0",
    }  # fmt: skip
    usual |= dict(zip(words[::2], words[1::2], strict=True))
    given = [word for pair in usual.items() for word in pair]
    run = subprocess.run(
        [sys.executable, "-m", "controller", "terminal", *given],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert run.returncode == 2
    assert said in run.stderr
    assert "Traceback" not in run.stderr
