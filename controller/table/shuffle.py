"""Shuffle, cut and recut: by the shuffler, by hand, on order.

The shuffler's word counts only for a whole cycle in the right mode that ended with 52 cards. A
cut is one act in Pennsylvania and four in the other rulebooks, each of them confirmed in turn.
"""

from __future__ import annotations

from controller.rules.faults import Refused
from controller.table import events
from controller.table.change import Change, deck_of, held, over, replace, with_deck
from controller.table.commands import Command, EnableDeal
from controller.table.decks import (
    DECK_OF_CARDS,
    gone,
    has_shuffler,
    in_play,
    is_open,
    must_be_recut,
    reshuffles,
    start,
    to_shuffling,
    wrong_count,
)
from controller.table.opening import shut
from controller.table.state import Deal, Deck, Table
from controller.table.terms import Terms
from controller.table.unnamed import held_by_the_shuffler, in_the_shuffler

#: The acts of a cut, by the rulebook's way of cutting.
CUTS = {
    "top to bottom under the cover card": ("cut",),
    "onto the cover card": ("cover card placed", "cut", "rest placed", "cover card racked"),
}


# --- The shuffler -----------------------------------------------------------


def _in_shuffler(terms: Terms, table: Table, deck_id: str) -> Deck:
    """A deck that the shuffler may speak of."""
    deck = deck_of(table, in_the_shuffler(table, deck_id))
    if not has_shuffler(terms, table):
        raise Refused("deck", "this table has no shuffler in service")
    if table.shuffler_mode != "shuffle":
        raise Refused("deck", f"the shuffler is in mode {table.shuffler_mode!r}: no shuffle counts")
    if deck.removed:
        raise Refused("deck", f"{deck.id} was removed: {deck.removed}")
    if not is_open(deck):
        raise Refused("deck", f"{deck.id} is not through its checklist")
    if in_play(table, deck.id):
        raise Refused("deck", f"{deck.id} is in play")
    return deck


def started(terms: Terms, table: Table, event: events.ShuffleStarted) -> Change:
    """A new cycle: what came before it counts no more, for better and for worse."""
    deck = _in_shuffler(terms, table, event.deck)
    begun = {"spoiled": False, "cycle_runs": True, "opened": False}
    return with_deck(table, deck.id, shuffled="no", cut=False, **begun), ()


def completed(terms: Terms, table: Table, event: events.ShuffleCompleted) -> Change:
    deck = _in_shuffler(terms, table, event.deck)
    table = with_deck(table, deck.id, cycle_runs=False, opened=False)
    if deck.spoiled and not deck.opened:
        raise Refused("deck", f"the cycle of {deck.id} went wrong", "a whole new cycle must run")
    if terms.shuffler_counts and event.count is None:
        raise Refused("count", "is missing: this shuffler counts")
    if event.count is not None and event.count != DECK_OF_CARDS:
        table = gone(table, deck.id, f"the shuffler counted {event.count} cards")
        cause = wrong_count("the shuffler", event.count)
        table = held(table, cause, f"deck {deck.id}", event.at)
        if table.phase == "shuffling" and table.deck is None:
            return to_shuffling(terms, table)
        return table, ()
    if deck.opened:
        # On record, and worth nothing; the order for a new cycle has waited for this.
        return start(terms, table, deck_of(table, deck.id))
    return with_deck(table, deck.id, shuffled="automated", **_UNCUT), ()


_UNCUT = {"cut": False, "cutting": 0, "recut": False}


def failed(terms: Terms, table: Table, event: events.ShuffleFailed) -> Change:
    """A jam, a stop, an incomplete cycle: the shuffle counts for nothing; the warning latches."""
    deck = deck_of(table, in_the_shuffler(table, event.deck))
    follow = f"; follow {terms.shuffler_procedure}" if terms.shuffler_procedure else ""
    table = held(table, f"shuffler {event.nature}{follow}", "shuffler", event.at)
    return _spoiled(with_deck(table, deck.id, cycle_runs=False, opened=False), deck), ()


def reported(terms: Terms, table: Table, event: events.ShufflerReported) -> Change:
    if not terms.has_shuffler:
        raise Refused("mode", "this table has no shuffler")
    said = held_by_the_shuffler(table, event.holds)
    holds = deck_of(table, said) if said is not None else None
    if table.shuffler_holds not in (None, said):
        # The cards were taken out: whatever cycle ran is over.
        table = with_deck(table, table.shuffler_holds or "", cycle_runs=False, opened=False)
    table = replace(table, shuffler_mode=event.mode, shuffler_holds=said)
    if event.mode == "shuffle":
        table = over(table, "shuffler", ("shuffler in mode ",), "it is set to shuffle again")
        return start(terms, table, holds)
    table = held(table, f"shuffler in mode {event.mode}", "shuffler", event.at)
    for deck in table.decks:
        # Whatever came out of it since, or is still in it, is no shuffle.
        if deck.shuffled in ("no", "automated"):
            table = _spoiled(with_deck(table, deck.id, cycle_runs=False, opened=False), deck)
    return table, ()


def _spoiled(table: Table, deck: Deck) -> Table:
    if in_play(table, deck.id) or deck.removed:
        return table
    return with_deck(table, deck.id, shuffled="no", cut=False, spoiled=True)


