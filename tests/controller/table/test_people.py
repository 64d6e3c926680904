"""Who may do what, who sits where, and what becomes of a player who leaves."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from msgspec.structs import replace

from controller.table import events
from controller.table.commands import CollectWager, TakeIn
from controller.table.machine import step
from controller.table.people import Person, Role
from controller.table.prompts import prompts
from controller.table.state import Hold
from controller.table.transitions import TRANSITIONS
from tests.controller.table.playing import BOOKS, DEALER, FLOOR, AtTheTable, open_table, terms_of

ROLES: tuple[Role, ...] = get_args(Role)
STAND_IN: dict[str, set[str]] = {"floorperson": {"floorperson", "supervisor"}}
#: What the acts need besides the person; enough to be asked, not enough to be taken.
GIVEN: dict[str, Any] = {
    "deck": "A",
    "colour": "red",
    "design": "bee",
    "reason": "a test",
    "depth": 20,
    "seat": 1,
    "player": "p1",
    "lost": True,
    "chips": 0,
    "to": 1,
    "card": "2c",
    "cards": "2c",
    "where": "dealer",
    "choice": "fold",
    "seats": (1,),
    "wager": "progressive",
    "hold": 1,
    "device": "shoe",
    "cards_inside": 0,
    "how": "covered",
    "method": "hand",
    "meter": "progressive",
    "level": "main",
    "cents": 1,
    "second": FLOOR,
    "faces": "face down",
    "person": "y",
    "place": "page 192.0.2.7",
    "serial_number": "P-2",
}
COUNTS = (events.CardsDealt, events.MisdealReported, events.StubCounted)


def act(kind: type[events.Act], by: Person, at: int) -> Any:
    fields = {f: GIVEN[f] for f in kind.__struct_fields__ if f in GIVEN}
    if kind in COUNTS:
        fields["cards"] = 1
    return kind(at=at, by=by, **fields)


@pytest.mark.rule("R40")
@pytest.mark.parametrize("role", ROLES)
def test_every_act_is_refused_to_every_role_but_its_own(role: Role) -> None:
    """Each row of the table of transitions that names a role, in a phase in which it may happen."""
    at = AtTheTable(terms_of("pa-639a"))
    asked = 0
    for kind, rule in TRANSITIONS.items():
        if rule.role not in ROLES or role in STAND_IN.get(rule.role, {rule.role}):
            continue
        table = replace(at.table, phase=rule.phases[0])
        done = step(at.terms, table, act(kind, Person("x", role), at.now))  # type: ignore[arg-type]
        assert f"is for a {rule.role}, not for x as {role}" in done.refused, kind
        assert done.table is table
        asked += 1
    assert asked > 10


def test_only_the_role_that_a_hold_names_clears_it() -> None:
    at = AtTheTable(terms_of("pa-639a"))
    hold = Hold(1, "jam", "shoe", 0, "deal", "floorperson")
    table = replace(at.table, holds=(hold,))
    for role in ROLES:
        clear = events.HoldCleared(at=at.now, by=Person("x", role), hold=1, reason="seen")
        done = step(at.terms, table, clear)
        assert bool(done.refused) is (role not in STAND_IN["floorperson"])


# --- Where people are listed ------------------------------------------------

LISTED: dict[str, tuple[Role, ...]] = {
    DEALER.id: ("dealer",),
    FLOOR.id: ("floorperson", "dealer"),
    "supervisor-1": ("supervisor",),
    "supervisor-2": ("supervisor", "auditor"),
    "technician-1": ("technician",),
}


def test_only_listed_people_act_and_only_in_their_roles() -> None:
    at = AtTheTable(terms_of("pa-639a", people=LISTED))
    why = at.refuses(events.TableOpened, by=Person("eve", "floorperson"))
    assert "eve is not among the people of this table" in why
    why = at.refuses(events.TableOpened, by=Person(DEALER.id, "supervisor"))
    assert "dealer-1 is no supervisor at this table; dealer-1 is dealer" in why
    at.opens().sits(1, 3)
    # The role that was claimed decides, of those that a person has.
    at.shuffles()
    at.does(events.RackCleared, by=Person(FLOOR.id, "dealer"))
    assert "is for a dealer" in at.refuses(events.RackCleared, by=FLOOR)
    assert at.refuses(events.RackCleared, by=Person("eve", "dealer"))


def test_the_second_of_two_people_is_listed_too() -> None:
    at = AtTheTable(terms_of("pa-639a", people=LISTED))
    change: dict[str, Any] = {"meter": "progressive", "level": "main", "reason": "a test"}
    fix = {**change, "cents": 1_000_100, "by": Person("supervisor-1", "supervisor")}
    for second in (Person("eve", "supervisor"), Person("technician-1", "supervisor")):
        why = at.refuses(events.MeterCorrected, second=second, **fix)
        assert "at this table" in why or "of this table" in why
    at.does(events.MeterCorrected, second=Person("supervisor-2", "supervisor"), **fix)
    put = {**change, "by": Person("technician-1", "technician")}
    at.refuses(events.MeterReset, second=Person("auditor-1", "auditor"), **put)
    at.does(events.MeterReset, second=Person("supervisor-2", "auditor"), **put)


# --- Seats ------------------------------------------------------------------


def test_a_seat_has_one_player() -> None:
    at = open_table("pa-639a")
    assert "p1 sits at seat 1" in at.refuses(events.PlayerSat, seat=1, player="other")
    assert "is not a seat" in at.refuses(events.PlayerSat, seat=8, player="other")
    assert "nobody sits" in at.refuses(events.PlayerLeft, seat=2)


BOXES = {"pa-639a": "PA-639a.7(e)", "pa-682a": "PA-682a.7(e)", "pa-683a": "PA-683a.7(e)"}


@pytest.mark.parametrize(
    ("book", "clause"),
    [pytest.param(book, clause, marks=pytest.mark.rule(clause)) for book, clause in BOXES.items()],
)
def test_the_boxes_of_a_patron_stay_next_to_each_other(book: str, clause: str) -> None:
    at = AtTheTable(terms_of(book, options={}, boxes=3)).opens()
    # One patron is one patron, however the name is spelled.
    for seat, spelled in ((2, "Ann Lee"), (3, " ann  LEE "), (4, "ANN LEE")):
        at.does(events.PlayerSat, seat=seat, player=spelled)
    assert "at most 3" in at.refuses(events.PlayerSat, seat=5, player="Ann\tLee")
    at.does(events.PlayerSat, seat=5, player="Ann Leeds")
    why = at.refuses(events.PlayerLeft, seat=3)
    assert "2, 4 would not be next to each other" in why
    assert clause in why
    for seat in (2, 3, 4):
        at.does(events.PlayerLeft, seat=seat)
    at.does(events.PlayerSat, seat=2, player="Ann Lee")
    assert "not next to each other" in at.refuses(events.PlayerSat, seat=4, player="ann lee")


@pytest.mark.rule("PA-669a.7(e)", "S10.(f)(5)", "MA.6(e)")
@pytest.mark.parametrize("book", ["pa-669a", "s10", "ma"])
def test_one_patron_has_one_hand_however_the_name_is_spelled(book: str) -> None:
    at = AtTheTable(terms_of(book, options={})).opens()
    at.does(events.PlayerSat, seat=1, player="Ann")
    assert "at most 1" in at.refuses(events.PlayerSat, seat=2, player="ANN ")
    assert "has no name" in at.refuses(events.PlayerSat, seat=2, player="  ")


@pytest.mark.parametrize(
    ("book", "boxes"),
    [
        pytest.param("pa-639a", 2, marks=pytest.mark.rule("PA-639a.7(e)")),
        pytest.param("s10", 1, marks=pytest.mark.rule("S10.(f)(5)")),
        pytest.param("ma", 1, marks=pytest.mark.rule("MA.6(e)")),
        pytest.param("pa-669a", 1, marks=pytest.mark.rule("PA-669a.7(e)")),
        pytest.param("pa-682a", 2, marks=pytest.mark.rule("PA-682a.7(e)")),
        pytest.param("pa-683a", 2, marks=pytest.mark.rule("PA-683a.7(e)")),
    ],
)
def test_a_player_has_no_more_boxes_than_the_rulebook_or_the_operator_says(
    book: str, boxes: int
) -> None:
    at = AtTheTable(terms_of(book, boxes=boxes)).opens()
    at.does(events.PlayerSat, seat=2, player="ann")
    if boxes > 1:
        why = at.refuses(events.PlayerSat, seat=4, player="ann")
        assert "2, 4 are not next to each other" in why
        at.does(events.PlayerSat, seat=3, player="ann")
    why = at.refuses(events.PlayerSat, seat=2 + boxes, player="ann")
    assert f"one player has {boxes + 1}; at most {boxes}" in why
    # The box is free for another, and for the same player in another one's place.
    at.does(events.PlayerSat, seat=2 + boxes, player="bob")
    at.does(events.PlayerLeft, seat=2)
    at.does(events.PlayerSat, seat=1 if boxes == 1 else 2, player="ann")


def test_a_player_leaves_between_rounds_without_money_behind() -> None:
    at = open_table("pa-639a").shuffles()
    assert "cash out first" in at.refuses(events.PlayerLeft, seat=1)
    at.does(events.CashedOut, seat=1, transfer="c1", cents=1_000_000)
    at.antes(1)
    assert "wagers are down" in at.refuses(events.PlayerLeft, seat=1)
    at.does(events.WagerTakenBack, seat=1, wager="ante")
    at.does(events.PlayerLeft, seat=1)
    assert at.table.seat(1).player is None


# --- Leaving in a round -----------------------------------------------------


def deciding(book: str) -> AtTheTable:
    return open_table(book).shuffles().antes(1, 3).locks().deals()


@pytest.mark.rule("PA-639a.7(b)", "PA-669a.7(b)", "PA-682a.7(b)", "PA-683a.7(b)")
@pytest.mark.parametrize("book", ["pa-639a", "pa-669a", "pa-682a", "pa-683a"])
@pytest.mark.parametrize("lost", [True, False])
def test_a_floorperson_decides_about_wagers_that_a_player_leaves(book: str, lost: bool) -> None:
    at = deciding(book)
    at.does(events.PlayerLeft, seat=1)
    held = at.table.holds[-1]
    assert (held.where, held.blocks, held.clears) == ("seat 1", "play", "floorperson")
    down = at.table.seat(1).wagers
    # Nothing goes on, and nothing is lost, before the decision.
    assert f"hold {held.number} blocks it" in at.refuses(
        events.Decided, seat=1, choice="wager", amount=2000
    )
    assert at.table.seat(1).wagers == down
    assert "is for a floorperson" in at.refuses(events.WagersAbandoned, seat=1, lost=lost)
    assert "no player with wagers has left" in at.refuses(
        events.WagersAbandoned, seat=3, lost=lost, by=FLOOR
    )
    at.does(events.WagersAbandoned, seat=1, lost=lost, by=FLOOR)
    assert at.table.seat(1).leaving_decided_by == FLOOR.id
    assert not at.table.holds
    assert "has decided" in at.refuses(events.WagersAbandoned, seat=1, lost=lost, by=FLOOR)
    if lost:
        assert at.sent(TakeIn)[0].wagers == tuple(down)
    else:
        assert not at.sent(TakeIn)
        assert at.table.seat(1).wagers == down
        assert not at.table.seat(1).folded
        assert not at.table.seat(1).forfeited
        times = {"pa-639a": 2}.get(book, 1)
        wager = {"seat": 1, "choice": "wager", "amount": times * 1000}
        why = at.refuses(events.Decided, **wager)
        assert "has left seat 1 and places no wager" in why
        assert f"PA-{book[3:]}.7(b)" in why
    before = len(at.commands)
    at.decides().reveals().pays().racks()
    taken = {c.wager for c in at.commands[before:] if isinstance(c, CollectWager) and c.seat == 1}
    if lost:
        assert set(down) <= taken


@pytest.mark.rule("PA-639a.7(b)", "PA-669a.7(b)", "PA-682a.7(b)", "PA-683a.7(b)")
@pytest.mark.rule("S10.(f)(6)", "MA.6(f)")
@pytest.mark.parametrize("book", BOOKS)
def test_nobody_wagers_at_an_empty_seat(book: str) -> None:
    at = open_table(book).shuffles()
    why = at.refuses(events.WagerPlaced, seat=2, wager="ante", amount=1000)
    assert "nobody sits at seat 2" in why


@pytest.mark.rule("S10.(f)(6)", "MA.6(f)")
@pytest.mark.parametrize("book", ["s10", "ma"])
def test_leaving_changes_no_wager_where_none_is_abandoned(book: str) -> None:
    at = deciding(book)
    before = at.table.seat(1).wagers
    at.does(events.PlayerLeft, seat=1)
    assert at.table.seat(1).wagers == before
    assert not at.table.seat(1).forfeited
    assert "does not abandon wagers here" in at.refuses(
        events.WagersAbandoned, seat=1, lost=True, by=FLOOR
    )
    why = at.refuses(events.Decided, seat=1, choice="wager", amount=2000)
    assert "has left seat 1 and places no wager" in why
    # The round is played to its end; the next one waits until a floorperson has taken note.
    at.decides().reveals().pays().racks()
    deck = at.table.deck
    at.does(events.ShuffleCompleted, deck=deck, count=52)
    assert "the player left" in at.refuses(events.DeckLoaded, deck=deck)
    hold = at.table.holds[0]
    assert at.refuses(events.HoldCleared, hold=hold.number, reason="seen", by=DEALER)
    at.does(events.HoldCleared, hold=hold.number, reason="gone for good", by=FLOOR)
    at.does(events.DeckLoaded, deck=deck)


@pytest.mark.rule("S10.(f)(6)", "MA.6(f)")
@pytest.mark.parametrize("book", ["s10", "ma"])
def test_a_hand_that_was_left_folds_and_the_dealer_is_told_so(book: str) -> None:
    at = deciding(book)
    at.does(events.PlayerLeft, seat=1)
    texts = [one.text for one in prompts(at.terms, at.table)]
    assert "seat 1: fold, as the player has left and places no bet" in texts
    at.does(events.Decided, seat=1, choice="fold")
    assert at.table.seat(1).folded


def test_a_player_who_comes_back_in_time_plays_on() -> None:
    at = deciding("s10")
    at.does(events.PlayerLeft, seat=1)
    assert "p1 sits at seat 1" in at.refuses(events.PlayerSat, seat=1, player="other")
    at.does(events.PlayerSat, seat=1, player="P1")
    at.does(events.Decided, seat=1, choice="wager", amount=2000)


def test_a_bet_that_was_placed_stays_when_its_player_leaves() -> None:
    at = deciding("s10")
    at.does(events.Decided, seat=1, choice="wager", amount=2000)
    at.does(events.PlayerLeft, seat=1)
    assert at.table.seat(1).wagers["bet"] == 2000
    at.decides().reveals()
    assert {due.seat for due in at.table.due} == {1, 3}


@pytest.mark.parametrize("book", ["pa-639a", "pa-682a"])
def test_a_round_of_abandoned_wagers_alone_still_ends(book: str) -> None:
    at = open_table(book).shuffles().antes(1).locks().deals()
    at.does(events.PlayerLeft, seat=1)
    at.does(events.WagersAbandoned, seat=1, lost=True, by=FLOOR)
    assert at.phase == "revealing"
    at.reveals()
    assert at.phase == "clearing"
    at.racks()


def test_who_leaves_twice_or_after_settlement() -> None:
    at = deciding("pa-639a")
    at.does(events.PlayerLeft, seat=1)
    assert "has left seat 1 already" in at.refuses(events.PlayerLeft, seat=1)
    at.does(events.WagersAbandoned, seat=1, lost=False, by=FLOOR)
    at.decides().reveals()
    at.does(events.PlayerLeft, seat=3)
    assert not at.table.holds  # what is owed is known: nothing is left to decide
    at.pays().racks()
    # Money is on their accounts: they are waited for.
    assert at.table.seat(3).player == "p3"
