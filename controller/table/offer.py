"""One thing that can be done at the table now: by whom, with what is known of it already.

A page, a command line or a player of the demonstration draws offers and fills in what they ask
for. None of them has to know a rule of any game.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from controller.table.people import Role

#: What is asked for: cards as people write them, cents, a number, words, a name, one of some.
Shape = Literal[
    "cards", "cents", "count", "words", "person", "second", "choice", "seat", "flag", "name"
]
#: Due is what a prompt asks for; may, what is possible besides; irregular, what should not have
#: happened, in the rulebook's words; floor, what floorperson, supervisor and technician can do.
Group = Literal["due", "may", "irregular", "floor"]


class Ask(msgspec.Struct, frozen=True):
    """What whoever takes an offer has to fill in, and within which bounds."""

    #: The field of the act that it fills.
    name: str
    shape: Shape
    #: For a person who is asked for it.
    words: str
    #: Which of the offer's acts it is for.
    act: int = 0
    #: How many cards.
    count: int | None = None
    #: The only ones that will do: cards, sums, seats, roles of a second person. Of a name they are
    #: proposals.
    choices: tuple[int | str, ...] | None = None
    least: int | None = None
    #: The highest sum or number; of words and names, how long they may be.
    most: int | None = None
    step: int | None = None
    #: Left out, it is as it is most of the time; or a shoe has read the cards.
    required: bool = True
    #: Cards that are known to be among them.
    includes: str = ""


class Deed(msgspec.Struct, frozen=True, rename={"given": "with"}):
    """One act of an offer, with what is known of it."""

    action: str
    given: dict[str, Any]


class Offer(msgspec.Struct, frozen=True):
    #: A digest of all that follows here, and of the round and the phase unless it is about a thing
    #: that outlives them: it names exactly this.
    id: str
    who: Role
    title: str
    clause: str
    #: The seat that it is about, where it is about one.
    seat: int | None
    group: Group
    #: Done in this order, each an event of its own.
    acts: tuple[Deed, ...]
    asks: tuple[Ask, ...]
    #: What will come of it, where that is more than the act itself.
    follows: str
    #: Not by a touch in passing.
    hold_to_press: bool
