"""``felt replay --continue-with-simulator``: on from a difference, with simulated devices."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from controller.demo import standing
from controller.demo.onward import Ended, Onward, journal_in, round_of
from controller.journal.errors import JournalError
from controller.rules.faults import Refused
from controller.rules.paytables import dollars
from controller.table.events import Event
from controller.table.machine import Step
from controller.table.state import Table
from controller.technician import continuing, telling
from controller.technician.continuing import Begun, Since
from controller.technician.outcome import Parting

FLAG = "--continue-with-simulator"


@dataclass(frozen=True, slots=True)
class Given:
    terms: bytes
    since: Since
    parting: Parting | None
    until_us: int | None
    #: Asked after each event.
    goes_on: Callable[[], bool]


def check(given: argparse.Namespace) -> None:
    """Words that go together."""
    if given.keep is not None and not given.continue_with_simulator:
        raise Refused("--keep", f"goes with {FLAG}", f"say {FLAG} too, or leave it out")
    if given.continue_with_simulator and given.into is not None:
        raise Refused(FLAG, "does not go with --into", "leave one of them out")
    if given.keep is not None and journal_in(given.keep).exists():
        problem = "has a journal already, after whose end nothing else may be written"
        raise Refused(f"--keep {given.keep}", problem, "name a folder that is new")


def run(words: argparse.Namespace, given: Given) -> dict[str, Any]:
    """Go on, say what the table then did, and give it back for programs."""
    out: Callable[[str], object] = (lambda _: None) if words.json else _line
    if given.parting is None:
        why = "the log and the journal do not belong together here, and felt has no part in that"
        out(f"Not gone on: {why}. Name the journal that was written with the log (--journal).")
        return {"ended": "not gone on", "why": why}
    with _folder(words.keep) as folder:
        begun = _begun(folder, given, words.folder)
        if begun.table.phase == "closed":
            why = "the table is closed there, so there is no round to be played to its end"
            out(f"Not gone on: {why}. Begin with a round: --from round:NUMBER.")
            return {"ended": "not gone on", "why": why}
        for text in _beginning(begun, given.parting):
            out(text)
        return _played(words, given, begun, folder, out)


def _begun(folder: Path, given: Given, folders: list[Path]) -> Begun:
    assert given.parting is not None
    journal = journal_in(folder)
    try:
        return continuing.begin(journal, given.terms, given.since, given.parting.event, folders)
    except JournalError as error:
        raise Refused(FLAG, str(error)) from None


def _beginning(begun: Begun, parting: Parting) -> Iterator[str]:
    """What is taken from the record, and what is not."""
    table = begun.table
    yield f"From here on it is played live, on simulated devices; the table is {table.phase}."
    with_it = ", with the event that is decided otherwise" if parting.event is not None else ""
    yield f"  from the record: the table and all events up to here{with_it}; wagers, chips,"
    yield "    balances, how many cards lie where, and the faces that were revealed"
    hidden = standing.unseen(table)
    cards = f"the {hidden} cards that lie face down and the rest of the deck" if hidden else "cards"
    yield f"  simulated: people, devices (well, and of felt's own protocol), {cards},"
    yield "    which are dealt anew; felt finds the devices as after a restart, and asks them"


def _played(
    words: argparse.Namespace,
    given: Given,
    begun: Begun,
    folder: Path,
    out: Callable[[str], object],
) -> dict[str, Any]:
    assert given.parting is not None
    parting = given.parting
    onward = Onward(
        begun.data,
        folder,
        begun.library,
        begun.table,
        last=parting.event,
        owed=begun.owed,
        starts_at=parting.utc_us / 1e6,
    )
    happened: list[dict[str, Any]] = []
    goes_on = True

    def told(before: Table, event: Event, done: Step) -> bool:
        nonlocal goes_on
        happened.append(_fact(event, done))
        for text in telling.event(before, event, done):
            out(text)
        # What comes while the devices are let go is told too, and nobody is asked again.
        goes_on = goes_on and given.goes_on()
        return goes_on

    until_round, seconds = _until(words.until, given.until_us, parting.at_us)
    ended = onward.run(told, rounds=until_round, seconds=seconds)
    amiss = onward.amiss()
    for text in (*_ending(onward, ended, len(happened)), *amiss):
        out(text)
    if words.keep is not None:
        out(f"Its journal: {journal_in(folder)}")
    return {
        "phase": begun.table.phase,
        "round": onward.round,
        "ended": ended,
        "why": onward.stuck,
        "rounds": [
            {"round": number, "void": table.void, "payouts": msgspec.to_builtins(table.due)}
            for number, table in onward.played.items()
        ],
        "events": happened,
        "amiss": amiss,
        "journal": str(journal_in(folder)) if words.keep is not None else None,
    }


def _fact(event: Event, done: Step) -> dict[str, Any]:
    said: dict[str, Any] = msgspec.to_builtins(event)
    if done.refused:
        said["refused"] = done.refused
    return said


def _until(word: str | None, until_us: int | None, at_us: int) -> tuple[int, float | None]:
    """A round to be played to its end, or the time that is left."""
    kind, _, number = (word or "").partition(":")
    if kind == "round" and number.isdecimal():
        return int(number), None
    return 0, None if until_us is None else max(0.0, (until_us - at_us) / 1e6)


def _ending(onward: Onward, ended: Ended, events: int) -> Iterator[str]:
    number, played = round_of(onward.table), f"{events} events were played live."
    if ended == "the round is over":
        for one, table in onward.played.items():
            yield from _settled(one, table)
        yield played
    elif onward.stuck:
        yield f"Round {number} does not come to its end: {onward.stuck}. {played}"
    else:
        why = "--until" if ended == "the time is over" else "the person at the keyboard"
        yield f"Ended by {why} in round {number}, {onward.table.phase}: {played}"


def _settled(number: int, table: Table) -> Iterator[str]:
    yield f"Round {number} is over{', and was void: ' + table.void if table.void else ''}:"
    for due in table.due:
        odds = f" at {due.odds}" if due.odds else ""
        back = f", {dollars(due.returns)} returned" if due.returns else ""
        yield f"  seat {due.seat}: {due.wager} {dollars(due.stake)} {due.result}{odds}{back}"


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="felt-") as made:
            yield Path(made)
        return
    try:
        keep.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(f"--keep {keep}", f"can't be made: {error.strerror}") from None
    yield keep.resolve()


def _line(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
