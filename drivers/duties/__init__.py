"""The duties of all devices, and what is tried with each of them.

``DUTIES`` is what docs/protocol.md tells as tables, what tests hold against what felt really does,
and what a conformance run goes through.
"""

from __future__ import annotations

from drivers.duties.acceptor import ACCEPTOR
from drivers.duties.every import EVERY
from drivers.duties.panel import PANEL
from drivers.duties.shape import Duty, Need, Sentence
from drivers.duties.shoe import SHOE
from drivers.duties.shuffler import SHUFFLER
from drivers.duties.sign import SIGN
from drivers.duties.terminal import TERMINAL
from drivers.duties.works import WORKS

__all__ = ["BY_ID", "DUTIES", "WORKS", "Duty", "Need", "Sentence", "of"]

DUTIES: tuple[Duty, ...] = (*EVERY, *SHUFFLER, *SHOE, *PANEL, *ACCEPTOR, *TERMINAL, *SIGN)
BY_ID: dict[str, Duty] = {duty.id: duty for duty in DUTIES}


def of(kind: str) -> tuple[Duty, ...]:
    """What a device of this kind has to do: what every device does, and what is its own."""
    return tuple(duty for duty in DUTIES if duty.device in ("", kind))
