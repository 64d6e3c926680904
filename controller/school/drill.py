"""A drill as somebody writes it: the scene, what happens in it, and what is wanted for a pass.

No rule of a game stands in one. It names acts and clauses; whether an act was right is what the
table offered and took. Whatever is wrong with a file is told with its key and with what to write.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from controller.library import Library, shipped
from controller.rules.cards import CardError, cards
from controller.rules.faults import Refused, first_fault, listed
from controller.school.moments import ACTS
from controller.table.state import Phase
from controller.table.terms import Terms
from controller.tables import Method, named, read_file, table_part, terms_of
from simulators.faults import MENU, WIRE

#: The one who is trained, as the table has them.
TRAINEE = "trainee"
#: Every drill is played at a table of this name, so that its pages stay where they are.
TABLE = "school"
_CLAUSE = re.compile(r'clause = "([A-Z][^"]*)"')
#: Keys that only a drill has: by them a file is known as one.
OWN_KEYS = ("teaches", "goal", "wanted")
#: Choices of the shipped tables that need a shuffler which is set to the game.
_WITHOUT = ("cover_all",)

#: Written over several lines, they are one text.
Words = Annotated[
    str, Field(min_length=1, max_length=600), AfterValidator(lambda said: said.strip())
]
SeatNo = Annotated[int, Field(ge=1, le=8)]
Round = Annotated[int, Field(ge=1, le=9)]
Says = Literal["wager", "most", "check", "fold"]
#: Phases from which a trainee may take over: what comes later depends on what came before it.
Begins = Literal["shuffling", "betting"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class AtTable(_Part):
    """Which table it is: one of those that felt ships with."""

    file: str
    method: Method | None = None
    seats: Annotated[int, Field(ge=1, le=8)] = 3
    #: False: the cards are shuffled by hand.
    shuffler: bool = True


class PlayerAt(_Part):
    """Who sits there, what they wager in every round, and what they decide, street by street."""

    seat: SeatNo
    name: Annotated[str, Field(min_length=1, max_length=40)]
    #: Cents by wager. What must equal another is left out: it follows.
    wagers: dict[str, Annotated[int, Field(ge=1)]]
    decides: list[Says] = ["wager"]


class Moment(_Part):
    """When something happens: as a phase is reached, or after an act was taken."""

    phase: Phase | None = None
    action: str | None = None
    #: The how manieth of these acts in that round.
    times: Annotated[int, Field(ge=1, le=60)] = 1
    round: Round = 1


class FaultAt(_Part):
    """A fault of the simulators' menu, at a device or a wire."""

    name: str
    device: str | None = None
    wire: str | None = None
    number: float | None = None


class ChipAt(_Part):
    """A chip that a player puts into the acceptor of a seat."""

    seat: SeatNo
    cents: Annotated[int, Field(ge=1)]


class Happens(_Part):
    when: Moment
    #: What the dealer sees or hears; what a device tells needs no words.
    says: Words | None = None
    fault: FaultAt | None = None
    chip: ChipAt | None = None
    #: A seat, or a place on the layout, of which a card lies face up.
    face_up: int | Literal["dealer", "community", "extra"] | None = None
    #: Whose power is cut: felt's, or that of all devices.
    power: Literal["felt", "devices"] | None = None


class Wanted(_Part):
    """An act of the dealer without which the drill is not passed."""

    action: str
    words: Words
    #: Where the rulebook has it.
    clause: str = ""
    #: Facts that the act has.
    facts: dict[str, Any] = Field(default_factory=dict, alias="with")
    #: Which of the happenings calls for it, the first being 1; 0 where a prompt asks for it.
    upon: Annotated[int, Field(ge=0)] = 0
    #: After one of these acts it comes too late.
    before: list[str] = []


class Never(_Part):
    """What must not come of it: a hold, or a void round."""

    words: Words
    #: How the place of the hold begins: "chips", "shoe".
    hold: str | None = None
    void: Literal[True] | None = None
    #: An act of the dealer.
    action: str | None = None
    facts: dict[str, Any] = Field(default_factory=dict, alias="with")
    clause: str = ""


class Over(_Part):
    """When it is over: as the cards of a round are racked, or as an act is taken."""

    round: Round = 1
    action: str | None = None
    times: Annotated[int, Field(ge=1, le=60)] = 1


class DrillFile(_Part):
    title: Annotated[str, Field(min_length=1, max_length=80)]
    teaches: Words
    #: What the trainee reads while it runs, and nothing else.
    goal: Words
    #: In which part of the list, and where in it.
    group: Literal["rounds", "irregularities"]
    place: Annotated[int, Field(ge=1, le=999)]
    table: AtTable
    players: Annotated[list[PlayerAt], Field(min_length=1)]
    #: Where the trainee takes over.
    begins: Begins = "betting"
    seed: int = 1
    #: Cards of the first round that lie at a place: "seat 2", "dealer", "community", "extra".
    cards: dict[str, str] = {}
    happens: Annotated[list[Happens], Field(max_length=20)] = []
    wanted: Annotated[list[Wanted], Field(min_length=1, max_length=40)]
    never: Annotated[list[Never], Field(max_length=20)] = []
    over: Over = Over()
    #: So many acts may be refused, and it is passed all the same.
    refusals: Annotated[int, Field(ge=0, le=20)] = 0


