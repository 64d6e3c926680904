"""What lies before the dealer to be read or counted, for the acts that the table asks for now.

Anybody who stood at the table would see it; whoever deals from a page has it from here. Where the
shoe has read the cards they are filled in by themselves, and nothing has to be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from controller.demo.cast import seat_part
from controller.demo.world import World
from controller.rules.cards import names
from controller.table.offer import Offer
from controller.table.state import Table


class Lying(NamedTuple):
    #: "seat 2", "dealer", "community".
    place: str
    cards: str


def to_read(world: World, table: Table, offers: Iterable[Offer]) -> Iterator[Lying]:
    """The cards that have to be keyed in, each place once."""
    seen: set[str] = set()
    for offer in offers:
        if offer.group != "due":
            continue
        found = of(world, table, offer)
        if found is not None and found.place not in seen:
            seen.add(found.place)
            yield found


def of(world: World, table: Table, offer: Offer) -> Lying | None:
    """The cards that an offer asks for, as they lie there."""
    asked = next((ask for ask in offer.asks if ask.shape == "cards"), None)
    if asked is None:
        return None
    place = _place(offer.acts[asked.act].action, offer.acts[asked.act].given)
    if place is None or not asked.required:
        return None
    shown = len(table.faces.get(place, ())) if isinstance(place, str) else 0
    lie = world.at(place)[shown:]
    count = asked.count or len(lie)
    if len(lie) < count:
        return None
    name = seat_part(place) if isinstance(place, int) else place
    return Lying(name, names(lie[:count]))


def _place(action: str, given: dict[str, Any]) -> int | str | None:
    if action == "up_card_shown":
        return "dealer"
    place: int | str | None = given.get("seat", given.get("where"))
    return place
