"""What a drill came to, read off the journal of its table: every act, and whether it was right.

Nothing is kept beside the journal. What happened when, whose act it was, what the table said to it
and what it asked for: all of it is found by going through the same events once more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from controller.journal.reader import Reader
from controller.library import Library
from controller.replay import Played, Replay
from controller.rules.paytables import dollars
from controller.school import scene
from controller.school.drill import TRAINEE, Drill, Never, Wanted, has
from controller.school.moments import Trigger, round_of, tag
from controller.table import events
from controller.table.offer import Offer
from controller.table.offering import offered
from controller.table.state import Hold, Table
from controller.table.terms import Terms

#: Wrong is what the table took and nobody had said to the dealer.
Verdict = Literal["right", "refused", "late", "wrong", ""]
#: How the desk names what somebody keys in that is no act of theirs.
_KEYED = f"key/{TRAINEE}/"
#: What the desk says of a press that came after the table had gone on.
STALE = "is not offered now"
#: Attempts that say nothing of how somebody deals.
_NOT_DEALING = (
    events.SignedOn, events.SignedOff, events.CredentialAccepted, events.CredentialRefused,
)  # fmt: skip
#: What players do; nobody's name goes with it.
_OF_A_SEAT = (events.WagerPlaced, events.WagerTakenBack, events.WagerCameLate, events.PlayerDecided)
#: Reports are read by people.
MAX_ROWS = 2000


class Row(msgspec.Struct):
    """One act, as a person reads it."""

    seq: int
    at: int
    round: int
    phase: str
    who: str
    role: str
    #: Whether it is the trainee's.
    mine: bool
    action: str
    words: str
    clause: str
    verdict: Verdict
    #: Why it was refused or late, in the table's own words.
    why: str = ""


class _Reason(NamedTuple):
    words: str
    clause: str = ""

    def __str__(self) -> str:
        words = self.words.rstrip(".")
        return f"{words} ({self.clause})" if self.clause else words


@dataclass
class _Watched:
    """A wanted act, and what became of it."""

    wanted: Wanted
    #: When it was called for; from the beginning where nothing has to happen first.
    is_called_for: bool
    done: Row | None = None
    #: What was done before it and should not have been.
    overtaken_by: str = ""


@dataclass
class _Found:
    rows: list[Row] = field(default_factory=list)
    refused: list[Row] = field(default_factory=list)
    amiss: list[_Reason] = field(default_factory=list)
    #: What the table asked of the dealer when it ended.
    standing: list[_Reason] = field(default_factory=list)


def of(journal: Path, drill: Drill, library: Library, *, ended: str, last: int) -> dict[str, Any]:
    """Up to entry ``last`` of the journal."""
    with Reader.look(journal) as reader:
        replay = Replay(reader, library)
        return _Reporter(drill, ended).made(replay.events(1, last or None))


class _Reporter:
    def __init__(self, drill: Drill, ended: str) -> None:
        self._drill = drill
        self._ended = ended
        self._terms: Terms = drill.terms
        self._found = _Found()
        self._watched = [_Watched(one, not one.upon) for one in drill.given.wanted]
        self._triggers = [
            Trigger(one.when.round, phase=one.when.phase, action=one.when.action,
                    times=one.when.times)
            for one in drill.given.happens
        ]  # fmt: skip
        self._names = {f"seat {one.seat}": one.name for one in drill.given.players}
        self._players = scene.scripted(drill)

    def made(self, played: Iterator[Played]) -> dict[str, Any]:
        table, is_set = None, False
        for one in played:
            before, table = table, one.step.table
            if is_set and before is not None:
                self._goes_through(before, one)
            is_set = is_set or table.phase == self._drill.given.begins
        if table is not None and is_set:
            self._left_standing(table)
        return self._told()

    # --- Event by event ---------------------------------------------------------------

    def _goes_through(self, before: Table, one: Played) -> None:
        event, refused, after = one.event, one.step.refused, one.step.table
        row = self._row(before, one)
        if row is not None:
            self._found.rows.append(row)
            if row.mine and row.verdict == "refused":
                self._found.refused.append(row)
        if refused:
            return
        self._hear(row, before, event)
        self._hold(row, before, event)
        for never in self._drill.given.never:
            if (reason := _came_of(never, row, event, before, after)) is not None:
                self._found.amiss.append(reason)
        for n, trigger in enumerate(self._triggers, 1):
            if trigger.told(before, event, after):
                for watched in self._watched:
                    watched.is_called_for |= watched.wanted.upon == n

    def _hear(self, row: Row | None, before: Table, event: events.Event) -> None:
        """A decision against what the player has said."""
        if row is None or not row.mine or not isinstance(event, events.Decided):
            return
        seat = before.seat(event.seat)
        player = self._players.get(event.seat)
        if player is None or seat.left or not seat.wagers.get("ante"):
            return
        choice, cents = player.decides(self._terms, before, seat, ())
        if (choice, cents) == (event.choice, event.amount):
            return
        said = f"{choice} {dollars(cents)}" if cents else choice
        row.verdict = "wrong"
        row.why = f"{player.name}, at seat {event.seat}, has said: {said}"
        self._found.amiss.append(_Reason(f"{row.words} was keyed in, and {row.why}", row.clause))

    def _hold(self, row: Row | None, before: Table, event: events.Event) -> None:
        """An act against what is wanted."""
        if row is None or not row.mine:
            return
        given = msgspec.to_builtins(event)
        for watched in self._watched:
            wanted = watched.wanted
            if watched.done is not None or not watched.is_called_for:
                continue
            if row.action == wanted.action and has(wanted.facts, given):
                watched.done = row
                row.clause = row.clause or wanted.clause
                if watched.overtaken_by:
                    row.verdict = "late"
                    row.why = f"it came after this: {watched.overtaken_by}"
                return
            if row.action in wanted.before and not watched.overtaken_by:
                watched.overtaken_by = row.words

    def _row(self, before: Table, one: Played) -> Row | None:
        event, refused = one.event, one.step.refused
        if isinstance(event, _NOT_DEALING):
            return None
        who, role = self._whose(event)
        if not who:
            return None
        offer = _offer_of(self._terms, before, event)
        words = offer.title if offer is not None else _said(event)
        verdict: Verdict = "refused" if refused else "right"
        why = refused
        if isinstance(event, events.AttemptRefused):
            verdict, why = "refused", event.reason
            if STALE in event.reason:
                verdict, why = "late", "the table had gone on in the meantime; nothing was done"
        mine = who == TRAINEE
        return Row(
            seq=one.entry.seq,
            at=event.at,
            round=round_of(before),
            phase=before.phase,
            who=who,
            role=role,
            mine=mine,
            action=tag(event),
            words=words,
            clause=offer.clause if offer is not None else "",
            verdict=verdict if mine or refused else "",
            why=why,
        )

    def _whose(self, event: events.Event) -> tuple[str, str]:
        if isinstance(event, events.AttemptRefused):
            return event.person, "dealer" if event.person == TRAINEE else ""
        if isinstance(event, events.Act):
            return event.by.id, event.by.role
        if (event.id or "").startswith(_KEYED):
            return TRAINEE, "dealer"
        if isinstance(event, _OF_A_SEAT):
            return self._names.get(f"seat {event.seat}", f"seat {event.seat}"), "player"
        return "", ""

    def _left_standing(self, table: Table) -> None:
        if self._ended == "it is over":
            return
        for prompt, _ in offered(self._terms, table).prompts:
            if prompt.who == "dealer" and prompt.answer:
                self._found.standing.append(_Reason(prompt.text, prompt.clause))

    # --- What it comes to --------------------------------------------------------------

    def _told(self) -> dict[str, Any]:
        found, reasons = self._found, list(self._reasons())
        left_out = [
            {"words": one.wanted.words, "clause": one.wanted.clause}
            for one in self._watched
            if one.done is None
        ]
        left_out += [{"words": one.words, "clause": one.clause} for one in found.standing]
        mine = [row for row in found.rows if row.mine]
        passed = not reasons
        book = self._terms.ruleset.rulebook
        return {
            "drill": self._drill.id,
            "title": self._drill.given.title,
            "game": book.title,
            "jurisdiction": book.jurisdiction,
            "ended": self._ended,
            "passed": passed,
            "reason": _sentence(passed, reasons),
            "reasons": [{"words": one.words, "clause": one.clause} for one in reasons],
            "counts": {
                "right": sum(row.verdict == "right" for row in mine),
                "refused": sum(row.verdict == "refused" for row in mine),
                "late": sum(row.verdict == "late" for row in mine),
                "wrong": sum(row.verdict == "wrong" for row in mine),
                "left_out": len(left_out),
            },
            "wanted": [
                {
                    "words": one.wanted.words,
                    "clause": one.wanted.clause,
                    "verdict": "left out" if one.done is None else one.done.verdict,
                }
                for one in self._watched
            ],
            "left_out": left_out,
            "acts": [msgspec.to_builtins(row) for row in found.rows[:MAX_ROWS]],
        }

    def _reasons(self) -> Iterator[_Reason]:
        yield from self._found.amiss
        if len(self._found.refused) > self._drill.given.refusals:
            for row in self._found.refused:
                yield _Reason(f"{row.words}: refused, {row.why}")
        for one in self._watched:
            if one.done is None:
                yield _Reason(f"it was left out: {one.wanted.words}", one.wanted.clause)
            elif one.done.verdict == "late":
                yield _Reason(f"it came too late: {one.wanted.words}", one.wanted.clause)
        if self._ended != "it is over":
            asked = self._found.standing[0] if self._found.standing else None
            more = f", and this was still asked for: {asked}" if asked is not None else ""
            yield _Reason(f"{self._ended} before it was over{more}")


def _sentence(passed: bool, reasons: list[_Reason]) -> str:
    if passed:
        return "Passed: all that was asked for was done, in its order, and nothing was refused."
    first, more = str(reasons[0]), len(reasons) - 1
    rest = f" (and {more} more)" if more else ""
    return f"Failed: {first.rstrip('.')}{rest}."


def _came_of(
    never: Never, row: Row | None, event: events.Event, before: Table, after: Table
) -> _Reason | None:
    """What must never be, where this event has led to it."""
    is_so = False
    if never.hold is not None:
        known = {hold.number for hold in before.holds}
        is_so = any(_at(never.hold, one) for one in after.holds if one.number not in known)
    elif never.void:
        is_so = bool(after.void) and not before.void
    elif row is not None and row.mine and row.action == never.action:
        is_so = has(never.facts, msgspec.to_builtins(event))
    return _Reason(never.words, never.clause) if is_so else None


def _at(place: str, hold: Hold) -> bool:
    return hold.where.startswith(place)


# --- In words ---------------------------------------------------------------------


def _offer_of(terms: Terms, before: Table, event: events.Event) -> Offer | None:
    """The offer of the table that this act takes, if it was offered."""
    action = tag(event)
    if isinstance(event, events.AttemptRefused):
        return None
    given = msgspec.to_builtins(event)
    best: Offer | None = None
    for offer in offered(terms, before, event.at).offers:
        for deed in offer.acts:
            if deed.action != action or not has(deed.given, given):
                continue
            # Of several, one that says it alone, and then the one that knows most of it.
            if best is None or _closer(offer, best, deed.given):
                best = offer
    return best


def _closer(one: Offer, best: Offer, known: Mapping[str, Any]) -> bool:
    if len(one.acts) != len(best.acts):
        return len(one.acts) < len(best.acts)
    return len(known) > len(best.acts[0].given)


def _said(event: events.Event) -> str:
    """An act that was not on offer, in its own words."""
    if isinstance(event, events.AttemptRefused):
        return event.attempt.replace("_", " ")
    facts = msgspec.to_builtins(event)
    told = []
    for name, value in facts.items():
        if name in ("kind", "at", "id", "by", "second", "transfer", "tender") or value is None:
            continue
        said = dollars(value) if name in ("amount", "cents") else str(value).replace("_", " ")
        told.append(f"{name.replace('_', ' ')} {said}")
    words = tag(event).replace("_", " ")
    words = words[:1].upper() + words[1:]
    return f"{words}: {', '.join(told)}" if told else words
