"""All that support needs of a table, in one file: with a list of what is in it and what is not.

Keys, passwords and PINs are never in it. What can't be had is named, and the rest is there: whoever
asks for help has a table that does not work, and it may be the table file that is wrong.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from controller import __version__
from controller.daemon import signature
from controller.daemon.client import Client
from controller.daemon.configuration import Configuration, read
from controller.daemon.doctor import examined
from controller.journal.entry import HEAD
from controller.journal.errors import JournalError
from controller.journal.reader import Reader
from controller.library import Library
from controller.recalling import FLIGHT, flight_of, recalled
from controller.rules.faults import Refused
from controller.tables import read_file

FORMAT = 1
ROUNDS = 5
#: Of the logs of each wire: the newest, as many as fit.
MAX_LOG_BYTES = 32 << 20
REDACTED = (
    "keys, passwords and PINs: the secrets folder is left out",
    "the broker's account: user and certificates are left out of the configuration",
    "people: their names are left out, their ids are not",
    "faces: sealed in the journal and covered in the logs until they are revealed",
)
#: What somebody may not expect in it.
ALSO_IN_IT = (
    "serial numbers, ports and notes, as the logs have them; felt log redact leaves them out",
)
#: What of a wire is no business of anybody else.
_LEFT_OUT = {"user", "tls"}
_PACKAGES = ("aiomqtt", "amqtt", "cryptography", "msgspec", "pydantic", "pyserial", "structlog")


@dataclass(frozen=True, slots=True)
class _Table:
    """The table that it is of, as far as its file can be understood."""

    file: Path
    library: Library
    configuration: Configuration | None = None
    #: Why there is none.
    problem: Refused | None = None
    id: str = ""
    #: The folder of journal and logs, if anybody knows it.
    state: Path | None = None

    @classmethod
    def of(cls, file: Path, library: Library) -> _Table:
        try:
            found = read(file, library)
            return cls(file, library, found, None, found.terms.id, found.state)
        except Refused as problem:
            id_, state = "", None
            with suppress(Refused):
                data = read_file(file)
                id_ = str(data.get("id", ""))
                service = data.get("service")
                named = service.get("state") if isinstance(service, dict) else None
                state = Path(named) if isinstance(named, str) else Path("/var/lib/felt", id_)
            return cls(file, library, None, problem, id_, state)

    @property
    def known(self) -> Configuration:
        """``Refused`` with what is wrong with the table file."""
        if self.configuration is None:
            raise self.problem or Refused(str(self.file), "can't be read")
        return self.configuration

    def below(self, name: str) -> Path:
        if self.state is None:
            problem = "the table file can't be read, so nobody knows where it is"
            raise self.problem or Refused(name, problem)
        return self.state / name


class _Bundle:
    def __init__(self, packed: zipfile.ZipFile) -> None:
        self._packed = packed
        self.contents: dict[str, dict[str, Any]] = {}
        self.missing: list[str] = []

    def put(self, name: str, data: bytes) -> None:
        self._packed.writestr(name, data)
        found = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        self.contents[name] = found

    def put_json(self, name: str, make: Callable[[], Any]) -> None:
        """What can't be had is named, and nothing else suffers."""
        try:
            data = (json.dumps(make(), indent=2) + "\n").encode()
        except (Refused, JournalError, OSError) as error:
            self.missing.append(f"{name}: {error}")
        except Exception as error:
            # A record that is damaged in a way that nobody thought of; the rest is there.
            self.missing.append(f"{name}: {error!r}")
        else:
            self.put(name, data)


