"""No shuffle, no round: the shuffler's word, the dealer's hands, the cut and the recut."""

from __future__ import annotations

from typing import Any

import pytest

from controller.table import events
from controller.table.commands import Dispense, EnableDeal, Lock, StartShuffle
from controller.table.prompts import prompts
from tests.controller.table.playing import (
    BOOKS,
    BOSS,
    DEALER,
    FLOOR,
    METHODS,
    AtTheTable,
    open_table,
    terms_of,
)

ALL = pytest.mark.parametrize("book", BOOKS)
BY_METHOD = pytest.mark.parametrize(("book", "method"), [(b, m) for b in BOOKS for m in METHODS])
PENNSYLVANIA = ("pa-639a", "pa-669a", "pa-682a", "pa-683a")
EAST = ("s10", "ma")


def of_pa(clause: str) -> list[str]:
    return [f"PA-{book[3:]}.{clause}" for book in PENNSYLVANIA]


def by_hand(book: str, **more: Any) -> AtTheTable:
    """A table without a shuffler, its deck ready to be shuffled."""
    return open_table(book, "manual shoe", shuffler_counts=None, **more)


def orders(commands: Any) -> list[str]:
    return [command.deck for command in commands if isinstance(command, StartShuffle)]


def test_a_failure_before_the_checklist_is_done_is_over_with_the_next_order() -> None:
    at = AtTheTable(terms_of("pa-639a"))
    at.does(events.TableOpened, by=FLOOR)
    at.does(events.DeckReceived, deck="A", colour="red", design="bee")
    at.does(events.DeckInspected, deck="A")
    at.does(events.ShuffleFailed, deck="A", nature="jam")
    at.does(events.HoldCleared, hold=1, by=FLOOR, reason="nothing was in it")
    at.does(events.DeckVerified, deck="A", by=FLOOR)
    at.does(events.DeckSpread, deck="A")
    at.shows("A")
    assert orders(at.does(events.DeckWashed, deck="A")) == ["A"]
    at.does(events.ShuffleCompleted, deck="A", count=52)


# --- No shuffle, no round ---------------------------------------------------

SHUFFLE = (*of_pa("5(a)"), "S10.(d)(1)", "MA.4(a)")
LOADED = (
    *of_pa("8(a)"),
    *of_pa("10(a)(1)"),
    "S10.(g)(1)",
    "S10.(h)(2)(ii)",
    "S10.(i)(2)(i)",
    "MA.7(a)",
    "MA.8(c)(2)",
    "MA.9(c)(1)",
)


@BY_METHOD
@pytest.mark.rule(*SHUFFLE, *LOADED)
def test_every_round_takes_a_new_shuffle(book: str, method: str) -> None:
    at = open_table(book, method)
    for _ in range(3):
        assert orders(at.commands)[-1:] == ["A"]
        for kind in (events.LockOutPressed, events.DealPressed):
            assert at.refuses(kind)
        if method == "automated shoe":
            # Cards in the shoe that should not be there: somebody has to take them out.
            at.does(events.DeckLoaded, deck="A")
            (hold,) = at.table.holds
            assert (hold.where, hold.cause) == ("shoe", "loaded too early: deck A is not shuffled")
            assert at.phase == "shuffling"
            at.does(events.ShuffleCompleted, deck="A", count=52)
            assert "loaded too early" in at.refuses(events.DeckLoaded, deck="A")
            at.does(events.HoldCleared, hold=hold.number, by=FLOOR, reason="taken out")
        else:
            assert "not shuffled" in at.refuses(events.DeckLoaded, deck="A")
        at.plays(1, 3)
        assert at.table.decks[0].shuffled == "no"
    if book in PENNSYLVANIA:
        ordered_by_a_floorperson(at)
    else:
        at.shuffles()
        assert "knows no extra shuffle" in at.refuses(events.ShuffleOrdered, reason="x", by=FLOOR)
    if book != "s10":
        only_the_first_shuffle_is_spared(book)


