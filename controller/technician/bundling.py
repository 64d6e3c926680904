"""All that support needs of a table, in one file: with a list of what is in it and what is not.

Keys, passwords and PINs are never in it. What can't be had is named, and the rest is there: whoever
asks for help has a table that does not work.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from controller import __version__
from controller.daemon import signature
from controller.daemon.configuration import Configuration
from controller.daemon.doctor import examined
from controller.journal.errors import JournalError
from controller.journal.reader import Reader
from controller.library import Library
from controller.recalling import FLIGHT, flight_of, recalled
from controller.rules.faults import Refused

FORMAT = 1
ROUNDS = 5
#: Of the logs of each wire: the newest, as many as fit.
MAX_LOG_BYTES = 32 << 20
REDACTED = (
    "keys, passwords and PINs: the secrets folder is left out",
    "the broker's account: user and certificates are left out of the configuration",
    "faces: sealed in the journal and covered in the logs until they are revealed",
)
#: What of a wire is no business of anybody else.
_LEFT_OUT = {"user", "tls"}


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
            self.put(name, (json.dumps(make(), indent=2) + "\n").encode())
        except (Refused, JournalError, OSError) as error:
            self.missing.append(f"{name}: {error}")


def write(file: Path, configuration: Configuration, library: Library) -> dict[str, Any]:
    """Write the bundle; its list of contents, which is also in it."""
    try:
        with zipfile.ZipFile(file, "x", zipfile.ZIP_DEFLATED) as packed:
            bundle = _Bundle(packed)
            bundle.put_json("versions.json", _versions)
            bundle.put_json("configuration.json", lambda: _without_secrets(configuration))
            bundle.put_json(
                "signature.json",
                lambda: signature.signature(signature.parts(library, configuration.file)),
            )
            bundle.put_json("health.json", lambda: _health(configuration, library))
            bundle.put_json("rounds.json", lambda: _rounds(configuration, library))
            bundle.put_json("flights.json", lambda: _flights(configuration))
            _put_logs(bundle, configuration.logs)
            listed = {
                "felt bundle": FORMAT,
                "table": configuration.terms.id,
                "contents": bundle.contents,
                "missing": bundle.missing,
                "redacted": list(REDACTED),
            }
            packed.writestr("contents.json", json.dumps(listed, indent=2) + "\n")
    except OSError as error:
        raise Refused(str(file), f"can't be written: {error.strerror}") from None
    return listed


def _versions() -> dict[str, str]:
    return {
        "felt": __version__,
        "python": sys.version,
        "system": platform.platform(),
    }


def _without_secrets(configuration: Configuration) -> dict[str, Any]:
    daemon = configuration.daemon
    return {
        "file": str(configuration.file),
        "table": dict(configuration.data),
        "service": daemon.service.model_dump(exclude_defaults=True),
        "wires": {
            name: wire.model_dump(exclude=_LEFT_OUT, exclude_defaults=True)
            for name, wire in daemon.wires.items()
        },
        "approved": dict(daemon.approved),
    }


def _health(configuration: Configuration, library: Library) -> list[dict[str, Any]]:
    return [one._asdict() for one in examined(configuration.file, library, None)]


def _rounds(configuration: Configuration, library: Library) -> list[dict[str, Any]]:
    with Reader.look(configuration.journal) as reader:
        known = reader.rounds(ROUNDS)
        first = known[0] if known else 1
        return list(recalled(reader, first, sys.maxsize, library))


def _flights(configuration: Configuration) -> list[dict[str, Any]]:
    """What was last said on a wire before a device failed: the newest of each wire."""
    found: dict[str, dict[str, Any]] = {}
    with Reader.look(configuration.journal) as reader:
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
    for path in files:
        if not path.name.endswith((".log", ".log.gz")):
            continue
        wire = path.name.partition(".")[0]
        size = path.stat().st_size
        left[wire] = left.get(wire, MAX_LOG_BYTES) - size
        if left[wire] < 0:
            bundle.missing.append(f"logs/{path.name}: older than what fits")
        else:
            bundle.put(f"logs/{path.name}", path.read_bytes())
