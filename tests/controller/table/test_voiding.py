"""A void round, at whatever point: every wager back once, meters and balances as they were."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.table import events
from controller.table.commands import EnableDeal, ReturnWager, SetLamp, ShowMeter
from controller.table.dealing import next_step, stub
from controller.table.deciding import wager_at, waiting
from controller.table.settling import to_be_shown, to_be_turned
from tests.controller.table.midway import (
    LAST,
    all_void,
    back,
    deal_out,
    deal_step,
    dealing,
    down,
    goes_on,
    ready,
)
from tests.controller.table.playing import BOOKS, FLOOR, METHODS, AtTheTable, open_table
from tests.controller.table.test_round import SIDE

ROUND = pytest.mark.parametrize(
    ("book", "method"), [(book, method) for book in BOOKS for method in METHODS]
)

#: An event that voids the round as the table stands, or nothing where it has no place.
Fault = tuple[type[Any], dict[str, Any]] | None


# --- What can void a round, and when ----------------------------------------


def floor_voids(at: AtTheTable) -> Fault:
    if at.phase not in ("locked", "dealing", "deciding", "revealing"):
        return None
    return events.RoundVoided, {"reason": "a card is damaged", "by": FLOOR}


def shoe_jams(at: AtTheTable) -> Fault:
    planned = next_step(at.table)
    if at.phase != "dealing" or planned is None or not planned.by_shoe:
        return None
    return events.DeviceFaulted, {"device": "shoe", "nature": "jam"}


def wrong_stack(at: AtTheTable) -> Fault:
    planned = next_step(at.table)
    if at.phase != "dealing" or planned is None or not planned.by_shoe:
        return None
    return events.StackDispensed, {"number": at.table.deal.done + 2, "cards": planned.cards}


def second_face_up(at: AtTheTable) -> Fault:
    if at.phase != "dealing" or next_step(at.table) is None:
        return None
    at.does(events.FaceUpCardFound)
    return events.FaceUpCardFound, {}


def wrong_stub(at: AtTheTable) -> Fault:
    away = at.table.deal.stub != "in shoe"
    if at.phase != "dealing" or next_step(at.table) is not None or away:
        return None
    cards = stub(at.table) - 1
    return events.StubCounted, {"cards": cards, "misdealt": True, "all_present": True}


def misdealt(at: AtTheTable) -> Fault:
    """To a place whose wrong number voids all in every rulebook."""
    if at.phase not in ("dealing", "deciding"):
        return None
    place = "dealer" if at.terms.ruleset.rulebook.hands.dealer else "community"
    has = at.table.deal.placed.get(place)
    if not has:
        return None
    return events.MisdealReported, {"to": place, "cards": has + 2}


def seen_early(at: AtTheTable) -> Fault:
    rule = at.terms.ruleset.rulebook.procedures.exposed_early.is_
    if at.phase != "deciding" or rule != "all wagers returned":
        return None
    place = "dealer" if at.terms.ruleset.rulebook.hands.dealer else "community"
    if at.terms.ruleset.rulebook.procedures.exposure_confirmed_by is None:
        return events.CardExposed, {"where": place}
    at.does(events.CardExposed, where=place)
    return events.ExposureDecided, {"by": FLOOR, "reason": "it was seen"}


FAULTS = (
    floor_voids,
    shoe_jams,
    wrong_stack,
    second_face_up,
    wrong_stub,
    misdealt,
    seen_early,
)


def one_step(at: AtTheTable) -> bool:
    """The next thing that happens in a round; False when it is on its way to being paid."""
    if at.phase == "locked":
        at.does(events.DealPressed)
    elif at.phase == "dealing":
        if next_step(at.table) is not None:
            deal_step(at)
        else:
            at.stubs()
    elif at.phase == "deciding":
        left = waiting(at.terms, at.table)
        if left:
            _decides(at, left[0].number)
        else:
            at.decides()
    elif at.phase == "revealing":
        at.reveals()
    return at.phase in ("locked", "dealing", "deciding", "revealing")


def _decides(at: AtTheTable, number: int) -> None:
    street = at.table.street
    checks = at.terms.ruleset.rulebook.game == "raise-it-up" and street < 3
    pick = at.random.choice(["wager", "check" if checks else "fold"])
    if pick != "wager":
        at.does(events.Decided, seat=number, choice=pick)
        return
    multiples = at.terms.ruleset.rulebook.wagers[wager_at(at.terms, street)].multiples
    times = multiples[f"decision {street}"][0]  # type: ignore[index]
    amount = times * at.table.seat(number).wagers["ante"]
    at.does(events.Decided, seat=number, choice="wager", amount=amount)


@given(
    table=st.tuples(st.sampled_from(BOOKS), st.sampled_from(METHODS)),
    fault=st.sampled_from(FAULTS),
    steps=st.integers(0, 45),
    seed=st.integers(0, 1000),
    data=st.data(),
)
@settings(max_examples=200, deadline=None)
def test_whatever_voids_a_round_everything_is_as_before(
    table: tuple[str, str], fault: Any, steps: int, seed: int, data: st.DataObject
) -> None:
    book, method = table
    at = open_table(book, method, seed).shuffles()
    meters, balances = at.table.meters, {s.number: s.balance for s in at.table.seats}
    for seat in (1, 3, LAST[book]):
        side = data.draw(st.sets(st.sampled_from(sorted(SIDE[book]))))
        at.antes(seat, **{kind: SIDE[book][kind] for kind in sorted(side)})
    at.locks()
    going, before = True, len(at.commands)
    for _ in range(steps):
        going = going and one_step(at)
    chosen = fault(at)
    while going and chosen is None:  # not possible here: at the next point where it is
        going = one_step(at)
        chosen = fault(at) if going else None
    if chosen is None:
        return  # this fault has no place in what was left of the round
    was = down(at)
    commands = at.does(chosen[0], **chosen[1])
    all_void(at, was, commands)
    assert sum(c.cents for c in commands if isinstance(c, ReturnWager)) == sum(was.values())
    # Nothing else of the round ever gave a wager back.
    assert back(at.commands[before:]) == sorted(was.items())
    assert at.table.meters == meters
    assert {s.number: s.balance for s in at.table.seats} == balances
    at.refuses(events.RoundVoided, reason="again", by=FLOOR)
    goes_on(at)


# --- In detail --------------------------------------------------------------


@ROUND
def test_wagers_go_back_to_where_they_came_from(book: str, method: str) -> None:
    at = dealing(book, method)
    commands = at.does(events.RoundVoided, reason="spilt", by=FLOOR)
    for one in commands:
        if isinstance(one, ReturnWager):
            assert one.to == ("account" if one.wager.startswith("five_card") else "layout")


@ROUND
def test_only_a_floorperson_voids_a_round(book: str, method: str) -> None:
    at = ready(book, method)
    at.refuses(events.RoundVoided, reason="I want to")
    at.does(events.RoundVoided, reason="the chips do not add up", by=FLOOR)
    assert at.table.void == "the chips do not add up"
    assert [order.enabled for order in at.sent(EnableDeal)] == [False]
    at.refuses(events.DealPressed)


@pytest.mark.parametrize("book", ["pa-639a", "s10", "ma", "pa-669a"])
def test_lights_go_out_and_the_sign_follows_the_meters(book: str) -> None:
    at = dealing(book, "automated shoe")
    assert any(seat.lamp == "accepted" for seat in at.table.seats)
    at.does(events.RoundVoided, reason="spilt", by=FLOOR)
    assert sorted(one.seat for one in at.sent(SetLamp)) == [1, 3, LAST[book]]
    shows = {(one.meter, one.level): one.cents for one in at.sent(ShowMeter)}
    assert ("progressive", "main") in shows
    for (meter, level), cents in shows.items():
        assert at.table.meters[meter].shows()[level] == cents


@ROUND
def test_a_void_round_counts_towards_the_stub_count(book: str, method: str) -> None:
    """Cards went out without the stub being counted: it is due no later for that."""
    at = open_table(book, method, shuffler_counts=False)
    for _ in range(4):
        at.shuffles().antes(1).locks()
        at.does(events.DealPressed)
        deal_step(at)
        at.does(events.RoundVoided, reason="spilt", by=FLOOR)
        at.racks()
    at.shuffles().antes(1).locks()
    at.does(events.DealPressed)
    deal_out(at)
    at.refuses(events.StubRacked)


def test_two_decks_alternate_after_a_void_round_too() -> None:
    at = open_table("pa-639a", decks=2).shuffles()
    dealt = at.table.deck
    at.antes(1, 3).locks().does(events.DealPressed)
    deal_step(at)
    at.does(events.DeviceFaulted, device="shoe", nature="jam")
    at.racks()
    assert at.table.deck != dealt
    [void] = [deck for deck in at.table.decks if deck.id == dealt]
    assert void.shuffled == "no"


@ROUND
def test_a_round_in_which_all_is_shown_is_not_voided_by_the_way(book: str, method: str) -> None:
    at = deal_out(dealing(book, method)).stubs().decides().reveals()
    assert not to_be_shown(at.terms, at.table)
    assert not to_be_turned(at.terms, at.table)
    at.refuses(events.RoundVoided, reason="too late", by=FLOOR)
