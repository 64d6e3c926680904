"""Decks: received, inspected, verified, spread, shown, washed; loaded, changed in time, removed.

A deck counts as ready only by what happened to it since the last round: no shuffle, no round.
"""

from __future__ import annotations

from controller.rules.faults import Refused, listed
from controller.rules.part import READING
from controller.table import events
from controller.table.change import Change, deck_of, held, replace, with_deck
from controller.table.commands import Command, SetTimer, StartShuffle
from controller.table.interlock import may
from controller.table.opening import shut
from controller.table.people import must_differ
from controller.table.state import Deck, Table
from controller.table.terms import WARNING, Terms
from controller.table.unnamed import in_the_shoe
from controller.table.voiding import returned

DECK_OF_CARDS = 52
STEPS = ("received", "inspected", "verified", "spread", "shown", "washed")
#: Where a hold lies while technicians are at the devices.
MAINTENANCE = "maintenance"
#: What stops play until two people have said that it goes on from the journal as it is.
RECORD = "record"
#: Removed decks stay known, so that one of them is not received again as if it were new.
REMOVED_KEPT = 16


def has_shuffler(terms: Terms, table: Table) -> bool:
    return terms.has_shuffler and table.shuffler_in_service


def reshuffles(terms: Terms, table: Table) -> bool:
    """Whether an approved device reshuffles and counts: then nobody cuts or spreads cards."""
    return terms.reshuffle_approval is not None and has_shuffler(terms, table)


def wanted(terms: Terms, table: Table) -> int:
    """How many decks the table plays with: two only as long as a shuffler is in service."""
    return terms.decks if has_shuffler(terms, table) else 1


def registered(table: Table) -> tuple[Deck, ...]:
    return tuple(deck for deck in table.decks if not deck.removed)


def in_play(table: Table, deck: str) -> bool:
    return table.deck == deck and table.phase not in ("opening", "shuffling")


# --- Receipt and opening ----------------------------------------------------


def received(terms: Terms, table: Table, event: events.DeckReceived) -> Change:
    accessories = terms.ruleset.rulebook.procedures.accessory_cards
    if event.deck == events.UNNAMED:
        problem = f"{event.deck!r} is what a device says that does not know a deck's name"
        raise Refused("deck", problem, "give it another name")
    for deck in table.decks:
        if deck.id == event.deck:
            state = f"was removed: {deck.removed}" if deck.removed else "is registered already"
            raise Refused("deck", f"{deck.id!r} {state}", "receive another deck")
    if event.lacks:
        lacks = f"deck {event.deck} came without its {listed(event.lacks)}"
        raise Refused("lacks", lacks, "complete it first", accessories.clause)
    _has_a_place(terms, table, event)
    _goes_with_the_other(terms, table, event)
    paragraph = _by_a_route(terms, event)
    skips = event.route == "preshuffled" and not reshuffles(terms, table)
    deck = Deck(
        event.deck,
        event.colour,
        event.design,
        event.route,
        steps={"received": event.by.id, "paragraph": paragraph},
        shuffled="preshuffled" if skips else "no",
        accessories=tuple(accessories.is_),
        replaces=event.replaces or "",
        received_at=event.at,
    )
    gone = [one for one in table.decks if one.removed][-REMOVED_KEPT:]
    table = replace(table, decks=(*gone, *registered(table), deck))
    due = due_at(terms, table, deck)
    timer = (SetTimer(timer=timer_of(deck.id), at=due - WARNING),) if due is not None else ()
    table, commands = _moved_on(terms, table)
    return table, [*timer, *commands]


def _has_a_place(terms: Terms, table: Table, event: events.DeckReceived) -> None:
    if event.replaces is None:
        places = [deck for deck in registered(table) if not deck.replaces]
        if len(places) >= wanted(terms, table):
            clause = terms.ruleset.rulebook.procedures.accessory_cards.clause
            count = wanted(terms, table)
            problem = f"this table plays with {count} deck{'s' if count > 1 else ''}"
            raise Refused("deck", problem, "remove one, or name the one it replaces", clause)
        return
    old = deck_of(table, event.replaces)
    if old.removed:
        raise Refused("replaces", f"deck {old.id} has left already", "leave 'replaces' out")
    if any(deck.replaces == old.id for deck in registered(table)):
        raise Refused("replaces", f"another deck waits to replace {old.id}")
    due = due_at(terms, table, old)
    if due is None or event.at < due - WARNING:
        problem = f"deck {old.id} is not due for change"
        raise Refused("replaces", problem, "a floorperson removes it if it must go", READING)


