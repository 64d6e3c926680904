"""A cut from the field becomes a test: it must replay identically from now on.

    tests/logs/NAME/cut.zip        the play
    tests/logs/NAME/expected.json  the outcome, what the case is for, and the digest of the cut

Who replaces a cut must say why: the digest no longer fits, and the suite asks for the reason.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

from controller.library import Library
from controller.rules.faults import Refused
from controller.technician import cut
from controller.technician.outcome import Outcome
from controller.technician.replaying import LATE_S, Replayer

CUT, EXPECTED = "cut.zip", "expected.json"
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def promote(file: Path, name: str, because: str, into: Path, library: Library) -> Path:
    """Keep a cut as a case. ``Refused`` if it is no case: it must be identical today."""
    if not _NAME.fullmatch(name):
        raise Refused("--case", f"{name!r} is no name for a case", "jam-in-the-shoe")
    if not because.strip():
        raise Refused("--because", "says nothing", "what is this case for?")
    found = cut.read(file)
    for late_s in (0.0, LATE_S):
        outcome = Replayer(found.run, found.past, library, late_s=late_s, start=found.start).run()
        if outcome.identical:
            break
    else:
        difference = outcome.first
        where = f"{difference.where}: {difference.what}" if difference else outcome.gaps[0]
        raise Refused(str(file), f"does not replay identically: {where}", "repair felt first")
    folder = into / name
    reasons = [*_reasons(folder), because.strip()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, folder / CUT)
        said = {"because": reasons, "sha256": digest(file), "late_s": late_s, **counted(outcome)}
        (folder / EXPECTED).write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise Refused(str(folder), f"can't be written: {error.strerror}") from None
    return folder


def _reasons(folder: Path) -> list[str]:
    """Why the case was made, and why it was changed since."""
    try:
        found = json.loads((folder / EXPECTED).read_text(encoding="utf-8"))["because"]
    except (OSError, ValueError, KeyError):
        return []
    return [str(one) for one in found]


def counted(outcome: Outcome) -> dict[str, int]:
    return {
        "records": outcome.records,
        "frames": outcome.frames,
        "events": outcome.events,
        "from_devices": outcome.from_devices,
    }


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def wrong(folder: Path, library: Library) -> list[str]:
    """What is wrong with a case: nothing if it replays as it should."""
    expected, file = folder / EXPECTED, folder / CUT
    missing = [str(one) for one in (expected, file) if not one.exists()]
    if missing:
        return [f"{one} is missing: promote the cut again, or remove the case" for one in missing]
    said: dict[str, Any] = json.loads(expected.read_text(encoding="utf-8"))
    if said["sha256"] != digest(file):
        return [f"{file} is not the one that was promoted: promote it with the reason"]
    if not said["because"]:
        return [f"{expected} does not say what the case is for"]
    found = cut.read(file)
    late_s = float(said["late_s"])
    outcome = Replayer(found.run, found.past, library, late_s=late_s, start=found.start).run()
    if (difference := outcome.first) is not None:
        return [
            f"{difference.where}: {difference.what}",
            f"  recorded: {difference.recorded}",
            f"  replayed: {difference.replayed}",
        ]
    return [
        f"{name}: {said.get(name)} were expected, {count} came"
        for name, count in counted(outcome).items()
        if said.get(name) != count
    ]
