"""The terminal as a device: what becomes of what its player asks for, without a wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.rules.faults import Refused
from controller.terminal.device import ASK_AGAIN_S, MAX_WAITING, NO_CONTACT, Tablet
from controller.terminal.memory import Memory
from drivers.wire import messages
from drivers.wire.messages import Event

KEY = bytes(range(32))


class AtHand:
    """A terminal, and the file that it remembers by."""

    def __init__(self, file: Path) -> None:
        self.memory = Memory(file)
        self.device = Tablet(seat=3, name="terminal 3", key=KEY, memory=self.memory)
        self.presses = 0

    def asks(self, what: str, do: Callable[[], object]) -> int:
        self.presses += 1
        return self.device.asks(f"press {self.presses}", what, do).number

    def told(self, *commands: messages.Command) -> None:
        for command in commands:
            self.device._do(command)

    def felt_has(self, number: int) -> None:
        self.device.responder._forget(number)

    def waiting(self) -> list[Event]:
        return [one.read() for one in self.memory.waiting]

    def became(self, number: int) -> str:
        return self.device.requests[number].became


@pytest.fixture
def at(tmp_path: Path) -> Iterator[AtHand]:
    found = AtHand(tmp_path / "memory")
    found.told(messages.ShowBalance(500))  # the table is there
    yield found
    found.memory.close()


def test_nothing_is_asked_for_before_the_table_is_there(tmp_path: Path) -> None:
    alone = AtHand(tmp_path / "memory")
    with pytest.raises(Refused, match=NO_CONTACT):
        alone.asks("sat", lambda: alone.device.sit("ann"))
    assert not alone.waiting()
    alone.memory.close()


def test_locked_it_tells_of_a_late_wager_and_takes_none_back(at: AtHand) -> None:
    assert at.device.is_locked
    at.asks("wager", lambda: at.device.wager("five_card_player", 100))
    with pytest.raises(Refused, match="locked"):
        at.asks("wager_removed", lambda: at.device.take_back("five_card_player"))
    at.told(messages.Unlock())
    at.asks("wager", lambda: at.device.wager("five_card_player", 100))
    assert at.waiting() == [
        messages.LateWager("five_card_player", 100, "after the lock"),
        messages.Wager("five_card_player", 100, "account"),
    ]


def test_a_watchdog_locks_it(at: AtHand) -> None:
    at.told(messages.Unlock())
    at.device.responder.heard_at = 0.0
    at.device.advance(2.9)
    assert not at.device.is_locked
    at.device.advance(3.1)
    assert at.device.is_locked
    with pytest.raises(Refused, match=NO_CONTACT):
        at.asks("left", at.device.leave)


def test_what_became_of_a_request(at: AtHand) -> None:
    number = at.asks("sat", lambda: at.device.sit("ann"))
    other = at.asks("left", at.device.leave)
    assert (at.became(number), at.became(other)) == ("sent", "sent")
    at.felt_has(number)
    assert (at.became(number), at.became(other)) == ("taken", "sent")
    at.told(messages.Refused("left", other, "", "$5 is on the account; cash out first", 500))
    at.felt_has(other)
    assert at.became(other) == "refused"
    assert at.device.requests[other].reason == "$5 is on the account; cash out first"


def test_a_press_counts_once(at: AtHand) -> None:
    for _ in range(3):
        at.device.asks("the same", "left", at.device.leave)
    assert at.waiting() == [messages.Left()]


def test_who_presses_more_than_the_table_takes_is_told_to_wait(at: AtHand) -> None:
    for _ in range(MAX_WAITING):
        at.asks("left", at.device.leave)
    with pytest.raises(Refused, match="wait a moment"):
        at.asks("left", at.device.leave)
    at.felt_has(1)
    at.asks("left", at.device.leave)


def test_a_transfer_without_an_answer_is_asked_for_again_under_its_id(at: AtHand) -> None:
    at.asks("buy_in", lambda: at.device.buy_in(700))
    (asked,) = at.waiting()
    assert isinstance(asked, messages.BuyIn)
    at.felt_has(1)
    at.device.responder.heard_at = ASK_AGAIN_S
    at.device.advance(ASK_AGAIN_S)
    assert at.waiting() == [asked]
    at.told(messages.Credit(asked.transfer, 700, 1200))
    at.felt_has(2)
    assert at.device.balance == 1200
    assert not at.memory.transfers()
    at.device.responder.heard_at = 5 * ASK_AGAIN_S
    at.device.advance(5 * ASK_AGAIN_S)
    assert not at.waiting()


def test_no_two_transfers_have_one_id(at: AtHand, tmp_path: Path) -> None:
    ids = {at.device.buy_in(100) for _ in range(3)}
    other = AtHand(tmp_path / "other")
    ids |= {other.device.buy_in(100) for _ in range(3)}
    assert len(ids) == 6
    other.memory.close()


def test_after_a_power_cut_it_is_locked_and_knows_what_was_asked_for(
    at: AtHand, tmp_path: Path
) -> None:
    at.told(messages.Unlock())
    at.asks("wager", lambda: at.device.wager("five_card_player", 100))
    at.asks("cash_out", lambda: at.device.cash_out(300))
    boot, waiting = at.device.boot, at.waiting()
    at.memory.close()
    again = AtHand(tmp_path / "memory")
    try:
        assert again.device.is_locked
        assert (again.device.boot, again.waiting()) == (boot, waiting)
        assert [one.what for one in again.device.requests.values()] == ["wager", "cash_out"]
        again.told(messages.ShowBalance(500))
        # The press of a page that had no answer is known.
        assert again.device.asks("press 1", "wager", at.device.leave).number == 1
        assert again.waiting() == waiting
    finally:
        again.memory.close()
        at.memory = Memory(tmp_path / "other")  # for whoever clears up
