"""What people are asked to do from the first wager to the last decision.

The words and their clauses are the rulebook's; the table adds seats, cards and sums.
"""

from __future__ import annotations

from collections.abc import Iterator

from controller.rules.paytables import dollars
from controller.rules.says import Dealing, Words, nth
from controller.table import prompts_cards
from controller.table.clearing import keeps_cards
from controller.table.dealing import (
    cards_at,
    count_is_due,
    must_show_up_card,
    next_step,
    stub,
    stub_clause,
)
from controller.table.deciding import may_check, wager_at, waiting
from controller.table.plan import LAST_STACK
from controller.table.prompt import Prompt, told
from controller.table.state import DealStep, Seat, Table
from controller.table.terms import Terms
from controller.table.wagers import lacking, waits_for

#: What the places outside the seats are called.
_PLACES = {"dealer": "the dealer's hand", "community": "the community cards", "extra": "All-Six"}


def _dealing(terms: Terms, table: Table) -> Dealing:
    return terms.ruleset.rulebook.words.dealt(table.method)


# --- Wagers -----------------------------------------------------------------


def betting(terms: Terms, table: Table) -> Iterator[Prompt]:
    yield from prompts_cards.opening(terms, table)
    if table.idle:
        yield from prompts_cards.idle(terms, table)
        return
    yield from prompts_cards.recut(terms, table)
    ante = terms.ruleset.rulebook.wagers["ante"].clause
    lacks = [(seat, *one) for seat in table.in_round() for one in lacking(terms, seat)]
    for seat, name, wager, cents in lacks:
        text = f"seat {seat.number}: the {name} must equal the {wager.equals}"
        more = f"{dollars(cents)} more" if cents > 0 else "take it back, and place it anew"
        answer = "wager_placed" if cents > 0 else "wager_taken_back"
        yield Prompt("dealer", f"{text}: {more}", wager.clause, seat.number, answer)
    if table.in_round() and not lacks:
        yield told(_dealing(terms, table).no_more_bets, answer="lock_out_pressed")
    elif not any(seat.player for seat in table.seats):
        yield Prompt("dealer", "seat the players who arrive", ante, answer="player_sat")
    elif not lacks:
        yield Prompt("dealer", "take Antes", ante, answer="wager_placed")


def locked(terms: Terms, table: Table) -> Iterator[Prompt]:
    words, left = _dealing(terms, table), waits_for(terms, table)
    yield from prompts_cards.recut(terms, table)
    for one in left:
        if one.startswith("the cut"):
            continue  # said above, act by act
        if words.chips is not None and one.startswith("the count"):
            yield told(words.chips, answer="chips_counted")
        else:
            yield Prompt("dealer", f"wait for {one}")
    late = terms.ruleset.rulebook.words.late
    for one_late in table.late:
        if one_late.given_back:
            continue
        text = f"seat {one_late.seat}: {dollars(one_late.cents)} is no wager, {late.text}"
        yield told(late, f"{text}: if it rolled to you, give it back", seat=one_late.seat)
    if left:
        return
    if table.chips and words.chips_away is not None:
        yield told(words.chips_away, f"{words.chips_away.text}: {_chips(table)}")
    first = table.in_round()[0].number
    text = f"press deal: {words.order.text}; that is seat {first}"
    yield told(words.order, text, seat=first, answer="deal_pressed")


def _chips(table: Table) -> str:
    """How many progressive chips there must be, and coupons where some were redeemed."""
    wagered = [seat for seat in table.seats if seat.wagers.get("progressive")]
    coupons = sum(1 for seat in wagered if seat.tender.get("progressive"))
    chips = str(len(wagered) - coupons)
    return f"{chips}, with {coupons} in coupons" if coupons else chips


# --- Deal -------------------------------------------------------------------


def dealing(terms: Terms, table: Table) -> Iterator[Prompt]:
    words, step = _dealing(terms, table), next_step(table)
    up_card = must_show_up_card(terms, table) and words.up_card
    shown = (told(up_card, answer="up_card_shown"),) if up_card else ()
    yield from _forfeits(terms, table)
    if lies := table.deal.lies:
        yield _taken(table, words, lies)
    elif step is None:
        stub = _stub(terms, table, words)
        yield from (*stub, *shown) if words.up_card_last else (*shown, *stub)
    elif shown:
        yield from shown
    else:
        yield from _step(terms, table, words, step)


def _taken(table: Table, words: Dealing, number: int) -> Prompt:
    """The stack that lies in the exit of the shoe, and where it goes."""
    step = table.deal.steps[number - 1]
    found = nth(_cards(words, step), 1)
    text = f"take stack {number} out of the shoe: {_stack(table, number)}, {found.text}"
    return told(found, text, seat=step.to if isinstance(step.to, int) else None)


def _cards(words: Dealing, step: DealStep) -> list[Words]:
    """What is said of the cards of a place."""
    by_place = {
        "dealer": words.dealer,
        "community": words.community,
        "extra": words.extra,
        LAST_STACK: words.last_stack,
    }
    return words.player if isinstance(step.to, int) else by_place[step.to]


def _step(terms: Terms, table: Table, words: Dealing, step: DealStep) -> Iterator[Prompt]:
    done = table.deal.steps[: table.deal.done]
    if words.goes_on_by_hand and not step.by_shoe and done and done[-1].by_shoe:
        yield told(words.goes_on_by_hand)
    seat = step.to if isinstance(step.to, int) else None
    found = nth(_cards(words, step), cards_at(table, step.to) + 1)
    text = f"{_deal_text(terms, table, step)}, {found.text}"
    yield told(found, text, seat=seat, answer="" if step.by_shoe else "cards_dealt")


