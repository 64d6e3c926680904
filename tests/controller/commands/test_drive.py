"""``felt drive``: what is said both ways, on every wire, and what can be tried by hand."""

from __future__ import annotations

import asyncio
import os
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pymodbus.server import ModbusSerialServer

from controller.cli import main
from simulators.cctalk import Bus, CoinAcceptor, attach
from tests.controller.commands.test_bench import Felt, Lines, felt
from tests.drivers.dialects.cable import cable
from tests.drivers.dialects.test_modbus_wire import INPUTS, module
from tests.drivers.wire.mosquitto import Mosquitto

__all__ = ["felt"]

Start = Callable[..., Felt]


def said(lines: Lines, by: str, words: str) -> Lines:
    return [one for one in lines if one.get("said by") == by and words in one["said"]]


def bench(felt: Start, folder: Path, *more: str) -> tuple[Felt, Felt]:
    """A simulated panel, and felt driving it."""
    port = str(folder / "panel")
    device = felt("simulate", "panel", "--port", port)
    device.until(lambda lines: lines)
    driver = felt("drive", "panel", "--port", port, *more)
    driver.until(lambda lines: [one for one in lines if one.get("is") == "degraded"])
    return device, driver


def test_both_ways_are_shown(felt: Start, tmp_path: Path) -> None:
    _, driver = bench(felt, tmp_path)
    [hello] = said(driver.lines, "felt", "hello 1 s1")
    [identity] = said(driver.lines, "device", "identity 1 s1")
    assert hello["at"] <= identity["at"]
    assert bytes.fromhex(identity["bytes"])[-1] == 0
    # Polls as well, a second apart.
    driver.until(lambda lines: said(lines, "felt", "poll 1"))
    driver.until(lambda lines: said(lines, "device", "idle 1"))
    assert driver.ends() == 0


def test_each_line_of_the_page_can_be_tried(felt: Start, tmp_path: Path) -> None:
    device, driver = bench(felt, tmp_path, "--no-polls")
    driver.tells('{"tell": {"message": "report"}}')
    driver.until(lambda lines: said(lines, "felt", " report"))
    # An unknown command.
    driver.tells('{"tell": "3f"}')
    driver.until(lambda lines: said(lines, "device", " unknown"))
    # Noise, and the next good request.
    driver.tells('{"noise": 40}', '{"bytes": "ff00"}', '{"tell": {"message": "report"}}')
    driver.until(lambda lines: said(lines, "felt", "garbage"))
    driver.until(lambda lines: len(said(lines, "felt", " report")) >= 3)
    # Frames of an earlier session.
    driver.tells('{"earlier": true}')
    driver.until(lambda lines: [o for o in lines if "no session before" in o.get("refused", "")])
    driver.tells('{"hello": true}')
    driver.until(lambda lines: said(lines, "device", "identity 1 s2"))
    before = len(said(driver.lines, "device", "s1 "))
    driver.tells('{"earlier": true}')
    driver.until(lambda lines: [o for o in said(lines, "felt", "s1 ") if o["at"] > 0][-1:])
    driver.tells('{"tell": {"message": "tone", "tone": "win"}}')
    driver.until(lambda lines: said(lines, "felt", "tone='win'"))
    assert len(said(driver.lines, "device", "s1 ")) == before
    # The cable is out: its watchdog bites, and it says so once when it is in again.
    driver.tells('{"cut": 4.5}')
    driver.until(lambda lines: [one for one in lines if one.get("cable") == "in"])
    device.tells('{"press": "deal"}')
    assert driver.hears("deal_pressed")
    assert not said(driver.lines, "felt", "poll")
    assert driver.ends() == 0


def test_what_can_not_be_tried_is_said(felt: Start, tmp_path: Path) -> None:
    _, driver = bench(felt, tmp_path)
    wrong = (
        '{"nothing": 1}', '{"tell": {"message": "wager"}}', '{"tell": "3g"}', '{"bytes": 1}',
        '{"noise": true}', '{"cut": -1}', '{"tell": {"message": "lights"}}', '{"bytes": ""}',
    )  # fmt: skip
    driver.tells(*wrong)
    driver.until(lambda lines: len([one for one in lines if "refused" in one]) == len(wrong))
    assert driver.process.poll() is None
    assert driver.ends() == 0


