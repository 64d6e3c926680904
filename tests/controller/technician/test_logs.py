"""Logs as they come: cut short, of another version, with gaps, mixed up. What can be read is."""

from __future__ import annotations

import gzip
import json
import zipfile
from functools import partial
from pathlib import Path

import pytest

from controller.cli import main
from controller.library import Library
from controller.rules.faults import Refused
from controller.technician import cut, logs, past, span
from drivers.wire import messages
from drivers.wire.capture import Capture, Heading
from drivers.wire.devicelog import Bytes, Damage, Remark
from drivers.wire.frame import Packet, Splitter
from drivers.wire.logfiles import Limits
from tests.logs.editing import changed, flipped, has_bytes, unchecked, unpacked
from tests.logs.recording import Case, recorded
from tests.scenarios.stage import Stage

GOLDEN = Path(__file__).parents[2] / "logs" / "shoe-jam" / "cut.zip"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The golden log, unpacked."""
    return unpacked(GOLDEN, tmp_path)


def test_wires_of_one_start_of_felt_belong_together(folder: Path) -> None:
    (run,) = logs.read([folder]).runs
    assert set(run.wires) >= {"shoe", "panel", "shuffler", "acceptors"}
    times = [one.at_us for one in run.records()]
    assert times == sorted(times)
    assert run.wires["shoe"].given["devices"] == ["shoe"]


def records(read: logs.Logs) -> list[object]:
    (run,) = read.runs
    return [one.record for one in run.records()]


def test_a_truncated_last_line_is_named_and_the_rest_is_read(folder: Path) -> None:
    log = folder / "shoe.log"
    whole = len(records(logs.read([log])))
    log.write_bytes(log.read_bytes()[:-7])
    read = logs.read([log])
    lines = log.read_text().count("\n") + 1
    *rest, last = records(read)
    assert len(rest) == whole - 1
    assert isinstance(last, Damage)
    assert read.damage.said() == [f"{log}:{lines}: skipped: cut short"]


def test_damage_is_named_when_somebody_gets_there(folder: Path) -> None:
    """Whoever reads half a log is not told of the other half, although it is read many at once."""
    log = folder / "shoe.log"
    numbers = [n for n, line in enumerate(log.read_text().split("\n"), 1) if has_bytes(line)]
    altered = numbers[5:12:3]
    for number in altered:
        changed(log, flipped, number)
    read = logs.read([log])
    (run,) = read.runs
    for one in run.wires["shoe"].records():
        named = [line for _, line in read.damage.first]
        assert named == [number for number in altered if number <= one.line]


def test_a_compressed_file_that_is_cut_short(folder: Path) -> None:
    packed = folder / "shoe.000001.log.gz"
    packed.write_bytes(gzip.compress((folder / "shoe.log").read_bytes())[:-200])
    read = logs.read([packed])
    assert len(records(read)) > 1
    assert "the compressed file ends too early" in read.damage.said()[-1]


def test_a_section_of_another_version_is_skipped(folder: Path) -> None:
    log = folder / "shoe.log"
    log.write_text(log.read_text() + "# felt device log 99\n      0.000000 in     00\n")
    read = logs.read([log])
    records(read)
    said = read.damage.said()
    assert "a log of another format" in said[0]
    assert "a record before any header" in said[1]


def test_a_clock_that_steps_back_is_named(folder: Path) -> None:
    log = folder / "shoe.log"
    log.write_text(log.read_text() + "      0.000001 note   too early\n")
    read = logs.read([log])
    records(read)
    (said,) = read.damage.said()
    assert "its time is before that of the record above" in said


def test_logs_of_two_tables_are_replayed_each_by_itself(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = unchecked((folder / "panel.log").read_text()).replace("# table: ", "# table: x-", 1)
    (folder / "panel.log").write_text(other)
    assert main(["replay", str(folder)]) == 3
    out = capsys.readouterr().out
    assert "\nx-pa-639a-1, start " in out
    assert "2 pressed" in out.partition("x-pa-639a-1")[2]
    assert "2 pressed" not in out.partition("x-pa-639a-1")[0]


def packed(folder: Path) -> Path:
    """The logs, with what belongs to a cut, as one."""
    made = folder / "packed.zip"
    with zipfile.ZipFile(made, "w") as packed:
        for one in folder.iterdir():
            if one.suffix in (".log", ".json", ".jsonl"):
                packed.write(one, one.name)
    return made


def test_a_gap_ends_the_replay_of_its_wire_and_of_no_other(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing differs, and nobody can say that all is the same."""
    log = folder / "shoe.log"
    lines = unchecked(log.read_text()).splitlines(keepends=True)
    at = lines[40].split()[0]
    lines[40:60] = [f"{at:>14} gap    20 records were lost: the disk was too slow\n"]
    log.write_text("".join(lines))
    assert main(["replay", str(packed(folder)), "--exact"]) == 3
    out = capsys.readouterr().out
    assert "shoe.log:41: shoe: 20 records were lost" in out
    assert "All that could be compared is identical." in out
    assert "identical: " not in out


