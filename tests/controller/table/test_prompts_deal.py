"""From "no more bets" to the stub: who is told what, at which seat, and by which clause.

What the regulations say stands here a second time, written from their texts and not from the
rulebook files.
"""

from __future__ import annotations

import pytest

from controller.rules.cards import name
from controller.table import events
from controller.table.change import replace
from controller.table.commands import Lock
from tests.controller.table.midway import LAST, cases, deal_out, deal_step, dealing, ready
from tests.controller.table.playing import BOOKS, METHODS, AtTheTable, open_table
from tests.controller.table.telling import by, one, told

DOWN = "face down"
ON_THE_FIRST = "face down, directly on top of the first card"
ON_THE_LAST = "face down, directly on top of the preceding card"
IN_FRONT = "in front of the table inventory container"


# --- No more bets -----------------------------------------------------------

NO_MORE_BETS = {
    "pa-639a": ("PA-639a.8(b)", "PA-639a.9(a)(3)", "PA-639a.10(a)(2)"),
    "s10": ("S10.(g)(2)", "S10.(h)(2)(iii)", "S10.(i)(2)(ii)"),
    "ma": ("MA.7(c)", "MA.8(c)(3)", "MA.9(c)(2)"),
    "pa-669a": ("PA-669a.8(b)", "PA-669a.9(a)(3)", "PA-669a.10(a)(2)"),
    "pa-682a": ("PA-682a.8(b)", "PA-682a.9(a)(3)", "PA-682a.10(a)(2)"),
    "pa-683a": ("PA-683a.8(b)", "PA-683a.9(a)(3)", "PA-683a.10(a)(2)"),
}
#: Section 10 and Massachusetts count by hand and from a shoe as they do from a manual shoe.
CHIPS = {**NO_MORE_BETS, "s10": ("S10.(g)(2)",) * 3, "ma": ("MA.7(c)",) * 3}
ORDER = ("manual shoe", "hand", "automated shoe")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("book", BOOKS)
def test_no_more_bets_is_announced_when_antes_are_down(book: str, method: str) -> None:
    at = open_table(book, method).shuffles()
    assert told(at, "lock_out_pressed") == []
    at.antes(1)
    announce = one(at, "lock_out_pressed")
    assert announce.text.lower().startswith("announce 'no more bets' and press")
    assert announce.clause == NO_MORE_BETS[book][ORDER.index(method)]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("book", ["pa-639a", "s10", "ma", "pa-669a"])
def test_progressive_chips_are_counted_and_put_away(book: str, method: str) -> None:
    at = open_table(book, method).shuffles().antes(1, 3, progressive=100).antes(LAST[book])
    for command in at.does(events.LockOutPressed):
        if isinstance(command, Lock):
            at.does(events.LockConfirmed, seat=command.seat, device=command.device)
    count = one(at, "chips_counted")
    assert IN_FRONT in count.text
    # How many there must be is for the dealer to find out.
    assert not any(letter.isdigit() for letter in count.text)
    assert count.clause == CHIPS[book][ORDER.index(method)]
    assert told(at, "deal_pressed") == []
    at.does(events.ChipsCounted, chips=2)
    away, deal = told(at)
    assert "chips into the table inventory container: 2" in away.text
    assert away.clause == count.clause
    assert (deal.answer, deal.seat) == ("deal_pressed", 1)


def test_a_chip_that_came_late_is_told_with_its_seat() -> None:
    at = ready("pa-639a", "hand")
    at.does(events.WagerCameLate, seat=3, wager="progressive", amount=100)
    late = by(at, "PA-639a.7(c)")
    assert (late.who, late.seat) == ("dealer", 3)
    assert "$1 is no wager" in late.text


# --- The deal, one card after another ---------------------------------------


def follows(at: AtTheTable, seat: int | None, where: str, words: str, clause: str) -> None:
    """The next card is asked for in these words; then it is dealt there, and nowhere else."""
    [card] = told(at)
    assert (card.who, card.seat, card.answer) == ("dealer", seat, "cards_dealt")
    assert card.text == f"{where}, {words}"
    assert card.clause == clause
    next_to = at.table.deal.steps[at.table.deal.done].to
    for other in {1, 3, "dealer"} - {next_to}:
        assert "is not next" in at.refuses(events.CardsDealt, to=other)
    planned = deal_step_by_hand(at)
    assert planned == (seat or planned)


def deal_step_by_hand(at: AtTheTable) -> int | str:
    step = at.table.deal.steps[at.table.deal.done]
    at.draw(step.to, step.cards)
    at.does(events.CardsDealt, to=step.to, cards=step.cards)
    return step.to


