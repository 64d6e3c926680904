"""What goes wrong with a device, at a table: each fault of the menu, and what the rules ask then.

Everything between the simulated device and the machine is felt's own.
"""

from __future__ import annotations

import pytest

from controller.table import events
from controller.table.commands import Dispense, ReturnWager, StopShoe
from drivers.wire import messages
from simulators.faults import Fault
from simulators.tabletop import HANDS, SHOE, SHUFFLER
from tests.drivers.bench import told
from tests.drivers.house import House
from tests.drivers.people import DANA, FRAN

# --- The shuffler ---------------------------------------------------------------


@pytest.mark.rule("R1")
def test_a_count_other_than_52_removes_the_deck() -> None:
    house = House().opens()
    house.shuffler.faults.switch_on(Fault("wrong-count"))
    house.top.put_into_shuffler("A")
    house.until(lambda: house.at.table.decks[0].removed)
    assert house.at.table.decks[0].removed == "the shuffler counted 51 cards"
    assert house.holds == ["wrong count: the shuffler counted 51 cards where 52 should be"]
    house.clears()
    house.does(events.DeckLoaded, deck="A")
    assert house.phase == "shuffling"
    assert "deck A was removed" in house.holds[0]
    house.clears()
    # A new deck is enrolled, and the game goes on with that.
    house.top.remove("A")
    house.top.bring("B")
    house.at.enrols("B", "blue")
    house.top.put_into_shuffler("B")
    house.run(1)
    assert house.at.table.deck == "B"


@pytest.mark.rule("R2", "R3")
@pytest.mark.parametrize(("fault", "nature"), [("jam", "jam"), ("stop", "stopped")])
def test_a_cycle_that_fails_counts_for_nothing_and_the_warning_latches(
    fault: str, nature: str
) -> None:
    house = House().opens()
    house.shuffler.faults.switch_on(Fault(fault))
    house.top.put_into_shuffler("A")
    house.until(lambda: house.holds)
    assert house.holds == [f"shuffler {nature}"]
    assert house.at.table.decks[0].shuffled == "no"
    # It works again, and still only a floorperson with a reason lets play go on.
    house.shuffler.clear()
    house.run(2)
    [hold] = house.at.table.holds
    assert house.refuses(events.HoldCleared, hold=hold.number, reason="it works", by=DANA)
    house.clears()
    house.until(lambda: house.at.table.decks[0].shuffled == "automated")
    assert len(told(house.shuffler, messages.Shuffle)) >= 2
    assert not house.shuffler.errors


@pytest.mark.rule("R3")
def test_a_shuffler_that_restarts_in_mid_cycle_has_not_shuffled() -> None:
    house = House().opens()
    house.top.put_into_shuffler("A")
    house.until(lambda: house.heard(events.ShuffleStarted))
    house.shuffler.restart()
    house.until(lambda: house.holds)
    assert house.heard(events.ShuffleFailed) == [
        events.ShuffleFailed(at=0, deck="A", nature="incomplete")
    ]
    assert house.at.table.decks[0].shuffled == "no"


@pytest.mark.rule("R4")
def test_sort_mode_blocks_play_until_it_is_set_to_shuffle() -> None:
    house = House().opens()
    house.top.put_into_shuffler("A")
    house.until(lambda: house.heard(events.ShuffleStarted))
    house.shuffler.faults.switch_on(Fault("sort-mode"))
    house.until(lambda: house.holds)
    assert house.holds == ["shuffler in mode sort"]
    house.run(10)
    # The cycle that ran meanwhile counts for nothing.
    assert house.at.table.decks[0].shuffled == "no"
    [hold] = house.at.table.holds
    why = house.refuses(events.HoldCleared, hold=hold.number, reason="go on", by=FRAN)
    assert "still in mode 'sort'" in why
    house.shuffler.set_mode("shuffle")
    house.run(1)
    house.clears()
    house.until(lambda: house.at.table.decks[0].shuffled == "automated")


@pytest.mark.rule("R5")
def test_a_count_that_is_not_true_is_found_when_the_shoe_counts() -> None:
    house = House().opens()
    house.shuffler.faults.switch_on(Fault("wrong-count"))
    house.shuffler.faults.switch_on(Fault("false-count"))
    house.top.put_into_shuffler("A")
    house.until(lambda: house.heard(events.ShuffleCompleted))
    assert house.heard(events.ShuffleCompleted) == [
        events.ShuffleCompleted(at=0, deck="A", count=52)
    ]
    house.top.put_into_shoe("A")
    house.until(lambda: house.holds)
    assert house.at.table.decks[0].removed == "the shoe counted 51 cards"
    assert house.phase == "shuffling"