def ordered_by_a_floorperson(at: AtTheTable) -> None:
    """An extra shuffle between rounds."""
    at.shuffles()
    assert "floorperson" in at.refuses(events.ShuffleOrdered, reason="a player asks")
    commands = at.does(events.ShuffleOrdered, reason="a card was bent", by=FLOOR)
    assert at.phase == "shuffling"
    assert orders(commands) == ["A"]
    if at.terms.acceptors:
        assert {c.seat for c in commands if isinstance(c, Lock)} == set(
            range(1, at.terms.seats + 1)
        )
    assert isinstance(at.taken[-1], events.ShuffleOrdered)
    assert (at.taken[-1].by, at.taken[-1].reason) == (FLOOR, "a card was bent")
    assert at.refuses(events.LockOutPressed)
    at.shuffles().antes(1)
    wagers = at.table.seat(1).wagers
    assert orders(at.does(events.ShuffleOrdered, reason="a card fell", by=FLOOR)) == ["A"]
    # The wagers that are down stay, and nothing is dealt before the shuffle.
    assert at.table.seat(1).wagers == wagers
    assert at.refuses(events.LockOutPressed)
    at.shuffles()
    assert at.table.seat(1).wagers == wagers
    at.locks()
    assert at.refuses(events.ShuffleOrdered, reason="late", by=FLOOR)


def only_the_first_shuffle_is_spared(book: str) -> None:
    """A deck that came pre-shuffled is cut and dealt once; after that it is a deck like any."""
    at = AtTheTable(terms_of(book, "manual shoe"))
    at.does(events.TableOpened, by=FLOOR)
    paragraph = "146.50" if book == "ma" else "603a.16(v)"
    given = {"colour": "red", "design": "bee", "route": "preshuffled", "paragraph": paragraph}
    assert orders(at.does(events.DeckReceived, deck="A", **given)) == []
    at.sits(1, 3)
    at.cuts("A")
    at.does(events.DeckLoaded, deck="A")
    at.antes(1).locks()
    at.does(events.RoundVoided, by=FLOOR, reason="smoke")
    at.racks()
    assert at.table.decks[0].shuffled == "no"
    assert "not shuffled" in at.refuses(events.DeckLoaded, deck="A")


@BY_METHOD
@pytest.mark.rule(*of_pa("5(c)(1)"), "S10.(d)(2)(i)", "MA.4(b)(1)")
def test_after_the_shuffler_nobody_cuts(book: str, method: str) -> None:
    at = open_table(book, method)
    at.does(events.ShuffleCompleted, deck="A", count=52)
    for act in (events.CoverCardPlaced, events.RestPlaced, events.CoverCardRacked):
        assert "is not to be cut" in at.refuses(act, deck="A")
    assert "is not to be cut" in at.refuses(events.CutMade, deck="A", depth=20)
    at.does(events.DeckLoaded, deck="A")
    assert at.phase == "betting"


# --- The shuffler goes wrong ------------------------------------------------


@BY_METHOD
@pytest.mark.parametrize("nature", ["jam", "stopped", "incomplete"])
@pytest.mark.rule(*of_pa("13(e)"), "S10.(m)(5)", "MA.13(e)", "R3")
def test_a_cycle_that_went_wrong_counts_for_nothing(book: str, method: str, nature: str) -> None:
    at = open_table(book, method, shuffler_procedure="PROC-9").plays(1, 3)
    at.does(events.ShuffleStarted, deck="A")
    at.does(events.ShuffleFailed, deck="A", nature=nature)
    (hold,) = at.table.holds
    assert (hold.where, hold.clears) == ("shuffler", "floorperson")
    assert hold.cause == f"shuffler {nature}; follow PROC-9"
    assert at.table.decks[0].shuffled == "no"
    # What it says of that cycle afterwards is not believed.
    assert "a whole new cycle" in at.refuses(events.ShuffleCompleted, deck="A", count=52)
    commands = at.does(events.HoldCleared, hold=hold.number, by=FLOOR, reason="card taken out")
    # Clearing it orders a new cycle, and until that is through nothing is dealt.
    assert orders(commands) == ["A"]
    assert at.phase == "shuffling"
    assert at.table.decks[0].shuffled == "no"
    assert at.refuses(events.LockOutPressed)
    at.plays(1, 3)


