"""``felt terminal``: the wagering terminal of a seat, until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from pathlib import Path

from controller.commands.addresses import address_of
from controller.commands.bench import key_of
from controller.console.assets import PAGES, Assets
from controller.console.serving import Options, Served
from controller.daemon import notify
from controller.daemon.log import Log, printer
from controller.rules.faults import Refused
from controller.terminal import firmware
from controller.terminal.app import application
from controller.terminal.bridge import Bridge, account_of
from controller.terminal.memory import Memory

MEMORY = ".memory"
MAX_PASSWORD = 1024


def run(given: argparse.Namespace) -> int:
    host, port = address_of(given.listen, 8450)
    options = Options(
        host=host,
        port=port,
        spare_ports=given.spare_ports,
        certificate=given.certificate,
        key=given.certificate_key,
        names=tuple(given.name),
    )
    password = "" if given.password_file is None else _password(given.password_file)
    account = account_of(given.broker, user=given.user, password=password, ca=given.ca)
    key = key_of(given.key, "terminal")
    log = Log(printer(sys.stderr))
    memory = Memory(given.memory or given.key.with_suffix(MEMORY))
    try:
        served = Served(options, log.said)
        try:
            bridge = Bridge(
                account,
                given.table_id,
                _seat(given.seat),
                key,
                memory,
                name=given.device,
                serial_number=given.serial_number,
                transfers=not given.no_transfers,
                said=log.said,
            )
            asyncio.run(_served(served, bridge, log, until_stdin_ends=given.until_stdin_ends))
        finally:
            served.close()
    finally:
        memory.close()
    return 0


async def _served(served: Served, bridge: Bridge, log: Log, *, until_stdin_ends: bool) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    if until_stdin_ends:
        loop.add_reader(sys.stdin, _heard_from_stdin, stop)

    def ready() -> None:
        sys.stdout.write(f"{served.address}\n")
        sys.stdout.flush()
        log.said("terminal", device=bridge.name, firmware=firmware.digest().hex())
        notify.tell("READY=1", f"STATUS=serves {served.address}")

    beside = [
        asyncio.create_task(log.run(), name="terminal log"),
        asyncio.create_task(notify.turns(), name="terminal watchdog"),
    ]
    try:
        app = application(bridge, served.own, Assets(PAGES), log.said)
        await served.serve(app, bridge.run, stop, ready)
    finally:
        notify.tell("STOPPING=1")
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)


def _heard_from_stdin(stop: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 4096):
        stop.set()


def _seat(number: int) -> int:
    if not 1 <= number <= 99:
        raise Refused("--seat", f"{number} is no seat", "1 to 99")
    return number


def _password(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")[:MAX_PASSWORD].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(str(file), f"can't be read: {error}") from None
