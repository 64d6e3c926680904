"""Records and differences in words, for people at a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from controller.table.events import Event
from controller.table.machine import Step
from controller.table.state import Table
from controller.technician.logs import Logged, Run
from controller.technician.outcome import Difference
from drivers.wire.devicelog import Bytes, Clock, Damage, Quiet, Remark, escaped

BOLD, DIM, RED, GREEN, YELLOW, BLUE, PLAIN = (f"\x1b[{n}m" for n in (1, 2, 31, 32, 33, 34, 0))
_COLOURS = {
    "in": GREEN,
    "out": BLUE,
    "port": YELLOW,
    "gap": RED,
    "?": RED,
    "quiet": DIM,
    "note": BOLD,
    "table": BOLD,
}


_LAST_US = round(datetime(9999, 12, 31, tzinfo=UTC).timestamp() * 1e6)
#: Of one value, in characters: a whole seat or a long list is for `--json` and `felt recall`.
MAX_SAID = 240


def line(logged: Logged, *, colours: bool = False, raw: bool = False, words: str = "") -> str:
    """Time, wire, direction, and what it means; the bytes where they mean nothing.

    ``words`` are for bytes that have none beside them in the log.
    """
    at = _wall(logged.utc_us)
    word, said = _said(logged, raw=raw, words=words)
    text = f"{at:%H:%M:%S.%f} {logged.wire:<10} {word:<6} {said}"
    colour = _COLOURS.get(word, "") if colours else ""
    return f"{colour}{text}{PLAIN}" if colour else text


def as_data(logged: Logged, *, words: str = "") -> dict[str, Any]:
    """A record for programs: whole, with its bytes in hexadecimal where it has some."""
    word, said = _said(logged, raw=False, words=words)
    record = logged.record
    data: dict[str, Any] = {
        "at": _wall(logged.utc_us).isoformat(timespec="microseconds"),
        "at_us": logged.at_us,
        "wire": logged.wire,
        "word": word,
        "said": said,
        "file": str(logged.file),
        "line": logged.line,
    }
    if isinstance(record, Bytes):
        data |= {"bytes": record.data.hex(), "channel": record.channel}
    return data


def started(run: Run) -> str:
    """When its logs begin, by the clock of the table PC."""
    first_us = min((wire.first_us[1] for wire in run.wires.values()), default=0)
    return f"{_wall(first_us):%Y-%m-%d %H:%M:%S} UTC"


def _wall(utc_us: int) -> datetime:
    """When it was; the last moment that can be said for a clock that shows nonsense."""
    return datetime.fromtimestamp(min(utc_us, _LAST_US) / 1e6, UTC)


def _said(logged: Logged, *, raw: bool, words: str) -> tuple[str, str]:
    match logged.record:
        case Bytes(direction=direction, data=data, comment=comment, channel=channel):
            comment = comment or words
            # All topics of a table begin the same.
            topic = channel if raw or not comment else "/".join(channel.split("/")[-2:])
            place = f"@{escaped(topic)} " if channel else ""
            # At a broker it is text already.
            plain = escaped(data.decode(errors="replace")) if channel else data.hex()
            bytes_ = f"{plain}  {escaped(comment)}" if raw else escaped(comment) or plain
            return direction, place + bytes_
        case Clock(utc_us=utc_us):
            return "clock", f"was set to {_wall(utc_us).isoformat()}"
        case Quiet(length_us=length_us, devices=devices) as quiet:
            each = ", ".join(f"{one.address} {one.polls}x to #{one.seq}" for one in devices)
            slowest = max(one.slowest_us for one in devices) / 1000
            said = f"{quiet.polls} polls in {length_us / 1e6:.3f} s ({each})"
            return "quiet", f"{said}, answered within {slowest:.1f} ms"
        case Damage(what=what):
            return "?", f"can't be read: {what}"
        case Remark(word="state", text=text) if not raw:
            entry = " ".join(text.split(" ", 2)[:2])
            return "state", f"{entry}: all that felt knew; a replay can begin here"
        case remark:
            return remark.word, escaped(remark.text)


def difference(found: Difference, *, colours: bool = False) -> Iterator[str]:
    """Recorded and replayed, one above the other, with what came before."""
    yield f"different at {found.where}, {found.at_us / 1e6:.6f} s: {found.what}"
    for one in found.before:
        yield f"    {line(one, colours=colours)}"
    if found.recorded or found.replayed:
        yield f"  recorded: {found.recorded}"
        yield f"  replayed: {found.replayed}"


def event(before: Table, taken: Event, done: Step) -> Iterator[str]:
    """What the table made of an event: itself before and after where it changed, and its orders."""
    yield f"  event    {_short(msgspec.json.encode(taken).decode())}"
    one, other = (msgspec.to_builtins(table) for table in (before, done.table))
    for name in one:
        # Counters that every event moves say nothing.
        if one[name] != other[name] and name not in ("at", "taken", "seen", "ids"):
            yield from _changed(name, one[name], other[name])
    if done.refused:
        yield f"  refused  {done.refused}"
    for command in done.commands:
        yield f"  orders   {_short(msgspec.json.encode(command).decode())}"


def _changed(name: str, before: object, after: object) -> Iterator[str]:
    """Of lists and objects, only the parts that are another."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys(), key=str):
            if before.get(key) != after.get(key):
                yield from _changed(f"{name}.{key}", before.get(key), after.get(key))
    elif isinstance(before, tuple) and isinstance(after, tuple) and len(before) == len(after):
        for place, (one, other) in enumerate(zip(before, after, strict=True), 1):
            if one != other:
                yield from _changed(f"{name}.{place}", one, other)
    else:
        yield f"  table    {name}: {_short(json.dumps(before))} > {_short(json.dumps(after))}"


def _short(text: str) -> str:
    return text if len(text) <= MAX_SAID else f"{text[:MAX_SAID]}..."
