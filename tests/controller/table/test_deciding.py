"""Decisions: who is asked when, what may be answered, what a fold takes and what it leaves."""

from __future__ import annotations

from typing import Any

import pytest

from controller.rules.cards import name
from controller.table import events
from controller.table.commands import CollectWager, TakeIn
from controller.table.dealing import next_step
from tests.controller.table.playing import BOOKS, FLOOR, AtTheTable, open_table
from tests.controller.table.rigged import (
    ACE_KING,
    FLUSH,
    LOW,
    ROYAL,
    line,
    seated_round,
    show,
    stacked,
    to_be_shown,
    to_be_turned,
    turn,
)

STUD = ["pa-639a", "s10", "ma"]


def dealt(book: str, *seats: int, side: dict[str, int] | None = None, **more: Any) -> AtTheTable:
    at = open_table(book, **more)
    seats = seats or (1, 3)
    return at.shuffles().antes(*seats, **(side or {})).locks().deals()


def two_cards(at: AtTheTable) -> dict[str, str]:
    """The community card that comes next, with one that does not."""
    card = next_card(at)
    return {**card, "cards": f"{card['cards']} {name(at.shoe[0])}"}


def next_card(at: AtTheTable) -> dict[str, str]:
    """The community card that comes next."""
    shown = len(at.table.faces.get("community", ()))
    return {"where": "community", "cards": name(at.faces["community"][shown])}


def test_a_wager_without_an_amount_is_told_which_there_are() -> None:
    said = dealt("pa-639a").refuses(events.Decided, seat=1, choice="wager")
    assert said.startswith("amount: how much is the Bet Wager?; 2000 ($20) (PA-639a.")
    raises = dealt("pa-683a").refuses(events.Decided, seat=1, choice="wager")
    assert "1000 ($10) or 2000 ($20) or 3000 ($30)" in raises


# --- When -------------------------------------------------------------------


@pytest.mark.rule("PA-639a.11(a)", "PA-669a.11(a)", "PA-682a.11(a)", "PA-683a.11(a)")
@pytest.mark.rule("S10.(a)(1)(ii)", "MA.1[Bet wager]", "S10.(f)(4)", "MA.6(d)")
@pytest.mark.parametrize("book", BOOKS)
def test_nothing_is_decided_before_the_deal_is_complete(book: str) -> None:
    at = open_table(book).shuffles().antes(1, 3)
    bet = {"seat": 1, "choice": "wager", "amount": 2000}
    assert at.refuses(events.Decided, **bet)
    at.locks()
    assert at.refuses(events.Decided, **bet)
    at.does(events.DealPressed)
    while (planned := next_step(at.table)) is not None:
        assert "is not for the phase dealing" in at.refuses(events.Decided, **bet)
        if planned.by_shoe:
            at.does(events.StackDispensed, number=at.table.deal.done + 1, cards=planned.cards)
        else:
            at.does(events.CardsDealt, to=planned.to, cards=planned.cards)
    assert at.phase == "dealing"  # the stub is still in the shoe
    assert at.refuses(events.Decided, **bet)


@pytest.mark.rule("S10.(a)(1)(ii)", "MA.1[Bet wager]", "S10.(a)(1)(iii)", "MA.1[Fold]")
@pytest.mark.parametrize("book", STUD)
def test_the_bet_is_twice_the_ante_and_final(book: str) -> None:
    at = dealt(book)
    for amount in (1900, 2100, 1000, 0):
        assert at.refuses(events.Decided, seat=1, choice="wager", amount=amount)
    at.does(events.Decided, seat=1, choice="wager", amount=2000)
    # Neither another Bet nor a fold, and nothing is taken back.
    for choice, amount in (("wager", 2000), ("fold", 0)):
        why = at.refuses(events.Decided, seat=1, choice=choice, amount=amount)
        assert "a decision is final" in why
    assert at.refuses(events.WagerTakenBack, seat=1, wager="bet")
    at.does(events.Decided, seat=3, choice="fold")
    for choice, amount in (("wager", 2000), ("fold", 0)):
        assert at.refuses(events.Decided, seat=3, choice=choice, amount=amount)
    show(at, "dealer")
    assert at.refuses(events.Decided, seat=3, choice="wager", amount=2000)


