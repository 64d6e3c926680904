"""Everything that can be done at the table now, by everybody. What is offered is taken.

Drafts say what may be possible; the machine itself is asked about each of them, with an example of
what is to be filled in, before it is offered. So no offer is ever behind the rules, and whoever
draws offers needs no rule of any game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec

from controller.rules.faults import Refused
from controller.table import events
from controller.table.credentials import must_be_free
from controller.table.drafts import Draft, Kind, example
from controller.table.following import follows, is_final
from controller.table.irregularities import irregularities
from controller.table.machine import step
from controller.table.offer import Deed, Group, Offer
from controller.table.offering_cards import cards
from controller.table.offering_floor import floor
from controller.table.offering_play import play
from controller.table.offering_settling import settling
from controller.table.people import NOBODY, Person, Role
from controller.table.prompt import Prompt
from controller.table.prompts import prompts
from controller.table.state import Table
from controller.table.terms import Terms
from controller.table.transitions import TRANSITIONS

#: Bytes of the digest that names an offer.
_ID = 6
_GROUPS: dict[Group, int] = {"due": 0, "may": 1, "irregular": 2, "floor": 3}
#: Who may take what is offered to a role, besides those who have it.
STANDS_IN: dict[Role, tuple[Role, ...]] = {"floorperson": ("floorperson", "supervisor")}


class Offered(NamedTuple):
    #: Each with the id of the offer that answers it, or nothing.
    prompts: tuple[tuple[Prompt, str], ...]
    offers: tuple[Offer, ...]
    #: For each prompt, all that answers it: a question may be answered by yes or by no.
    answers: tuple[tuple[str, ...], ...] = ()


def offers(terms: Terms, table: Table, at: int | None = None) -> tuple[Offer, ...]:
    """Everything that can be done now; ``at`` where time has passed since the last event."""
    return offered(terms, table, at).offers


def offered(terms: Terms, table: Table, at: int | None = None) -> Offered:
    """The same, with the prompts that are answered by it."""
    trial = _Trial(terms, table, max(table.at, at or 0))
    asked = prompts(terms, table)
    taken: dict[bytes, tuple[Draft, Table]] = {}
    for draft in _drafts(terms, table):
        key = _known(draft)
        if key not in taken and (after := trial.of(draft)) is not None:
            taken[key] = (draft, after)
    drafts = [draft for draft, _ in taken.values()]
    answers = [_answering(prompt, drafts) for prompt in asked]
    due = {id(draft) for some in answers for draft in some}
    found = {
        id(draft): _offer(terms, table, draft, after, is_due=id(draft) in due)
        for draft, after in taken.values()
    }
    named = tuple(
        (prompt, found[id(some[0])].id if some else "")
        for prompt, some in zip(asked, answers, strict=True)
    )
    in_order = sorted(found.values(), key=lambda one: _GROUPS[one.group])
    all_of = tuple(tuple(found[id(draft)].id for draft in some) for some in answers)
    return Offered(named, tuple(in_order), all_of)


def stands_in(person: Role, who: Role) -> bool:
    """Whether what is offered to one role may be done in another."""
    return person in STANDS_IN.get(who, (who,))


def _drafts(terms: Terms, table: Table) -> Iterator[Draft]:
    yield from cards(terms, table)
    yield from play(terms, table)
    yield from settling(terms, table)
    yield from floor(terms, table)
    yield from irregularities(terms, table)


def _known(draft: Draft) -> bytes:
    """What tells two drafts apart."""
    acts = [(tag(kind), known) for kind, known in draft.acts]
    return msgspec.json.encode((acts, [one.name for one in draft.asks]))


@lru_cache(maxsize=256)
def tag(kind: Kind) -> str:
    return str(kind.__struct_config__.tag)


# --- Prompts ----------------------------------------------------------------

#: How a prompt names what it is about.
_MARKS = {
    "deck": "deck {}",
    "replaces": "deck {}",
    "hold": "hold {}",
    "person": "{}",
    "device": "{}",
    "wager": "{}",
}


def _answering(prompt: Prompt, drafts: list[Draft]) -> list[Draft]:
    """The drafts that answer a prompt: those about the very thing that it names."""
    if not prompt.answer:
        return []
    best, found = -1, list[Draft]()
    for draft in drafts:
        if not draft.prompted or tag(draft.kind) != prompt.answer:
            continue
        if draft.seat not in (None, prompt.seat):
            continue
        marks = _marks(prompt, draft)
        if not all(re.search(rf"\b{re.escape(mark)}\b", prompt.text) for mark in marks):
            continue
        if len(marks) > best:
            best, found = len(marks), []
        if len(marks) == best:
            found.append(draft)
    return found


def _marks(prompt: Prompt, draft: Draft) -> list[str]:
    known = draft.acts[0][1]
    # "Take Antes": of which seat and how much, nobody knows yet.
    names = [name for name in _MARKS if name in known and (name != "wager" or prompt.seat)]
    return [_MARKS[name].format(known[name]) for name in names]


# --- Trials -----------------------------------------------------------------


class _Trial:
    """Asks the machine whether it would take a draft, from somebody who may do it."""

    def __init__(self, terms: Terms, table: Table, at: int) -> None:
        self._terms = terms
        self._table = table
        self._at = at
        self._people: dict[Role, tuple[Person, ...]] = {}
        self._stops = {hold.blocks for hold in table.holds}

    def of(self, draft: Draft) -> Table | None:
        """The table after it; None if it would be refused, whoever did it."""
        rule = TRANSITIONS[draft.kind]
        if self._table.phase not in rule.phases or not self._stops.isdisjoint(rule.blocked_by):
            return None
        for person in self._who(draft.who):
            after, refused = self._by(draft, person)
            if not refused:
                return after
            if not refused.startswith("by:"):
                return None
        return None

    def _by(self, draft: Draft, person: Person) -> tuple[Table, str]:
        table = self._table
        for n, (kind, known) in enumerate(draft.acts):
            facts: dict[str, Any] = dict(known)
            for ask in draft.asks:
                if ask.act != n:
                    continue
                if ask.shape == "second":
                    other = self._second(ask.choices or (), person)
                    if other is None:
                        return table, "second: nobody is there"
                    facts[ask.name] = other
                elif ask.required or ask.shape == "cards":
                    facts[ask.name] = example(ask)
            if issubclass(kind, events.Act):
                facts["by"] = person
            event: Any = kind(at=self._at, **facts)
            done = step(self._terms, table, event)
            if done.refused:
                return table, done.refused
            table = done.table
        return table, ""

    def _second(self, roles: tuple[int | str, ...], first: Person) -> Person | None:
        for role in ("floorperson", "supervisor", "auditor", "technician", "dealer"):
            if role in roles:
                for person in self._who(role):
                    if person.id != first.id and person.role == role:
                        return person
        return None

    def _who(self, role: Role) -> tuple[Person, ...]:
        """Those who may act in a role, or stand in for it; anybody where nobody is listed."""
        if role not in self._people:
            self._people[role] = tuple(self._listed(role))
        return self._people[role]

    def _listed(self, role: Role) -> Iterator[Person]:
        roles = STANDS_IN.get(role, (role,))
        if not self._terms.people:
            yield from (Person(f"some {one}", one) for one in roles)
            yield Person(f"another {role}", role)
            return
        for wanted in roles:
            for id_, has in self._terms.people.items():
                if wanted in has and id_ != NOBODY and self._is_free(Person(id_, wanted)):
                    yield Person(id_, wanted)

    def _is_free(self, person: Person) -> bool:
        try:
            must_be_free(self._table, person)
        except Refused:
            return False
        return True


# --- Offers -----------------------------------------------------------------


def _offer(terms: Terms, table: Table, draft: Draft, after: Table, *, is_due: bool) -> Offer:
    group: Group = "due" if is_due else draft.group
    said = draft.follows
    if not said and (group in ("irregular", "floor") or draft.group == "floor"):
        said = follows(terms, table, after)
    if not said and group == "irregular":
        said = "It is on record, and the round goes on."
    offer = Offer(
        id="",
        who=draft.who,
        title=draft.title,
        clause=draft.clause,
        seat=draft.seat,
        group=group,
        acts=tuple(Deed(tag(kind), known) for kind, known in draft.acts),
        asks=draft.asks,
        follows=said,
        hold_to_press=draft.hold_to_press or is_final(table, after),
    )
    moment = () if draft.outlives else (table.round, table.phase)
    body = msgspec.json.encode((*moment, offer))
    named = blake2b(body, digest_size=_ID).hexdigest()
    return msgspec.structs.replace(offer, id=named)
