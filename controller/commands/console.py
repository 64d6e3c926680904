"""``felt console``: serves the pages of tables that run, until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import datetime
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from controller.commands.addresses import address_of
from controller.commands.console_words import CERTIFICATE
from controller.console import certificates
from controller.console.running import Console
from controller.console.serving import Options
from controller.console.sessions import IDLE_S
from controller.daemon import notify
from controller.daemon.client import find
from controller.daemon.log import Log, printer
from controller.rules.faults import Refused, listed

#: A session may end so soon, or so late, that it is of no use.
LEAST_IDLE_S, MOST_IDLE_S = 10, 8 * 3600


def run(given: argparse.Namespace) -> int:
    if given.action == CERTIFICATE:
        return _certificate(given.names, given.into)
    host, port = address_of(given.listen, 8400)
    options = Options(
        sockets=(
            *(find(file, None) for file in given.table),
            *(path.absolute() for path in given.socket),
        ),
        school=None if given.school is None else given.school.absolute(),
        host=host,
        port=port,
        spare_ports=given.spare_ports,
        certificate=given.certificate,
        key=given.key,
        names=tuple(given.name),
        idle_s=_idle(given.idle, tuple(IDLE_S)),
    )
    log = Log(printer(sys.stderr))
    console = Console(options, log.said)
    try:
        asyncio.run(_served(console, log, until_stdin_ends=given.until_stdin_ends))
    finally:
        console.close()
    return 0


async def _served(console: Console, log: Log, *, until_stdin_ends: bool) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    if until_stdin_ends:
        loop.add_reader(sys.stdin, _heard_from_stdin, stop)

    def ready() -> None:
        sys.stdout.write(f"{console.address}\n")
        sys.stdout.flush()
        notify.tell("READY=1", f"STATUS=serves {console.address}")

    beside = [
        asyncio.create_task(log.run(), name="console log"),
        asyncio.create_task(notify.turns(), name="console watchdog"),
    ]
    try:
        await console.run(stop, ready)
    finally:
        notify.tell("STOPPING=1")
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)


def _heard_from_stdin(stop: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 4096):
        stop.set()


def _idle(words: Sequence[str], faces: Sequence[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for word in words:
        face, equals, seconds = word.partition("=")
        if not equals or face not in faces:
            raise Refused(
                "--idle", f"{word!r} is no face and time", f"FACE=SECONDS, of {listed(faces)}"
            )
        if not seconds.isdecimal() or not LEAST_IDLE_S <= int(seconds) <= MOST_IDLE_S:
            limits = f"seconds from {LEAST_IDLE_S} to {MOST_IDLE_S}"
            raise Refused(f"--idle {face}", f"{seconds!r} is no time", limits)
        found[face] = float(seconds)
    return found


def _certificate(names: Sequence[str], into: Path) -> int:
    made = certificates.make(into, names, datetime.datetime.now(datetime.UTC))
    trust = [
        "",
        "A tablet that is to open the pages must trust the authority, once:",
        f"  1. bring {made.authority} to it (no other file of this folder, above all no key)",
        "  2. iPadOS: open it, install the profile, then Settings > General > About >",
        "     Certificate Trust Settings, and switch it on",
        "     Android: Settings > Security > Encryption & credentials > Install > CA certificate",
        "     chromium on Debian: Settings > Privacy and security > Security >",
        "     Manage certificates > Authorities > Import",
        "  3. compare there, to its last digit, SHA-256:",
        f"     {made.fingerprint}",
    ]
    said = [
        f"made {made.certificate} for {listed(names)}, valid until {made.until}",
        f"made {made.key}, for the console alone",
        *(trust if made.is_new else ["Tablets that trust the authority already need nothing."]),
        "",
        "Then:",
        f"  felt console --listen ADDRESS:8443 --certificate {made.certificate} --key {made.key}",
    ]
    sys.stdout.write("\n".join(said) + "\n")
    return 0
