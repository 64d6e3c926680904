"""Records the golden logs that come from the simulators: a round of each kind, and each fault.

``python -m tests.logs`` makes those that are missing; with ``--again REASON``, all of them, and the
reason stands beside each. Those from the field come by ``felt log promote``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.journal.reader import Reader
from controller.library import Library, shipped
from controller.table.terms import Terms
from controller.tables import read_file, terms_of
from controller.technician import cut, logs, past
from controller.technician.promoting import CUT, EXPECTED, promote
from controller.technician.span import Span
from simulators import virtual_time
from simulators.faults import MENU, WIRE, Fault
from tests.controller.table.playing import BOOKS, METHODS

HERE = Path(__file__).parent
STARTS_AT = 1_767_225_600.0
#: People who act quickly make short logs.
PAUSE_S = 0.05
SEATS = 2


#: The table at which wires are disturbed too; its cases are not in a folder of their own.
USUAL = ("pa-639a", "automated shoe")


@dataclass(frozen=True, slots=True)
class Case:
    """``name`` is that of its folder, below the one of its table."""

    name: str
    because: str
    book: str
    method: str
    faults: dict[str, str] = field(default_factory=dict)


def cases() -> Iterator[Case]:
    """A round by each rulebook and method of dealing, and each fault of each device at each."""
    library = Library()
    for book in BOOKS:
        for method in METHODS:
            table = f"{book}-{method.replace(' ', '-')}"
            yield Case(table, f"a round by {book}, dealt by {method}", book, method)
            is_usual = (book, method) == USUAL
            kinds = _kinds(terms_of(_furnished(book, method), library))
            for entry in MENU.values():
                for place in entry.of:
                    if place not in kinds and not (place == WIRE and is_usual):
                        continue
                    where = _where(place)
                    name = f"{where.replace(' ', '-')}-{entry.name}"
                    because = f"{where}: {entry.what}"
                    fault = {where: f"{entry.name}@1"}
                    yield Case(
                        name if is_usual else f"{table}/{name}", because, book, method, fault
                    )


def _kinds(terms: Terms) -> set[str]:
    """The devices of a table."""
    there = {
        "shuffler": terms.has_shuffler,
        "shoe": terms.method == "automated shoe",
        "acceptor": terms.acceptors,
        "terminal": terms.terminals,
    }
    return {"panel", "sign", *(kind for kind, is_there in there.items() if is_there)}


def kept() -> list[str]:
    """All that there is: a folder with a cut, or with what was expected of one."""
    return sorted(
        {
            file.parent.relative_to(HERE).as_posix()
            for name in (CUT, EXPECTED)
            for file in HERE.rglob(name)
        }
    )


def _where(place: str) -> str:
    if place == WIRE:
        return "wire acceptors"
    return f"{place} 1" if place in ("acceptor", "terminal") else place


def _furnished(book: str, method: str) -> dict[str, Any]:
    """The table that felt comes with, dealt by this method, with few seats: short logs."""
    data = read_file(shipped("tables") / f"{book}.toml")
    data["method"] = method
    data["options"]["seats"] = SEATS
    return data


def recorded(
    case: Case,
    folder: Path,
    library: Library,
    at_start: Callable[[], None] = lambda: None,
    *,
    rounds: int = 1,
) -> Path:
    """Play the case in virtual time and cut it; ``at_start`` is called in the loop."""
    options = Options(
        seed=1,
        pause=PAUSE_S,
        broker=False,
        starts_at=STARTS_AT,
        faults={where: [Fault.said(what, 1)] for where, what in case.faults.items()},
    )
    data: dict[str, Any] = _furnished(case.book, case.method)
    show = Show(data, folder, library, options, rounds=rounds, view=View())

    async def played() -> None:
        at_start()
        await show.run()

    # A table that gets stuck by a fault has a log too.
    with contextlib.suppress(BaseExceptionGroup):
        virtual_time.run(played)
    state = folder / "state"
    (run,) = logs.read([state / "logs"]).runs
    made = folder / "cut.zip"
    with Reader.look(state / "journal.db") as reader:
        cut.write(made, run, past.of_journal(reader, library, run.after_entry), Span())
    return made


def make(case: Case, folder: Path, library: Library, reason: str = "") -> bool:
    """Record a case and keep it, unless it is there. True if it was made."""
    if (HERE / case.name / EXPECTED).exists() and not reason:
        return False
    into, _, name = f"{HERE}/{case.name}".rpartition("/")
    made = recorded(case, folder, library)
    promote(made, name, reason or case.because, Path(into), library)
    return True
