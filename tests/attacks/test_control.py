"""The control socket in hostile hands: no room left, records filled, requests beyond measure."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest

from controller.daemon.access import ROLES, Caller
from controller.daemon.action import Asked
from controller.daemon.peers import ROOT, Peer
from controller.daemon.refusals import MOST_A_PLACE
from controller.daemon.slots import MOST, Slots
from controller.rules.faults import Refused
from controller.table import events
from controller.table.people import Person, Role
from tests.attacks.conftest import Tally
from tests.controller.daemon.house import House, table_file
from tests.controller.daemon.test_access import Hand
from tests.controller.daemon.test_control import Raw
from tests.drivers.wire.plugs import AT_LAST_S

SOME_ROLES: tuple[frozenset[Role], ...] = (
    frozenset(), frozenset({"dealer"}), frozenset({"dealer", "floorperson"}),
)  # fmt: skip
#: Connects as often as it can, watches, reads nothing, and says when it has all that it gets.
WATCHERS = """
import socket, sys, time
some = []
for _ in range(64):
    one = socket.socket(socket.AF_UNIX)
    try:
        one.connect(sys.argv[1])
        one.sendall(b'{"id": 1, "action": "watch"}\\n')
    except OSError:
        pass
    some.append(one)
time.sleep(1)
print("there", flush=True)
sys.stdin.read()
"""


def test_room_is_left_whoever_comes_before(tally: Tally) -> None:
    tried = bad = 0
    for seed in range(100):
        by_chance, slots = random.Random(seed), Slots()
        for _ in range(400):
            uid = by_chance.randrange(2000, 2000 + by_chance.choice((1, 5, 200)))
            may = by_chance.choice(SOME_ROLES)
            tried += 1
            found = slots.take(Peer(1, uid, frozenset()), Caller("x", may), trusted=False)
            if not isinstance(found, str) and by_chance.random() < 0.2:
                slots.leave(found)
        everything = Caller("y", frozenset(ROLES))
        for uid, trusted in ((ROOT, True), (999, True), (1998, False), (1999, False)):
            peer = Peer(1, uid, frozenset())
            bad += isinstance(slots.take(peer, everything, trusted=trusted), str)
        bad += len(slots) > MOST
    tally("connections to shut others out", tried, bad)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
async def test_sixty_four_watchers_of_one_login_cost_nobody_anything(tally: Tally) -> None:
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # noqa: PTH101
        file = table_file(Path(folder), service='operators = { nobody = ["dealer"] }')
        async with House(file).with_desk().running() as house:
            house.configuration.socket.chmod(0o666)
            reader = await Raw.at(house)
            await reader.says({"id": 1, "action": "watch"})
            bad += not (await reader.hears())["ok"]
            process = await asyncio.create_subprocess_exec(
                "/usr/bin/env", "python3", "-c", WATCHERS, str(house.configuration.socket),
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                user=65534, group=65534, extra_groups=[], cwd="/",
            )  # fmt: skip
            assert process.stdout is not None
            async with asyncio.timeout(AT_LAST_S):
                bad += await process.stdout.readline() != b"there\n"
            # None of them reads; whoever does is told of everything.
            for n in range(400):
                await house.takes(events.DeviceWentOffline(at=n + 1, device=f"sign {n}"))
            heard = 0
            async with asyncio.timeout(AT_LAST_S):
                while heard < 400:
                    change = (await reader.hears())["change"]
                    heard += change.get("event") == "device_went_offline"
                    bad += change.get("missed", 0)
            for _ in range(8):
                bad += (await house.asks("who"))["on_duty"] != {}
            await house.asks("sign_on", as_="floor-1")
            process.kill()
            await process.wait()
            await reader.leaves()
    tally("watchers that read nothing", 64, bad)


async def test_no_refused_act_fills_the_record(tmp_path: Path, tally: Tally) -> None:
    """Half an hour of nothing else, by one login in anybody's name, with any act."""
    by_chance, clock = random.Random(5), Hand()
    caller = Caller("control socket, user eve", frozenset(ROLES))
    tried = 0
    async with House(table_file(tmp_path), clock=clock.clock).with_desk().running() as house:
        assert house.desk is not None
        before = len(house.recorded())
        people = ("dealer-1:dealer", "dealer-2:dealer", "floor-1:floorperson", "eve:dealer")
        acts: tuple[tuple[str, dict[str, Any]], ...] = (
            ("seat_paid", {"seat": 1}),
            ("stop", {}),
            ("sign_off", {"role": "technician"}),
            ("take", {"offer": "0"}),
            ("hold_cleared", {"hold": 7, "reason": "x" * 500}),
        )
        for _ in range(6_000):
            clock.later(0.3)
            name, given = by_chance.choice(acts)
            who = by_chance.choice(people)
            if name == "stop":
                who = "dealer-1:dealer"
            tried += 1
            with contextlib.suppress(Refused):
                await house.desk.actions.do(name, Asked(caller, given, who))
        said = [
            one for one in house.recorded() if "turned away unread" in getattr(one, "reason", "")
        ]
        entries = len(house.recorded()) - before
        # A measure at once, and then one each time that it was turned away for long enough.
        bad = int(entries > 10 * MOST_A_PLACE) + int(not said)
        await house.takes(events.SignedOn(at=1, by=Person("floor-1", "floorperson")))
    tally("refused acts to fill the record", tried, bad)


