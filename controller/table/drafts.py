"""Offers before they are tried: what may be possible, with an example of whatever is asked for.

A draft becomes an offer when the machine takes it (``offering``). So a draft may be wrong where
a guard would only say again what a handler refuses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from controller.rules.cards import DECK, name
from controller.table import events
from controller.table.machine import role_of
from controller.table.offer import Ask, Group
from controller.table.people import Role
from controller.table.state import Table
from controller.table.terms import Terms
from controller.table.transitions import TRANSITIONS

Kind = type[events.Happening]

#: As long as the machine's events let words, names and the ids of decks be.
MOST_WORDS, MOST_NAME, MOST_DECK = 500, 64, 8


@dataclass(slots=True)
class Draft:
    who: Role
    title: str
    acts: list[tuple[Kind, dict[str, Any]]]
    clause: str = ""
    seat: int | None = None
    group: Group = "may"
    asks: tuple[Ask, ...] = ()
    follows: str = ""
    hold_to_press: bool = False
    #: Whether a prompt may have asked for it.
    prompted: bool = True
    #: Whether it is about a thing that stays while play goes on, and so means the same all along.
    outlives: bool = False

    @property
    def kind(self) -> Kind:
        return self.acts[0][0]


def of_a_person(
    terms: Terms, kind: Kind, title: str, *asks: Ask, clause: str = "", **known: Any
) -> Draft:
    """An act whose role the machine knows."""
    who = role_of(terms, TRANSITIONS[kind])
    seat = known.get("seat")
    return Draft(who, title, [(kind, known)], clause, seat=seat, asks=asks)


def keyed(who: Role, kind: Kind, title: str, *asks: Ask, clause: str = "", **known: Any) -> Draft:
    """What somebody says where no device does, or in a role that the table decides about."""
    return Draft(who, title, [(kind, known)], clause, seat=known.get("seat"), asks=asks)


# --- What is asked for ------------------------------------------------------


def reason(words: str = "the reason") -> Ask:
    return Ask("reason", "words", words, least=1, most=MOST_WORDS)


def second(*roles: Role) -> Ask:
    return Ask("second", "second", f"a {roles[0]} who does it with you", choices=roles)


def some_cards(table: Table, field_: str, count: int, words: str, **more: Any) -> Ask:
    """Cards that may be there: none that lies elsewhere."""
    seen = {one for some in table.faces.values() for one in some}
    seen |= {one for seat in table.seats for one in seat.cards}
    left = tuple(name(one) for one in DECK if one not in seen)
    return Ask(field_, "cards", words, count=count, choices=left, **more)


def number(name_: str, words: str, least: int, most: int, *, but: int | None = None) -> Ask:
    """A number between two others; where one of them is none of it, all that are are named."""
    if but is None:
        return Ask(name_, "count", words, least=least, most=most)
    choices = tuple(one for one in range(least, most + 1) if one != but)
    return Ask(name_, "count", words, choices=choices, least=least, most=most)


def one_of(name_: str, words: str, choices: Iterable[str], *, required: bool = True) -> Ask:
    return Ask(name_, "choice", words, choices=tuple(choices), required=required)


def in_words(number_: int, what: str) -> str:
    said = ("no", "one", "two", "three", "four", "five", "six", "seven")
    many = said[number_] if number_ < len(said) else str(number_)
    return f"the {what}" if number_ == 1 else f"the {many} {what}s"


def example(ask: Ask) -> Any:
    """Something that fits what is asked for."""
    match ask.shape:
        case "cards":
            return _cards(ask)
        case "cents" | "count":
            return ask.choices[0] if ask.choices else ask.least or 0
        case "words":
            return "as seen"
        case "flag":
            return False
        case _:
            return ask.choices[0] if ask.choices else "somebody new"


def _cards(ask: Ask) -> str:
    have = ask.includes.split()
    assert ask.choices is not None
    assert ask.count is not None
    more = [str(one) for one in ask.choices if one not in have]
    return " ".join((have + more)[: ask.count])
