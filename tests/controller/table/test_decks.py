"""The register of decks: what is in it, which deck is next, how old it may grow, how it leaves."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from controller.table import events
from controller.table.commands import ReturnWager, SetTimer, StartShuffle
from controller.table.dealing import next_step
from controller.table.decks import registered, timer_of, warned
from controller.table.prompts import prompts
from controller.table.state import Table
from controller.table.terms import HOUR, WARNING
from tests.controller.table.playing import (
    BOOKS,
    DEALER,
    FLOOR,
    METHODS,
    AtTheTable,
    open_table,
    terms_of,
)

ALL = pytest.mark.parametrize("book", BOOKS)
PENNSYLVANIA = ("pa-639a", "pa-669a", "pa-682a", "pa-683a")
SECOND = 1000


def of_pa(clause: str) -> list[str]:
    return [f"PA-{book[3:]}.{clause}" for book in PENNSYLVANIA]


def new(book: str, **more: Any) -> AtTheTable:
    at = AtTheTable(terms_of(book, **more))
    at.does(events.TableOpened, by=FLOOR)
    return at


def restarted(at: AtTheTable) -> None:
    """The daemon starts again, with the table as its last snapshot has it."""
    at.table = msgspec.json.decode(msgspec.json.encode(at.table), type=Table)


# --- What is in the register ------------------------------------------------


@ALL
@pytest.mark.rule(*of_pa("3(a)"), "S10.(b)(1)", "MA.2(a)")
def test_one_deck_with_its_accessory_cards(book: str) -> None:
    at = new(book)
    accessories = {"s10": ("cutting card", "cover card"), "ma": ("cut card", "cover card")}
    wanted = accessories.get(book, ("cover card",))
    clause = at.terms.ruleset.rulebook.procedures.accessory_cards.clause
    for lacking in wanted:
        why = at.refuses(
            events.DeckReceived, deck="A", colour="red", design="bee", lacks=(lacking,)
        )
        assert lacking in why
        assert clause in why
    at.enrols("A")
    assert at.table.decks[0].accessories == wanted
    why = at.refuses(events.DeckReceived, deck="B", colour="blue", design="bee")
    assert "plays with 1 deck" in why
    assert clause in why
    assert [deck.id for deck in registered(at.table)] == ["A"]
    assert "registered already" in at.refuses(
        events.DeckReceived, deck="A", colour="red", design="bee"
    )


@ALL
@pytest.mark.rule(*of_pa("3(b)(1)"), "S10.(b)(2)(ii)", "MA.2(b)(2)")
def test_two_decks_have_backs_of_two_colours(book: str) -> None:
    at = new(book, decks=2)
    at.enrols("A", "red")
    assert "red too" in at.refuses(events.DeckReceived, deck="B", colour="red", design="bee")
    if book in PENNSYLVANIA:
        why = at.refuses(events.DeckReceived, deck="B", colour="blue", design="bike")
        assert "same design" in why
        assert f"PA-{book[3:]}.3(b)(1)" in why
    assert at.phase == "opening"
    at.enrols("B", "blue")
    assert at.phase == "shuffling"


# --- Two decks --------------------------------------------------------------


def two(book: str) -> AtTheTable:
    return open_table(book, "manual shoe", decks=2)


def shuffled(at: AtTheTable) -> tuple[str, str]:
    """The deck that is due is shuffled; the other one lies wherever it lies."""
    due = at.table.deck
    assert due is not None
    at.does(events.ShuffleCompleted, deck=due, count=52)
    return due, {"A": "B", "B": "A"}[due]


@ALL
@pytest.mark.rule(*of_pa("3(b)(2)"), "S10.(b)(2)(iii)", "MA.2(b)(3)")
def test_the_other_deck_is_in_the_shuffler(book: str) -> None:
    at = two(book)
    due, other = shuffled(at)
    for holds in (None, due):
        at.does(events.ShufflerReported, mode="shuffle", holds=holds)
        assert f"deck {other} is not in the shuffler" in at.refuses(events.DeckLoaded, deck=due)
        assert at.phase == "shuffling"
    commands = at.does(events.ShufflerReported, mode="shuffle", holds=other)
    assert [c.deck for c in commands if isinstance(c, StartShuffle)] == [other]
    at.does(events.DeckLoaded, deck=due)
    assert at.phase == "betting"


@ALL
@pytest.mark.rule(*of_pa("3(b)(3)"), "S10.(b)(2)(iv)", "MA.2(b)(4)", "R6")
def test_decks_take_turns(book: str) -> None:
    at = two(book)
    dealt = []
    for _ in range(6):
        dealt.append(at.table.deck)
        at.plays(1, 3)
        # Not even if it is shuffled again at once, nor after a restart.
        restarted(at)
        last = at.table.last_deck
        at.does(events.ShuffleCompleted, deck=last, count=52)
        at.does(events.RackCleared)
        at.does(events.ShufflerReported, mode="shuffle", holds={"A": "B", "B": "A"}[str(last)])
        assert "decks alternate" in at.refuses(events.DeckLoaded, deck=last)
    assert dealt == ["A", "B", "A", "B", "A", "B"]


def test_decks_take_turns_after_a_void_round_too() -> None:
    at = two("pa-639a").shuffles().antes(1).locks()
    at.does(events.RoundVoided, by=FLOOR, reason="smoke")
    at.racks()
    assert at.table.deck == "B"
    at.does(events.ShuffleCompleted, deck="A", count=52)
    at.does(events.ShufflerReported, mode="shuffle", holds="B")
    assert "decks alternate" in at.refuses(events.DeckLoaded, deck="A")


@ALL
@pytest.mark.rule(*of_pa("3(b)(4)"), "S10.(b)(2)(v)", "MA.2(b)(5)")
def test_cards_of_two_decks_never_meet_in_the_rack(book: str) -> None:
    at = two(book).plays(1, 3)
    assert at.table.rack == "A"
    due, other = shuffled(at)
    at.does(events.ShufflerReported, mode="shuffle", holds=other)
    assert "the rack still has cards of deck A" in at.refuses(events.DeckLoaded, deck=due)
    assert "dealer" in at.refuses(events.RackCleared, by=FLOOR)
    at.does(events.RackCleared)
    assert at.table.rack is None
    assert isinstance(at.taken[-1], events.RackCleared)
    assert at.taken[-1].by == DEALER
    at.does(events.DeckLoaded, deck=due)


@ALL
def test_one_deck_of_two_is_not_enough(book: str) -> None:
    at = two(book)
    shuffled(at)
    at.does(events.DeckRemoved, deck="B", by=FLOOR, reason="a corner is bent")
    assert "the second deck is missing" in at.refuses(events.DeckLoaded, deck="A")
    at.enrols("C", "blue")
    at.does(events.ShufflerReported, mode="shuffle", holds="C")
    at.does(events.DeckLoaded, deck="A")


# --- A wrong count ----------------------------------------------------------


@ALL
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count", [0, 51, 53])
@pytest.mark.rule(*of_pa("5(b)"), "R1")
def test_a_deck_that_does_not_count_52_is_removed(book: str, method: str, count: int) -> None:
    at = open_table(book, method).plays(1, 3)
    at.does(events.ShuffleCompleted, deck="A", count=count)
    assert str(count) in at.table.decks[0].removed
    restarted(at)
    hold = at.table.holds[0]
    said = f"wrong count: the shuffler counted {count} cards where 52 should be"
    assert (hold.cause, hold.where) == (said, "deck A")
    assert at.refuses(events.DeckLoaded, deck="A")
    at.does(events.HoldCleared, hold=hold.number, by=FLOOR, reason="deck A is in its box")
    # It does not come back: not by another count, nor as if it were new.
    assert "was removed" in at.refuses(events.ShuffleCompleted, deck="A", count=52)
    assert at.phase == "shuffling"
    assert at.table.deck is None
    assert "was removed" in at.refuses(events.DeckReceived, deck="A", colour="red", design="bee")
    at.enrols("B", "blue")
    assert "was removed" in at.refuses(events.DeckReceived, deck="A", colour="red", design="bee")
    at.plays(1, 3)


@ALL
@pytest.mark.parametrize("count", [51, 53])
@pytest.mark.rule("R1", "R5")
def test_a_deck_that_does_not_count_52_in_the_shoe_is_removed(book: str, count: int) -> None:
    at = open_table(book, "automated shoe")
    at.does(events.ShuffleCompleted, deck="A", count=52)
    at.does(events.DeckLoaded, deck="A", cards=count)
    assert at.phase == "shuffling"
    assert at.table.decks[0].removed == f"the shoe counted {count} cards"
    hold = at.table.holds[0]
    said = f"wrong count: the shoe counted {count} cards where 52 should be"
    assert (hold.cause, hold.where) == (said, "deck A")
    at.does(events.HoldCleared, hold=hold.number, by=FLOOR, reason="deck A is in its box")
    at.enrols("B", "blue")
    at.plays(1, 3)


@pytest.mark.parametrize("method", METHODS)
def test_a_shuffler_that_counts_says_its_count(method: str) -> None:
    at = open_table("s10", method)
    assert "is missing" in at.refuses(events.ShuffleCompleted, deck="A")


@ALL
@pytest.mark.rule("R5")
def test_missing_cards_alarm_whatever_the_shuffler_said(book: str) -> None:
    at = open_table(book, "manual shoe", shuffler_counts=True)
    at.shuffles().antes(1, 3).locks()
    at.does(events.DealPressed)
    while at.phase == "dealing" and at.send(events.StubCounted, cards=0).refused:
        _next_card(at)
    # The shuffler said 52; what was dealt and the stub make fewer.
    assert at.phase == "clearing"
    alarm = at.table.holds[0]
    assert alarm.where == "deck A"
    assert "the shuffler counted 52" in alarm.cause
    assert "the stub has 0 cards where" in alarm.cause
    at.racks()
    assert "was removed" in at.refuses(events.ShuffleCompleted, deck="A", count=52)
    at.enrols("B", "blue")
    at.does(events.ShuffleCompleted, deck="B", count=52)
    assert f"hold {alarm.number} blocks it" in at.refuses(events.DeckLoaded, deck="B")
    at.does(events.HoldCleared, hold=alarm.number, by=FLOOR, reason="counted: one short")
    at.does(events.DeckLoaded, deck="B")


def _next_card(at: AtTheTable) -> None:
    step = next_step(at.table)
    if step is None or at.send(events.CardsDealt, to=step.to, cards=step.cards).refused:
        at.does(events.UpCardShown, card="2c")


# --- Age --------------------------------------------------------------------

LIFE = {
    **{(book, "hand"): 4 for book in PENNSYLVANIA},
    **{(book, "manual shoe"): 8 for book in PENNSYLVANIA},
    **{(book, "automated shoe"): 8 for book in PENNSYLVANIA},
    **{(book, method): 8 for book in ("s10", "ma") for method in METHODS},
}
AGES = pytest.mark.parametrize(("book", "method"), LIFE)


def in_play(book: str, method: str) -> tuple[AtTheTable, int]:
    """A table whose deck went into play a moment ago, and when it must be changed.

    Pennsylvania changes decks that are used; the others change cards that were opened for use.
    """
    at = open_table(book, method).shuffles()
    assert at.table.decks[0].in_play_since == at.now
    opened = next(event.at for event in at.taken if isinstance(event, events.DeckReceived))
    assert opened < at.now
    since = at.now if book in PENNSYLVANIA else opened
    return at, since + LIFE[book, method] * HOUR


AGE = pytest.mark.rule(*of_pa("3(c)(1)"), *of_pa("3(c)(2)"), "S10.(c)(5)")


@AGES
@AGE
def test_no_round_begins_with_a_deck_that_is_too_old(book: str, method: str) -> None:
    at, due = in_play(book, method)
    timers = [c for c in at.commands if isinstance(c, SetTimer)]
    assert [(t.timer, t.at) for t in timers] == [(timer_of("A"), due - WARNING)]
    at.now = due - WARNING - 4 * SECOND
    at.antes(1)
    assert warned(at.terms, at.table) == ()
    at.does(events.TimerFired, timer=timer_of("A"), at=due - WARNING)
    assert [deck.id for deck in warned(at.terms, at.table)] == ["A"]
    # One second before, a round begins; and it is played to its end, however late that is.
    at.now = due - SECOND - SECOND
    at.locks()
    at.now = due + HOUR
    at.deals().decides()
    if at.phase == "revealing":
        at.reveals()
    at.pays().racks()
    at.does(events.ShuffleCompleted, deck="A", count=52)
    why = at.refuses(events.DeckLoaded, deck="A")
    assert "due for change" in why
    assert at.terms.deck_life_clause(method) in why
    # A change of decks, on record, lets play go on.
    at.does(events.DeckRemoved, deck="A", by=FLOOR, reason="its time is over")
    at.enrols("B", "blue")
    at.plays(1, 3)
    assert at.table.last_deck == "B"


@AGES
@AGE
def test_at_the_very_moment_the_lock_is_refused(book: str, method: str) -> None:
    at, due = in_play(book, method)
    at.antes(1)
    assert "due for change" in at.refuses(events.LockOutPressed, at=due)
    assert at.phase == "betting"
    # Wagers do not keep it in play: they go back when it is taken away.
    down = {(1, wager): cents for wager, cents in at.table.seat(1).wagers.items()}
    commands = at.does(events.DeckRemoved, deck="A", by=FLOOR, reason="its time is over", at=due)
    back = {(c.seat, c.wager): c.cents for c in commands if isinstance(c, ReturnWager)}
    assert back == down
    assert at.phase == "shuffling"
    at.now = due
    at.enrols("B", "blue")
    at.plays(1, 3)


@AGES
@AGE
def test_just_before_it_the_lock_is_taken(book: str, method: str) -> None:
    at, due = in_play(book, method)
    at.antes(1)
    at.does(events.LockOutPressed, at=due - 1)
    assert at.phase == "locked"


@ALL
def test_a_deck_that_falls_due_is_replaced_without_a_stop(book: str) -> None:
    at, due = in_play(book, "manual shoe")
    given: dict[str, Any] = {"deck": "B", "colour": "red", "design": "bee", "replaces": "A"}
    why = at.refuses(events.DeckReceived, **given)
    assert "not due for change" in why
    # "At least every" so many hours: that none is changed sooner is felt's own.
    assert "not stated in the text; felt's reading" in why
    at.now = due - WARNING
    at.does(events.DeckReceived, **given)
    assert "another deck waits" in at.refuses(events.DeckReceived, **{**given, "deck": "C"})
    at.does(events.DeckInspected, deck="B")
    at.does(events.DeckVerified, deck="B", by=FLOOR)
    at.does(events.DeckSpread, deck="B")
    at.does(events.DeckShown, deck="B")
    at.does(events.DeckWashed, deck="B")
    # Meanwhile the old deck is played, and the new one can't be mixed in.
    at.antes(1).locks().deals().decides()
    if at.phase == "revealing":
        at.reveals()
    at.pays().racks()
    assert at.table.deck == "A"
    at.does(events.ShuffleCompleted, deck="B", count=52)
    assert "it replaces deck A" in at.refuses(events.DeckLoaded, deck="B")
    assert "floorperson" in at.refuses(events.DeckRemoved, deck="A", reason="old")
    at.does(events.DeckRemoved, deck="A", by=FLOOR, reason="its time is over")
    assert at.table.deck == "B"
    at.plays(1, 3)
    assert [deck.id for deck in registered(at.table)] == ["B"]


@pytest.mark.rule("S10.(c)(5)")
@pytest.mark.parametrize("book", BOOKS)
def test_cards_opened_for_use_grow_old_before_their_first_round(book: str) -> None:
    at = open_table(book, "manual shoe")
    opened = next(event.at for event in at.taken if isinstance(event, events.DeckReceived))
    set_at = [one.at for one in at.commands if isinstance(one, SetTimer)]
    from_opening = book not in PENNSYLVANIA
    assert set_at == ([opened + 8 * HOUR - WARNING] if from_opening else [])
    at.now = opened + 8 * HOUR
    at.does(events.ShuffleCompleted, deck="A", count=52)
    if from_opening:
        why = at.refuses(events.DeckLoaded, deck="A")
        assert "due for change" in why
        assert at.terms.deck_life_clause("manual shoe") in why
        answers = [one.answer for one in prompts(at.terms, at.table)]
        assert "deck_removed" in answers
        assert "deck_received" in answers
    else:
        at.does(events.DeckLoaded, deck="A")  # a deck is used from its first round on


def test_another_way_of_dealing_makes_a_deck_older() -> None:
    at, _ = in_play("pa-639a", "automated shoe")
    since = at.table.decks[0].in_play_since
    assert since is not None
    out = {"device": "shoe", "cards_inside": 0, "how": "signed", "method": "hand"}
    commands = at.does(events.DeviceTakenOut, by=FLOOR, **out)
    at4 = since + 4 * HOUR
    assert [c.at for c in commands if isinstance(c, SetTimer)] == [at4 - WARNING]
    at.does(events.ShuffleCompleted, deck="A", count=52)
    assert "due for change" in at.refuses(events.DeckLoaded, deck="A", at=at4)
    at.does(events.DeckLoaded, deck="A", at=at4 - SECOND)


# --- The clock --------------------------------------------------------------


@AGES
@pytest.mark.parametrize(
    ("said", "hours"), [(True, -1), (True, -24), (True, 1), (True, 24), (False, -1)]
)
@pytest.mark.rule("R8")
def test_a_deck_grows_no_younger_when_the_clock_is_set(
    book: str, method: str, said: bool, hours: int
) -> None:
    at, due = in_play(book, method)
    at.antes(1)
    at.now = due - 60 * SECOND
    at.does(events.ShufflerReported, mode="shuffle", at=at.now)
    restarted(at)
    jump = hours * HOUR
    at.now = at.table.at + jump
    if said:
        at.does(events.ClockStepped, milliseconds=jump, at=at.now)
    else:
        at.does(events.ShufflerReported, mode="shuffle", at=at.now)
    due += jump
    assert "due for change" in at.refuses(events.LockOutPressed, at=due)
    assert "due for change" in at.refuses(events.LockOutPressed, at=due + HOUR)
    at.does(events.LockOutPressed, at=due - SECOND)
    assert at.phase == "locked"


@ALL
@pytest.mark.rule("R38")
def test_a_step_of_the_clock_is_an_event_and_timers_go_on(book: str) -> None:
    at, due = in_play(book, "manual shoe")
    for jump in (-HOUR, 2 * HOUR, -365 * 24 * HOUR):
        before = len(at.taken)
        at.now += jump
        commands = at.does(events.ClockStepped, milliseconds=jump, at=at.now)
        due += jump
        assert len(at.taken) == before + 1
        assert [c.at for c in commands if isinstance(c, SetTimer)] == [due - WARNING]
    # A timer that was set by the clock of before fires early, and is set again.
    commands = at.does(events.TimerFired, timer=timer_of("A"))
    assert [c.at for c in commands if isinstance(c, SetTimer)] == [due - WARNING]
    # What a device thinks the time is has no place in an event.
    raw = {"kind": "deck_loaded", "at": 1, "deck": "A", "device_time": 5}
    with pytest.raises(msgspec.ValidationError, match="device_time"):
        msgspec.convert(raw, events.Event)


def test_nothing_is_lost_because_a_clock_went_back_unnoticed() -> None:
    at, due = in_play("pa-639a", "automated shoe")
    at.now -= 3 * HOUR
    at.antes(1, 3).locks().deals().decides().reveals().pays().racks()
    assert at.table.at == at.now
    at.does(events.ShuffleCompleted, deck="A", count=52)
    # The second between the last event before the jump and the first after it can't be known.
    due -= 3 * HOUR - SECOND
    assert "due for change" in at.refuses(events.DeckLoaded, deck="A", at=due)
    at.does(events.DeckLoaded, deck="A", at=due - 2 * SECOND)


def test_a_refused_event_moves_no_clock() -> None:
    at, _ = in_play("pa-639a", "automated shoe")
    before = at.table
    assert at.refuses(events.DealPressed, at=at.now - HOUR)
    assert at.table is before


@AGES
@pytest.mark.parametrize("hours", [-1, -24])
@pytest.mark.rule("R8")
def test_a_step_that_an_event_has_shown_before_ages_nothing_twice(
    book: str, method: str, hours: int
) -> None:
    at, due = in_play(book, method)
    jump = hours * HOUR
    at.now = at.table.at + jump
    # The event came first, by the clock as it was set.
    at.does(events.ShufflerReported, mode="shuffle", at=at.now)
    at.does(events.ClockStepped, milliseconds=jump, at=at.now + SECOND)
    due += jump
    at.antes(1)
    assert "due for change" in at.refuses(events.LockOutPressed, at=due + SECOND)
    at.does(events.LockOutPressed, at=due - 2 * SECOND)


@pytest.mark.rule("R38")
def test_what_was_caught_up_long_ago_takes_nothing_from_a_step_forward() -> None:
    at, due = in_play("pa-639a", "automated shoe")
    at.now -= 365 * 24 * HOUR
    at.does(events.ShufflerReported, mode="shuffle", at=at.now)
    caught = due - at.table.at
    at.now += 365 * 24 * HOUR
    at.does(events.ClockStepped, milliseconds=365 * 24 * HOUR, at=at.now)
    (deck,) = (one for one in at.table.decks if one.in_play_since is not None)
    assert deck.in_play_since is not None
    assert abs(deck.in_play_since - at.table.at) < caught