def starts(at: AtTheTable, clause: str) -> None:
    """The deal begins at the dealer's far left."""
    start = one(at, "deal_pressed")
    assert (start.clause, start.seat) == (clause, 1)
    assert "farthest to your left" in start.text
    assert "clockwise" in start.text
    at.does(events.DealPressed)


@cases(
    {
        (book, method): " ".join([order, *(f"{order}({n})" for n in numbers)])
        for book, method, order, numbers in [
            ("pa-639a", "manual shoe", "PA-639a.8(d)", "12345"),
            ("pa-639a", "hand", "PA-639a.9(b)", "12345"),
            ("s10", "manual shoe", "S10.(g)(4)", ("i", "ii", "iii", "iv", "v")),
            ("s10", "hand", "S10.(h)(3)", ("i", "ii", "iii", "iv", "v")),
            ("ma", "manual shoe", "MA.7(e)", "12345"),
            ("ma", "hand", "MA.8(d)", "12345"),
        ]
    }
)
def test_caribbean_stud_goes_out_one_by_one(
    book: str, method: str, request: pytest.FixtureRequest
) -> None:
    order, first, up, second, right, later = request.node.get_closest_marker("rule").args
    at = ready(book, method)
    starts(at, order)
    players = [(DOWN, first), (ON_THE_FIRST, second), *[(ON_THE_LAST, later)] * 3]
    front = "on the area of the dealer's hand" if book == "pa-639a" else f"directly {IN_FRONT}"
    beside = "the first card" if book == "pa-639a" else "the card that lies face up"
    dealers = [
        (f"face up, {front}", up),
        (f"face down, to the right of {beside}", right),
        *[(ON_THE_LAST, later)] * 3,
    ]
    for lap in range(5):
        for seat in (1, 3, 7):
            follows(at, seat, f"card {lap + 1} to seat {seat}", *players[lap])
        follows(at, None, f"card {lap + 1} to the dealer's hand", *dealers[lap])
        if lap == 0:
            [shown] = told(at)
            assert (shown.clause, shown.answer) == (up, "up_card_shown")
            at.does(events.UpCardShown, card=name(at.faces["dealer"][0]))
            assert at.table.up_card == at.faces["dealer"][0]
    assert told(at, "cards_dealt") == []


@cases(
    {
        ("pa-669a", "manual shoe"): "PA-669a.8(d) PA-669a.8(d)(1) PA-669a.8(d)(2)",
        ("pa-669a", "hand"): "PA-669a.9(b) PA-669a.9(b)(1) PA-669a.9(b)(2)",
    }
)
def test_raise_it_up_goes_out_one_by_one(
    book: str, method: str, request: pytest.FixtureRequest
) -> None:
    order, player, community = request.node.get_closest_marker("rule").args
    at = ready(book, method)
    starts(at, order)
    for lap in range(3):
        for seat in (1, 3, 6):
            follows(at, seat, f"card {lap + 1} to seat {seat}", DOWN, player)
    words = "face down, on the area of the community cards"
    follows(at, None, "3 cards to the community cards", words, community)


@cases(
    {
        ("pa-682a", "manual shoe"): "PA-682a.8(c)",
        ("pa-682a", "hand"): "PA-682a.9(b)",
    }
)
@pytest.mark.parametrize("all_six", [True, False])
def test_four_card_prime_goes_out_one_by_one(
    book: str, method: str, all_six: bool, request: pytest.FixtureRequest
) -> None:
    [clause] = request.node.get_closest_marker("rule").args
    at = ready(book, method, side=all_six)
    starts(at, clause)
    if all_six:
        words = "face down, on the area of the All-Six Bonus card, before all others"
        follows(at, None, "1 card to All-Six", words, clause)
    for lap in range(5):
        for seat in (1, 3, 6):
            follows(at, seat, f"card {lap + 1} to seat {seat}", DOWN, clause)
        follows(at, None, f"card {lap + 1} to the dealer's hand", DOWN, clause)
    follows(at, None, "card 6 to the dealer's hand", DOWN, clause)


@cases(
    {
        ("pa-683a", "manual shoe"): "PA-683a.8(c) PA-683a.8(d)",
        ("pa-683a", "hand"): "PA-683a.9(b) PA-683a.9(c)",
    }
)
@pytest.mark.parametrize("all_six", [True, False])
def test_cajun_stud_goes_out_one_by_one(
    book: str, method: str, all_six: bool, request: pytest.FixtureRequest
) -> None:
    player, community = request.node.get_closest_marker("rule").args
    at = ready(book, method, side=all_six)
    starts(at, player)
    if all_six:
        words = "face down, on the area of the All-Six Bonus cards, before all others"
        follows(at, None, "4 cards to All-Six", words, player)
    for lap in range(2):
        for seat in (1, 3, 6):
            follows(at, seat, f"card {lap + 1} to seat {seat}", DOWN, player)
    words = "face down, on the area of the community cards"
    follows(at, None, "3 cards to the community cards", words, community)


