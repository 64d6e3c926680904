"""Wrong PINs lock a credential, and maintenance takes two people."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from controller.table import events
from controller.table.commands import Lock, StartShuffle
from controller.table.people import Person, Role
from controller.table.prompts import prompts
from controller.table.state import Table
from controller.table.terms import HOUR
from tests.controller.table.playing import (
    BOSS,
    DEALER,
    FLOOR,
    OTHER_BOSS,
    TECH,
    AtTheTable,
    open_table,
    terms_of,
)

# --- Credentials ------------------------------------------------------------


def wrong(at: AtTheTable, person: Person, times: int = 1, device: str = "panel") -> None:
    for _ in range(times):
        at.does(events.CredentialRefused, person=person.id, device=device)


@pytest.mark.rule("R40")
@pytest.mark.parametrize("most", [1, 3, 5])
def test_wrong_pins_lock_the_credential_until_somebody_else_unlocks_it(most: int) -> None:
    at = open_table("pa-639a", wrong_pins=most).shuffles().antes(1)
    wrong(at, DEALER, most - 1)
    at.does(events.RackCleared)
    wrong(at, DEALER, device="console 2")
    tried = at.taken[-1]
    assert isinstance(tried, events.CredentialRefused)
    assert (tried.person, tried.device, tried.at) == (DEALER.id, "console 2", at.now)
    prompt = prompts(at.terms, at.table)[0]
    assert prompt.who == "supervisor"
    assert f"{DEALER.id} is locked: {most} wrong PINs, last at console 2" in prompt.text
    assert f"locked after {most} wrong PINs" in at.refuses(events.LockOutPressed)
    # In no role, not by a right PIN now, not by time, not by a restart.
    assert "is locked" in at.refuses(events.TableClosed, by=Person(DEALER.id, "floorperson"))
    assert "is locked" in at.refuses(events.CredentialAccepted, person=DEALER.id, device="panel")
    at.now += HOUR
    at.table = msgspec.json.decode(msgspec.json.encode(at.table), type=Table)
    assert "is locked" in at.refuses(events.LockOutPressed)
    # The others play on.
    at.does(events.PlayerSat, seat=2, player="p2", by=Person("dealer-2", "dealer"))
    unlock: dict[str, Any] = {"person": DEALER.id, "reason": "forgot it"}
    others: tuple[Role, ...] = ("dealer", "floorperson", "technician", "auditor")
    for who in (Person("x", role) for role in others):
        assert "is for a supervisor" in at.refuses(events.CredentialUnlocked, by=who, **unlock)
    at.does(events.CredentialUnlocked, by=BOSS, **unlock)
    at.does(events.LockOutPressed)
    # It begins anew.
    wrong(at, DEALER, most)
    assert "is locked" in at.refuses(events.ChipsCounted, chips=0)


@pytest.mark.rule("R40")
def test_nobody_unlocks_themselves() -> None:
    at = open_table("pa-639a")
    wrong(at, BOSS, 3)
    unlock = {"person": BOSS.id, "reason": "it was me"}
    assert "is locked" in at.refuses(events.CredentialUnlocked, by=BOSS, **unlock)
    at.does(events.CredentialUnlocked, by=OTHER_BOSS, **unlock)
    assert "is not locked" in at.refuses(events.CredentialUnlocked, by=OTHER_BOSS, **unlock)


@pytest.mark.rule("R40")
def test_the_second_of_two_people_is_not_locked_either() -> None:
    at = AtTheTable(terms_of("pa-639a"))
    wrong(at, OTHER_BOSS, 3)
    change = {"meter": "progressive", "level": "main", "cents": 1_000_100, "reason": "a test"}
    assert "supervisor-2 is locked" in at.refuses(
        events.MeterCorrected, by=BOSS, second=OTHER_BOSS, **change
    )


def test_only_wrong_pins_in_a_row_count() -> None:
    at = open_table("pa-639a")
    for _ in range(5):
        wrong(at, DEALER, 2)
        at.does(events.CredentialAccepted, person=DEALER.id, device="panel")
    assert at.table.credentials == ()


def test_a_name_that_nobody_has_is_only_recorded() -> None:
    people: dict[str, tuple[Role, ...]] = {"dealer-1": ("dealer",), "floor-1": ("floorperson",)}
    at = AtTheTable(terms_of("pa-639a", people=people))
    for n in range(100):
        wrong(at, Person(f"guess{n}", "dealer"))
    assert at.table.credentials == ()
    assert len(at.taken) == 100


def test_a_locked_credential_outlasts_any_number_of_guesses_at_others() -> None:
    at = AtTheTable(terms_of("pa-639a"))
    wrong(at, DEALER, 3)
    for n in range(200):
        wrong(at, Person(f"guess{n}", "dealer"))
    assert len(at.table.credentials) <= 64
    assert "is locked" in at.refuses(events.CredentialAccepted, person=DEALER.id, device="panel")


# --- Maintenance ------------------------------------------------------------

WHY: dict[str, Any] = {"reason": "a new belt"}


@pytest.mark.rule("R40")
@pytest.mark.parametrize("kind", [events.MaintenanceEntered, events.MaintenanceLeft])
def test_maintenance_takes_two_different_people_each_way(kind: Any) -> None:
    at = open_table("pa-639a")
    if kind is events.MaintenanceLeft:
        at.does(events.MaintenanceEntered, by=TECH, second=FLOOR, **WHY)
    both = Person(TECH.id, "floorperson")
    assert "takes two different people" in at.refuses(kind, by=TECH, second=both, **WHY)
    for second in (DEALER, Person("tom", "technician"), Person("auditor-1", "auditor")):
        assert "is for a floorperson" in at.refuses(kind, by=TECH, second=second, **WHY)
    for by in (FLOOR, BOSS, DEALER):
        assert "is for a technician" in at.refuses(kind, by=by, second=FLOOR, **WHY)
    at.does(kind, by=TECH, second=FLOOR, **WHY)
    again = "already" if kind is events.MaintenanceEntered else "not in maintenance"
    assert again in at.refuses(kind, by=TECH, second=FLOOR, **WHY)


@pytest.mark.rule("R40")
@pytest.mark.parametrize("phase", ["shuffling", "betting"])
def test_nothing_is_played_in_maintenance(phase: str) -> None:
    at = open_table("pa-639a")
    if phase == "betting":
        at.shuffles()
    commands = at.does(events.MaintenanceEntered, by=TECH, second=FLOOR, **WHY)
    assert at.phase == "shuffling"
    assert bool([c for c in commands if isinstance(c, Lock)]) is (phase == "betting")
    assert not [c for c in commands if isinstance(c, StartShuffle)]
    # A cycle that the technician runs is no way back into play.
    at.does(events.ShuffleCompleted, deck="A", count=52)
    assert "a new belt (technician-1 and floor-1)" in at.refuses(events.DeckLoaded, deck="A")
    (hold,) = at.table.holds
    assert "together" in at.refuses(events.HoldCleared, hold=hold.number, by=BOSS, reason="done")
    at.does(events.ShuffleStarted, deck="A")
    commands = at.does(events.MaintenanceLeft, by=TECH, second=BOSS, **WHY)
    # The cards were in other hands: they are shuffled before they are dealt.
    assert [c.deck for c in commands if isinstance(c, StartShuffle)] == ["A"]
    assert "not shuffled" in str(at.send(events.DeckLoaded, deck="A").refused or at.table.holds)
    for one in at.table.holds:
        at.does(events.HoldCleared, hold=one.number, by=FLOOR, reason="cards are out of it")
    at.plays(1, 3)


@pytest.mark.rule("R40")
def test_no_maintenance_while_money_is_on_the_table() -> None:
    at = open_table("pa-639a").shuffles().antes(1)
    enter: dict[str, Any] = {"by": TECH, "second": FLOOR, **WHY}
    assert "wagers are down" in at.refuses(events.MaintenanceEntered, **enter)
    at.locks().does(events.DealPressed)
    assert "not for the phase dealing" in at.refuses(events.MaintenanceEntered, **enter)


def test_a_closed_table_is_maintained_too() -> None:
    at = AtTheTable(terms_of("pa-639a"))
    at.does(events.MaintenanceEntered, by=TECH, second=FLOOR, **WHY)
    assert any(prompt.who == "technician" for prompt in prompts(at.terms, at.table))
    at.opens()
    at.does(events.ShuffleCompleted, deck="A", count=52)
    at.refuses(events.DeckLoaded, deck="A")
    at.does(events.MaintenanceLeft, by=TECH, second=FLOOR, **WHY)
    at.does(events.DeckLoaded, deck="A")


@pytest.mark.rule("R36", "R40")
def test_a_new_pin_frees_a_locked_credential_and_whoever_has_it_signs_on_again() -> None:
    at = AtTheTable(terms_of("pa-639a", people={"supervisor-1": ("supervisor",)}))
    at.does(events.SignedOn, by=BOSS)
    for _ in range(at.terms.wrong_pins):
        at.does(events.CredentialRefused, person="supervisor-1", device="page 1")
    unlock = {"person": "supervisor-1", "reason": "it was me", "by": BOSS}
    refused = at.refuses(events.CredentialUnlocked, **unlock)
    assert "felt pin" in refused
    assert not at.table.on_duty
    at.does(events.CredentialReissued, person="supervisor-1", device="control socket, user root")
    assert not at.table.credentials
    at.does(events.SignedOn, by=BOSS)
    # A new PIN for somebody who is on duty: whoever knows it proves that first.
    at.does(events.CredentialReissued, person="supervisor-1", device="control socket, user root")
    assert not at.table.on_duty
    guest = {"person": "guest-1", "device": "control socket, user root"}
    assert "not among the people" in at.refuses(events.CredentialReissued, **guest)
