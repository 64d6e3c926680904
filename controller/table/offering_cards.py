"""What can be done with the cards before a round: decks, the idle table, shuffle and cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from controller.table import events
from controller.table.decks import (
    DECK_OF_CARDS,
    due_at,
    has_shuffler,
    is_ready,
    may_be_turned_up,
    registered,
    reshuffles,
    to_do,
    wanted,
    warned,
)
from controller.table.drafts import (
    MOST_DECK,
    MOST_NAME,
    Draft,
    Kind,
    keyed,
    of_a_person,
    one_of,
    reason,
)
from controller.table.offer import Ask
from controller.table.shuffle import acts
from controller.table.state import Deck, Table
from controller.table.terms import Terms

#: By step of the checklist: the event, and what is done.
_STEPS: dict[str, tuple[Kind, str]] = {
    "inspected": (events.DeckInspected, "sort and inspect"),
    "verified": (events.DeckVerified, "verify the inspection"),
    "spread": (events.DeckSpread, "spread face up for the first player"),
    "turned up": (events.CardsTurnedUp, "turn the cards face up"),
    "shown": (events.DeckShown, "let the first player look"),
    "washed": (events.DeckWashed, "wash and stack"),
}
_CUT: dict[str, tuple[Kind, str]] = {
    "cover card placed": (events.CoverCardPlaced, "place the cover card"),
    "cut": (events.CutMade, "cut"),
    "rest placed": (events.RestPlaced, "place the rest on top"),
    "cover card racked": (events.CoverCardRacked, "rack the cover card"),
}
#: What most backs are; any other will do.
_COLOURS = ("red", "blue", "green", "brown", "purple", "black")


def cards(terms: Terms, table: Table) -> Iterator[Draft]:
    if table.phase in ("opening", "shuffling", "betting"):
        yield from _received(terms, table)
        for deck in registered(table):
            yield from _checklist(terms, table, deck)
        yield from _removed(terms, table)
    if table.phase in ("shuffling", "betting"):
        yield from _idle(terms, table)
    if table.phase in ("shuffling", "betting", "locked"):
        yield from _made_ready(terms, table)


# --- Decks ------------------------------------------------------------------


def _received(terms: Terms, table: Table) -> Iterator[Draft]:
    there = registered(table)
    if sum(1 for deck in there if not deck.replaces) < wanted(terms, table):
        yield from _brought(terms, table, there)
    coming = {deck.replaces for deck in there}
    for old in warned(terms, table):
        if old.id not in coming:
            others = tuple(deck for deck in there if deck is not old)
            yield from _brought(terms, table, others, old)


def _brought(
    terms: Terms, table: Table, others: tuple[Deck, ...], old: Deck | None = None
) -> Iterator[Draft]:
    procedures = terms.ruleset.rulebook.procedures
    used = {deck.id for deck in table.decks}
    letters = (f"{letter}{n or ''}" for n in range(100) for letter in "ABCDEFGH")
    free = next(one for one in letters if one not in used)
    colours = tuple(c for c in _COLOURS if all(c != deck.colour for deck in others))
    asks = [
        Ask("deck", "name", "what the deck is called", choices=(free,), least=1, most=MOST_DECK),
        Ask("colour", "name", "the colour of its back", choices=colours, least=1, most=MOST_NAME),
    ]
    known: dict[str, Any] = {"replaces": old.id} if old is not None else {}
    same = procedures.second_deck_same_design
    if same is not None and same.is_ and others:
        known["design"] = others[0].design
    else:
        proposed = tuple(dict.fromkeys(deck.design for deck in table.decks)) or None
        asks.append(
            Ask("design", "name", "the design of its back", choices=proposed, least=1, most=64)
        )
    place = f" in place of deck {old.id}" if old is not None else ""
    clause = procedures.accessory_cards.clause
    yield of_a_person(
        terms, events.DeckReceived, f"Receive a deck{place}", *asks, clause=clause, **known
    )
    rule, under = procedures.preshuffled_decks, procedures.preshuffled_under
    if not rule.is_:
        return
    says = "the paragraph that attests it"
    paragraph = Ask("paragraph", "words", says, least=1, most=MOST_NAME)
    if under is not None:
        paragraph = one_of("paragraph", says, under.is_)
    draft = of_a_person(
        terms,
        events.DeckReceived,
        f"Receive a pre-shuffled deck{place}",
        *asks,
        paragraph,
        clause=rule.clause,
        **known,
        route="preshuffled",
    )
    draft.prompted = False
    yield draft


def _checklist(terms: Terms, table: Table, deck: Deck) -> Iterator[Draft]:
    if deck.again and table.idle:
        return
    left = to_do(terms, deck)
    procedures = terms.ruleset.rulebook.procedures
    if left and left[0] in _STEPS:
        clause = procedures.steps.of(left[0]) if left[0] != "turned up" else ""
        clause = clause or procedures.idle_spread.clause
        kind, does = _STEPS[left[0]]
        yield of_a_person(terms, kind, f"Deck {deck.id}: {does}", clause=clause, deck=deck.id)
        yield from _in_a_row(terms, deck, left, clause)
    if left[:1] == ("shown",) and may_be_turned_up(terms, deck):
        title = f"Deck {deck.id}: turn the cards face up for the player"
        clause = procedures.idle_spread.clause
        draft = of_a_person(terms, events.CardsTurnedUp, title, clause=clause, deck=deck.id)
        draft.prompted = False
        yield draft


def _in_a_row(terms: Terms, deck: Deck, left: tuple[str, ...], clause: str) -> Iterator[Draft]:
    """The steps that one person does one after the other."""
    row = []
    for step in left:
        if step == "verified" or step not in _STEPS:
            break
        row.append(_STEPS[step])
    if len(row) > 1:
        title = f"Deck {deck.id}: {', '.join(does for _, does in row)}"
        done = [(kind, {"deck": deck.id}) for kind, _ in row]
        yield Draft("dealer", title, list(done), clause)


def _removed(terms: Terms, table: Table) -> Iterator[Draft]:
    for deck in registered(table):
        due = due_at(terms, table, deck)
        is_over = due is not None and table.at >= due
        clause = terms.deck_life_clause(table.method) if is_over else ""
        title = f"Remove deck {deck.id}"
        draft = of_a_person(terms, events.DeckRemoved, title, reason(), clause=clause, deck=deck.id)
        draft.group = "floor"
        draft.outlives = True
        yield draft


# --- The idle table ---------------------------------------------------------


def _idle(terms: Terms, table: Table) -> Iterator[Draft]:
    if table.idle in ("face down", "face up") or any(seat.player for seat in table.seats):
        return
    rule = terms.ruleset.rulebook.procedures.idle_spread
    asks = one_of("faces", "how they lie", ("face down", "face up"))
    title = "Spread the cards out on the table"
    yield of_a_person(terms, events.CardsSpread, title, asks, clause=rule.clause)


# --- Shuffle and cut --------------------------------------------------------


def _made_ready(terms: Terms, table: Table) -> Iterator[Draft]:
    deck = next((one for one in table.decks if one.id == table.deck), None)
    if deck is None:
        return
    steps = terms.ruleset.rulebook.procedures.steps
    if table.phase == "shuffling" and deck.shuffled == "no" and not has_shuffler(terms, table):
        title, clause = f"Deck {deck.id}: shuffle by hand", steps.of("shuffled")
        yield of_a_person(terms, events.ShuffledByHand, title, clause=clause, deck=deck.id)
    elif _may_be_cut(terms, table, deck):
        yield from _cut(terms, deck)
    if table.rack not in (None, deck.id) and wanted(terms, table) == 2:
        clause = terms.ruleset.rulebook.procedures.second_deck_needs_shuffler.clause
        title = f"Clear the discard rack of deck {table.rack}"
        yield of_a_person(terms, events.RackCleared, title, clause=clause)
    if table.phase == "shuffling" and table.method != "automated shoe" and not is_ready(deck):
        into = "take it in hand" if table.method == "hand" else f"place it in the {table.method}"
        clause = {str(m): one for m, one in steps.loaded.items()}.get(table.method, "")
        title = f"Deck {deck.id}: {into}"
        yield keyed("dealer", events.DeckLoaded, title, clause=clause, deck=deck.id)


def _may_be_cut(terms: Terms, table: Table, deck: Deck) -> bool:
    by_people = deck.shuffled in ("by hand", "preshuffled") and not reshuffles(terms, table)
    return by_people and (not deck.cut or deck.recut)


def _cut(terms: Terms, deck: Deck) -> Iterator[Draft]:
    """The next act of the cut, and all that are left of it."""
    procedures = terms.ruleset.rulebook.procedures
    in_order = acts(terms)[deck.cutting :]
    clauses = procedures.steps.cut or [procedures.cut.clause] * len(acts(terms))
    clause = clauses[deck.cutting]
    kind, does = _CUT[in_order[0]]
    asks: tuple[Ask, ...] = (_depth(terms, 0),) if in_order[0] == "cut" else ()
    title = f"Deck {deck.id}: {does}"
    yield of_a_person(terms, kind, title, *asks, clause=clause, deck=deck.id)
    if len(in_order) > 1:
        asks = tuple(_depth(terms, n) for n, one in enumerate(in_order) if one == "cut")
        done = [(_CUT[one][0], {"deck": deck.id}) for one in in_order]
        title = f"Deck {deck.id}: {', '.join(_CUT[one][1] for one in in_order)}"
        yield Draft("dealer", title, list(done), clause, asks=asks)


def _depth(terms: Terms, act: int) -> Ask:
    """Nobody counts the cards of a cut that is as deep as it has to be."""
    least, words = terms.ruleset.rulebook.procedures.cut_at_least.is_, "how many cards were cut"
    most = DECK_OF_CARDS - 1
    return Ask("depth", "count", words, act, least=least, most=most, required=False)
