"""A replay does what was recorded; where it would do something else, that is found and named."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from controller.cli import main
from controller.journal.entry import Entry
from controller.journal.reader import Reader
from controller.library import Library
from controller.technician import cut, logs, past
from controller.technician.cut import Cut
from controller.technician.logs import Logged
from controller.technician.outcome import Outcome
from controller.technician.replaying import Replayer
from drivers.wire import devicelog
from drivers.wire.devicelog import Bytes, Quiet
from simulators.virtual_time import VirtualTimeLoop
from tests.logs.editing import flipped
from tests.logs.recording import HERE, Case, recorded

LIBRARY = Library()
GOLDEN = HERE / "shoe-jam" / "cut.zip"


def replayed(found: Cut, secrets: Path | None = None) -> Outcome:
    return Replayer(found.run, found.past, LIBRARY, secrets=secrets, late_s=0).run()


def test_with_the_keys_every_byte_is_the_same(tmp_path: Path) -> None:
    case = Case("keyed", "tags too", "pa-639a", "automated shoe", {"wire acceptors": "lost=0.05"})
    found = cut.read(recorded(case, tmp_path, LIBRARY))
    outcome = replayed(found, tmp_path / "secrets")
    assert outcome.difference is None
    assert outcome.remarks == []
    other = tmp_path / "secrets/shoe.key"
    other.write_text("00" * 32)
    assert replayed(found, tmp_path / "secrets").difference is not None


def test_without_keys_it_says_that_tags_were_not_checked() -> None:
    outcome = replayed(cut.read(GOLDEN))
    assert outcome.identical
    assert outcome.remarks == ["tags not checked: no keys were given"]
    assert outcome.from_devices


def with_another_entry(old: bytes, new: bytes) -> tuple[Outcome, Entry]:
    """The first entry of the journal that has it says something else."""
    found = cut.read(GOLDEN)
    entries = list(found.past.entries)
    place = next(n for n, one in enumerate(entries) if old in one.body)
    changed = entries[place]._replace(body=entries[place].body.replace(old, new))
    entries[place] = changed
    return replayed(replace(found, past=replace(found.past, entries=tuple(entries)))), changed


def test_a_decision_that_is_another_one_is_named_with_its_entry() -> None:
    outcome, changed = with_another_entry(b"unlock", b"lock")
    assert outcome.difference is not None
    assert f"entry {changed.seq - 1}, " in outcome.difference.what
    assert "decided otherwise" in outcome.difference.what
    assert outcome.difference.recorded == changed.body.decode()


def test_an_event_that_no_device_said_is_named() -> None:
    outcome, _ = with_another_entry(b'"shoe:1:', b'"shoe:1:9')
    assert outcome.difference is not None
    assert outcome.difference.what == "a device's event is another one"


def test_the_exit_code_says_whether_it_is_identical(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(GOLDEN), "--exact", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["identical"]
    assert main(["replay", str(GOLDEN), "--exact", "--until", "entry:20", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["records"] < said["records"]
    assert main(["replay", str(GOLDEN), "--speed", "backwards"]) == 2
    assert "is no speed" in capsys.readouterr().err


def killed(folder: Path, after_s: float) -> Outcome:
    """felt is killed so long after the deal was pressed; the panel's log ends before that."""
    case = Case("killed", "a round", "pa-639a", "automated shoe")
    recorded(case, folder, LIBRARY)
    (run,) = logs.read([folder / "state/logs"]).runs
    pressed = next(
        one.at_us
        for one in run.wires["panel"].records()
        if isinstance(one.record, Bytes) and "button='deal'" in one.record.comment
    )
    last = dict.fromkeys(run.wires, pressed + round(after_s * 1e6))
    last["panel"] = pressed
    for name, wire in run.wires.items():
        (part,) = wire.parts
        left_out = {one.line for one in wire.records() if one.at_us >= last[name]}
        lines = part.file.read_text().splitlines(keepends=True)
        kept = [text for number, text in enumerate(lines, 1) if number not in left_out]
        part.file.write_text("".join(kept))
    (run,) = logs.read([folder / "state/logs"]).runs
    with Reader.look(folder / "state/journal.db") as reader:
        before = past.of_journal(reader, LIBRARY, run.after_entry)
        return Replayer(run, before, LIBRARY, secrets=folder / "secrets").run()


