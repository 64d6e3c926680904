"""A real ``felt run`` beside a real ``felt replay --into``, for tests."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import msgspec

from controller.journal.reader import Reader

#: Only so that a test ends if nobody else does.
ENDS_WITHIN_S = 300.0
#: For felt to do as it had, however busy the machine is.
PATIENCE_S = "120"
#: Said to somebody who has not started felt yet, or whose felt takes long to start.
_REMINDER = "yet: start it, it is waited for"
#: Facts that are made anew each time, or that hang on who happened to be asked first.
_OWN = ("at", "id", "sealed", "number", "serial_numbers")


class Played(NamedTuple):
    code: int
    out: str
    err: str


def played(folder: Path, *words: str | Path) -> Played:
    """Play into ``folder``, where felt runs beside it with the table file that is written there.

    Whether somebody had to be reminded to start it is left out: that is a matter of the machine.
    """
    given = [sys.executable, "-m", "controller", "replay", "--into", str(folder), *map(str, words)]
    if "--patience" not in words:
        given += ["--patience", PATIENCE_S]
    replay = subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    table = folder / "table.toml"
    until = time.monotonic() + ENDS_WITHIN_S
    while not table.exists() or not table.read_text():
        assert replay.poll() is None, replay.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)
    with (folder / "run.log").open("wb") as log:
        service = subprocess.Popen(
            [sys.executable, "-m", "controller", "run", "--config", str(table)],
            stdout=log,
            stderr=log,
        )
    try:
        out, err = replay.communicate(timeout=ENDS_WITHIN_S)
    except subprocess.TimeoutExpired:
        replay.kill()
        raise AssertionError(replay.communicate()) from None
    finally:
        service.terminate()
        service.wait(timeout=ENDS_WITHIN_S)
    assert "Traceback" not in err, err
    said = [line for line in err.splitlines(keepends=True) if _REMINDER not in line]
    return Played(replay.returncode, out, "".join(said))


def taken(journal: Path) -> Counter[str]:
    """What a table took, without the times and the names that each run gives."""
    found: Counter[str] = Counter()
    with Reader.look(journal) as reader:
        for entry in reader.entries(1):
            if entry.kind == "event":
                facts = msgspec.json.decode(entry.body)
                for name in _OWN:
                    facts.pop(name, None)
                found[msgspec.json.encode(facts, order="sorted").decode()] += 1
    return found
