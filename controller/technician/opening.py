"""What is to be replayed: a cut, or logs with the journal beside them.

A folder has the logs of every start of felt that is still kept. All of them are replayed, each from
where the table stood when it began; one alone where a place is named that is only in that one. Logs
of another table are said and left alone: the journal knows nothing of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from controller.journal.errors import JournalError
from controller.journal.reader import Reader
from controller.library import Library
from controller.rules.faults import Refused, listed
from controller.technician import cut, logs, past, span, starts
from controller.technician.logs import Damages, Run
from controller.technician.past import Past
from controller.technician.starts import Start


@dataclass(frozen=True, slots=True)
class Source:
    """One start of felt, and where a replay of it can begin."""

    run: Run
    damage: Damages
    beginning: Callable[[int | None], tuple[Start | None, Past]]
    #: None for a cut, which has the part of it that it needs.
    journal: Path | None = None


@contextmanager
def opened(
    paths: Sequence[Path], journal: Path | None, library: Library
) -> Iterator[tuple[list[Source], list[str]]]:
    """Every start of felt that is in them, by time; and what of them is of another table."""
    if len(paths) == 1 and cut.is_cut(paths[0]):
        found = cut.read(paths[0])
        yield [Source(found.run, found.damage, lambda _: (found.start, found.past))], []
        return
    read = logs.read(paths)
    file = journal or beside(paths[0])
    try:
        with Reader.look(file) as reader:
            table = reader.header.table
            runs = [one for one in read.runs if one.table == table]
            others = [*_of_other_tables(read.runs, table)]
            if not runs:
                tables = listed(sorted({one.table for one in read.runs})) or "no table"
                problem = f"is of {table}, and the logs are of {tables}"
                raise Refused(f"journal {file}", problem, "name the journal that goes with them")

            def source(run: Run) -> Source:
                def beginning(by_us: int | None) -> tuple[Start | None, Past]:
                    start = starts.latest(run, by_us)
                    after = run.after_entry if start is None else start.entry
                    return start, past.of_journal(reader, library, after)

                return Source(run, read.damage, beginning, file)

            yield [source(run) for run in runs], others
    except JournalError as error:
        raise Refused("--journal", str(error)) from None


def _of_other_tables(runs: Sequence[Run], table: str) -> Iterator[str]:
    for run in runs:
        for wire in run.wires.values():
            for file in dict.fromkeys(part.file for part in wire.parts):
                if run.table != table:
                    yield f"{file}: skipped: it is of {run.table}, and the journal of {table}"


def beside(path: Path) -> Path:
    """Where the journal is that goes with logs."""
    folder = path if path.is_dir() else path.parent
    return folder.parent / "journal.db"


def chosen(runs: Sequence[Run], wanted: str | None) -> list[Run]:
    """Those that are wanted: all of them, if nothing is said."""
    if not runs:
        raise Refused("logs", "there is no device log in these files", "name other files")
    found = [run for run in runs if wanted in (None, run.id)]
    if not found:
        raise Refused("--run", f"there is no {wanted}", listed(run.id for run in runs) or "none")
    for run in found:
        if not run.id.isdecimal():
            raise Refused("logs", "do not say which start of felt they are of", "use newer ones")
    return found


def having(
    runs: Sequence[Run], from_: str | None, until: str | None
) -> list[tuple[Run, span.Span]]:
    """The stretch that is named, in the run that has it; all of every run if none is."""
    if from_ is None and until is None:
        return [(run, span.Span()) for run in runs]
    if not any(":" in word and not word[0].isdecimal() for word in (from_, until) if word):
        return [_at_a_time(runs, from_, until)]
    refused: Refused | None = None
    # A round is where it began; what became of it later may be in the next one too.
    for run in runs:
        try:
            return [(run, span.of_words(run, from_, until))]
        except Refused as error:
            refused = error
    assert refused is not None
    raise refused


def _at_a_time(runs: Sequence[Run], from_: str | None, until: str | None) -> tuple[Run, span.Span]:
    """The last run that had begun by then. Seconds are counted from the start of the last one."""
    found = [(run, span.of_words(run, from_, until)) for run in runs]
    for run, stretch in reversed(found):
        begins_us = min(wire.first_us[0] for wire in run.wires.values())
        ends_us = stretch.until_us if stretch.until_us is not None else stretch.from_us
        if ends_us is None or ends_us >= begins_us:
            return run, stretch
    return found[-1]
