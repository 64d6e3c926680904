"""What can be done from the first wager to the last decision: seats, wagers, the deal, decisions.

Cards that are dealt by hand may be told one by one, or all at once up to the next thing that
somebody has to look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from controller.rules.faults import listed
from controller.rules.paytables import dollars
from controller.rules.rulebook import BEFORE_NO_MORE_BETS, Wager
from controller.rules.says import Dealing, nth
from controller.rules.wagering import may_change
from controller.table import events
from controller.table.change import replace
from controller.table.dealing import (
    cards_at,
    count_is_due,
    must_show_up_card,
    next_step,
    stub,
    stub_clause,
)
from controller.table.deciding import DECISIONS, may_check, wager_at, waiting
from controller.table.drafts import (
    MOST_NAME,
    Draft,
    keyed,
    number,
    of_a_person,
    one_of,
    some_cards,
)
from controller.table.offer import Ask
from controller.table.offers import must_count_hands
from controller.table.plan import LAST_STACK
from controller.table.sealed import is_sealed
from controller.table.state import DealStep, Seat, Table
from controller.table.terms import Terms
from controller.table.wagers import accepted, lacking

#: More chips than any table has before it.
_MOST_CHIPS = 200
PLACES = {"dealer": "the dealer", "community": "the community cards", "extra": "All-Six"}


def play(terms: Terms, table: Table) -> Iterator[Draft]:
    yield from _seats(table, terms)
    match table.phase:
        case "shuffling":
            yield from _taken_back(terms, table)
        case "betting":
            yield from _betting(terms, table)
        case "locked":
            yield from _locked(terms, table)
        case "dealing":
            yield from _dealing(terms, table)
        case "deciding" if not must_count_hands(table) or waiting(terms, table):
            yield from _deciding(terms, table)


def _said(terms: Terms, table: Table) -> Dealing:
    return terms.ruleset.rulebook.words.dealt(table.method)


# --- Seats ------------------------------------------------------------------


def _seats(table: Table, terms: Terms) -> Iterator[Draft]:
    """Who sits down and who gets up; who leaves wagers behind is an irregularity."""
    free = tuple(seat.number for seat in table.seats if seat.player is None)
    who = Ask("player", "name", "who it is", least=1, most=MOST_NAME)
    if free:
        where = Ask("seat", "seat", "which seat", choices=free)
        yield of_a_person(terms, events.PlayerSat, "Seat a player", where, who)
    for seat in table.seats:
        n = seat.number
        if seat.player is None:
            # Beside a shoe nobody has a keyboard: who gives no name is called by the seat.
            usual = f"player {n}"
            taken = any(one.player == usual for one in table.seats)
            ask = who if taken else replace(who, choices=(usual,))
            yield of_a_person(terms, events.PlayerSat, f"Seat a player at seat {n}", ask, seat=n)
        elif seat.left:
            title = f"{seat.player} is back at seat {n}"
            yield of_a_person(terms, events.PlayerSat, title, seat=n, player=seat.player)
        elif not seat.wagers:
            title = f"{seat.player} leaves seat {n}"
            yield of_a_person(terms, events.PlayerLeft, title, seat=n)


# --- Wagers -----------------------------------------------------------------


def _betting(terms: Terms, table: Table) -> Iterator[Draft]:
    says = _said(terms, table).no_more_bets
    if table.in_round():
        yield of_a_person(terms, events.LockOutPressed, "No more bets", clause=says.clause)
    elif any(seat.player and not seat.left for seat in table.seats):
        yield from _antes(terms, table)
    yield from _lacking(terms, table)
    yield from _repeats(terms, table)
    for seat in table.seats:
        if seat.player is not None and not seat.left:
            yield from _placed(terms, table, seat)
    yield from _taken_back(terms, table)


def _antes(terms: Terms, table: Table) -> Iterator[Draft]:
    """The first Ante of the round, at whichever seat."""
    ante = terms.ruleset.rulebook.wagers["ante"]
    there = tuple(s.number for s in table.seats if s.player is not None and not s.left)
    where = Ask("seat", "seat", "which seat", choices=there)
    asks = (where, *_amount(terms, Seat(0), "ante", ante))
    yield keyed(
        "dealer", events.WagerPlaced, "Take an Ante", *asks, clause=ante.clause, wager="ante"
    )


def _lacking(terms: Terms, table: Table) -> Iterator[Draft]:
    """What a seat with an Ante still needs for the round."""
    for seat in table.in_round():
        for name, wager, cents in lacking(terms, seat):
            facts: dict[str, Any] = {"seat": seat.number, "wager": name}
            what = wager.short
            if cents > 0:
                facts |= {"tender": seat.tender[name]} if name in seat.tender else {}
                title = f"{what} of seat {seat.number}: {dollars(cents)} more"
                facts["amount"] = cents
                yield keyed("dealer", events.WagerPlaced, title, clause=wager.clause, **facts)
            else:
                title = f"{what} of seat {seat.number}: take it back"
                yield keyed("dealer", events.WagerTakenBack, title, clause=wager.clause, **facts)


def _placed(terms: Terms, table: Table, seat: Seat) -> Iterator[Draft]:
    """Wagers on the layout; what goes into a device, the device tells."""
    changes = may_change(terms.ruleset)
    for name in terms.ruleset.offered:
        wager = terms.ruleset.rulebook.wagers[name]
        if wager.on != "layout" or wager.moments != (BEFORE_NO_MORE_BETS,):
            continue
        if name in table.withheld or any(not seat.wagers.get(one) for one in wager.needs):
            continue
        had = name in seat.wagers
        if had and (not changes or terms.ruleset.amounts_of(name)):
            continue
        asks = _amount(terms, seat, name, wager)
        if not asks:
            continue
        what = f"{'Raise the ' if had else ''}{wager.short} of seat {seat.number}"
        facts: dict[str, Any] = {"seat": seat.number, "wager": name}
        if had and name in seat.tender:
            facts["tender"] = seat.tender[name]
        draft = keyed("dealer", events.WagerPlaced, what, *asks, clause=wager.clause, **facts)
        draft.prompted = False
        yield draft


def _amount(terms: Terms, seat: Seat, name: str, wager: Wager) -> tuple[Ask, ...]:
    """How much goes down, and with what; nothing where no amount would do."""
    had = seat.wagers.get(name, 0)
    words = "how much more" if had else "how much"
    fixed = terms.ruleset.amounts_of(name)
    least: int | None = 1
    most: int | None = None
    choices: tuple[int, ...] | None = None
    if wager.equals:
        choices = (seat.wagers.get(wager.equals, 0) - had,)
    elif fixed is not None:
        choices = tuple(fixed)
    elif name == "ante":
        least, most = max(1, terms.least_ante - had), terms.most_ante - had
    if choices is not None:
        choices = tuple(one for one in choices if one > 0)
        least, most = min(choices, default=0), max(choices, default=0)
    if most is not None and least is not None and most < least:
        return ()
    if choices == ():
        return ()
    amount = Ask("amount", "cents", words, choices=choices, least=least, most=most)
    return (amount, *([] if had else _tender(terms, name)))


def _tender(terms: Terms, name: str) -> list[Ask]:
    """What else than chips it may be made with."""
    found = [
        tender
        for tender, one in terms.ruleset.rulebook.tender.is_.items()
        if (not one.wagers or name in one.wagers)
        and (not one.choice or terms.ruleset.options.get(one.choice))
    ]
    if found == ["chips"]:
        return []
    return [one_of("tender", "made with", found, required=False)]


def _taken_back(terms: Terms, table: Table) -> Iterator[Draft]:
    wagers = terms.ruleset.rulebook.wagers
    for seat in table.seats:
        for name in seat.wagers:
            wager = wagers[name]
            if wager.on != "layout":
                continue
            title = f"Take back the {wager.short} of seat {seat.number}"
            facts = {"seat": seat.number, "wager": name}
            draft = keyed("dealer", events.WagerTakenBack, title, clause=wager.clause, **facts)
            draft.prompted = False
            yield draft


def _repeats(terms: Terms, table: Table) -> Iterator[Draft]:
    """What lay on the layout in the last round, once more: of a seat, and of all of them."""
    everybody: list[Draft] = []
    for seat in table.seats:
        last = {k: v for k, v in seat.last.items() if k not in table.withheld}
        if seat.player is None or seat.left or seat.wagers or not last.get("ante"):
            continue
        acts = [
            (events.WagerPlaced, {"seat": seat.number, "wager": name, "amount": cents})
            for name, cents in last.items()
        ]
        wagers = terms.ruleset.rulebook.wagers
        sums = ", ".join(f"{wagers[name].short} {dollars(last[name])}" for name in last)
        title = f"Repeat the last wagers of seat {seat.number}: {sums}"
        draft = Draft("dealer", title, list(acts), seat=seat.number, prompted=False)
        everybody.append(draft)
    if len(everybody) > 1:
        together = [act for draft in everybody for act in draft.acts]
        yield Draft("dealer", "Repeat the last wagers of all seats", together, prompted=False)
    yield from everybody


# --- The lock ---------------------------------------------------------------


def _locked(terms: Terms, table: Table) -> Iterator[Draft]:
    words = _said(terms, table)
    if terms.acceptors and table.chips is None and accepted(table):
        asks = [number("chips", "how many progressive chips", 0, _MOST_CHIPS)]
        if "progressive coupon" in terms.ruleset.rulebook.tender.is_:
            ask = Ask(
                "coupons", "count", "how many coupons", least=0, most=_MOST_CHIPS, required=False
            )
            asks.append(ask)
        clause = words.chips.clause if words.chips is not None else ""
        title = "The progressive chips are counted"
        yield of_a_person(terms, events.ChipsCounted, title, *asks, clause=clause)
    if table.deal_enabled:
        yield of_a_person(terms, events.DealPressed, "Deal", clause=words.order.clause)


# --- Deal -------------------------------------------------------------------


def _dealing(terms: Terms, table: Table) -> Iterator[Draft]:
    words, step = _said(terms, table), next_step(table)
    if table.deal.lies:
        return
    if must_show_up_card(terms, table):
        clause = words.up_card.clause if words.up_card is not None else ""
        read = is_sealed(table, "dealer")
        asks = some_cards(table, "card", 1, "the card that lies face up", required=not read)
        yield of_a_person(
            terms, events.UpCardShown, "The dealer's card is face up", asks, clause=clause
        )
    elif step is not None and not step.by_shoe:
        yield from _dealt(terms, table, words, step)
    if step is None and table.deal.stub == "in shoe":
        if count_is_due(terms, table):
            title, clause = f"The stub has {stub(table)} cards", stub_clause(terms, table)
            yield of_a_person(terms, events.StubCounted, title, clause=clause, cards=stub(table))
        else:
            clause = words.stub.clause
            yield of_a_person(terms, events.StubRacked, "Rack the stub", clause=clause)


def _dealt(terms: Terms, table: Table, words: Dealing, step: DealStep) -> Iterator[Draft]:
    """The next card, and all that are dealt by hand up to the next that is not."""
    by_place = {
        "dealer": words.dealer,
        "community": words.community,
        "extra": words.extra,
        LAST_STACK: words.last_stack,
    }
    found = words.player if isinstance(step.to, int) else by_place[step.to]
    clause = nth(found, cards_at(table, step.to) + 1).clause if found else ""
    seat = step.to if isinstance(step.to, int) else None
    where = f"seat {step.to}" if isinstance(step.to, int) else PLACES[step.to]
    cards = "A card" if step.cards == 1 else f"{step.cards} cards"
    done = [(events.CardsDealt, {"to": step.to, "cards": step.cards})]
    yield Draft("dealer", f"{cards} to {where}", list(done), clause, seat)
    rest = _by_hand(terms, table)
    if len(rest) > 1:
        acts = [(events.CardsDealt, {"to": one.to, "cards": one.cards}) for one in rest]
        total = sum(one.cards for one in rest)
        yield Draft("dealer", f"Dealt as prompted: {total} cards", list(acts), clause)


def _by_hand(terms: Terms, table: Table) -> list[DealStep]:
    """The steps that follow one another in the dealer's hands: the up-card is shown in between."""
    found = []
    shows = terms.ruleset.rulebook.game == "caribbean-stud" and table.up_card is None
    for step in table.deal.steps[table.deal.done :]:
        if step.by_shoe:
            break
        found.append(step)
        if shows and step.to == "dealer":
            break
    return found


