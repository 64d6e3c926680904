"""The source of draws: a request of the machine is answered from the operating system's generator.

The machine itself draws nothing; it asks, and the answer comes back as an event like any other.
For a demonstration that must come out alike another source can be put in its place.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

from controller.rules.cards import DECK, name
from controller.table.commands import RequestDraw
from controller.table.events import Drawn

#: A whole number from nothing up to, but without, the given one, each as likely as any other.
Below = Callable[[int], int]


def answered(request: RequestDraw, at: int, below: Below = secrets.randbelow) -> Drawn:
    """What was drawn, as the event that answers this request; the same request is answered once."""
    if request.draw == "magic_card" and request.among != len(DECK):
        raise ValueError(f"a card is drawn among {len(DECK)}, not among {request.among}")
    number = below(request.among)
    result = _card(number) if request.draw == "magic_card" else _place(number, request.among)
    return Drawn(at=at, id=f"draw {request.id}", draw=request.draw, result=result)


def _card(number: int) -> str:
    return name(DECK[number])


def _place(number: int, among: int) -> str:
    """A seat from the dealer's left; the last of them all is the dealer."""
    return "dealer" if number == among - 1 else str(number + 1)
