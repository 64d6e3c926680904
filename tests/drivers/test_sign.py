"""The sign's driver: meters, wins within their time, and notices when play is off."""

from __future__ import annotations

from controller.table import commands, events
from drivers.sign import MAX_SHOWN, Sign
from drivers.wire import messages
from drivers.wire.messages import Showing, ShowNotice
from tests.drivers.people import driver, moment

SHOW = commands.ShowMeter(meter="progressive", level="main", cents=1_000_000)


def test_a_meter_is_shown_and_read_back() -> None:
    sign = driver(Sign)
    assert [told.message for told in sign.told(SHOW)] == [
        messages.ShowMeter("progressive", "main", 1_000_000)
    ]
    sign.answered(messages.ShowMeter("progressive", "main", 1_000_000), "done", "", moment())
    assert not sign.heard(Showing("progressive", "main", 1_000_000), moment())
    assert not sign.heard(Showing("another", "main", 5), moment())
    [event] = sign.heard(Showing("progressive", "main", 5), moment())
    assert event == events.DeviceFaulted(
        at=1000,
        device="sign",
        nature="it shows 5 cents for progressive main where 1000000 were ordered",
    )


def test_a_sign_shows_so_many_levels_and_no_more() -> None:
    sign = driver(Sign)
    for number in range(MAX_SHOWN):
        assert sign.told(commands.ShowMeter(meter="m", level=str(number), cents=1))
    assert not sign.told(commands.ShowMeter(meter="m", level="one more", cents=1))
    assert sign.told(commands.ShowMeter(meter="m", level="0", cents=2))


def test_a_win_has_table_seat_amount_and_new_base_and_thirty_seconds() -> None:
    sign = driver(Sign)
    win = commands.ShowWin(
        seat=3, meter="progressive", level="main", cents=2_000_000, table="ma-1", base=1_000_000
    )
    [told] = sign.told(win)
    assert told.message == messages.ShowWin("ma-1", 3, "main", 2_000_000, 1_000_000)
    assert told.within == 30
    [event] = sign.unclear(told.message, moment())
    assert isinstance(event, events.DeviceFaulted)
    assert event.nature == "it did not show a win in time"


def test_players_are_told_when_the_meter_is_out_of_play() -> None:
    sign = driver(Sign)

    def notice(order: commands.Command) -> list[messages.Command]:
        return [told.message for told in sign.told(order)]

    withheld = commands.ShowOffer(wager="progressive", offered=False, why="acceptor 3 offline")
    assert notice(withheld) == [ShowNotice("out of order")]
    assert not notice(withheld)
    assert notice(commands.ShowLink(status="down")) == [ShowNotice("link down")]
    assert notice(commands.ShowLink(status="up")) == [ShowNotice("out of order")]
    lost = commands.ShowOffer(wager="progressive", offered=False, why="link offline")
    assert notice(lost) == [ShowNotice("link down")]
    assert not notice(commands.ShowOffer(wager="cover_all", offered=False, why="no shuffler"))
    assert ShowNotice("link down") in [told.message for told in sign.configure()]
    assert notice(commands.ShowOffer(wager="progressive", offered=True)) == [ShowNotice("none")]
