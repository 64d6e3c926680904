"""What is offered is taken, at every table of long random play; and something always leads on."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from controller.table import events
from controller.table.machine import Step, new_table, step
from controller.table.offer import Deed
from controller.table.offering import offered
from controller.table.offers import made_at_devices, must_count_hands
from controller.table.prompts import prompts
from controller.table.state import Table
from controller.table.terms import Terms
from controller.table.transitions import TRANSITIONS
from controller.table.wagers import CHIPS
from tests.controller.table.filling import KINDS, Filling
from tests.controller.table.invariants import check
from tests.controller.table.playing import BOOKS, METHODS, AtTheTable, terms_of
from tests.controller.table.possible import EVERYTHING, is_trouble, possible
from tests.controller.table.test_round import SIDE

WAITS = ("wait", "shuffler", "automated shoe", "take stack", "link", "bring another deck")


def all_are_taken(terms: Terms, table: Table, filling: Filling) -> Counter[str]:
    """Everything that is offered here is filled in and done."""
    done: Counter[str] = Counter()
    found = offered(terms, table)
    assert [prompt for prompt, _ in found.prompts] == list(prompts(terms, table))
    by_id = {offer.id: offer for offer in found.offers}
    assert len(by_id) == len(found.offers), "two offers have the same id"
    elsewhere = made_at_devices(terms)
    for offer in found.offers:
        now = table
        names = [ask.name for ask in offer.asks]
        assert len(set(names)) == len(names), f"{offer.title}: two fields have one name"
        # The service takes neither from a person: devices tell it.
        assert not any(
            deed.given.get("wager") in elsewhere for deed in offer.acts if _is_keyed(deed)
        )
        assert table.method != "automated shoe" or offer.acts[0].action != "deck_loaded"
        assert offer.follows or offer.group != "irregular", offer.title
        for event in filling.events(offer, table.at):
            taken = step(terms, now, event)
            assert not taken.refused, f"{offer.title}: {event}: {taken.refused}"
            now = taken.table
        check(terms, now)
        done[offer.acts[0].action] += 1
    stops = {hold.blocks for hold in table.holds}
    for prompt, id_ in found.prompts:
        if not prompt.answer:
            assert not id_
            continue
        if id_:
            assert by_id[id_].acts[0].action == prompt.answer
            assert by_id[id_].group == "due"
            assert by_id[id_].seat in (None, prompt.seat)
        else:
            held = not stops.isdisjoint(TRANSITIONS[KINDS[prompt.answer]].blocked_by)
            waits_for = WAITING.get(prompt.answer)
            assert held or (waits_for and waits_for(table)), f"{prompt}: nothing answers it"
    goes_on = any(one.group in ("due", "may", "floor") for one in found.offers)
    waits = any(word in prompt.text for prompt, _ in found.prompts for word in WAITS)
    assert goes_on or waits, f"nothing leads on: {found.prompts}"
    return done


def _is_keyed(deed: Deed) -> bool:
    return deed.action in ("wager_placed", "wager_taken_back")


#: What is prompted, and waits for something else than a hold that blocks its kind.
WAITING: dict[str, Callable[[Table], bool]] = {
    # A floorperson clears the hold before the chips are counted again.
    "chips_counted": lambda table: any(hold.where == CHIPS for hold in table.holds),
    # The shuffler is set to shuffle first; and a shoe says what became of its stack.
    "hold_cleared": lambda table: table.shuffler_mode != "shuffle" or bool(table.deal.asked),
    # The shuffler tells how many hands it gave out, when its green button is pressed.
    "hand_turned": must_count_hands,
}


SEEDS_AT_MOST = 8
#: How likely each is done on a walk, so that rounds are played to their end and trouble happens.
LIKELY = {"due": 1.0, "may": 0.2, "irregular": 0.01, "floor": 0.01}
#: Counted at random the chips would hardly ever be right.
OFTEN = {"chips_counted": 0.05, "lock_out_pressed": 0.3, "deck_removed": 0.002}


def walk(terms: Terms, seed: int, steps: int) -> Counter[str]:
    dice, filling = random.Random(seed), Filling(seed)
    table, done = new_table(terms), Counter[str]()
    for n in range(steps):
        done += all_are_taken(terms, table, filling)
        if n % 2:
            choices = list(possible(terms, table, EVERYTHING))
            calm = [one for one in choices if not is_trouble(table, one) or dice.random() < 0.02]
            some = [[one] for one in dice.sample(calm, len(calm))]
        else:
            offers = [
                one
                for one in offered(terms, table).offers
                if dice.random() < OFTEN.get(one.acts[0].action, LIKELY[one.group])
            ]
            some = [filling.events(one, table.at) for one in dice.sample(offers, len(offers))]
        for events_ in some:
            taken = step(terms, table, events_[0])
            if not taken.refused:
                table = taken.table
                break
        if table.deck is None and all(deck.removed for deck in table.decks) and table.decks:
            break
    return done


class Watched(AtTheTable):
    """A table at which everything that is offered is tried, after each event."""

    def __init__(self, terms: Terms, seed: int) -> None:
        super().__init__(terms, seed)
        self.filling = Filling(seed)
        self.offered = Counter[str]()

    def send(self, kind: type[Any], **given: Any) -> Step:
        done = super().send(kind, **given)
        self.offered += all_are_taken(self.terms, self.table, self.filling)
        return done


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("method", METHODS)
def test_whole_rounds_are_offered(book: str, method: str) -> None:
    at = Watched(terms_of(book, method), 7)
    at.opens()
    at.sits(1, 3, at.terms.seats)
    at.plays(1, 3, at.terms.seats, **SIDE[book])
    assert {seat.number for seat in at.table.seats if seat.last} == {1, 3, at.terms.seats}
    for act in ("player_sat", "wager_placed", "lock_out_pressed", "deal_pressed", "seat_paid"):
        assert at.offered[act], act
    assert at.offered["hand_turned"]
    assert at.offered["cards_racked"]


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("method", METHODS)
def test_what_is_offered_is_taken(book: str, method: str) -> None:
    done = Counter[str]()
    for seed in range(SEEDS_AT_MOST):
        done += walk(terms_of(book, method, seats=3), seed, 150)
        # By chance a walk comes to no wager at all: then there is another.
        if seed and done["wager_placed"] and done["round_voided"]:
            break
    assert done["wager_placed"]
    assert done["round_voided"]


class Noting(AtTheTable):
    """A table at which it is noted what one offer was called, and when."""

    def __init__(self, terms: Terms, about: str) -> None:
        super().__init__(terms, 5)
        self._about = about
        self.ids: Counter[str] = Counter()
        self.phases: set[str] = set()

    def send(self, kind: type[Any], **given: Any) -> Step:
        done = super().send(kind, **given)
        for one in offered(self.terms, self.table).offers:
            if one.title == self._about:
                self.ids[one.id] += 1
                self.phases.add(self.table.phase)
        return done


@pytest.mark.parametrize("book", BOOKS)
def test_who_fills_in_why_is_not_hurried_by_the_dealer(book: str) -> None:
    """It is the same offer from one round to the next: about somebody, and not about a moment."""
    at = Noting(terms_of(book, "hand"), "Unlock the credential of dealer-2")
    at.opens()
    at.sits(1, 3)
    for _ in range(3):
        at.send(events.CredentialRefused, person="dealer-2", device="page 192.0.2.7")
    assert len(at.ids) == 1
    at.plays(1, 3)
    at.plays(1, 3)
    assert len(at.ids) == 1
    assert {"betting", "dealing", "deciding", "settling", "clearing"} <= at.phases
    assert at.table.round == 2
