"""Every reference device is certified: nothing of a duty is missing, whatever the grade is called.

How long an answer takes is the machine's as much as the device's: what is measured has no say here.
"""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs import reference
from tests.docs.reference import KINDS
from tests.drivers.wire.mosquitto import Mosquitto

pytestmark = pytest.mark.slow

#: Sentences with a time in them, of which a busy machine may make anything.
MEASURED = frozenset({"link.in-time", "link.again", "every.safe", "power.watchdog"})
TERMINAL = reference.SOURCE / "terminal" / "terminal.py"
#: What a part on a desk has no sensor, no screen or no player for.
NOT_FOR_IT = {
    "shoe": {"shoe.faces", "shoe.face_up_card"},
    "shuffler": {"shuffler.hands"},
    "acceptor": {"acceptor.chips_returned"},
    "panel": set[str](),
    "terminal": set[str](),
}


async def _certified(folder: Path, kind: str, *words: str | Path, start: str) -> dict[str, Any]:
    report = folder / f"{kind}.json"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "controller", "certify", kind, *map(str, words)),
        *("--start", start, "--report", str(report), "--seat", "1"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, errors = await process.communicate()
    assert report.exists(), said.decode() + errors.decode()
    found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return found


def _is_right(kind: str, report: dict[str, Any]) -> None:
    checks = {one["id"]: one for one in report["checks"]}
    assert len(checks) > 50
    bad = {
        id_: (one["verdict"], one.get("found"))
        for id_, one in checks.items()
        if one["verdict"] in ("failed", "not tried") and id_ not in MEASURED
    }
    assert bad == {}
    left = {id_ for id_, one in checks.items() if one["verdict"] == "not for it"}
    assert left <= NOT_FOR_IT[kind]


async def test_those_in_c_are_certified(tmp_path: Path) -> None:
    """All at once: most of the time they wait."""
    programs = reference.built()

    async def one(kind: str) -> None:
        port, program = tmp_path / f"tty-{kind}", programs / f"felt-{kind}"
        start = [program, "--port", port, "--memory", tmp_path / f"{kind}.memory"]
        report = await _certified(
            tmp_path,
            kind,
            *("--port", port, "--firmware", program),
            start=shlex.join(map(str, start)),
        )
        _is_right(kind, report)

    async with asyncio.TaskGroup() as tasks:
        for kind in KINDS:
            tasks.create_task(one(kind))


async def test_the_terminal_is_certified_at_a_broker(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    broker.start()
    firmware = tmp_path / "firmware"
    files = sorted(TERMINAL.parent.glob("*.py"))
    firmware.write_bytes(b"".join(one.read_bytes() for one in files))
    at = f"{broker.host}:{broker.port}"
    start = [sys.executable, TERMINAL, "--broker", at, "--table", "bench"]
    start += ["--name", "terminal 1", "--memory", tmp_path / "terminal.memory"]
    try:
        report = await _certified(
            tmp_path,
            "terminal",
            *("--mqtt", at, "--table", "bench", "--wager", "five_card_player"),
            *("--firmware", firmware, "--kill"),
            start=shlex.join(map(str, start)),
        )
    finally:
        broker.kill()
    _is_right("terminal", report)
