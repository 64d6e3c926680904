"""Meters: exact, readable, and moved only by what may move them."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec.structs import replace

from controller.rules.paytables import dollars
from controller.rules.ruleset import Ruleset
from controller.table import events, meters
from controller.table.machine import step
from controller.table.people import Person
from controller.table.state import PER_CENT, Meter, Table
from tests.controller.table.playing import (
    BOSS,
    DEALER,
    FLOOR,
    OFFER,
    OTHER_BOSS,
    TECH,
    AtTheTable,
    open_table,
    terms_of,
)
from tests.controller.table.rigged import (
    ACE_KING,
    FLUSH,
    LOW,
    NO_HAND,
    ROYAL,
    STRAIGHT_FLUSH,
    played,
)

PROGRESSIVE = ["pa-639a", "s10", "ma", "pa-669a"]
AUDIT = Person("ann", "auditor")
OTHER_TECH = Person("tom", "technician")
#: A rate for each level, together what the text wants at least, or all of the wager.
LINKED: dict[str, dict[str, Any]] = {
    "PTMGLML01": {"progressive_wager": 100, "progressive_rate": {"major": 60, "minor": 10}},
    "PTMGLML02": {
        "progressive_wager": 500,
        "progressive_rate": {"mega": 50, "major": 30, "minor": 20},
    },
    "PTMGLML03": {
        "progressive_wager": 100,
        "progressive_rate": {"mega": 33, "major": 33, "minor": 7},
    },
}
#: One of each kind of rate: one level, two with a reserve, three levels, the operator's own.
RATED: list[tuple[str, dict[str, Any]]] = [
    *(("pa-639a", {"progressive": c, "progressive_wager": 100}) for c in "DFGH"),
    *(("pa-639a", {"progressive": c, "progressive_wager": 37}) for c in "ABCE"),
    (
        "pa-639a",
        {"progressive": "D", "progressive_wager": 500, "five_card": True, "five_card_wager": 333},
    ),
    *(("s10", {**OFFER["s10"], "progressive_rate": rate}) for rate in (70, 83, 100)),
    ("ma", OFFER["ma"]),
    *(("ma", {"progressive": table, **options}) for table, options in LINKED.items()),
    ("pa-669a", OFFER["pa-669a"]),
]


def total(meter: Meter) -> int:
    """Everything that wagers have put into a meter, in hundredths of a cent."""
    return meter.reserve + sum(one.holds + one.overflow for one in meter.levels.values())


# --- Contributions ----------------------------------------------------------


@pytest.mark.rule("R25", "PA-639a.12(d)(4)", "PA-639a.12(e)(4)", "PA-669a.12(e)(3)")
@pytest.mark.parametrize(("book", "options"), RATED)
def test_increments_are_exactly_rate_times_handle(book: str, options: dict[str, Any]) -> None:
    """A long run of locks: what the meters rose by is the rate of what was wagered, no more."""
    at = open_table(book, options=options).shuffles()
    seats = [1, 3, at.terms.seats]
    offered = [w for w in ("progressive", "five_card_player") if at.terms.ruleset.offers(w)]
    dice = random.Random(7)
    start = dict(at.table.meters)
    table = at.table
    handle = dict.fromkeys(start, 0)
    for _ in range(2000):
        for seat in seats:
            wagers = {"ante": 1000}
            for wager in offered:
                if dice.random() < 0.7:
                    name = at.terms.ruleset.wagers[wager].meter
                    assert name is not None
                    # Odd cents where the table takes them: fractions of a cent are carried.
                    wagers[wager] = at.terms.wager_on(name)
                    handle[name] += wagers[wager]
            table = with_wagers(table, seat, wagers)
        table = meters.contributed(at.terms, table, at=0)
    for name, meter in table.meters.items():
        rates = at.terms.ruleset.meters[name]
        for level, rate in rates.rate.items():
            rise = meter.levels[level].holds - start[name].levels[level].holds
            assert rise == handle[name] * (rate or 0)
        assert meter.reserve == handle[name] * (rates.reserve_rate or 0)
        assert meter.cents_in == handle[name]


@pytest.mark.parametrize(
    ("book", "options", "dollars"),
    [
        pytest.param(
            "pa-639a",
            {"progressive": "G"},
            {"mega": 10_000, "major": 1_000, "minor": 250},
            marks=pytest.mark.rule("PA-639a.12(d)(4)"),
        ),
        pytest.param(
            "pa-669a",
            {"progressive": True},
            {"main": 1_000},
            marks=pytest.mark.rule("PA-669a.12(e)(3)"),
        ),
    ],
)
@pytest.mark.parametrize("wager", [100, 500])
def test_a_meter_begins_with_its_seed_for_each_dollar_of_the_wager(
    book: str, options: dict[str, Any], dollars: dict[str, int], wager: int
) -> None:
    at = open_table(book, options={**options, "progressive_wager": wager})
    shows = at.table.meters["progressive"].shows()
    assert shows == {level: seed * wager for level, seed in dollars.items()}


def with_wagers(table: Table, seat: int, wagers: dict[str, int]) -> Table:
    seats = list(table.seats)
    seats[seat - 1] = replace(seats[seat - 1], wagers=wagers)
    return replace(table, seats=tuple(seats))


@pytest.mark.parametrize("book", PROGRESSIVE)
def test_the_meter_rises_at_the_lock_and_a_void_round_takes_it_back(book: str) -> None:
    at = open_table(book).shuffles().antes(1, 3, progressive=100)
    before = at.table.meters["progressive"]
    at.locks()
    after = at.table.meters["progressive"]
    assert (after.wagers_in, after.cents_in) == (2, 200)
    assert total(after) - total(before) == 200 * (sum(after.rate.values()) + after.reserve_rate)
    at.does(events.RoundVoided, reason="a test", by=FLOOR)
    assert at.table.meters["progressive"] == before
    assert at.table.contributed == ()


def test_a_single_hand_that_is_void_takes_back_only_its_own() -> None:
    at = open_table("s10").shuffles().antes(1, 3, progressive=100).locks()
    before = at.table.meters["progressive"]
    at.does(events.DealPressed)
    at.does(events.StackDispensed, number=1, cards=6)
    after = at.table.meters["progressive"]
    assert (after.wagers_in, after.cents_in) == (1, 100)
    assert total(before) - total(after) == 100 * 70
    at.does(events.RoundVoided, reason="a test", by=FLOOR)
    assert at.table.meters["progressive"].wagers_in == 0
    assert total(at.table.meters["progressive"]) == 1_000_000 * PER_CENT


@pytest.mark.rule("R21")
@pytest.mark.parametrize("cents", [-100, 0, 101, 10**9])
def test_a_contribution_out_of_bounds_is_not_taken_and_alarms(cents: int) -> None:
    at = open_table("pa-639a").shuffles().antes(1, 3, progressive=100)
    if cents >= 0:
        at.does(events.WagerPlaced, seat=7, wager="ante", amount=1000)
        assert at.refuses(events.WagerPlaced, seat=7, wager="progressive", amount=cents)
    # A record that was damaged on its way: the wager is there all the same.
    at.table = with_wagers(at.table, 3, {"ante": 1000, "progressive": cents})
    before = at.table.meters["progressive"]
    at.does(events.LockOutPressed)
    after = at.table.meters["progressive"]
    assert after.wagers_in == before.wagers_in + 1  # seat 1's
    assert total(after) - total(before) == 100 * 21
    hold = at.table.holds[0]
    assert "is out of bounds" in hold.cause
    assert (hold.where, hold.blocks) == ("meter progressive", "play")
    assert "is out of bounds" in at.refuses(events.DealPressed)


@pytest.mark.rule("R21")
@pytest.mark.parametrize(
    "change", [{"progressive_rate": 75}, {"progressive_reset": 2_000_000}], ids=str
)
def test_rates_and_seeds_change_only_while_the_table_is_closed(change: dict[str, int]) -> None:
    at = open_table("s10").shuffles().antes(1, progressive=100)
    old = at.terms
    at.terms = terms_of("s10", options={**OFFER["s10"], **change})
    assert "has another rate, start or limit" in at.refuses(events.LockOutPressed)
    at.terms = old
    at.locks().deals().decides().reveals().pays().racks()
    held = at.table.meters["progressive"].levels
    at.does(events.TableClosed, by=FLOOR)
    at.terms = terms_of("s10", options={**OFFER["s10"], **change})
    at.opens()
    assert at.table.meters["progressive"].levels == held  # what it holds is the players'
    at.shuffles().antes(1, progressive=100).locks()
    rose = total(at.table.meters["progressive"]) - sum(one.holds for one in held.values())
    assert rose == 100 * change.get("progressive_rate", 70)


@pytest.mark.rule("PA-639a.12(d)(4)", "PA-639a.12(e)(4)", "R21")
def test_a_meter_follows_the_wager_that_is_offered() -> None:
    """Seed, increment and reseed are of the wager, and what players paid in stays."""
    dollar = {"progressive": "F", "progressive_wager": 100, "five_card": True}
    at = open_table("pa-639a", options={**dollar, "five_card_wager": 100}).shuffles()
    assert at.table.meters["progressive"].shows() == {"mega": 1_000_000, "major": 100_000}
    assert at.table.meters["five_card"].shows() == {"main": 1_000_000}
    for number in (1, 3):
        at.does(events.WagerPlaced, seat=number, wager="ante", amount=1000)
        for other in (1, 99, 101, 200, 500):
            for wager in ("progressive", "five_card_player", "five_card_dealer"):
                assert "allowed is $1" in at.refuses(
                    events.WagerPlaced, seat=number, wager=wager, amount=other
                )
    at.does(events.WagerPlaced, seat=1, wager="progressive", amount=100)
    at.does(events.WagerPlaced, seat=1, wager="five_card_player", amount=100)
    at.locks().deals().decides().reveals().pays().racks()
    for seat in at.table.seats:
        if seat.balance:
            transfer = f"out {seat.number}"
            at.does(events.CashedOut, seat=seat.number, transfer=transfer, cents=seat.balance)
    at.does(events.TableClosed, by=FLOOR)
    five = {**dollar, "progressive_wager": 500, "five_card_wager": 500}
    at.terms = terms_of("pa-639a", options=five)
    at.opens()
    assert at.table.meters["progressive"].shows() == {"mega": 5_000_011, "major": 500_010}
    assert at.table.meters["five_card"].shows() == {"main": 5_000_013}
    assert at.table.meters["progressive"].reset == {"mega": 5_000_000, "major": 500_000}
    at.does(events.TableClosed, by=FLOOR)
    # Back again: nothing is taken off a meter that players see.
    at.terms = terms_of("pa-639a", options={**dollar, "five_card_wager": 100})
    at.opens()
    assert at.table.meters["progressive"].shows() == {"mega": 5_000_011, "major": 500_010}
    assert at.table.meters["progressive"].reset == {"mega": 1_000_000, "major": 100_000}


@pytest.mark.rule("PA-669a.12(e)(3)")
@pytest.mark.parametrize("cents", [100, 500])
def test_raise_it_up_takes_one_amount_and_starts_again_by_it(cents: int) -> None:
    at = open_table("pa-669a", options={**OFFER["pa-669a"], "progressive_wager": cents}).shuffles()
    assert at.table.meters["progressive"].shows() == {"main": 1000 * cents}
    at.antes(1)
    other = {100: 500, 500: 100}[cents]
    assert at.refuses(events.WagerPlaced, seat=1, wager="progressive", amount=other)
    at.does(events.WagerTakenBack, seat=1, wager="blind")
    at.does(events.WagerTakenBack, seat=1, wager="ante")
    played(at, {3: "As Ks Qs"}, side={"progressive": cents})
    won = next(due for due in at.table.due if due.wager == "progressive" and due.seat == 3)
    rose = sum(seat.wagers.get("progressive", 0) for seat in at.table.seats) * 14 // 100
    assert won.returns == 1000 * cents + rose
    at.pays().racks()
    assert at.table.meters["progressive"].shows() == {"main": 1000 * cents}


@pytest.mark.rule("MA.12(l)", "MA.11(d)(5)")
@pytest.mark.parametrize("paytable", LINKED)
def test_a_dollar_adds_no_more_to_all_levels_than_their_rates_together(paytable: str) -> None:
    options = {"progressive": paytable, **LINKED[paytable]}
    cents, rates = options["progressive_wager"], options["progressive_rate"]
    at = open_table("ma", options=options).shuffles()
    before = at.table.meters["progressive"]
    at.antes(1, progressive=cents).locks()
    after = at.table.meters["progressive"]
    rose = {level: after.levels[level].holds - before.levels[level].holds for level in rates}
    assert rose == {level: cents * rate for level, rate in rates.items()}
    assert 70 * cents <= sum(rose.values()) <= 100 * cents


# --- Awards -----------------------------------------------------------------


def hit(at: AtTheTable, hand: str = STRAIGHT_FLUSH) -> None:
    """A round in which seat 3 wins a share of the meter."""
    played(at, {3: hand, "dealer": NO_HAND}, side={"progressive": 100})
    at.pays().racks().shuffles()


@pytest.mark.rule("R19")
def test_everything_about_a_meter_can_be_read_at_any_moment() -> None:
    at = open_table("ma", meter_limits={"progressive": 1_000_100}).shuffles()
    for _ in range(30):
        hit(at)
    played(at, {3: FLUSH, "dealer": NO_HAND}, side={"progressive": 100})
    shows = meters.reading(at.table.meters["progressive"])  # in the middle of a round
    assert shows["in"] == {"wagers": 31, "cents": 3100}
    assert (shows["hits"], shows["wins"]) == (30, 30)
    level = shows["levels"]["main"]
    assert (level["base"], level["reset"], level["rate"]) == (1_000_000, 1_000_000, 72)
    assert shows["limit"] == 1_000_100
    assert level["overflow"] == 0
    assert shows["reserve"] == 0
    assert len(shows["last hits"]) == 25
    newest, oldest = shows["last hits"][0], shows["last hits"][-1]
    assert (newest["round"], oldest["round"]) == (30, 6)
    assert newest["seat"] == 3
    assert newest["at"] > oldest["at"]
    assert 0 < newest["cents"] < oldest["cents"]
    assert shows["paid"]["cumulative"] == at.table.meters["progressive"].attendant_paid


@pytest.mark.rule("R18")
def test_machine_and_attendant_payouts_add_up_whatever_happens() -> None:
    at = open_table("pa-639a", seed=3).shuffles()
    machine = attendant = 0
    for hand in (FLUSH, STRAIGHT_FLUSH, LOW, ROYAL, FLUSH):
        played(at, {3: hand, "dealer": NO_HAND}, side={"five_card_player": 100})
        due = next(d for d in at.table.due if d.wager == "five_card_player")
        if due.paid_by == "account":
            machine += due.returns
        elif due.paid_by == "hand":
            attendant += due.returns
        at.pays().racks().shuffles()
        at.does(
            events.MeterCorrected,
            meter="five_card",
            level="main",
            cents=5,
            by=BOSS,
            second=OTHER_BOSS,
            reason="a test",
        )
        meter = at.table.meters["five_card"]
        assert (meter.machine_paid, meter.attendant_paid) == (machine, attendant)
        assert meter.cumulative_paid == machine + attendant
    assert machine > 0
    assert attendant > 0


@pytest.mark.rule("R20")
@pytest.mark.parametrize("book", PROGRESSIVE)
def test_a_meter_falls_only_for_an_award_a_reversal_or_a_correction(book: str) -> None:
    """Random rounds, wins and voids: whatever else happens, what a meter holds does not fall."""
    at = open_table(book, seed=5).shuffles()
    dice = random.Random(11)
    best = {"pa-669a": "As Ks Qs"}.get(book, STRAIGHT_FLUSH)
    dealer: dict[int | str, str] = {} if book == "pa-669a" else {"dealer": ACE_KING}
    for _ in range(40):
        if dice.random() < 0.3:
            at.antes(1, 3, progressive=100).locks()
            at.does(events.RoundVoided, reason="a test", by=FLOOR)
            at.racks().shuffles()
            continue
        hand: dict[int | str, str] = {3: best} if dice.random() < 0.5 else {}
        played(at, {1: "", **hand, **dealer}, side={"progressive": 100})
        at.pays().racks().shuffles()
    table = AtTheTable(at.terms).table
    falls: dict[str, int] = {}
    for event in at.taken:
        done = step(at.terms, table, event)
        for name, meter in table.meters.items():
            after = done.table.meters[name]
            if any(after.levels[n].holds < one.holds for n, one in meter.levels.items()):
                falls[type(event).__name__] = falls.get(type(event).__name__, 0) + 1
                if isinstance(event, events.SeatPaid):
                    hits = after.last_hits[: after.hits - meter.hits]
                    assert hits
        table = done.table
    assert set(falls) == {"SeatPaid", "RoundVoided"}


BOTH = {"progressive": "B", "progressive_wager": 100, "five_card": True, "five_card_wager": 100}


def shut(at: AtTheTable) -> None:
    for seat in at.table.seats:
        if seat.balance:
            transfer = f"out {seat.number}"
            at.does(events.CashedOut, seat=seat.number, transfer=transfer, cents=seat.balance)
    at.does(events.TableClosed, by=FLOOR)


@pytest.mark.rule("R20")
@pytest.mark.parametrize("wager", ["progressive", "five_card"])
def test_a_table_does_not_open_without_a_meter_that_players_have_paid_into(wager: str) -> None:
    at = open_table("pa-639a", options=BOTH).shuffles()
    before = at.terms
    less = {name: given for name, given in BOTH.items() if not name.startswith(wager)}
    for number in (1, 3):
        at.does(events.WagerPlaced, seat=number, wager="ante", amount=1000)
    at.does(events.WagerPlaced, seat=1, wager="progressive", amount=100)
    at.does(events.WagerPlaced, seat=1, wager="five_card_player", amount=100)
    at.locks().deals().decides().reveals().pays().racks()
    meter = at.table.meters[wager]
    held = dollars(meter.shows()["main"] + meter.reserve // PER_CENT)
    shut(at)
    lay = at.table
    at.terms = terms_of("pa-639a", options=less)
    said = at.refuses(events.TableOpened, by=FLOOR)
    assert f"{wager} holds {held}" in said
    assert "two supervisors correct it to $0" in said
    assert at.table.meters == lay.meters
    at.terms = before
    at.opens()
    assert at.table.meters == lay.meters
    given = {"meter": wager, "level": "main", "cents": 0, "reason": "paid out to the Lottery"}
    at.does(events.MeterCorrected, **given, by=BOSS, second=OTHER_BOSS)
    shut(at)
    at.terms = terms_of("pa-639a", options=less)
    at.opens()
    assert wager not in at.table.meters


@pytest.mark.parametrize("wager", ["progressive", "five_card"])
def test_what_the_house_has_filled_may_go_and_come_back(wager: str) -> None:
    at = open_table("pa-639a", options=BOTH).shuffles()
    before, filled = at.terms, at.table.meters[wager]
    shut(at)
    less = {name: given for name, given in BOTH.items() if not name.startswith(wager)}
    at.terms = terms_of("pa-639a", options=less)
    at.opens()
    assert wager not in at.table.meters
    shut(at)
    at.terms = before
    at.opens()
    assert at.table.meters[wager] == filled


@pytest.mark.rule("R20")
def test_no_level_is_lost_with_another_paytable() -> None:
    two = {"progressive": "F", "progressive_wager": 100}
    at = open_table("pa-639a", options=two).shuffles()
    at.antes(1, progressive=100).locks().deals().decides().reveals().pays().racks()
    assert set(at.table.meters["progressive"].levels) == {"mega", "major"}
    shut(at)
    at.terms = terms_of("pa-639a", options={"progressive": "B", "progressive_wager": 100})
    assert "mega, major holds $11,000.21" in at.refuses(events.TableOpened, by=FLOOR)


# --- Limit ------------------------------------------------------------------


def test_what_is_over_the_limit_waits_and_goes_on_from_the_new_start() -> None:
    at = open_table("s10", meter_limits={"progressive": 1_000_100}).shuffles()
    for _ in range(3):
        played(at, {1: LOW, 3: "Qc Jh 9c 4d 3h", "dealer": ACE_KING}, side={"progressive": 100})
        at.pays().racks().shuffles()
    level = at.table.meters["progressive"].levels["main"]
    assert level.holds == 1_000_100 * PER_CENT
    assert level.holds + level.overflow == 1_000_000 * PER_CENT + 600 * 70
    # A void round takes back just what it put there.
    at.antes(1, progressive=100).locks()
    at.does(events.RoundVoided, reason="a test", by=FLOOR)
    assert at.table.meters["progressive"].levels["main"] == level
    at.racks().shuffles()
    hit(at, ROYAL)
    level = at.table.meters["progressive"].levels["main"]
    assert level.overflow == 0 or level.holds == 1_000_100 * PER_CENT
    assert level.holds + level.overflow == 1_000_000 * PER_CENT + 700 * 70 - 100 * PER_CENT


# --- People -----------------------------------------------------------------

CORRECT = {"meter": "progressive", "level": "main", "cents": 77_700, "reason": "a wrong seed"}
RESET = {"meter": "progressive", "level": "main", "reason": "moved to another pit"}


@pytest.mark.rule("R20")
def test_a_correction_takes_two_supervisors_and_a_reason() -> None:
    at = open_table("pa-639a").shuffles()
    assert "takes two different people" in at.refuses(
        events.MeterCorrected, **CORRECT, by=BOSS, second=BOSS
    )
    for one, other in ((BOSS, FLOOR), (FLOOR, BOSS), (BOSS, DEALER)):
        assert "is for a supervisor" in at.refuses(
            events.MeterCorrected, **CORRECT, by=one, second=other
        )
    with pytest.raises(Exception, match="length >= 1"):
        at.send(events.MeterCorrected, **{**CORRECT, "reason": ""}, by=BOSS, second=OTHER_BOSS)
    at.does(events.MeterCorrected, **CORRECT, by=BOSS, second=OTHER_BOSS)
    assert at.table.meters["progressive"].shows() == {"main": 77_700}


@pytest.mark.rule("R22")
def test_who_corrects_a_meter_cannot_reset_it_nor_the_reverse() -> None:
    at = open_table("pa-639a").shuffles()
    at.does(events.MeterCorrected, **CORRECT, by=BOSS, second=OTHER_BOSS)
    people = (BOSS, OTHER_BOSS, FLOOR, DEALER)
    for one in people:
        for other in (*people, AUDIT):
            assert at.refuses(events.MeterReset, **RESET, by=one, second=other)
        assert at.refuses(events.MeterReset, **RESET, by=TECH, second=one)
    for one in (TECH, AUDIT):
        for other in (TECH, AUDIT, BOSS):
            assert at.refuses(events.MeterCorrected, **CORRECT, by=one, second=other)
            assert at.refuses(events.MeterCorrected, **CORRECT, by=other, second=one)
    assert "takes two different people" in at.refuses(
        events.MeterReset, **RESET, by=TECH, second=Person(TECH.id, "auditor")
    )
    at.does(events.MeterReset, **RESET, by=TECH, second=AUDIT)
    assert at.table.meters["progressive"].shows() == {"main": 1_000_000}


@pytest.mark.parametrize(
    ("kind", "given", "people"),
    [
        (events.MeterCorrected, CORRECT, {"by": BOSS, "second": OTHER_BOSS}),
        (events.MeterReset, RESET, {"by": TECH, "second": AUDIT}),
    ],
)
def test_what_people_cannot_set(
    kind: type[events.Act], given: dict[str, Any], people: dict[str, Person]
) -> None:
    at = open_table("pa-639a", meter_limits={"progressive": 1_500_000}).shuffles()
    assert "is no meter" in at.refuses(kind, **{**given, "meter": "minor"}, **people)
    assert "is no level" in at.refuses(kind, **{**given, "level": "mega"}, **people)
    if kind is events.MeterCorrected:
        over = {**given, "cents": 1_500_001}
        assert "is above the limit" in at.refuses(kind, **over, **people)
    at.antes(1)
    assert "a round is in play" in at.refuses(kind, **given, **people)
    at.locks()
    assert at.refuses(kind, **given, **people)


def test_the_ruleset_of_these_tests_is_one_that_a_table_may_play() -> None:
    for book, options in RATED:
        assert isinstance(terms_of(book, options=options).ruleset, Ruleset)
