"""Electronic money: what came in went out, or is on accounts, at stake, or the house's."""

from __future__ import annotations

import random

import pytest

from controller.table import events
from controller.table.commands import CollectWager, Pay, ReturnWager, TransferPosted
from controller.table.machine import Step
from controller.table.state import TRANSFERS_KEPT
from tests.controller.table.playing import FLOOR, AtTheTable, open_table
from tests.controller.table.rigged import ACE_KING, FLUSH, LOW, seated_round

ELECTRONIC = ("five_card_player", "five_card_dealer")


class Cage:
    """The money of the accounts, reckoned from what happened and not from what the table says."""

    def __init__(self, at: AtTheTable) -> None:
        self.at, self.came_in, self.went_out, self.seen = at, 0, 0, 0
        #: What the house won of account wagers, less what it paid to accounts on top of them.
        self.house = 0
        self.staked: dict[tuple[int, str], int] = {}

    def agrees(self) -> None:
        at = self.at
        while self.seen < len(at.taken):
            event = at.taken[self.seen]
            self.seen += 1
            if isinstance(event, events.BoughtIn):
                self.came_in += event.cents
            elif isinstance(event, events.CashedOut):
                self.went_out += event.cents
            elif isinstance(event, events.WagerPlaced) and event.wager in ELECTRONIC:
                self.staked[event.seat, event.wager] = event.amount
            elif isinstance(event, events.WagerTakenBack) and event.wager in ELECTRONIC:
                del self.staked[event.seat, event.wager]
        for command in at.last:
            if not isinstance(command, Pay | CollectWager | ReturnWager):
                continue
            # A bonus that the system draws is credited without a stake of its own.
            stake = self.staked.pop((command.seat, command.wager), 0)
            if isinstance(command, CollectWager):
                self.house += stake
            elif isinstance(command, Pay) and command.wager in (*ELECTRONIC, "magic_card", "lucky"):
                self.house += stake - (command.cents if command.paid_by == "account" else 0)
        balances = sum(seat.balance for seat in at.table.seats)
        at_stake = sum(self.staked.values())
        assert self.came_in == self.went_out + balances + at_stake + self.house


@pytest.mark.rule("R29")
@pytest.mark.parametrize("book", ["pa-639a", "ma"])
@pytest.mark.parametrize("seed", range(6))
def test_what_came_in_is_what_went_out_and_what_is_there(book: str, seed: int) -> None:
    """Random rounds with buy-ins, wagers, wins, voids and cash-outs; checked after each event."""
    at = open_table(book, seed=seed, draw_every={"magic_card": 2, "lucky": 1})
    cage, dice = Cage(at), random.Random(seed)
    sent = at.send

    def send(kind: type[events.Happening], **given: object) -> Step:
        done = sent(kind, **given)
        if not done.refused:
            cage.agrees()
        return done

    # Every event of the test goes through it, also those that the helpers send.
    at.send = send  # type: ignore[method-assign]
    cage.agrees()
    for n in range(12):
        at.shuffles()
        for seat in (1, 3, 7):
            if dice.random() < 0.3:
                cents = dice.randrange(1, 5000)
                at.send(events.CashedOut, seat=seat, transfer=f"o{n}", cents=cents)
            if dice.random() < 0.3:
                at.does(events.BoughtIn, seat=seat, transfer=f"i{n}", cents=dice.randrange(1, 5000))
            at.antes(seat)
            for wager in ELECTRONIC:
                if dice.random() < 0.8:
                    at.does(events.WagerPlaced, seat=seat, wager=wager, amount=100)
                    if dice.random() < 0.2:
                        at.does(events.WagerTakenBack, seat=seat, wager=wager)
        at.locks()
        if dice.random() < 0.2:
            at.does(events.RoundVoided, reason="a test", by=FLOOR)
            at.racks()
            continue
        at.deals().decides(lambda street, seat: dice.choice(["wager", "fold"])).reveals()
        at.pays().racks()


