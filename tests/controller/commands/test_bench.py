"""``felt simulate`` and ``felt drive``: a device and a driver find each other on a port."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from drivers.wire import messages
from drivers.wire.broker_client import Account
from drivers.wire.keys import BENCH_KEY
from drivers.wire.mqtt import MqttWire
from drivers.wire.station import Station
from tests.drivers.wire.mosquitto import Mosquitto

#: Only so that a test ends at all.
PATIENCE_S = 300.0

Lines = list[dict[str, Any]]


class Felt:
    """A command of felt that runs, and what it has said so far."""

    def __init__(self, folder: Path, *words: str) -> None:
        self._said = folder / f"{words[0]}-{time.monotonic_ns()}.out"
        self._errors = self._said.with_suffix(".err")
        with self._said.open("wb") as said, self._errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "controller", *words],
                stdin=subprocess.PIPE,
                stdout=said,
                stderr=errors,
            )

    @property
    def lines(self) -> Lines:
        whole = self._said.read_text().rpartition("\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    @property
    def errors(self) -> str:
        return self._errors.read_text()

    def tells(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def until(self, condition: Callable[[Lines], Any]) -> Any:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if found := condition(self.lines):
                return found
            time.sleep(0.02)
        raise AssertionError(f"{self.lines}\n{self.errors}")

    def hears(self, kind: str) -> Any:
        """The event of this kind, as soon as it is there."""
        return self.until(
            lambda lines: next(
                (one["event"] for one in lines if one.get("event", {}).get("kind") == kind), None
            )
        )

    def ends(self, how: int = signal.SIGINT) -> int:
        self.process.send_signal(how)
        if self.process.stdin is not None:
            self.process.stdin.close()
        return self.process.wait(PATIENCE_S)


@pytest.fixture
def felt(tmp_path: Path) -> Iterator[Callable[..., Felt]]:
    running: list[Felt] = []

    def run(*words: str) -> Felt:
        running.append(Felt(tmp_path, *words))
        return running[-1]

    yield run
    for one in running:
        if one.process.poll() is None:
            one.process.kill()
        if one.process.stdin is not None:
            one.process.stdin.close()
        one.process.wait()


def test_a_driver_meets_a_simulated_device(felt: Callable[..., Felt], tmp_path: Path) -> None:
    port = str(tmp_path / "acceptor")
    device = felt("simulate", "acceptor", "--port", port, "--seat", "3")
    assert device.until(lambda lines: lines)[0] == {"device": "acceptor 3", "port": port}
    driver = felt("drive", "acceptor", "--port", port, "--seat", "3", "--wager", "progressive")
    driver.until(lambda lines: [one for one in lines if one.get("is") == "degraded"])
    driver.tells('{"kind": "unlock", "seat": 3, "device": "acceptor"}')
    device.until(lambda lines: [o for o in lines if o.get("told") == {"message": "unlock"}])
    device.tells('{"wager": 100}')
    assert driver.hears("wager_placed")["amount"] == 100
    driver.tells('{"kind": "lock", "seat": 3, "device": "acceptor"}')
    assert driver.hears("lock_confirmed")["seat"] == 3
    device.tells('{"wager": 100}')
    assert driver.hears("wager_came_late")["sensed"] == "after the lock"
    assert "the bench key: it proves nothing" in driver.errors
    # Both let go in order, and the device was told so.
    assert driver.ends() == 0
    device.until(lambda lines: [o for o in lines if o.get("told") == {"message": "quiesce"}])
    assert device.ends(signal.SIGTERM) == 0
    assert not os.path.lexists(port)


def test_a_device_at_another_address_is_found_and_named(
    felt: Callable[..., Felt], tmp_path: Path
) -> None:
    port = str(tmp_path / "acceptor")
    device = felt("simulate", "acceptor", "--port", port, "--seat", "3", "--address", "5")
    device.until(lambda lines: lines)
    driver = felt("drive", "acceptor", "--port", port, "--seat", "3")
    said = "it does not answer at address 3; a device answers at address 5"
    driver.until(lambda lines: [one for one in lines if one.get("why") == said])
    assert driver.ends() == 0
    there = felt("drive", "acceptor", "--port", port, "--seat", "3", "--address", "5")
    there.until(lambda lines: [one for one in lines if "arrived" in one])


def test_an_option_that_the_driver_does_not_know_is_refused(felt: Callable[..., Felt]) -> None:
    for driver, said in (("shoe", "there are tells_taken"), ("panel", "there are none")):
        given = felt("drive", driver, "--port", "nowhere", "--option", "tells_takn=false")
        assert given.process.wait(PATIENCE_S) == 2
        assert f"tells_takn: the driver '{driver}' does not know it; {said}" in given.errors


def test_a_simulated_device_at_a_broker(felt: Callable[..., Felt], tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    broker.start()
    try:
        account = broker.account()
        device = felt("simulate", "sign", "--mqtt", str(account), "--table", "t9")
        start = device.until(lambda lines: lines)[0]
        assert start == {"device": "sign", "broker": str(account), "table": "t9"}
        asyncio.run(_greeted(account, device))
        assert device.ends() == 0
    finally:
        broker.kill()


async def _greeted(account: Account, device: Felt) -> None:
    """felt's own end at the broker finds it, and tells it something."""
    station = Station(1, BENCH_KEY, lambda: os.urandom(16), deadlines=True)
    wire = MqttWire(account, "t9", {"sign": station}, on_turn=lambda: None)
    running = asyncio.create_task(wire.run())
    loop = asyncio.get_running_loop()
    end = loop.time() + PATIENCE_S
    while station.stage != "identified":
        assert loop.time() < end
        await asyncio.sleep(0.02)
    station.accept(loop.time())
    station.send(7, messages.ShowNotice("link down"), deadline=end)
    wire.kick()
    while not [one for one in device.lines if "told" in one]:
        assert loop.time() < end
        await asyncio.sleep(0.02)
    running.cancel()
    await asyncio.wait([running])


