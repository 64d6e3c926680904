"""Table files: what one table plays, with which decks and devices, within which limits.

A table file is written by a person and checked here, whole, before anything opens. What the
rulebook leaves open and the file leaves out is refused with the clause that asks for it.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controller.library import Library
from controller.rules.faults import Refused, first_fault
from controller.rules.rulebook import DrawName
from controller.rules.ruleset import choose
from controller.table.terms import Terms

Method = Literal["hand", "manual shoe", "automated shoe"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Limits(_Part):
    """The smallest and the largest Ante, in cents."""

    least: Annotated[int, Field(ge=1)]
    most: Annotated[int, Field(ge=1)]


class Shuffler(_Part):
    """An automated shuffler; whether it counts the cards of every shuffle."""

    counts: bool


class Devices(_Part):
    shuffler: Shuffler | None = None


class TableFile(_Part):
    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    rulebook: str
    method: Method
    decks: Annotated[int, Field(ge=1, le=2)] = 1
    ante: Limits
    devices: Devices = Devices()
    #: The operator's choices, seats among them.
    options: dict[str, Any]


def read_table(file: Path, library: Library) -> Terms:
    """The terms that a table file states, or ``Refused`` with the file and the place in it."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Refused(str(file), f"can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Refused(str(file), "is not a text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise Refused(str(file), f"is not TOML: {error}") from None
    try:
        return terms_of(data, library)
    except Refused as refused:
        where = f"{file}: {refused.field}" if refused.field else str(file)
        raise Refused(where, refused.problem, refused.allowed, refused.clause) from None


def terms_of(data: dict[str, Any], library: Library) -> Terms:
    try:
        given = TableFile.model_validate(data)
    except ValidationError as error:
        raise first_fault(error, TableFile) from None
    rulebook = library.rulebook(given.rulebook)
    try:
        ruleset = choose(rulebook, given.options, of_a_table=True)
    except Refused as refused:
        raise refused.under("options") from None
    procedures = rulebook.procedures
    shuffler = given.devices.shuffler
    if given.decks == 2 and shuffler is None:
        raise Refused(
            "decks",
            "two decks need an automated shuffler",
            "one deck, or devices.shuffler",
            procedures.second_deck_needs_shuffler.clause,
        )
    if given.method == "hand" and shuffler is None:
        raise Refused("method", "dealing by hand needs an automated shuffler")
    if given.ante.least > given.ante.most:
        raise Refused("ante", f"the least, {given.ante.least}, is above the most")
    draws: tuple[DrawName, ...] = ("magic_card", "lucky")
    return Terms(
        id=given.id,
        ruleset=ruleset,
        seats=given.options["seats"],
        method=given.method,
        decks=given.decks,
        shuffler_counts=shuffler.counts if shuffler else None,
        least_ante=given.ante.least,
        most_ante=given.ante.most,
        draw_every={n: given.options[f"{n}_every"] for n in draws if given.options.get(n)},
    )
