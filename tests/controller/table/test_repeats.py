"""An event that is told again counts once, however long its sender was away."""

from __future__ import annotations

import zlib
from typing import Any

import msgspec
import pytest

from controller.replay import Checkpoint, packed, unpacked
from controller.table import events
from controller.table.people import Person
from controller.table.repeats import is_repeat, was_taken, with_taken, with_taken_event
from controller.table.state import BOOTS_KEPT, DEVICES_KEPT, IDS_KEPT, Table
from tests.controller.table.playing import DEALER, FLOOR, OTHER_DEALER, AtTheTable, open_table


def faulted(at: AtTheTable, id_: str) -> str:
    return at.send(events.DeviceFaulted, device="acceptor 1", nature=id_, id=id_).refused


@pytest.mark.rule("R27", "R30", "R31")
def test_an_event_is_known_again_after_any_number_of_others() -> None:
    at = open_table("pa-639a")
    assert not faulted(at, "acceptor-1:7:41")
    for number in range(1, 2 * IDS_KEPT):
        at.does(events.DeviceAppeared, what="a stick", id=f"panel:3:{number}")
    for number in range(2 * IDS_KEPT):
        at.does(events.DeviceAppeared, what="a stick", id=f"act/{number}")
    assert "acceptor-1:7:41 was taken already" in faulted(at, "acceptor-1:7:41")
    assert not faulted(at, "acceptor-1:7:42")


def test_a_new_boot_begins_again_and_the_one_before_is_not_forgotten() -> None:
    table = with_taken(Table(), "shoe:900000:12")
    # A boot may be a number that was drawn: lower is not earlier.
    assert not was_taken(table, "shoe:17:1")
    table = with_taken(table, "shoe:17:1")
    assert was_taken(table, "shoe:900000:12")
    assert not was_taken(table, "shoe:900000:13")
    assert not was_taken(table, "shoe:17:2")
    assert not was_taken(table, "acceptor-1:17:1")


def test_each_event_of_one_message_counts_and_each_counts_once() -> None:
    table = with_taken(Table(), "shuffler:2:5")
    assert not was_taken(table, "shuffler:2:5.1")
    table = with_taken(table, "shuffler:2:5.1")
    assert was_taken(table, "shuffler:2:5")
    assert was_taken(table, "shuffler:2:5.1")
    assert not was_taken(table, "shuffler:2:5/late")
    table = with_taken(table, "shuffler:2:5/late")
    assert was_taken(table, "shuffler:2:5")
    assert was_taken(table, "shuffler:2:5/late")
    assert not was_taken(table, "shuffler:2:6")


def test_what_is_remembered_does_not_grow() -> None:
    table = Table()
    for boot in range(1, 200):
        table = with_taken(table, f"shoe:{boot}:1")
    assert len(table.heard["shoe"]) == BOOTS_KEPT
    for number in range(2000):
        table = with_taken(table, f"made-up-{number}:1:1")
        table = with_taken(table, f"key/{number}")
    assert len(table.heard) == DEVICES_KEPT
    assert len(table.ids) == IDS_KEPT
    assert was_taken(table, "shoe:199:1")


def test_a_checkpoint_of_an_earlier_felt_is_read_and_its_ids_are_known() -> None:
    """It had the ids of devices among the others, and nothing else to know them by."""
    said = msgspec.to_builtins(
        Checkpoint(1, Table(ids=("acceptor-1:7:41", "act/1"))), str_keys=True
    )
    for name in ("heard", "back"):
        said["table"].pop(name)
    found = unpacked(zlib.compress(msgspec.json.encode(said)))
    assert found is not None
    assert was_taken(found.table, "acceptor-1:7:41")
    assert was_taken(with_taken(found.table, "acceptor-1:7:42"), "acceptor-1:7:41")
    assert unpacked(packed(found)) == found


def test_an_id_of_a_person_is_bound_to_who_what_and_with_what() -> None:
    at = open_table("s10").shuffles()
    at.does(events.PlayerLeft, seat=1, id="act/x")
    assert "was taken already" in at.refuses(events.PlayerLeft, seat=1, id="act/x")
    others: list[tuple[type[Any], dict[str, Any]]] = [
        (events.PlayerLeft, {"seat": 3}),
        (events.PlayerLeft, {"seat": 1, "by": OTHER_DEALER}),
        (events.PlayerLeft, {"seat": 1, "by": Person(DEALER.id, "floorperson")}),
        (events.RoundVoided, {"by": FLOOR, "reason": "a card fell"}),
        (events.LockOutPressed, {}),
    ]
    for kind, given in others:
        said = at.refuses(kind, id="act/x", **given)
        assert said.startswith("id: act/x was taken for another act, player_left by dealer-1")
        assert "an id of its own" in said
    assert not at.table.void


def test_cards_that_a_shoe_has_read_may_be_left_out_of_a_repeat() -> None:
    shown = events.UpCardShown(at=1, id="act/u", by=DEALER, card="As")
    table = with_taken_event(Table(), shown)
    assert is_repeat(table, shown)
    assert is_repeat(table, msgspec.structs.replace(shown, card="", at=9))
    assert not is_repeat(table, msgspec.structs.replace(shown, card="Kd"))


def test_what_ids_are_bound_to_does_not_grow_and_earlier_tables_have_none() -> None:
    table = Table()
    for number in range(2 * IDS_KEPT):
        event = events.PlayerLeft(at=1, id=f"act/{number}", by=DEALER, seat=1)
        table = with_taken_event(table, event)
    assert set(table.bound) == set(table.ids)
    other = events.PlayerLeft(at=1, id=table.ids[-1], by=DEALER, seat=2)
    assert not is_repeat(table, other)
    assert is_repeat(msgspec.structs.replace(table, bound={}), other)
