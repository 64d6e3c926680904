"""``felt watch``: every event of a running table as it happens, and how its devices stand."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections.abc import Iterator
from typing import Any

from controller.commands.columns import folded
from controller.daemon.client import Client, find
from controller.rules.faults import ranged

#: Behind the time and the entry; what goes on for longer is below it.
INDENT = 18


def run(given: argparse.Namespace) -> int:
    with Client(find(given.table, given.socket)) as client:
        begun = client.ask("watch")
        watched = Watched(begun)
        if not given.json:
            _write(watched.beginning(begun))
        for change in client.changes():
            _write([json.dumps(change)] if given.json else watched.lines(change))
    return 0


def _write(lines: Iterator[str] | list[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


class Watched:
    """What was said last: only what is new is said again."""

    def __init__(self, begun: dict[str, Any]) -> None:
        self._stands = (begun["phase"], begun.get("round"))
        self._holds: dict[int, dict[str, Any]] = {}

    def beginning(self, begun: dict[str, Any]) -> Iterator[str]:
        yield f"after entry {begun['seq']}: {_stands(*self._stands)}"
        for status, devices in _by_status(begun["devices"]).items():
            yield from folded(f"{status}: ", ranged(devices))

    def lines(self, change: dict[str, Any]) -> Iterator[str]:
        if change.get("missed"):
            yield f"({change['missed']} changes were missed)"
        at = datetime.datetime.fromtimestamp(change["at"] / 1000).astimezone()
        if "device" in change:
            yield from folded(f"{at:%H:%M:%S}        - ", standing(change))
            return
        by = f"  ({change['by']['id']})" if change["by"] else ""
        yield from folded(f"{at:%H:%M:%S} {change['seq']:>8} ", f"{change['said']}{by}")
        if change["refused"]:
            yield from folded(" " * INDENT, f"REFUSED: {change['refused']}")
        yield from self._of_holds(change["holds"])
        stands = (change["phase"], change["round"])
        if stands != self._stands:
            self._stands = stands
            yield f"{'':{INDENT}}-- {_stands(*stands)}"

    def _of_holds(self, holds: list[dict[str, Any]]) -> Iterator[str]:
        before, self._holds = self._holds, {one["number"]: one for one in holds}
        for number, hold in self._holds.items():
            if number not in before:
                said = f"HOLD {number}, {hold['where']}: {hold['cause']}"
                yield from folded(" " * INDENT, f"{said}; a {hold['clears']} clears it")


def _stands(phase: str, round_: int | None) -> str:
    return phase if round_ is None else f"{phase}, round {round_}"


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