async def test_what_is_beyond_measure_is_refused_and_harms_nothing(
    tmp_path: Path, tally: Tally
) -> None:
    by_chance = random.Random(3)
    digits = [b"9" * n for n in (19, 20, 40, 400, 4_299, 4_300, 4_301, 60_000)]
    numbers = [*digits, *(b"-" + one for one in digits), b"1e308", b"1e400", b"0." + b"1" * 9_000]
    places = (
        b'{"id": %s, "action": "who"}',
        b'{"action": "hold_cleared", "with": {"hold": %s, "reason": "x"}, "as": "floor-1"}',
        b'{"action": "chips_counted", "with": {"chips": %s}, "as": "dealer-1"}',
        b'{"action": "take", "with": {"offer": "x", "fields": {"n": %s}}, "as": "dealer-1"}',
        b'{"action": "take", "with": {"offer": "x", "seq": %s}, "as": "dealer-1"}',
        b'{"action": "deck_received", "with": {"deck": "A", "colour": "red", "design": "b",'
        b' "paragraph": "%s"}, "as": "dealer-1"}',
    )
    tried = bad = 0
    async with House(table_file(tmp_path)).with_desk().running() as house:
        before = len(house.recorded())
        for place in places:
            for number in numbers:
                if b"paragraph" in place and len(number) <= 2048:
                    continue
                tried += 1
                raw = await Raw.at(house)
                await raw.says(place % number + b"\n")
                answer = await raw.hears()
                if len(number.lstrip(b"-")) == 19 or number.startswith(b"0."):
                    # As much as there may be, or rounded to what there may be.
                    bad += answer["code"] not in ("bad request", "refused", "stale")
                else:
                    bad += answer.get("code") != "bad request"
                await raw.leaves()
        for _ in range(50):
            tried += 1
            many = b"[" + b",".join([b"1"] * by_chance.randrange(300, 9_000)) + b"]"
            raw = await Raw.at(house)
            await raw.says(b'{"action": "take", "as": "dealer-1", "with": {"fields": %s}}\n' % many)
            bad += (await raw.hears()).get("code") != "bad request"
            await raw.leaves()
        longest = max(len(str(one)) for one in house.recorded())
        bad += longest > 4_000
        assert len(house.recorded()) >= before
        bad += (await house.asks("who"))["on_duty"] != {}
    tally("numbers, texts and lists beyond measure", tried, bad)