def _deal_text(terms: Terms, table: Table, step: DealStep) -> str:
    cards = f"{step.cards} card{'s' if step.cards > 1 else ''}"
    if step.by_shoe:
        done = table.deal.done
        # Of a shoe that does not say what lies in its exit, the last one may still lie there.
        last = f"stack {done}: {_stack(table, done)}; then " if done > table.deal.taken else ""
        return f"{last}wait for stack {done + 1}: {_stack(table, done + 1)}"
    one_by_one = step.cards == 1 and step.to != "extra"
    what = f"card {cards_at(table, step.to) + 1}" if one_by_one else cards
    where = f"seat {step.to}" if isinstance(step.to, int) else _PLACES[step.to]
    return f"{what} to {where}"


def _stack(table: Table, number: int) -> str:
    """What is done with a stack."""
    step = table.deal.steps[number - 1]
    cards = f"{step.cards} card{'s' if step.cards > 1 else ''}"
    if step.to == LAST_STACK:
        return f"{cards}, All-Six and the dealer's sixth card, the rest to the rack"
    return f"{cards} to {f'seat {step.to}' if isinstance(step.to, int) else _PLACES[step.to]}"


def _stub(terms: Terms, table: Table, words: Dealing) -> Iterator[Prompt]:
    if table.deal.stub != "in shoe":
        return
    if count_is_due(terms, table):
        text = f"count the stub face down on the layout: {stub(table)} expected"
        yield Prompt("dealer", text, stub_clause(terms, table), answer="stub_counted")
        yield told(words.stub_wrong)
    else:
        yield told(words.stub, answer="stub_racked")


# --- Decisions --------------------------------------------------------------


def deciding(terms: Terms, table: Table) -> Iterator[Prompt]:
    says, left = terms.ruleset.rulebook.words, waiting(terms, table)
    if table.deal.stub == "counted" and not any(seat.acted for seat in table.seats):
        yield told(_dealing(terms, table).stub_counted)
    yield from collected(terms, table)
    if not left:
        number = len(table.faces.get("community", ())) + 1
        yield told(nth(says.community, number), answer="revealed")
        return
    in_order = terms.ruleset.rulebook.procedures.decisions_in_order.is_
    # Where nobody is asked first, whoever has chosen at a terminal waits for the dealer.
    asked = left[:1] if in_order else sorted(left, key=lambda seat: not seat.chosen)
    yield from (_ask(terms, table, seat) for seat in asked)
    yield from hands_down(terms, table)
    yield from (told(words) for words in says.sees_to)


def _ask(terms: Terms, table: Table, seat: Seat) -> Prompt:
    words = nth(terms.ruleset.rulebook.words.ask, table.street)
    wager = terms.ruleset.rulebook.wagers[wager_at(terms, table.street)]
    times = {str(moment): each for moment, each in wager.multiples.items()}
    *most, last = [dollars(n * seat.wagers["ante"]) for n in times[f"decision {table.street}"]]
    sums = f"{', '.join(most)} or {last}" if most else last
    text = f"seat {seat.number}: {words.text}: {sums}"
    name = wager_at(terms, table.street)
    if seat.left:
        otherwise = "check" if may_check(terms, table) else "fold"
        text = f"seat {seat.number}: {otherwise}, as the player has left and places no {name}"
    elif seat.chosen:
        what = f"{dollars(seat.chosen)} was chosen at its terminal"
        text = f"seat {seat.number}: {what}; see the chips on the layout, and say the {name}"
    return told(words, text, seat=seat.number, answer="decided")


def hands_down(terms: Terms, table: Table) -> Iterator[Prompt]:
    """A player who has decided leaves the cards alone, until the dealer turns them."""
    words = terms.ruleset.rulebook.words.decided
    if words is None:
        return
    for seat in table.in_round():
        if seat.acted and keeps_cards(terms, seat) and not seat.cards:
            yield told(words, f"seat {seat.number}: {words.text}", seat=seat.number)


def collected(terms: Terms, table: Table) -> Iterator[Prompt]:
    """What folds and forfeits took off the layout, until the next card is turned over."""
    yield from _forfeits(terms, table)
    words = nth(terms.ruleset.rulebook.words.fold, table.street)
    for seat in table.in_round():
        if not seat.folded or seat.forfeited or seat.acted != table.street or not seat.taken_in:
            continue
        text, stays = _off_the_layout(terms, seat, words), None
        if keeps_cards(terms, seat):
            stays = next((one for one in words.stays if set(one.wagers) & set(seat.wagers)), None)
        else:
            text += f"; {words.cards}"
        yield told(words, text, seat=seat.number)
        if stays is not None:
            yield told(stays, f"seat {seat.number}: {stays.text}", seat=seat.number)


def _forfeits(terms: Terms, table: Table) -> Iterator[Prompt]:
    """Seats that lost everything: for exchanging information, or because the player left."""
    rulebook = terms.ruleset.rulebook
    for seat in table.in_round():
        if not seat.forfeited:
            continue
        words = rulebook.words.forfeit
        if seat.leaving_decided_by or words is None:
            text = "the player left and the wagers are lost: collect them"
            words = Words(text=text, clause=rulebook.procedures.leaving_abandons_wagers.clause)
        yield told(words, _off_the_layout(terms, seat, words), seat=seat.number)


def _off_the_layout(terms: Terms, seat: Seat, words: Words) -> str:
    """The chips that lie there: what went into a device is in the inventory, or on an account."""
    wagers = terms.ruleset.rulebook.wagers
    lies = [kind for kind in seat.taken_in if wagers[kind].on == "layout"]
    sums = ", ".join(f"{wagers[kind].title} {dollars(seat.wagers[kind])}" for kind in lies)
    return f"seat {seat.number}: {words.text}: {sums}"
