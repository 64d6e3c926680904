"""``felt watch``: every event of a running table as it happens, and how its devices stand."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from typing import Any

from controller.daemon.client import Client, find
from controller.rules.faults import ranged


def run(given: argparse.Namespace) -> int:
    with Client(find(given.table, given.socket)) as client:
        begun = client.ask("watch")
        if not given.json:
            sys.stdout.write(f"after entry {begun['seq']}, in phase {begun['phase']}\n")
            for status, devices in _by_status(begun["devices"]).items():
                sys.stdout.write(f"{status}: {ranged(devices)}\n")
            sys.stdout.flush()
        for change in client.changes():
            sys.stdout.write((json.dumps(change) if given.json else line(change)) + "\n")
            sys.stdout.flush()
    return 0


def line(change: dict[str, Any]) -> str:
    at = datetime.datetime.fromtimestamp(change["at"] / 1000).astimezone()
    missed = f"({change['missed']} missed)\n" if change.get("missed") else ""
    if "device" in change:
        return f"{missed}{at:%H:%M:%S} {standing(change)}"
    said = f"{missed}{at:%H:%M:%S} {change['seq']} {change['event']} > {change['phase']}"
    if change["refused"]:
        return f"{said}  REFUSED: {change['refused']}"
    for hold in change["holds"][:1]:
        more = f" and {len(change['holds']) - 1} more" if len(change["holds"]) > 1 else ""
        said += f"  HOLD {hold['where']}: {hold['cause']}{more}"
    for prompt in change["prompts"][:1]:
        said += f"  {prompt['who']}: {prompt['text']}"
    return said


def _by_status(devices: dict[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for device, status in devices.items():
        found.setdefault(status, []).append(device)
    return found


def standing(change: dict[str, Any]) -> str:
    said = f"{change['device']} is {change['status']}"
    if change["reason"]:
        said += f": {change['reason']}"
    if change["next_step"]:
        said += f"  ({change['next_step']})"
    return said
