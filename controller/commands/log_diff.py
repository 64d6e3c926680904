"""``felt log diff``: what two logs say otherwise, and what took longer."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from controller.commands.log_show import say, say_damage
from controller.rules.faults import Refused, listed
from controller.technician import comparing, sources, telling
from controller.technician.answering import Times
from controller.technician.comparing import Compared, Fact, Spoken, Stream, Timed
from controller.technician.logs import Run

DIFFERENT = 1
#: Of the differences after the first one.
MAX_MORE = 10
#: As much of a fact as fits beside another one.
MAX_FACT = 60
_KINDS = {
    "command": "commands to",
    "result": "results from",
    "event": "events from",
    "identity": "identities from",
    "presence": "presence of",
    "request": "requests to",
    "answer": "answers from",
    "port": "the port of",
}


def run(given: argparse.Namespace) -> int:
    with sources.opened([given.first]) as left, sources.opened([given.second]) as right:
        one, other = _last(left.runs, given.first), _last(right.runs, given.second)
        found = comparing.compared(one, other)
        if given.json:
            say(json.dumps(_data(found), indent=2))
        else:
            for text in _told(found, given):
                say(text)
        say_damage(left.damage)
        say_damage(right.damage)
    return 0 if found.same else DIFFERENT


def _last(runs: list[Run], path: Path) -> Run:
    """The last start of felt, if there are several."""
    tables = sorted({one.table for one in runs})
    if len(tables) > 1:
        raise Refused(str(path), f"has logs of {listed(tables)}", "name the logs of one table")
    return runs[-1]


def _told(found: Compared, given: argparse.Namespace) -> Iterator[str]:
    for fact in found.facts:
        yield from _fact(fact)
    for name, side in found.only:
        yield f"{name}: only in {given.second if side else given.first}"
    for remark in found.remarks:
        yield f"after a gap nothing is sure: {remark}"
    differences = found.differences
    if differences:
        yield from _difference(differences[0], given)
        for one in differences[1 : MAX_MORE + 1]:
            yield f"also {_whose(one)}, after {_same(one)}: {_short(one)}"
        if len(differences) > MAX_MORE + 1:
            yield f"and {len(differences) - MAX_MORE - 1} more"
    count = sum(one.same for one in found.streams)
    if found.same:
        devices = {(one.wire, one.device) for one in found.streams if one.device}
        yield f"the same was said: {count} messages of {len(devices)} devices"
    yield from _times(found.times, everything=given.times)


def _data(found: Compared) -> dict[str, Any]:
    """The same for programs; all differences and all times."""
    return {
        "same": found.same,
        "messages_the_same": sum(one.same for one in found.streams),
        "facts": [
            {"what": one.what, "first": one.first, "second": one.second} for one in found.facts
        ],
        "only": [{"name": name, "in": "second" if side else "first"} for name, side in found.only],
        "remarks": [str(remark) for remark in found.remarks],
        "differences": [
            {
                "kind": one.kind,
                "wire": one.wire,
                "device": one.device,
                "after": one.same,
                "gave_up": bool(one.gave_up),
                "first": _spoken(one.first),
                "second": _spoken(one.second),
            }
            for one in found.differences
        ],
        "times": [
            {
                "wire": one.wire,
                "device": one.device,
                "asked_for": one.asked_for,
                "verdict": one.verdict,
                "first": _times_data(one.both[0]),
                "second": _times_data(one.both[1]),
            }
            for one in found.times
        ],
    }


def _spoken(spoken: Spoken | None) -> dict[str, Any] | None:
    if spoken is None:
        return None
    return {"plain": spoken.plain, **telling.as_data(spoken.logged, words=spoken.words)}


def _times_data(times: Times) -> dict[str, Any]:
    if not times.count:
        return {"count": 0, "median_ms": None, "within_99_ms": None}
    median, within = (times.within(part) / 1000 for part in (50, 99))
    return {"count": times.count, "median_ms": median, "within_99_ms": within}


def _fact(fact: Fact) -> Iterator[str]:
    one, other = (_shortened(text) for text in (fact.first, fact.second))
    yield f"{fact.what}: {one or 'nothing'} | {other or 'nothing'}"


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_FACT else f"{text[:MAX_FACT]}..."


def _whose(one: Stream) -> str:
    return f"{_KINDS.get(one.kind, one.kind)} {one.device or one.wire}"


def _same(one: Stream) -> str:
    return f"{one.same} the same"


def _short(one: Stream) -> str:
    first, second = (spoken.plain if spoken else "nothing" for spoken in (one.first, one.second))
    return f"{_shortened(first)} | {_shortened(second)}"


def _difference(one: Stream, given: argparse.Namespace) -> Iterator[str]:
    yield f"different: {_whose(one)}, after {_same(one)}"
    if one.gave_up:
        yield f"  the other log does not say it within {comparing.MAX_AHEAD} messages"
    for path, spoken in ((given.first, one.first), (given.second, one.second)):
        yield f"  {path}: {'' if spoken else 'nothing more of it'}".rstrip()
        if spoken is not None:
            yield from _context(spoken)


def _context(spoken: Spoken) -> Iterator[str]:
    for logged, said in spoken.before:
        yield f"      {telling.line(logged, words=said.words)}"
    yield f"    > {telling.line(spoken.logged, words=spoken.words)}"
    yield f"      {spoken.logged.file}:{spoken.logged.line}"


def _times(all_: list[Timed], *, everything: bool) -> Iterator[str]:
    """Of each device in one line; and what is notably slower or faster, or all of it."""
    yield "answers of A and B: how many, median, 99 % within"
    devices: dict[tuple[str, str], tuple[Times, Times]] = {}
    for one in all_:
        sums = devices.setdefault((one.wire, one.device), (Times(), Times()))
        if not one.asked_for.startswith("quiet"):
            for part, added in zip(sums, one.both, strict=True):
                part.join(added)
    for (wire, device), both in devices.items():
        whole = Timed(wire, device, "all", both)
        yield _time_line(device or wire, whole)
        for one in all_:
            if (one.wire, one.device) == (wire, device) and (everything or one.verdict):
                yield _time_line(f"  {one.asked_for}", one)


def _time_line(label: str, one: Timed) -> str:
    first, second = one.both
    counts = f"{first.count} | {second.count}"
    return (
        f"  {label:<22} {counts:>13}  {_both(one, 50)}  {_both(one, 99)}  {one.verdict}"
    ).rstrip()


def _both(one: Timed, percent: int) -> str:
    first, second = (
        f"{times.within(percent) / 1000:.1f}" if times.count else "-" for times in one.both
    )
    return f"{first:>6} | {second:<6} ms"
