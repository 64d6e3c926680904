"""What hands do with the cards when a person at a page says that it was done.

Whoever deals from a page has no cards in front of them: with the act goes what it says. Cards that
were keyed in lie there from then on, in place of those that did.
"""

from __future__ import annotations

from collections.abc import Iterator

from controller.demo.crew import Do
from controller.demo.world import World
from controller.rules.cards import cards
from controller.table import events
from controller.table.dealing import next_step
from controller.table.events import Event
from controller.table.state import Table


def handwork(before: Table, event: Event) -> Iterator[Do]:
    """What goes with an act that was taken; ``before`` is the table before it."""
    match event:
        case events.DeckReceived(deck=deck):
            yield Do("bring", name=deck)
        case events.ShuffledByHand(deck=deck):
            yield Do("shuffle", name=deck)
        case events.DeckLoaded(deck=deck) if not _shoe_tells(before):
            yield Do("put into shoe", name=deck)
        case events.CardsDealt(to=to, cards=count):
            step = next_step(before)
            due = step.cards if step is not None and step.to == to else 1
            yield Do("deal", name=str(to), cards=due if count is None else count)
        case events.StubCounted() | events.StubRacked():
            yield Do("take stub")
        case events.CardsRacked():
            yield Do("rack cards")
        case events.CardsSpread() if before.deck is not None:
            yield Do("take out", name=before.deck)
        case events.DeckRemoved(deck=deck):
            yield Do("put right", name=f"deck {deck}")
        case events.DeviceTakenOut(device=device, cards_inside=0):
            yield Do("empty", name=device)
        case events.HoldCleared(hold=number):
            for hold in before.holds:
                if hold.number == number:
                    yield Do("put right", name=hold.where)


def _shoe_tells(table: Table) -> bool:
    return table.method == "automated shoe" and table.shoe_in_service


def lay_as_said(world: World, before: Table, event: Event) -> None:
    """Cards that somebody keyed in: they lie where they were said to lie."""
    match event:
        case events.HandTurned(seat=seat, cards=text):
            world.top.exchange(before.deck or "", seat, 0, cards(text))
        case events.UpCardShown(card=text):
            world.top.exchange(before.deck or "", "dealer", 0, cards(text))
        case events.Revealed(where=where, cards=text):
            shown = len(before.faces.get(where, ()))
            world.top.exchange(before.deck or "", where, shown, cards(text))
