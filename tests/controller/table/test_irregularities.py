"""What goes wrong in the deal, by rulebook: wrong numbers of cards, faces that show, the shoe."""

from __future__ import annotations

import pytest

from controller.rules.cards import names
from controller.table import events
from controller.table.commands import (
    Dispense,
    ReturnWager,
    SetLamp,
    ShowMeter,
    ShowWarning,
    StopShoe,
)
from controller.table.dealing import next_step, stub
from controller.table.state import DealStep
from tests.controller.table.midway import (
    LAST,
    PENNSYLVANIA,
    all_void,
    back,
    cases,
    clear_holds,
    deal_out,
    deal_step,
    dealing,
    down,
    every_method,
    goes_on,
    show_up_card,
)
from tests.controller.table.playing import BOOKS, FLOOR, METHODS, AtTheTable, open_table
from tests.controller.table.test_round import SIDE

# --- A card face up in the shoe or the deck ---------------------------------


@every_method(
    {
        "pa-639a": "PA-639a.13(a)",
        "s10": "S10.(m)(2)",
        "ma": "MA.13(b)",
        "pa-669a": "PA-669a.13(a)",
        "pa-682a": "PA-682a.13(a)",
        "pa-683a": "PA-683a.13(a)",
    }
)
def test_one_card_face_up_is_set_aside_and_a_second_voids(book: str, method: str) -> None:
    at = dealing(book, method)
    deal_step(at)
    planned, dealt = next_step(at.table), at.table.seats
    at.does(events.FaceUpCardFound)
    at.shoe.pop()
    assert next_step(at.table) == planned  # the next card takes its place
    assert at.table.seats == dealt  # and it is in no hand
    assert at.phase == "dealing"
    deal_step(at)
    assert stub(at.table) == len(at.shoe)
    was = down(at)
    commands = at.does(events.FaceUpCardFound)
    all_void(at, was, commands)
    goes_on(at)


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("method", METHODS)
def test_a_round_with_one_card_set_aside_is_played_to_its_end(book: str, method: str) -> None:
    at = dealing(book, method)
    at.does(events.FaceUpCardFound)
    at.shoe.pop()
    deal_out(at)
    at.refuses(events.FaceUpCardFound)  # what is left is the stub
    assert stub(at.table) == len(at.shoe)
    at.does(events.StubCounted, cards=len(at.shoe))
    at.decides().reveals().pays().racks()
    assert at.phase == "shuffling"


@pytest.mark.parametrize(
    ("book", "clause"),
    [
        pytest.param(book, clause, marks=pytest.mark.rule(clause))
        for book, clause in {
            "pa-639a": "PA-639a.13(a)",
            "s10": "S10.(m)(2)",
            "ma": "MA.13(b)",
            "pa-669a": "PA-669a.13(a)",
            "pa-682a": "PA-682a.13(a)",
            "pa-683a": "PA-683a.13(a)",
        }.items()
    ],
)
@pytest.mark.parametrize("last_stack", [False, True])
def test_a_face_up_card_of_a_stack_is_replaced(book: str, clause: str, last_stack: bool) -> None:
    at = dealing(book, "automated shoe")
    size = at.terms.ruleset.rulebook.procedures.stack_of.is_
    seats = (1, 3, LAST[book])
    many = len(seats) if last_stack else 1
    for number in range(1, many + 1):
        at.does(events.StackDispensed, number=number, cards=size)
    seat = seats[many - 1]
    at.does(events.FaceUpCardFound, where=seat)
    assert at.table.seat(seat).dealt == size - 1
    assert at.table.deal.set_aside == 1
    # What is on its way comes first, and is not ordered a second time.
    while (planned := next_step(at.table)) is not None and planned.by_shoe:
        at.does(events.StackDispensed, number=at.table.deal.done + 1, cards=planned.cards)
    orders = [(one.number, one.cards, one.to) for one in at.commands if isinstance(one, Dispense)]
    assert [number for number, _, _ in orders] == list(range(1, len(orders) + 1))
    assert [cards for _, cards, to in orders if to == seat] == [size, 1]
    assert at.table.seat(seat).dealt == size
    out = sum(cards for _, cards, _ in orders)
    assert stub(at.table) == 52 - out
    at.refuses(events.FaceUpCardFound, where=2)  # nothing was dealt there


def test_a_face_up_card_of_primes_last_stack_has_cards_to_take_its_place() -> None:
    at = deal_out(dealing("pa-682a", "automated shoe"))
    left = stub(at.table)
    at.does(events.FaceUpCardFound, where="extra")
    assert at.sent(Dispense) == []
    assert next_step(at.table) is None
    assert stub(at.table) == left
    at.does(events.FaceUpCardFound, where="dealer")
    assert at.phase == "clearing"


