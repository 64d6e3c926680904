"""Badges at the table: what one is good for, and what one that is nobody's counts for."""

from __future__ import annotations

from controller.table import badges, events
from controller.table.people import Person, Role
from tests.controller.table.playing import (
    BOSS,
    DEALER,
    FLOOR,
    AtTheTable,
    open_table,
    terms_of,
)

READER = {"device": "badge", "badge": "3fa9c1d2"}
HERE = "reader badge"


#: Who is of a table that lists its people.
PEOPLE: dict[str, tuple[Role, ...]] = {DEALER.id: ("dealer",)}


def table() -> AtTheTable:
    return open_table("pa-639a")


def test_a_badge_alone_puts_its_person_on_duty() -> None:
    at = table()
    at.does(events.BadgeRead, **READER, who=DEALER, with_pin=False)
    assert at.table.on_duty["dealer"].person == DEALER.id
    assert at.table.badge is None


def test_with_a_pin_it_waits_until_the_person_signs_on_and_not_for_long() -> None:
    at = table()
    at.does(events.BadgeRead, **READER, who=DEALER)
    assert "dealer" not in at.table.on_duty
    waits = badges.waiting(at.table, at.now)
    assert waits is not None
    assert (waits.person, waits.role, waits.device) == (DEALER.id, "dealer", "badge")
    assert badges.waiting(at.table, waits.at + badges.WAITS) is None
    at.does(events.SignedOn, by=FLOOR)
    assert at.table.badge is not None
    at.does(events.SignedOn, by=DEALER)
    assert at.table.badge is None


def test_it_is_good_for_nobody_who_is_not_of_this_table_or_not_in_that_role() -> None:
    at = AtTheTable(terms_of("pa-639a", people=PEOPLE))
    said = at.refuses(events.BadgeRead, **READER, who=Person("eve", "dealer"), with_pin=False)
    assert "eve is not among the people of this table" in said
    boss = Person(DEALER.id, "supervisor")
    assert "is no supervisor" in at.refuses(events.BadgeRead, **READER, who=boss, with_pin=False)
    assert not at.table.on_duty


def test_a_badge_opens_no_credential_that_is_locked_there_or_everywhere() -> None:
    at = table()
    wrong = {"person": DEALER.id, "by_place": True}
    for _ in range(3):
        at.does(events.CredentialRefused, **wrong, device=HERE)
    said = at.refuses(events.BadgeRead, **READER, who=DEALER, with_pin=False)
    assert f"{DEALER.id} is locked out at {HERE}" in said
    for _ in range(7):
        at.does(events.CredentialRefused, **wrong, device="page 192.0.2.7")
    elsewhere = {"device": "badge 2", "badge": "3fa9c1d2"}
    assert "is locked" in at.refuses(events.BadgeRead, **elsewhere, who=DEALER, with_pin=False)


def test_badges_that_are_nobodys_count_as_wrong_pins_do_and_shut_their_reader() -> None:
    at = table()
    for n in range(3):
        at.does(
            events.BadgeRefused, device="badge", badge=f"0000000{n}", reason="it is nobody's badge"
        )
    [resting] = at.table.resting
    assert resting.place == HERE
    said = at.refuses(events.BadgeRead, **READER, who=DEALER, with_pin=False)
    assert f"nobody signs on at {HERE}" in said
    # Nowhere else, and a supervisor opens it again.
    at.does(events.BadgeRead, device="badge 2", badge="3fa9c1d2", who=DEALER, with_pin=False)
    at.does(events.PlaceUnlocked, by=BOSS, place=HERE, reason="a guest's card")
    at.does(events.BadgeRead, **READER, who=FLOOR, with_pin=False)
    assert at.table.on_duty["floorperson"].person == FLOOR.id


def test_one_badge_that_is_tried_again_and_again_is_locked() -> None:
    at = table()
    for n in range(10):
        at.does(events.BadgeRefused, device=f"badge {n}", badge="0badbadb", reason="it is nobody's")
    [one] = at.table.credentials
    assert (one.person, one.locked) == ("badge 0badbadb", True)


def test_a_new_badge_and_a_withdrawn_one_end_the_duty_of_whoever_had_it() -> None:
    for kind in (events.BadgeGiven, events.BadgeWithdrawn):
        at = table()
        at.does(events.BadgeRead, **READER, who=DEALER, with_pin=False)
        at.does(events.BadgeRead, **READER, who=FLOOR, with_pin=True)
        at.does(kind, person=DEALER.id, badge="3fa9c1d2", device="control socket, user root")
        assert not at.table.on_duty
        assert at.table.badge is not None
        at.does(kind, person=FLOOR.id, badge="3fa9c1d2", device="control socket, user root")
        assert at.table.badge is None
    guest = {"person": "eve", "badge": "3fa9c1d2", "device": "control socket, user root"}
    listed = AtTheTable(terms_of("pa-639a", people=PEOPLE))
    assert "not among the people" in listed.refuses(events.BadgeGiven, **guest)
