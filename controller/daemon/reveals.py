"""Cards that a reading shoe knows: filled in for the dealer when the rules reveal them.

The dealer says that a hand is turned, and need not key it in. A seal is opened only where the
table is at that very reveal, and only for that place. Where the dealer keys cards in all the same
and the shoe has read others, one of them is wrong: nothing is taken, and the shoe is held.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from controller.rules.cards import CardError, cards, name, names
from controller.rules.faults import Refused
from controller.table import events
from controller.table.dealing import must_show_up_card
from controller.table.deciding import waiting
from controller.table.machine import step
from controller.table.sealed import cards_of, is_sealed, may_be_revealed
from controller.table.settling import to_be_shown, to_be_turned
from controller.table.state import Table
from controller.table.terms import Terms

#: What the shoe is held for.
OTHER_FACES = "read other faces than were shown"
#: Under this name the table is held if the key of the round is gone in mid-round, and for this. The
#: shoe itself is well, and the round can be played to its end.
SEALS = "seals"
UNOPENED = "what the shoe has read of this round can't be opened any more"

Reveal = events.HandTurned | events.Revealed | events.UpCardShown
Open = Callable[[str], tuple[int, ...]]


class Disagree(Refused):
    """The cards that were keyed in are not those that the shoe read."""


def filled(terms: Terms, table: Table, event: Reveal, open_: Open) -> Reveal:
    """The same event with its cards; or as it came, where no shoe has read them.

    What the table would refuse anyway comes back as it is, so that no seal is opened for it.
    """
    place = _place(event)
    count = _due(terms, table, event)
    if not count or not is_sealed(table, place):
        return event
    given = _given(event)
    if given is None or (given and not _would_be_taken(terms, table, event)):
        return event
    try:
        known = _sealed(table, place, open_)
    except Refused:
        if not given:
            raise
        # The table is held for it already, and the record has it. The cards are on the table.
        return event
    if given:
        # A stack that was one short was completed by hand: that card the shoe has not read.
        unread = max(0, _whole(terms, place) - len(known))
        if len(set(given) - set(known)) > unread:
            raise Disagree("cards", f"the shoe {OTHER_FACES}", "look at both, and clear the hold")
        return event
    if isinstance(event, events.UpCardShown):
        # Of a stack it is the bottom card that is turned.
        with_card = msgspec.structs.replace(event, card=name(known[0]))
        return with_card if _would_be_taken(terms, table, with_card) else event
    left = [one for one in known if one not in table.faces.get(str(place), ())]
    if len(left) != count:
        problem = f"{count} turned where the shoe has read {len(left)}: which, only people see"
        raise Refused("cards", problem, "key in what was turned")
    with_cards = msgspec.structs.replace(event, cards=names(left))
    return with_cards if _would_be_taken(terms, table, with_cards) else event


def is_lost(table: Table, open_: Open) -> bool:
    """Whether a seal that the rules may still have opened can't be."""
    if not may_be_revealed(table):
        return False
    try:
        for sealed in table.deal.sealed.values():
            open_(sealed)
    except Refused:
        return True
    return False


def _place(event: Reveal) -> int | str:
    match event:
        case events.HandTurned(seat=seat):
            return seat
        case events.Revealed(where=where):
            return where
        case _:
            return "dealer"


def _due(terms: Terms, table: Table, event: Reveal) -> int:
    """How many cards of the place the rules reveal now; none if the table is not there yet."""
    match event:
        case events.UpCardShown():
            return int(table.phase == "dealing" and must_show_up_card(terms, table))
        case events.HandTurned(seat=seat) if table.phase == "revealing":
            first = "dealer" not in to_be_shown(terms, table) and to_be_turned(terms, table)[:1]
            return terms.ruleset.rulebook.hands.player if first == [seat] else 0
        case events.Revealed(where=where) if table.phase == "revealing":
            return to_be_shown(terms, table).get(where, 0)
        case events.Revealed(where="community") if table.phase == "deciding":
            return int(not waiting(terms, table))
    return 0


def _whole(terms: Terms, place: int | str) -> int:
    hands = terms.ruleset.rulebook.hands
    beside = {"dealer": hands.dealer, "community": hands.community, "extra": hands.extra}
    return hands.player if isinstance(place, int) else beside[place]


def _sealed(table: Table, place: int | str, open_: Open) -> list[int]:
    return [
        one
        for lie in cards_of(table, place)
        for one in open_(table.deal.sealed[lie.stack])[lie.first : lie.end]
    ]


def _given(event: Reveal) -> tuple[int, ...] | None:
    """What was keyed in; None if it is no cards, which the table refuses in its own words."""
    try:
        return cards(event.card if isinstance(event, events.UpCardShown) else event.cards)
    except CardError:
        return None


def _would_be_taken(terms: Terms, table: Table, event: Reveal) -> bool:
    """A refused event is recorded as well, and must not carry faces into the record."""
    return not step(terms, table, event).refused
