"""A replay begins in the middle on wires that are not felt's own serial line, too."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.daemon import waypoints
from controller.journal.reader import Reader
from controller.library import Library
from controller.replay import Replay
from controller.technician import logs, past, starts
from controller.technician.logs import Run
from controller.technician.outcome import Outcome
from controller.technician.replaying import Replayer, Seam
from controller.technician.starts import Start
from drivers.wire.devicelog import Bytes
from tests.controller.technician.test_rebrokered import at_broker, recorded_dialects
from tests.logs.editing import unchecked

LIBRARY = Library()


@contextmanager
def often(every_s: float = 0.5) -> Iterator[None]:
    """Places to begin are written all the time, and not every few minutes."""
    before = waypoints.EVERY_S
    waypoints.EVERY_S = every_s
    try:
        yield
    finally:
        waypoints.EVERY_S = before


def run_of(state: Path) -> Run:
    (run,) = logs.read([state / "logs"]).runs
    return run


def all_starts(run: Run) -> list[Start]:
    """The last one first."""
    found: list[Start] = []
    at_us = 1 << 60
    while (start := starts.latest(run, at_us)) is not None:
        found.append(start)
        at_us = start.at_us - 1
    return found


def replayed_from(state: Path, start: Start, keys: Path | None = None) -> Outcome:
    with Reader.look(state / "journal.db") as reader:
        before = past.of_journal(reader, LIBRARY, start.entry)
        return Replayer(run_of(state), before, LIBRARY, secrets=keys, start=start).run()


def apart(state: Path, start: Start) -> str:
    """How a replay from felt's own start stands there otherwise than as it is written."""
    run = run_of(state)
    with Reader.look(state / "journal.db") as reader:
        before = past.of_journal(reader, LIBRARY, run.after_entry)
        table = Replay(reader, LIBRARY).at(start.entry).table
        seams = [Seam(start, lambda: table)]
        keys = state.parent / "secrets"
        replayer = Replayer(run, before, LIBRARY, secrets=keys, seams=seams)
        replayer.run()
    assert (replayer.joined is None) == bool(replayer.apart)
    return replayer.apart.get(start.entry, "")


def replays_from_everywhere(state: Path) -> list[Outcome]:
    run = run_of(state)
    found = all_starts(run)
    assert len(found) > 2
    outcomes = []
    for start in found:
        assert set(start.wires) == set(run.wires)
        outcome = replayed_from(state, start, state.parent / "secrets")
        assert outcome.difference is None
        assert [one for one in outcome.remarks if not one.startswith("begins at")] == []
        assert replayed_from(state, start).frames == outcome.frames
        outcomes.append(outcome)
    assert {start.entry: why for start in found if (why := apart(state, start))} == {}
    return outcomes


def altered(state: Path, wire: str, place: int, change: Callable[[str], str]) -> str:
    """Change one line of a wire's log, counted from 0; where that is."""
    (file,) = (state / "logs").glob(f"{wire}.*.log")
    lines = unchecked(file.read_text()).split("\n")
    lines[place] = change(lines[place])
    file.write_text("\n".join(lines))
    return f"{file}:{place + 1}"


# --- A broker -------------------------------------------------------------------


@pytest.fixture(scope="module")
def brokered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A round with terminals and sign at the broker inside felt; not to be changed."""
    with often():
        return at_broker(tmp_path_factory.mktemp("brokered"))


def test_a_broker_replays_from_the_middle(brokered: Path) -> None:
    outcomes = replays_from_everywhere(brokered)
    # The first place is at the end of the list: what terminals said since came out of the bytes.
    assert outcomes[-1].from_devices > outcomes[0].from_devices
    with Reader.look(brokered / "journal.db") as reader:
        entry = all_starts(run_of(brokered))[-1].entry
        said = sum(b'"id":"terminal-' in one.body for one in reader.entries(entry + 1))
    assert said
    assert outcomes[-1].from_devices >= said


def test_there_is_no_key_in_what_is_remembered_of_a_broker(brokered: Path) -> None:
    text = (brokered / "logs" / "broker.000001.log").read_text()
    assert text.count(" state ") > 2
    keys = [file.read_text().strip() for file in (brokered.parent / "secrets").glob("*.key")]
    assert len(keys) > 5
    assert not any(key in text for key in keys)


@pytest.mark.parametrize(
    ("direction", "old", "new"),
    [
        ("out", b'"message":"unlock"', b'"message":"lock"'),
        ("out", b'"kind":"poll"', b'"kind":"pole"'),
        ("in", b'"cents":50000', b'"cents":60000'),
    ],
)
def test_what_was_changed_after_the_middle_is_found(
    brokered: Path, tmp_path: Path, direction: str, old: bytes, new: bytes
) -> None:
    state = tmp_path / "state"
    shutil.copytree(brokered, state)
    run = run_of(state)
    last_us, line = max(
        (one.at_us, one.line)
        for one in run.wires["broker"].records()
        if isinstance(one.record, Bytes) and one.record.direction == direction
        and old in one.record.data
    )  # fmt: skip
    start = starts.latest(run, last_us)
    assert start is not None
    where = altered(state, "broker", line - 1, lambda text: text.replace(old.hex(), new.hex(), 1))
    found = replayed_from(state, start).difference
    assert found is not None
    if direction == "out":
        assert found.where == where
    else:
        assert found.what == "a device's event is another one"


# --- Devices off the shelf ------------------------------------------------------


async def test_modbus_and_cctalk_replay_from_the_middle(tmp_path: Path) -> None:
    state = await recorded_dialects(tmp_path)
    await asyncio.to_thread(_replays_dialects, state)


def _replays_dialects(state: Path) -> None:
    outcomes = replays_from_everywhere(state)
    first = all_starts(run_of(state))[-1]
    with Reader.look(state / "journal.db") as reader:
        bodies = [one.body for one in reader.entries(first.entry + 1) if one.kind == "event"]
    for device in ("panel", "acceptor-"):
        assert any(b'"id":"%s' % device.encode() in body for body in bodies)
    # Nobody acted: what has an id was said by a device, and came out of the bytes.
    assert outcomes[-1].from_devices >= sum(b'"id":"' in body for body in bodies)
    # A request that was another one is found at its record, from there too.
    for wire in ("panel", "acceptors"):
        whole = {file: file.read_text() for file in (state / "logs").iterdir()}
        later = [one.line for one in run_of(state).wires[wire].records()
                 if isinstance(one.record, Bytes) and one.record.direction == "out"
                 and one.at_us > first.at_us]  # fmt: skip
        where = altered(state, wire, later[len(later) // 2] - 1, _with_another_bit)
        found = replayed_from(state, first).difference
        assert found is not None
        assert found.where == where
        for file, text in whole.items():
            file.write_text(text)


def _with_another_bit(line: str) -> str:
    data = line.rsplit(maxsplit=1)[-1]
    return line.replace(data, f"{int(data[:2], 16) ^ 1:02x}{data[2:]}")
