"""One thing that somebody at the table is asked to do."""

from __future__ import annotations

from typing import NamedTuple

from controller.rules.says import Words
from controller.table.people import Role


class Prompt(NamedTuple):
    who: Role
    text: str
    clause: str = ""
    #: The seat that it is about, where it is about one.
    seat: int | None = None
    #: The kind of event that answers it; nothing where a device answers.
    answer: str = ""


def told(words: Words, text: str = "", *, seat: int | None = None, answer: str = "") -> Prompt:
    """What the dealer is told by a clause, with what the table has to add to its words."""
    return Prompt("dealer", text or words.text, words.clause, seat, answer)
