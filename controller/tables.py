"""Table files: what one table plays, with which decks, devices and people, within which limits.

A table file is written by a person and checked here, whole, before anything opens. What the
rulebook leaves open and the file leaves out is refused with the clause that asks for it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controller.library import Library, text_of
from controller.rules.faults import Refused, first_fault
from controller.rules.rulebook import DrawName, Rulebook
from controller.rules.ruleset import choose
from controller.table.people import Role
from controller.table.terms import Terms, checked

Method = Literal["hand", "manual shoe", "automated shoe"]

#: Sections of a table file that are the daemon's: a port is no term that the table plays by.
DAEMON_SECTIONS = ("service", "wires", "approved", "serial_numbers")

#: A key that TOML takes without quotes.
_BARE = re.compile(r"[A-Za-z0-9_-]+")

#: Where in the file stands what the terms call otherwise.
_WRITTEN = {
    "seats": "options.seats",
    "payout_limit": "options.payout_limit",
    "adjacent_boxes": "options.adjacent_boxes",
    "cover_all": "options.cover_all",
    "stack_of": "devices.shoe.stack_of",
    "shoe_approval": "devices.shoe.approval",
    "shuffler_counts": "devices.shuffler.counts",
    "reshuffle_approval": "devices.shuffler.reshuffle_approval",
}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Limits(_Part):
    """The smallest and the largest Ante, in cents."""

    least: Annotated[int, Field(ge=1)]
    most: Annotated[int, Field(ge=1)]


class Shuffler(_Part):
    """An automated shuffler."""

    #: Whether it counts the cards of every shuffle.
    counts: bool
    #: The laboratory's approval of a device that reshuffles and counts by itself.
    reshuffle_approval: str | None = None
    #: The approved procedure that people follow when it failed.
    procedure: str = ""


class Shoe(_Part):
    """An automated shoe."""

    #: The approval of the shoe, its place and the procedure for its use, where one is asked for.
    approval: str = ""
    #: How many cards it is set to deal at a time.
    stack_of: Annotated[int, Field(ge=1)] | None = None


class Devices(_Part):
    shuffler: Shuffler | None = None
    shoe: Shoe = Shoe()


class Listed(_Part):
    """Someone who may act at the table, and in which roles."""

    id: Annotated[str, Field(min_length=1, max_length=64)]
    name: Annotated[str, Field(min_length=1)]
    roles: Annotated[list[Role], Field(min_length=1)]


class TableFile(_Part):
    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    rulebook: str
    method: Method
    decks: Annotated[int, Field(ge=1, le=2)] = 1
    ante: Limits
    #: Cents above which a meter does not rise, by meter.
    meter_limits: dict[str, Annotated[int, Field(ge=1)]] = Field(default_factory=dict)
    devices: Devices = Devices()
    #: Left out, whoever says who they are may act: for a demonstration.
    people: list[Listed] = Field(default_factory=list)
    #: How many wrong PINs in a row lock a person out at a place.
    wrong_pins: Annotated[int, Field(ge=1, le=10)] = 3
    #: The operator's choices, seats among them.
    options: dict[str, Any]


def read_table(file: Path, library: Library) -> Terms:
    """The terms that a table file states, or ``Refused`` with the file and the place in it."""
    data = table_part(read_file(file))
    with named(file):
        return terms_of(data, library)


def read_file(file: Path) -> dict[str, Any]:
    """All that a table file says, unchecked; ``Refused`` if it is not even TOML."""
    try:
        return tomllib.loads(text_of(file))
    except tomllib.TOMLDecodeError as error:
        raise Refused(str(file), f"is not TOML: {error}") from None


def in_toml(data: Mapping[str, Any]) -> str:
    """A table file that says this, for a table that nobody wrote one for."""
    return "".join(f"{key} = {toml(value)}\n" for key, value in data.items())


def toml(value: Any) -> str:
    """A value as a table file has it."""
    match value:
        case Mapping():
            said = {key: one for key, one in value.items() if one is not None}
            inside = ", ".join(f"{_key(key)} = {toml(one)}" for key, one in said.items())
            return f"{{ {inside} }}"
        case list() | tuple():
            return f"[{', '.join(map(toml, value))}]"
    return _quoted(value)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _quoted(key)


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def table_part(data: Mapping[str, Any]) -> dict[str, Any]:
    """What the table plays by, and its journal keeps."""
    return {key: value for key, value in data.items() if key not in DAEMON_SECTIONS}


@contextmanager
def named(file: Path) -> Iterator[None]:
    """Let what is refused name the file."""
    try:
        yield
    except Refused as refused:
        where = f"{file}: {refused.field}" if refused.field else str(file)
        raise Refused(where, refused.problem, refused.allowed, refused.clause) from None


def terms_of(data: dict[str, Any], library: Library, rulebook: Rulebook | None = None) -> Terms:
    """The terms that a table file states, by a rulebook of the library or by the one given."""
    try:
        given = TableFile.model_validate(data)
    except ValidationError as error:
        raise first_fault(error, TableFile) from None
    rulebook = rulebook or library.rulebook(given.rulebook)
    try:
        ruleset = choose(rulebook, given.options, of_a_table=True)
    except Refused as refused:
        raise refused.under("options") from None
    draws: tuple[DrawName, ...] = ("magic_card", "lucky")
    shuffler, shoe = given.devices.shuffler, given.devices.shoe
    terms = Terms(
        id=given.id,
        ruleset=ruleset,
        seats=given.options["seats"],
        method=given.method,
        decks=given.decks,
        shuffler_counts=shuffler.counts if shuffler else None,
        least_ante=given.ante.least,
        most_ante=given.ante.most,
        draw_every={n: given.options[f"{n}_every"] for n in draws if given.options.get(n)},
        reshuffle_approval=shuffler.reshuffle_approval if shuffler else None,
        stack_of=shoe.stack_of,
        shuffler_procedure=shuffler.procedure if shuffler else "",
        shoe_approval=shoe.approval,
        meter_limits=given.meter_limits,
        people=_people(given),
        wrong_pins=given.wrong_pins,
    )
    try:
        return checked(terms)
    except Refused as refused:
        where = _WRITTEN.get(refused.field, refused.field)
        raise Refused(where, refused.problem, refused.allowed, refused.clause) from None


def _people(given: TableFile) -> dict[str, tuple[Role, ...]]:
    people: dict[str, tuple[Role, ...]] = {}
    for n, one in enumerate(given.people):
        if one.id in people:
            raise Refused(f"people[{n}].id", f"{one.id!r} is listed twice", "give each their own")
        people[one.id] = tuple(one.roles)
    return people
