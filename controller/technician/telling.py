"""Records and differences in words, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from controller.technician.logs import Logged
from controller.technician.replaying import Difference
from drivers.wire.devicelog import Bytes, Clock, Damage, Quiet, escaped

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


def line(logged: Logged, *, colours: bool = False, raw: bool = False) -> str:
    """Time, wire, direction, and what it means; the bytes where they mean nothing."""
    at = datetime.fromtimestamp(logged.utc_us / 1e6, UTC)
    word, said = _said(logged, raw=raw)
    text = f"{at:%H:%M:%S.%f} {logged.wire:<10} {word:<6} {said}"
    colour = _COLOURS.get(word, "") if colours else ""
    return f"{colour}{text}{PLAIN}" if colour else text


def _said(logged: Logged, *, raw: bool) -> tuple[str, str]:
    match logged.record:
        case Bytes(direction=direction, data=data, comment=comment, channel=channel):
            place = f"@{channel} " if channel else ""
            # At a broker it is text already.
            plain = escaped(data.decode(errors="replace")) if channel else data.hex()
            bytes_ = f"{plain}  {escaped(comment)}" if raw else escaped(comment) or plain
            return direction, place + bytes_
        case Clock(utc_us=utc_us):
            at = datetime.fromtimestamp(utc_us / 1e6, UTC)
            return "clock", f"was set to {at.isoformat()}"
        case Quiet(length_us=length_us, devices=devices) as quiet:
            each = ", ".join(f"{one.address} {one.polls}x to #{one.seq}" for one in devices)
            slowest = max(one.slowest_us for one in devices) / 1000
            said = f"{quiet.polls} polls in {length_us / 1e6:.3f} s ({each})"
            return "quiet", f"{said}, answered within {slowest:.1f} ms"
        case Damage(what=what):
            return "?", f"can't be read: {what}"
        case remark:
            return remark.word, escaped(remark.text)


def difference(found: Difference, *, colours: bool = False) -> Iterator[str]:
    """Recorded and replayed, one above the other, with what came before."""
    yield f"different at {found.where}, {found.at_us / 1e6:.6f} s: {found.what}"
    for one in found.before:
        yield f"    {line(one, colours=colours)}"
    yield f"  recorded: {found.recorded}"
    yield f"  replayed: {found.replayed}"
