"""Everything that could happen next: at each point each kind of event, right and wrong.

For walks through the machine. Stamps do not move, so that tables that differ only in when they
came about are the same table. What seldom happens comes in families, so that a walk through every
state can take them one at a time and still end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, get_args

from controller.rules.cards import DECK, names
from controller.rules.part import Method
from controller.table import events
from controller.table.dealing import inside, next_step, stub
from controller.table.settling import in_turn, to_be_shown, to_be_turned
from controller.table.state import Table
from controller.table.terms import Terms
from tests.controller.table.playing import BOSS, DEALER, FLOOR, TECH

NOW = 1_700_000_000_000


Kinds = Iterator[tuple[Any, dict[str, Any]]]


def possible(terms: Terms, table: Table, families: tuple[str, ...] = ()) -> Iterator[events.Event]:
    """What always may happen, and what these families add to it."""
    at = max(NOW, table.at)
    yield from _made(_opening, at, not table.decks, not table.holds)
    sits = table.phase in ("opening", "betting")
    for seat in table.seats:
        yield from _made(_at_seat, at, sits, seat.number, tuple(seat.wagers))
    yield from _made(_pressed, at)
    for kind, given in _here(terms, table):
        yield _event(kind, at, given)
    for name in families:
        for kind, given in FAMILIES[name](terms, table):
            yield _event(kind, at, given)


def _event(kind: Any, at: int, given: dict[str, Any]) -> events.Event:
    person = {"by": DEALER} if issubclass(kind, events.Act) else {}
    made: events.Event = kind(at=at, **{**person, **given})
    return made


@lru_cache(maxsize=64)
def _made(part: Callable[..., Kinds], at: int, *given: Any) -> tuple[events.Event, ...]:
    """Of events that are the same at very many tables: made once, as a walk asks at each."""
    return tuple(_event(kind, at, said) for kind, said in part(*given))


def _here(terms: Terms, table: Table) -> Kinds:
    """What depends on how the table stands."""
    yield from _dealing(table)
    yield from _faces(terms, table)
    yield events.CardsRacked, {}
    yield events.RoundVoided, {"by": FLOOR, "reason": "walk"}
    for hold in table.holds[:1]:
        yield events.HoldSeen, {"hold": hold.number, "by": FLOOR}
        yield events.HoldCleared, {"hold": hold.number, "by": FLOOR, "reason": "walk"}
        yield events.HoldCleared, {"hold": hold.number, "reason": "by a dealer"}


def _pressed() -> Kinds:
    yield events.LockOutPressed, {}
    for chips in (0, 1, 2):
        yield events.ChipsCounted, {"chips": chips}
    yield events.DealPressed, {}


def _opening(without_deck: bool, without_hold: bool) -> Kinds:
    yield events.TableOpened, {"by": FLOOR}
    if without_deck:
        yield events.DeckReceived, {"deck": "A", "colour": "red", "design": "bee"}
    for kind in (events.DeckInspected, events.DeckSpread, events.DeckShown, events.DeckWashed):
        yield kind, {"deck": "A"}
    yield events.DeckVerified, {"deck": "A", "by": FLOOR}
    yield events.ShuffleCompleted, {"deck": "A", "count": 52}
    yield events.DeckLoaded, {"deck": "A"}
    if without_hold:
        # One trouble at a time: they do not depend on each other.
        yield events.ShuffleCompleted, {"deck": "A", "count": 51}
        yield events.ShuffleFailed, {"deck": "A", "nature": "jam"}
        yield events.DeviceFaulted, {"device": "shoe", "nature": "jam"}


def _at_seat(sits: bool, seat: int, down: tuple[str, ...]) -> Kinds:
    if sits:
        yield events.PlayerSat, {"seat": seat, "player": f"p{seat}"}
    for wager, amount in (("ante", 1000), ("blind", 1000), ("progressive", 100)):
        if wager not in down:  # it may be increased as often as chips last: no walk would end
            yield events.WagerPlaced, {"seat": seat, "wager": wager, "amount": amount}
    for device in ("acceptor", "terminal"):
        yield events.LockConfirmed, {"seat": seat, "device": device}
    for choice, amount in (("fold", 0), ("check", 0), ("wager", 1000), ("wager", 2000)):
        yield events.Decided, {"seat": seat, "choice": choice, "amount": amount}
    yield events.SeatPaid, {"seat": seat}
    yield events.HandVerified, {"seat": seat, "wager": "progressive"}
    yield events.PayoutValidated, {"seat": seat, "wager": "progressive", "by": BOSS}
    refused = {"seat": seat, "wager": "progressive", "reason": "walk"}
    yield events.PayoutRefused, {**refused, "by": BOSS}
    yield events.HandPayDocumented, {"seat": seat, "by": FLOOR}


def _dealing(table: Table) -> Kinds:
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


def _faces(terms: Terms, table: Table) -> Kinds:
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


# --- What seldom happens ----------------------------------------------------


def _idle(terms: Terms, table: Table) -> Kinds:
    """Players leave, and come back to cards that lie spread."""
    for seat in range(1, terms.seats + 1):
        yield events.PlayerLeft, {"seat": seat}
        yield events.PlayerSat, {"seat": seat, "player": f"p{seat}"}
        for lost in (True, False):
            yield events.WagersAbandoned, {"seat": seat, "lost": lost, "by": FLOOR}
    for faces in ("face down", "face up"):
        yield events.CardsSpread, {"faces": faces}
    yield events.CardsTurnedUp, {"deck": "A"}


def _by_hand(terms: Terms, table: Table) -> Kinds:
    """The shuffle by hand, the cut in all its steps, and orders to do it again."""
    yield events.ShuffledByHand, {"deck": "A"}
    yield events.CoverCardPlaced, {"deck": "A"}
    yield events.CutMade, {"deck": "A", "depth": 20}
    yield events.RestPlaced, {"deck": "A"}
    yield events.CoverCardRacked, {"deck": "A"}
    yield events.RecutOrdered, {"by": BOSS, "reason": "walk"}
    yield events.ShuffleOrdered, {"by": BOSS, "reason": "walk"}


def _devices(terms: Terms, table: Table) -> Kinds:
    """Devices out of service and back, a shuffler in another mode, technicians at the table."""
    yield from _by_hand(terms, table)
    for device in ("shuffler", "shoe"):
        for method in get_args(Method):
            given = {"by": FLOOR, "device": device, "method": method}
            yield events.DeviceTakenOut, {**given, "cards_inside": 0, "how": "removed"}
            yield events.DeviceReturned, given
        if not table.holds:
            inside = {"by": FLOOR, "device": device, "method": "manual shoe", "cards_inside": 16}
            yield events.DeviceTakenOut, {**inside, "how": "removed"}
    holds = "A" if table.decks else None
    if (table.shuffler_mode, table.shuffler_holds) != ("shuffle", holds):
        yield events.ShufflerReported, {"mode": "shuffle", "holds": holds}
    if not table.holds:
        yield events.ShufflerReported, {"mode": "sort", "holds": holds}
    if any(deck.spoiled for deck in table.decks):
        yield events.ShuffleStarted, {"deck": "A"}
    two = {"by": TECH, "second": FLOOR, "reason": "walk"}
    yield events.MaintenanceEntered, two
    yield events.MaintenanceLeft, two
    yield events.RecordDisputed, {"found": "it has 7 entries less"}
    abused = {"device": "shoe", "wire": "rack", "what": "forged", "count": 20, "since": 0}
    yield events.WireAbused, abused
    answers = {"device": "panel", "serial_number": "P-2", "expected": "P-1"}
    yield events.DeviceExchanged, answers
    yield events.DeviceAccepted, {**two, "by": TECH, "device": "panel", "serial_number": "P-2"}
    yield events.RecordAccepted, {"by": BOSS, "second": FLOOR, "reason": "compared"}


def _shoe(terms: Terms, table: Table) -> Kinds:
    """Answers of the shoe that are lost, late, right and wrong."""
    step, done = next_step(table), table.deal.done
    cards = step.cards if step is not None else 0
    yield events.DispenseUnanswered, {"number": done + 1}
    for last in {done, done + 1, done + 2}:
        yield events.ShoeReported, {"last": last, "cards": cards}
    has = inside(table)
    yield events.ShoeReported, {"last": done, "inside": has, "round": table.round}
    yield events.ShoeReported, {"last": 0, "inside": max(0, has - 3), "round": 0}
    yield events.ShoeReported, {"last": 0, "round": 0}
    if step is not None:
        yield events.StackDispensed, {"number": done + 1, "cards": cards, "lies": True}
    if table.deal.lies:
        yield events.StackTaken, {"number": table.deal.lies}
    if not table.holds:
        yield events.DispenseRefused, {"number": done + 1, "reason": "its exit is occupied"}
    yield events.ShoeReported, {"last": done + 1, "cards": cards + 1}
    yield events.StubReported, {"cards": stub(table)}
    if not table.deal.doubted:
        yield events.StubReported, {"cards": max(0, stub(table) - 1)}
    if done:
        yield events.StackDispensed, {"number": done, "cards": table.deal.steps[done - 1].cards}


def _misdeals(terms: Terms, table: Table) -> Kinds:
    """Hands with a card too many or too few, and cards that came out of turn."""
    yield events.CardDrawnInError, {}
    places: list[int | str] = [seat.number for seat in table.seats if seat.dealt]
    for place in (*places, *table.deal.placed):
        yield events.FaceUpCardFound, {"where": place}
        was = table.deal.placed[place] if isinstance(place, str) else table.seat(place).dealt
        for cards in (was - 1, was + 1):
            yield events.MisdealReported, {"to": place, "cards": cards}
    if (step := next_step(table)) is not None and not step.by_shoe:
        yield events.CardsDealt, {"to": step.to, "cards": step.cards + 1}


FAMILIES: dict[str, Callable[[Terms, Table], Kinds]] = {
    "idle": _idle,
    "by hand": _by_hand,
    "devices": _devices,
    "shoe": _shoe,
    "misdeals": _misdeals,
}
EVERYTHING = tuple(FAMILIES)

TROUBLE = (
    events.PlayerLeft,
    events.RecutOrdered,
    events.ShuffleOrdered,
    events.DeviceTakenOut,
    events.MaintenanceEntered,
    events.DispenseUnanswered,
    events.DispenseRefused,
    events.ShoeReported,
    events.StubReported,
    events.MisdealReported,
    events.CardDrawnInError,
    events.RoundVoided,
    events.DeviceFaulted,
    events.RecordDisputed,
    events.WireAbused,
    events.ShuffleFailed,
    events.FaceUpCardFound,
    events.CardExposed,
)


def is_trouble(table: Table, event: events.Event) -> bool:
    """What seldom happens at a table; without that no walk would ever end a round."""
    step = next_step(table)
    cards = step.cards if step is not None else None
    match event:
        case events.ShuffleCompleted():
            fits = event.count == 52
        case events.CardsSpread():
            fits = bool(table.idle)  # and then nobody would wait with it for long
        case events.ShufflerReported():
            fits = event.mode == "shuffle"
        case events.CardsDealt():
            fits = event.cards == cards
        case events.StackDispensed():
            fits = (event.number, event.cards) == (table.deal.done + 1, cards)
        case events.StubCounted():
            fits = event.cards == stub(table)
        case _:
            fits = not isinstance(event, TROUBLE)
    return not fits
