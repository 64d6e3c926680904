"""What a technician checks by hand: ports, broker, clock, disk, journal, secrets, packages.

It works with and without a running table. Nothing is changed; on the disk one small file is
written and removed. Each finding says what was looked at, what was found, and what to do.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.metadata
import os
import platform
import re
import shutil
import socket
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from controller import __version__
from controller.daemon import creds, heads, pins, secrets, signature
from controller.daemon.client import Client, Unanswered
from controller.daemon.configuration import Configuration, Wire, read
from controller.daemon.disk import ENOUGH_BYTES, LEAST_BYTES
from controller.daemon.hints import hint
from controller.daemon.packages import FELT
from controller.daemon.wiring import BROKER_PORT, EMBEDDED
from controller.journal.errors import JournalError
from controller.journal.reader import Reader
from controller.journal.verifier import Unreadable, survey
from controller.library import Library
from controller.rules.faults import Refused
from drivers.wire.broker_door import HOST
from drivers.wire.ports import holders, to_find

Verdict = Literal["ok", "warn", "fail"]

#: A commit waits for this; more than that and the table feels it.
SLOW_WRITE_S = 0.05
WRITES = 5
BROKER_S = 2.0
#: Names that stay with the device, whichever socket it is plugged into next.
STABLE = ("/dev/serial/", "/dev/felt/")
#: What the system answers when nobody sets the clock.
_TIME_ERROR = 5
_TIMEX_BYTES = 512


_RUNS_NOT = "it does not run"
_MAY_NOT_ASK = "this user may not ask it"


class Finding(NamedTuple):
    verdict: Verdict
    what: str
    found: str
    next_step: str = ""


def examined(table: Path | None, library: Library, given: Path | None) -> Iterator[Finding]:
    """All findings, in the order in which they are found."""
    yield from _program()
    yield _clock()
    configuration = None
    if table is not None:
        try:
            configuration = read(table, library)
            yield Finding("ok", "table file", f"{table}: table {configuration.terms.id}")
        except Refused as refused:
            problem = f"{refused.field}: {refused.problem}" if refused.field else refused.problem
            step = refused.allowed or f"put it right in {table}"
            yield Finding("fail", "table file", problem, step)
    else:
        step = "felt doctor --table TABLE.toml looks at its ports, disk, journal and secrets"
        yield Finding("warn", "table file", "none was given", step)
    where = given or (configuration.socket if configuration else None)
    runs = False
    if where is not None:
        found = list(_service(where))
        runs = _RUNS_NOT not in found[0].found
        yield from found
    if configuration is not None:
        for wire, settings in configuration.daemon.wires.items():
            yield from _wire(wire, settings, runs=runs)
        if closed := [one for one in (configuration.state, configuration.secrets) if _is_shut(one)]:
            problem = f"{' and '.join(map(str, closed))} may not be looked into by this user"
            yield Finding("fail", "secrets", problem, "run it as root: sudo felt doctor ...")
            return
        yield from _disk(configuration)
        yield from _journal(configuration)
        yield from _secrets(configuration)
        yield from _approved(configuration, library)


def _is_shut(folder: Path) -> bool:
    return _is_there(folder) and not os.access(folder, os.R_OK | os.X_OK)


# --- This PC ------------------------------------------------------------------


def _program() -> Iterator[Finding]:
    yield Finding("ok", "python", f"{platform.python_version()}, felt {__version__}")
    try:
        needs = importlib.metadata.requires(FELT) or []
    except importlib.metadata.PackageNotFoundError:
        yield Finding("warn", "packages", "felt runs without being installed", "pip install .")
        return
    missing = [name for name in map(_needed, needs) if name and not _version(name)]
    if missing:
        named = ", ".join(missing)
        yield Finding("fail", "packages", f"{named} not installed", f"pip install {named}")
    else:
        yield Finding("ok", "packages", "all that felt needs are there")


def _needed(requirement: str) -> str:
    name, _, condition = requirement.partition(";")
    found = re.match(r"[\w.-]+", name)
    return found[0] if found and "extra" not in condition else ""


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _clock() -> Finding:
    """Asks the kernel, without setting anything, whether somebody keeps its clock right."""
    step = "enable a time service: systemctl enable --now systemd-timesyncd"
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
    except (OSError, AttributeError):
        state = -1
    if state == _TIME_ERROR:
        return Finding("warn", "clock", "nobody keeps it right", step)
    if state < 0:
        return Finding("warn", "clock", "the system does not tell whether it is right", step)
    return Finding("ok", "clock", "it is kept right")


# --- The service --------------------------------------------------------------


def _service(path: Path) -> Iterator[Finding]:
    try:
        with Client(path) as client:
            status = client.ask("status")
    except Unanswered as error:
        why = _MAY_NOT_ASK if error.forbidden else _RUNS_NOT
        yield Finding("warn", "service", f"{why}: {error.problem}", error.allowed)
        return
    except Refused as refused:
        yield Finding("fail", "service", str(refused))
        return
    at = f"{status['table']} is in phase {status['phase']}, round {status['round']}"
    yield Finding("ok", "service", f"it runs: {at}")
    for one in status["wrong"]:
        known = hint(one)
        yield Finding("fail", "service", one, known.action if known else "felt status says more")


# --- Wires --------------------------------------------------------------------


def _wire(name: str, wire: Wire, *, runs: bool) -> Iterator[Finding]:
    what = f"wire {name}"
    if wire.mqtt:
        yield _broker(what, wire, runs=runs)
        return
    path = wire.serial
    try:
        mode = Path(path).stat().st_mode
    except OSError as error:
        step = f"{to_find(path)}; ls -l /dev/serial/by-id shows what is there"
        yield Finding("fail", what, f"{path}: {error.strerror}", step)
        return
    if not stat.S_ISCHR(mode):
        step = "put the name of a serial port into the table file"
        yield Finding("fail", what, f"{path} is no serial port", step)
        return
    others = [(pid, program) for pid, program in holders(path) if pid != os.getpid()]
    if not os.access(path, os.R_OK | os.W_OK):
        step = "add the service's user to the port's group, and restart the service"
        yield Finding("fail", what, f"{path} may not be used by this user", step)
    elif others and not runs:
        who = ", ".join(f"{program} (process {pid})" for pid, program in others)
        yield Finding("fail", what, f"{path} is in use by {who}", "end that program")
    else:
        yield Finding("ok", what, f"{path} is there")
    if not path.startswith(STABLE):
        step = "use its name under /dev/serial/by-id, or a udev rule"
        yield Finding("warn", what, f"{path} may be another device after a restart", step)


def _broker(what: str, wire: Wire, *, runs: bool) -> Finding:
    address = wire.mqtt
    host, _, port = address.rpartition(":")
    if not host:
        host, port = address, str(BROKER_PORT)
    if host == EMBEDDED:
        return _own_broker(what, port, runs=runs)
    try:
        with socket.create_connection((host.strip("[]"), int(port)), BROKER_S):
            return Finding("ok", what, f"the broker {address} takes connections")
    except (OSError, ValueError) as error:
        step = "start the broker, or put host and port right in the table file"
        return Finding("fail", what, f"the broker {address} can't be reached: {error}", step)


def _own_broker(what: str, port: str, *, runs: bool) -> Finding:
    """Its port may be somebody else's, which the service would find out when it starts."""
    if not runs and port.isdecimal():
        with contextlib.suppress(OSError), socket.create_connection((HOST, int(port)), BROKER_S):
            problem = f"port {port} of this PC, which the broker inside felt needs, is taken"
            step = f'end what listens there (ss -ltnp), or name another: mqtt = "{EMBEDDED}:1884"'
            return Finding("fail", what, problem, step)
    return Finding("ok", what, "the broker is inside the service")


