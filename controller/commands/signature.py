"""``felt signature``: digests of what felt is, for a lab, and what a table was approved with."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from controller.commands.columns import columns
from controller.daemon import signature
from controller.daemon.client import Client, find
from controller.library import Library
from controller.rules.faults import Refused


def run(given: argparse.Namespace) -> int:
    key = _key(given.key) if given.key else ""
    if given.record:
        return _record(given)
    if given.running:
        with Client(find(given.table, given.socket)) as client:
            said = client.ask("signature", {"key": key} if key else {})
    else:
        found = signature.parts(Library(*given.folder), given.table)
        said = signature.signature(found, signature.key_of(key) if key else b"")
    _show(said, as_json=given.json)
    return 0


def _key(file: Path) -> str:
    try:
        text = file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(str(file), f"can't be read: {error}") from None
    signature.key_of(text)
    return text


def _record(given: argparse.Namespace) -> int:
    if given.table is None:
        raise Refused("--record", "is for a table", "say --table TABLE.toml")
    from controller.daemon.configuration import read  # noqa: PLC0415

    library = Library(*given.folder)
    configuration = read(given.table, library)
    file = signature.record(configuration.secrets, signature.parts(library, given.table))
    sys.stdout.write(f"recorded in {file}\n")
    return 0


def _show(said: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps(said, indent=2) + "\n")
        return
    rows = [
        (name, part["digest"], f"{part['files']} files") for name, part in said["parts"].items()
    ]
    lines = [f"felt {said['felt']}, Python {said['python']}", *columns(rows)]
    for name, part in said["parts"].items():
        lines += [f"{name}: {file} is not made of its source" for file in part["foreign"]]
        lines += [f"{name}: {file} is not what was loaded" for file in part["restored"]]
    lines.append(f"digest {said['digest']}")
    if "hmac" in said:
        lines.append(f"hmac   {said['hmac']}")
    sys.stdout.write("\n".join(lines) + "\n")
