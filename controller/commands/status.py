"""``felt status``: how a running table stands, for people and for scripts."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from controller.commands.columns import columns
from controller.daemon.client import Client, find

UNHEALTHY = 1


def run(given: argparse.Namespace) -> int:
    with Client(find(given.table, given.socket)) as client:
        status = client.ask("status")
    if given.json:
        sys.stdout.write(json.dumps(status, indent=2) + "\n")
    else:
        sys.stdout.write("\n".join(lines(status)) + "\n")
    return 0 if status["healthy"] else UNHEALTHY


def lines(status: dict[str, Any]) -> Iterator[str]:
    well = "all is well" if status["healthy"] else "NOT WELL"
    yield f"{status['table']} ({status['rulebook']}): {status['phase']}, round {status['round']}"
    yield f"{well}; {status['journal']['entries']} entries in the journal"
    for hold in status["holds"]:
        yield ""
        yield f"HOLD {hold['number']}, {hold['where']}: {hold['cause']} ({age(hold['age_s'])})"
        yield f"  a {hold['clears']} clears it"
        if hold["next_step"]:
            yield f"  {hold['next_step']}"
    yield from _section("do next", ((one["who"], one["text"]) for one in status["prompts"]))
    yield from _devices(status["devices"])
    yield from _section("not well", (("-", one) for one in status["wrong"]))
    yield from _section("meters", _meters(status["meters"]))
    yield from _section("on duty", status["on_duty"].items())
    check = status["self_check"]
    if check is not None:
        rows = [
            (one["verdict"], one["what"], one["found"])
            for one in check["checked"]
            if one["verdict"] != "ok"
        ]
        yield from _section(f"self-check {'passed' if check['passed'] else 'FAILED'}", rows)


def _section(title: str, rows: Any) -> Iterator[str]:
    found = columns(rows)
    if found:
        yield ""
        yield title
        yield from found


def _devices(devices: list[dict[str, Any]]) -> Iterator[str]:
    if not devices:
        return
    yield ""
    yield "devices"
    rows = [
        (
            one["device"],
            one["status"],
            age(one["for_s"]),
            "never heard" if one["heard_s"] is None else f"heard {age(one['heard_s'])} ago",
            one["reason"],
        )
        for one in devices
    ]
    for line, one in zip(columns(rows), devices, strict=True):
        yield line
        if one["first_cause"] and one["first_cause"] != one["reason"]:
            yield f"    first: {one['first_cause']}"
        if one["next_step"]:
            yield f"    {one['next_step']}"


def _meters(meters: dict[str, dict[str, int]]) -> Iterator[tuple[str, str, str]]:
    for meter, levels in meters.items():
        for level, cents in levels.items():
            yield meter, level, f"${cents // 100:,}.{cents % 100:02}"


def age(seconds: float) -> str:
    """How long, as short as it can be said."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
