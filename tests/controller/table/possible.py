"""Everything that could happen next: at each point each kind of event, right and wrong.

For walks through the machine. Stamps do not move, so that tables that differ only in when they
came about are the same table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from controller.rules.cards import DECK, names
from controller.table import events
from controller.table.dealing import next_step, stub
from controller.table.settling import in_turn, to_be_shown, to_be_turned
from controller.table.state import Table
from controller.table.terms import Terms
from tests.controller.table.playing import BOSS, DEALER, FLOOR

NOW = 1_700_000_000_000


def possible(terms: Terms, table: Table) -> Iterator[events.Event]:
    for kind, given in _kinds(terms, table):
        person = {"by": DEALER} if issubclass(kind, events.Act) else {}
        yield kind(at=max(NOW, table.at), **{**person, **given})


def _kinds(terms: Terms, table: Table) -> Iterator[tuple[Any, dict[str, Any]]]:
    yield from _opening(table)
    for seat in range(1, terms.seats + 1):
        yield from _at_seat(table, seat)
    yield events.LockOutPressed, {}
    for chips in (0, 1, 2):
        yield events.ChipsCounted, {"chips": chips}
    yield events.DealPressed, {}
    yield from _dealing(table)
    yield from _faces(terms, table)
    yield events.CardsRacked, {}
    yield events.RoundVoided, {"by": FLOOR, "reason": "walk"}
    for hold in table.holds[:1]:
        yield events.HoldCleared, {"hold": hold.number, "by": FLOOR, "reason": "walk"}
        yield events.HoldCleared, {"hold": hold.number, "reason": "by a dealer"}


def _opening(table: Table) -> Iterator[tuple[Any, dict[str, Any]]]:
    yield events.TableOpened, {"by": FLOOR}
    if not table.decks:
        yield events.DeckReceived, {"deck": "A", "colour": "red", "design": "bee"}
    for kind in (events.DeckInspected, events.DeckSpread, events.DeckWashed):
        yield kind, {"deck": "A"}
    yield events.DeckVerified, {"deck": "A", "by": FLOOR}
    yield events.ShuffleCompleted, {"deck": "A", "count": 52}
    yield events.DeckLoaded, {"deck": "A"}
    if not table.holds:
        # One trouble at a time: they do not depend on each other.
        yield events.ShuffleCompleted, {"deck": "A", "count": 51}
        yield events.ShuffleFailed, {"deck": "A", "nature": "jam"}
        yield events.DeviceFaulted, {"device": "shoe", "nature": "jam"}


def _at_seat(table: Table, seat: int) -> Iterator[tuple[Any, dict[str, Any]]]:
    if table.phase == "betting":
        yield events.PlayerSat, {"seat": seat, "player": f"p{seat}"}
    for wager, amount in (("ante", 1000), ("blind", 1000), ("progressive", 100)):
        yield events.WagerPlaced, {"seat": seat, "wager": wager, "amount": amount}
    for device in ("acceptor", "terminal"):
        yield events.LockConfirmed, {"seat": seat, "device": device}
    for choice, amount in (("fold", 0), ("check", 0), ("wager", 1000), ("wager", 2000)):
        yield events.Decided, {"seat": seat, "choice": choice, "amount": amount}
    yield events.SeatPaid, {"seat": seat}
    yield events.HandVerified, {"seat": seat, "wager": "progressive"}
    yield events.PayoutValidated, {"seat": seat, "wager": "progressive", "by": BOSS}
    yield events.HandPayDocumented, {"seat": seat, "by": FLOOR}


def _dealing(table: Table) -> Iterator[tuple[Any, dict[str, Any]]]:
    step = next_step(table)
    if step is not None:
        yield events.StackDispensed, {"number": table.deal.done + 1, "cards": step.cards}
        if not table.holds:
            yield events.StackDispensed, {"number": table.deal.done + 1, "cards": step.cards - 1}
            yield events.StackDispensed, {"number": table.deal.done + 2, "cards": step.cards}
        if not step.by_shoe:
            yield events.CardsDealt, {"to": step.to, "cards": step.cards}
    yield events.FaceUpCardFound, {}
    yield events.UpCardShown, {"card": "2c"}
    yield events.CardExposed, {"where": "dealer"}
    for void in (True, False):
        yield events.ExposureDecided, {"by": FLOOR, "reason": "walk", "void": void}
    yield events.StubRacked, {}
    yield events.StubCounted, {"cards": stub(table)}
    yield events.StubCounted, {"cards": max(0, stub(table) - 1)}


def _faces(terms: Terms, table: Table) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The next cards of a sorted deck: which faces come matters to the rules, not to the walk."""
    seen = {one for some in table.faces.values() for one in some}
    seen |= {one for seat in table.seats for one in seat.cards}
    left = [one for one in DECK if one not in seen and one != table.up_card]
    hands = terms.ruleset.rulebook.hands
    if table.phase == "deciding":
        yield events.Revealed, {"where": "community", "cards": names(left[:1])}
    if table.phase == "revealing":
        for place, count in to_be_shown(terms, table).items():
            up = [table.up_card] if place == "dealer" and table.up_card is not None else []
            shown = [*up, *left[: count - len(up)]]
            yield events.Revealed, {"where": place, "cards": names(shown)}
        for seat in to_be_turned(terms, table):
            yield events.HandTurned, {"seat": seat, "cards": names(left[: hands.player])}
    if table.phase == "settling" and in_turn(table) is None:
        raise AssertionError("settling with nobody to pay")


TROUBLE = (
    events.RoundVoided,
    events.DeviceFaulted,
    events.ShuffleFailed,
    events.FaceUpCardFound,
    events.CardExposed,
)


def is_trouble(table: Table, event: events.Event) -> bool:
    """What seldom happens at a table; without that no walk would ever end a round."""
    step = next_step(table)
    match event:
        case events.ShuffleCompleted(count=count):
            return count != 52
        case events.StackDispensed(number=number, cards=cards):
            return step is None or (number, cards) != (table.deal.done + 1, step.cards)
        case events.StubCounted(cards=cards):
            return cards != stub(table)
        case _:
            return isinstance(event, TROUBLE)
