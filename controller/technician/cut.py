"""A cut: one file with all that is needed to replay a stretch of play elsewhere.

    manifest.json    what it is of, by whom it was made, and why if that was said
    logs/WIRE.log    each wire, from the start of felt to the end of the stretch
    journal.jsonl    how the table stood at that start, and every entry since
    table.toml       the table file, if it was given

It begins where felt began, and not at the stretch itself: only there is it known how everything
stood. Polls compress well.
"""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controller import __version__
from controller.rules.faults import Refused
from controller.technician import logs, past
from controller.technician.logs import Run, Wire
from controller.technician.past import Past
from controller.technician.span import Span
from drivers.wire import devicelog

FORMAT = 1
#: What a cut may grow to when it is unpacked.
MAX_BYTES = 1 << 30
#: The same bytes from the same play, whenever it is cut.
_STAMP = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Cut:
    manifest: dict[str, Any]
    run: Run
    past: Past
    #: What could not be read.
    damage: tuple[str, ...] = ()


def write(file: Path, run: Run, given: Past, span: Span, *, table: Path | None = None) -> int:
    """Write a cut; how many records are in it."""
    until = span.until_us
    wires = {
        name: [one for one in wire.records if until is None or one.at_us <= until]
        for name, wire in run.wires.items()
    }
    last = span.last_entry(run)
    entries = tuple(one for one in given.entries if last is None or one.seq <= last + 1)
    part = Past(given.data, given.after, given.table, given.owed, entries, given.link)
    manifest = {
        "felt cut": FORMAT,
        "felt": __version__,
        "table": run.table,
        "run": run.id,
        "span": str(span),
        "wires": {name: len(records) for name, records in wires.items()},
        "entries": len(entries),
    }
    try:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
            _put(packed, "manifest.json", (json.dumps(manifest, indent=2) + "\n").encode())
            for name, wire in run.wires.items():
                _put(packed, f"logs/{name}.log", _log(wire, until).encode())
            _put(packed, "journal.jsonl", past.to_text(part))
            if table is not None:
                _put(packed, "table.toml", table.read_bytes())
    except OSError as error:
        raise Refused(str(file), f"can't be written: {error.strerror}") from None
    return sum(map(len, wires.values()))


def _put(packed: zipfile.ZipFile, name: str, data: bytes) -> None:
    packed.writestr(zipfile.ZipInfo(name, _STAMP), data, zipfile.ZIP_DEFLATED)


def _log(wire: Wire, until_us: int | None) -> str:
    """One section: the parts of a run follow each other without a break."""
    lines = [devicelog.header_line(wire.header)]
    start_us = wire.records[0].at_us - wire.records[0].record.at_us if wire.records else 0
    for one in wire.records:
        if until_us is not None and one.at_us > until_us:
            break
        lines.append(devicelog.line_of(moved(one.record, one.at_us - start_us)))
    return "".join(lines)


def moved(
    record: devicelog.Bytes | devicelog.Remark | devicelog.Clock, at_us: int
) -> devicelog.Record:
    """The record with another time."""
    match record:
        case devicelog.Bytes(_, direction, data, comment, channel):
            return devicelog.Bytes(at_us, direction, data, comment, channel)
        case devicelog.Remark(_, word, text):
            return devicelog.Remark(at_us, word, text)
        case devicelog.Clock(_, utc_us):
            return devicelog.Clock(at_us, utc_us)


def is_cut(path: Path) -> bool:
    return path.is_file() and zipfile.is_zipfile(path)


def read(path: Path) -> Cut:
    """What is in a cut, or ``Refused`` with what is wrong with it."""
    with unpacked(path) as folder:
        try:
            manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        except ValueError:
            raise Refused(f"{path}: manifest.json", "is not JSON", "cut it again") from None
        if not isinstance(manifest, dict) or manifest.get("felt cut") != FORMAT:
            raise Refused(str(path), "is a cut of another version", "use the felt that made it")
        found = logs.read([folder])
        named = f"{path}: journal.jsonl"
        part = past.of_text((folder / "journal.jsonl").read_bytes(), named)
        if len(found.runs) != 1:
            raise Refused(str(path), f"has logs of {len(found.runs)} runs", "cut it again")
        return Cut(manifest, found.runs[0], part, tuple(found.said()))


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """The members of a cut in a folder of their own, as long as they are looked at."""
    with tempfile.TemporaryDirectory(prefix="felt-cut-") as made:
        folder = Path(made)
        try:
            with zipfile.ZipFile(path) as packed:
                if sum(one.file_size for one in packed.infolist()) > MAX_BYTES:
                    raise Refused(str(path), "is too large", f"{MAX_BYTES} bytes at most")
                for one in packed.infolist():
                    # By its last name only: nothing is written outside of the folder.
                    if not one.is_dir():
                        (folder / Path(one.filename).name).write_bytes(packed.read(one))
        except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, OSError) as error:
            raise Refused(str(path), f"is damaged: {error}", "copy or cut it again") from None
        for name in ("manifest.json", "journal.jsonl"):
            if not (folder / name).exists():
                raise Refused(str(path), f"has no {name}", "is it a cut? felt log cut makes them")
        yield folder