@pytest.mark.rule("R5")
def test_a_card_that_left_the_shoe_unseen_is_found_by_the_stub() -> None:
    house = House().opens().shuffles().antes(1, 3).locks()
    house.top.lose(SHOE)
    house.deals()
    [cause] = house.holds
    assert "it has 36 cards left where 37 should be: 51 in all; the shuffler counted 52" in cause
    assert "cards left" in house.refuses(events.UpCardShown, card="As")
    left = house.top.take_stub()
    assert left == 52 - 15 - 1
    assert "cards left" in house.refuses(events.StubRacked)
    house.does(events.StubCounted, cards=left)
    assert "the cards of the round do not make 52" in house.holds[-1]
    assert house.at.table.void


def test_an_open_door_is_on_record_and_holds_the_deal() -> None:
    house = House().opens()
    house.shuffler.faults.switch_on(Fault("door"))
    house.until(lambda: house.holds)
    assert house.heard(events.DeviceFaulted)[0] == events.DeviceFaulted(
        at=0, device="shuffler", nature="its door is open"
    )
    house.shuffler.close_door()
    house.run(1)
    assert not house.heard(events.DeviceRecovered)  # it sticks
    house.shuffler.faults.switch_off("door")
    house.shuffler.close_door()
    house.until(lambda: house.heard(events.DeviceRecovered))
    assert "its door is open" in house.holds


# --- The shoe -------------------------------------------------------------------


def in_round(*faults: Fault) -> House:
    """Two seats play, and the deal is enabled; then something is wrong with the shoe."""
    house = House().opens().shuffles().antes(1, 3).chips(1).locks()
    for fault in faults:
        house.shoe.faults.switch_on(fault)
    return house


def is_void(house: House) -> None:
    """Wagers went back, the shoe was stopped, and the deck must be shuffled with what was dealt."""
    assert house.phase == "clearing"
    back = [one for one in house.at.commands if isinstance(one, ReturnWager)]
    assert {(one.seat, one.wager, one.cents) for one in back} == {
        (1, "ante", 1000),
        (1, "progressive", 100),
        (3, "ante", 1000),
    }
    assert any(isinstance(one, StopShoe) for one in house.at.commands)
    house.run(2)
    assert told(house.shoe, messages.Stop)
    assert house.at.table.decks[0].shuffled == "no"
    assert not any(seat.wagers for seat in house.at.table.seats)


@pytest.mark.rule("R9")
@pytest.mark.parametrize("number", [-1, 1])
def test_a_wrong_stack_voids_the_round(number: int) -> None:
    house = in_round(Fault("wrong-stack", number))
    house.panel.press("deal")
    house.until(lambda: house.at.table.void)
    assert f"stack 1 has {5 + number} cards" in house.at.table.void
    is_void(house)


@pytest.mark.rule("R9")
def test_a_jam_in_the_round_voids_it() -> None:
    house = in_round()
    house.deals(1)
    house.shoe.faults.switch_on(Fault("jam"))
    house.top.take_stack(3)
    house.until(lambda: house.at.table.void)
    assert house.at.table.void == "the shoe failed: jam"
    is_void(house)


@pytest.mark.rule("R11")
@pytest.mark.parametrize("number", [-1, 1])
def test_a_repeated_or_skipped_number_voids_the_round(number: int) -> None:
    house = in_round()
    house.panel.press("deal")
    house.until(lambda: len(house.shoe.given) == 1)
    house.run(0.2)
    house.shoe.faults.switch_on(Fault("wrong-number", number))
    house.top.take_stack(1)
    house.until(lambda: house.at.table.void)
    assert f"stack {2 + number} came where 2 was ordered" in house.at.table.void
    is_void(house)


@pytest.mark.rule("R10")
def test_a_shoe_that_restarts_before_it_answers_is_asked_and_not_told_again() -> None:
    house = in_round(Fault("reset"))
    house.panel.press("deal")
    house.until(lambda: house.heard(events.DispenseUnanswered))
    house.until(lambda: house.heard(events.ShoeReported))
    # What the shoe was told next is how it stands, and no stack.
    after = list(house.shoe.done)[-3:]
    assert messages.Report() in after
    assert len([one for one in house.at.commands if isinstance(one, Dispense)]) <= 2
    house.run(10)
    numbers = [number for _, number, _ in house.shoe.given]
    assert len(numbers) == len(set(numbers))


@pytest.mark.rule("R10")
@pytest.mark.parametrize("seconds", [0.05, 0.5, 1.0, 2.5, 5.0])
def test_each_stack_leaves_the_shoe_once_however_long_the_line_is_cut(seconds: float) -> None:
    house = in_round()
    house.panel.press("deal")
    for _ in range(3):
        house.until(lambda: house.top.count("tray") or house.phase != "dealing")
        for lane in house.lanes[1:2]:
            lane.cut(house.now)
            house.run(seconds)
            lane.restore(house.now)
        if house.top.count("tray"):
            house.top.take_stack(len(house.shoe.given))
        house.run(0.1)
    house.run(10)
    assert [number for _, number, _ in house.shoe.given] == [1, 2, 3]
    assert not house.shoe.errors
    assert house.phase == "dealing"
    assert not house.at.table.void