@ALL
def test_a_cycle_that_was_seen_to_begin_after_a_jam_counts(book: str) -> None:
    at = open_table(book)
    at.does(events.ShuffleFailed, deck="A", nature="jam")
    assert "a whole new cycle" in at.refuses(events.ShuffleCompleted, deck="A", count=52)
    at.does(events.ShuffleStarted, deck="A")
    at.does(events.ShuffleCompleted, deck="A", count=52)
    assert "shuffler jam" in at.refuses(events.DeckLoaded, deck="A")


def test_the_other_deck_is_shuffled_again_while_a_round_goes_on() -> None:
    at = open_table("pa-639a", decks=2).shuffles().antes(1).locks().deals()
    at.does(events.ShuffleFailed, deck="B", nature="jam")
    commands = at.does(events.HoldCleared, hold=1, by=FLOOR, reason="card taken out")
    assert orders(commands) == ["B"]
    at.does(events.ShuffleCompleted, deck="B", count=52)


def test_a_shuffle_that_was_whole_is_undone_by_a_jam_after_it() -> None:
    at = open_table("pa-639a", "manual shoe")
    at.does(events.ShuffleCompleted, deck="A", count=52)
    at.does(events.ShuffleFailed, deck="A", nature="jam")
    at.does(events.HoldCleared, hold=1, by=FLOOR, reason="looked")
    assert "not shuffled" in at.refuses(events.DeckLoaded, deck="A")


@BY_METHOD
@pytest.mark.parametrize("mode", ["sort", "other"])
@pytest.mark.parametrize("when", ["before", "during", "after"])
@pytest.mark.rule("R4")
def test_only_a_shuffle_is_a_shuffle(book: str, method: str, mode: str, when: str) -> None:
    at = open_table(book, method).plays(1, 3)
    if when == "before":
        at.does(events.ShufflerReported, mode=mode)
        assert f"mode {mode!r}" in at.refuses(events.ShuffleStarted, deck="A")
    else:
        at.does(events.ShuffleStarted, deck="A")
        if when == "after":
            at.does(events.ShuffleCompleted, deck="A", count=52)
        at.does(events.ShufflerReported, mode=mode)
    assert f"mode {mode!r}" in at.refuses(events.ShuffleCompleted, deck="A", count=52)
    (hold,) = at.table.holds
    assert at.refuses(events.DeckLoaded, deck="A")
    # Nobody clears it while it lasts, and afterwards only a new cycle counts.
    still = at.refuses(events.HoldCleared, hold=hold.number, by=FLOOR, reason="it is fine")
    assert f"still in mode {mode!r}" in still
    at.does(events.ShufflerReported, mode="shuffle")
    assert "a whole new cycle" in at.refuses(events.ShuffleCompleted, deck="A", count=52)
    at.does(events.ShuffleStarted, deck="A")
    at.does(events.ShuffleCompleted, deck="A", count=52)
    assert f"hold {hold.number} blocks it" in at.refuses(events.DeckLoaded, deck="A")
    at.does(events.HoldCleared, hold=hold.number, by=FLOOR, reason="set back to shuffle")
    at.does(events.DeckLoaded, deck="A")


def test_a_table_without_a_shuffler_hears_none() -> None:
    at = by_hand("pa-639a")
    assert "no shuffler" in at.refuses(events.ShufflerReported, mode="shuffle")
    assert "no shuffler" in at.refuses(events.ShuffleStarted, deck="A")
    assert "no shuffler" in at.refuses(events.ShuffleCompleted, deck="A", count=52)


def test_the_deck_in_play_is_not_in_the_shuffler() -> None:
    at = open_table("pa-639a").shuffles()
    assert "in play" in at.refuses(events.ShuffleCompleted, deck="A", count=52)
    assert "in play" in at.refuses(events.ShuffleStarted, deck="A")
    at.does(events.ShuffleFailed, deck="A", nature="jam")
    assert at.table.decks[0].shuffled == "automated"


# --- By hand, and the cut ---------------------------------------------------


@ALL
def test_hands_shuffle_only_where_no_shuffler_is_in_service(book: str) -> None:
    at = open_table(book, "manual shoe")
    assert "in service" in at.refuses(events.ShuffledByHand, deck="A")
    at = by_hand(book)
    assert "dealer" in at.refuses(events.ShuffledByHand, deck="A", by=FLOOR)
    at.does(events.ShuffledByHand, deck="A")
    assert orders(at.commands) == []