@pytest.mark.rule("PA-639a.11(b)", "MA.10(b)", "PA-669a.11(b)", "PA-682a.11(b)", "PA-683a.11(b)")
@pytest.mark.parametrize("book", [b for b in BOOKS if b != "s10"])
def test_seats_are_asked_from_the_dealers_left(book: str) -> None:
    at = dealt(book)
    assert "seat 1 is asked first" in at.refuses(
        events.Decided, seat=3, choice="wager", amount=1000
    )


@pytest.mark.rule("S10.(j)(1)")
def test_section_10_takes_decisions_in_any_order() -> None:
    at = dealt("s10")
    at.does(events.Decided, seat=3, choice="wager", amount=2000)
    at.does(events.Decided, seat=1, choice="wager", amount=2000)
    assert at.phase == "revealing"


@pytest.mark.parametrize("book", [b for b in BOOKS if b != "pa-669a"])
def test_checking_is_for_raise_it_up(book: str) -> None:
    at = dealt(book)
    assert "checking is not offered" in at.refuses(events.Decided, seat=1, choice="check")
    assert "goes with a wager only" in at.refuses(
        events.Decided, seat=1, choice="fold", amount=1000
    )


# --- Hole cards -------------------------------------------------------------


@pytest.mark.rule("PA-639a.1[Hole card]", "S10.(a)(1)(v)", "MA.1[Hole card]", "S10.(j)(4)")
@pytest.mark.rule("PA-682a.11(d)")
@pytest.mark.parametrize("book", [*STUD, "pa-682a"])
def test_hole_cards_are_known_to_nobody_before_every_seat_has_decided(book: str) -> None:
    at = dealt(book)
    for seat in (1, 3):
        with pytest.raises(AssertionError):
            show(at, "dealer")
        assert "dealer" not in at.table.faces
        up = {name(at.table.up_card)} if at.table.up_card is not None else set()
        hidden = {name(one) for one in at.faces["dealer"]} - up
        assert not any(f'"{card}"' in repr(at.commands) for card in hidden)
        at.does(events.Decided, seat=seat, choice="wager", amount=2000)
    show(at, "dealer")
    assert len(at.table.faces["dealer"]) == at.terms.ruleset.rulebook.hands.dealer


@pytest.mark.rule("PA-639a.1[Hand]", "S10.(a)(1)(iv)", "MA.1[Hand]")
@pytest.mark.parametrize("book", STUD)
@pytest.mark.parametrize("count", [4, 6])
def test_a_hand_is_five_cards(book: str, count: int) -> None:
    at = dealt(book, side={"progressive": 100}).decides()
    cards = "2c 3d 5h 7s 9c Jd"[: 3 * count - 1]
    assert "5 expected" in at.refuses(events.Revealed, where="dealer", cards=cards)
    show(at, "dealer")
    assert f"{count} given; 5 expected" in at.refuses(events.HandTurned, seat=3, cards=cards)
    # Dealt so, it is a misdeal: all hands are void, or that one.
    at = open_table(book).shuffles().antes(1, 3).locks()
    at.does(events.DealPressed)
    at.does(events.StackDispensed, number=1, cards=count)
    assert at.table.seat(1).wagers == {}
    assert at.table.seat(1).void or at.phase == "clearing"


# --- Folds ------------------------------------------------------------------


@pytest.mark.rule("MA.10(a)")
def test_a_fold_takes_the_ante_and_the_hand_at_once() -> None:
    at = dealt("ma", side={"bonus": 500, "progressive": 100})
    at.does(events.Decided, seat=1, choice="fold")
    took = at.sent(TakeIn)[0]
    # The progressive is lost as well; its chip is in the inventory since the lock.
    assert (took.seat, set(took.wagers)) == (1, {"ante", "bonus"})
    assert set(at.table.seat(1).taken_in) == {"ante", "bonus", "progressive"}
    assert (took.cents, took.cards) == (1500, True)
    assert at.table.picked_up == (1,)


@pytest.mark.rule("S10.(j)(1)")
def test_section_10_takes_a_fold_in_while_others_still_decide() -> None:
    at = dealt("s10", side={"progressive": 100})
    at.does(events.Decided, seat=1, choice="fold")
    [took] = at.sent(TakeIn)
    assert (took.seat, set(took.wagers), took.cards) == (1, {"ante"}, True)
    assert set(at.table.seat(1).taken_in) == {"ante", "progressive"}
    assert (at.phase, at.table.picked_up) == ("deciding", (1,))


