"""What is told at once: by several seats alike, or one thing right after another."""

from __future__ import annotations

import pytest

from controller.rules.cards import name
from controller.table import events
from controller.table.machine import step
from controller.table.offer import Offer
from controller.table.offering import offers
from tests.controller.table.filling import Filling
from tests.controller.table.playing import AtTheTable, open_table
from tests.controller.table.test_sealed import dealt_sealed


def dealers(at: AtTheTable) -> list[Offer]:
    return [one for one in offers(at.terms, at.table) if one.who == "dealer"]


def titled(at: AtTheTable, words: str) -> list[Offer]:
    return [one for one in dealers(at) if words in one.title]


def takes(at: AtTheTable, offer: Offer, filling: Filling | None = None) -> None:
    for event in (filling or Filling(1)).events(offer, at.table.at):
        done = step(at.terms, at.table, event)
        assert not done.refused, (offer.title, done.refused)
        at.table = done.table


def goes_on(at: AtTheTable, filling: Filling) -> list[str]:
    """What the dealer does until the cards go to the rack, as much at once as there is."""
    done = []
    while at.phase != "clearing":
        due = [one for one in dealers(at) if one.group == "due"]
        offer = max(due, key=lambda one: len(one.acts))
        takes(at, offer, filling)
        done.append(offer.title)
    return done


def dealt(book: str, *seats: int) -> AtTheTable:
    at = open_table(book)
    at.sits(*(seat for seat in seats if at.table.seat(seat).player is None))
    return at.shuffles().antes(*seats).locks().deals()


# --- Decisions ----------------------------------------------------------------


def test_all_that_are_left_decide_alike() -> None:
    at = dealt("pa-669a", 1, 2, 3, 5)
    ante = at.table.seat(1).wagers["ante"]
    alike = [one for one in dealers(at) if len(one.acts) > 1]
    assert [one.title.partition(": ")[0] for one in alike] == ["Seats 1, 2, 3, 5"] * 4
    # Whoever presses it means it for each of them.
    assert all(one.hold_to_press for one in alike)
    twice = alike[1]
    assert [act.given for act in twice.acts] == [
        {"seat": seat, "choice": "wager", "amount": 2 * ante} for seat in (1, 2, 3, 5)
    ]
    takes(at, next(o for o in dealers(at) if o.title == "Check" and o.seat == 1))
    [check] = titled(at, "Seats 2, 3, 5: Check")
    takes(at, check)
    assert [seat.acted for seat in at.table.in_round()] == [1, 1, 1, 1]
    assert not [o for o in dealers(at) if o.acts[0].action == "decided"]


def test_the_last_one_decides_alone() -> None:
    at = dealt("pa-639a", 1, 2, 3)
    assert titled(at, "Seats 1 to 3: Fold")
    for seat in (1, 2):
        at.does(events.Decided, seat=seat, choice="fold")
    assert not titled(at, "Seats")


def test_what_one_chose_at_a_terminal_is_no_others_wager() -> None:
    at = dealt("pa-639a", 1, 2)
    ante = at.table.seat(1).wagers["ante"]
    at.does(events.PlayerDecided, seat=1, choice="wager", amount=2 * ante)
    assert not titled(at, "Seats")


# --- Payment ------------------------------------------------------------------


@pytest.mark.parametrize("book", ["pa-639a", "ma", "pa-683a"])
def test_a_seat_is_settled_and_the_next_hand_turned_where_the_shoe_has_read_it(book: str) -> None:
    done = goes_on(dealt_sealed(book), Filling(1))
    assert [one for one in done if one.endswith("; turn over the hand of seat 1")], done
    done = goes_on(dealt(book, 1, 3), Filling(1))
    assert "Turn over the hand of seat 1" in done
    assert not [one for one in done if "; turn over" in one]


def test_losers_are_collected_from_together_where_they_come_first() -> None:
    at = dealt("s10", 1, 2, 3).decides()
    up = name(at.faces["dealer"][0])
    [fitting] = [one for one in ("As Ah Ad Ac", "Ks Kh Kd Kc") if up not in one][:1]
    at.does(events.Revealed, where="dealer", cards=f"{up} {fitting}")
    low = ("2c 4d 6h 8s Tc", "2d 4h 6s 8c Td", "2h 4s 6c 8d Th", "3c 5d 7h 9s Jc")
    for seat, cards in zip((3, 2, 1), [one for one in low if up not in one], strict=False):
        at.does(events.HandTurned, seat=seat, cards=cards)
    [all_lose] = titled(at, "Seats 3, 2, 1 are settled: collect")
    assert [act.given for act in all_lose.acts] == [{"seat": 3}, {"seat": 2}, {"seat": 1}]
    takes(at, all_lose)
    assert at.phase == "clearing"