# --- Decisions --------------------------------------------------------------


def _deciding(terms: Terms, table: Table) -> Iterator[Draft]:
    left = waiting(terms, table)
    in_order = terms.ruleset.rulebook.procedures.decisions_in_order.is_
    asked = left[:1] if in_order else sorted(left, key=lambda seat: not seat.chosen)
    for seat in asked:
        yield from _decided(terms, table, seat)
    if len(left) > 1:
        yield from _together(terms, table, left)


def _together(terms: Terms, table: Table, left: list[Seat]) -> Iterator[Draft]:
    """All that are left decide the same, each of them asked: it is told once, and meant."""
    name = wager_at(terms, table.street)
    wager = terms.ruleset.rulebook.wagers[name]
    clause = nth(terms.ruleset.rulebook.words.ask, table.street).clause
    choice = "check" if may_check(terms, table) else "fold"
    ways: list[tuple[str, list[dict[str, Any]]]] = []
    for n in wager.multiples[DECISIONS[table.street - 1]]:
        sums = [n * seat.wagers["ante"] for seat in left]
        facts = [{"choice": "wager", "amount": cents} for cents in sums]
        each = f"{dollars(sums[0])} each" if len(set(sums)) == 1 else f"{n} × Ante each"
        # What was chosen at a terminal is one seat's own.
        if not any(seat.left or seat.chosen for seat in left):
            ways.append((f"{wager.short} {each}", facts))
    if not any(seat.chosen for seat in left):
        ways.append((choice.capitalize(), [{"choice": choice}] * len(left)))
    seats = _those([seat.number for seat in left])
    for what, facts in ways:
        acts = [
            (events.Decided, {"seat": seat.number, **one})
            for seat, one in zip(left, facts, strict=True)
        ]
        title = f"{seats}: {what}"
        yield Draft("dealer", title, list(acts), clause, prompted=False, hold_to_press=True)