def test_at_a_broker(felt: Start, tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    broker.start()
    try:
        at = str(broker.account())
        device = felt("simulate", "panel", "--mqtt", at)
        device.until(lambda lines: lines)
        driver = felt("drive", "panel", "--mqtt", at)
        driver.until(lambda lines: [one for one in lines if one.get("is") == "degraded"])
        [hello] = said(driver.lines, "felt", "hello 1")
        assert hello["topic"] == "felt/bench/panel/cmd"
        driver.tells('{"tell": "3f"}', '{"hello": true}')
        driver.until(lambda lines: said(lines, "device", " unknown"))
        driver.until(lambda lines: len(said(lines, "device", "identity")) >= 2)
        driver.tells('{"earlier": true}', '{"bytes": "7b7d"}', '{"cut": 0.5}')
        driver.until(lambda lines: said(lines, "felt", "no packet"))
        driver.until(lambda lines: [one for one in lines if one.get("cable") == "in"])
        device.tells('{"press": "deal"}')
        assert driver.hears("deal_pressed")
        assert driver.ends() == 0
        assert device.ends() == 0
    finally:
        broker.kill()


async def test_a_module_that_speaks_modbus(felt: Start) -> None:
    with cable() as (felts, modules):
        server = ModbusSerialServer(module(), port=modules, baudrate=9600)
        await server.serve_forever(background=True)
        try:
            driver = felt(
                "drive", "panel", "--port", felts, "--speaks", "modbus", "--baud", "9600",
                "--no-polls", "--option", "model=IO 8CH",
            )  # fmt: skip
            await _until(driver, lambda lines: said(lines, "felt", "unit 1: inputs 0 to 7"))
            await _until(driver, lambda lines: [o for o in lines if "arrived" in o])
            await server.async_setValues(1, INPUTS, 0, [True])
            await _until(
                driver,
                lambda lines: [
                    o for o in lines if o.get("event", {}).get("kind") == "lock_out_pressed"
                ],
            )
            assert said(driver.lines, "device", "answer to unit 1: inputs 0 to 7")
            driver.tells('{"tell": "3f"}', '{"hello": true}')
            await _until(driver, lambda lines: [o for o in lines if "refused" in o])
            assert await asyncio.to_thread(driver.ends) == 0
        finally:
            await server.shutdown()  # type: ignore[no-untyped-call]


async def test_an_acceptor_that_speaks_cctalk(felt: Start) -> None:
    acceptor = CoinAcceptor(2)
    master, port = os.openpty()
    tty.setraw(port)
    os.set_blocking(master, False)
    detach = attach(Bus([acceptor]), master)
    try:
        driver = felt(
            "drive", "acceptor", "--port", os.ttyname(port), "--speaks", "cctalk", "--seat", "1",
            "--wager", "progressive", "--option", "coins=1:500", "--no-polls", "--baud", "9600",
        )  # fmt: skip
        await _until(driver, lambda lines: [o for o in lines if "arrived" in o])
        driver.tells('{"kind": "unlock", "seat": 1, "device": "acceptor"}')
        await _until(driver, lambda lines: said(lines, "felt", "set master inhibit"))
        clock = asyncio.get_running_loop()
        await _until(driver, lambda lines: acceptor.insert(1, clock.time()) == "taken")
        await _until(driver, lambda lines: said(lines, "device", "answer to unit 2: its events"))
        assert await asyncio.to_thread(driver.ends) == 0
    finally:
        detach()
        os.close(port)
        os.close(master)


async def _until(driver: Felt, condition: Callable[[Lines], Any]) -> None:
    """As ``Felt.until``, in a loop that is the other end of the wire."""
    for _ in range(15_000):
        if condition(driver.lines):
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"{driver.lines}\n{driver.errors}")


def test_drivers_are_listed_without_a_port(capsys: Any) -> None:
    assert main(["drive", "?"]) == 0
    assert "panel: drivers.panel.Panel (panel)" in capsys.readouterr().out


def test_what_is_wrong_is_said_before_anything_is_opened(capsys: Any) -> None:
    for words, why in (
        (["panel"], "where is the device?"),
        (["panel", "--mqtt", ":1"], "is no host and port"),
        (["panel", "--mqtt", "localhost", "--table", "///"], "makes no name for a topic"),
        (["acceptor", "--port", "/dev/null", "--speaks", "cctalk", "--seat", "1",
          "--option", "coins=nothing"], "felt drive: --option"),
        (["nobody", "--port", "/dev/null"], "felt drive: driver"),
    ):  # fmt: skip
        assert main(["drive", *words]) == 2
        assert why in capsys.readouterr().err
