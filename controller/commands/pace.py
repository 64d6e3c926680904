"""How fast it goes: ``--speed`` of ``felt replay``, ``felt demo`` and ``felt school``."""

from __future__ import annotations

from controller.rules.faults import Refused


def speed_of(text: str) -> float:
    """How much faster than it was; 0 for as fast as it goes."""
    if text in ("max", "real"):
        return 0.0 if text == "max" else 1.0
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0.01 <= speed <= 10_000:
        raise Refused("--speed", f"{text!r} is no speed", "real, max, or a number")
    return speed


def faster_by(text: str, most: int, besides: str = "") -> float:
    """How much faster than people."""
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0.1 <= speed <= most:
        raise Refused("--speed", f"{text!r} is no speed", f"a number from 0.1 to {most}{besides}")
    return speed