def opened(table: Table) -> Table:
    """Somebody had a hand in the shuffler: what lies in it, shuffled or half, counts for nothing.

    A cycle may run on to its end, and a shuffler that is told to shuffle the same deck may take it
    for the same cycle. So a new one is ordered when that end has come.
    """
    for deck in table.decks:
        shuffled_here = deck.shuffled in ("no", "automated")
        lies_in_it = shuffled_here and table.shuffler_holds == deck.id
        if (deck.cycle_runs or lies_in_it) and not in_play(table, deck.id):
            table = _spoiled(with_deck(table, deck.id, opened=deck.cycle_runs), deck)
    return table


# --- By hand ----------------------------------------------------------------


def by_hand(terms: Terms, table: Table, event: events.ShuffledByHand) -> Change:
    deck = _due(table, event.deck)
    if has_shuffler(terms, table):
        problem = "the shuffler is in service"
        raise Refused("deck", problem, "a floorperson takes it out of service first")
    if deck.shuffled != "no":
        raise Refused("deck", f"{deck.id} is shuffled already", f"next: {_next(terms, deck)}")
    return with_deck(table, deck.id, shuffled="by hand", spoiled=False, **_UNCUT), ()


def _due(table: Table, deck_id: str) -> Deck:
    deck = deck_of(table, deck_id)
    if deck.removed:
        raise Refused("deck", f"{deck.id} was removed: {deck.removed}")
    if deck.id != table.deck:
        raise Refused(
            "deck",
            f"{deck.id} is not the deck that is due",
            f"that is {table.deck}" if table.deck else "none is due now",
        )
    return deck


def ordered(terms: Terms, table: Table, event: events.ShuffleOrdered) -> Change:
    """The cards are shuffled once more; wagers stay where they are, and betting goes on after."""
    rule = terms.ruleset.rulebook.procedures.extra_shuffle_ordered_by
    if rule is None:
        raise Refused("", f"{terms.ruleset.rulebook.id} knows no extra shuffle on order")
    deck = table.deck
    if deck is None:
        raise Refused("", "no deck is there to be shuffled", "receive one first", rule.clause)
    table, locks = shut(terms, table)
    table, commands = again(terms, replace(table, phase="shuffling"), deck)
    return table, [*locks, *commands]


def again(terms: Terms, table: Table, deck: str) -> Change:
    """Whatever was done to this deck, it is shuffled once more."""
    table = with_deck(table, deck, shuffled="no", **_UNCUT)
    return start(terms, table, deck_of(table, deck))


# --- Cut --------------------------------------------------------------------


def acts(terms: Terms) -> tuple[str, ...]:
    """The acts of the cut, in their order."""
    return CUTS[terms.ruleset.rulebook.procedures.cut.is_]


def _next(terms: Terms, deck: Deck) -> str:
    """What the dealer does next with a deck that was shuffled by hand, in words."""
    return "load it" if deck.cut and not deck.recut else acts(terms)[deck.cutting]


def cut_step(terms: Terms, table: Table, deck_id: str, act: str, depth: int | None) -> Change:
    """One act of the cut, in its order."""
    procedures, deck = terms.ruleset.rulebook.procedures, _due(table, deck_id)
    rule = procedures.reshuffle_and_count_device
    if reshuffles(terms, table) and rule is not None:
        raise Refused("deck", "the device reshuffles: nobody cuts", clause=rule.clause)
    if deck.shuffled not in ("by hand", "preshuffled"):
        raise Refused("deck", f"{deck.id} is not to be cut", f"it is shuffled: {deck.shuffled}")
    if deck.cut and not deck.recut:
        raise Refused("deck", f"{deck.id} is cut already", "only a recut on order cuts it again")
    in_order = acts(terms)
    if act != in_order[deck.cutting]:
        problem = f"{act!r} is not the next step of the cut"
        raise Refused("deck", problem, f"next: {in_order[deck.cutting]}", procedures.cut.clause)
    least = procedures.cut_at_least
    if depth is not None and not least.is_ <= depth < DECK_OF_CARDS:
        allowed = f"at least {least.is_}, and some cards must be left"
        raise Refused("depth", f"{depth} cards", allowed, least.clause)
    done = deck.cutting + 1
    if done < len(in_order):
        return with_deck(table, deck.id, cutting=done), ()
    return with_deck(table, deck.id, cut=True, cutting=0, recut=False), ()


def cut(terms: Terms, table: Table, event: events.CutMade) -> Change:
    return cut_step(terms, table, event.deck, "cut", event.depth)


def recut(terms: Terms, table: Table, event: events.RecutOrdered) -> Change:
    """Between the cut and the first card: the wagers stay, the deal waits for another cut."""
    clause = terms.ruleset.rulebook.procedures.recut_ordered_by.clause
    deck = table.deck
    if deck is None or not deck_of(table, deck).cut:
        raise Refused("", "no cut was made that could be made again", clause=clause)
    commands: tuple[Command, ...] = ()
    if table.phase == "dealing":
        deal = table.deal
        if deal.done or deal.set_aside or deal.steps[0].by_shoe:
            raise Refused("", "cards are out, or on their way", clause=clause)
        table = replace(table, phase="locked", deal=Deal())
    elif table.deal_enabled:
        commands = (EnableDeal(enabled=False),)
    table = replace(table, deal_enabled=False)
    return with_deck(table, deck, recut=True, cutting=0), commands


def must_not_be_recut(terms: Terms, table: Table) -> None:
    """Refuse to deal from a deck that was ordered to be cut again."""
    if must_be_recut(table):
        clause = terms.ruleset.rulebook.procedures.recut_ordered_by.clause
        raise Refused("", f"deck {table.deck} must be cut again first", "cut it", clause)