# --- The deal, in stacks ----------------------------------------------------

STACKS = {
    "pa-639a": "PA-639a.10(b)",
    "s10": "S10.(i)(3)",
    "ma": "MA.9(d)",
    "pa-669a": "PA-669a.10(b)",
    "pa-682a": "PA-682a.10(b)",
    "pa-683a": "PA-683a.10(b)",
}


@pytest.mark.rule(*STACKS.values())
@pytest.mark.parametrize("book", BOOKS)
def test_stacks_are_delivered_face_down_from_the_far_left(book: str) -> None:
    at = ready(book, "automated shoe")
    starts(at, STACKS[book])
    for seat in (1, 3, LAST[book]):
        [stack] = told(at)
        assert (stack.who, stack.seat, stack.clause) == ("dealer", seat, STACKS[book])
        assert f"to seat {seat}, face down" in stack.text
        assert stack.answer == ""  # the shoe answers
        deal_step(at)
    if book != "pa-683a":
        [stack] = told(at)
        assert (stack.seat, stack.clause) == (None, STACKS[book])
        assert "face down" in stack.text


@pytest.mark.rule("PA-683a.10(c)", "PA-683a.10(c)(1)", "PA-683a.10(c)(2)")
def test_after_the_stacks_cajun_stud_goes_on_by_hand() -> None:
    at = dealing("pa-683a", "automated shoe")
    for _ in range(3):
        assert all(prompt.clause == "PA-683a.10(b)" for prompt in told(at))
        deal_step(at)
    by_hand, all_six = told(at)
    assert by_hand.clause == "PA-683a.10(c)"
    assert by_hand.text.startswith("remove the remaining cards from the shoe into one hand")
    assert "over the table inventory container and in front of you" in by_hand.text
    assert (all_six.clause, all_six.answer) == ("PA-683a.10(c)(1)", "cards_dealt")
    assert all_six.text.startswith("4 cards to All-Six, face down")
    deal_step(at)
    [community] = told(at)
    assert (community.clause, community.answer) == ("PA-683a.10(c)(2)", "cards_dealt")
    assert community.text.startswith("3 cards to the community cards, face down")
    deal_step(at)
    [stub] = told(at)
    assert (stub.clause, stub.answer) == ("PA-683a.10(c)(2)", "stub_racked")


@cases({("s10", "automated shoe"): "S10.(i)(7)", ("ma", "automated shoe"): "MA.9(h)"})
def test_the_dealers_stack_is_spread_when_the_stub_is_away(
    book: str, method: str, request: pytest.FixtureRequest
) -> None:
    [clause] = request.node.get_closest_marker("rule").args
    at = dealing(book, method)
    for _ in range(4):
        step = at.table.deal.steps[at.table.deal.done]
        at.draw(step.to, step.cards)
        at.does(events.StackDispensed, number=at.table.deal.done + 1, cards=5)
    stub, spread = told(at)
    assert stub.answer == "stub_racked"
    assert (spread.clause, spread.answer) == (clause, "up_card_shown")
    assert f"in a row directly {IN_FRONT}" in spread.text
    assert "the top card to your right and the bottom card to your left" in spread.text
    assert spread.text.endswith("expose the bottom card, farthest to your left")
    at.does(events.StubRacked)
    assert told(at) == [spread]
    bottom = at.faces["dealer"][-1]
    at.does(events.UpCardShown, card=name(bottom))
    assert at.table.up_card == bottom


@pytest.mark.rule("PA-639a.10(b)")
def test_in_pennsylvania_it_is_spread_before_that() -> None:
    at = dealing("pa-639a", "automated shoe")
    for number in range(1, 5):
        at.does(events.StackDispensed, number=number, cards=5)
    spread, stub = told(at)
    assert (spread.clause, spread.answer) == ("PA-639a.10(b)", "up_card_shown")
    assert "the top card to your right and the bottom card to your left" in spread.text
    assert "turn the bottom card, on your far left, face up" in spread.text
    assert stub.answer == "stub_racked"


# --- The stub ---------------------------------------------------------------

