"""A cut from the field becomes a test: it must replay identically from now on.

Or it must differ at one place from now on: what felt did there in the field was wrong, and has been
repaired. Then that difference is what is expected.

    tests/logs/NAME/cut.zip        the play
    tests/logs/NAME/expected.json  the outcome, what the case is for, and the digest of the cut

Who replaces a cut must say why: the digest no longer fits, and the suite asks for the reason.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from controller.library import Library
from controller.rules.faults import Refused
from controller.technician import cut
from controller.technician.lateness import LATE_S
from controller.technician.outcome import Difference, Outcome
from controller.technician.replaying import Replayer

CUT, EXPECTED = "cut.zip", "expected.json"
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def promote(
    file: Path, name: str, because: str, into: Path, library: Library, *, differs: bool = False
) -> Path:
    """Keep a cut as a case. ``Refused`` if it is none: it is identical today, or ``differs``."""
    if not _NAME.fullmatch(name):
        raise Refused("--case", f"{name!r} is no name for a case", "jam-in-the-shoe")
    if not because.strip():
        raise Refused("--because", "says nothing", "what is this case for?")
    late_s, outcome = _replayed(file, library)
    if differs and outcome.difference is None:
        raise Refused("--differs", f"{file} does not", "leave it out")
    if outcome.damage is not None or outcome.gaps:
        place = outcome.damage.where if outcome.damage else outcome.gaps[0]
        raise Refused(str(file), f"is not whole: {place}", "cut it from whole logs")
    if outcome.difference is not None and not differs:
        where = f"{outcome.difference.where}: {outcome.difference.what}"
        step = "repair felt first; or --differs, if felt was wrong then and is right now"
        raise Refused(str(file), f"does not replay identically: {where}", step)
    folder = into / name
    reasons = [*_reasons(folder), because.strip()]
    said = {"because": reasons, "sha256": digest(file), "late_s": late_s, **counted(outcome)}
    if outcome.difference is not None:
        said["difference"] = _told(outcome.difference)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, folder / CUT)
        (folder / EXPECTED).write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise Refused(str(folder), f"can't be written: {error.strerror}") from None
    return folder


def _replayed(file: Path, library: Library) -> tuple[float, Outcome]:
    """How late felt must be allowed to have been, and what came of it."""
    found = cut.read(file)
    for late_s in (0.0, LATE_S):
        outcome = Replayer(found.run, found.past, library, late_s=late_s, start=found.start).run()
        if outcome.identical:
            break
    return late_s, outcome


def _told(difference: Difference) -> dict[str, str]:
    """Where it is, by the name of the log in the cut, and what it is."""
    return {
        "where": Path(difference.where).name,
        "what": difference.what,
        "recorded": difference.recorded,
        "replayed": difference.replayed,
    }


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
    expected_there: dict[str, str] | None = said.get("difference")
    there = None if outcome.difference is None else _told(outcome.difference)
    if outcome.damage is not None or there != expected_there:
        return list(_unlike(expected_there, outcome.first))
    return [
        f"{name}: {said.get(name)} were expected, {count} came"
        for name, count in counted(outcome).items()
        if said.get(name) != count
    ]


def _unlike(expected: dict[str, str] | None, found: Difference | None) -> Iterator[str]:
    if expected is not None:
        yield f"{expected['where']}: a difference was expected here: {expected['what']}"
    if found is None:
        yield "it is identical"
    else:
        yield f"{found.where}: {found.what}"
        yield f"  recorded: {found.recorded}"
        yield f"  replayed: {found.replayed}"
