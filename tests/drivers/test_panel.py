"""The panel's driver: buttons by whoever is on duty, and lamps that are read back."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from controller.table import commands, events
from drivers.panel import KEY_COUNTS_FOR, Panel
from drivers.wire import messages
from drivers.wire.messages import Lights, LightsRead, Pressed
from tests.drivers.people import DANA, FRAN, driver, moment


def test_buttons_are_the_dealers() -> None:
    panel = driver(Panel)
    assert panel.heard(Pressed("lock_out"), moment()) == [events.LockOutPressed(at=1000, by=DANA)]
    assert panel.heard(Pressed("deal"), moment()) == [events.DealPressed(at=1000, by=DANA)]


def test_a_void_is_the_floorpersons_with_the_key_only() -> None:
    panel = driver(Panel)

    def voided_by(at: int) -> object:
        [event] = panel.heard(Pressed("void"), moment(at))
        assert isinstance(event, events.RoundVoided)
        return event.by

    assert voided_by(1_000) == DANA
    assert not panel.heard(Pressed("floor_key"), moment(2_000))
    assert voided_by(3_000) == FRAN
    # The key counts for one press, and not for ever.
    assert voided_by(4_000) == DANA
    panel.heard(Pressed("floor_key"), moment(5_000))
    panel.heard(Pressed("deal"), moment(5_100))
    assert voided_by(5_200) == DANA
    panel.heard(Pressed("floor_key"), moment(6_000))
    assert voided_by(6_001 + KEY_COUNTS_FOR) == DANA


def test_a_key_counts_from_when_it_may_have_been_turned() -> None:
    def voided(key: int | UnsetType | None, later: int) -> object:
        panel = driver(Panel)
        turned = moment(0)._replace(runs=50_000, kept=key)
        assert not panel.heard(Pressed("floor_key"), turned)
        pressed = moment(0)._replace(runs=50_000 + later)
        [event] = panel.heard(Pressed("void"), pressed)
        assert isinstance(event, events.RoundVoided)
        assert event.by == FRAN or "without the floor key" in event.reason
        return event.by

    assert voided(UNSET, KEY_COUNTS_FOR) == FRAN
    assert voided(UNSET, KEY_COUNTS_FOR + 1) == DANA
    assert voided(3_000, KEY_COUNTS_FOR - 3_000) == FRAN
    assert voided(3_000, KEY_COUNTS_FOR - 2_999) == DANA
    assert voided(40_000, 0) == DANA
    # Turned for a felt that is no more.
    assert voided(None, 0) == DANA


def test_no_step_of_the_clock_makes_a_key_count_longer() -> None:
    panel = driver(Panel)
    panel.heard(Pressed("floor_key"), moment(3_600_000)._replace(runs=1_000))
    [event] = panel.heard(Pressed("void"), moment(1_000)._replace(runs=41_000))
    assert isinstance(event, events.RoundVoided)
    assert event.by == DANA


def test_lamps_follow_the_table() -> None:
    panel = driver(Panel)
    assert [one.message for one in panel.configure()] == [
        messages.SetWatchdog(3000),
        Lights("on", "off", "off"),
        messages.Report(),
    ]
    [told] = panel.told(commands.Unlock(seat=1, device="acceptor"))
    assert told.message == Lights("off", "off", "off")
    assert not panel.told(commands.Unlock(seat=2, device="acceptor"))
    [told] = panel.told(commands.Lock(seat=1, device="acceptor"))
    assert told.message == Lights("on", "off", "off")
    [told] = panel.told(commands.EnableDeal(enabled=True))
    assert told.message == Lights("on", "on", "off")
    [told] = panel.told(
        commands.ShowWin(seat=1, meter="progressive", level="main", cents=1, base=1)
    )
    assert told.message == messages.Tone("win")


def test_a_lamp_that_is_not_as_ordered_is_a_fault() -> None:
    panel = driver(Panel)
    for enabled in (True, False):
        for told in panel.told(commands.EnableDeal(enabled=enabled)):
            assert not panel.answered(told.message, "done", "", moment())
    # The reading of an order that was replaced meanwhile is no news.
    assert not panel.heard(LightsRead("on", "on", "off"), moment())
    assert not panel.heard(LightsRead("on", "off", "off"), moment())
    [event] = panel.heard(LightsRead("on", "on", "off"), moment())
    assert isinstance(event, events.DeviceFaulted)
    assert event.nature == "lamps: deal is on where off was ordered"
    [told] = panel.told(commands.EnableDeal(enabled=True))
    [event] = panel.answered(told.message, "refused", "it stays dark", moment())
    assert isinstance(event, events.DeviceFaulted)
