"""What the duties say that felt does without them is what it does: each hold, word for word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.table import commands, events
from drivers.duties import BY_ID, DUTIES
from drivers.seat import SeatDevice
from drivers.sign import Sign
from drivers.terminal import Terminal
from drivers.wire import messages
from simulators import sign, terminal
from simulators.device import Answer, Device
from tests.drivers.bench import Bench
from tests.drivers.duties.left_out import Waiting, answers, is_mute_to, keeps_to_itself
from tests.drivers.people import FRAN, driver

REFUSED: Answer = ("refused", "WHY")


@pytest.fixture
def house() -> Waiting:
    house = Waiting()
    house.opens()
    return house


def holds(found: list[str], duty: str) -> bool:
    """Whether one of them is the hold of this duty: N stands for a number, and what follows for a
    reason of the device's own.
    """
    pattern = re.escape(BY_ID[duty].hold).replace("WHY", ".*").replace("N", r"\d+")
    assert pattern, f"{duty} names no hold"
    return any(re.match(pattern, cause) for cause in found)


# --- The shuffler -------------------------------------------------------------


def test_shuffler_shuffle(house: Waiting) -> None:
    is_mute_to(house.shuffler, messages.Shuffle)
    house.shuffler.restart()
    house.top.put_into_shuffler("A")
    house.until(lambda: holds(house.holds, "shuffler.shuffle"))


def test_shuffler_cycle_completed(house: Waiting) -> None:
    keeps_to_itself(house.shuffler, messages.CycleCompleted)
    house.top.put_into_shuffler("A")
    house.run(290)
    assert house.holds == []
    house.run(20)
    assert holds(house.holds, "shuffler.cycle_completed")


def test_shuffler_cycle_failed(house: Waiting) -> None:
    house.top.put_into_shuffler("A")
    house.run(1)
    house.shuffler.tell(messages.CycleFailed("A", "jam"))
    house.run(1)
    assert holds(house.holds, "shuffler.cycle_failed")


def test_shuffler_mode_where_the_order_came_first(house: Waiting) -> None:
    """One deck is played without it; two are not, as the page says."""
    keeps_to_itself(house.shuffler, messages.Mode)
    house.shuffles()
    assert house.phase == "betting"


def test_shuffler_shuffler_state_after_a_cut_cycle(house: Waiting) -> None:
    keeps_to_itself(house.shuffler, messages.ShufflerState)
    house.top.put_into_shuffler("A")
    house.run(1)
    house.shuffler.restart()
    house.run(20)
    assert house.holds == []
    house.run(300)
    assert holds(house.holds, "shuffler.cycle_completed")


# --- The shoe -----------------------------------------------------------------


def dealing(house: Waiting, first: Callable[[], None] = lambda: None) -> None:
    house.shuffles().antes(1, 2).locks()
    first()
    house.panel.press("deal")
    house.until(lambda: house.phase == "dealing")


def test_shoe_loaded(house: Waiting) -> None:
    keeps_to_itself(house.shoe, messages.Loaded)
    house.top.put_into_shuffler("A")
    house.until(lambda: house.at.table.decks[0].shuffled == "automated")
    house.top.put_into_shoe("A")
    house.run(60)
    assert house.phase == "shuffling"


def test_shoe_arm(house: Waiting) -> None:
    answers(house.shoe, messages.Arm, REFUSED)
    house.shuffles().antes(1)
    house.panel.press("lock_out")
    house.run(3)
    assert holds(house.holds, "shoe.arm")


def test_shoe_dispense_refused(house: Waiting) -> None:
    answers(house.shoe, messages.Dispense, REFUSED)
    dealing(house)
    house.run(3)
    assert holds(house.holds, "shoe.dispense")
    del house.shoe.obey
    house.clears()
    house.until(lambda: house.shoe.last == 1)


def test_shoe_dispense_unanswered(house: Waiting) -> None:
    is_mute_to(house.shoe, messages.Dispense)
    dealing(house)
    house.run(3)
    assert house.at.table.deal.asked == 1 or holds(house.holds, "shoe.dispensed")


def test_shoe_dispensed(house: Waiting) -> None:
    keeps_to_itself(house.shoe, messages.Dispensed)
    dealing(house)
    house.run(10)
    assert house.holds == []
    house.run(10)
    assert holds(house.holds, "shoe.dispensed")
    assert house.at.table.deal.done == 1, "what it says of itself settles it"


def test_shoe_taken(house: Waiting) -> None:
    keeps_to_itself(house.shoe, messages.Taken)
    dealing(house)
    house.until(lambda: house.shoe.last == 1)
    house.top.take_stack(1)
    house.run(60)
    assert house.shoe.last == 1


def test_shoe_stub(house: Waiting) -> None:
    keeps_to_itself(house.shoe, messages.Stub)
    dealing(house)
    house.deals()
    house.run(10)
    assert house.at.table.deal.left == house.shoe.top.count("shoe")


def test_shoe_shoe_state(house: Waiting) -> None:
    keeps_to_itself(house.shoe, messages.Dispensed, messages.ShoeState)
    dealing(house)
    house.run(30)
    assert holds(house.holds, "shoe.dispensed")
    number = house.at.table.holds[0].number
    why = house.refuses(events.HoldCleared, hold=number, reason="looked", by=FRAN)
    assert "has not said what became of stack 1" in why


def test_shoe_shoe_state_where_the_report_is_not_answered(house: Waiting) -> None:
    keeps_to_itself(house.shoe, messages.Dispensed)
    dealing(house, lambda: is_mute_to(house.shoe, messages.Report))
    house.run(40)
    assert holds(house.holds, "shoe.shoe_state")
    assert house.at.table.void


def test_shoe_stop(house: Waiting) -> None:
    answers(house.shoe, messages.Stop, REFUSED)
    dealing(house)
    house.does(events.RoundVoided, reason="tried", by=FRAN)
    house.run(3)
    assert holds(house.holds, "shoe.stop")


@pytest.mark.parametrize("stacks", [0, 1])
def test_a_shoe_that_forgets_loses_the_round_where_a_stack_is_out(
    house: Waiting, stacks: int
) -> None:
    dealing(house)
    if stacks:
        house.until(lambda: house.shoe.last == 1 and house.top.count("tray") == 5)
        house.top.take_stack(1)
        house.run(0.3)
    house.shoe.restart()
    house.run(30)
    assert bool(house.at.table.void) == bool(stacks)


def test_a_shoe_that_remembers_and_cut_a_stack_in_two_loses_it_too(house: Waiting) -> None:
    dealing(house)
    house.until(lambda: house.shoe.last == 1 and house.top.count("tray") == 5)
    house.top.take_stack(1)
    house.run(0.3)
    kept = (house.shoe.round, house.shoe.stacks, house.shoe.last, house.shoe.last_cards)
    house.shoe.restart()
    house.shoe.round, house.shoe.stacks, house.shoe.last, house.shoe.last_cards = kept
    house.top.move("shoe", "floor", 2)
    house.run(30)
    assert "cards inside where" in house.at.table.void


def test_a_shoe_that_remembers_and_does_not_count_goes_on_when_a_person_has_looked(
    house: Waiting,
) -> None:
    shoe = house.shoe

    def uncounted() -> Iterator[messages.Event]:
        yield messages.ShoeState(shoe.round, shoe.last, shoe.last_cards, messages.NOT_COUNTED, 0)

    shoe.report = uncounted  # type: ignore[method-assign]
    dealing(house, lambda: is_mute_to(shoe, messages.Dispense))
    house.run(3)
    del shoe.received
    assert holds(house.holds, "shoe.dispensed")
    house.clears()
    house.until(lambda: shoe.last == 1)
    assert not house.at.table.void


def test_a_shoe_that_lacks_cards_before_the_deal_is_held(house: Waiting) -> None:
    house.shuffles()
    house.shoe.restart()
    house.top.move("shoe", "floor", 2)
    house.run(5)
    assert house.holds == ["it has 50 cards inside where 52 should be"]


# --- The panel ----------------------------------------------------------------


def test_panel_lights(house: Waiting) -> None:
    house.shuffles().antes(1)
    answers(house.panel, messages.Lights, REFUSED)
    house.panel.press("lock_out")
    house.run(3)
    assert holds(house.holds, "panel.lights")


def test_panel_lights_read(house: Waiting) -> None:
    keeps_to_itself(house.panel, messages.LightsRead)
    house.shuffles().antes(1).locks()
    assert house.holds == []


# --- An acceptor --------------------------------------------------------------


def test_acceptor_lock_and_lock_state(house: Waiting) -> None:
    """``accepted`` promises a ``lock_state``."""
    house.shuffles().antes(1)
    answers(house.acceptors[1], messages.Lock, ("accepted", ""))
    house.panel.press("lock_out")
    house.run(12)
    assert not house.at.table.deal_enabled
    house.acceptors[1].tell(messages.LockState(True))
    house.run(1)
    assert house.at.table.deal_enabled


@pytest.mark.parametrize(
    ("duty", "kind"),
    [
        ("acceptor.lock", messages.Lock),
        ("acceptor.unlock", messages.Unlock),
        ("acceptor.set_lamp", messages.SetLamp),
    ],
)
def test_acceptor_refuses(house: Waiting, duty: str, kind: type[messages.Command]) -> None:
    answers(house.acceptors[1], kind, REFUSED)
    house.shuffles().antes(1)
    house.panel.press("lock_out")
    house.run(3)
    assert holds(house.holds, duty)


def test_acceptor_wager(house: Waiting) -> None:
    keeps_to_itself(house.acceptors[1], messages.Wager)
    house.shuffles().antes(1)
    house.acceptors[1].insert(100)
    house.run(2)
    house.panel.press("lock_out")
    house.until(lambda: house.acceptors[1].rolled == 1)
    house.does(events.ChipsCounted, chips=1)
    assert holds(house.holds, "acceptor.wager")


def test_acceptor_wager_removed(house: Waiting) -> None:
    keeps_to_itself(house.acceptors[1], messages.WagerRemoved)
    house.shuffles().antes(1).chips(1)
    house.acceptors[1].take_back()
    house.panel.press("lock_out")
    house.until(lambda: house.phase == "locked")
    house.does(events.ChipsCounted, chips=0)
    assert holds(house.holds, "acceptor.wager_removed")


@pytest.mark.parametrize(
    ("duty", "kind", "chip"),
    [
        ("acceptor.return", messages.Return, None),
        ("acceptor.give_back", messages.GiveBack, "acceptor-1:1:9"),
    ],
)
def test_acceptor_gives_nothing_back(
    house: Waiting, duty: str, kind: type[messages.Command], chip: str | None
) -> None:
    answers(house.acceptors[1], kind, REFUSED)
    back = commands.ReturnWager(seat=1, wager="progressive", cents=100, to="layout", chip=chip)
    house.order(back)
    house.run(3)
    assert holds(house.holds, duty)


def test_acceptor_that_went_safe_needs_no_lock_state(house: Waiting) -> None:
    house.shuffles().antes(1).chips(1)
    one = house.acceptors[1]
    one.unplug()
    house.run(10)
    assert one.is_locked
    one.plug_in()
    house.run(5)
    assert not [event for event in house.events if isinstance(event, events.DeviceFaulted)]
    house.locks()


# --- Terminals and signs ------------------------------------------------------


def faults(bench: Bench) -> list[str]:
    return [one.nature for one in bench.events if isinstance(one, events.DeviceFaulted)]


@pytest.mark.parametrize(
    ("duty", "kind", "order"),
    [
        ("terminal.lock", messages.Lock, commands.Lock(seat=3, device="terminal")),
        ("terminal.unlock", messages.Unlock, commands.Unlock(seat=3, device="terminal")),
    ],
)
def test_terminal_refuses(duty: str, kind: type[messages.Command], order: commands.Command) -> None:
    device = terminal.Terminal(seat=3)
    bench = _bench(driver(Terminal, 3), device)
    answers(device, kind, REFUSED)
    bench.order(order)
    bench.run(3)
    assert holds(faults(bench), duty)


METER = commands.ShowMeter(meter="progressive", level="main", cents=100)
WIN = commands.ShowWin(table="t", seat=1, meter="progressive", level="main", cents=100, base=50)


@pytest.mark.parametrize(
    ("duty", "kind", "order"),
    [
        ("sign.show_meter", messages.ShowMeter, METER),
        ("sign.show_notice", messages.ShowNotice, commands.ShowLink(status="down")),
    ],
)
def test_sign_refuses(duty: str, kind: type[messages.Command], order: commands.Command) -> None:
    device = sign.Sign()
    bench = _bench(driver(Sign), device)
    answers(device, kind, REFUSED)
    bench.order(order)
    bench.run(3)
    assert holds(faults(bench), duty)


def test_sign_show_win() -> None:
    device = sign.Sign()
    bench = _bench(driver(Sign), device)
    is_mute_to(device, messages.ShowWin)
    bench.order(WIN)
    bench.run(60)
    assert holds(faults(bench), "sign.show_win")


def _bench(one: SeatDevice | Sign, device: Device) -> Bench:
    bench = Bench.of((one, device))
    bench.connected()
    return bench


# --- What every device does ---------------------------------------------------


def test_every_events(house: Waiting) -> None:
    house.shoe.responder._next_event += 2  # two were used up
    house.shoe.tell(messages.Door(False))
    house.run(2)
    assert holds(house.holds, "every.events")


def test_every_boot(house: Waiting) -> None:
    house.panel.press("deal")
    house.run(1)
    house.panel.boot -= 1
    house.panel.restart()
    house.run(3)
    house.panel.press("deal")
    house.run(3)
    assert holds(house.holds, "every.boot")


def test_each_hold_of_the_duties_is_brought_about_here() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    missing = [duty.id for duty in DUTIES if duty.hold and f'"{duty.id}"' not in source]
    assert missing == []
