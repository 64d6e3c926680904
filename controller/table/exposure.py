"""A face that was seen too soon: what is void, and who confirms it.

Section 10 and Massachusetts know exposure only before "no more bets", when no card is out; felt
reads it as before every player has acted. So there a floorperson confirms that the round is void,
and until then nobody decides and nothing is shown.
"""

from __future__ import annotations

from controller.rules.faults import Refused
from controller.table import events
from controller.table.change import Change, held, replace
from controller.table.commands import Command
from controller.table.dealing import SIDE_WAGERS, cards_at
from controller.table.decks import wagers_back
from controller.table.plan import has_up_card
from controller.table.shuffle import again
from controller.table.state import Table
from controller.table.terms import Terms
from controller.table.voiding import EXPOSED, returned, void, without_exposed


def exposed(terms: Terms, table: Table, event: events.CardExposed) -> Change:
    """A card was seen before its time."""
    procedures = terms.ruleset.rulebook.procedures
    if event.where == "extra":
        allowed = "a floorperson voids the round or lets it go on"
        raise Refused("where", "the rules are silent about All-Six cards", allowed)
    if table.phase == "betting":
        return _before_the_deal(terms, table)
    if table.void == SIDE_WAGERS:
        raise Refused("where", "the hands are void already", "side wagers are settled")
    if is_waited_for(table):
        raise Refused("where", "an exposed card was reported already", "a floorperson decides")
    if _face_down(terms, table, event.where) <= 0:
        raise Refused("where", f"no card of the {event.where} lies face down")
    reason = f"a card of the {event.where} was exposed early"
    confirmed = procedures.exposure_confirmed_by
    if confirmed is None:
        return _hands_void(terms, table, reason)
    return held(table, reason, EXPOSED, event.at, blocks="play", clears=confirmed.is_), ()


def decided(terms: Terms, table: Table, event: events.ExposureDecided) -> Change:
    """The one who confirms it has looked: the hands are void, or no card was seen after all."""
    hold = next((one for one in table.holds if one.where == EXPOSED), None)
    if hold is None:
        raise Refused("", "no exposed card was reported that waits for a decision")
    table = without_exposed(table)
    return _hands_void(terms, table, hold.cause) if event.void else (table, ())


def is_waited_for(table: Table) -> bool:
    return any(hold.where == EXPOSED for hold in table.holds)


def _before_the_deal(terms: Terms, table: Table) -> Change:
    """No hand is out that could be void: wagers go back and the deck is shuffled again."""
    assert table.deck is not None
    deck = table.deck
    table, commands = wagers_back(terms, table)
    table, more = again(terms, table, deck)
    return table, [*commands, *more]


def _hands_void(terms: Terms, table: Table, reason: str) -> Change:
    """The round is void, or its main wagers go back and side wagers live."""
    if terms.ruleset.rulebook.procedures.exposed_early.is_ == "all wagers returned":
        return void(terms, table, reason)
    commands: list[Command] = []
    for seat in table.in_round():
        main = [k for k in seat.wagers if terms.ruleset.rulebook.wagers[k].on_fold == "lose"]
        table, more = returned(terms, table, seat.number, main)
        commands += more
    if not any(seat.wagers for seat in table.seats):
        table, more = void(terms, table, reason)
        return table, [*commands, *more]
    # Side wagers are settled on the cards, so a deal that is not out yet goes on to its end.
    phase = "dealing" if table.phase == "dealing" else "revealing"
    return replace(table, void=SIDE_WAGERS, phase=phase), commands


def _face_down(terms: Terms, table: Table, place: str) -> int:
    up = len(table.faces.get(place, ()))
    if place == "dealer" and has_up_card(terms):
        one_by_one = table.method != "automated shoe"
        up += 1 if table.up_card is not None or one_by_one else 0
    return cards_at(table, place) - up
