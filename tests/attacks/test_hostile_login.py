"""One login against a whole table from outside: felt as a process, its devices, people who play."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

import pytest

from controller.daemon import pins
from controller.daemon.client import Unanswered
from controller.demo.performer import people_of
from controller.journal.reader import Reader
from controller.library import Library
from controller.replay import Replay
from controller.table import events
from tests.attacks.conftest import Tally
from tests.drivers.wire.plugs import AT_LAST_S
from tests.scenarios.kill.live import LiveTable
from tests.scenarios.kill.people import People, Window

PIN = "739164"
ROUNDS = 2
#: Sixty-four watchers that read nothing, then guesses and refused acts for as long as it lives.
EVE = """
import json, socket, sys
path, *people = sys.argv[1:]
def come():
    one = socket.socket(socket.AF_UNIX)
    one.settimeout(5)
    one.connect(path)
    return one
kept = []
for _ in range(64):
    try:
        one = come()
        one.sendall(b'{"id": 1, "action": "watch"}\\n')
        kept.append(one)
    except OSError:
        pass
print("there", flush=True)
tries = 0
while True:
    for n, who in enumerate(people):
        try:
            with come() as one:
                for action, given in (("sign_on", {}), ("seat_paid", {"seat": 1}), ("stop", {})):
                    asked = {"id": 1, "action": action, "with": given, "as": who}
                    asked["pin"] = f"{tries:06}"
                    one.sendall(json.dumps(asked).encode() + b"\\n")
                    said = one.recv(65536)
                    if b"close one of them" in said and kept:
                        # Her own watchers keep her out: one of them goes.
                        kept.pop(0).close()
                        break
                    tries += 1
                    print(tries, flush=True)
        except OSError:
            continue
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
async def test_a_table_plays_on_whatever_one_login_does(tally: Tally) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # noqa: PTH101
        live = LiveTable(Path(folder), seed=7)
        _for_everybody(live)
        staff = [f"{one.id}:{one.role}" for one in people_of(live.configuration.terms).values()]
        for one in live.configuration.terms.people:
            pins.keep(live.configuration.secrets, one, PIN)
        with Window(live.configuration.socket) as window:
            async with live.running():
                live.daemon.start()
                bad, tried = await _attacked(live, window, staff)
                assert await live.daemon.stop() == 0, live.daemon.last_words()
        recorded = list(_recorded(live))
        # However slowly the table plays beside it: what is bounded is bounded by time.
        minutes = 1 + (recorded[-1].at - recorded[0].at) // 60_000
        wrong = [one for one in recorded if isinstance(one, events.CredentialRefused)]
        # Three people, each once or twice, and then the place rests for a minute at least.
        bad += len(wrong) > 3 * live.configuration.terms.wrong_pins * minutes
        refused = [one for one in recorded if isinstance(one, events.AttemptRefused)]
        bad += len(refused) > 200 * minutes
        if bad:
            print(f"{minutes} min, {len(wrong)} wrong, {len(refused)} refused")
    tally("one login against a table that plays", 64 + tried, bad)


def _for_everybody(live: LiveTable) -> None:
    """Any login of this PC may act as dealer, floorperson and supervisor."""
    file = live.configuration.file
    text = file.read_text()
    assert "service = { " in text
    roles = '"operators" = { "nobody" = ["dealer", "floorperson", "supervisor"] }'
    file.write_text(text.replace("service = { ", f"service = {{ {roles}, ", 1))


async def _attacked(live: LiveTable, window: Window, staff: list[str]) -> tuple[int, int]:
    people, bad = People(live, window, seed=7), 0
    await _there(window)
    for one in staff:
        await window.ask("sign_on", as_=one, pin=PIN)
    live.configuration.socket.chmod(0o666)
    eve = await asyncio.create_subprocess_exec(
        "/usr/bin/env", "python3", "-c", EVE, str(live.configuration.socket), *staff,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        user=65534, group=65534, extra_groups=[], cwd="/",
    )  # fmt: skip
    assert eve.stdout is not None
    async with asyncio.timeout(AT_LAST_S):
        bad += await eve.stdout.readline() != b"there\n"
    counting = asyncio.create_task(_last(eve.stdout))
    try:
        table = await people.play(lambda table: table.round > ROUNDS)
        if locked := [one for one in table.credentials if one.locked]:
            print(f"locked: {locked}")
            bad += 1
        with Window(live.configuration.socket) as another:
            # Somebody who was not in before signs on: at another place than hers.
            await another.ask("sign_on", as_=staff[0], pin=PIN)
            status = await another.ask("status")
            if not any("nobody" in one for one in status["wrong"]):
                print(f"said of it: {status['wrong']}")
                bad += 1
    finally:
        eve.kill()
        await eve.wait()
    return bad, await counting


async def _there(window: Window) -> None:
    async with asyncio.timeout(AT_LAST_S):
        while True:
            try:
                await window.ask("who")
            except Unanswered:
                await asyncio.sleep(0.05)
            else:
                return


async def _last(stream: asyncio.StreamReader) -> int:
    tries = 0
    while line := await stream.readline():
        tries = int(line)
    return tries


def _recorded(live: LiveTable) -> list[events.Event]:
    with Reader.look(live.configuration.journal) as reader:
        return [one.event for one in Replay(reader, Library()).events()]