# --- A card drawn too soon --------------------------------------------------


@cases(
    {
        (book, method): clause
        for book, clause in {
            "pa-639a": "PA-639a.13(b)",
            "s10": "S10.(m)(3)",
            "ma": "MA.13(c)",
            "pa-669a": "PA-669a.13(b)",
            "pa-682a": "PA-682a.13(b)",
            "pa-683a": "PA-683a.13(b)",
        }.items()
        for method in ("manual shoe", "hand")
    }
)
def test_a_card_drawn_too_soon_is_the_next_card(book: str, method: str) -> None:
    at = dealing(book, method)
    as_planned = [(step.to, step.cards) for step in at.table.deal.steps]
    seen = [deal_step(at), deal_step(at)]
    at.does(events.CardDrawnInError)
    assert at.table.deal.early == 1
    planned = next_step(at.table)
    assert planned is not None
    others = [*range(1, at.terms.seats + 1), "dealer", "community", "extra"]
    for other in others:
        if other != planned.to:
            at.refuses(events.CardsDealt, to=other, cards=planned.cards)
    seen.append(deal_step(at))
    assert seen[-1] == (planned.to, planned.cards)
    assert at.table.deal.early == 0
    while next_step(at.table) is not None:
        seen.append(deal_step(at))
    assert seen == as_planned  # nobody was passed over
    assert stub(at.table) == len(at.shoe)
    at.refuses(events.CardDrawnInError)


def test_more_cards_drawn_too_soon_than_the_deal_takes() -> None:
    at = dealing("pa-669a", "hand", seats=(1,), side=False)
    for _ in range(6):
        at.does(events.CardDrawnInError)
    at.refuses(events.CardDrawnInError)


def test_beside_a_stack_no_card_is_drawn() -> None:
    at = dealing("pa-683a", "automated shoe")
    at.refuses(events.CardDrawnInError)
    for _ in range(3):
        deal_step(at)
    at.does(events.CardDrawnInError)  # Cajun Stud goes on by hand


# --- A wrong number of cards: Pennsylvania ----------------------------------

MISDEALT = {
    "pa-639a": "PA-639a.13(c)",
    "pa-669a": "PA-669a.13(c)",
    "pa-682a": "PA-682a.13(c)",
    "pa-683a": "PA-683a.13(c)",
}
PLACES = {
    "pa-639a": ("player", "dealer"),
    "pa-669a": ("player", "community"),
    "pa-682a": ("player", "dealer", "extra"),
    "pa-683a": ("player", "community", "extra"),
}


def to_place(at: AtTheTable, place: str) -> None:
    """Deal until the place is next."""
    while (planned := next_step(at.table)) is not None:
        here = "player" if isinstance(planned.to, int) else planned.to
        if here == place or (here == "last stack" and place == "extra"):
            return
        deal_step(at)


@every_method(MISDEALT)
@pytest.mark.parametrize("off", [-1, 1])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_pennsylvania_voids_all_hands(book: str, method: str, which: int, off: int) -> None:
    if which >= len(PLACES[book]):
        which = 0
    at = dealing(book, method)
    to_place(at, PLACES[book][which])
    planned = next_step(at.table)
    assert planned is not None
    was = down(at)
    if planned.by_shoe:
        number = at.table.deal.done + 1
        commands = at.does(events.StackDispensed, number=number, cards=planned.cards + off)
        assert StopShoe in [type(command) for command in commands]
        assert f"stack {number}" in at.table.holds[0].cause
    else:
        commands = at.does(events.CardsDealt, to=planned.to, cards=planned.cards + off)
    all_void(at, was, commands)
    goes_on(at)


@every_method(MISDEALT)
@pytest.mark.parametrize("place", [1, "dealer", "community", "extra"])
@pytest.mark.parametrize("off", [-1, 1])
def test_in_pennsylvania_a_misdeal_that_is_found_later_voids_all(
    book: str, method: str, place: int | str, off: int
) -> None:
    """Found before the stub is away, by a player who looks at the hand, or at the reveal."""
    for phase in ("dealing", "deciding", "revealing"):
        at = deal_out(dealing(book, method))
        if phase != "dealing":
            at.stubs()
        if phase == "revealing":
            at.decides()
            assert at.phase == "revealing"
        has = at.table.seat(1).dealt if place == 1 else at.table.deal.placed.get(str(place), 0)
        if not has or (place == "community" and phase == "revealing"):
            at.refuses(events.MisdealReported, to=place, cards=has + 1)
            continue
        assert "right number" in at.refuses(events.MisdealReported, to=place, cards=has)
        was = down(at)
        commands = at.does(events.MisdealReported, to=place, cards=has + off)
        all_void(at, was, commands)
        goes_on(at)


