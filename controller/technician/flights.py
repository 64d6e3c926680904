"""The flight recorder's entries of a journal, as logs: what was last said before a device failed.

Each becomes the log of its wire, so that it is read, filtered and shown as every other one. It is
there long after the log itself was let go.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from controller.journal.entry import Entry
from controller.journal.errors import JournalError
from controller.journal.reader import Reader
from controller.recalling import FLIGHT, flight_of
from controller.rules.faults import Refused
from controller.technician import logs
from controller.technician.logs import Logs, Run
from drivers.wire import devicelog
from drivers.wire.devicelog import FORMAT, Header

#: How such a run is named: by the entry that it is in.
OF_ENTRY = "flight "
_SQLITE = b"SQLite format 3\0"


def is_journal(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


@contextmanager
def opened(journal: Path, number: int | None = None) -> Iterator[Logs]:
    """All flights of a journal, or those of a round; a run for each, in their order."""
    with tempfile.TemporaryDirectory(prefix="felt-flights-") as made:
        folder = Path(made)
        try:
            with Reader.look(journal) as reader:
                entries = reader.entries(1) if number is None else reader.round(number)
                for entry in entries:
                    if entry.kind == FLIGHT and (text := _log(reader.header.table, entry)):
                        (folder / f"{entry.seq:012}.log").write_text(text, encoding="utf-8")
        except JournalError as error:
            raise Refused(str(journal), str(error)) from None
        if not any(folder.iterdir()):
            where = "it" if number is None else f"round {number}"
            problem = f"there is no flight in {where}: no device failed"
            raise Refused(str(journal), problem, "name the device logs")
        found = logs.read([folder])
        found.runs.sort(key=lambda one: one.after_entry)
        yield found


def told(run: Run) -> str:
    """What a flight is of; nothing for a run of a log."""
    if not run.id.startswith(OF_ENTRY):
        return ""
    (wire,) = run.wires.values()
    device = wire.header.fact("device")
    return f"entry {run.after_entry}, wire {wire.name}: before {device} failed"


def _log(table: str, entry: Entry) -> str:
    """The section of a log that an entry has; nothing if it can't be read."""
    said = flight_of(entry.body)
    lines = [one for one in said.get("said", ()) if isinstance(one, str)]
    if not lines:
        return ""
    # The last line was said when the entry was written: the times are by the clock that runs.
    last = lines[-1].split(maxsplit=1)[0]
    seconds = float(last) if last.replace(".", "", 1).isdecimal() else 0.0
    began = datetime.fromtimestamp(entry.at / 1e9 - seconds, UTC)
    header = Header(
        FORMAT,
        (
            ("table", table),
            ("line", str(said.get("wire", "?"))),
            ("device", str(said.get("device", "?"))),
            ("run", f"{OF_ENTRY}{entry.seq} after entry {entry.seq}"),
            ("utc", began.isoformat(timespec="microseconds")),
            ("monotonic", "0.000000"),
        ),
    )
    return devicelog.header_line(header) + "".join(f"{line}\n" for line in lines)
