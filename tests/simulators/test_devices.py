"""Simulated devices: strict about what they are told, and with the consequences of it."""

from __future__ import annotations

import pytest

from drivers.wire import messages
from drivers.wire.messages import Command, Event
from simulators.acceptor import Acceptor
from simulators.device import MAX_AHEAD, Device
from simulators.faults import Fault
from simulators.panel import Panel
from simulators.shoe import Shoe
from simulators.shuffler import Shuffler
from simulators.sign import Sign
from simulators.tabletop import SHOE, SHUFFLER, TRAY, TableTop
from simulators.terminal import Terminal


def said(device: Device) -> list[Event]:
    """What it has to say and nobody has heard."""
    return [event for _, event in device.responder._events]


def tell(device: Device, command: Command) -> tuple[str, str]:
    """A command, as if it had come over the wire."""
    return device._do(command)


def loaded(*, reads: bool = False) -> Shoe:
    top = TableTop()
    top.bring("A")
    top.put_into_shoe("A")
    shoe = Shoe(top, reads=reads)
    shoe.advance(0)
    return shoe


@pytest.mark.parametrize(
    ("device", "command"),
    [
        (Panel(), messages.Dispense(1, 1, 5)),
        (Sign(), messages.Lock()),
        (Terminal(seat=1), messages.SetLamp("off")),
        (Acceptor(TableTop(), seat=1), messages.Arm(1, (5,))),
        (Shuffler(TableTop()), messages.Lights("on", "on", "on")),
        (Shoe(TableTop()), messages.Shuffle("A")),
    ],
)
def test_what_is_for_another_device_is_unknown_to_it_and_noted(
    device: Device, command: Command
) -> None:
    assert tell(device, command)[0] == "unknown"
    assert len(device.errors) == 1
    assert not device.done


@pytest.mark.parametrize(
    ("orders", "why"),
    [
        ([messages.Dispense(1, 1, 5)], "it is armed for round 0"),
        ([messages.Arm(1, (5,)), messages.Dispense(2, 1, 5)], "it is armed for round 1"),
        ([messages.Arm(1, (5,)), messages.Dispense(1, 2, 5)], "stack 2 does not follow 0"),
        ([messages.Arm(1, (5,)), messages.Dispense(1, 1, 4)], "not armed for 4 cards"),
        (
            [messages.Arm(1, (5, 5)), messages.Dispense(1, 1, 5), messages.Dispense(1, 1, 5)],
            "a stack is on its way",
        ),
        (
            [messages.Arm(1, (5, 5)), messages.Dispense(1, 1, 5), messages.Arm(1, (4, 5))],
            "1 stacks of this round are out or on their way",
        ),
        (
            [messages.Arm(1, (5, 5)), messages.Dispense(1, 1, 5), messages.Arm(2, (5, 5))],
            "stack 1 is on its way",
        ),
    ],
)
def test_a_shoe_gives_out_nothing_that_it_is_not_armed_for(orders: list[Command], why: str) -> None:
    shoe = loaded()
    outcomes = [tell(shoe, order) for order in orders]
    assert [outcome for outcome, _ in outcomes[:-1]].count("refused") == 0
    assert outcomes[-1][0] == "refused"
    assert why in outcomes[-1][1]


def test_a_shoe_gives_out_what_is_in_it_in_order() -> None:
    shoe = loaded(reads=True)
    tell(shoe, messages.Arm(1, (3, 2)))
    for number, cards in ((1, 3), (2, 2)):
        tell(shoe, messages.Dispense(1, number, cards))
        shoe.advance(shoe.now + 2)
        assert shoe.top.take_stack(number) == cards
    assert shoe.top.at(1) + shoe.top.at(2) == [0, 1, 2, 3, 4]
    assert [one for one in said(shoe) if isinstance(one, messages.Dispensed)] == [
        messages.Dispensed(1, 1, 3, bytes([0, 1, 2])),
        messages.Dispensed(1, 2, 2, bytes([3, 4])),
    ]
    assert messages.Stub(47) in said(shoe)