@ALL
@pytest.mark.parametrize("preshuffled", [False, True])
@pytest.mark.rule(*of_pa("5(c)(2)"), "S10.(d)(2)(ii)", "MA.4(b)(2)")
def test_what_people_shuffled_is_cut(book: str, preshuffled: bool) -> None:
    if preshuffled and book == "s10":
        return  # Section 10 takes no such decks.
    if preshuffled:
        at = AtTheTable(terms_of(book, "manual shoe"))
        at.does(events.TableOpened, by=FLOOR)
        given = {"colour": "red", "design": "bee", "route": "preshuffled"}
        given["paragraph"] = "205 CMR 146.50" if book == "ma" else "(u)"
        at.does(events.DeckReceived, deck="A", **given)
    else:
        at = by_hand(book)
        at.does(events.ShuffledByHand, deck="A")
    assert "not cut" in at.refuses(events.DeckLoaded, deck="A")
    assert at.refuses(events.DealPressed)
    at.cuts("A")
    assert isinstance(at.taken[-1], events.Act)
    assert at.taken[-1].by == DEALER
    at.does(events.DeckLoaded, deck="A")
    assert at.phase == "betting"


@pytest.mark.parametrize("book", PENNSYLVANIA)
@pytest.mark.rule(*of_pa("5(d)"))
@pytest.mark.parametrize("deep", [10, 43, 51])
def test_a_cut_is_of_ten_cards_or_more(book: str, deep: int) -> None:
    at = by_hand(book)
    at.does(events.ShuffledByHand, deck="A")
    for depth in (0, 9, 52):
        why = at.refuses(events.CutMade, deck="A", depth=depth)
        assert f"PA-{book[3:]}.5(d)" in why
    assert "not cut" in at.refuses(events.DeckLoaded, deck="A")
    assert "dealer" in at.refuses(events.CutMade, deck="A", depth=deep, by=FLOOR)
    assert at.refuses(events.CoverCardPlaced, deck="A")
    at.does(events.CutMade, deck="A", depth=deep)
    made = at.taken[-1]
    assert isinstance(made, events.CutMade)
    assert (made.depth, made.by) == (deep, DEALER)
    at.does(events.DeckLoaded, deck="A")


CUT = [
    ("S10.(d)(3)(i)(A)", "S10.(d)(3)(i)(B)", "S10.(d)(3)(i)(C)", "S10.(d)(3)(i)(D)"),
    ("MA.4(c)(1)(i)", "MA.4(c)(1)(ii)", "MA.4(c)(1)(iii)", "MA.4(c)(1)(iv)"),
]


@pytest.mark.parametrize("book", EAST)
@pytest.mark.parametrize("depth", [10, 43, 51])
@pytest.mark.rule(*CUT[0], *CUT[1], "S10.(d)(3)(ii)", "MA.4(c)(2)")
def test_a_cut_onto_the_cover_card_has_four_steps(book: str, depth: int) -> None:
    at = by_hand(book)
    at.does(events.ShuffledByHand, deck="A")
    acts: list[tuple[Any, dict[str, Any], str]] = [
        (events.CoverCardPlaced, {}, "cover card placed"),
        (events.CutMade, {"depth": depth}, "cut"),
        (events.RestPlaced, {}, "rest placed"),
        (events.CoverCardRacked, {}, "cover card racked"),
    ]
    for n, (kind, given, name) in enumerate(acts):
        for other, others, _ in acts[:n] + acts[n + 1 :]:
            assert f"next: {name}" in at.refuses(other, deck="A", **others)
        assert "dealer" in at.refuses(kind, deck="A", by=FLOOR, **given)
        assert "not cut" in at.refuses(events.DeckLoaded, deck="A")
        if kind is events.CutMade:
            for wrong in (9, 52):
                least = at.terms.ruleset.rulebook.procedures.cut_at_least
                assert least.clause in at.refuses(kind, deck="A", depth=wrong)
        at.does(kind, deck="A", **given)
        done = at.taken[-1]
        assert isinstance(done, events.Act)
        assert done.by == DEALER
    # After the cut: the deal, or the cut again on order. Nothing else.
    assert "shuffled already" in at.refuses(events.ShuffledByHand, deck="A")
    for kind, given, _ in acts:
        assert "cut already" in at.refuses(kind, deck="A", **given)
    at.does(events.DeckLoaded, deck="A")


