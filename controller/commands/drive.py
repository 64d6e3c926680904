"""``felt drive``: one driver on one port, without a table: to bring a device up, or to try one.

It says how the device stands, what is said both ways, and what the driver makes of it. It passes
commands of the table on, and what somebody at the bench wants to try: messages, bytes, a cut cable.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import msgspec

from controller.commands.bench import address_of, key_of, say, until_interrupted
from controller.commands.drive_meddling import meddle
from controller.commands.drive_shown import Dialect, Frames, Publishes
from controller.commands.drive_wires import DriveBroker, DriveSerial
from controller.daemon.options import known_to, there_are
from controller.daemon.sealing import Sealer, public_of
from controller.daemon.wiring import BROKER_PORT, BUS_POLL_S
from controller.rules.faults import Refused
from controller.table.commands import Command
from controller.table.people import Person
from drivers import finding
from drivers.attachment import Arrived, Attachment, Departed, Happened, TurnedAway
from drivers.contract import Driver, Moment, Settings
from drivers.device import BadSettings
from drivers.dialects import lines
from drivers.wire import mqtt
from drivers.wire.broker_client import Account
from drivers.wire.keys import BENCH_KEY, KEY_BYTES, NONCE_BYTES
from drivers.wire.line import Correspondent, Spoken
from drivers.wire.ports import PortSettings
from drivers.wire.searching import SearchingLine
from drivers.wire.station import Station, Timing

DEALER = Person("bench dealer", "dealer")
#: Seconds for the last words.
LETTING_GO_S = 0.3
FLOORPERSON = Person("bench floorperson", "floorperson")


def run(given: argparse.Namespace) -> int:
    if given.driver == "?":
        return _list_drivers()
    key = key_of(given.key_file, "drive")
    bench, port = _on_its_wire(given, key)

    def heard(order: dict[str, Any]) -> None:
        if not meddle(bench, port, order):
            bench.order(order)
        port.kick()

    async def let_go() -> None:
        """The device goes to its safe state, as it does when the daemon ends."""
        bench.attachment.quiesce(asyncio.get_running_loop().time())
        port.kick()
        await asyncio.sleep(LETTING_GO_S)

    return until_interrupted(port.run, heard, given.seconds, let_go)


def _list_drivers() -> int:
    found = finding.find()
    for name, one in found.drivers.items():
        sys.stdout.write(f"{name}: {one.__module__}.{one.__qualname__} ({one.kind})\n")
    for name, why in found.broken.items():
        sys.stdout.write(f"{name}: BROKEN: {why}\n")
    return 1 if found.broken else 0


def _on_its_wire(given: argparse.Namespace, key: bytes) -> tuple[Bench, DriveSerial | DriveBroker]:
    """The driver, and the wire that its device is on."""
    bench: Bench

    def turned() -> None:
        bench.turned(port)

    port: DriveSerial | DriveBroker
    polls = not given.no_polls
    if given.mqtt is not None:
        station = mqtt.station(key, _nonce)
        driver = _driver(given)
        name = given.name or driver.settings.name
        bench = Bench(driver, station, bench_key=key == BENCH_KEY)
        port = _at_broker(given, name, station, turned, Publishes(say, polls=polls))
        return bench, port
    if given.port is None:
        raise Refused("--port", "where is the device?", "--port PATH or --mqtt HOST[:PORT]")
    settings = PortSettings(given.port, baud=given.baud)
    if given.speaks != "felt":
        line, driver = _in_dialect(given)
        [correspondent] = line.stations
        bench = Bench(driver, correspondent, bench_key=False)
        options = dict(map(_option, given.option))
        shown = Dialect(say, given.speaks, options, polls=polls)
        port = DriveSerial(settings, line, turned, shown)
        return bench, port
    timing = Timing.for_line(settings.byte_s, bus=given.bus, poll=BUS_POLL_S if given.bus else 1.0)
    station = Station(address_of(given), key, _nonce, timing=timing, polled=given.bus)
    bench = Bench(_driver(given), station, bench_key=key == BENCH_KEY)
    line = SearchingLine(station, _nonce)
    port = DriveSerial(settings, line, turned, Frames(say, polls=polls))
    return bench, port


def _at_broker(
    given: argparse.Namespace,
    name: str,
    station: Station,
    turned: Callable[[], None],
    shown: Publishes,
) -> DriveBroker:
    host, _, number = given.mqtt.partition(":")
    if not host or (number and not (number.isdecimal() and 0 < int(number) < 1 << 16)):
        raise Refused("--mqtt", f"{given.mqtt!r} is no host and port", "host:1883")
    password = ""
    if given.password_file is not None:
        try:
            password = given.password_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise Refused(str(given.password_file), f"can't be read: {error}") from None
    account = Account(host, int(number) if number else BROKER_PORT, given.user, password)
    try:
        return DriveBroker(account, (given.table, name), station, turned, shown)
    except ValueError as error:
        raise Refused("--table", str(error)) from None


def _in_dialect(given: argparse.Namespace) -> tuple[Spoken, Driver]:
    """Hardware off the shelf: the first on its line, with the options that a table file has."""
    try:
        kind = finding.driver(given.driver)
        name = f"{kind.kind} {given.seat}" if given.seat is not None else kind.kind
        options = _options(given, kind)
        settings = Settings(name, seat=given.seat, wager=given.wager, options=options)
        line = lines.speaking(given.speaks, [(1, settings)], int(time.time()))
        left = lines.for_driver(given.speaks, settings)
        return line, kind(left, Sealer(public_of(os.urandom(KEY_BYTES))).seal)
    except finding.NoDriver as why:
        raise Refused("driver", str(why)) from None
    except BadSettings as why:
        raise Refused("--seat", str(why)) from None
    except ValueError as why:
        raise Refused("--option", str(why), "see docs/hardware.md") from None


def _driver(given: argparse.Namespace) -> Driver:
    try:
        kind = finding.driver(given.driver)
        name = f"{kind.kind} {given.seat}" if given.seat is not None else kind.kind
        settings = Settings(name, seat=given.seat, wager=given.wager, options=_options(given, kind))
        return kind(settings, Sealer(public_of(os.urandom(KEY_BYTES))).seal)
    except finding.NoDriver as why:
        raise Refused("driver", str(why)) from None
    except BadSettings as why:
        raise Refused("--seat", str(why)) from None


def _options(given: argparse.Namespace, kind: type[Driver]) -> dict[str, str | int | bool]:
    """Those that are given; ``Refused`` if the driver does not know one, nor what is spoken."""
    wanted = dict(map(_option, given.option))
    known = known_to(given.speaks, [kind])
    for option in wanted:
        if known is not None and option not in known:
            problem = f"{option}: the driver {given.driver!r} does not know it"
            raise Refused("--option", problem, there_are(known))
    return wanted


def _option(text: str) -> tuple[str, str | int | bool]:
    name, is_given, value = text.partition("=")
    if not name or not is_given:
        raise Refused("--option", f"{text!r} is not NAME=VALUE")
    if value in ("true", "false"):
        return name, value == "true"
    return name, int(value) if value.lstrip("-").isdecimal() else value


def _nonce() -> bytes:
    return os.urandom(NONCE_BYTES)


class Bench:
    def __init__(self, driver: Driver, station: Correspondent, *, bench_key: bool) -> None:
        self.attachment = Attachment(driver, station, bench_key=bench_key)
        self._said: object = None
        self._orders = itertools.count(1)

    def turned(self, port: DriveSerial | DriveBroker) -> None:
        """Something may have happened."""
        now = asyncio.get_running_loop().time()
        self.attachment.wire_is(port.trouble())
        for outcome in self.attachment.turn(now, _moment):
            match outcome:
                case Happened(events, badge=badge):
                    for event in events:
                        say({"event": msgspec.to_builtins(event)})
                    if badge is not None:
                        # Here nobody is signed on by it: it is for who gives a person a badge.
                        say({"badge": badge[0].number})
                    self.attachment.durable(outcome)
                case Arrived(identity, restarted):
                    facts = msgspec.structs.asdict(identity)
                    del facts["nonce"]
                    facts["firmware"] = identity.firmware.hex()
                    say({"arrived": facts, "restarted": restarted})
                case Departed(why):
                    say({"departed": why})
                case TurnedAway(why, next_step):
                    say({"turned away": why, "next step": next_step})
        health = self.attachment.health(now)
        if health is not self._said:
            self._said = health
            say({"is": health.status, "why": health.reason, "next step": health.next_step})

    def order(self, given: dict[str, Any]) -> None:
        """A command of the table, under an id that was never used unless it has one."""
        try:
            command = msgspec.convert(given, Command)
        except msgspec.ValidationError as error:
            say({"refused": f"{error}; felt events prints what a command is"})
            return
        if not command.id:
            used = f"{os.getpid()}.{time.monotonic_ns()}.{next(self._orders)}"
            command = msgspec.structs.replace(command, id=used)
        if not self.attachment.carry_out(command, asyncio.get_running_loop().time()):
            say({"refused": f"{given['kind']} is not for a {self.attachment.name}"})


def _moment(id_: str) -> Moment:
    return Moment(time.time_ns() // 1_000_000, id_, DEALER, FLOORPERSON)
