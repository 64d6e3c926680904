"""A device with another serial number is held until the right one is back or two people agree."""

from __future__ import annotations

from typing import Any

import pytest

from controller.table import events
from controller.table.belonging import expected
from controller.table.offering import offered
from controller.table.prompts import prompts
from controller.table.state import SerialNumber, Table
from tests.controller.table.playing import BOSS, DEALER, FLOOR, TECH, AtTheTable, open_table

OTHER = {"device": "panel", "serial_number": "P-2", "expected": "P-1"}
CAUSE = "turned away: its serial number is P-2, not P-1"
ACCEPTS: dict[str, Any] = {
    "device": "panel",
    "serial_number": "P-2",
    "by": TECH,
    "second": FLOOR,
    "reason": "the old one is broken",
}


def exchanged() -> AtTheTable:
    at = open_table("pa-639a").shuffles().antes(1)
    at.does(events.DeviceExchanged, **OTHER)
    return at


def test_it_holds_the_table_and_says_whose_it_is() -> None:
    at = exchanged()
    (hold,) = at.table.holds
    assert (hold.where, hold.cause, hold.clears) == ("panel", CAUSE, "floorperson")
    (asked,) = [one for one in prompts(at.terms, at.table) if one.answer == "device_accepted"]
    assert asked.who == "technician"
    assert "P-2 answers in place of P-1" in asked.text
    at.does(events.DeviceExchanged, **OTHER)
    assert at.table.holds == (hold,), "the same device is held once"


@pytest.mark.rule("R40")
def test_a_technician_and_a_floorperson_accept_it_and_nobody_alone() -> None:
    at = exchanged()
    (hold,) = at.table.holds
    said = at.refuses(events.HoldCleared, hold=hold.number, by=FLOOR, reason="looked")
    assert "another device answers as panel" in said
    for second in (DEALER, TECH):
        at.refuses(events.DeviceAccepted, **{**ACCEPTS, "second": second})
    for by in (FLOOR, BOSS, DEALER):
        said = at.refuses(events.DeviceAccepted, **{**ACCEPTS, "by": by})
        assert "is for a technician" in said
    assert "is P-2" in at.refuses(events.DeviceAccepted, **{**ACCEPTS, "serial_number": "P-3"})
    assert at.table.holds == (hold,)
    at.does(events.DeviceAccepted, **ACCEPTS)
    assert not at.table.holds
    assert at.table.serial_numbers == {"panel": SerialNumber("P-2")}
    assert "no other device" in at.refuses(events.DeviceAccepted, **ACCEPTS)


def test_it_is_offered_to_the_technician_and_answers_the_prompt() -> None:
    at = exchanged()
    found = offered(at.terms, at.table, at.now)
    (offer,) = [one for one in found.offers if one.acts[0].action == "device_accepted"]
    assert (offer.who, offer.group) == ("technician", "due")
    assert offer.acts[0].given == {"device": "panel", "serial_number": "P-2"}
    assert [ask.name for ask in offer.asks] == ["second", "reason"]
    (answered,) = [id_ for asked, id_ in found.prompts if asked.answer == "device_accepted"]
    assert answered == offer.id
    assert not [one for one in found.offers if one.acts[0].action == "hold_cleared"]


def test_each_of_two_is_answered_by_its_own() -> None:
    at = exchanged()
    at.does(events.DeviceExchanged, device="shoe", serial_number="S-2", expected="S-1")
    found = offered(at.terms, at.table, at.now)
    by_id = {one.id: one for one in found.offers}
    said = [(asked.text, by_id[id_]) for asked, id_ in found.prompts if id_]
    answers = {text: offer for text, offer in said if "in place of" in text}
    assert len(answers) == 2
    for text, offer in answers.items():
        assert str(offer.acts[0].given["device"]) in text


def test_the_right_one_is_back_and_a_floorperson_clears_it() -> None:
    at = exchanged()
    at.does(events.DeviceRecovered, device="panel", nature=CAUSE)
    (hold,) = at.table.holds
    assert hold.over
    assert not at.table.exchanged
    at.refuses(events.DeviceAccepted, **ACCEPTS)
    at.does(events.HoldCleared, hold=hold.number, by=FLOOR, reason="the right one is back")
    assert not at.table.holds


def test_a_third_device_is_another_question() -> None:
    at = exchanged()
    at.does(events.DeviceExchanged, device="panel", serial_number="P-3", expected="P-1")
    first, second = at.table.holds
    assert first.over
    assert not second.over
    at.refuses(events.DeviceAccepted, **ACCEPTS)
    at.does(events.DeviceAccepted, **{**ACCEPTS, "serial_number": "P-3"})
    assert [one.number for one in at.table.holds] == [first.number]


def test_a_shoe_that_was_exchanged_in_the_deal_makes_the_round_void() -> None:
    at = open_table("pa-639a", "automated shoe").shuffles().antes(1).locks()
    at.send(events.DeviceExchanged, device="shoe", serial_number="S-2", expected="S-1")
    assert any(hold.where == "shoe" for hold in at.table.holds)


def test_what_stands_there_when_the_table_is_opened_belongs_there() -> None:
    at = AtTheTable(exchanged().terms)
    at.does(events.TableOpened, by=FLOOR, serial_numbers={"panel": "P-1", "shoe": "S-1"})
    assert expected(at.table, "panel", "") == "P-1"
    assert expected(at.table, "shuffler", "") == "", "any may come where none has stood"
    # Of one that is known already nothing is learnt by opening.
    again = {"panel": "P-9"}
    at.does(events.TableClosed, by=FLOOR)
    at.does(events.TableOpened, by=FLOOR, serial_numbers=again)
    assert expected(at.table, "panel", "") == "P-1"


@pytest.mark.parametrize(
    ("known", "named", "belongs"),
    [
        (None, "", ""),
        (None, "A", "A"),
        # On record where the file named none: a file that does so now has the last word.
        (SerialNumber("B"), "", "B"),
        (SerialNumber("B"), "A", "A"),
        # Accepted in place of what the file names, until the file names another.
        (SerialNumber("B", "A"), "A", "B"),
        (SerialNumber("B", "A"), "B", "B"),
        (SerialNumber("B", "A"), "C", "C"),
        (SerialNumber("B", "A"), "", "B"),
    ],
)
def test_the_file_has_the_last_word_unless_people_said_otherwise_since(
    known: SerialNumber | None, named: str, belongs: str
) -> None:
    numbers = {} if known is None else {"panel": known}
    assert expected(Table(serial_numbers=numbers), "panel", named) == belongs
