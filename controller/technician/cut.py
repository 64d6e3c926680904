"""A cut: one file with all that is needed to replay a stretch of play elsewhere.

    manifest.json    what it is of, by whom it was made, and why if that was said
    logs/WIRE.log    each wire, from a place where all is known to the end of the stretch
    journal.jsonl    how the table stood at that place, and every entry since
    table.toml       the table file, if it was given

It begins at the last place before the stretch where it is known how everything stood: see
``starts``.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from controller import __version__
from controller.rules.faults import Refused
from controller.technician import logs, past, starts
from controller.technician.logs import Damages, Logged, Run, Wire
from controller.technician.past import Past
from controller.technician.span import Span
from controller.technician.starts import Start
from drivers.wire import devicelog
from drivers.wire.capture import QUIET_S
from drivers.wire.devicelog import Bytes, Clock, Quiet, Remark

FORMAT = 1
#: The last that a wire has of a stretch: it is not the log that ended there.
ENDS = "the cut ends here"
#: What a cut may grow to when it is unpacked.
MAX_BYTES = 1 << 30
#: The same bytes from the same play, whenever it is cut.
_STAMP = (1980, 1, 1, 0, 0, 0)
#: Polls are counted for so long at most, with the last one's answer.
LONGEST_QUIET_US = int(2 * QUIET_S * 1_000_000)
Timed = Bytes | Remark | Clock | Quiet


@dataclass(frozen=True, slots=True)
class Cut:
    manifest: dict[str, Any]
    run: Run
    past: Past
    #: What could not be read; grows while it is.
    damage: Damages
    #: Where it begins; none if that is where felt did.
    start: Start | None
    #: Where it is unpacked, as long as anybody has it.
    folder: _Folder


class _Folder:
    """Goes when nobody looks at it any more."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="felt-cut-"))
        self._gone = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def write(
    file: Path,
    run: Run,
    given: Past,
    span: Span,
    *,
    table: Path | None = None,
    start: Start | None = None,
) -> int:
    """Write a cut; how many records are in it.

    ``start`` is where it begins, if that is not where felt did; ``given`` is from there on.
    """
    last = span.last_entry(run)
    part = replace(
        given, entries=(one for one in given.entries if last is None or one.seq <= last + 1)
    )
    manifest: dict[str, Any] = {
        "felt cut": FORMAT,
        "felt": __version__,
        "table": run.table,
        "run": run.id,
        "span": str(span),
        "wires": {},
        "entries": 0,
    }
    try:
        given_table = table.read_bytes() if table is not None else None
    except OSError as error:
        raise Refused("--table", f"{table} can't be read: {error.strerror}") from None
    # Under another name while it is made: half a cut is none.
    half_done = file.with_name(f"{file.name}.tmp")
    try:
        with zipfile.ZipFile(half_done, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, wire in run.wires.items():
                lines = _put(packed, f"logs/{name}.log", _log(wire, span.until_us, start))
                manifest["wires"][name] = lines - 1
            manifest["entries"] = _put(packed, "journal.jsonl", past.to_text(part)) - 1
            if given_table is not None:
                _put(packed, "table.toml", [given_table])
            _put(packed, "manifest.json", [(json.dumps(manifest, indent=2) + "\n").encode()])
        half_done.replace(file)
    except OSError as error:
        raise Refused(str(file), f"can't be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            half_done.unlink(missing_ok=True)
    return sum(manifest["wires"].values())


def _put(packed: zipfile.ZipFile, name: str, pieces: Iterable[bytes]) -> int:
    """Piece by piece, so that a cut may be longer than the memory; how many they were."""
    member = zipfile.ZipInfo(name, _STAMP)
    member.compress_type = zipfile.ZIP_DEFLATED
    count = 0
    with packed.open(member, "w") as out:
        for count, piece in enumerate(pieces, 1):  # noqa: B007
            out.write(piece)
    return count


def _log(wire: Wire, until_us: int | None, start: Start | None) -> Iterator[bytes]:
    """One section: the parts of a run follow each other without a break."""
    for line in devicelog.lines_of(_records(wire, until_us, start)):
        yield line.encode()


def _records(wire: Wire, until_us: int | None, start: Start | None) -> Iterator[devicelog.Record]:
    yield wire.header
    start_us, _ = wire.first_us
    at_us = 0 if start is None else start.at_us - start_us
    records = starts.beginning(wire, start)
    for one in records:
        if until_us is not None and one.at_us > until_us:
            for over_us, polls in _over_the_end(one, records, until_us):
                at_us = over_us - start_us
                yield moved(polls, at_us)
            yield Remark(max(at_us, 0), "table", ENDS)
            break
        at_us = one.at_us - start_us
        if isinstance(one.record, devicelog.Damage):
            # It can't be taken along; that it was there is not forgotten.
            what = f"{one.file.name}:{one.line} could not be read: {one.record.what}"
            yield Remark(at_us, "gap", what)
        else:
            yield moved(one.record, at_us)


def _over_the_end(
    one: Logged, others: Iterable[Logged], until_us: int
) -> Iterator[tuple[int, Quiet]]:
    """Polls that began before the end and are counted behind it: one record has them all.

    Without it there would be nothing of what felt asked before the end. At a broker each device has
    its own, and others may say something meanwhile.
    """
    for logged in chain((one,), others):
        if logged.at_us > until_us + LONGEST_QUIET_US:
            return
        match logged.record:
            case Quiet(length_us=length_us) as polls if logged.at_us - length_us <= until_us:
                yield logged.at_us, polls
            case Bytes(channel="") | Remark(word="port" | "gap") | devicelog.Damage():
                return


def moved(record: Timed, at_us: int) -> Timed:
    """The record with another time."""
    return record._replace(at_us=at_us)


def is_cut(path: Path) -> bool:
    return path.is_file() and zipfile.is_zipfile(path)


def read(path: Path) -> Cut:
    """What is in a cut, or ``Refused`` with what is wrong with it."""
    folder = _Folder()
    unpack(path, folder.path)
    _check_members(path, folder.path)
    try:
        manifest = json.loads((folder.path / "manifest.json").read_text(encoding="utf-8"))
    except ValueError:
        raise Refused(f"{path}: manifest.json", "is not JSON", "cut it again") from None
    if not isinstance(manifest, dict) or manifest.get("felt cut") != FORMAT:
        raise Refused(str(path), "is a cut of another version", "use the felt that made it")
    found = logs.read([folder.path])
    named = f"{path}: journal.jsonl"
    part = past.of_text((folder.path / "journal.jsonl").read_bytes(), named)
    if len(found.runs) != 1:
        raise Refused(str(path), f"has logs of {len(found.runs)} runs", "cut it again")
    start = starts.of_entry(found.runs[0], part.after)
    return Cut(manifest, found.runs[0], part, found.damage, start, folder)


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """The members of a cut in a folder of their own, as long as they are looked at."""
    with tempfile.TemporaryDirectory(prefix="felt-cut-") as made:
        unpack(path, Path(made))
        _check_members(path, Path(made))
        yield Path(made)


def unpack(path: Path, folder: Path) -> None:
    """The members of a zip file, all into one folder; ``Refused`` if it is damaged or too large."""
    try:
        with zipfile.ZipFile(path) as packed:
            if sum(one.file_size for one in packed.infolist()) > MAX_BYTES:
                raise Refused(str(path), "is too large", f"{MAX_BYTES} bytes at most")
            for one in packed.infolist():
                # By its last name only: nothing is written outside of the folder.
                if not one.is_dir():
                    with (
                        packed.open(one) as source,
                        (folder / Path(one.filename).name).open("wb") as out,
                    ):
                        shutil.copyfileobj(source, out)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, OSError) as error:
        raise Refused(str(path), f"is damaged: {error}", "copy or cut it again") from None


def _check_members(path: Path, folder: Path) -> None:
    for name in ("manifest.json", "journal.jsonl"):
        if not (folder / name).exists():
            raise Refused(str(path), f"has no {name}", "is it a cut? felt log cut makes them")