def test_a_stack_waits_until_the_one_before_it_was_taken() -> None:
    shoe = loaded()
    tell(shoe, messages.Arm(1, (3, 2)))
    tell(shoe, messages.Dispense(1, 1, 3))
    shoe.advance(2)
    tell(shoe, messages.Dispense(1, 2, 2))
    shoe.advance(20)
    assert len(shoe.given) == 1
    [state] = shoe.report()
    assert state == messages.ShoeState(1, 1, 3, 49, 2)
    shoe.top.take_stack(1)
    shoe.advance(22)
    assert len(shoe.given) == 2
    assert messages.Taken(1) in said(shoe)


def test_a_shoe_can_be_armed_for_other_stacks_after_those_that_are_out() -> None:
    shoe = loaded()
    tell(shoe, messages.Arm(1, (3, 2)))
    tell(shoe, messages.Dispense(1, 1, 3))
    assert tell(shoe, messages.Arm(1, (3, 1, 2))) == ("done", "")


def test_a_shoe_in_the_middle_of_a_round_knows_what_it_did() -> None:
    shoe = loaded()
    shoe.top.move(SHOE, 1, 3)
    heard = len(said(shoe))
    shoe.stands(4, (3, 2, 5), 1)
    assert list(shoe.report()) == [messages.ShoeState(4, 1, 3, 49, 0)]
    assert tell(shoe, messages.Dispense(4, 1, 3))[0] == "refused"
    assert tell(shoe, messages.Dispense(4, 2, 2)) == ("accepted", "")
    shoe.advance(2)
    assert said(shoe)[heard:] == [messages.Dispensed(4, 2, 2, b"")]


def test_a_stack_that_is_coming_comes() -> None:
    shoe = loaded()
    shoe.top.move(SHOE, 1, 3)
    shoe.stands(4, (3, 2, 5), 1, is_coming=True)
    assert list(shoe.report()) == [messages.ShoeState(4, 1, 3, 49, 2)]
    shoe.advance(2)
    assert shoe.top.count(TRAY) == 2
    assert messages.Dispensed(4, 2, 2, b"") in said(shoe)


def test_a_shuffler_in_the_middle_of_its_work_goes_on_with_it() -> None:
    top = TableTop()
    top.bring("A")
    top.put_into_shuffler("A")
    runs, is_done = (Shuffler(top) for _ in range(2))
    runs.stands("caribbean-stud", runs=True)
    is_done.stands("caribbean-stud", is_done=True)
    uncounted, game = messages.NOT_COUNTED, "caribbean-stud"
    assert list(runs.report()) == [
        messages.ShufflerState("running", "shuffle", "A", uncounted, game)
    ]
    assert list(is_done.report()) == [messages.ShufflerState("complete", "shuffle", "A", 52, game)]
    runs.advance(10)
    is_done.advance(10)
    assert said(runs) == [messages.CycleCompleted("A", 52)]
    assert said(is_done) == []


def test_an_acceptor_in_the_middle_of_a_round_has_its_chip() -> None:
    """One that locks gives it to the dealer, and tells nobody of it as of a wager."""
    acceptor = Acceptor(TableTop(), seat=1)
    acceptor.stands("accepted", is_locked=False, inside=100)
    assert list(acceptor.report()) == [messages.LockState(False), messages.LampRead("accepted")]
    tell(acceptor, messages.Lock())
    assert (acceptor.inside, acceptor.rolled) == ([], 1)
    assert acceptor.top.money["inventory"] == 100
    assert said(acceptor) == [messages.Returned((0,), "dealer")]


@pytest.mark.parametrize("is_heard", [True, False])
def test_an_acceptor_says_of_a_chip_that_nobody_may_have_heard_of_it(*, is_heard: bool) -> None:
    acceptor = Acceptor(TableTop(), seat=1)
    tell(acceptor, messages.Unlock())
    acceptor.insert(100)
    acceptor.advance(1)
    if is_heard:
        acceptor.responder._events.clear()
    acceptor.restart()
    assert acceptor.inside == [100]
    assert said(acceptor) == ([] if is_heard else [messages.Fault("power")])