#: Where it is racked, where it is counted, and where a right and a wrong count are dealt with.
STUBS = {
    ("pa-639a", "manual shoe"): "PA-639a.8(e) PA-639a.8(f) PA-639a.8(g) PA-639a.8(h)",
    ("pa-639a", "hand"): "PA-639a.9(c) PA-639a.9(d) PA-639a.9(e) PA-639a.9(f)",
    ("pa-639a", "automated shoe"): "PA-639a.10(c) PA-639a.10(d) PA-639a.10(e) PA-639a.10(f)",
    ("s10", "manual shoe"): "S10.(g)(5) S10.(g)(6) S10.(g)(6)(i) S10.(g)(6)(ii)",
    ("s10", "hand"): "S10.(h)(4) S10.(h)(5) S10.(g)(6)(i) S10.(g)(6)(ii)",
    ("s10", "automated shoe"): "S10.(i)(4) S10.(i)(5) S10.(g)(6)(i) S10.(g)(6)(ii)",
    ("ma", "manual shoe"): "MA.7(f) MA.7(g) MA.7(g)(1) MA.7(g)(2)",
    ("ma", "hand"): "MA.8(e) MA.8(f) MA.7(g)(1) MA.7(g)(2)",
    ("ma", "automated shoe"): "MA.9(e) MA.9(f) MA.7(g)(1) MA.7(g)(2)",
    ("pa-669a", "manual shoe"): "PA-669a.8(e) PA-669a.8(f) PA-669a.8(g) PA-669a.8(h)",
    ("pa-669a", "hand"): "PA-669a.9(c) PA-669a.9(d) PA-669a.9(e) PA-669a.9(f)",
    ("pa-669a", "automated shoe"): "PA-669a.10(c) PA-669a.10(d) PA-669a.10(e) PA-669a.10(f)",
    ("pa-682a", "manual shoe"): "PA-682a.8(d) PA-682a.8(e) PA-682a.8(f) PA-682a.8(g)",
    ("pa-682a", "hand"): "PA-682a.9(c) PA-682a.9(d) PA-682a.9(e) PA-682a.9(f)",
    ("pa-682a", "automated shoe"): "PA-682a.10(c) PA-682a.10(d) PA-682a.10(e) PA-682a.10(f)",
    ("pa-683a", "manual shoe"): "PA-683a.8(d) PA-683a.8(e) PA-683a.8(f) PA-683a.8(g)",
    ("pa-683a", "hand"): "PA-683a.9(c) PA-683a.9(d) PA-683a.9(e) PA-683a.9(f)",
    ("pa-683a", "automated shoe"): "PA-683a.10(c)(2) PA-683a.10(d) PA-683a.10(e) PA-683a.10(f)",
}
#: What three players leave, with all side wagers down.
LEFT = {"pa-639a": 32, "s10": 32, "ma": 32, "pa-669a": 40, "pa-682a": 30, "pa-683a": 39}


@cases({case: clauses.split()[0] for case, clauses in STUBS.items()})
def test_the_stub_goes_to_the_rack_unexposed(book: str, method: str) -> None:
    at = deal_out(dealing(book, method))
    stub = one(at, "stub_racked")
    assert stub.clause == STUBS[book, method].split()[0]
    assert stub.text.endswith("in the discard rack without exposing the cards")
    # By hand no shoe is emptied, and Cajun Stud's was emptied before.
    from_a_shoe = method != "hand" and (book, method) != ("pa-683a", "automated shoe")
    assert stub.text.startswith("remove the stub from the shoe") is from_a_shoe
    assert told(at, "stub_counted") == []
    at.does(events.StubRacked)
    assert told(at, "stub_racked") == []
    # In a round in which it is to be counted it does not go there uncounted.
    at = deal_out(counting(book, method))
    assert "count" in at.refuses(events.StubRacked)


def counting(book: str, method: str) -> AtTheTable:
    """A deal whose stub is to be counted: no shuffler counts, and four rounds went without."""
    at = dealing(book, method, shuffler_counts=False)
    at.table = replace(at.table, rounds_since_count=4)
    return at


@pytest.mark.parametrize(("book", "method"), list(STUBS))
def test_a_stub_that_is_due_is_counted_first_and_racked_after(book: str, method: str) -> None:
    _, count, right, wrong = STUBS[book, method].split()
    at = deal_out(counting(book, method))
    left = 27 if (book, method) == ("pa-682a", "automated shoe") else LEFT[book]
    asked = one(at, "stub_counted")
    assert (asked.clause, told(at, "stub_racked")) == (count, [])
    assert asked.text == f"count the stub face down on the layout: {left} expected"
    assert "determine whether the cards were misdealt" in by(at, wrong).text
    at.does(events.StubCounted, cards=left)
    racked = by(at, right)
    assert racked.text.endswith("place the stub in the discard rack without exposing the cards")
    choice = {"choice": "check"} if book == "pa-669a" else {"choice": "fold"}
    at.does(events.Decided, seat=1, **choice)
    assert [prompt for prompt in told(at) if prompt.clause == right] == []