def test_a_line_that_was_taken_out_is_noticed_at_the_next(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = folder / "acceptors.log"
    lines = log.read_text().splitlines(keepends=True)
    place = next(n for n, text in enumerate(lines) if "; idle" in text)
    del lines[place]
    log.write_text("".join(lines))
    assert main(["replay", str(packed(folder)), "--exact"]) == 1
    out = capsys.readouterr().out
    assert f"acceptors.log:{place + 1}, " in out
    assert "what stood before it" in out


def test_a_wire_whose_log_ends_early_is_compared_up_to_there(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in a copy that was made while felt was writing, or after a power cut."""
    log = folder / "panel.log"
    lines = log.read_text().splitlines(keepends=True)
    place = next(n for n, text in enumerate(lines) if "; event" in text and "'lock_out'" in text)
    log.write_text("".join(lines[:place]) + lines[place][:30])
    assert main(["replay", str(packed(folder)), "--exact"]) == 3
    found = capsys.readouterr()
    assert f"panel.log:{place + 1}: skipped: cut short" in found.err
    assert "panel: its log ends here" in found.out
    assert "All that could be compared is identical." in found.out


def test_a_round_is_found_by_its_marks() -> None:
    found = cut.read(GOLDEN)
    whole = span.of_round(found.run, 1)
    assert whole.from_us is not None
    assert whole.until_us is not None
    assert whole.from_us < whole.until_us
    with pytest.raises(Refused, match="9 is not in these logs"):
        span.of_round(found.run, 9)
    with pytest.raises(Refused, match="no moment"):
        span.of_words(found.run, "yesterday", None)
    assert span.of_words(found.run, "1.5", None).from_us == 1_500_000


def test_a_changed_entry_of_a_cut_is_named(folder: Path) -> None:
    text = (folder / "journal.jsonl").read_bytes()
    # What is read is written again; a table of an earlier felt in today's words.
    again = b"".join(past.to_text(past.of_text(text, "j")))
    assert b"".join(past.to_text(past.of_text(again, "j"))) == again
    assert again.split(b"\n")[1:] == text.split(b"\n")[1:]
    with pytest.raises(Refused, match=r"j:\d+: entry \d+ is not as it was recorded"):
        past.of_text(text.replace(b"lock_out", b"lock_oot"), "j")
    with pytest.raises(Refused, match="j:1: is damaged"):
        past.of_text(b"{", "j")


def test_what_is_no_cut_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cut.zip"
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("../../evil.log", "x")
    with pytest.raises(Refused, match=r"has no manifest\.json"):
        cut.read(file)
    assert not (tmp_path.parent / "evil.log").exists()


def test_show_stats_and_note(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "show", str(GOLDEN), "--wire", "shoe", "--message", "dispense"]) == 0
    assert "dispense round=1" in capsys.readouterr().out
    assert main(["log", "show", str(GOLDEN), "--round", "1", "--only", "in"]) == 0
    assert " out " not in capsys.readouterr().out
    assert main(["log", "stats", "--plots", str(folder)]) == 0
    assert "answers: median" in capsys.readouterr().out
    assert main(["log", "note", str(folder / "shoe.log"), "--text", "cleared the jam"]) == 0
    last = records(logs.read([folder / "shoe.log"]))[-1]
    assert isinstance(last, Remark)
    assert (last.word, last.text) == ("note", "cleared the jam")


def test_redacted_it_says_no_serial_number_and_still_reads(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, log = folder / "redacted.log", folder / "shoe.log"
    # Who a device is stands in what felt wrote down of the wire, too.
    log.write_text(log.read_text() + '99999.000000 state  entry 7 {"serial_number": "SIM-shoe"}\n')
    assert main(["log", "redact", str(log), str(out)]) == 0
    assert "state  (redacted)" in out.read_text()
    assert "SIM-shoe" not in out.read_text()
    assert b"SIM-shoe".hex() not in out.read_text()
    assert "tty-shoe" not in out.read_text()
    read = logs.read([out])
    assert records(read)
    assert not read.damage.said()


def test_redacted_a_frame_in_pieces_says_no_more_than_a_whole_one(tmp_path: Path) -> None:
    """As a system reads it that is busy, or a line that is slow."""
    with cut.unpacked(GOLDEN.parents[1] / "s10-automated-shoe" / "cut.zip") as found:
        whole = (found / "shoe.log").read_text()
    lines: list[str] = []
    for line in whole.splitlines(keepends=True):
        words = line.split()
        if len(words) > 2 and words[1] == "in":
            rest, said = words[2], line.partition("  ; ")[2].strip()
            pieces = [rest[n : n + 14] for n in range(0, len(rest), 14)]
            lines += [f"{words[0]} in {piece}\n" for piece in pieces[:-1]]
            lines.append(f"{words[0]} in {pieces[-1]}" + (f"  ; {said}\n" if said else "\n"))
        else:
            lines.append(line)
    (tmp_path / "whole.log").write_text(whole)
    (tmp_path / "pieces.log").write_text("".join(lines))
    heard = {}
    for name in ("whole", "pieces"):
        out = tmp_path / f"{name}-redacted.log"
        assert main(["log", "redact", str(tmp_path / f"{name}.log"), str(out)]) == 0
        assert "SIM-shoe" not in out.read_text()
        found_in = [one for one in records(logs.read([out])) if isinstance(one, Bytes)]
        heard[name] = b"".join(one.data for one in found_in if one.direction == "in")
        assert b"SIM-shoe" not in heard[name]
    assert heard["pieces"] == heard["whole"]
    dispensed = [
        message.faces
        for packet in Splitter().feed(heard["whole"])
        if isinstance(packet, Packet)
        and isinstance(message := messages.from_bytes(packet.payload), messages.Dispensed)
    ]
    assert dispensed
    assert not any(any(faces) for faces in dispensed)


def test_redacted_half_a_frame_says_nothing(folder: Path, tmp_path: Path) -> None:
    log = folder / "shoe.log"
    lines = log.read_text().splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if b"SIM-shoe".hex() in line)
    data = lines[place].split()[2]
    # The end of it was lost, and the port after it.
    lines[place] = lines[place].partition(" in ")[0] + f" in     {data[:-40]}\n"
    lines.insert(place + 1, lines[place].partition(" in ")[0] + " port   absent, hang-up: gone\n")
    log.write_text("".join(lines))
    out = tmp_path / "redacted-half.log"
    assert main(["log", "redact", str(log), str(out)]) == 0
    assert b"SIM-shoe".hex() not in out.read_text()


def test_the_flights_of_a_journal_are_shown_as_logs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = Case("flight", "", "pa-639a", "automated shoe", {"shoe": "jam@1"})
    recorded(case, tmp_path, Library())
    journal = tmp_path / "state" / "journal.db"
    capsys.readouterr()
    assert main(["log", "show", str(journal)]) == 0
    said = capsys.readouterr().out
    assert "wire shoe: before shoe failed" in said
    assert "fault nature='jam'" in said
    assert main(["log", "show", str(journal), "--only", "in", "--message", "fault"]) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.startswith("entry ")
    assert lines
    assert all(" in " in line for line in lines if not line.startswith("entry "))
    assert main(["log", "show", str(journal), "--round", "9"]) == 2
    assert "no flight in round 9" in capsys.readouterr().err


def test_a_wire_without_a_log_is_said_and_not_called_identical(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "shuffler.log").unlink()
    assert main(["replay", str(packed(folder)), "--exact"]) == 3
    out = capsys.readouterr().out
    assert "there is no log of shuffler (" in out
    assert "identical: " not in out


def test_a_copy_of_a_log_is_read_once(folder: Path) -> None:
    whole = len(records(logs.read([folder])))
    (folder / "shoe again.log").write_bytes((folder / "shoe.log").read_bytes())
    read = logs.read([folder])
    assert len(records(read)) == whole
    (said,) = read.damage.said()
    assert "the same stretch of shoe as in" in said


def test_what_is_no_log_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "page.log").write_text("nothing\n")
    assert main(["replay", str(tmp_path)]) == 2
    assert "no header of a device log is in" in capsys.readouterr().err


def test_a_file_that_is_missing_in_the_middle_is_noticed(tmp_path: Path) -> None:
    now = [0.0]
    heading = Heading("T12", "shoe", "/dev/ttyS0", "0.1.0", "ma", "1770091506000 after entry 0")
    capture = Capture(
        tmp_path,
        heading,
        limits=Limits(file_bytes=2000),
        clock=lambda: now[0],
        utc=lambda: 1e9 + now[0],
    )
    for _ in range(200):
        now[0] += 0.5
        capture.received(b"a card, and another one", now[0])
        capture.flush()
    capture.close()
    files = sorted(tmp_path.iterdir())
    assert len(files) > 5
    assert all(isinstance(one, Bytes) for one in records(logs.read([tmp_path])))
    assert not logs.read([tmp_path]).damage.first
    files[2].unlink()
    read = logs.read([tmp_path])
    (damage,) = [one for one in records(read) if isinstance(one, Damage)]
    assert damage.file == files[3]
    assert "the log before this part is not whole" in damage.what


async def plays(stage: Stage, rounds: int) -> None:
    await stage.performer.plays(rounds)


def test_all_starts_of_felt_are_replayed_and_each_is_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stage = Stage(tmp_path, "s10")
    for number in (1, 2):
        stage.run(partial(plays, stage, number))
    folder = tmp_path / "state" / "logs"
    first, second = logs.read([folder]).runs
    assert main(["replay", str(folder), "--exact"]) == 0
    assert "2 of 2 starts of felt are identical." in capsys.readouterr().out
    # What is altered in the first is found, though the second is whole.
    file = first.wires["panel"].parts[0].file
    place = next(n for n, text in enumerate(file.read_text().split("\n"), 1) if "; event" in text)
    changed(file, flipped, place)
    assert main(["replay", str(folder), "--exact", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["identical"] is False
    assert [(one["run"], one["identical"]) for one in said["runs"]] == [
        (first.id, False),
        (second.id, True),
    ]
    assert said["runs"][0]["difference"]["where"] == f"{file}:{place}"
    # A place is looked for in the start that has it.
    assert main(["replay", str(folder), "--exact", "--from", "round:2"]) == 0
    assert main(["replay", str(folder), "--exact", "--from", "round:1", "--until", "round:1"]) == 1
    assert main(["replay", str(folder), "--exact", "--run", second.id]) == 0