@pytest.mark.parametrize("method", ["manual shoe", "hand"])
def test_a_hand_that_is_not_complete_yet_is_no_misdeal(method: str) -> None:
    at = dealing("pa-639a", method)
    for _ in range(8):
        deal_step(at)
    assert "right number" in at.refuses(events.MisdealReported, to=1, cards=2)
    at.refuses(events.MisdealReported, to=2, cards=1)  # a seat that is not in the round
    at.does(events.MisdealReported, to=1, cards=5)  # what a whole hand has is wrong so early
    assert at.phase == "clearing"


# --- A wrong number of cards: Section 10 and Massachusetts ------------------

HAND_VOID = {"s10": "S10.(m)(4)", "ma": "MA.13(d)"}


SHORT_STACK = {
    **{book: f"PA-{book[3:]}.13(f)" for book in PENNSYLVANIA},
    "s10": "S10.(m)(6)",
    "ma": "MA.13(f)",
}


@pytest.mark.parametrize(
    "book", [pytest.param(book, marks=pytest.mark.rule(ids)) for book, ids in SHORT_STACK.items()]
)
@pytest.mark.parametrize("stack", ["first", "last"])
def test_a_shoe_that_does_not_deal_all_cards_voids_the_round(book: str, stack: str) -> None:
    at = dealing(book, "automated shoe")
    was = down(at)
    by_shoe = [step for step in at.table.deal.steps if step.by_shoe]
    if stack == "last":
        for _ in by_shoe[1:]:
            deal_step(at)
    planned = next_step(at.table)
    assert planned is not None
    number = at.table.deal.done + 1
    commands = at.does(events.StackDispensed, number=number, cards=planned.cards - 1)
    all_void(at, was, commands)
    assert StopShoe in map(type, commands)
    assert (at.table.holds[0].where, at.table.holds[0].blocks) == ("shoe", "deal")
    goes_on(at)


@every_method(HAND_VOID)
@pytest.mark.parametrize("off", [-1, 1])
def test_only_the_misdealt_hand_is_void(book: str, method: str, off: int) -> None:
    if method == "automated shoe" and off < 0:
        return  # then the shoe has failed, and the whole round is void
    at = open_table(book, method).shuffles()
    before = at.table.meters
    at.antes(1, 3, 7, **SIDE[book])
    balance = at.table.seat(3).balance
    at.locks().does(events.DealPressed)
    deal_step(at)
    planned = next_step(at.table)
    assert planned is not None
    assert planned.to == 3
    was, meters = down(at), at.table.meters
    at.draw(3, planned.cards)
    if planned.by_shoe:
        commands = at.does(events.StackDispensed, number=2, cards=planned.cards + off)
        assert not at.sent(Dispense)
    else:
        commands = at.does(events.CardsDealt, to=3, cards=planned.cards + off)
    assert at.phase == "dealing"
    assert back(commands) == sorted(item for item in was.items() if item[0][0] == 3)
    assert at.table.seat(3).wagers == {}
    electronic = sum(v for (n, k), v in was.items() if n == 3 and k.startswith("five_card"))
    assert at.table.seat(3).balance == balance + electronic
    # Its light goes out, and what it added to the meters comes off: that, and no more.
    assert SetLamp(seat=3, lamp="off", id=at.sent(SetLamp)[0].id) == at.sent(SetLamp)[0]
    assert at.sent(ShowMeter)
    for name, meter in at.table.meters.items():
        assert meter.wagers_in == meters[name].wagers_in * 2 // 3
        for level, held in meter.levels.items():
            added = meters[name].levels[level].holds - before[name].levels[level].holds
            assert added > 0
            assert held.holds - before[name].levels[level].holds == added * 2 // 3
    clear_holds(at)
    if planned.by_shoe:
        assert [order.number for order in at.sent(Dispense)] == [3]
    # It gets no further card, is not asked, and the others play on.
    while (step := next_step(at.table)) is not None:
        assert step.to != 3
        deal_step(at)
    at.stubs()
    at.refuses(events.Decided, seat=3, choice="fold")
    at.decides().reveals()
    assert {due.seat for due in at.table.due} == {1, 7}
    at.pays().racks()
    clear_holds(at)
    at.plays(1, 3)


