"""From a closed table to its first shuffle, and the idle table: who looks at the cards when."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from controller.table import events
from controller.table.commands import Lock, StartShuffle, Unlock
from controller.table.diagram import named
from controller.table.prompts import prompts
from tests.controller.table.playing import (
    BOOKS,
    BOSS,
    DEALER,
    FLOOR,
    AtTheTable,
    open_table,
    terms_of,
)

ALL = pytest.mark.parametrize("book", BOOKS)
PENNSYLVANIA = ("pa-639a", "pa-669a", "pa-682a", "pa-683a")
EAST = ("s10", "ma")
DECK_A: dict[str, Any] = {"deck": "A", "colour": "red", "design": "bee"}


def of_pa(clause: str) -> list[str]:
    return [f"PA-{book[3:]}.{clause}" for book in PENNSYLVANIA]


def new(book: str, method: str = "automated shoe", **more: Any) -> AtTheTable:
    at = AtTheTable(terms_of(book, method, **more))
    at.does(events.TableOpened, by=FLOOR)
    return at


def steps(at: AtTheTable) -> list[tuple[str, str]]:
    """What was done to decks, with who did it, as the record has it."""
    return [
        (type(event).__name__, event.by.id)
        for event in at.taken
        if isinstance(event, events.Act) and type(event).__name__.startswith(("Deck", "Cards"))
    ]


@ALL
def test_a_table_is_opened_by_a_floorperson(book: str) -> None:
    at = AtTheTable(terms_of(book))
    assert "floorperson" in at.refuses(events.TableOpened)
    assert at.refuses(events.DeckReceived, **DECK_A)
    at.does(events.TableOpened, by=FLOOR)
    assert at.phase == "opening"


@ALL
@pytest.mark.rule(*of_pa("4(a)"), "S10.(c)(1)")
def test_two_people_look_at_a_deck(book: str) -> None:
    at = new(book)
    at.does(events.DeckReceived, **DECK_A)
    assert "next: inspected" in at.refuses(events.DeckVerified, deck="A", by=FLOOR)
    assert "dealer" in at.refuses(events.DeckInspected, deck="A", by=FLOOR)
    at.does(events.DeckInspected, deck="A")
    for kind in (events.DeckSpread, events.DeckWashed):
        assert "next: verified" in at.refuses(kind, deck="A")
    assert "floorperson" in at.refuses(events.DeckVerified, deck="A", by=DEALER)
    both_roles = {"id": DEALER.id, "role": "floorperson"}
    # The role is one, but in a dictionary: to the types it is any text.
    person = type(DEALER)(**both_roles)  # type: ignore[arg-type]
    assert "two different people" in at.refuses(events.DeckVerified, deck="A", by=person)
    at.does(events.DeckVerified, deck="A", by=FLOOR)
    assert at.phase == "opening"
    deck = at.table.decks[0]
    assert (deck.steps["inspected"], deck.steps["verified"]) == (DEALER.id, FLOOR.id)
    times = [event.at for event in at.taken[-2:]]
    assert times[0] < times[1]


@ALL
@pytest.mark.rule(*of_pa("4(b)"), *of_pa("4(c)"), "S10.(c)(2)", "S10.(c)(3)", "MA.3(b)", "MA.3(c)")
def test_a_deck_is_spread_then_washed_then_shuffled(book: str) -> None:
    at = new(book)
    at.does(events.DeckReceived, **DECK_A)
    assert "next: inspected" in at.refuses(events.DeckSpread, deck="A")
    at.does(events.DeckInspected, deck="A")
    assert "next: verified" in at.refuses(events.DeckSpread, deck="A")
    at.does(events.DeckVerified, deck="A", by=FLOOR)
    assert "next: spread" in at.refuses(events.DeckWashed, deck="A")
    assert "not through its checklist" in at.refuses(events.ShuffleCompleted, deck="A", count=52)
    at.does(events.DeckSpread, deck="A")
    # The cards lie there until a first player has come, and had the opportunity to look.
    assert "next: shown" in at.refuses(events.DeckWashed, deck="A")
    steps_ = at.terms.ruleset.rulebook.procedures.steps
    why = at.refuses(events.DeckShown, deck="A")
    assert "no player has arrived" in why
    assert steps_.of("shown") in why
    (waits,) = prompts(at.terms, at.table)
    assert (waits.who, waits.answer, waits.clause) == ("dealer", "player_sat", steps_.shown)
    at.does(events.PlayerSat, seat=2, player="Ann")
    assert "next: shown" in at.refuses(events.DeckWashed, deck="A")
    assert [one.answer for one in prompts(at.terms, at.table)] == ["deck_shown"]
    assert "dealer" in at.refuses(events.DeckShown, deck="A", by=FLOOR)
    at.does(events.DeckShown, deck="A")
    (wash,) = prompts(at.terms, at.table)
    assert (wash.answer, wash.clause) == ("deck_washed", steps_.washed)
    assert "dealer" in at.refuses(events.DeckWashed, deck="A", by=FLOOR)
    assert at.phase == "opening"
    commands = at.does(events.DeckWashed, deck="A")
    # The shuffle is all that can follow: no load, no wager, no deal.
    assert at.phase == "shuffling"
    assert [c.deck for c in commands if isinstance(c, StartShuffle)] == ["A"]
    assert at.refuses(events.LockOutPressed)
    assert at.refuses(events.DealPressed)
    for kind in (events.DeckSpread, events.DeckShown, events.DeckWashed, events.DeckInspected):
        assert "next: shuffle" in at.refuses(kind, deck="A")
    assert steps(at) == [
        ("DeckReceived", DEALER.id),
        ("DeckInspected", DEALER.id),
        ("DeckVerified", FLOOR.id),
        ("DeckSpread", DEALER.id),
        ("DeckShown", DEALER.id),
        ("DeckWashed", DEALER.id),
    ]


@ALL
@pytest.mark.rule(*of_pa("4(d)"), "S10.(c)(4)", "MA.3(d)", "S10.(b)(2)(i)", "MA.2(b)(1)")
def test_each_of_two_decks_goes_through_the_whole_checklist(book: str) -> None:
    at = new(book, decks=2)
    at.enrols("A", "red")
    assert at.phase == "opening"
    at.does(events.DeckReceived, deck="B", colour="blue", design="bee")
    for kind, by in (
        (events.DeckInspected, DEALER),
        (events.DeckVerified, FLOOR),
        (events.DeckSpread, DEALER),
    ):
        # What was done to deck A is not done to deck B, and no step is left out.
        assert "deck: B is not to be washed now" in at.refuses(events.DeckWashed, deck="B")
        at.does(kind, deck="B", by=by)
        assert at.phase == "opening"
        assert at.refuses(events.DeckLoaded, deck="A")
    at.shows("B")
    at.does(events.DeckWashed, deck="B")
    assert at.phase == "shuffling"


@pytest.mark.parametrize("book", [*PENNSYLVANIA, "ma"])
@pytest.mark.rule(*of_pa("4(e)"), "MA.3(a)")
def test_a_preshuffled_deck_skips_the_checklist_but_not_the_attestation(book: str) -> None:
    paragraph = "205 CMR 146.50" if book == "ma" else "603a.16(u)"
    at = new(book, "manual shoe")
    attested = {**DECK_A, "route": "preshuffled"}
    assert "which paragraph" in at.refuses(events.DeckReceived, **attested)
    for other in ("603a.16(w)", "(a)", "u", "146.49", "x"):
        why = at.refuses(events.DeckReceived, **attested, paragraph=other)
        assert "does not attest a pre-shuffled deck" in why
        assert paragraph in why
    for short in ("146.50",) if book == "ma" else ("(U)", "§ 603a.16 (v)"):
        new(book, "manual shoe").does(events.DeckReceived, **attested, paragraph=short)
    at.does(events.DeckReceived, **attested, paragraph=paragraph)
    assert at.phase == "shuffling"
    deck = at.table.decks[0]
    assert deck.route == "preshuffled"
    assert deck.steps == {"received": DEALER.id, "paragraph": paragraph}
    assert "nothing to do" in at.refuses(events.DeckInspected, deck="A")
    # The other route runs the checklist, and keeps who inspected and who verified.
    inspected = new(book)
    inspected.enrols("A")
    assert inspected.table.decks[0].route == "inspect"
    assert inspected.table.decks[0].steps["inspected"] == DEALER.id
    assert inspected.table.decks[0].steps["verified"] == FLOOR.id
    # Neither: a deck of no known route never gets in.
    assert "route" in _undecodable({**DECK_A, "route": ""})


def _undecodable(given: dict[str, Any]) -> str:
    raw = {"kind": "deck_received", "at": 1, "by": {"id": "d", "role": "dealer"}, **given}
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(raw, events.Event)
    return str(caught.value)


@pytest.mark.rule("S10.(d)(1)")
@pytest.mark.parametrize("book", ["s10"])
def test_section_ten_knows_no_preshuffled_decks(book: str) -> None:
    at = new(book)
    why = at.refuses(events.DeckReceived, **DECK_A, route="preshuffled", paragraph="x")
    assert "S10.(d)(1)" in why


# --- The idle table ---------------------------------------------------------


def everyone_leaves(at: AtTheTable) -> None:
    for seat in at.table.seats:
        if seat.player is not None:
            if seat.balance:
                at.does(
                    events.CashedOut, seat=seat.number, transfer=f"o{at.now}", cents=seat.balance
                )
            at.does(events.PlayerLeft, seat=seat.number)


def lies(at: AtTheTable) -> str:
    """How the cards of an idle table lie."""
    return at.table.idle


IDLE = (*of_pa("5(f)"), "S10.(d)(5)", "MA.4(e)")


@ALL
@pytest.mark.parametrize("shuffler", [True, None])
@pytest.mark.parametrize("faces", ["face down", "face up"])
@pytest.mark.rule(*IDLE)
def test_cards_of_an_idle_table_are_looked_at_washed_and_shuffled(
    book: str, shuffler: bool | None, faces: str
) -> None:
    at = open_table(book, "manual shoe", shuffler_counts=shuffler)
    clause = at.terms.ruleset.rulebook.procedures.idle_spread.clause
    ready(at)
    assert "players sit" in at.refuses(events.CardsSpread, faces=faces)
    everyone_leaves(at)
    assert lies(at) == "to be spread"
    assert asked(at) == [("dealer", "cards_spread", clause)]
    assert "dealer" in at.refuses(events.CardsSpread, faces=faces, by=FLOOR)
    commands = at.does(events.CardsSpread, faces=faces)
    assert asked(at) == [("dealer", "player_sat", clause)]
    assert lies(at) == faces
    assert at.phase == "shuffling"
    assert_shut(at, commands)
    # Nobody makes the cards fit for play before a player is there to look at them.
    for kind in (events.CardsTurnedUp, events.DeckShown, events.DeckWashed):
        assert "until a player arrives" in at.refuses(kind, deck="A")
    at.does(events.PlayerSat, seat=2, player="new")
    order: list[Any] = [events.DeckShown, events.DeckWashed]
    if book in EAST and faces == "face down":
        order.insert(0, events.CardsTurnedUp)
    for n, kind in enumerate(order):
        for later in order[n + 1 :]:
            assert "is not to be" in at.refuses(later, deck="A")
        assert at.refuses(events.ShuffledByHand, deck="A")
        assert at.refuses(events.ShuffleCompleted, deck="A", count=52)
        assert "dealer" in at.refuses(kind, deck="A", by=FLOOR)
        washed = at.terms.ruleset.rulebook.procedures.steps.washed
        expected = washed if kind is events.DeckWashed else clause
        assert asked(at) == [("dealer", named(kind), expected)]
        at.does(kind, deck="A")
    assert not at.table.decks[0].again
    assert "not shuffled" in at.refuses(events.DeckLoaded, deck="A")
    assert at.refuses(events.WagerPlaced, seat=2, wager="ante", amount=1000)
    ready(at)
    assert at.phase == "betting"
    at.does(events.WagerPlaced, seat=2, wager="ante", amount=1000)
    assert [(name, who) for name, who in steps(at) if name == "CardsSpread"] == [
        ("CardsSpread", DEALER.id)
    ]


def asked(at: AtTheTable) -> list[tuple[str, str, str]]:
    """Who is asked for what, and by which clause."""
    return [(one.who, one.answer, one.clause) for one in prompts(at.terms, at.table)]


@pytest.mark.parametrize("book", PENNSYLVANIA)
@pytest.mark.rule(*of_pa("5(f)"))
def test_in_pennsylvania_idle_cards_are_turned_up_if_the_player_asks(book: str) -> None:
    at = open_table(book, "manual shoe")
    ready(at)
    everyone_leaves(at)
    at.does(events.CardsSpread, faces="face down")
    at.does(events.PlayerSat, seat=2, player="new")
    assert "if the player asks, turn them face up" in prompts(at.terms, at.table)[0].text
    at.does(events.CardsTurnedUp, deck="A")
    assert at.refuses(events.CardsTurnedUp, deck="A")
    assert "face up" not in prompts(at.terms, at.table)[0].text
    at.does(events.DeckShown, deck="A")
    at.does(events.DeckWashed, deck="A")
    ready(at)
    # And when the table is idle again, the next player may ask again.
    everyone_leaves(at)
    at.does(events.CardsSpread, faces="face down")
    at.does(events.PlayerSat, seat=2, player="new")
    at.does(events.CardsTurnedUp, deck="A")


def ready(at: AtTheTable) -> None:
    """The deck that is due is shuffled, by hand with every step of its cut, and loaded."""
    assert at.table.deck == "A"
    if at.terms.has_shuffler:
        at.does(events.ShuffleCompleted, deck="A", count=52)
    else:
        at.does(events.ShuffledByHand, deck="A")
        assert "not cut" in at.refuses(events.DeckLoaded, deck="A")
        at.cuts("A")
    at.does(events.DeckLoaded, deck="A")


def assert_shut(at: AtTheTable, commands: Any) -> None:
    """No acceptor and no terminal stays open outside betting."""
    locks = {(c.seat, c.device) for c in commands if isinstance(c, Lock)}
    opened = {(c.seat, c.device) for c in at.commands if isinstance(c, Unlock)}
    assert locks == opened
    assert all(seat.acceptor_locked and seat.terminal_locked for seat in at.table.seats)
    assert all(seat.lamp == "off" for seat in at.table.seats)


@ALL
@pytest.mark.rule(*IDLE)
def test_nobody_skips_it_by_not_spreading_the_cards(book: str) -> None:
    at = open_table(book)
    ready(at)
    everyone_leaves(at)
    assert at.phase == "betting"
    commands = at.does(events.PlayerSat, seat=2, player="new")
    assert at.phase == "shuffling"
    assert_shut(at, commands)
    assert at.table.decks[0].again == ("spread", "shown", "washed")
    for kind in (events.DeckSpread, events.DeckShown):
        assert [answer for _, answer, _ in asked(at)] == [named(kind)]
        at.does(kind, deck="A")
    commands = at.does(events.DeckWashed, deck="A")
    assert [c.deck for c in commands if isinstance(c, StartShuffle)] == ["A"]


@ALL
def test_a_player_who_leaves_in_a_round_leaves_an_idle_table_after_it(book: str) -> None:
    at = AtTheTable(terms_of(book, "manual shoe")).opens().sits(2)
    at.shuffles().antes(2).locks().deals()
    if at.table.seat(2).balance:
        at.does(events.CashedOut, seat=2, transfer="o", cents=at.table.seat(2).balance)
    at.does(events.PlayerLeft, seat=2)
    assert lies(at) == ""
    at.does(events.RoundVoided, by=FLOOR, reason="the only player left")
    at.racks()
    assert lies(at) == "to be spread"


def test_of_two_decks_the_one_in_the_shuffler_is_not_spread() -> None:
    at = AtTheTable(terms_of("pa-639a", decks=2)).opens("A", "B").sits(1)
    at.does(events.ShuffleCompleted, deck="A", count=52)
    at.does(events.ShufflerReported, mode="shuffle", holds="B")
    at.does(events.ShuffleCompleted, deck="B", count=52)
    at.does(events.DeckLoaded, deck="A")
    everyone_leaves(at)
    at.does(events.CardsSpread, faces="face down")
    a, b = at.table.decks
    assert (a.again, a.shuffled) == (("shown", "washed"), "no")
    assert (b.again, b.shuffled) == ((), "automated")


@pytest.mark.parametrize("book", PENNSYLVANIA)
@pytest.mark.rule(*of_pa("5(g)"))
def test_with_an_approved_device_nobody_cuts_or_spreads(book: str) -> None:
    without = AtTheTable(terms_of(book, reshuffle_approval=""))
    assert "approval" in without.refuses(events.TableOpened, by=FLOOR)
    clause = f"PA-{book[3:]}.5(g)"
    at = open_table(book, reshuffle_approval="LAB-7")
    at.does(events.ShuffleCompleted, deck="A", count=52)
    assert clause in at.refuses(events.CutMade, deck="A", depth=20)
    assert "no cut was made" in at.refuses(events.RecutOrdered, reason="untidy", by=BOSS)
    at.does(events.DeckLoaded, deck="A")
    everyone_leaves(at)
    assert at.table.idle == ""
    assert clause in at.refuses(events.CardsSpread, faces="face down")
    at.does(events.PlayerSat, seat=1, player="new")
    assert at.phase == "betting"
    # Out of service it is a device like any other: people shuffle, and cut.
    out: dict[str, Any] = {"by": FLOOR, "device": "shuffler", "cards_inside": 0, "how": "signed"}
    at.does(events.DeviceTakenOut, **out, method="manual shoe")
    at.does(events.ShuffleOrdered, by=FLOOR, reason="the device was in the way")
    at.does(events.ShuffledByHand, deck="A")
    assert "not cut" in at.refuses(events.DeckLoaded, deck="A")
    at.does(events.CutMade, deck="A", depth=20)


@ALL
def test_a_closed_table_keeps_nothing(book: str) -> None:
    at = open_table(book)
    ready(at)
    if at.terms.terminals:
        assert "cash out" in at.refuses(events.TableClosed, by=FLOOR)
    everyone_leaves(at)
    assert "floorperson" in at.refuses(events.TableClosed)
    commands = at.does(events.TableClosed, by=FLOOR)
    assert at.phase == "closed"
    assert (at.table.decks, at.table.deck, at.table.idle) == ((), None, "")
    assert_shut(at, commands)
