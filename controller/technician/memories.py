"""What felt remembers of its wires at a place where a replay may begin, held against another's.

Whoever has gone through a stretch of logs and comes to where somebody else began must stand there
as that one was told: else what the two of them saw does not make one replay.
"""

from __future__ import annotations

from typing import Any

from drivers import memory
from drivers.memory import Unmemorable


def renewed(wire: dict[str, Any]) -> dict[str, Any] | None:
    """What was remembered of a wire, as this felt would write it; none if that is no memory."""
    try:
        devices = {
            device: {**one, "driver": memory.renewed(one["driver"])}
            for device, one in wire["devices"].items()
        }
    except (Unmemorable, KeyError, TypeError, AttributeError):
        return None
    return {**wire, "devices": devices}


def unlike(own: object, recorded: object, late_s: float, where: str) -> str:
    """Where two memories are not the same, their times as far as they can be; else nothing."""
    found: list[str] = []
    if isinstance(own, dict) and isinstance(recorded, dict):
        if own.keys() == recorded.keys():
            each = ((f"{where}.{key}", own[key], recorded[key]) for key in own)
            found = [unlike(one, other, late_s, at) for at, one, other in each]
            return next(filter(None, found), "")
    elif isinstance(own, list | tuple) and isinstance(recorded, list | tuple):
        if len(own) == len(recorded):
            pairs = enumerate(zip(own, recorded, strict=True))
            found = [unlike(*pair, late_s, f"{where}.{n}") for n, pair in pairs]
            return next(filter(None, found), "")
    elif own == recorded or (
        isinstance(own, float | int)
        and isinstance(recorded, float | int)
        and isinstance(own + recorded, float)
        and abs(own - recorded) <= late_s
    ):
        return ""
    return f"{where}: {own!r}, recorded {recorded!r}"