@pytest.mark.rule("PA-669a.11(f)")
def test_raise_it_up_takes_a_fold_in_while_others_still_decide() -> None:
    at = dealt("pa-669a")
    for _ in (1, 2):
        for seat in (1, 3):
            at.does(events.Decided, seat=seat, choice="check")
        at.does(events.Revealed, **next_card(at))
    at.does(events.Decided, seat=1, choice="fold")
    [took] = at.sent(TakeIn)
    assert (took.seat, set(took.wagers), took.cards) == (1, {"ante", "blind"}, True)
    assert (at.phase, at.table.picked_up) == ("deciding", (1,))


@pytest.mark.rule("MA.10(a)")
def test_a_live_five_card_wager_keeps_the_hand_on_the_table() -> None:
    at = dealt("ma", side={"five_card_player": 100})
    at.does(events.Decided, seat=1, choice="fold")
    took = at.sent(TakeIn)[0]
    assert (took.wagers, took.cards) == (("ante",), False)
    at.does(events.Decided, seat=3, choice="fold")
    show(at, "dealer")
    assert to_be_turned(at.terms, at.table) == [3, 1]


@pytest.mark.parametrize(
    ("book", "live", "lost"),
    [
        ("pa-639a", {"five_card_player": 100}, {"bonus": 500, "progressive": 100}),
        ("pa-682a", {"prime": 500}, {}),
    ],
)
def test_forfeits_are_taken_in_when_all_have_decided(
    book: str, live: dict[str, int], lost: dict[str, int]
) -> None:
    at = open_table(book)
    last = at.terms.seats
    at.shuffles().antes(1, **live, **lost).antes(3, **lost).antes(last).locks().deals()
    at.does(events.Decided, seat=1, choice="fold")
    at.does(events.Decided, seat=3, choice="fold")
    assert not [c for c in at.commands if isinstance(c, TakeIn)]
    at.does(events.Decided, seat=last, choice="wager", amount=2000)
    took = {c.seat: c for c in at.sent(TakeIn)}
    assert set(took[1].wagers) == set(took[3].wagers) == {"ante", *lost} - {"progressive"}
    assert set(at.table.seat(1).taken_in) == {"ante", *lost}
    assert (took[1].cards, took[3].cards) == (False, True)
    assert at.table.picked_up == (3,)


def test_a_wager_on_the_dealers_hand_keeps_no_hand_on_the_table() -> None:
    at = dealt("pa-639a", side={"five_card_dealer": 100})
    at.decides(lambda street, seat: "fold" if seat == 1 else "wager")
    assert at.table.picked_up == (1,)
    at.reveals()
    assert line(at, 1, "five_card_dealer").stake == 100


def test_what_a_fold_took_is_collected_once() -> None:
    at = seated_round("ma", {1: LOW, 3: FLUSH, "dealer": ACE_KING}, folds=(1,))
    at.pays().racks()
    assert [c.wager for c in at.commands if isinstance(c, CollectWager) and c.seat == 1] == ["ante"]


@pytest.mark.parametrize("book", BOOKS)
def test_a_round_in_which_all_fold_ends(book: str) -> None:
    at = dealt(book)
    checks = book == "pa-669a"
    at.decides(lambda street, seat: "check" if checks and street < 3 else "fold")
    at.reveals()
    assert at.phase == "clearing"
    at.racks().shuffles()


# --- Streets ----------------------------------------------------------------