@pytest.mark.rule("R29")
def test_a_win_returns_winnings_and_wager_once() -> None:
    at = seated_round(
        "pa-639a", {1: FLUSH, 3: LOW, "dealer": ACE_KING}, side={"five_card_player": 100}
    )
    # Debited when it went down, whoever wins.
    assert [at.table.seat(n).balance for n in (1, 3)] == [999_900, 999_900]
    at.pays().racks()
    # "50 for 1": the stake is in the fifty.
    assert [at.table.seat(n).balance for n in (1, 3)] == [999_900 + 5000, 999_900]


@pytest.mark.rule("R29")
def test_nobody_cashes_out_or_wagers_what_is_not_there() -> None:
    at = open_table("pa-639a").shuffles()
    at.does(events.CashedOut, seat=1, transfer="most", cents=999_950)
    for cents in (51, 10**9):
        assert "the account holds $0.50" in at.refuses(
            events.CashedOut, seat=1, transfer="more", cents=cents
        )
    at.antes(1)
    assert "is more than there is" in at.refuses(
        events.WagerPlaced, seat=1, wager="five_card_player", amount=100
    )
    assert at.table.seat(1).balance == 50
    at.does(events.CashedOut, seat=1, transfer="rest", cents=50)
    assert at.table.seat(1).balance == 0


@pytest.mark.rule("R30")
def test_a_transfer_is_posted_once_and_always_answered_alike() -> None:
    at = open_table("pa-639a")
    answers = set()
    for _ in range(10):
        (answer,) = at.does(events.BoughtIn, seat=1, transfer="t-1", cents=500)
        assert isinstance(answer, TransferPosted)
        answers.add((answer.seat, answer.transfer, answer.cents, answer.balance))
        assert answer.now is None
    assert answers == {(1, "t-1", 500, 1_000_500)}
    assert at.table.seat(1).balance == 1_000_500
    for _ in range(10):
        at.does(events.CashedOut, seat=1, transfer="t-2", cents=200)
    assert at.table.seat(1).balance == 1_000_300
    # Asked for again after others, the first still gets the answer of the first time.
    (answer,) = at.does(events.BoughtIn, seat=1, transfer="t-1", cents=500)
    assert isinstance(answer, TransferPosted)
    assert answer.balance == 1_000_500
    # What the account holds by now is said beside it, so that nobody reads an old balance.
    assert answer.now == 1_000_300
    # Under the same id something else is not the same transfer.
    assert "was posted with $5" in at.refuses(events.BoughtIn, seat=1, transfer="t-1", cents=600)
    assert at.refuses(events.CashedOut, seat=1, transfer="t-1", cents=500)
    # Another terminal has ids of its own.
    at.does(events.BoughtIn, seat=3, transfer="t-1", cents=600)
    assert at.table.seat(3).balance == 1_000_600


@pytest.mark.rule("R30")
def test_the_last_127_transfers_of_a_terminal_are_kept() -> None:
    at = open_table("pa-639a")
    for n in range(130):
        at.does(events.BoughtIn, seat=1, transfer=f"n{n}", cents=100 + n)
    kept = at.table.seat(1).transfers
    assert len(kept) == TRANSFERS_KEPT == 127
    assert [one.id for one in kept] == [f"n{n}" for n in range(3, 130)]
    assert kept[-1].cents == 229


def test_the_transfers_of_a_terminal_outlive_the_round() -> None:
    at = open_table("pa-639a").plays(1)
    assert [one.id for one in at.table.seat(1).transfers] == ["b1"]
    at.does(events.BoughtIn, seat=1, transfer="b1", cents=1_000_000)
    assert len(at.table.seat(1).transfers) == 1


def test_what_is_no_transfer() -> None:
    at = open_table("pa-639a")
    assert "nobody sits" in at.refuses(events.BoughtIn, seat=2, transfer="x", cents=100)
    assert "nothing is transferred" in at.refuses(events.BoughtIn, seat=1, transfer="x", cents=0)
    assert "no wagering terminals" in open_table("s10").refuses(
        events.BoughtIn, seat=1, transfer="x", cents=100
    )