@every_method(HAND_VOID)
def test_if_it_is_the_only_hand_the_round_is_void(book: str, method: str) -> None:
    at = dealing(book, method, seats=(3,))
    was, planned = down(at), next_step(at.table)
    assert planned is not None
    if planned.by_shoe:
        commands = at.does(events.StackDispensed, number=1, cards=6)
    else:
        commands = at.does(events.CardsDealt, to=3, cards=2)
    all_void(at, was, commands)
    goes_on(at)


@every_method(HAND_VOID)
def test_a_void_hand_and_then_a_void_round_return_everything_once(book: str, method: str) -> None:
    at = open_table(book, method).shuffles()
    meters = at.table.meters
    at.antes(1, 3, 7, **SIDE[book]).locks()
    was = down(at)
    at.does(events.DealPressed)
    deal_step(at)
    deal_step(at)
    commands = [*at.does(events.MisdealReported, to=1, cards=7)]
    assert [c for c in commands if isinstance(c, Dispense)] == []  # a stack is on its way
    commands += at.does(events.RoundVoided, reason="spilt", by=FLOOR)
    assert back(commands) == sorted(was.items())
    assert at.table.meters == meters


@every_method(HAND_VOID)
@pytest.mark.parametrize("phase", ["dealing", "deciding", "revealing"])
def test_a_misdealt_hand_may_be_found_later(book: str, method: str, phase: str) -> None:
    at = deal_out(dealing(book, method))
    if phase != "dealing":
        at.stubs()
        at.does(events.Decided, seat=1, choice="wager", amount=2000)
        at.does(events.Decided, seat=3, choice="wager", amount=2000)
    if phase == "revealing":
        at.does(events.Decided, seat=7, choice="wager", amount=2000)
    mine = sorted(item for item in down(at).items() if item[0][0] == 7)
    commands = at.does(events.MisdealReported, to=7, cards=4)
    assert back(commands) == mine
    assert at.phase == ("dealing" if phase == "dealing" else "revealing")
    at.refuses(events.MisdealReported, to=7, cards=6)  # void already
    if phase == "dealing":
        at.does(events.StubCounted, cards=stub(at.table))
        at.decides()
    at.reveals().pays().racks()


def test_a_misdealt_hand_found_as_the_last_one_lets_the_round_be_settled() -> None:
    at = deal_out(dealing("s10", "automated shoe")).stubs().decides()
    at.does(events.Revealed, where="dealer", cards=names(at.faces["dealer"]))
    at.does(events.HandTurned, seat=7, cards=names(at.faces[7]))
    at.does(events.HandTurned, seat=3, cards=names(at.faces[3]))
    at.refuses(events.MisdealReported, to=3, cards=4)  # its five were turned over
    at.refuses(events.MisdealReported, to="dealer", cards=4)
    at.does(events.MisdealReported, to=1, cards=6)
    assert at.phase == "settling"
    at.pays().racks()


@every_method(HAND_VOID)
@pytest.mark.parametrize("phase", ["dealing", "deciding", "revealing"])
def test_a_dealer_with_four_takes_one_more_card(book: str, method: str, phase: str) -> None:
    at = deal_out(dealing(book, method))
    if phase != "dealing":
        at.stubs()
    if phase == "revealing":
        at.decides()
    at.faces["dealer"].pop()
    at.shoe.append(next(c for c in range(52) if all(c not in f for f in at.faces.values())))
    commands = at.does(events.MisdealReported, to="dealer", cards=4)
    assert not [c for c in commands if isinstance(c, ReturnWager)]
    assert at.table.void == ""
    planned = next_step(at.table)
    assert planned is not None
    assert (planned.to, planned.cards) == ("dealer", 1)
    # From the shoe while the stub is in it, once somebody has looked at a stack of four; else from
    # the unmixed stub by hand.
    clear_holds(at)
    assert len(at.sent(Dispense)) == planned.by_shoe
    assert planned.by_shoe == (method == "automated shoe" and phase == "dealing")
    at.refuses(events.Decided, seat=1, choice="fold")
    at.draw("dealer", 1)
    if planned.by_shoe:
        at.does(events.StackDispensed, number=5, cards=1)
    else:
        at.does(events.CardsDealt, to="dealer", cards=1)
    assert at.table.deal.placed["dealer"] == 5
    show_up_card(at)
    if phase == "dealing":
        at.does(events.StubCounted, cards=stub(at.table))
        assert stub(at.table) == 32
    assert at.phase == ("revealing" if phase == "revealing" else "deciding")
    at.decides().reveals().pays().racks()