@pytest.mark.rule("PA-669a.11(b)", "PA-669a.11(d)", "PA-669a.11(f)")
def test_raise_it_up_street_by_street() -> None:
    at = open_table("pa-669a").sits(2, 4)
    at.shuffles().antes(1, 2, 3, 4).locks().deals()

    def refused(seat: int, choice: str, *amounts: int) -> None:
        for amount in amounts:
            assert at.refuses(events.Decided, seat=seat, choice=choice, amount=amount)

    # Fourth street: check, or one to three times the Ante; no fold, and no card in between.
    refused(1, "wager", 1500, 4000)
    refused(1, "fold", 0)
    assert "seat 1 has not acted" in at.refuses(events.Revealed, **next_card(at))
    at.does(events.Decided, seat=1, choice="wager", amount=3000)
    for seat in (2, 3):
        at.does(events.Decided, seat=seat, choice="check")
    assert "seat 4 has not acted" in at.refuses(events.Revealed, **next_card(at))
    at.does(events.Decided, seat=4, choice="check")
    assert "1 expected" in at.refuses(events.Revealed, **two_cards(at))
    at.does(events.Revealed, **next_card(at))
    assert (at.table.street, len(at.table.faces["community"])) == (2, 1)
    # Fifth street: who has a Play is not asked again.
    refused(1, "wager", 1000)
    refused(2, "wager", 3000)
    refused(2, "fold", 0)
    at.does(events.Decided, seat=2, choice="wager", amount=2000)
    at.does(events.Decided, seat=3, choice="check")
    assert "seat 4 has not acted" in at.refuses(events.Revealed, **next_card(at))
    at.does(events.Decided, seat=4, choice="check")
    at.does(events.Revealed, **next_card(at))
    assert (at.table.street, len(at.table.faces["community"])) == (3, 2)
    # Sixth street: once the Ante, or fold.
    refused(3, "wager", 2000)
    refused(3, "check", 0)
    at.does(events.Decided, seat=3, choice="wager", amount=1000)
    assert "seat 4 has not acted" in at.refuses(events.Revealed, **next_card(at))
    at.does(events.Decided, seat=4, choice="fold")
    assert at.sent(TakeIn)[0].cents == 2000
    assert "1 expected" in at.refuses(events.Revealed, **two_cards(at))
    at.does(events.Revealed, **next_card(at))
    assert (at.phase, len(at.table.faces["community"])) == ("revealing", 3)


@pytest.mark.parametrize("amount", [1000, 2000])
def test_fifth_street_takes_one_or_two_antes(amount: int) -> None:
    at = dealt("pa-669a", 1)
    at.does(events.Decided, seat=1, choice="check")
    at.does(events.Revealed, **next_card(at))
    at.does(events.Decided, seat=1, choice="wager", amount=amount)


@pytest.mark.parametrize("amount", [1000, 2000, 3000])
def test_fourth_street_takes_one_to_three_antes(amount: int) -> None:
    dealt("pa-669a", 1).does(events.Decided, seat=1, choice="wager", amount=amount)


@pytest.mark.rule("PA-683a.11(b)", "PA-683a.11(d)", "PA-683a.11(f)")
def test_cajun_stud_reveals_a_card_when_all_have_acted() -> None:
    at = open_table("pa-683a").sits(2)
    at.shuffles().antes(1, 2, pocket=500).antes(3).locks().deals()
    for street, seats in ((1, (1, 2, 3)), (2, (2, 3)), (3, (3,))):
        for seat in seats:
            assert f"seat {seat} has not acted" in at.refuses(events.Revealed, **next_card(at))
            choice, amount = ("fold", 0) if seat == street else ("wager", 3000)
            at.does(events.Decided, seat=seat, choice=choice, amount=amount)
        assert "1 expected" in at.refuses(events.Revealed, **two_cards(at))
        at.does(events.Revealed, **next_card(at))
        assert len(at.table.faces["community"]) == street
    # All three cards are shown although only side wagers are left.
    assert all(at.table.seat(seat).folded for seat in (1, 2, 3))
    assert to_be_turned(at.terms, at.table) == [2, 1]


def test_cajun_folds_lose_more_street_by_street() -> None:
    at = open_table("pa-683a").sits(2).shuffles().antes(1, 2, 3).locks().deals()
    for seat in (1, 2, 3):
        at.does(events.Decided, seat=seat, choice="wager", amount=3000)
    at.does(events.Revealed, **next_card(at))
    at.does(events.Decided, seat=1, choice="fold")
    for seat in (2, 3):
        at.does(events.Decided, seat=seat, choice="wager", amount=1000)
    assert [(c.seat, c.cents) for c in at.sent(TakeIn)] == [(1, 4000)]
    at.does(events.Revealed, **next_card(at))
    at.does(events.Decided, seat=2, choice="fold")
    at.does(events.Decided, seat=3, choice="wager", amount=1000)
    assert [(c.seat, c.cents) for c in at.sent(TakeIn)] == [(2, 5000)]


