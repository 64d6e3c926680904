"""A simulated table that stands in the middle of a round, as a table of a record did.

Chips lie where the record has them, and as many cards; faces that were revealed are the same. What
nobody has seen yet is not in a record, so those cards are drawn anew. The devices know what they
have done in this round, as real ones would when felt comes back to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from controller.demo.world import World
from controller.table import events
from controller.table.commands import Command, Dispense
from controller.table.dealing import is_on_its_way, stub
from controller.table.returns import to_repeat
from controller.table.state import Deck, Seat, Table
from controller.table.terms import Terms
from simulators.tabletop import DECK_OF_CARDS, HANDS, RACK, SHOE, SHUFFLER, TRAY, Card

#: Where cards lie on the layout.
DEALT = ("dealing", "deciding", "revealing", "settling", "clearing")


def boots(table: Table, devices: Iterable[str]) -> dict[str, int]:
    """For each device a boot of which nothing was heard: what it says must be news."""
    found = {}
    for device in devices:
        heard = {one.boot for one in table.heard.get(device.replace(" ", "-"), ())}
        found[device] = next(n for n in range(1, len(heard) + 2) if n not in heard)
    return found


def furnish(
    world: World,
    terms: Terms,
    table: Table,
    *,
    last: events.Event | None = None,
    owed: Sequence[Command] = (),
) -> None:
    """``last`` is the event that led to this table, ``owed`` what no device has been told of it."""
    for deck in table.decks:
        is_dealt = deck.id == table.deck and table.phase in DEALT
        if is_dealt:
            _deal(world, deck.id, table)
        elif not deck.removed:
            _put(world, table, deck)
    _stand_shuffler(world, table)
    _stand_shoe(world, table, last, owed)
    for number, acceptor in world.acceptors.items():
        seat = table.seat(number)
        chip = _chip(terms, seat)
        back = sum(one.cents for one in to_repeat(table) if one.seat == number)
        # It rolls to the dealer when the acceptor locks, and lies there until the cards are racked.
        rolled = bool(chip) and seat.acceptor_locked and table.phase != "betting"
        acceptor.stands(
            seat.lamp,
            is_locked=seat.acceptor_locked,
            inside=back if rolled else chip + back,
            rolled=int(rolled),
        )
    for number, terminal in world.terminals.items():
        seat = table.seat(number)
        terminal.balance, terminal.is_locked = seat.balance, seat.terminal_locked


def _chip(terms: Terms, seat: Seat) -> int:
    wagers = terms.ruleset.rulebook.wagers
    return sum(cents for wager, cents in seat.wagers.items() if wagers[wager].on == "acceptor")


# --- Cards --------------------------------------------------------------------


def unseen(table: Table) -> int:
    """How many cards lie on the layout face down: which they are, no record says."""
    if table.phase not in DEALT:
        return 0
    return sum(count - len(faces) for _, count, faces in _places(table))


def _places(table: Table) -> Iterator[tuple[int | str, int, tuple[int, ...]]]:
    """Where cards lie, how many, and those that were seen, in their order."""
    for seat in table.seats:
        if seat.dealt:
            yield seat.number, seat.dealt, seat.cards[: seat.dealt]
    for place, count in table.deal.placed.items():
        seen = table.faces.get(place, ())
        if place == "dealer" and not seen and table.up_card is not None:
            seen = (table.up_card,)
        yield place, count, seen[:count]


def _deal(world: World, deck: str, table: Table) -> None:
    places = list(_places(table))
    known = {face for _, _, faces in places for face in faces}
    rest = [face for face in range(DECK_OF_CARDS) if face not in known]
    world.chance.shuffle(rest)
    for place, count, faces in places:
        new = count - len(faces)
        _lay(world, deck, place, [*faces, *rest[:new]])
        del rest[:new]
    left = stub(table) if table.deal.stub == "in shoe" else 0
    source = SHOE if world.shoe is not None and table.method == "automated shoe" else HANDS
    _lay(world, deck, source, rest[:left])
    _lay(world, deck, RACK, rest[left:])


def _put(world: World, table: Table, deck: Deck) -> None:
    """A deck of which nothing is dealt."""
    faces = list(range(DECK_OF_CARDS))
    if deck.shuffled != "no":
        world.chance.shuffle(faces)
    _lay(world, deck.id, _place_of(world, table, deck), faces)


def _place_of(world: World, table: Table, deck: Deck) -> str:
    if deck.id == table.deck and table.phase in ("betting", "locked"):
        by_shoe = world.shoe is not None and table.method == "automated shoe"
        # The shuffler may not have said yet that it is empty.
        return SHOE if by_shoe else HANDS
    if world.shuffler is not None and table.shuffler_holds == deck.id:
        return SHUFFLER
    if deck.id == table.deck or table.phase == "opening":
        return HANDS
    return RACK


def _lay(world: World, deck: str, place: int | str, faces: Iterable[int]) -> None:
    name = f"seat {place}" if isinstance(place, int) else place
    world.top.piles.setdefault(name, []).extend(Card(deck, face) for face in faces)


# --- Devices that hold cards --------------------------------------------------


def _stand_shuffler(world: World, table: Table) -> None:
    if world.shuffler is None:
        return
    inside = next((one for one in table.decks if one.id == world.shuffler.holds), None)
    world.shuffler.stands(
        table.shuffler_game,
        runs=inside is not None and inside.cycle_runs,
        is_done=inside is not None and inside.shuffled == "automated",
    )


def _stand_shoe(
    world: World, table: Table, last: events.Event | None, owed: Sequence[Command]
) -> None:
    if world.shoe is None:
        return
    if table.phase not in DEALT or table.method != "automated shoe":
        # It is armed with the deal's other preparations, once felt has found it.
        world.shoe.stands(0, (), 0)
        return
    steps = table.deal.steps
    stacks = tuple(step.cards for step in steps if step.by_shoe)
    given = sum(step.by_shoe for step in steps[: table.deal.done])
    refused = isinstance(last, events.StackDispensed) and last.number == given + 1 <= len(stacks)
    waits = is_on_its_way(table) and not refused
    # Ordered only now it is ordered of nobody yet; ordered before, the shoe is at it.
    is_coming = waits and not any(isinstance(one, Dispense) for one in owed)
    lies = table.deal.lies if table.phase == "dealing" else 0
    world.shoe.stands(table.round, stacks, given, is_coming=is_coming, lies=lies)
    if refused and isinstance(last, events.StackDispensed):
        # It came all the same, and lies where it should have been taken.
        world.shoe.stands(table.round, stacks, given + 1)
        world.top.move(SHOE, TRAY, min(last.cards, world.top.count(SHOE)))
        world.stack_came(table, last)
