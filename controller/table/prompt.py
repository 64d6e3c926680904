"""One thing that somebody at the table is asked to do."""

from __future__ import annotations

from typing import NamedTuple

from controller.table.people import Role


class Prompt(NamedTuple):
    who: Role
    text: str
    clause: str = ""
    #: The seat that it is about, where it is about one.
    seat: int | None = None
    #: The kind of event that answers it; nothing where a device answers.
    answer: str = ""
