"""``felt simulate``: a simulated device on a pty or at a broker, for whoever brings up a table."""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import time
from math import inf
from typing import Any

import msgspec

from controller.commands.bench import address_of, key_of, say, until_interrupted
from controller.rules.faults import Refused
from drivers.wire.broker_accounts import as_device
from drivers.wire.broker_client import Account
from drivers.wire.handshake import KIND
from simulators.broker import BrokerPort
from simulators.device import Device
from simulators.doing import CantDo, do, made
from simulators.faults import MENU, WIRE, Fault, NoFault
from simulators.port import PtyPort
from simulators.tabletop import TableTop
from simulators.wires import Wire

BROKER_PORT = 1883


def run(given: argparse.Namespace) -> int:
    if "?" in given.fault:
        for entry in MENU.values():
            number = f" ={entry.number} ({entry.usual:g})" if entry.number else ""
            sys.stdout.write(f"{entry.name:13} {', '.join(entry.of)}: {entry.what}{number}\n")
        return 0
    try:
        faults = [Fault.said(text, given.seed) for text in given.fault]
        key = key_of(given.key_file, "simulate")
        device = _device(given, key, [one for one in faults if WIRE not in one.entry.of])
    except NoFault as error:
        raise Refused("--fault", str(error)) from None
    device.on_told = lambda command, answer: say(
        {"told": msgspec.to_builtins(command), "answer": answer[0], "detail": answer[1]}
    )
    on_wire = [one for one in faults if WIRE in one.entry.of]
    port = _at_broker(given, device, key) if given.mqtt else _on_pty(given, device, on_wire)

    def heard(act: dict[str, Any]) -> None:
        try:
            device.advance(asyncio.get_running_loop().time())
            do(device, act, given.seed)
        except CantDo as why:
            say({"refused": str(why)})
        port.kick()

    async def work() -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(port.run(), name="port")
            if isinstance(port, BrokerPort):
                tasks.create_task(_time_passes(port), name="time")

    return until_interrupted(work, heard, given.seconds)


def _device(given: argparse.Namespace, key: bytes, faults: list[Fault]) -> Device:
    return made(
        given.device,
        TableTop(),
        seat=given.seat or 1,
        reads=given.reads,
        itself=_kind(given.kind),
        key=key,
        address=address_of(given),
        polled=given.bus,
        seed=given.seed,
        serial_number=given.serial_number,
        protocol=given.protocol,
        # Higher than at any start before: so whoever spoke with it knows that it has restarted.
        boot=int(time.time()),
        faults=faults,
    )


def _kind(word: str) -> str:
    if not re.fullmatch(KIND, word):
        raise Refused("--kind", f"{word!r} is no word for a kind", "badge, foot-pedal")
    return word


def _on_pty(given: argparse.Namespace, device: Device, faults: list[Fault]) -> PtyPort:
    link = given.port
    if link is not None and link.exists() and not link.is_symlink():
        raise Refused("--port", f"{link} is there already", "a name that is free")
    wires = [Wire(*faults, seed=given.seed), Wire(seed=given.seed)]
    try:
        port = PtyPort(
            [device], baud=given.baud, link=given.port, inward=wires[1], outward=wires[0]
        )
    except OSError as error:
        raise Refused("--port", f"{error.filename}: {error.strerror}") from None
    say({"device": device.name, "port": port.path})
    return port


def _at_broker(given: argparse.Namespace, device: Device, key: bytes) -> BrokerPort:
    host, _, number = given.mqtt.partition(":")
    if number and not number.isdecimal():
        raise Refused("--mqtt", f"{given.mqtt!r} is no host and port", "host:1883")
    bare = Account(host, int(number) if number else BROKER_PORT)
    account = as_device(bare, given.table, device.name, key)
    say({"device": device.name, "broker": str(account), "table": given.table})
    return BrokerPort(account, given.table, device)


async def _time_passes(port: BrokerPort) -> None:
    """At a broker nobody waits for a device's own time: it is woken when something is due."""
    loop = asyncio.get_running_loop()
    while True:
        at = port.device.wakes_at()
        await asyncio.sleep(min(max(at - loop.time(), 0.01), 0.5) if at < inf else 0.5)
        port.device.advance(loop.time())
        port.kick()
