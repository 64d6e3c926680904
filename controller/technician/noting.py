"""A technician's note in the log of a wire, also while felt writes it.

felt keeps the last moments in memory and writes them a little later, with their own times. So a
note in a log that is alive gets the time of the last record before it: nothing that is written
after it is older.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from controller.rules.faults import Refused, listed
from controller.technician import logs, sources
from controller.technician.hearing import Names
from drivers.wire import devicelog, logreading
from drivers.wire.devicelog import Damage, Header

#: As long as a note may be, in characters.
MAX_TEXT = 2000
#: A log is alive if something was said in it within so many seconds; felt holds nothing longer.
ALIVE_S = 10.0
_NEXT = "name the log that is being written, or its folder"


def note(
    paths: list[Path],
    text: str,
    wires: Iterable[str] | None = None,
    devices: Iterable[str] | None = None,
) -> list[Path]:
    """Write it into the newest log of each wire that is meant; where that was.

    A note that is of a device begins with its name.
    """
    if not text.strip():
        raise Refused("--text", "says nothing", "say what was done")
    if len(text) > MAX_TEXT:
        raise Refused("--text", f"is too long: {len(text)} characters", f"{MAX_TEXT} at most")
    newest = _newest(paths)
    known = {name: Names(wire) for name, (_, wire) in newest.items()}
    named, meant = set(wires or ()), list(devices or ())
    if strange := sorted(named - known.keys()):
        raise Refused("--wire", f"there is no {strange[0]!r}", listed(sorted(known)))
    notes: list[tuple[str, str]] = []
    for device in meant:
        on = [name for name in known if device in known[name].all]
        if not on:
            all_ = sorted(one for names in known.values() for one in names.all)
            raise Refused("--device", f"there is no {device!r}", listed(all_) or "none is named")
        notes += [(name, f"{device}: {text}") for name in on if not named or name in named]
    if not meant:
        notes = [(name, text) for name in known if not named or name in named]
    for name, said in notes:
        _write(newest[name][0], said)
    return [newest[name][0] for name, _ in notes]


def _newest(paths: list[Path]) -> dict[str, tuple[Path, logs.Wire]]:
    """By wire, the last file that is not compressed yet, and what its last section says."""
    found: dict[str, tuple[Path, logs.Wire]] = {}
    for path in sources.files(paths):
        if path.suffix != ".log":
            continue
        for run in logs.read([path]).runs:
            for name, wire in run.wires.items():
                found[name] = (path, wire)
    if not found:
        raise Refused("logs", "no log is being written there", _NEXT)
    return found


def _write(path: Path, text: str) -> None:
    start, last_us = 0.0, 0
    for record in logreading.read_records(path):
        if isinstance(record, Header):
            start, last_us = _seconds(record.fact("monotonic")), 0
        elif not isinstance(record, Damage):
            last_us = record.at_us
    # By the clock of the log, if this is the PC that wrote it and it has not started since.
    now_us = round((time.monotonic() - start) * 1e6)
    at_us = now_us if now_us - last_us > ALIVE_S * 1e6 else last_us
    line = devicelog.remark_line(at_us, "note", text).encode()
    try:
        with path.open("a+b") as file:
            file.seek(0, 2)
            size = file.tell()
            file.seek(max(size - 1, 0))
            # Whoever wrote last was cut off in the middle of a line.
            file.write(line if file.read(1) in (b"\n", b"") else b"\n" + line)
    except OSError as error:
        step = "write it as root, or as the user that felt runs as"
        raise Refused(str(path), f"can't be written: {error.strerror}", step) from None


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