@every_method(HAND_VOID)
@pytest.mark.parametrize("has", [3, 6])
def test_any_other_misdeal_to_the_dealer_voids_all(book: str, method: str, has: int) -> None:
    at = dealing(book, method)
    if method == "automated shoe":
        for _ in range(3):
            deal_step(at)
        was = down(at)
        commands = at.does(events.StackDispensed, number=4, cards=has)
    else:
        deal_out(at)
        was = down(at)
        commands = at.does(events.MisdealReported, to="dealer", cards=has)
    all_void(at, was, commands)
    goes_on(at)


@pytest.mark.parametrize("book", PENNSYLVANIA)
def test_in_pennsylvania_nobody_completes_the_dealers_hand(book: str) -> None:
    at = deal_out(dealing(book, "manual shoe"))
    has = at.table.deal.placed.get("dealer")
    if has:
        at.does(events.MisdealReported, to="dealer", cards=has - 1)
        assert at.phase == "clearing"


# --- The shoe ---------------------------------------------------------------


@pytest.mark.parametrize(
    "book",
    [
        pytest.param(book, marks=pytest.mark.rule(clause, "R9"))
        for book, clause in {
            "pa-639a": "PA-639a.13(f)",
            "s10": "S10.(m)(6)",
            "ma": "MA.13(f)",
            "pa-669a": "PA-669a.13(f)",
            "pa-682a": "PA-682a.13(f)",
            "pa-683a": "PA-683a.13(f)",
        }.items()
    ],
)
@pytest.mark.parametrize("stacks", [0, 1, 2, 3])
@pytest.mark.parametrize("nature", ["jam", "stopped", "no card came"])
def test_a_shoe_that_fails_voids_the_round(book: str, stacks: int, nature: str) -> None:
    at = open_table(book, "automated shoe").shuffles()
    meters, balances = at.table.meters, [seat.balance for seat in at.table.seats]
    at.antes(1, 3, LAST[book], **SIDE[book]).locks().does(events.DealPressed)
    if book == "pa-683a":
        stacks = min(stacks, 2)  # its shoe deals to the seats only
    for _ in range(stacks):
        deal_step(at)
    was = down(at)
    commands = at.does(events.DeviceFaulted, device="shoe", nature=nature)
    all_void(at, was, commands)
    assert StopShoe in [type(command) for command in commands]
    assert at.table.meters == meters
    assert [seat.balance for seat in at.table.seats] == balances
    # Whole again, with the cards already dealt: gathered, then shuffled.
    goes_on(at)


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("method", METHODS)
def test_a_shoe_that_has_nothing_left_to_deal_voids_no_round(book: str, method: str) -> None:
    """Not where cards come from the dealer's hands, and not when the last stack is out."""
    at = dealing(book, method)
    while (planned := next_step(at.table)) is not None and planned.by_shoe:
        deal_step(at)
    was = down(at)
    commands = at.does(events.DeviceFaulted, device="shoe", nature="door opened")
    assert [type(command) for command in commands] == [ShowWarning]
    assert (at.phase, at.table.void, down(at)) == ("dealing", "", was)
    # What is left of the deal waits until somebody has looked, and the round is played.
    at.refuses(events.StubRacked)
    clear_holds(at)
    deal_out(at).stubs()
    # With the deal over, the round is played to its end; the next one waits.
    at.does(events.DeviceFaulted, device="shoe", nature="door opened")
    at.decides().reveals().pays().racks()
    at.does(events.ShuffleCompleted, deck="A", count=52)
    assert "door opened" in at.refuses(events.DeckLoaded, deck="A")
    clear_holds(at)
    at.does(events.DeckLoaded, deck="A")


@pytest.mark.parametrize("book", ["s10", "ma"])
def test_a_shoe_fails_while_the_dealer_waits_for_a_fifth_card(book: str) -> None:
    at = dealing(book, "automated shoe")
    while next_step(at.table) != DealStep("dealer", 5, by_shoe=True):
        deal_step(at)
    at.draw("dealer", 4)
    at.does(events.StackDispensed, number=at.table.deal.done + 1, cards=4)
    was = down(at)
    all_void(at, was, at.does(events.DeviceFaulted, device="shoe", nature="jam"))


@pytest.mark.rule("R9")
@pytest.mark.parametrize("book", PENNSYLVANIA)
@pytest.mark.parametrize("off", [-1, 1])
def test_a_wrong_stack_voids_the_round_and_holds_the_shoe(book: str, off: int) -> None:
    at = dealing(book, "automated shoe")
    size = at.terms.ruleset.rulebook.procedures.stack_of.is_
    for number in (1, 2):
        at.does(events.StackDispensed, number=number, cards=size)
    was = down(at)
    commands = at.does(events.StackDispensed, number=3, cards=size + off)
    all_void(at, was, commands)
    assert [hold.where for hold in at.table.holds] == ["shoe"]
    goes_on(at)