def test_a_shoe_that_runs_out_says_so() -> None:
    shoe = loaded()
    shoe.top.move(SHOE, "floor", 50)
    tell(shoe, messages.Arm(1, (5,)))
    tell(shoe, messages.Dispense(1, 1, 5))
    shoe.advance(2)
    assert shoe.given[0] == (1, 1, 2)
    assert messages.Empty() in said(shoe)


def test_a_shuffler_waits_for_the_cards_takes_its_time_and_counts() -> None:
    top = TableTop()
    top.bring("A")
    shuffler = Shuffler(top, seed=1)
    assert tell(shuffler, messages.Shuffle("A")) == ("accepted", "")
    shuffler.advance(10)
    assert not said(shuffler)
    top.lose("hands")
    top.put_into_shuffler("A")
    shuffler.advance(11)
    assert said(shuffler)[-1] == messages.CycleStarted("A")
    # The same order once more changes nothing; another deck is out of the question.
    assert tell(shuffler, messages.Shuffle("A")) == ("accepted", "")
    assert tell(shuffler, messages.Shuffle("B"))[0] == "refused"
    shuffler.advance(20)
    assert said(shuffler)[-1] == messages.CycleCompleted("A", 51)
    assert top.at(SHUFFLER) != sorted(top.at(SHUFFLER))


def test_a_shuffler_that_does_not_count_says_no_number() -> None:
    top = TableTop()
    top.bring("A")
    top.put_into_shuffler("A")
    shuffler = Shuffler(top, counts=False)
    tell(shuffler, messages.Shuffle("A"))
    shuffler.advance(20)
    assert said(shuffler)[-1] == messages.CycleCompleted("A", 255)


def test_a_shuffler_knows_its_hands_and_shows_what_they_pay() -> None:
    top = TableTop()
    top.bring("A")
    shuffler = Shuffler(top)
    for place in (1, 3, "dealer"):
        top.move("hands", place, 5)
    shuffler.press_green()
    assert said(shuffler)[-1] == messages.Hands(3)
    tell(shuffler, messages.ShowPayouts("cover_all", 3, (300, 125)))
    assert shuffler.screen == {("cover_all", 3): (300, 125)}
    tell(shuffler, messages.SetGame("Raise"))
    assert said(shuffler)[-1] == messages.Game("Raise")


def test_chips_go_back_when_it_is_locked() -> None:
    top = TableTop()
    top.fund("player 2", 300)
    acceptor = Acceptor(top, seat=2)
    acceptor.insert(100)
    assert top.money["player 2"] == 300
    assert said(acceptor)[-1] == messages.LateWager("progressive", 100, "after the lock")
    tell(acceptor, messages.Unlock())
    acceptor.insert(100)
    acceptor.advance(1)
    assert acceptor.lamp == "placed"
    assert top.money["player 2"] == 200
    acceptor.take_back()
    assert top.money["player 2"] == 300
    acceptor.insert(100)
    acceptor.advance(2)
    assert tell(acceptor, messages.Return(100)) == ("done", "")
    assert tell(acceptor, messages.Return(100)) == ("done", "nothing lies in it")
    assert top.money["player 2"] == 300
    acceptor.insert(100)
    acceptor.advance(3)
    tell(acceptor, messages.Lock())
    assert top.money["inventory"] == 100
    assert said(acceptor)[-1] == messages.Returned((9,), "dealer")


