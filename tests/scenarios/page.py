"""The page of faults and what they come to, from ``outcomes.toml``; ``make docs`` writes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from simulators.faults import MENU
from tests.scenarios.outcomes import Row, rows
from tests.scenarios.watching import WORDS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "faults.md"

_OPENING = """\
<!-- Written by `make docs` from tests/scenarios/outcomes.toml; edits are lost. -->

# What comes of a fault

Every fault of the simulators' menu, at every device or wire that can have it, by the phase in
which it strikes: what follows, and the clause or requirement that asks for it. A test plays each
of them: a table with all its devices runs up to the phase, the fault is switched on, and the people
play on until the round and the next one are over. Whatever happens, every cent and every card must
be where it belongs, no card comes before every lock is confirmed, no wager after it, no payment
without validation, each stack once, and the journal must replay to the same table.

`make test` plays one case of each fault, `make slow` all of them. The table is that of pa-639a with
an automated shoe; the other rulebooks and ways of dealing come to the same but for what stands at
the end. Dealt from a manual shoe or the hand, a false count is found when the stub is counted: in
s10 and ma within five rounds, and in Pennsylvania not at all, because its rulebooks spare the
dealer that count where the shuffler counts.

What follows is said in a few words. One in brackets may be missing, and what comes "soon" comes in
this round or the next: it takes as long as felt waits before it calls a device gone."""


def page() -> str:
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _OPENING
    yield ""
    yield from _table(("word", "means"), WORDS.items())
    for title, part in (("pa-639a", "fault"), ("Other rulebooks", "elsewhere")):
        yield ""
        yield f"## {title}"
        for row in rows(part):
            yield ""
            yield from _fault(row)


def _fault(row: Row) -> Iterator[str]:
    entry = MENU[row.name]
    number = f" ({entry.number}: {entry.usual:g})" if entry.number else ""
    where = f" of {', '.join(row.tables)}" if row.tables else ""
    yield f"### {row.name}: {', '.join(row.at)}{where}"
    yield ""
    yield f"{entry.what[0].upper()}{entry.what[1:]}{number}. {row.why} ({', '.join(row.by)})"
    yield ""
    yield from _table(("strikes in", "what follows"), row.spans.items())


def _table(head: tuple[str, str], lines: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield f"| {head[0]} | {head[1]} |"
    yield "| --- | --- |"
    for one, other in lines:
        yield f"| {one} | {other} |"