# --- Recut ------------------------------------------------------------------

RECUT = (*of_pa("5(e)"), "S10.(d)(4)", "MA.4(d)")


def assert_asks_to_cut_again(at: AtTheTable) -> None:
    assert not at.table.deal_enabled
    asked = prompts(at.terms, at.table)
    act = "cut_made" if at.terms.ruleset.rulebook.id in PENNSYLVANIA else "cover_card_placed"
    assert [one.answer for one in asked if "cut it again" in one.text] == [act]
    assert not any(one.answer in ("deck_loaded", "deal_pressed") for one in asked)
    assert not any("press deal" in one.text for one in asked)


@ALL
@pytest.mark.parametrize("when", ["cut", "loaded", "wagers", "locked", "deal pressed"])
@pytest.mark.rule(*RECUT)
def test_a_recut_is_ordered_between_the_cut_and_the_first_card(book: str, when: str) -> None:
    at = by_hand(book)
    who = BOSS if book in EAST else FLOOR
    assert "no cut was made" in at.refuses(events.RecutOrdered, reason="early", by=who)
    at.does(events.ShuffledByHand, deck="A")
    at.cuts("A")
    if when != "cut":
        at.does(events.DeckLoaded, deck="A")
    if when not in ("cut", "loaded"):
        at.antes(1, 3)
    if when in ("locked", "deal pressed"):
        at.locks()
    if when == "deal pressed":
        at.does(events.DealPressed)
    wagers = [seat.wagers for seat in at.table.seats]
    for wrong in (DEALER, *((FLOOR,) if book in EAST else ())):
        assert "is for a" in at.refuses(events.RecutOrdered, reason="untidy", by=wrong)
    commands = at.does(events.RecutOrdered, reason="the cards slipped", by=who)
    order = at.taken[-1]
    assert isinstance(order, events.RecutOrdered)
    assert (order.by, order.reason) == (who, "the cards slipped")
    # No card comes before the cut is made again; the wagers stay where they are.
    assert [seat.wagers for seat in at.table.seats] == wagers
    if when == "deal pressed":
        assert at.phase == "locked"
    # The lamp at the deal button goes out, and comes on again with the last act of the cut.
    lamps = [one.enabled for one in commands if isinstance(one, EnableDeal)]
    assert lamps == ([False] if when == "locked" else [])
    assert_asks_to_cut_again(at)
    if at.phase == "shuffling":
        assert "cut again" in at.refuses(events.DeckLoaded, deck="A")
    if at.phase == "locked":
        assert "cut again" in at.refuses(events.DealPressed)
    assert at.refuses(events.CardsDealt, to=1)
    at.cuts("A", depth=30)
    if at.phase == "locked":
        assert [one.enabled for one in at.sent(EnableDeal)] == [True]
    assert not any("cut it again" in one.text for one in prompts(at.terms, at.table))
    if at.phase == "shuffling":
        at.does(events.DeckLoaded, deck="A")
    if at.phase == "betting":
        if not wagers[0]:
            at.antes(1, 3)
        at.locks()
    at.shoe = at.random.sample(range(52), 52)
    at.faces = {}
    at.does(events.DealPressed)
    first = at.table.deal.steps[0]
    at.does(events.CardsDealt, to=first.to, cards=first.cards)
    why = at.refuses(events.RecutOrdered, reason="late", by=who)
    assert "cards are out" in why
    assert at.terms.ruleset.rulebook.procedures.recut_ordered_by.clause in why


def test_a_shoe_that_was_told_to_deal_is_not_stopped_for_a_recut() -> None:
    at = open_table("pa-639a", shuffler_counts=None)
    at.does(events.ShuffledByHand, deck="A")
    at.cuts("A")
    at.does(events.DeckLoaded, deck="A")
    at.antes(1).locks()
    commands = at.does(events.DealPressed)
    assert Dispense in map(type, commands)
    assert "on their way" in at.refuses(events.RecutOrdered, reason="late", by=FLOOR)