def test_what_a_log_had_no_time_to_write_is_taken_from_the_journal(tmp_path: Path) -> None:
    outcome = killed(tmp_path, 0.05)
    assert outcome.difference is None
    said = "panel: the end of its log was never written, as felt did not end in order"
    assert outcome.remarks == [said]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played")
    recorded(Case("whole", "a round", "pa-639a", "automated shoe"), folder, LIBRARY)
    return folder / "state"


def test_a_sign_tells_the_table_nothing_and_is_missed_all_the_same(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = shutil.copytree(played, tmp_path / "state")
    assert main(["replay", str(state / "logs"), "--exact"]) == 0
    log = state / "logs/sign.000001.log"
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[: len(lines) * 2 // 3]))
    assert main(["replay", str(state / "logs"), "--exact"]) == 3
    said = capsys.readouterr().out
    assert f"{log}:{len(lines) * 2 // 3}: sign: its log ends here, before the others do" in said
    log.unlink()
    assert main(["replay", str(state / "logs"), "--exact"]) == 3
    assert "there is no log of the wire sign" in capsys.readouterr().out


def test_a_log_that_ends_long_before_the_others_is_not_identical(tmp_path: Path) -> None:
    outcome = killed(tmp_path, 5.0)
    assert not outcome.identical
    (gap,) = outcome.gaps
    assert "panel: its log ends here" in gap


def held_up(folder: Path, for_s: float, *wires: str) -> Outcome:
    """In the middle of a round nothing happened for a while: on these wires, or on any."""
    found = cut.read(
        recorded(Case("late", "a round", "pa-639a", "automated shoe"), folder, LIBRARY)
    )
    run = found.run
    counted = [
        (one.at_us - one.record.length_us, one.at_us)
        for one in run.records()
        if isinstance(one.record, Quiet)
    ]
    sent = [
        one.at_us
        for one in run.wires["shoe"].records()
        if isinstance(one.record, Bytes) and one.record.direction == "out"
    ]
    at_us = next(at for at in sent[len(sent) // 2 :] if not any(a <= at <= b for a, b in counted))
    for name in wires or run.wires:
        wire = run.wires[name]
        (part,) = wire.parts
        start_us, _ = wire.first_us
        lines = [devicelog.header_line(wire.header)]
        for one in wire.records():
            later = round(for_s * 1e6) if one.at_us >= at_us else 0
            assert not isinstance(one.record, devicelog.Damage)
            lines.append(devicelog.line_of(cut.moved(one.record, one.at_us - start_us + later)))
        part.file.write_text("".join(lines))
    return Replayer(run, found.past, LIBRARY).run()


def test_a_felt_that_came_to_nothing_at_all_was_held_up(tmp_path: Path) -> None:
    assert held_up(tmp_path, 0.6).difference is None


@pytest.mark.parametrize("for_s", [0.6, 4.0])
def test_a_felt_that_did_something_else_meanwhile_was_not(for_s: float, tmp_path: Path) -> None:
    assert held_up(tmp_path, for_s, "shoe").difference is not None


@pytest.mark.parametrize("at_s", [3.0, 4.0, 5.3])
def test_a_pc_that_stood_still_for_seconds_in_the_middle_of_a_round(
    at_s: float, tmp_path: Path
) -> None:
    def stands_still() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        loop.call_later(at_s, loop.advance, 3.0)

    case = Case("choked", "a round", "pa-639a", "automated shoe")
    found = cut.read(recorded(case, tmp_path, LIBRARY, stands_still))
    outcome = Replayer(found.run, found.past, LIBRARY).run()
    assert outcome.difference is None
    assert outcome.from_devices > 10


def test_one_wire_alone_is_replayed_with_the_journal(tmp_path: Path) -> None:
    found = cut.read(GOLDEN)
    alone = replace(found.run, wires={"shoe": found.run.wires["shoe"]})
    outcome = Replayer(alone, found.past, LIBRARY, late_s=0).run()
    assert outcome.difference is None
    assert 0 < outcome.from_devices < outcome.events


def test_a_note_that_was_written_a_day_later_changes_nothing() -> None:
    found = cut.read(GOLDEN)
    (part,) = found.run.wires["shoe"].parts
    with part.file.open("ab") as file:
        file.write(devicelog.remark_line(86_400_000_000, "note", "cleaned").encode())
    assert replayed(found).difference is None


def quiet_cut(folder: Path) -> Cut:
    """A round in which people take their time, so that there are quiet stretches."""
    case = Case("quiet", "a slow round", "pa-639a", "automated shoe")
    return cut.read(recorded(case, folder, LIBRARY))


def altered(found: Cut, wire: str, holding: str, change: Callable[[str], str]) -> int:
    """Change the middle one of the lines that have this; which line it was."""
    (part,) = found.run.wires[wire].parts
    lines = part.file.read_text().split("\n")
    places = [n for n, text in enumerate(lines) if holding in text]
    place = places[len(places) // 2]
    lines[place] = change(lines[place])
    part.file.write_text("\n".join(lines))
    return place + 1


def test_polls_that_were_only_counted_replay_as_well(tmp_path: Path) -> None:
    found = quiet_cut(tmp_path)
    counted = [one.record for one in found.run.records() if isinstance(one.record, Quiet)]
    assert sum(one.polls for one in counted) > len(counted) > 5
    outcome = replayed(found)
    assert outcome.difference is None
    assert replayed(found, tmp_path / "secrets").difference is None


def test_a_changed_count_of_polls_is_named_at_its_record(tmp_path: Path) -> None:
    found = quiet_cut(tmp_path)
    line = altered(found, "acceptors", " quiet ", lambda text: text.replace("x #", "x #1", 1))
    outcome = replayed(found)
    assert not outcome.identical
    assert outcome.damage is not None
    assert outcome.damage.where.endswith(f"acceptors.log:{line}")
    assert "not as it was written" in outcome.damage.what


def test_a_count_that_is_left_out_is_found_at_the_next_record(tmp_path: Path) -> None:
    found = quiet_cut(tmp_path)
    line = altered(found, "acceptors", " quiet ", lambda text: "#")
    outcome = replayed(found)
    assert outcome.damage is not None
    assert outcome.damage.where.endswith(f"acceptors.log:{line + 1}")


def test_a_record_that_can_not_be_read_is_never_called_identical(tmp_path: Path) -> None:
    """What follows on its wire is left out; the other wires are compared to their end."""
    found = quiet_cut(tmp_path)
    line = altered(found, "panel", "; event", lambda text: text.replace(" in ", " on ", 1))
    outcome = replayed(found)
    assert outcome.difference is None
    assert outcome.damage is not None
    assert outcome.damage.where.endswith(f"panel.log:{line}")
    assert "not as it was written" in outcome.damage.what
    assert outcome.from_devices > 10
    assert not outcome.identical


@pytest.mark.parametrize("kind", ["result", "event", "idle", "identity"])
def test_one_byte_of_what_a_device_said_is_named_at_its_record(tmp_path: Path, kind: str) -> None:
    """Whatever comes of it, and on whichever wire."""
    found = quiet_cut(tmp_path)
    line = altered(found, "acceptors", f"; {kind} ", flipped)
    outcome = replayed(found)
    assert outcome.first is not None
    assert outcome.first.where.endswith(f"acceptors.log:{line}")
    # From there on its devices seem mute, which is no difference of felt's.
    assert outcome.difference is None


@pytest.mark.slow
def test_a_log_is_read_as_it_is_needed(tmp_path: Path) -> None:
    """What is kept of a log in memory does not grow with it: no more than is read in one go."""
    seen = [0]
    most = [0]

    def watch(_: Logged) -> None:
        seen[0] += 1
        if seen[0] % 100 == 0:
            most[0] = max(most[0], sum(isinstance(one, Logged) for one in gc.get_objects()))

    case = Case("long", "several rounds", "pa-639a", "automated shoe")
    long = recorded(case, tmp_path, LIBRARY, rounds=120)
    # What was there before, of all other tests, is not looked through at every record.
    gc.collect()
    gc.freeze()
    try:
        found = cut.read(long)
        replayer = Replayer(found.run, found.past, LIBRARY, watch=watch, start=found.start)
        assert replayer.run().identical
    finally:
        gc.unfreeze()
    assert seen[0] > 20_000
    assert 0 < most[0] < seen[0] / 5


def test_one_event_at_a_time_with_what_came_of_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    entered = iter(["\n", "\n", "q\n"])
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(entered)))
    found = cut.read(GOLDEN)
    place = next(one.seq for one in found.past.entries if b"lock_out_pressed" in one.body)
    assert main(["replay", str(GOLDEN), "--exact", "--step", "--from", f"entry:{place}"]) == 0
    out = capsys.readouterr().out
    assert "pressed button='lock_out'" in out
    assert '"kind":"lock_out_pressed"' in out
    assert 'table    phase: "betting" > "locked"' in out
    assert 'orders   {"kind":"lock"' in out
    assert out.count("\n  event ") == 3
