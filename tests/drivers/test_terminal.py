"""The terminal's driver: sessions, money, wagers and decisions at one seat."""

from __future__ import annotations

import pytest

from controller.table import commands, events
from controller.table.commands import Command
from controller.table.events import Event
from drivers.terminal import Terminal
from drivers.wire import messages
from tests.drivers.people import DANA, driver, moment


@pytest.mark.parametrize(
    ("said", "event"),
    [
        (messages.Sat("ann"), events.PlayerSat(at=1000, by=DANA, seat=2, player="ann")),
        (messages.Left(), events.PlayerLeft(at=1000, by=DANA, seat=2)),
        (messages.BuyIn("t1", 500), events.BoughtIn(at=1000, seat=2, transfer="t1", cents=500)),
        (messages.CashOut("t2", 500), events.CashedOut(at=1000, seat=2, transfer="t2", cents=500)),
        (
            messages.Wager("five_card_player", 500, "account"),
            events.WagerPlaced(
                at=1000, seat=2, wager="five_card_player", amount=500, tender="game account"
            ),
        ),
        (
            messages.Decision("wager", 1000),
            events.PlayerDecided(at=1000, seat=2, choice="wager", amount=1000),
        ),
    ],
)
def test_what_it_says(said: messages.Event, event: Event) -> None:
    assert driver(Terminal, 2).heard(said, moment()) == [event]


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (commands.ShowBalance(seat=2, cents=700), messages.ShowBalance(700)),
        (
            commands.TransferPosted(seat=2, transfer="t2", cents=-500, balance=200),
            messages.Credit("t2", 500, 200),
        ),
        (
            commands.RequestRefused(
                seat=2, request="buy_in", told=7, named="t3", reason="é" * 80, balance=200
            ),
            messages.Refused("buy_in", 7, "t3", "é" * 40, 200),
        ),
        (
            commands.ShowOffer(wager="five_card_player", offered=False, why="é" * 80),
            messages.Offer("five_card_player", False, "é" * 40),
        ),
        (
            commands.ShowSeat(seat=2, round=7, stage="betting", held=False, player="é" * 80),
            messages.SeatState(7, "betting", False, "é" * 40),
        ),
        (
            commands.ShowWager(
                seat=2,
                wager="five_card_player",
                title="Five Card",
                least=100,
                most=500,
                down=0,
                stands="offered",
            ),
            messages.WagerState("five_card_player", "Five Card", 100, 500, 0, "offered"),
        ),
        (
            commands.ShowDecision(
                seat=2, street=1, title="Bet", amounts=(2000, 2**32), otherwise="check", chosen=5
            ),
            messages.AskDecision(1, "Bet", (2000,), "check", 5),
        ),
        (commands.Lock(seat=2, device="terminal"), messages.Lock()),
        (commands.Unlock(seat=2, device="terminal"), messages.Unlock()),
    ],
)
def test_what_it_is_told(order: Command, message: messages.Command) -> None:
    assert [told.message for told in driver(Terminal, 2).told(order)] == [message]


def test_what_is_for_another_seat_is_not_for_this_one() -> None:
    assert not driver(Terminal, 2).told(commands.ShowBalance(seat=3, cents=700))
    assert not driver(Terminal, 2).told(commands.Lock(seat=2, device="acceptor"))
    assert not driver(Terminal, 2).told(commands.ShowDecision(seat=3))


def test_its_lock_is_confirmed_as_a_terminals() -> None:
    terminal = driver(Terminal, 2)
    terminal.told(commands.Lock(seat=2, device="terminal"))
    assert terminal.answered(messages.Lock(), "done", "", moment()) == (
        events.LockConfirmed(at=1000, seat=2, device="terminal"),
    )


def test_a_repeated_transfer_is_answered_as_it_was_posted_and_with_the_balance_of_now() -> None:
    posted = commands.TransferPosted(seat=2, transfer="t2", cents=500, balance=900, now=200)
    told = [one.message for one in driver(Terminal, 2).told(posted)]
    assert told == [messages.Credit("t2", 500, 900), messages.ShowBalance(200)]


def test_a_terminal_that_knows_no_refusals_is_told_in_other_words() -> None:
    terminal = driver(Terminal, 2)
    refused = messages.Refused("wager", 7, "five_card_player", "no more bets", 200)
    assert not terminal.answered(refused, "done", "", moment())
    assert not terminal.asks()
    assert not terminal.answered(refused, "unknown", "", moment())
    told = [one.message for one in terminal.asks()]
    assert told == [messages.Prompt("no more bets"), messages.ShowBalance(200)]
    assert not terminal.asks()