def test_a_card_face_up_is_told_with_its_place() -> None:
    house = in_round(Fault("face-up"))
    house.panel.press("deal")
    house.until(lambda: house.heard(events.FaceUpCardFound))
    assert house.heard(events.FaceUpCardFound) == [events.FaceUpCardFound(at=0, by=DANA, where=1)]
    assert house.at.table.deal.face_up == 1


def test_a_shoe_loaded_with_a_deck_that_is_not_shuffled_holds_the_table() -> None:
    house = House().opens()
    house.top.put_into_shoe("A")
    house.until(lambda: house.holds)
    assert house.phase == "shuffling"
    assert "loaded too early" in house.holds[0]


# --- Acceptors ------------------------------------------------------------------


@pytest.mark.rule("R13")
def test_a_lamp_that_stays_dark_is_a_fault() -> None:
    house = House().opens().shuffles().antes(1)
    house.acceptors[1].faults.switch_on(Fault("lamp"))
    house.acceptors[1].insert(100)
    house.run(2)
    # The wager is on record; the light that should say so is not.
    assert house.at.table.seat(1).wagers["progressive"] == 100
    assert {hold.where for hold in house.at.table.holds} == {"acceptor 1", "lamp of seat 1"}
    assert "the lamp shows 'off' where 'invite' was ordered" in house.holds


@pytest.mark.rule("R15")
def test_a_chip_after_the_lock_goes_back_and_is_on_record() -> None:
    house = House().opens().shuffles().antes(1, 3).chips(1).locks()
    before = house.at.table.meters
    house.acceptors[3].insert(100)
    house.until(lambda: house.at.table.late)
    [late] = house.at.table.late
    assert (late.seat, late.wager, late.cents, late.sensed) == (
        3,
        "progressive",
        100,
        "after the lock",
    )
    house.run(2)
    assert house.top.money["player 3"] == 1000
    assert "progressive" not in house.at.table.seat(3).wagers
    assert house.at.table.meters == before
    assert house.acceptors[3].lamp == "off"


@pytest.mark.rule("R15")
def test_a_chip_that_the_lock_overtook_goes_back_too() -> None:
    house = House().opens().shuffles().antes(1, 3)
    house.acceptors[3].faults.switch_on(Fault("late-wager", 1.0))
    house.acceptors[3].insert(100)
    house.run(0.2)
    house.locks()
    house.until(lambda: house.at.table.late)
    assert house.at.table.late[0].sensed == "before the lock"
    house.run(2)
    assert house.top.money["player 3"] == 1000
    assert "progressive" not in house.at.table.seat(3).wagers


@pytest.mark.rule("R17")
def test_a_mute_acceptor_keeps_the_deal_waiting_until_it_has_confirmed() -> None:
    house = House().opens().shuffles().antes(1)
    house.acceptors[2].faults.switch_on(Fault("mute", 6.0))
    house.panel.press("lock_out")
    house.until(lambda: house.phase == "locked")
    house.run(2)
    assert not house.at.table.deal_enabled
    assert "the acceptor of seat 2" in house.refuses(events.DealPressed)
    house.until(lambda: house.at.table.deal_enabled)
    assert house.acceptors[2].is_locked


def test_one_whose_clock_runs_far_too_fast_keeps_locking_itself_and_is_left_alone() -> None:
    house = House()
    house.acceptors[2].faults.switch_on(Fault("clock", 1000))
    for lane in house.lanes:
        lane.cut(house.now)
        lane.restore(house.now)
    house.connected()
    house.opens().shuffles()
    house.run(30)
    assert house.acceptors[2].is_locked
    assert "it keeps locking itself" in house.holds
    assert house.at.table.offline == ("acceptor 2",)
    assert len(house.heard(events.DeviceWentOffline)) == 2


# --- Any device -----------------------------------------------------------------


def test_no_device_is_told_what_it_should_not_be() -> None:
    house = House(reads=True).opens().shuffles().antes(1, 3).chips(1, 3).locks().deals()
    assert house.phase == "dealing"
    assert not house.holds
    for device in (house.shuffler, house.shoe, house.panel, *house.acceptors.values()):
        assert not device.errors
    assert house.top.count_of("A") == 52
    assert [house.top.count(place) for place in (1, 3, "dealer")] == [5, 5, 5]
    assert house.top.count(SHOE) == 37
    assert house.top.count(SHUFFLER) == house.top.count(HANDS) == 0
    assert sum(house.top.money.values()) == 3000