def _goes_with_the_other(terms: Terms, table: Table, event: events.DeckReceived) -> None:
    same = terms.ruleset.rulebook.procedures.second_deck_same_design
    for other in registered(table):
        if other.id == event.replaces:
            continue
        if other.colour == event.colour:
            clause = same.clause if same is not None else ""
            problem = f"deck {other.id} is {event.colour} too"
            raise Refused("colour", problem, "another back colour", clause)
        if same is not None and same.is_ and other.design != event.design:
            problem = f"deck {other.id} is of {other.design}"
            raise Refused("design", problem, "one of the same design", same.clause)


def _by_a_route(terms: Terms, event: events.DeckReceived) -> str:
    """The rule under which a deck came pre-shuffled, as the rulebook cites it; else as given."""
    procedures = terms.ruleset.rulebook.procedures
    rule, under = procedures.preshuffled_decks, procedures.preshuffled_under
    if event.route != "preshuffled":
        return event.paragraph
    if not rule.is_:
        problem = "every deck is inspected and shuffled here"
        raise Refused("route", problem, "receive it for inspection", rule.clause)
    if not event.paragraph:
        problem = "is missing: which paragraph attests the deck"
        raise Refused("paragraph", problem, clause=rule.clause)
    if under is None:
        return event.paragraph
    for citation in under.is_:
        if _plain(event.paragraph) in _short_forms(citation):
            return citation
    problem = f"{event.paragraph!r} does not attest a pre-shuffled deck here"
    raise Refused("paragraph", problem, " or ".join(under.is_), under.clause)


def _plain(citation: str) -> str:
    return "".join(citation.replace("§", "").split()).lower()


def _short_forms(citation: str) -> set[str]:
    """A rule as people key it in: whole, without the name of its code, or by its letter."""
    whole, number = _plain(citation), _plain(citation.rsplit(maxsplit=1)[-1])
    letter = number[number.index("(") :] if "(" in number else number
    return {whole, number, letter}


def step(terms: Terms, table: Table, event: events.Act, deck_id: str, name: str) -> Change:
    """One step of the checklist, in its order: at the opening, or again after an idle table."""
    deck = deck_of(table, deck_id)
    if deck.removed:
        raise Refused("deck", f"{deck.id} was removed: {deck.removed}")
    if deck.again and table.idle:
        raise Refused("deck", "the cards lie spread until a player arrives")
    if deck.route == "preshuffled" and not deck.again:
        raise Refused("deck", f"{deck.id} is pre-inspected and pre-shuffled: nothing to do")
    expected = next(iter(to_do(terms, deck)), "shuffle")
    if name == "turned up" and expected == "shown" and may_be_turned_up(terms, deck):
        return with_deck(table, deck.id, steps={**deck.steps, name: event.by.id}), ()
    if name != expected:
        raise Refused("deck", f"{deck.id} is not to be {name} now", f"next: {expected}")
    if name == "shown":
        _somebody_looks(terms, table)
    if name == "verified":
        must_differ(event.by.id, deck.steps["inspected"], "inspecting and verifying a deck")
    steps = {**deck.steps, name: event.by.id}
    table = with_deck(table, deck.id, steps=steps, again=deck.again[1:])
    return _moved_on(terms, table)


def is_shown(terms: Terms) -> bool:
    """Whether cards wait for a first player; a rulebook from an earlier felt does not say so."""
    return terms.ruleset.rulebook.procedures.steps.shown is not None


def to_do(terms: Terms, deck: Deck) -> tuple[str, ...]:
    """The steps that a deck has still to go through, in their order."""
    if is_open(deck):
        return ()
    steps = STEPS if is_shown(terms) else tuple(one for one in STEPS if one != "shown")
    return deck.again or tuple(one for one in steps if one not in deck.steps)


def may_be_turned_up(terms: Terms, deck: Deck) -> bool:
    """Where idle cards lie face down, a player who came may ask to see their faces."""
    asked = terms.ruleset.rulebook.procedures.idle_spread.is_ == "face down"
    return asked and bool(deck.again) and "turned up" not in deck.steps


def _somebody_looks(terms: Terms, table: Table) -> None:
    """The cards lie there for the first player to arrive: nobody washes them before."""
    if not any(seat.player for seat in table.seats):
        clause = terms.ruleset.rulebook.procedures.steps.of("shown")
        problem = "no player has arrived who could look at the cards"
        raise Refused("deck", problem, "seat the first player", clause)


def is_open(deck: Deck) -> bool:
    """Through its checklist, and not to go through any of it again."""
    return not deck.again and (deck.route == "preshuffled" or "washed" in deck.steps)


def usable(table: Table) -> list[Deck]:
    """Decks that rounds may be dealt from once they are shuffled."""
    return [deck for deck in registered(table) if is_open(deck) and not deck.replaces]


def _moved_on(terms: Terms, table: Table) -> Change:
    """To the shuffle, when every deck of the table is through its checklist."""
    if table.phase == "opening" and len(usable(table)) >= wanted(terms, table):
        return to_shuffling(terms, table)
    if table.phase == "shuffling" and table.deck is None:
        return to_shuffling(terms, table)
    return table, ()