def test_both_need_the_same_key(felt: Callable[..., Felt], tmp_path: Path) -> None:
    port, one, other = (tmp_path / name for name in ("port", "one.key", "other.key"))
    one.write_text("11" * 32 + "\n")
    other.write_text("22" * 32 + "\n")
    device = felt("simulate", "sign", "--port", str(port), "--key-file", str(one))
    device.until(lambda lines: lines)
    stranger = felt("drive", "sign", "--port", str(port), "--key-file", str(other))
    stranger.until(lambda lines: [o for o in lines if o.get("turned away")])
    assert stranger.ends() == 0
    friend = felt("drive", "sign", "--port", str(port), "--key-file", str(one))
    friend.until(lambda lines: [o for o in lines if o.get("arrived")])
    assert not friend.errors


def test_what_can_not_be_is_said_on_a_line(felt: Callable[..., Felt], tmp_path: Path) -> None:
    port = str(tmp_path / "panel")
    device = felt("simulate", "panel", "--port", port)
    device.until(lambda lines: lines)
    driver = felt("drive", "panel", "--port", port)
    driver.until(lambda lines: [o for o in lines if o.get("arrived")])
    device.tells("nonsense", "[1]", "", '{"wager": 100}')
    driver.tells('{"kind": "no such"}', '{"kind": "start_shuffle", "deck": "A"}')
    refused = device.until(
        lambda lines: [o["refused"] for o in lines if "refused" in o][2:] and lines
    )
    assert [o["refused"].split(";")[0] for o in refused if "refused" in o] == [
        "not JSON: Expecting value: line 1 column 1 (char 0)",
        "an object on a line, and nothing else",
        "'wager' can't be done at a panel",
    ]
    refused = driver.until(
        lambda lines: [o["refused"] for o in lines if "refused" in o][1:] and lines
    )
    said = [o["refused"] for o in refused if "refused" in o]
    assert "felt events prints what a command is" in said[0]
    assert said[1] == "start_shuffle is not for a panel"


def test_a_port_that_is_not_there_is_waited_for(felt: Callable[..., Felt], tmp_path: Path) -> None:
    port = str(tmp_path / "later")
    driver = felt("drive", "panel", "--port", port)
    missing = driver.until(lambda lines: [o for o in lines if o.get("is") == "absent"])
    assert port in missing[0]["why"]
    felt("simulate", "panel", "--port", port).tells('{"press": "deal"}')
    assert driver.hears("deal_pressed")["by"] == {"id": "bench dealer", "role": "dealer"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("simulate", "sign", "--fault", "jam"), "--fault: a sign has no fault 'jam'"),
        (("simulate", "sign", "--key-file", "/nowhere"), "/nowhere: can't be read"),
        (("simulate", "sign", "--port", "/etc/hostname"), "is there already"),
        (("simulate", "sign", "--mqtt", "host:x"), "'host:x' is no host and port"),
        (("drive", "roulette", "--port", "x"), "no driver is called 'roulette'; there are"),
        (("drive", "acceptor", "--port", "x"), "'acceptor' needs the number of its seat"),
        (("drive", "panel", "--port", "x", "--option", "y"), "'y' is not NAME=VALUE"),
    ],
)
def test_bad_words_are_refused_in_one_line(
    words: tuple[str, ...], why: str, felt: Callable[..., Felt]
) -> None:
    running = felt(*words)
    assert running.process.wait(PATIENCE_S) == 2
    assert why in running.errors
    assert not running.lines


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("simulate", "shoe", "--fault", "?"), "wrong-stack   shoe: the next stack"),
        (("drive", "?", "--port", "-"), "skeleton: drivers.skeleton.Pedal (pedal)"),
    ],
)
def test_a_question_mark_lists_what_there_is(words: tuple[str, ...], found: str) -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "controller", *words], capture_output=True, text=True, check=True
    )
    assert found in listed.stdout