# --- Disk, journal, secrets ---------------------------------------------------


def _disk(configuration: Configuration) -> Iterator[Finding]:
    folder = configuration.state
    # Before the first start the disk is there and the folder is not.
    there = next(one for one in (folder, *folder.absolute().parents) if _is_there(one))
    try:
        free = shutil.disk_usage(there).free
    except OSError as error:
        step = "look whether its disk is mounted"
        yield Finding("fail", "disk", f"{there}: {error.strerror}", step)
        return
    said = f"{free / (1 << 30):.1f} GB free at {there}"
    if there != folder:
        said += f"; {folder} is not there yet, the first start makes it"
    if free < LEAST_BYTES:
        yield Finding("fail", "disk", said, "make room before the table opens")
    elif free < ENOUGH_BYTES:
        yield Finding("warn", "disk", said, "make room soon")
    else:
        yield Finding("ok", "disk", said)
    if there != folder:
        return
    try:
        seconds = sorted(_written(folder) for _ in range(WRITES))[WRITES // 2]
    except OSError as error:
        step = f"give the service's user the folder {folder}"
        yield Finding("fail", "disk", f"{folder} can't be written: {error.strerror}", step)
        return
    said = f"a write is safe on it after {seconds * 1000:.1f} ms"
    if seconds > SLOW_WRITE_S:
        yield Finding("warn", "disk", said, "look for another program that writes, or a worn disk")
    else:
        yield Finding("ok", "disk", said)


def _is_there(folder: Path) -> bool:
    """What only root may look into counts as there."""
    try:
        return folder.exists()
    except PermissionError:
        return True


def _written(folder: Path) -> float:
    with tempfile.TemporaryFile(dir=folder) as file:
        begun = time.monotonic()
        file.write(bytes(4096))
        file.flush()
        os.fsync(file.fileno())
        return time.monotonic() - begun


def _journal(configuration: Configuration) -> Iterator[Finding]:
    path = configuration.journal
    if not path.exists():
        yield Finding("ok", "journal", f"{path} is not there yet; the first start makes it")
        return
    try:
        report = survey(path)
    except Unreadable as error:
        yield Finding("fail", "journal", str(error), f"felt verify {path}")
        return
    if report.sound:
        # The quick look does not go through the entries, so it does not count them either.
        yield Finding("ok", "journal", f"{path}: its pages are as they were written")
        yield _head(configuration)
    for finding in report.findings[:1]:
        yield Finding("fail", "journal", str(finding), "stop the table, keep the file, felt verify")


def _head(configuration: Configuration) -> Finding:
    """Whether the journal goes on from the head that is kept apart from it."""
    try:
        seed = secrets.key_if_there(configuration.secrets, secrets.HEADS)
        if seed is None:
            step = f"felt keys {configuration.secrets} --table {configuration.file}"
            return Finding("warn", "head", "nothing beside the journal knows how far it goes", step)
        file = heads.head_file(configuration, seed)
        kept = file.read()
        if kept is None:
            said = f"{file.path} is not there; the next start of felt makes it, or asks about it"
            return Finding("warn", "head", said, "start felt, and see what it says")
        with Reader.look(configuration.journal) as journal:
            problem = heads.against(journal, kept, is_written=True)
    except Refused as refused:
        return Finding("fail", "head", str(refused))
    except JournalError as error:
        return Finding("fail", "head", f"{error.thing} {error.cause}", error.remedy)
    if problem:
        return Finding("fail", "head", problem, heads.NOT_IT)
    return Finding("ok", "head", f"the journal goes on from entry {kept.head.seq}, as it was kept")


def _secrets(configuration: Configuration) -> Iterator[Finding]:
    folder = configuration.secrets
    try:
        mode = stat.S_IMODE(folder.stat().st_mode)
    except OSError as error:
        step = f"felt keys {folder} --table {configuration.file}"
        yield Finding("fail", "secrets", f"{folder}: {error.strerror}", step)
        return
    if mode & 0o027:
        yield Finding("fail", "secrets", f"others may look into {folder}", f"chmod 700 {folder}")
    else:
        yield Finding("ok", "secrets", f"{folder} is private")
    for name in configuration.proving:
        try:
            secrets.key(folder, name)
        except Refused as refused:
            yield Finding("fail", "secrets", str(refused))
    yield _faces(folder)
    yield from _people(configuration)


def _faces(folder: Path) -> Finding:
    """Whether a copy of the disk opens the faces that a shoe has read."""
    seals = "felt install TABLE.toml, as root, seals it"
    if not secrets.file_of(folder, secrets.AUDITORS).exists():
        try:
            secrets.key(folder, secrets.FACES)
        except Refused as refused:
            return Finding("fail", "seals", str(refused))
        problem = f"faces.key lies in plain in {folder}: a copy of this disk opens every hand"
        return Finding("warn", "seals", problem, seals)
    if secrets.file_of(folder, f"{secrets.FACES}.key").exists():
        step = "take it to the auditors, and delete it here"
        return Finding("warn", "seals", f"the auditors' faces.key lies in plain in {folder}", step)
    return _of_the_round(folder, seals)


def _of_the_round(folder: Path, seals: str) -> Finding:
    sealed = secrets.sealed_folder(folder) / f"{secrets.ROUNDS}.key"
    if secrets.file_of(folder, f"{secrets.ROUNDS}.key").exists():
        problem = f"rounds.key lies in plain in {folder}: a copy of this disk opens the hand"
        return Finding("warn", "seals", problem, seals)
    try:
        by = creds.sealed_by(sealed)
    except Refused as refused:
        return Finding("fail", "seals", str(refused), seals)
    if by == "host":
        problem = "the key of faces is sealed by this PC's own key, which lies on its disk too"
        return Finding("warn", "seals", problem, "use a PC with a TPM, or encrypt the whole disk")
    return Finding("ok", "seals", f"the key of faces is sealed by {by}")


def _people(configuration: Configuration) -> Iterator[Finding]:
    people = configuration.terms.people
    if not people:
        step = "list the people in the table file"
        yield Finding("warn", "people", "whoever says so acts at this table", step)
        return
    if not pins.is_kept(configuration.secrets):
        step = f"felt pin PERSON --table {configuration.file}"
        yield Finding("warn", "people", "nobody has to prove who they are", step)
        return
    try:
        known = pins.read(configuration.secrets)
    except Refused as refused:
        yield Finding("fail", "people", str(refused))
        return
    if without := [person for person in people if person not in known]:
        step = f"felt pin {without[0]} --table {configuration.file}"
        yield Finding("warn", "people", f"no PIN for {', '.join(without)}", step)
    else:
        yield Finding("ok", "people", f"all {len(people)} have a PIN")


def _approved(configuration: Configuration, library: Library) -> Iterator[Finding]:
    try:
        approved = signature.approved(configuration.secrets)
        found = signature.parts(library, configuration.file)
    except Refused as refused:
        yield Finding("fail", "approval", str(refused))
        return
    for part in found.values():
        if part.wrong:
            step = signature.FOREIGN if part.foreign else signature.RESTORED
            yield Finding("fail", "approval", part.wrong, step)
            return
    if listed := configuration.daemon.service.approved_program:
        approved["program"] = found["program"].digest if found["program"].digest in listed else ""
    if not approved:
        step = f"felt signature --table {configuration.file} --record"
        yield Finding("warn", "approval", "nothing was recorded to compare with", step)
        return
    for name, digest in approved.items():
        if name in found and found[name].digest != digest:
            step = "put the approved one back, or have this one approved"
            yield Finding("fail", "approval", f"{name} is not the approved one", step)
            return
    yield Finding("ok", "approval", f"{', '.join(approved)} as approved")
