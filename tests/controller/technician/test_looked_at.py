"""Logs as they are looked at: by a time that was printed, a line a device, as JSON; and spoiled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli import main
from controller.technician import cut, span
from controller.technician.logs import Run
from controller.technician.sources import opened

LOGS = Path(__file__).parents[2] / "logs"
LOST, MUTE = (LOGS / f"{name}/cut.zip" for name in ("wire-acceptors-lost", "acceptor-1-mute"))


def said(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> list[str]:
    assert main(["log", *map(str, words)]) == code
    return capsys.readouterr().out.splitlines()


# --- Times ------------------------------------------------------------------------


def test_a_time_that_is_printed_can_be_given_back(capsys: pytest.CaptureFixture[str]) -> None:
    """That of a record begins with it; to the second, with the first record of that second."""
    whole = said(capsys, "show", MUTE)
    # The log goes on over it.
    for line in (whole[40], whole[-1]):
        time = line.split()[0]
        found = said(capsys, "show", MUTE, "--from", time)
        assert found == whole[-len(found) :]
        assert found[0].split()[0] == time
        assert said(capsys, "show", MUTE, "--from", time[:8]) == [
            one for one in whole if one.split()[0] >= time[:8]
        ]
        until = said(capsys, "show", MUTE, "--until", time)
        assert until == whole[: len(until)]
        assert until[-1].split()[0] == time


def test_the_heading_of_a_run_can_be_given_back(capsys: pytest.CaptureFixture[str]) -> None:
    heading, *_ = said(capsys, "stats", MUTE)
    started = heading.partition("started ")[2].partition(" (run")[0]
    assert said(capsys, "show", MUTE, "--from", started) == said(capsys, "show", MUTE)


@pytest.mark.parametrize("time", ["24:00:00", "12:60", "1:2:3", "08:25:61"])
def test_what_is_no_time_of_a_day_is_refused(time: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "show", str(MUTE), "--from", time]) == 2
    assert "04:05:06" in capsys.readouterr().err


def test_a_time_after_midnight_is_of_the_next_day() -> None:
    with opened([MUTE]) as found:
        (run,) = found.runs
        run = begun_at(run, 23, 30)
        first_us = min(wire.first_us[0] for wire in run.wires.values())
        stretch = span.of_words(run, "23:45", "00:15")
        assert stretch.from_us == first_us + 15 * 60 * 1_000_000
        assert stretch.until_us == first_us + 45 * 60 * 1_000_000


def begun_at(run: Run, hours: int, minutes: int) -> Run:
    of_day_us = (hours * 60 + minutes) * 60_000_000
    for wire in run.wires.values():
        wire.parts = [one._replace(ahead_us=of_day_us - one.start_us) for one in wire.parts]
    return run


# --- A line a device -------------------------------------------------------------


def test_the_worst_device_is_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    _, headings, *rows = said(capsys, "stats", LOST)
    devices = [" ".join(row.split()[:-6]) for row in rows]
    assert headings.split()[:3] == ["in", "out", "again"]
    assert rows[0].startswith("  acceptor 1")
    again = [row[headings.index("again") : headings.index("again") + 5].strip() for row in rows]
    counts = [int(one or 0) for one in again]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 0
    assert len(set(devices)) == len(rows)
    assert max(map(len, rows)) <= 80


def test_only_a_stretch_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    def frames(*words: str) -> int:
        runs = json.loads("\n".join(said(capsys, "stats", MUTE, "--json", *words)))
        return sum(one["frames_in"] for wire in runs[0]["wires"] for one in wire["devices"])

    whole = frames()
    first, second = frames("--until", "4"), frames("--from", "4.000001")
    assert 0 < first < whole
    assert first + second == whole
    assert 0 < frames("--round", "1") <= whole


# --- For programs ---------------------------------------------------------------


def test_each_record_is_a_line_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    plain = said(capsys, "show", MUTE)
    found = [json.loads(line) for line in said(capsys, "show", MUTE, "--json")]
    assert len(found) == len(plain)
    for one, line in zip(found, plain, strict=True):
        assert one["at"][11:26] == line.split()[0]
        assert (one["wire"], one["word"]) == tuple(line.split()[1:3])
        assert line.endswith(one["said"])
    assert all(bytes.fromhex(one["bytes"]) for one in found if one["word"] in ("in", "out"))


def test_what_two_logs_say_otherwise_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    same = json.loads("\n".join(said(capsys, "diff", MUTE, MUTE, "--json")))
    assert same["same"]
    assert not same["differences"]
    other = json.loads("\n".join(said(capsys, "diff", MUTE, LOST, "--json", code=1)))
    assert not other["same"]
    assert {one["device"] for one in other["differences"]} >= {"acceptor 1"}
    assert max(one["first"]["count"] for one in other["times"]) > 0


# --- Spoiled by an editor ---------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("crlf", "its lines end as on Windows (CR LF)"),
        ("bom", "it begins with a byte order mark (BOM)"),
        ("utf-16", "it is UTF-16"),
    ],
)
def test_a_log_that_was_saved_anew_is_named_as_what_it_is(
    name: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with cut.unpacked(MUTE) as found:
        text = next(found.glob("*.log")).read_text()
    spoiled = {
        "crlf": text.replace("\n", "\r\n").encode(),
        "bom": text.encode("utf-8-sig"),
        "utf-16": text.encode("utf-16"),
    }
    (tmp_path / "a.log").write_bytes(spoiled[name])
    assert main(["log", "show", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert "copy the log again, as bytes" in err
