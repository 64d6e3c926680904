"""``felt status``: how a running table stands, for people and for scripts."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from controller.commands.columns import columns
from controller.daemon.client import Client, find
from controller.daemon.configuration import by_kind
from controller.daemon.disk import said
from controller.daemon.hints import hint
from controller.rules.faults import ranged

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
    disk = status.get("disk", {})
    room = f"; {said(disk['free'], disk['lasts_s'])}" if disk.get("free") is not None else ""
    yield f"{well}; {status['journal']['entries']} entries in the journal{room}"
    for remark in status["journal"].get("remarks", ()):
        yield f"the journal, as it was opened: {remark}"
    for hold in status["holds"]:
        yield ""
        yield f"HOLD {hold['number']}, {hold['where']}: {hold['cause']} ({age(hold['age_s'])})"
        yield f"  {hold['stops']} until a {hold['clears']} clears it"
        if hold["seen_by"]:
            yield f"  {hold['seen_by']} has seen it"
        if hold["next_step"]:
            yield f"  {hold['next_step']}"
    yield from _section("do next", ((one["who"], one["text"]) for one in status["prompts"]))
    yield from _offered(status["offers"])
    yield from _devices(status["devices"])
    yield from _section("not well", _with_hints(_not_shown_yet(status)))
    yield from _section("meters", _meters(status["meters"]))
    yield from _section("on duty", _on_duty(status))
    check = status["self_check"]
    # A device that is not in order stands above, with its reason.
    devices = {one["device"] for one in status["devices"]}
    if check is not None:
        rows = [
            (one["verdict"], one["what"], one["found"])
            for one in check["checked"]
            if one["verdict"] != "ok" and one["what"] not in devices
        ]
        failed = (one["what"] for one in check["checked"] if one["verdict"] == "failed")
        if above := [name for name in failed if name in devices]:
            rows.append(("failed", ranged(by_kind(above)), "see above"))
        yield from _section(f"self-check {'passed' if check['passed'] else 'FAILED'}", rows)


def _offered(offers: list[dict[str, Any]]) -> Iterator[str]:
    """What leads on; of what the floor can do, and of what should not have happened, how many."""
    rows = [
        (one["id"], one["who"], one["title"]) for one in offers if one["group"] in ("due", "may")
    ]
    more = len(offers) - len(rows)
    if offers:
        yield from ("", "can be done", *columns(rows))
    if more:
        yield f"  {'and ' if rows else ''}{more} more: felt act lists them"


def _on_duty(status: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if not status["on_duty"]:
        yield "nobody", "presses at the panel are refused until somebody signs on"
    for role, person in status["on_duty"].items():
        yield role, f"{person}, for {age(status['on_duty_s'][role])}"


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
    # A broker that is away is one trouble, and not as many as it has devices.
    together: dict[Any, list[dict[str, Any]]] = {}
    for one in devices:
        same = (one["status"], one["reason"], one["next_step"], one["first_cause"])
        together.setdefault(same if one["reason"] else one["device"], []).append(one)
    rows = [
        (
            ranged(one["device"] for one in group),
            group[0]["status"],
            age(max(one["for_s"] for one in group)),
            _heard([one["heard_s"] for one in group]),
            group[0]["reason"],
        )
        for group in together.values()
    ]
    for line, (one, *_) in zip(columns(rows), together.values(), strict=True):
        yield line
        if one["first_cause"] and one["first_cause"] != one["reason"]:
            yield f"    first: {one['first_cause']}"
        if one["next_step"]:
            yield f"    {one['next_step']}"


def _heard(ages: list[float | None]) -> str:
    known = [one for one in ages if one is not None]
    return f"heard {age(max(known))} ago" if known else "never heard"


def _not_shown_yet(status: dict[str, Any]) -> Iterator[str]:
    """What is wrong beside the holds, the devices and the self-check, which have their own part."""
    shown = [f"hold {hold['number']}, " for hold in status["holds"]]
    shown += [f"{one['device']} is " for one in status["devices"]]
    if status["self_check"] is not None:
        shown.append("self-check: ")
    yield from (one for one in status["wrong"] if not one.startswith(tuple(shown)))


def _with_hints(sentences: Iterable[str]) -> Iterator[tuple[str, str]]:
    for one in sentences:
        yield "-", one
        known = hint(one)
        if known is not None and known.action not in one:
            yield "", known.action


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