@pytest.mark.rule("PA-669a.11(f)")
@pytest.mark.parametrize(
    ("side", "stays"),
    [
        ({}, False),
        ({"progressive": 100}, True),
        ({"six_card": 300}, True),
        ({"pair_plus": 500}, True),
    ],
)
def test_a_folded_hand_stays_for_the_side_wagers_on_it(side: dict[str, int], stays: bool) -> None:
    at = dealt("pa-669a", side=side)
    at.decides(lambda street, seat: "check" if street < 3 else "fold" if seat == 1 else "wager")
    took = next(c for c in at.commands if isinstance(c, TakeIn))
    assert (took.seat, took.cards) == (1, not stays)
    assert (1 in to_be_turned(at.terms, at.table)) is stays
    at.reveals().pays().racks()


# --- Forfeits ---------------------------------------------------------------


@pytest.mark.parametrize("book", ["s10", "pa-669a"])
def test_who_communicates_may_forfeit_every_wager(book: str) -> None:
    at = dealt(book, 1, 3, side={"progressive": 100})
    filled = at.table.meters["progressive"]
    why = at.refuses(events.WagersForfeited, seats=(1,), reason="talked")
    assert "is for a floorperson" in why
    with pytest.raises(Exception, match="reason"):
        # What is tried is to leave the reason out, which the types forbid.
        events.WagersForfeited(at=at.now, by=FLOOR, seats=(1,))  # type: ignore[call-arg]
    before = at.table.seat(3)
    at.does(events.WagersForfeited, seats=(1,), reason="showed cards to seat 3", by=FLOOR)
    assert set(at.table.seat(1).taken_in) == set(at.table.seat(1).wagers)
    assert set(at.sent(TakeIn)[0].wagers) == set(at.table.seat(1).wagers) - {"progressive"}
    assert at.table.seat(3) == before
    # What the wager added to the meter stays there.
    assert at.table.meters["progressive"] == filled
    assert "nothing to decide" in at.refuses(events.Decided, seat=1, choice="fold")
    assert "has forfeited already" in at.refuses(
        events.WagersForfeited, seats=(1,), reason="again", by=FLOOR
    )
    at.decides().reveals()
    lost = {due.wager for due in at.table.due if due.seat == 1}
    assert lost == set(at.table.seat(1).wagers)
    assert all(due.result == "lose" for due in at.table.due if due.seat == 1)
    assert any(due.seat == 3 for due in at.table.due)
    at.pays().racks()


def test_a_royal_that_is_forfeited_wins_nothing() -> None:
    at = open_table("s10").shuffles().antes(1, 3, progressive=100).locks()
    stacked(at, {1: ROYAL, 3: LOW, "dealer": ACE_KING}).deals()
    at.decides()
    at.does(events.WagersForfeited, seats=(1,), reason="talked", by=FLOOR)  # not revealed yet
    at.reveals()
    assert all(due.returns == 0 for due in at.table.due if due.seat == 1)
    assert at.table.after["progressive"] == at.table.meters["progressive"].shows()


@pytest.mark.parametrize("book", ["s10", "pa-669a"])
def test_no_forfeit_once_the_cards_are_shown(book: str) -> None:
    at = dealt(book, side={"progressive": 100}).decides()
    for place in list(to_be_shown(at.terms, at.table)):
        show(at, place)
    assert "all cards are shown" in at.refuses(
        events.WagersForfeited, seats=(1,), reason="talked", by=FLOOR
    )
    assert at.phase == "revealing"
    turn(at, 3)


@pytest.mark.parametrize("book", ["pa-639a", "ma", "pa-682a", "pa-683a"])
def test_no_forfeit_where_the_rulebook_has_none(book: str) -> None:
    at = dealt(book)
    assert "has no such forfeit" in at.refuses(
        events.WagersForfeited, seats=(1,), reason="talked", by=FLOOR
    )


def test_only_seats_in_the_round_forfeit() -> None:
    at = dealt("s10")
    for seats in ((2,), (1, 2)):
        assert "seat 2 is not in the round" in at.refuses(
            events.WagersForfeited, seats=seats, reason="talked", by=FLOOR
        )
    assert not at.table.seat(1).forfeited
