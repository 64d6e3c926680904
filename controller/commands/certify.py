"""``felt certify``: a maker's device held against the protocol, and a signed report of it."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from controller.certify import hands, report, running
from controller.certify.bench import Bench, Given
from controller.certify.everything import CHECKS
from controller.certify.handshake import digest_of
from controller.certify.medium import BrokerMedium, Medium, SerialMedium
from controller.certify.report import BadReport, Report
from controller.certify.running import NoDevice
from controller.certify.talk import Talk
from controller.certify.verdict import GRADES, Check, NotTried, Result
from controller.commands.bench import key_of
from controller.commands.certify_words import KINDS
from controller.commands.columns import columns
from controller.daemon import secrets
from controller.rules.faults import Refused
from drivers.wire import topics
from drivers.wire.broker_client import Account
from drivers.wire.keys import KEY_BYTES, NONCE_BYTES
from drivers.wire.ports import PortSettings

BROKER_PORT = 1883
#: Longer ones are no program of a device.
MAX_PROGRAM_BYTES = 256 * 1024 * 1024
SEATED = ("acceptor", "terminal")


def run(given: argparse.Namespace) -> int:
    if given.verify is not None:
        return _verify(given.verify, given.with_key)
    if given.device == "?":
        return _list()
    if given.device is None:
        raise Refused("DEVICE", "what is to be certified?", f"one of {', '.join(KINDS)}")
    if given.device not in KINDS:
        raise Refused("DEVICE", f"there is no {given.device!r}", f"one of {', '.join(KINDS)}")
    if given.kill and not given.start:
        raise Refused("--kill", "there is nothing to kill", "say --start COMMAND")
    checks = _checks(given)
    key = key_of(given.key_file, "certify")
    what = Given(given.device, given.deck, given.wager, _firmware(given.firmware))
    medium = _medium(given)
    seed = _seed(given.sign_with) if given.sign_with is not None else None
    try:
        made = asyncio.run(_certify(given, medium, key, what, checks))
    except NoDevice as why:
        raise Refused(str(medium), why.why, why.next_step) from None
    if seed is not None:
        made = report.signed(made, seed)
    if given.report is not None:
        secrets.put(given.report, json.dumps(made, indent=1, ensure_ascii=False) + "\n", mode=0o644)
    if given.json:
        sys.stdout.write(json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(report.words(made))
        _say_where(given, seed)
    reached, wanted = made["grade"], given.want
    if given.only:
        return 0 if all(one["verdict"] in ("passed", "not for it") for one in made["checks"]) else 1
    return 0 if reached in GRADES and GRADES.index(reached) >= GRADES.index(wanted) else 1


# --- What was asked for -------------------------------------------------------------


def _checks(given: argparse.Namespace) -> Sequence[Check]:
    known = {check.id for check in CHECKS}
    for id_ in given.only:
        if id_ not in known:
            raise Refused("--only", f"there is no check {id_!r}", "felt certify '?' lists them")
    return [check for check in CHECKS if not given.only or check.id in given.only]


def _list() -> int:
    rows = [
        (check.id, check.grade, ", ".join(check.kinds) or "every", check.says) for check in CHECKS
    ]
    sys.stdout.write("\n".join(columns(rows)) + "\n")
    return 0


def _medium(given: argparse.Namespace) -> Medium:
    if given.port is not None:
        if not 1 <= given.address <= 255:
            raise Refused("--address", f"{given.address} is no address", "1 to 255")
        if not 50 <= given.baud <= 4_000_000:
            raise Refused("--baud", f"no line has {given.baud} baud", "115200 as a rule")
        settings = PortSettings(given.port, baud=given.baud)
        return SerialMedium(settings, given.address, polled=given.bus)
    if given.mqtt is None:
        raise Refused("--port", "where is the device?", "--port PATH or --mqtt HOST[:PORT]")
    if given.bus:
        raise Refused("--bus", "nobody is polled at a broker", "leave it out")
    host, _, number = given.mqtt.partition(":")
    if not host or (number and not (number.isdecimal() and 0 < int(number) < 1 << 16)):
        raise Refused("--mqtt", f"{given.mqtt!r} is no host and port", "host:1883")
    password = ""
    if given.password_file is not None:
        password = _text(given.password_file).strip()
    account = Account(host, int(number) if number else BROKER_PORT, given.user, password)
    try:
        topics.slug(given.table)
        return BrokerMedium(account, given.table, _name(given))
    except ValueError as error:
        raise Refused("--table", str(error)) from None


def _name(given: argparse.Namespace) -> str:
    if given.name:
        return str(given.name)
    seat = given.seat if given.seat is not None else 1
    return f"{given.device} {seat}" if given.device in SEATED else str(given.device)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise Refused(str(file), f"can't be read: {why}") from None


def _firmware(file: Path | None) -> bytes:
    if file is None:
        return b""
    try:
        with file.open("rb") as opened:
            program = opened.read(MAX_PROGRAM_BYTES + 1)
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}") from None
    if len(program) > MAX_PROGRAM_BYTES:
        raise Refused(str(file), "is too long for a program", "the file that is put into it")
    return digest_of(program)


def _seed(file: Path) -> bytes:
    """The key that reports are signed with; made at the first time."""
    if not file.exists():
        secrets.put(file, os.urandom(KEY_BYTES).hex() + "\n", mode=0o400)
        sys.stderr.write(f"felt certify: made {file}: keep it, it is who signs\n")
    try:
        seed = bytes.fromhex(_text(file).strip())
    except ValueError:
        seed = b""
    if len(seed) != KEY_BYTES:
        raise Refused(str(file), "is not a key", f"{2 * KEY_BYTES} hexadecimal digits")
    return seed


def _say_where(given: argparse.Namespace, seed: bytes | None) -> None:
    if given.report is not None:
        signs = "not signed: --sign-with FILE" if seed is None else f"by {report.signer(seed)}"
        sys.stdout.write(f"\nthe report is in {given.report}, {signs}\n")


def _verify(file: Path, key: str) -> int:
    try:
        found: Report = report.read(_text(file).encode())
        if not key:
            said = found.get("signed") or {}
            raise Refused(
                "--with-key",
                f"whose signature is to be checked? {file} says {said.get('key', 'none')}",
                "--with-key NAME+ID+BASE64, as the one who signed has told you",
            )
        by = report.verified(found, key)
    except BadReport as why:
        raise Refused(str(file), str(why)) from None
    device = found["device"]
    sys.stdout.write(
        f"signed by {by.name}: {device.get('kind')} {device.get('model')} "
        f"{device.get('serial_number')}, firmware {device.get('firmware')}, "
        f"{found['grade']}, {found.get('at')}\n"
    )
    return 0


# --- The run ------------------------------------------------------------------------


def _hands(given: argparse.Namespace) -> hands.Hands:
    if given.start:
        return hands.Process(given.start, kills=given.kill)
    if given.hook:
        return hands.Command(given.hook)
    if given.alone or not sys.stdin.isatty():
        return hands.Nobody()
    return hands.Person(_ask)


def _ask(words: str) -> None:
    sys.stderr.write(f"\n>>> {words}\n")
    sys.stderr.flush()


async def _certify(
    given: argparse.Namespace,
    medium: Medium,
    key: bytes,
    what: Given,
    checks: Sequence[Check],
) -> Report:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for one in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(one, stopped.set)
    helping = _hands(given)
    first_id = int.from_bytes(os.urandom(4), "big")
    bench = Bench(Talk(medium, key, lambda: os.urandom(NONCE_BYTES), first_id), helping, what)
    try:
        await helping.begin()
    except NotTried as why:
        raise Refused("--start", str(why)) from None
    wire = asyncio.create_task(medium.run(), name="wire")
    work = asyncio.create_task(_work(bench, checks, given), name="certify")
    waits = asyncio.create_task(stopped.wait(), name="until interrupted")
    try:
        await asyncio.wait({wire, work, waits}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            if wire.done():
                wire.result()
            raise KeyboardInterrupt
        return work.result()
    finally:
        for task in (work, wire, waits):
            task.cancel()
        await asyncio.gather(work, wire, waits, return_exceptions=True)
        with contextlib.suppress(OSError):
            await helping.end()


async def _work(bench: Bench, checks: Sequence[Check], given: argparse.Namespace) -> Report:
    def tell(result: Result) -> None:
        if not given.json:
            sys.stdout.write(report.line(result) + "\n")
            sys.stdout.flush()

    await running.meet(bench)
    results = await running.run(bench, checks, tell)
    at = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return report.made(bench, results, at, given.want)