def test_an_acceptor_gives_back_the_chip_that_is_named_and_no_other() -> None:
    top = TableTop()
    top.fund("player 2", 1000)
    acceptor = Acceptor(top, seat=2)
    tell(acceptor, messages.Unlock())
    numbers = []
    for cents in (100, 500, 100):
        acceptor.insert(cents)
        acceptor.advance(acceptor.now + 1)
        numbers.append(len(said(acceptor)))
    assert tell(acceptor, messages.GiveBack(acceptor.boot, numbers[1], 500)) == ("done", "")
    assert acceptor.inside == [100, 100]
    assert said(acceptor)[-1] == messages.Returned((numbers[1],), "player")
    again = tell(acceptor, messages.GiveBack(acceptor.boot, numbers[1], 500))
    assert again == ("done", "it is not in it any more")
    # The number of another start says nothing of what lies in it now.
    assert tell(acceptor, messages.GiveBack(acceptor.boot + 1, numbers[0], 100))[0] == "refused"
    assert acceptor.inside == [100, 100]
    assert tell(acceptor, messages.Return(200)) == ("done", "")
    assert acceptor.inside == []
    assert said(acceptor)[-1] == messages.Returned((numbers[0], numbers[2]), "player")


def test_a_terminal_asks_again_under_the_same_id_until_it_is_answered() -> None:
    terminal = Terminal(seat=1)
    transfer = terminal.buy_in(500)
    terminal.advance(6)
    assert said(terminal) == [messages.BuyIn(transfer, 500)] * 2
    assert tell(terminal, messages.Credit(transfer, 400, 400))[0] == "refused"
    again = terminal.cash_out(300)
    tell(terminal, messages.Credit(again, 300, 100))
    terminal.advance(60)
    assert terminal.credited[-1] == (again, 300)
    assert terminal.balance == 100
    assert len([one for one in said(terminal) if isinstance(one, messages.CashOut)]) == 1


def test_a_sign_is_dark_after_a_restart_and_warns_when_it_is_alone() -> None:
    sign = Sign()
    tell(sign, messages.ShowMeter("progressive", "main", 5))
    assert list(sign.report()) == [messages.Showing("progressive", "main", 5)]
    sign.go_safe()
    assert sign.notice == "link down"
    sign.restart()
    assert not sign.meters


def test_a_restart_forgets_what_was_told_and_keeps_what_lies_in_it() -> None:
    shoe = loaded()
    tell(shoe, messages.Arm(1, (3, 2)))
    tell(shoe, messages.Dispense(1, 1, 3))
    shoe.restart()
    shoe.advance(20)
    assert not shoe.given
    assert (shoe.round, shoe.boot) == (0, 2)
    assert shoe.top.count(SHOE) == 52
    assert shoe.top.count(TRAY) == 0


def test_faults_and_an_open_door_are_part_of_a_report() -> None:
    shoe = loaded()
    shoe.fail("jam")
    shoe.open_door()
    tell(shoe, messages.Report())
    assert said(shoe)[-2:] == [messages.Fault("jam"), messages.Door(True)]
    shoe.clear()
    shoe.close_door()
    assert said(shoe)[-2:] == [messages.FaultCleared("jam"), messages.Door(False)]


def test_a_door_that_sticks_stays_open() -> None:
    shoe = loaded()
    shoe.faults.switch_on(Fault("door", at=5))
    shoe.advance(4)
    assert not shoe.door_is_open
    shoe.advance(5)
    shoe.close_door()
    assert shoe.door_is_open
    assert tell(shoe, messages.Arm(1, (3,)))[0] == "done"
    assert tell(shoe, messages.Dispense(1, 1, 3)) == ("refused", "its door is open")
    assert not shoe.errors  # that is the shoe's trouble, and not felt's


def test_the_same_seed_shuffles_the_same() -> None:
    def order(seed: int) -> list[int]:
        top = TableTop()
        top.bring("A")
        top.put_into_shuffler("A")
        shuffler = Shuffler(top, seed=seed)
        tell(shuffler, messages.Shuffle("A"))
        shuffler.advance(20)
        return top.at(SHUFFLER)

    assert order(1) == order(1) != order(2)


def test_no_device_piles_up_things_to_do() -> None:
    panel = Panel()
    for _ in range(MAX_AHEAD):
        panel.after(1, lambda: None)
    with pytest.raises(RuntimeError, match="more than 64 things"):
        panel.after(1, lambda: None)
