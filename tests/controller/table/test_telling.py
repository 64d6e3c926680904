"""What happened, in a sentence: of every event, and nothing of a card that nobody has seen."""

from __future__ import annotations

import re
from typing import Any, get_args

import msgspec
import pytest
from msgspec import inspect

from controller.table import events
from controller.table.machine import new_table, step
from controller.table.paying import due_now, in_turn, must_be_verified
from controller.table.prompts import prompts
from controller.table.telling import SAID, UNSAID, clauses, facts, fields_said, told
from tests.controller.table.playing import BOOKS, FLOOR, AtTheTable, terms_of

KINDS = get_args(events.Event)
#: What the table adds, by where it is used; no fields of the event.
ADDED = {"to", "settled", "decision", "hand", "wager_cents", "role_of"}
#: What only a program asks for: it stands among the facts.
ONLY_FACTS: dict[type, set[str]] = {
    events.DeckReceived: {"route"},
    events.TableOpened: {"serial_numbers"},
    events.WagerTakenBack: {"out"},
    events.StackDispensed: {"lies"},
    events.Decided: {"choice", "amount"},
    events.PlayerDecided: {"choice", "amount"},
    events.CredentialRefused: {"by_place"},
    events.CredentialAccepted: {"by_place"},
    events.WireAbused: {"since"},
    events.BoughtIn: {"transfer"},
    events.CashedOut: {"transfer"},
    events.LinkJoined: {"wager", "decks", "levels", "applied", "last_hit"},
    events.LinkUpdated: {"applied"},
    events.LinkHit: {"order", "left", "claim"},
}


def test_every_event_has_its_sentence() -> None:
    assert set(SAID) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_sentence_tells_all_that_its_event_says(kind: Any) -> None:
    fields = {one.name for one in msgspec.structs.fields(kind)} - set(UNSAID)
    assert fields_said(kind) - ADDED <= fields
    assert fields - fields_said(kind) == ONLY_FACTS.get(kind, set())


def said(event: Any) -> str:
    terms = terms_of("pa-639a")
    table = new_table(terms)
    return told(terms, table, event, table)


def test_a_wager_says_seat_sum_and_title() -> None:
    given: dict[str, Any] = {"at": 1, "seat": 3, "amount": 2050}
    assert said(events.WagerPlaced(**given, wager="ante")) == "seat 3: $20.50 on Ante"
    one = events.WagerPlaced(**given, wager="progressive", tender="coupon")
    assert said(one) == "seat 3: $20.50 on Progressive Payout, coupon"
    assert facts(one) == {"seat": 3, "wager": "progressive", "amount": 2050, "tender": "coupon"}


def test_what_a_field_does_not_say_is_left_out() -> None:
    assert said(events.ShuffleCompleted(at=1, deck="A")) == "the shuffler is done with deck A"
    counted = events.ShuffleCompleted(at=1, deck="A", count=52)
    assert said(counted) == "the shuffler is done with deck A: 52 cards"
    late = events.WagerCameLate(at=1, seat=2, wager="ante", amount=500)
    assert said(late) == "seat 2: $5 on Ante came too late, sensed after the lock"
    given_back = msgspec.structs.replace(late, given_back=True)
    assert said(given_back).endswith("after the lock; the device gave it back")
    lost = events.WagersAbandoned(at=1, by=FLOOR, seat=2, lost=False)
    assert said(lost) == "seat 2: the wagers of who left go back"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("most", [False, True])
def test_whatever_an_event_says_it_is_told(kind: Any, most: bool) -> None:
    """At a table that knows nothing of it, as of one that is refused."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    given = {one.name: example(one.type, most=most) for one in info.fields if one.required or most}
    event = kind(**given)
    msgspec.convert(msgspec.to_builtins(event), kind)
    assert said(event)
    assert facts(event).keys() <= {one.name for one in info.fields}


def example(of: inspect.Type, *, most: bool) -> Any:
    """The least, or the most, that a field may be."""
    found: Any = None
    match of:
        case inspect.UnionType(types=types):
            found = example(types[-1 if most else 0], most=most)
        case inspect.IntType(ge=least, le=largest):
            found = (10**15 if largest is None else largest) if most else least or 0
        case inspect.StrType(min_length=shortest):
            found = "{x}[y]" if most else "x" * (shortest or 0)
        case inspect.BoolType():
            found = most
        case inspect.LiteralType(values=values):
            found = values[-1 if most else 0]
        case inspect.VarTupleType(item_type=item):
            found = (example(item, most=most),)
        case inspect.DictType(key_type=key, value_type=value):
            found = {example(key, most=most): example(value, most=most)}
        case inspect.StructType(cls=struct, fields=fields):
            found = struct(**{one.name: example(one.type, most=most) for one in fields})
    return found


class Strange(events.Happening, kw_only=True, frozen=True, tag="strange_thing"):
    """An event that somebody has just thought of."""

    device: str
    how_often: int


def test_an_event_without_a_row_is_told_all_the_same() -> None:
    one = Strange(at=1, device="shoe", how_often=3)
    assert said(one) == "strange thing, device shoe, how often 3"


def test_a_sealed_face_is_in_no_fact() -> None:
    stack = events.StackDispensed(at=1, number=1, cards=5, sealed="of five faces")
    assert "sealed" not in facts(stack)
    assert "faces" not in said(stack)


def whole_round(book: str) -> list[str]:
    """All that is said of a round, each event told at the table it came to."""
    terms = terms_of(book)
    at = AtTheTable(terms).opens()
    at.sits(1, 2).shuffles().antes(1, 2).locks().deals().decides().reveals().pays().racks()
    table, lines = new_table(terms), []
    for event in at.taken:
        before, table = table, step(terms, table, event).table
        lines.append(told(terms, before, event, table))
    return lines


@pytest.mark.parametrize("book", BOOKS)
def test_a_round_can_be_read(book: str) -> None:
    lines = whole_round(book)
    assert not [one for one in lines if re.search(r"[{}\[\]]|None|  |: $", one)]
    assert "no more bets" in lines
    assert any(re.fullmatch(r"stack 1 leaves the shoe: \d cards for seat 1", one) for one in lines)
    assert any(re.fullmatch(r"seat 1: .*(back for|loses) \$[\d,.]+( .*)?", one) for one in lines)


def test_a_decision_says_its_wager() -> None:
    assert "seat 1: Bet $20" in whole_round("pa-639a")
    assert "seat 1: first Raise $10" in whole_round("pa-683a")


def test_what_is_done_follows_the_clause_that_asked_for_it() -> None:
    at = AtTheTable(terms_of("pa-639a")).opens().sits(1, 2).shuffles()
    assert follows(at, events.WagerPlaced, seat=1, wager="ante", amount=1000) == {"PA-639a.7(d)(1)"}
    at.antes(2).locks().deals()
    asked = follows(at, events.Decided, seat=1, choice="wager", amount=2000)
    assert asked == {"PA-639a.11(b)"}
    at.decides().reveals()
    settled = at.table.due[0]
    seat = in_turn(at.table)
    for due in due_now(at.table):
        if must_be_verified(at.terms, due):
            at.does(events.HandVerified, seat=seat, wager=due.wager)
    assert settled.clause in follows(at, events.SeatPaid, seat=seat)


def follows(at: AtTheTable, kind: Any, **given: Any) -> set[str]:
    before = at.table
    at.does(kind, **given)
    return set(clauses(at.terms, prompts(at.terms, before), before, at.taken[-1], at.table))