# --- Which deck is next -----------------------------------------------------


def to_shuffling(terms: Terms, table: Table) -> Change:
    """The next deck is due: the other one where there are two."""
    there = usable(table)
    others = [deck for deck in there if deck.id != table.last_deck]
    chosen = (others or there)[0] if there else None
    if wanted(terms, table) == 2 and not others:
        chosen = None
    table = replace(table, phase="shuffling", deck=chosen.id if chosen else None)
    return start(terms, table, chosen)


def start(terms: Terms, table: Table, deck: Deck | None) -> Change:
    """The order to shuffle a deck, where the shuffler is the one to do it and nothing holds it.

    The order begins a new cycle, so what went wrong before it is over. Not every shuffler says
    that a cycle has begun.
    """
    if deck is None or deck.shuffled != "no" or not is_open(deck) or in_play(table, deck.id):
        return table, ()
    if deck.opened or not may_shuffle(terms, table):
        return table, ()
    return with_deck(table, deck.id, spoiled=False), (StartShuffle(deck=deck.id),)


def may_shuffle(terms: Terms, table: Table) -> bool:
    """Whether the shuffler may be set in motion: hands may be in it as long as anything is held."""
    is_set = table.shuffler_mode == "shuffle" and has_shuffler(terms, table)
    return is_set and may(table, StartShuffle)


def start_again(terms: Terms, table: Table) -> Change:
    """Nothing holds the shuffler any more: what it left undone, and what is due, is ordered."""
    commands: list[Command] = []
    for deck in registered(table):
        due = table.phase == "shuffling" and deck.id == table.deck
        waits = table.shuffler_holds == deck.id and not deck.cycle_runs
        if deck.spoiled or due or waits:
            table, order = start(terms, table, deck)
            commands += order
    return table, commands


def is_ready(deck: Deck) -> str:
    """Why a deck can't be dealt from yet; nothing if it can."""
    if deck.removed:
        return f"deck {deck.id} was removed: {deck.removed}"
    if deck.shuffled == "no":
        return f"deck {deck.id} is not shuffled"
    if deck.shuffled != "automated" and not deck.cut:
        return f"deck {deck.id} is not cut"
    return ""


def must_be_recut(table: Table) -> bool:
    """Whether the deck that is due was ordered to be cut again, and is not yet."""
    return any(deck.id == table.deck and deck.recut for deck in table.decks)


def loaded(terms: Terms, table: Table, event: events.DeckLoaded) -> Change:
    deck = deck_of(table, in_the_shoe(table, event.deck))
    if why := is_ready(deck):
        if table.method == "automated shoe":
            # A device says so: the cards are in it, and somebody must take them out.
            return held(table, f"loaded too early: {why}", "shoe", event.at), ()
        raise Refused("deck", why)
    if deck.recut:
        clause = terms.ruleset.rulebook.procedures.recut_ordered_by.clause
        raise Refused("deck", f"{deck.id} must be cut again", "a recut was ordered", clause)
    if deck not in usable(table):
        why = f"it replaces deck {deck.replaces}" if deck.replaces else "its checklist is open"
        raise Refused("deck", f"{deck.id} is not to be dealt from: {why}")
    _alternates(terms, table, deck)
    if event.cards not in (None, DECK_OF_CARDS):
        # Whatever the shuffler said: the shoe has them now, and counts again.
        table = gone(table, deck.id, f"the shoe counted {event.cards} cards")
        cause = wrong_count("the shoe", event.cards or 0)
        return to_shuffling(terms, held(table, cause, f"deck {deck.id}", event.at))
    table = replace(table, shoe_counts=event.cards is not None)
    must_not_be_due(terms, table, deck, event.at)
    commands: list[Command] = []
    if deck.in_play_since is None:
        runs_already = due_at(terms, table, deck) is not None
        table = with_deck(table, deck.id, in_play_since=event.at)
        due = due_at(terms, table, deck_of(table, deck.id))
        if due is not None and not runs_already:
            commands.append(SetTimer(timer=timer_of(deck.id), at=due - WARNING))
    return replace(table, phase="betting", deck=deck.id), commands


def wrong_count(who: str, cards: int) -> str:
    """Why somebody must look at a deck, in the words of its hold."""
    return f"wrong count: {who} counted {cards} cards where {DECK_OF_CARDS} should be"


