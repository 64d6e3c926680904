"""A progressive over several tables: who may join, what silence does, and money counted once."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from controller.table import events, meters
from controller.table.clock import timers
from controller.table.commands import (
    ClaimHit,
    Pay,
    SendShare,
    SetTimer,
    ShowLink,
    ShowMeter,
    ShowOffer,
    ShowWin,
)
from controller.table.paying import due_now, in_turn, must_be_verified
from controller.table.prompts import prompts
from controller.table.state import PER_CENT
from tests.controller.table.midway import deal_out, deal_step
from tests.controller.table.playing import BOSS, FLOOR, OFFER, OTHER_BOSS, AtTheTable, open_table
from tests.controller.table.rigged import (
    ACE_KING,
    LOW,
    ROYAL,
    STRAIGHT_FLUSH,
    line,
    played,
    stacked,
    verified,
)

MA = {
    "progressive": "PTMGL01",
    "progressive_wager": 100,
    "progressive_rate": 72,
    "linked": True,
}
PA = {**OFFER["pa-639a"], "linked": True}
#: What the link's meter holds when the table joins: $12,345.67.
HELD = 1_234_567 * PER_CENT


class Jackpot:
    """The other end of the link, as it should be: each number of a table counts once."""

    def __init__(self, at: AtTheTable) -> None:
        self.at = at
        self.holds, self.applied, self.hits = HELD, 0, 0

    def takes(self, share: SendShare) -> None:
        if share.number == self.applied + 1:
            self.applied = share.number
            self.holds += share.amounts["main"]

    def joins(self, **other: Any) -> Any:
        book = self.at.terms.ruleset.rulebook.id
        alike = {"paytable": "PTMGL01" if book == "ma" else "D", "wager": 100, "decks": 1}
        said = {"levels": {"main": self.holds}, "applied": self.applied, "last_hit": self.hits}
        return self.at.send(events.LinkJoined, **{**alike, **said, **other})

    def updates(self, **other: Any) -> Any:
        said = {"levels": {"main": self.holds}, "applied": self.applied}
        return self.at.send(events.LinkUpdated, **{**said, **other})

    def orders(self, claim: ClaimHit, percent: int, left: int | None = None) -> Any:
        """A hit of this table, valued by what the meter holds when it is its turn."""
        cents = self.holds // PER_CENT * percent // 100
        self.hits += 1
        self.holds = left * PER_CENT if left is not None else self.holds - cents * PER_CENT
        return self.at.does(
            events.LinkHit,
            order=self.hits,
            table="t1",
            seat=claim.seat,
            level="main",
            cents=cents,
            left=self.holds // PER_CENT,
            claim=claim.claim,
        )


def linked(book: str = "pa-639a", **more: Any) -> tuple[AtTheTable, Jackpot]:
    at = open_table(book, options=MA if book == "ma" else PA, **more)
    return at, Jackpot(at)


def joined(book: str = "pa-639a", **more: Any) -> tuple[AtTheTable, Jackpot]:
    at, jackpot = linked(book, **more)
    assert not jackpot.joins().refused
    return at, jackpot


def shares(commands: Any) -> list[SendShare]:
    return [one for one in commands if isinstance(one, SendShare)]


def claims(commands: Any) -> list[ClaimHit]:
    return [one for one in commands if isinstance(one, ClaimHit)]


def holds(at: AtTheTable) -> int:
    return at.table.meters["progressive"].levels["main"].holds


def status(at: AtTheTable) -> str:
    assert at.table.link is not None
    return at.table.link.status


# --- Joining ----------------------------------------------------------------


@pytest.mark.rule("MA.12(n)")
@pytest.mark.parametrize("other", [{"paytable": "PTMGL02"}, {"wager": 500}, {"decks": 2}], ids=str)
def test_tables_of_a_jackpot_have_the_same_paytable_wager_and_decks(other: dict[str, Any]) -> None:
    at, jackpot = linked("ma")
    said = jackpot.joins(**other).refused
    assert "all tables of a jackpot have the same" in said
    assert said.endswith("(MA.12(n))")
    # And nothing is played for until one joins that does.
    at.shuffles().antes(1)
    assert "not joined" in at.refuses(events.WagerPlaced, seat=1, wager="progressive", amount=100)
    jackpot.joins()
    assert status(at) == "up"
    at.does(events.WagerTakenBack, seat=1, wager="ante")
    jackpot.updates()
    at.does(events.TableClosed, by=FLOOR)


def test_a_table_that_joins_shows_what_the_link_holds() -> None:
    at, jackpot = joined()
    assert holds(at) == HELD
    assert [c.cents for c in at.last if isinstance(c, ShowMeter)] == [1_234_567]
    assert [c.status for c in at.last if isinstance(c, ShowLink)] == ["up"]
    jackpot.holds += 72 * 100
    jackpot.updates()
    assert [c.cents for c in at.last if isinstance(c, ShowMeter)] == [1_234_639]
    assert "are not those" in jackpot.updates(levels={"mega": 5}).refused
    assert "no contribution that this table waits for" in jackpot.updates(applied=1).refused


def test_a_meter_of_its_own_knows_no_link() -> None:
    at = open_table("pa-639a")
    assert at.table.link is None
    assert "is not linked" in Jackpot(at).joins().refused
    assert "is not linked" in Jackpot(at).updates().refused
    assert timers(at.terms, at.table, at.now) == []


def test_nobody_alters_a_linked_meter_here() -> None:
    at, _ = joined()
    change = {"meter": "progressive", "level": "main", "reason": "?", "second": OTHER_BOSS}
    why = at.refuses(events.MeterCorrected, by=BOSS, cents=5, **change)
    assert "the link keeps this meter" in why


# --- Silence ----------------------------------------------------------------


def fires(at: AtTheTable, timer: str, after: int) -> Any:
    """A timer, so many milliseconds after the last word of the link."""
    assert at.table.link is not None
    return at.does(events.TimerFired, timer=timer, at=at.table.link.heard + after)


@pytest.mark.rule("R26")
def test_a_link_grows_stale_and_then_is_down() -> None:
    at, jackpot = joined()
    heard = at.table.at
    wanted = {"link stale": heard + 5_000, "link down": heard + 30_000}
    assert {c.timer: c.at for c in at.last if isinstance(c, SetTimer)} == wanted
    at.shuffles()
    # Just before the time nothing has happened, and the timer is set again.
    assert fires(at, "link stale", 4_999) == (
        SetTimer(id=at.last[0].id, timer="link stale", at=wanted["link stale"]),
    )
    assert status(at) == "up"
    told = fires(at, "link stale", 5_000)
    assert [c.status for c in told if isinstance(c, ShowLink)] == ["stale"]
    assert any("the link is stale" in prompt.text for prompt in prompts(at.terms, at.table))
    # It is old, but played on; and fresh again with the next word.
    at.does(events.WagerPlaced, seat=1, wager="ante", amount=1000, at=at.table.at)
    at.does(events.WagerPlaced, seat=1, wager="progressive", amount=100, at=at.table.at)
    jackpot.updates(at=heard + 6_000)
    assert [c.status for c in at.last if isinstance(c, ShowLink)] == ["up"]
    fires(at, "link stale", 5_000)
    assert fires(at, "link down", 29_999)
    assert status(at) == "stale"
    told = fires(at, "link down", 30_000)
    assert [c.status for c in told if isinstance(c, ShowLink)] == ["down"]
    assert [(c.wager, c.why) for c in told if isinstance(c, ShowOffer)] == [
        ("progressive", "the link is down")
    ]
    prompt = next(one for one in prompts(at.terms, at.table) if "link is down" in one.text)
    assert prompt.who == "floorperson"
    now = at.table.at
    at.does(events.WagerPlaced, seat=3, wager="ante", amount=1000, at=now)
    late = {"seat": 3, "wager": "progressive", "amount": 100, "at": now}
    assert "the link is down" in at.refuses(events.WagerPlaced, **late)
    # Nothing is taken from a line that is down before the table has joined again.
    assert "must join first" in jackpot.updates().refused
    jackpot.joins()
    assert status(at) == "up"


@pytest.mark.rule("R26")
def test_a_link_that_talks_but_acknowledges_nothing_is_down() -> None:
    at, jackpot = joined()
    at.shuffles().antes(1, progressive=100).locks()
    assert at.table.link is not None
    sent = at.table.link.waiting[0].at
    for second in range(20, 30):
        jackpot.updates(at=sent + 1000 * second)
    at.does(events.TimerFired, timer="link down", at=sent + 29_999)
    assert status(at) == "up"
    at.does(events.TimerFired, timer="link down", at=sent + 30_000)
    assert status(at) == "down"


@pytest.mark.rule("R26")
def test_wagers_that_were_down_when_the_link_was_lost_are_played() -> None:
    at, _ = joined()
    at.shuffles().antes(1, 3, progressive=100)
    fires(at, "link down", 30_000)
    at.now = at.table.at
    at.locks().deals().decides().reveals().pays().racks()
    # In the next round the progressive is not offered.
    at.shuffles().antes(1)
    assert "the link is down" in at.refuses(
        events.WagerPlaced, seat=1, wager="progressive", amount=100
    )


def test_silence_lasts_as_long_when_the_clock_is_set() -> None:
    at, _ = joined()
    heard, hour = at.table.at, 3_600_000
    commands = at.does(events.ClockStepped, milliseconds=hour, at=heard + hour + 1000)
    assert SetTimer(timer="link stale", at=heard + hour + 5000) in [
        replace(c, id="") for c in commands
    ]
    at.does(events.TimerFired, timer="link stale", at=heard + hour + 4_000)
    assert status(at) == "up"
    at.does(events.TimerFired, timer="link stale", at=heard + hour + 5_000)
    assert status(at) == "stale"


# --- Contributions ----------------------------------------------------------


@pytest.mark.rule("R27")
def test_contributions_wait_until_the_link_has_them_and_count_once() -> None:
    at, jackpot = joined()
    rate = at.terms.ruleset.meters["progressive"].rate["main"]
    assert rate is not None
    per_round = 2 * 100 * rate
    lost: list[SendShare] = []
    for number in range(1, 4):
        at.shuffles().antes(1, 3, progressive=100)
        before = len(at.commands)
        at.locks()
        (share,) = shares(at.commands[before:])
        assert (share.number, share.amounts["main"]) == (number, per_round)
        # The line takes the first, and loses the others.
        if number == 1:
            jackpot.takes(share)
        else:
            lost.append(share)
        at.deals().decides().reveals().pays().racks()
        assert holds(at) == HELD + number * per_round
    jackpot.updates()
    assert holds(at) == HELD + 3 * per_round
    # It comes back; what it has not got is sent again under the same numbers.
    fires(at, "link down", 30_000)
    at.now = at.table.at
    again = shares(jackpot.joins().commands)
    assert [(one.number, one.amounts) for one in again] == [
        (one.number, one.amounts) for one in lost
    ]
    for share in (*again, *again, *lost):
        jackpot.takes(share)
    assert jackpot.holds == HELD + 3 * per_round
    jackpot.updates()
    assert holds(at) == HELD + 3 * per_round
    assert at.table.link is not None
    assert at.table.link.waiting == ()
    assert shares(jackpot.joins().commands) == []


@pytest.mark.rule("R27")
def test_what_was_played_while_the_link_was_down_is_sent_when_it_is_back() -> None:
    at, jackpot = joined()
    at.shuffles().antes(1, progressive=100)
    fires(at, "link down", 30_000)
    at.now = at.table.at
    before = len(at.commands)
    at.locks()
    assert shares(at.commands[before:]) == []
    (share,) = shares(jackpot.joins().commands)
    jackpot.takes(share)
    jackpot.updates()
    assert holds(at) == jackpot.holds > HELD


@pytest.mark.rule("R27")
def test_a_void_round_takes_its_contribution_back_once() -> None:
    at, jackpot = joined()
    at.shuffles().antes(1, 3, progressive=100)
    before = len(at.commands)
    at.locks()
    at.does(events.RoundVoided, by=FLOOR, reason="smoke")
    plus, minus = shares(at.commands[before:])
    assert plus.number + 1 == minus.number
    assert {k: -v for k, v in plus.amounts.items()} == minus.amounts
    assert holds(at) == HELD
    jackpot.takes(plus)
    jackpot.updates()
    assert holds(at) == HELD
    jackpot.takes(minus)
    jackpot.updates()
    assert (holds(at), jackpot.holds) == (HELD, HELD)


def test_a_table_does_not_leave_the_link_with_contributions_waiting() -> None:
    at, jackpot = joined()
    at.shuffles().antes(1, progressive=100)
    before = len(at.commands)
    at.locks()
    (share,) = shares(at.commands[before:])
    at.deals().decides().reveals().pays().racks()
    for seat in (1, 3, 7):
        cents = at.table.seat(seat).balance
        at.does(events.CashedOut, seat=seat, transfer=f"c{seat}", cents=cents)
    at.does(events.TableClosed, by=FLOOR)
    own = open_table("pa-639a").terms
    was, at.terms = at.terms, own
    assert "1 contributions wait" in at.refuses(events.TableOpened, by=FLOOR)
    at.terms = was
    jackpot.takes(share)
    jackpot.updates()
    at.terms = own
    at.does(events.TableOpened, by=FLOOR)
    assert at.table.link is None


# --- Hits -------------------------------------------------------------------

HANDS: dict[int | str, str] = {
    "dealer": "As Kc 9s 4h 3c",
    3: STRAIGHT_FLUSH,
    1: ROYAL,
    7: "Ts 8c 6c 5c 3d",
}


def settling() -> tuple[AtTheTable, Jackpot, list[ClaimHit]]:
    """Two seats have won shares: the straight flush at seat 3 is paid first, then the royal."""
    at, jackpot = joined()
    at.shuffles()
    before = len(at.commands)
    played(at, HANDS, side={"progressive": 100})
    for share in shares(at.commands[before:]):
        jackpot.takes(share)
    jackpot.updates()
    return at, jackpot, claims(at.commands[before:])


@pytest.mark.rule("R27")
def test_a_share_is_paid_when_the_link_has_said_which_hit_it_is() -> None:
    at, jackpot, (first, second) = settling()
    assert [(one.seat, one.share) for one in (first, second)] == [
        (3, "10% of meter"),
        (1, "100% of meter"),
    ]
    for seat in (7,):
        verified(at)
        at.does(events.SeatPaid, seat=seat)
    at.does(events.HandVerified, seat=3, wager="progressive")
    wait = "has not said which hit"
    assert wait in at.refuses(events.PayoutValidated, seat=3, wager="progressive", by=BOSS)
    assert wait in at.refuses(events.SeatPaid, seat=3)
    assert any("wait for the link" in prompt.text for prompt in prompts(at.terms, at.table))
    # Another table was a moment earlier: its hit has the lower number, and ours is worth less.
    promised = line(at, 3, "progressive").returns
    elsewhere = {"table": "t9", "seat": 5, "level": "main", "cents": 1_000_000, "left": 300_000}
    jackpot.hits, jackpot.holds = 1, 300_000 * PER_CENT
    told = at.does(events.LinkHit, order=1, **elsewhere)
    (win,) = [c for c in told if isinstance(c, ShowWin)]
    assert (win.table, win.seat, win.cents, win.base) == ("t9", 5, 1_000_000, 300_000)
    assert "hit 1 is known" in at.refuses(events.LinkHit, order=1, **elsewhere)
    assert wait in at.refuses(events.SeatPaid, seat=3)
    jackpot.orders(first, 10)
    due = line(at, 3, "progressive")
    assert (due.order, due.returns) == (2, 30_000)
    assert due.returns < promised
    jackpot.updates()
    at.does(events.PayoutValidated, seat=3, wager="progressive", by=BOSS)
    paid = at.does(events.SeatPaid, seat=3)
    assert [c.cents for c in paid if isinstance(c, Pay) and c.wager == "progressive"] == [30_000]
    jackpot.orders(second, 100, left=1_000_000)
    at.pays()
    last = at.table.meters["progressive"].last_hits
    assert [(hit.order, hit.table, hit.seat, hit.cents) for hit in last[:3]] == [
        (3, "", 1, 270_000),
        (2, "", 3, 30_000),
        (1, "t9", 5, 1_000_000),
    ]
    read = meters.reading(at.table.meters["progressive"])["last hits"]
    assert [one["order"] for one in read] == [3, 2, 1]
    # What came off the meter came off once: at the link.
    assert holds(at) == jackpot.holds == 1_000_000 * PER_CENT
    at.racks()


@pytest.mark.rule("R27")
def test_a_claim_that_was_lost_is_made_again_and_answered_once() -> None:
    at, jackpot, (first, second) = settling()
    fires(at, "link down", 30_000)
    at.now = at.table.at
    again = claims(jackpot.joins().commands)
    assert [(one.claim, one.seat) for one in again] == [(first.claim, 3), (second.claim, 1)]
    jackpot.orders(first, 10)
    with pytest.raises(AssertionError, match="is not waited for"):
        jackpot.orders(first, 10)
    jackpot.hits -= 1
    assert [(one.claim, one.seat) for one in claims(jackpot.joins().commands)] == [
        (second.claim, 1)
    ]


def by_hand(seat: int, cents: int) -> dict[str, Any]:
    said = {"seat": seat, "wager": "progressive", "cents": cents}
    return {**said, "reason": "agreed with the slot office by telephone", "by": BOSS}


@pytest.mark.rule("R27")
def test_with_the_link_down_a_supervisor_says_what_a_hit_is_worth_and_another_validates_it() -> (
    None
):
    at, jackpot, (first, _) = settling()
    verified(at)
    at.does(events.SeatPaid, seat=7)
    at.does(events.HandVerified, seat=3, wager="progressive")
    assert "the link is up" in at.refuses(events.HitOrderedByHand, **by_hand(3, 100_000))
    fires(at, "link down", 30_000)
    at.now = at.table.at
    assert any("agree with the other tables" in one.text for one in prompts(at.terms, at.table))
    wrong_person = {**by_hand(3, 100_000), "by": FLOOR}
    assert "is for a supervisor" in at.refuses(events.HitOrderedByHand, **wrong_person)
    assert "waits for the link" in at.refuses(events.HitOrderedByHand, **by_hand(7, 100_000))
    at.does(events.HitOrderedByHand, **by_hand(3, 100_000))
    assert "has said already" in at.refuses(events.HitOrderedByHand, **by_hand(3, 100_001))
    two = at.refuses(events.PayoutValidated, seat=3, wager="progressive", by=BOSS)
    assert "takes two different people" in two
    at.does(events.PayoutValidated, seat=3, wager="progressive", by=OTHER_BOSS)
    paid = at.does(events.SeatPaid, seat=3)
    assert [c.cents for c in paid if isinstance(c, Pay) and c.wager == "progressive"] == [100_000]
    # The link hears of it when it is back, and values it otherwise: a supervisor settles that.
    again = claims(jackpot.joins().commands)
    assert [one.claim for one in again if one.seat == 3] == [first.claim]
    jackpot.orders(first, 10)
    worth = at.table.meters["progressive"].last_hits
    assert not [one for one in worth if one.seat == 3 and one.order]
    [hold] = at.table.holds
    assert (hold.where, hold.blocks, hold.clears) == ("link", "round", "supervisor")
    assert hold.cause.startswith("supervisor-1 valued the hit of seat 3 at $1,000, the link at $")
    assert line(at, 3, "progressive").returns == 100_000
    assert not [one for one in claims(jackpot.joins().commands) if one.seat == 3]


@pytest.mark.rule("R27")
def test_a_hit_that_was_valued_by_hand_is_claimed_after_its_round_too() -> None:
    at, jackpot, (first, second) = settling()
    fires(at, "link down", 30_000)
    at.now = at.table.at
    worth = {3: jackpot.holds // PER_CENT // 10}
    worth[1] = jackpot.holds // PER_CENT - worth[3]
    for seat, cents in worth.items():
        at.does(events.HitOrderedByHand, **by_hand(seat, cents))
    while (turn := in_turn(at.table)) is not None:
        for due in due_now(at.table):
            if must_be_verified(at.terms, due):
                at.does(events.HandVerified, seat=due.seat, wager=due.wager)
                if due.validate:
                    given = {"seat": due.seat, "wager": due.wager, "by": OTHER_BOSS}
                    at.does(events.PayoutValidated, **given)
        at.does(events.SeatPaid, seat=turn)
    for seat in worth:
        at.does(events.HandPayDocumented, seat=seat, by=FLOOR)
    at.racks()
    again = claims(jackpot.joins().commands)
    assert [(one.claim, one.seat) for one in again] == [(first.claim, 3), (second.claim, 1)]
    jackpot.orders(first, 10)
    jackpot.orders(second, 100, left=1_000_000)
    # The link makes the same of them: nobody is called.
    assert not at.table.holds
    assert not claims(jackpot.joins().commands)


def test_a_hit_of_an_unknown_level_is_refused() -> None:
    at, _ = joined()
    hit = {"order": 1, "table": "t9", "seat": 1, "cents": 5, "left": 5}
    assert "'mega' is no level" in at.refuses(events.LinkHit, level="mega", **hit)


# --- The cards that were dealt ----------------------------------------------


@pytest.mark.rule("MA.12(m)")
def test_a_linked_prize_is_judged_on_the_five_cards_that_were_dealt() -> None:
    at, jackpot = joined("ma")
    at.shuffles().antes(1, 3, progressive=100).locks()
    stacked(at, {"dealer": ACE_KING, 1: ROYAL, 3: LOW}).deals()
    dealt = tuple(at.faces[1])
    at.decides().reveals()
    assert at.table.seat(1).cards == dealt
    assert line(at, 1, "progressive").odds == "100% of meter"
    for claim in claims(at.commands):
        jackpot.orders(claim, 100, left=1_000_000)
    at.pays().racks()


@pytest.mark.rule("MA.12(m)")
@pytest.mark.parametrize("on_link", [True, False])
def test_a_hand_with_a_replaced_card_is_out_of_the_link(on_link: bool) -> None:
    if on_link:
        at, _ = joined("ma")
    else:
        at = open_table("ma")
    at.shuffles().antes(1, 3, progressive=100).locks()
    before = holds(at)
    at.does(events.DealPressed)
    deal_step(at)
    commands = at.does(events.FaceUpCardFound, where=1)
    seat = at.table.seat(1)
    if not on_link:
        assert seat.wagers["progressive"] == 100
        return
    # Its wager goes back with what it added; the rest of the hand plays on.
    assert "progressive" not in seat.wagers
    assert seat.wagers["ante"] == 1000
    assert seat.lamp == "off"
    assert holds(at) == before - 72 * 100
    (back,) = shares(commands)
    assert back.amounts == {"main": -72 * 100}
    assert at.table.seat(3).wagers["progressive"] == 100
    at.faces[1].pop()
    deal_out(at).stubs().decides().reveals()
    assert not [due for due in at.table.due if (due.seat, due.wager) == (1, "progressive")]
    at.pays().racks()
