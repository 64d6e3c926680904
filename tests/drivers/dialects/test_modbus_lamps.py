"""The panel's driver on a module: a reading is judged by the order that it belongs to."""

from __future__ import annotations

import pytest

from controller.table import commands, events
from drivers.attachment import Attachment, Happened
from drivers.contract import Settings
from drivers.dialects.modbus import panel_line
from drivers.panel import Panel
from tests.drivers.dialects.bench import Bench
from tests.drivers.dialects.module import Module
from tests.drivers.people import driver, moment

DEAL_LAMP, LOCK_OUT_BUTTON = 1, 0


class AtTable(Bench):
    """With its driver, and a journal that takes as long as a test says."""

    def __init__(self, module: Module) -> None:
        super().__init__(panel_line([(1, Settings("panel"))], boot=700), module)
        self.module = module
        self.panel = driver(Panel)
        self.attachment = Attachment(self.panel, self.station)
        self.faults: list[str] = []
        self._waiting: list[Happened] = []
        self.run(1.0)
        assert self.attachment.is_present

    def _collect(self) -> None:
        for outcome in self.attachment.turn(self.now, lambda _: moment()):
            if isinstance(outcome, Happened):
                self._waiting.append(outcome)
                found = [e for e in outcome.events if isinstance(e, events.DeviceFaulted)]
                self.faults += [one.nature for one in found]
        while self.acknowledging and self._waiting:
            self.attachment.durable(self._waiting.pop(0))

    def deal(self, *, lit: bool) -> None:
        self.attachment.carry_out(commands.EnableDeal(id=f"{self.now}", enabled=lit), self.now)

    def hold_the_journal(self) -> None:
        """A press is not durable yet, so nothing that is said after it is heard."""
        self.acknowledging = False
        self.module.inputs[LOCK_OUT_BUTTON] = True
        self.run(0.1)
        self.module.inputs[LOCK_OUT_BUTTON] = False

    def let_the_journal_go(self) -> None:
        self.acknowledging = True
        self.run(0.0)


@pytest.fixture
def table() -> AtTable:
    return AtTable(Module())


def test_two_orders_in_a_moment_are_no_fault(table: AtTable) -> None:
    for lit in (True, False, True):
        table.deal(lit=lit)
    table.run(1.0)
    table.hold_the_journal()
    table.deal(lit=False)
    table.deal(lit=True)
    table.run(0.2)
    table.let_the_journal_go()
    table.run(1.0)
    assert table.faults == []
    assert table.module.coils[DEAL_LAMP]


def test_what_it_read_before_it_restarted_answers_no_order(table: AtTable) -> None:
    table.hold_the_journal()
    table.deal(lit=True)
    table.run(0.2)
    table.module.is_silent = True
    table.run(1.0)
    table.module.is_silent = False
    table.module.restart()
    while not table.attachment.is_present:
        table.run(0.001)
    # Its reading of that order is heard now, with one of felt's next orders out already.
    table.deal(lit=False)
    table.let_the_journal_go()
    table.run(1.0)
    table.hold_the_journal()
    table.deal(lit=True)
    table.deal(lit=False)
    table.run(0.2)
    table.let_the_journal_go()
    table.run(1.0)
    assert table.faults == []
    assert not table.module.coils[DEAL_LAMP]


def test_lamps_that_go_dark_when_felt_goes_are_no_fault(table: AtTable) -> None:
    """The table ordered them otherwise, and keeps that for the next start."""
    table.deal(lit=True)
    table.run(1.0)
    table.attachment.quiesce(table.now)
    table.run(1.0)
    assert not any(table.module.coils)
    assert table.faults == []


@pytest.mark.rule("R13")
def test_a_lamp_that_stays_dark_on_a_module_is_a_fault(table: AtTable) -> None:
    module = table.module

    def dark(frame: bytes, now: float) -> bytes:
        heard = module(frame, now)
        module.coils[DEAL_LAMP] = False
        return heard

    table.peer = dark
    table.deal(lit=True)
    table.run(0.1)
    assert table.faults[:2] == [
        "it refused 'lights': its outputs read otherwise than they were written",
        "lamps: deal is off where on was ordered",
    ]