def _those(numbers: list[int]) -> str:
    """ "Seats 2 to 7", or "Seats 2, 4, 5"."""
    if numbers == list(range(numbers[0], numbers[-1] + 1)) and len(numbers) > 2:
        return f"Seats {numbers[0]} to {numbers[-1]}"
    return f"Seats {listed(numbers)}"


def _decided(terms: Terms, table: Table, seat: Seat) -> Iterator[Draft]:
    name = wager_at(terms, table.street)
    wager = terms.ruleset.rulebook.wagers[name]
    clause = nth(terms.ruleset.rulebook.words.ask, table.street).clause
    facts: dict[str, Any] = {"seat": seat.number}
    if not seat.left:
        times = wager.multiples[DECISIONS[table.street - 1]]
        sums = [n * seat.wagers["ante"] for n in times]
        # What was chosen at the terminal first: the dealer looks whether the chips are there.
        for cents in sorted(sums, key=lambda one: one != seat.chosen):
            yield of_a_person(
                terms,
                events.Decided,
                f"{wager.short} {dollars(cents)}",
                *_tender(terms, name),
                clause=clause,
                **facts,
                choice="wager",
                amount=cents,
            )
    choice = "check" if may_check(terms, table) else "fold"
    yield of_a_person(
        terms, events.Decided, choice.capitalize(), clause=clause, **facts, choice=choice
    )