def test_a_recut_does_not_outlive_the_round_it_was_ordered_in() -> None:
    at = by_hand("pa-639a")
    at.does(events.ShuffledByHand, deck="A")
    at.cuts("A")
    at.does(events.DeckLoaded, deck="A")
    at.antes(1).locks()
    at.does(events.RecutOrdered, reason="untidy", by=FLOOR)
    at.does(events.RoundVoided, by=FLOOR, reason="smoke")
    at.racks()
    at.does(events.ShuffledByHand, deck="A")
    assert "not cut" in at.refuses(events.DeckLoaded, deck="A")
    at.cuts("A")
    at.does(events.DeckLoaded, deck="A")


def state_of_deck(at: AtTheTable) -> str:
    return at.table.decks[0].shuffled


def opened_shuffler(at: AtTheTable) -> None:
    at.does(events.DeviceFaulted, device="shuffler", nature=events.DOOR_OPEN)


def in_mid_cycle() -> AtTheTable:
    at = open_table("pa-639a")
    at.does(events.ShufflerReported, mode="shuffle", holds="A")
    at.does(events.ShuffleStarted, deck="A")
    return at


@pytest.mark.rule("R3", "R37")
def test_a_cycle_in_which_the_shuffler_was_opened_counts_for_nothing() -> None:
    at = in_mid_cycle()
    opened_shuffler(at)
    # It runs on to its end, and counts 52.
    at.does(events.ShuffleCompleted, deck="A", count=52)
    assert state_of_deck(at) == "no"
    assert not at.sent(StartShuffle)
    at.does(events.HoldCleared, hold=1, reason="a cleaner; the door is shut", by=FLOOR)
    assert [one.deck for one in at.sent(StartShuffle)] == ["A"]
    at.does(events.ShuffleStarted, deck="A")
    at.does(events.ShuffleCompleted, deck="A", count=52)
    assert state_of_deck(at) == "automated"


@pytest.mark.rule("R1")
def test_cards_that_are_missing_after_the_shuffler_was_opened_remove_the_deck() -> None:
    at = in_mid_cycle()
    opened_shuffler(at)
    at.does(events.ShuffleCompleted, deck="A", count=51)
    assert at.table.decks[0].removed == "the shuffler counted 51 cards"


@pytest.mark.rule("R3")
def test_a_hold_that_is_cleared_in_mid_cycle_does_not_make_the_rest_of_it_count() -> None:
    """The order to shuffle waits: a shuffler that runs would take it for the cycle it is in."""
    at = in_mid_cycle()
    opened_shuffler(at)
    at.does(events.HoldCleared, hold=1, reason="the door is shut", by=FLOOR)
    assert not at.sent(StartShuffle)
    assert any("wait for the end of its cycle" in one.text for one in prompts(at.terms, at.table))
    at.does(events.ShuffleCompleted, deck="A", count=52)
    assert state_of_deck(at) == "no"
    assert [one.deck for one in at.sent(StartShuffle)] == ["A"]


def test_a_shuffler_that_never_ends_its_cycle_is_emptied() -> None:
    at = in_mid_cycle()
    opened_shuffler(at)
    at.does(events.HoldCleared, hold=1, reason="the door is shut", by=FLOOR)
    at.does(events.ShufflerReported, mode="shuffle", holds=None)
    at.does(events.ShufflerReported, mode="shuffle", holds="A")
    assert [one.deck for one in at.sent(StartShuffle)] == ["A"]


@pytest.mark.rule("R3", "R37")
def test_cards_that_lie_shuffled_in_an_opened_shuffler_are_shuffled_again() -> None:
    at = in_mid_cycle()
    at.does(events.ShuffleCompleted, deck="A", count=52)
    opened_shuffler(at)
    assert state_of_deck(at) == "no"
    at.does(events.HoldCleared, hold=1, reason="the door is shut", by=FLOOR)
    assert [one.deck for one in at.sent(StartShuffle)] == ["A"]


def test_cards_that_are_out_of_an_opened_shuffler_are_not_touched() -> None:
    at = open_table("pa-639a").shuffles()
    opened_shuffler(at)
    assert at.table.phase == "betting"
    assert state_of_deck(at) == "automated"
