"""What somebody does at a simulated device, in words."""

from __future__ import annotations

from typing import Any

import pytest

from drivers.wire import messages
from simulators.acceptor import Acceptor
from simulators.device import Device
from simulators.doing import KINDS, CantDo, do, made
from simulators.shoe import Shoe
from simulators.shuffler import Shuffler
from simulators.tabletop import SHOE, SHUFFLER, TRAY, TableTop
from simulators.terminal import Terminal


def said(device: Device) -> list[messages.Event]:
    return [event for _, event in device.responder._events]


def done(kind: str, *acts: dict[str, Any]) -> Device:
    device = made(kind, TableTop(), seat=2, seed=1)
    for act in acts:
        do(device, act)
        device.advance(device.now + 1)
    return device


@pytest.mark.parametrize("kind", KINDS)
def test_what_can_be_done_at_every_device(kind: str) -> None:
    device = done(kind, {"fail": "power"}, {"door": "open"}, {"clear": True}, {"door": "closed"})
    assert said(device)[-4:] == [
        messages.Fault("power"),
        messages.Door(True),
        messages.FaultCleared("power"),
        messages.Door(False),
    ]
    do(device, {"restart": True})
    assert device.boot == 2
    do(device, {"fault": "mute=3"})
    do(device, {"no_fault": "mute"})


def test_at_the_panel() -> None:
    assert messages.Pressed("deal") in said(done("panel", {"press": "deal"}))


def test_at_the_shuffler() -> None:
    device = done("shuffler", {"put": "A"}, {"lose": 1}, {"mode": "sort"}, {"green": True})
    assert isinstance(device, Shuffler)
    assert device.top.count(SHUFFLER) == 51
    assert said(device)[-2:] == [messages.Mode("sort", "A"), messages.Hands(0)]
    do(device, {"take": True})
    assert device.top.count(SHUFFLER) == 0


def test_at_the_shoe() -> None:
    device = done("shoe", {"load": "A"}, {"turn_up": 3}, {"lose": 2})
    assert isinstance(device, Shoe)
    assert device.top.at(SHOE) != sorted(device.top.at(SHOE))
    device.top.move(SHOE, TRAY, 5)
    do(device, {"take": 3})
    assert device.top.count(3) == 5
    do(device, {"stub": True})
    assert device.top.count(SHOE) == 0


def test_at_the_acceptor() -> None:
    device = done("acceptor", {"wager": 100}, {"wager": {"cents": 500, "tender": "coupon"}})
    assert isinstance(device, Acceptor)
    assert [one.cents for one in said(device) if isinstance(one, messages.LateWager)] == [100, 500]
    do(device, {"take_back": True})


def test_at_the_terminal() -> None:
    device = done(
        "terminal",
        {"sit": "ann"},
        {"buy_in": 500},
        {"cash_out": 100},
        {"wager": {"wager": "five_card_player", "cents": 100}},
        {"decide": {"choice": "fold"}},
        {"take_back": "five_card_player"},
        {"leave": True},
    )
    assert isinstance(device, Terminal)
    kinds = [type(one).__name__ for one in said(device)]
    assert kinds[:2] == ["Sat", "BuyIn"]
    assert "Left" in kinds


@pytest.mark.parametrize(
    ("kind", "act", "why"),
    [
        ("sign", {"press": "deal"}, "'press' can't be done at a sign; there are: fault"),
        ("panel", {"press": "deal", "restart": True}, "an act has one name"),
        ("panel", {}, "an act has one name"),
        ("panel", {"press": "red"}, "'red' is none of lock_out, deal, void, floor_key"),
        ("panel", {"press": ["deal"]}, "is none of"),
        ("acceptor", {"wager": "much"}, "'much' is no whole number"),
        ("acceptor", {"wager": True}, "True is no whole number"),
        ("acceptor", {"wager": {}}, "wager: 'cents'"),
        ("terminal", {"sit": ""}, "'' is no text"),
        ("terminal", {"decide": 3}, "decide:"),
        ("shoe", {"fault": "fire"}, "there is no fault 'fire'"),
        ("shoe", {"lose": 60}, "60 cards from shoe"),
    ],
)
def test_what_can_not_be_done_is_said(kind: str, act: dict[str, Any], why: str) -> None:
    device = made(kind, TableTop())
    with pytest.raises(CantDo) as error:
        do(device, act)
    assert why in str(error.value)
