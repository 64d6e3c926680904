"""The cards on their way to the rack: which hands stay, and in which order they are picked up.

Hands go to the rack one after another, and the order is kept, so that every hand of the round can
be taken out of the rack again in a dispute, those included that nobody saw.
"""

from __future__ import annotations

from controller.rules.rankings import FIVE
from controller.table.change import replace, with_seat
from controller.table.commands import Command, KeepRound, TakeIn
from controller.table.state import Seat, Table
from controller.table.terms import Terms

#: The wagers that look at cards other than the player's, so that they keep no hand on the table.
ON_OTHER_CARDS = ("five_card_dealer",)
#: By game, what a folded hand stays for where the rulebook of an older journal does not say it.
STAYS_FOR = {"raise-it-up": ("progressive",)}


def keeps_cards(terms: Terms, seat: Seat) -> bool:
    """Whether a hand stays on the table: it plays on, or a side wager lives on it."""
    if seat.void or seat.forfeited or not seat.wagers:
        return False
    wagers = terms.ruleset.rulebook.wagers
    rule = terms.ruleset.rulebook.procedures.folded_hand_stays_for
    stays = rule.is_ if rule is not None else STAYS_FOR.get(terms.ruleset.rulebook.game, ())
    return not seat.folded or any(
        kind in stays or (wagers[kind].on_fold == "live" and kind not in ON_OTHER_CARDS)
        for kind in seat.wagers
    )


def taken_in(
    terms: Terms, table: Table, number: int, kinds: tuple[str, ...]
) -> tuple[Table, list[Command]]:
    """What a seat lost before settlement leaves the layout, and its hand if nothing lives on it."""
    seat, wagers = table.seat(number), terms.ruleset.rulebook.wagers
    cards = not keeps_cards(terms, seat)
    # A chip of the acceptor is in the inventory since the lock, and an account has no chips.
    there = tuple(kind for kind in kinds if wagers[kind].on == "layout")
    cents = sum(seat.wagers[kind] for kind in there)
    take = TakeIn(seat=number, wagers=there, cents=cents, cards=cards)
    table = with_seat(table, number, taken_in=(*seat.taken_in, *kinds))
    return picked_up(table, number) if cards else table, [take]


def picked_up(table: Table, *places: int | str) -> Table:
    """These went to the rack, after whatever is there."""
    new = tuple(place for place in places if place not in table.picked_up)
    return replace(table, picked_up=(*table.picked_up, *new))


def frozen(table: Table) -> list[int]:
    """Seats whose hands stay where they are until a payment by hand is documented."""
    hands = {due.seat for due in table.due if due.paid_by == "hand" and not due.documented_by}
    return sorted(hands, reverse=True)


def left_exposed(terms: Terms, table: Table) -> int | str | None:
    """With Cover All down: the best hand so far that wins it. It lies open until that is paid."""
    if not any(seat.wagers.get("cover_all") for seat in table.seats):
        return None
    hands: list[tuple[int | str, tuple[int, ...]]] = []
    if len(table.faces.get("dealer", ())) == terms.ruleset.rulebook.hands.dealer:
        hands.append(("dealer", table.faces["dealer"]))
    hands += [(s.number, s.cards) for s in reversed(table.seats) if s.cards and not s.folded]
    best: int | str | None = None
    to_beat = FIVE.spans["three-of-a-kind"].low - 1
    for place, cards in hands:
        if (strength := FIVE.strength(cards)) > to_beat:
            best, to_beat = place, strength
    return best


def after_payment(terms: Terms, table: Table) -> Table:
    """A seat's hand goes to the rack once its own wagers are settled and nothing holds it.

    So does one that lay open for Cover All until a higher hand was found.
    """
    own = [due for due in table.due if due.wager != "cover_all"]
    stays = {*frozen(table), left_exposed(terms, table), *(d.seat for d in own if not d.paid)}
    settled = {due.seat for due in own} - stays
    return picked_up(table, *(number for number in table.order if number in settled))


def kept(table: Table, stub: int) -> KeepRound:
    """The round as it lies in the rack when the last card is there."""
    deck = table.deck
    assert deck is not None
    rest = [seat.number for seat in reversed(table.seats) if seat.dealt]
    table = picked_up(table, *rest, *(place for place in table.deal.placed))
    return KeepRound(
        round=table.round,
        deck=deck,
        picked_up=table.picked_up,
        hands={seat.number: seat.cards for seat in table.seats if seat.cards},
        places=table.faces,
        dealt={seat.number: seat.dealt for seat in table.seats if seat.dealt},
        stub=stub,
        void=table.void,
    )
