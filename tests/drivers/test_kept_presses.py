"""What was pressed while nobody heard it, from the button to the table's event."""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from controller.table import events
from controller.table.lateness import COUNTS_FOR
from drivers.panel import Panel
from simulators.panel import Panel as SimulatedPanel
from tests.drivers.bench import Bench
from tests.drivers.people import DANA, FRAN, driver


def at_a_panel() -> tuple[SimulatedPanel, Bench]:
    device = SimulatedPanel()
    bench = Bench.of((driver(Panel), device))
    bench.connected()
    bench.run(3)
    return device, bench


def another_felt(device: SimulatedPanel, before: Bench) -> Bench:
    """It takes over after the first has ended."""
    bench = Bench.of((driver(Panel), device))
    bench.now = before.now
    # On this bench all say the same hello first, and the device takes that for an echo.
    bench.lanes[0].out.cut()
    bench.run(0.3)
    bench.lanes[0].out.restore()
    bench.connected()
    return bench


def presses(bench: Bench) -> list[events.Event]:
    kinds = (events.LockOutPressed, events.DealPressed, events.RoundVoided)
    return [one for one in bench.events if isinstance(one, kinds)]


def test_a_void_is_nobodys_by_a_key_of_long_ago_over_a_cable_that_was_out() -> None:
    device, bench = at_a_panel()
    bench.lanes[0].cut(bench.now)
    bench.run(5)
    device.press("floor_key")
    bench.run(40)
    device.press("void")
    bench.run(5)
    bench.lanes[0].restore(bench.now)
    bench.until(lambda: presses(bench))
    [void] = presses(bench)
    assert isinstance(void, events.RoundVoided)
    assert void.by == DANA
    assert isinstance(void.kept, int)
    assert void.kept >= 45_000


def test_what_was_pressed_while_felt_was_away_is_as_old_as_nobody_knows() -> None:
    device, first = at_a_panel()
    first.lanes[0].cut(first.now)
    device.press("deal")
    device.press("floor_key")
    device.press("void")
    device.press("lock_out")
    second = another_felt(device, first)
    assert [one.kept for one in presses(second)] == [None, None, None]
    assert FRAN not in [getattr(one, "by", None) for one in presses(second)]
    # From then on it is as ever.
    device.press("floor_key")
    second.run(0.5)
    device.press("void")
    second.run(0.5)
    void = presses(second)[-1]
    assert isinstance(void, events.RoundVoided)
    assert (void.by, void.kept) == (FRAN, UNSET)


def test_a_short_wobble_of_the_cable_costs_no_press() -> None:
    device, bench = at_a_panel()
    bench.lanes[0].cut(bench.now)
    device.press("deal")
    bench.run(1.0)
    bench.lanes[0].restore(bench.now)
    bench.until(lambda: presses(bench))
    [deal] = presses(bench)
    assert deal.kept is UNSET or (isinstance(deal.kept, int) and deal.kept <= COUNTS_FOR)


def test_the_mark_is_in_the_record() -> None:
    device, first = at_a_panel()
    first.lanes[0].cut(first.now)
    device.press("deal")
    [deal] = presses(another_felt(device, first))
    assert b'"kept":null' in msgspec.json.encode(deal)
