"""What an act leads to, in words: for whoever is about to do it, and can't take it back."""

from __future__ import annotations

from collections.abc import Iterator

from controller.rules.paytables import dollars
from controller.table.dealing import SIDE_WAGERS
from controller.table.state import Table
from controller.table.terms import Terms


def follows(terms: Terms, before: Table, after: Table) -> str:
    """In whole sentences; nothing where the table only goes on."""
    return " ".join(f"{one[:1].upper()}{one[1:]}." for one in _follows(terms, before, after))


def is_final(before: Table, after: Table) -> bool:
    """Whether hands are void or wagers lost by it."""
    voids = bool(after.void) and not before.void
    pairs = zip(before.seats, after.seats, strict=True)
    return voids or any(a.void > b.void or a.forfeited > b.forfeited for b, a in pairs)


def _follows(terms: Terms, before: Table, after: Table) -> Iterator[str]:
    if after.void == SIDE_WAGERS and not before.void:
        yield "the hands are void: the wagers on them go back, and side wagers are settled"
    elif after.void and not before.void:
        yield "the round is void: every wager goes back, and the cards are shuffled again"
    else:
        yield from _of_seats(before, after)
    known = {hold.number for hold in before.holds}
    for hold in after.holds:
        if hold.number not in known:
            yield f"a hold: {hold.cause}; a {hold.clears} decides and clears it"
    yield from _of_cards(before, after)
    if after.phase != before.phase and not after.void:
        yield _PHASES.get(after.phase, "")


_PHASES = {
    "closed": "the table is closed",
    "opening": "the table is open, and decks are received",
    "shuffling": "the cards are made ready for play again",
    "betting": "betting is open",
    "locked": "no wager is taken any more",
    "dealing": "the deal goes on",
    "deciding": "players decide",
    "revealing": "the cards are turned over",
    "settling": "wagers are settled",
    "clearing": "the cards go to the rack",
}


def _of_seats(before: Table, after: Table) -> Iterator[str]:
    for was, now in zip(before.seats, after.seats, strict=True):
        n = was.number
        if now.void and not was.void:
            yield f"the hand of seat {n} is void and its wagers go back; the others play on"
        elif now.forfeited and not was.forfeited:
            cents = sum(was.wagers.values())
            yield f"every wager of seat {n} is lost, {dollars(cents)}"
        elif was.wagers and not now.wagers and after.phase == "shuffling":
            yield f"the wagers of seat {n} go back"


def _of_cards(before: Table, after: Table) -> Iterator[str]:
    if after.deal.face_up > before.deal.face_up and not after.void:
        yield "the card is set aside, and the next one takes its place; a second voids the round"
    if after.deal.completed and not before.deal.completed:
        yield "the dealer gets the next card of the stub"
    removed = {deck.id for deck in before.decks if deck.removed}
    for deck in after.decks:
        if deck.removed and deck.id not in removed:
            yield f"deck {deck.id} is removed"
    cut = {deck.id for deck in before.decks if deck.recut}
    for deck in after.decks:
        if deck.recut and deck.id not in cut:
            yield f"deck {deck.id} is cut again before a card is dealt; wagers stay"