class Drill:
    """One that was read and checked, with the table that it is played at."""

    def __init__(self, id_: str, given: DrillFile, data: dict[str, Any], terms: Terms) -> None:
        self.id = id_
        self.given = given
        #: The table file that it comes to.
        self.data = data
        self.terms = terms

    def shown(self) -> dict[str, Any]:
        """As it stands in a list to choose from."""
        book, given = self.terms.ruleset.rulebook, self.given
        return {
            "id": self.id,
            "group": given.group,
            "title": given.title,
            "teaches": given.teaches,
            "game": book.title,
            "jurisdiction": book.jurisdiction,
            "method": self.terms.method,
        }


def is_drill(file: Path) -> bool:
    """Whether a file means to be one, sound or not."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return any(key in data for key in OWN_KEYS)


def shelf(library: Library, folder: Path | None = None) -> dict[str, Drill]:
    """The drills of a folder, or those that felt ships with, in their order."""
    where = folder or shipped("drills")
    if not where.is_dir():
        raise Refused(str(where), "is not a folder with drills")
    found = [read(file, library) for file in sorted(where.glob("*.toml"))]
    if not found:
        raise Refused(str(where), "has no drill in it", "a drill is a file: NAME.toml")
    return {one.id: one for one in sorted(found, key=lambda one: (one.given.place, one.id))}


def read(file: Path, library: Library) -> Drill:
    """The drill in a file, or ``Refused`` with the file, the key and what to write instead."""
    data = read_file(file)
    with named(file):
        try:
            given = DrillFile.model_validate(data)
        except ValidationError as error:
            raise first_fault(error, DrillFile) from None
        played = _table(given)
        try:
            terms = terms_of(played, library)
        except Refused as refused:
            raise refused.under("table") from None
        for problem in _problems(given, terms, library):
            raise problem
        return Drill(file.stem, given, played, terms)


def _table(given: DrillFile) -> dict[str, Any]:
    files = {file.stem: file for file in sorted(shipped("tables").glob("*.toml"))}
    wanted = given.table
    if wanted.file not in files:
        raise Refused("table.file", f"there is no table {wanted.file!r}", listed(files))
    data = table_part(read_file(files[wanted.file]))
    devices = dict(data.get("devices", {}))
    if not wanted.shuffler:
        devices.pop("shuffler", None)
    else:
        devices.setdefault("shuffler", {"counts": True})
    options = {key: one for key, one in data["options"].items() if key not in _WITHOUT}
    people = [*data["people"], {"id": TRAINEE, "name": "Trainee", "roles": ["dealer"]}]
    return {
        **data,
        "id": TABLE,
        "method": wanted.method or data["method"],
        "devices": devices,
        "options": {**options, "seats": wanted.seats},
        "people": people,
    }


# --- What pydantic can't know -----------------------------------------------------


def _problems(given: DrillFile, terms: Terms, library: Library) -> Iterator[Refused]:
    yield from _players(given, terms)
    yield from _cards(given, terms)
    for n, one in enumerate(given.happens):
        yield from _happening(f"happens[{n}]", one, terms)
    clauses = library.text(terms.ruleset.rulebook.id)
    for n, wanted in enumerate(given.wanted):
        where = f"wanted[{n}]"
        yield from _act(f"{where}.action", wanted.action)
        for m, act in enumerate(wanted.before):
            yield from _act(f"{where}.before[{m}]", act)
        if wanted.upon > len(given.happens):
            problem = f"there is no happening {wanted.upon}"
            yield Refused(f"{where}.upon", problem, f"there are {len(given.happens)}")
        yield from _clause(f"{where}.clause", wanted.clause, clauses, terms)
    for n, never in enumerate(given.never):
        yield from _never(f"never[{n}]", never)
        yield from _clause(f"never[{n}].clause", never.clause, clauses, terms)
    if given.over.action is not None:
        yield from _act("over.action", given.over.action)


def _players(given: DrillFile, terms: Terms) -> Iterator[Refused]:
    seen: set[int] = set()
    for n, player in enumerate(given.players):
        where = f"players[{n}]"
        if player.seat > terms.seats:
            yield Refused(f"{where}.seat", f"there is no seat {player.seat}", f"1 to {terms.seats}")
        if player.seat in seen:
            yield Refused(f"{where}.seat", f"two players sit at seat {player.seat}", "move one")
        seen.add(player.seat)
        offered = terms.ruleset.offered
        before = [one for one in offered if not terms.ruleset.rulebook.wagers[one].multiples]
        for wager in player.wagers:
            if wager not in before:
                problem = "is no wager of this table before the cards"
                yield Refused(f"{where}.wagers.{wager}", problem, listed(before))
        if "ante" not in player.wagers:
            yield Refused(f"{where}.wagers.ante", "is missing", "every player of a drill plays")


def _cards(given: DrillFile, terms: Terms) -> Iterator[Refused]:
    hands = terms.ruleset.rulebook.hands
    places = {f"seat {player.seat}": hands.player for player in given.players}
    more = {"dealer": hands.dealer, "community": hands.community, "extra": hands.extra}
    places |= {place: count for place, count in more.items() if count}
    seen: set[int] = set()
    for place, text in given.cards.items():
        where = f"cards.{place}"
        if place not in places:
            yield Refused(where, "is no place with cards in this drill", listed(places))
            continue
        try:
            told = cards(text)
        except CardError as error:
            yield Refused(where, str(error), 'as in "As Kd 10h"')
            continue
        if len(told) > places[place]:
            yield Refused(where, f"{len(told)} cards", f"at most {places[place]} lie there")
        if seen & set(told) or len(set(told)) < len(told):
            yield Refused(where, "a card lies in two places", "each card is there once")
        seen |= set(told)


def _happening(where: str, one: Happens, terms: Terms) -> Iterator[Refused]:
    if (one.when.phase is None) == (one.when.action is None):
        yield Refused(f"{where}.when", "names a phase or an act", "phase = ... or action = ...")
    if one.when.action is not None:
        yield from _act(f"{where}.when.action", one.when.action)
    does = [one.says, one.fault, one.chip, one.face_up, one.power]
    if all(part is None for part in does):
        yield Refused(where, "nothing happens", "says, fault, chip, face_up or power")
    if one.chip is not None and (not terms.acceptors or one.chip.seat > terms.seats):
        yield Refused(f"{where}.chip.seat", "there is no acceptor there", "another seat or table")
    if one.fault is not None:
        yield from _fault(f"{where}.fault", one.fault, terms)


def _fault(where: str, fault: FaultAt, terms: Terms) -> Iterator[Refused]:
    if fault.name not in MENU:
        yield Refused(f"{where}.name", f"there is no fault {fault.name!r}", listed(MENU))
        return
    if (fault.device is None) == (fault.wire is None):
        yield Refused(where, "is of a device or of a wire", "name one of them")
        return
    of = MENU[fault.name].of
    kind = WIRE if fault.wire is not None else (fault.device or "").split(" ")[0]
    if kind not in of:
        can = listed(name for name, entry in MENU.items() if kind in entry.of)
        yield Refused(f"{where}.name", f"a {kind} has no fault {fault.name!r}", can)
    there = _places(terms)
    if fault.wire is not None and fault.wire not in _wires(terms):
        yield Refused(f"{where}.wire", "is no wire of this table", listed(_wires(terms)))
    if fault.device is not None and fault.device not in there:
        yield Refused(f"{where}.device", "is no device of this table", listed(there))


def _places(terms: Terms) -> list[str]:
    found = ["panel", "sign"]
    found += ["shuffler"] if terms.has_shuffler else []
    found += ["shoe"] if terms.method == "automated shoe" else []
    for kind, is_there in (("acceptor", terms.acceptors), ("terminal", terms.terminals)):
        found += [f"{kind} {seat}" for seat in range(1, terms.seats + 1) if is_there]
    return found


def _wires(terms: Terms) -> list[str]:
    return list(dict.fromkeys(_wire_of(one) for one in _places(terms)))


def _wire_of(device: str) -> str:
    kind, _, seat = device.partition(" ")
    return f"{kind}s" if seat else kind


def _act(where: str, name: str) -> Iterator[Refused]:
    if name not in ACTS:
        yield Refused(where, f"there is no act {name!r}", "felt events lists them")


def _clause(where: str, clause: str, text: str, terms: Terms) -> Iterator[Refused]:
    """Not every clause stands in a rulebook: those of a text begin alike."""
    parts = Counter(found.split(".")[0] for found in _CLAUSE.findall(text))
    [(text_of, _)] = parts.most_common(1)
    if clause and not clause.startswith(f"{text_of}."):
        problem = f"{clause!r} is no clause of {terms.ruleset.rulebook.id}"
        yield Refused(where, problem, f"{text_of}.…, as docs/conformance lists them")


def _never(where: str, never: Never) -> Iterator[Refused]:
    said = [one for one in (never.hold, never.void, never.action) if one is not None]
    if len(said) != 1:
        yield Refused(where, "names one thing", "hold, void or action")
    if never.action is not None:
        yield from _act(f"{where}.action", never.action)


def phases() -> tuple[Phase, ...]:
    found: tuple[Phase, ...] = get_args(Phase)
    return found


def has(facts: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Whether an act has all of these facts."""
    return all(given.get(name) == value for name, value in facts.items())
