"""Decisions that players make at their terminals: nothing is staked that nobody has seen."""

from __future__ import annotations

import pytest

from controller.table import events
from controller.table.commands import TakeIn
from controller.table.deciding import wager_at
from controller.table.prompts import prompts
from tests.controller.table.playing import BOOKS, DEALER, FLOOR, AtTheTable, open_table

#: What the wager of the first decision may be, with an Ante of $10.
FIRST = {"pa-669a": 1000, "pa-682a": 1000, "pa-683a": 1000}
BACKED = (
    "PA-639a.7(a)",
    "PA-669a.7(a)",
    "PA-682a.7(a)",
    "PA-683a.7(a)",
    "MA.6(a)",
    "S10.(f)(1)",
)


def asked(book: str, *seats: int) -> AtTheTable:
    """Everybody has seen the cards, and seat 1 is asked first."""
    return open_table(book).shuffles().antes(*(seats or (1, 3))).locks().deals()


def wager(book: str, seat: int = 1) -> dict[str, object]:
    return {"seat": seat, "choice": "wager", "amount": FIRST.get(book, 2000)}


@pytest.mark.rule(*BACKED)
@pytest.mark.parametrize("book", BOOKS)
def test_a_wager_chosen_at_a_terminal_counts_when_the_dealer_has_seen_its_chips(book: str) -> None:
    at = asked(book)
    before = at.table.seat(1)
    assert at.does(events.PlayerDecided, **wager(book)) == ()
    # Neither a wager nor a debit: the account may be empty, and the chips in the player's hand.
    seat, name = at.table.seat(1), wager_at(at.terms, 1)
    assert (seat.wagers, seat.balance) == (before.wagers, before.balance)
    [prompt] = [one for one in prompts(at.terms, at.table) if "seat 1" in one.text]
    assert "was chosen at its terminal; see the chips on the layout" in prompt.text
    # Nobody goes on without them.
    assert at.phase == "deciding"
    assert at.refuses(events.Revealed, where="community", cards="2c")
    at.does(events.Decided, **wager(book))
    assert at.table.seat(1).wagers[name] == FIRST.get(book, 2000)
    assert at.table.seat(1).chosen == 0


@pytest.mark.rule(*BACKED)
@pytest.mark.parametrize("book", BOOKS)
def test_without_chips_the_dealer_says_what_lies_there(book: str) -> None:
    at = asked(book)
    at.does(events.PlayerDecided, **wager(book))
    at.does(events.Decided, seat=1, choice="check" if book == "pa-669a" else "fold")
    assert wager_at(at.terms, 1) not in at.table.seat(1).wagers
    assert at.table.seat(1).chosen == 0


@pytest.mark.parametrize("book", BOOKS)
def test_what_is_refused_of_the_dealer_is_refused_of_a_terminal(book: str) -> None:
    at = open_table(book).shuffles().antes(1, 3)
    assert at.refuses(events.PlayerDecided, **wager(book))
    at.locks().deals()
    for amount in (0, 1, 999, 1001, 10_000_000):
        assert at.refuses(events.PlayerDecided, seat=1, choice="wager", amount=amount)
    no = "fold" if book == "pa-669a" else "check"
    assert "not offered" in at.refuses(events.PlayerDecided, seat=1, choice=no)
    yes = "check" if book == "pa-669a" else "fold"
    assert "with a wager only" in at.refuses(events.PlayerDecided, seat=1, choice=yes, amount=1000)
    # A seat that plays no hand, one that is none, and one whose turn is not yet.
    assert at.refuses(events.PlayerDecided, **wager(book, 2))
    assert at.refuses(events.PlayerDecided, **wager(book, 8))
    if book != "s10":
        assert "seat 1 is asked first" in at.refuses(events.PlayerDecided, **wager(book, 3))


@pytest.mark.parametrize("book", BOOKS)
def test_a_decision_at_a_terminal_is_made_once(book: str) -> None:
    at = asked(book)
    at.does(events.PlayerDecided, **wager(book))
    assert "was chosen" in at.refuses(events.PlayerDecided, **wager(book))
    yes = "check" if book == "pa-669a" else "fold"
    assert "was chosen" in at.refuses(events.PlayerDecided, seat=1, choice=yes)
    at.does(events.Decided, **wager(book))
    assert "a decision is final" in at.refuses(events.PlayerDecided, **wager(book))


@pytest.mark.parametrize("book", ["pa-639a", "ma", "pa-682a", "pa-683a", "s10"])
def test_a_fold_at_a_terminal_stakes_nothing_and_counts(book: str) -> None:
    at = asked(book)
    at.does(events.PlayerDecided, seat=1, choice="fold")
    assert at.table.seat(1).folded
    assert "a decision is final" in at.refuses(events.Decided, **wager(book))
    at.does(events.PlayerDecided, seat=3, choice="fold")
    assert {one.seat for one in at.commands if isinstance(one, TakeIn)} == {1, 3}


def test_a_check_at_a_terminal_counts_too() -> None:
    at = asked("pa-669a")
    at.does(events.PlayerDecided, seat=1, choice="check")
    at.does(events.PlayerDecided, seat=3, choice="check")
    assert [one.answer for one in prompts(at.terms, at.table)] == ["revealed"]


def test_a_choice_is_not_carried_to_the_next_round() -> None:
    at = asked("pa-639a")
    at.does(events.PlayerDecided, **wager("pa-639a"))
    at.does(events.RoundVoided, by=FLOOR, reason="a dispute")
    assert at.table.seat(1).balance == 1_000_000
    at.racks()
    assert at.table.seat(1).chosen == 0


@pytest.mark.rule("PA-639a.7(a)")
def test_a_bet_that_no_chips_back_is_never_paid() -> None:
    """The account is empty, and the terminal says that the player bets."""
    at = open_table("pa-639a").shuffles()
    at.does(events.CashedOut, seat=1, transfer="all", cents=1_000_000)
    at.antes(1).locks().deals()
    at.does(events.PlayerDecided, **wager("pa-639a"))
    at.does(events.Decided, seat=1, choice="fold", by=DEALER)
    at.reveals()
    assert "bet" not in {one.wager for one in at.table.due}
    at.pays().racks()
    assert at.table.seat(1).balance == 0