def _alternates(terms: Terms, table: Table, deck: Deck) -> None:
    """Two decks take turns, one in play and one in the shuffler, and never meet in the rack."""
    others = [one.id for one in registered(table) if one.id != deck.id and not one.replaces]
    rule = terms.ruleset.rulebook.procedures.second_deck_needs_shuffler
    if wanted(terms, table) == 1:
        if others:
            problem = "two decks need a shuffler in service"
            raise Refused("deck", problem, f"remove deck {others[0]} first", rule.clause)
        return
    if not others:
        raise Refused("deck", "the second deck is missing", "receive another deck", rule.clause)
    if deck.id == table.last_deck:
        raise Refused("deck", f"{deck.id} was dealt in the round before: decks alternate")
    if table.rack is not None and table.rack != deck.id:
        raise Refused("deck", f"the rack still has cards of deck {table.rack}", "clear the rack")
    if table.shuffler_holds != others[0]:
        raise Refused("deck", f"deck {others[0]} is not in the shuffler", "put it there first")


# --- Age --------------------------------------------------------------------


def timer_of(deck: str) -> str:
    return f"deck {deck} due soon"


def due_at(terms: Terms, table: Table, deck: Deck) -> int | None:
    """When a deck must be changed, by how the table is dealt now; None while it is not known."""
    rule = terms.ruleset.rulebook.procedures.deck_life_from
    opened = rule is not None and rule.is_ == "opening"
    since = deck.received_at if opened and deck.received_at is not None else deck.in_play_since
    return None if since is None else since + terms.deck_life(table.method)


def must_not_be_due(terms: Terms, table: Table, deck: Deck, now: int) -> None:
    """Refuse to play on with a deck whose time is over."""
    due = due_at(terms, table, deck)
    if due is not None and now >= due:
        clause = terms.deck_life_clause(table.method)
        raise Refused("deck", f"{deck.id} is due for change", "receive another deck", clause)


def warned(terms: Terms, table: Table) -> tuple[Deck, ...]:
    """Decks that are due for change, or will be within the time of the warning."""
    found = []
    for deck in registered(table):
        due = due_at(terms, table, deck)
        if due is not None and table.at >= due - WARNING:
            found.append(deck)
    return tuple(found)


def timers(terms: Terms, table: Table, now: int) -> tuple[Command, ...]:
    """The warnings that are still to come, for a clock or a way of dealing that has changed."""
    dues = [(deck, due_at(terms, table, deck)) for deck in registered(table)]
    return tuple(
        SetTimer(timer=timer_of(deck.id), at=due - WARNING)
        for deck, due in dues
        if due is not None and due - WARNING > now
    )


# --- Leaving ----------------------------------------------------------------


def gone(table: Table, deck_id: str, reason: str) -> Table:
    """Out of the register; the deck that waited to replace it takes its place."""
    decks = tuple(
        replace(deck, replaces="") if deck.replaces == deck_id else deck for deck in table.decks
    )
    table = with_deck(replace(table, decks=decks), deck_id, removed=reason, shuffled="no")
    return replace(
        table,
        deck=None if table.deck == deck_id else table.deck,
        rack=None if table.rack == deck_id else table.rack,
        shuffler_holds=None if table.shuffler_holds == deck_id else table.shuffler_holds,
    )


def removed(terms: Terms, table: Table, event: events.DeckRemoved) -> Change:
    """A floorperson takes a deck away; wagers that waited for it go back first."""
    deck = deck_of(table, event.deck)
    if deck.removed:
        raise Refused("deck", f"{deck.id} was removed already: {deck.removed}")
    commands: list[Command] = []
    if in_play(table, deck.id):
        table, commands = wagers_back(terms, table)
    table, more = _moved_on(terms, gone(table, deck.id, event.reason))
    return table, [*commands, *more]


def wagers_back(terms: Terms, table: Table) -> tuple[Table, list[Command]]:
    """Betting ends without a round: every wager goes back and the seats' devices close."""
    commands: list[Command] = []
    for seat in table.seats:
        table, back = returned(terms, table, seat.number, list(seat.wagers))
        commands += back
    table, locks = shut(terms, table)
    return replace(table, phase="shuffling"), [*commands, *locks]


def rack_cleared(terms: Terms, table: Table, event: events.RackCleared) -> Change:
    return replace(table, rack=None), ()


def cross_checked(terms: Terms, before: Table, change: Change, at: int) -> Change:
    """After a stub count: if cards are missing, somebody must look, whatever the shuffler said."""
    table, commands = change
    if before.deck is None:
        return change
    was, now = deck_of(before, before.deck), deck_of(table, before.deck)
    if was.removed or not now.removed:
        return change
    said = "the shuffler counted 52" if terms.shuffler_counts else "nobody had counted"
    cause = f"the cards of the round do not make {DECK_OF_CARDS}: {now.removed}; {said}"
    return held(table, cause, f"deck {now.id}", at), commands


def all_registered(terms: Terms, table: Table) -> str:
    """Which decks a table lacks, for the people at it."""
    have = [deck.id for deck in registered(table)]
    return "" if len(have) == wanted(terms, table) else f"{len(have)} ({listed(have)})"