def write(file: Path, table: Path, library: Library) -> dict[str, Any]:
    """Write the bundle of the table in a file; its list of contents, which is also in it."""
    if file.exists():
        raise Refused(str(file), "is there already", "name another one")
    if not table.exists():
        raise Refused(str(table), "is not there", "name the file of the table")
    of = _Table.of(table, library)
    # Under another name while it is made: half a bundle is none.
    half_done = file.with_name(f"{file.name}.tmp")
    try:
        with zipfile.ZipFile(half_done, "w", zipfile.ZIP_DEFLATED) as packed:
            listed = _put_all(_Bundle(packed), of)
            packed.writestr("contents.json", json.dumps(listed, indent=2) + "\n")
        half_done.replace(file)
    except OSError as error:
        raise Refused(str(file), f"can't be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            half_done.unlink(missing_ok=True)
    return listed


def _put_all(bundle: _Bundle, of: _Table) -> dict[str, Any]:
    bundle.put_json("versions.json", _versions)
    bundle.put_json("configuration.json", lambda: _without_secrets(of.known))
    bundle.put_json("signature.json", lambda: _signature(of))
    bundle.put_json("health.json", lambda: _health(of))
    bundle.put_json("status.json", lambda: _status(of.known))
    bundle.put_json("journal.json", lambda: _head(of.below("journal.db")))
    bundle.put_json("rounds.json", lambda: _rounds(of.below("journal.db"), of.library))
    bundle.put_json("flights.json", lambda: _flights(of.below("journal.db")))
    try:
        _put_logs(bundle, of.below("logs"))
    except Refused as error:
        bundle.missing.append(f"logs: {error}")
    return {
        "felt bundle": FORMAT,
        "table": of.id,
        "contents": bundle.contents,
        "missing": bundle.missing,
        "redacted": list(REDACTED),
        "also in it": list(ALSO_IN_IT),
    }


def _versions() -> dict[str, Any]:
    packages: dict[str, str] = {}
    for name in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            packages[name] = metadata.version(name)
    return {
        "felt": __version__,
        "python": sys.version,
        "system": platform.platform(),
        "packages": packages,
    }


def _without_secrets(configuration: Configuration) -> dict[str, Any]:
    daemon = configuration.daemon
    table = dict(configuration.data)
    people = table.get("people")
    if isinstance(people, list):
        table["people"] = [_nameless(one) for one in people]
    return {
        "file": str(configuration.file),
        "table": table,
        "service": daemon.service.model_dump(exclude_defaults=True),
        "wires": {
            name: wire.model_dump(exclude=_LEFT_OUT, exclude_defaults=True)
            for name, wire in daemon.wires.items()
        },
        "approved": dict(daemon.approved),
        "serial_numbers": dict(daemon.serial_numbers),
    }


def _nameless(person: object) -> object:
    if not isinstance(person, dict):
        return person
    return {key: value for key, value in person.items() if key != "name"}


def _signature(of: _Table) -> dict[str, Any]:
    return signature.signature(signature.parts(of.library, of.file))


def _health(of: _Table) -> list[dict[str, Any]]:
    return [one._asdict() for one in examined(of.file, of.library, None)]


def _status(configuration: Configuration) -> Any:
    """How the table stands, if felt runs: holds, devices, meters."""
    with Client(configuration.socket) as client:
        return client.ask("status")


def _head(journal: Path) -> dict[str, Any]:
    """How long the journal is, and the hash that all of it hangs on."""
    with Reader.look(journal) as reader:
        head, note = reader.head, reader.last(HEAD)
        said = {"table": reader.header.table, "entries": head.seq, "head": head.link.hex()}
        # The last one that the table has signed, in the form that a witness holds.
        return {**said, "signed": note.body.decode()} if note is not None else said


def _rounds(journal: Path, library: Library) -> list[dict[str, Any]]:
    with Reader.look(journal) as reader:
        known = reader.rounds(ROUNDS)
        first = known[0] if known else 1
        return list(recalled(reader, first, sys.maxsize, library))


def _flights(journal: Path) -> list[dict[str, Any]]:
    """What was last said on a wire before a device failed: the newest of each wire."""
    found: dict[str, dict[str, Any]] = {}
    with Reader.look(journal) as reader:
        at: int | None = None
        for _ in range(ROUNDS):
            entry = reader.last(FLIGHT, at)
            if entry is None or entry.seq <= 1:
                break
            said = flight_of(entry.body)
            found.setdefault(str(said.get("wire")), {"seq": entry.seq, **said})
            at = entry.seq - 1
    return list(found.values())


def _put_logs(bundle: _Bundle, folder: Path) -> None:
    left: dict[str, int] = {}
    try:
        files = sorted(folder.iterdir(), key=lambda one: one.name, reverse=True)
    except OSError as error:
        bundle.missing.append(f"logs: {folder}: {error.strerror}")
        return
    named = [one for one in files if one.name.endswith((".log", ".log.gz"))]
    if not named:
        bundle.missing.append(f"logs: {folder}: there are none")
    for path in named:
        wire = path.name.partition(".")[0]
        try:
            if not path.is_file():
                bundle.missing.append(f"logs/{path.name}: is no file")
                continue
            left[wire] = left.get(wire, MAX_LOG_BYTES) - path.stat().st_size
            if left[wire] < 0:
                bundle.missing.append(f"logs/{path.name}: older than what fits")
                continue
            data = path.read_bytes()
        except OSError as error:
            # felt may have compressed it, or let it go, in this moment.
            bundle.missing.append(f"logs/{path.name}: {error.strerror}")
            continue
        bundle.put(f"logs/{path.name}", data)
