"""``felt replay --continue-with-simulator``: a difference, and the round played on from there."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controller.cli import main
from controller.daemon import waypoints
from controller.demo.onward import journal_in
from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.journal.entry import CHECKPOINT
from controller.journal.reader import Reader
from controller.journal.verifier import verify
from controller.library import Library, shipped
from controller.recalling import recalled
from controller.tables import read_file
from controller.technician import cut, logs, past
from controller.technician.cut import Cut
from controller.technician.span import Span
from simulators import virtual_time
from tests.logs.editing import unchecked
from tests.logs.recording import Case, recorded

LIBRARY = Library()
FLAG = "--continue-with-simulator"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A round that was recorded, by rulebook and method."""

    @cache
    def made(book: str, method: str) -> Cut:
        folder = tmp_path_factory.mktemp("recorded")
        return cut.read(recorded(Case("", "", book, method), folder, LIBRARY))

    return made


def changed(found: Cut, to: Path, rule: str, other: str) -> Path:
    """The same record, for a felt that plays by another rule."""
    data = found.past.data.decode()
    # A rulebook is a text within the entry of the terms, the table file is the entry itself.
    if data.count(rule) != 1:
        rule, other = (json.dumps(text)[1:-1] for text in (rule, other))
    assert data.count(rule) == 1
    by_another = replace(found.past, data=data.replace(rule, other).encode())
    cut.write(to, found.run, by_another, Span(), start=found.start)
    return to


def continued(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["replay", *words, "--exact", FLAG, "--json"]) == 1
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert not said["identical"]
    return said


def parts(said: dict[str, Any]) -> tuple[int, str]:
    """The entry with which it differs, and how that was decided now."""
    number = said["difference"]["what"].removeprefix("entry ").partition(",")[0]
    return int(number), said["difference"]["replayed"]


class Change(NamedTuple):
    """A rule, how it is changed, and where that is first felt."""

    phase: str
    book: str
    method: str
    rule: str
    other: str
    event: str


SHOE = "automated shoe"
CHANGES = [
    Change("betting", "pa-639a", SHOE, '"least": 500', '"least": 3000', "wager_placed"),
    Change(
        "dealing",
        "ma",
        "hand",
        'hand = { is = 5, clause = "MA.8(f)',
        'hand = { is = 1, clause = "MA.8(f)',
        "stub_racked",
    ),
    Change("deciding", "pa-639a", SHOE, '"decision 1" = [2]', '"decision 1" = [3]', "decided"),
    # A pair wins the progressive, which somebody must verify before the seat is paid.
    Change(
        "settling",
        "pa-639a",
        "hand",
        '["three-of-a-kind", "9 for 1", "n/a"]',
        '["pair of 10s or better", "9 for 1", "n/a"]',
        "seat_paid",
    ),
    Change(
        "clearing", "ma", "hand", '["any hand", "1 to 1"]', '["any hand", "3 to 2"]', "seat_paid"
    ),
]
BETTING, _, DECIDING, _, _ = CHANGES


@pytest.mark.parametrize("change", CHANGES, ids=lambda one: one.phase)
def test_the_round_is_played_to_its_end_from_any_phase(
    table: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Change
) -> None:
    found, rule, other = table(change.book, change.method), change.rule, change.other
    made, kept = changed(found, tmp_path / "cut.zip", rule, other), tmp_path / "kept"
    said = continued(capsys, str(made), "--keep", str(kept))
    seq, decided = parts(said)
    assert f'"kind":"{change.event}"' in said["difference"]["what"]
    went_on = said["continued"]
    assert went_on["phase"] == json.loads(decided)["phase"] == change.phase
    assert (went_on["ended"], went_on["round"], went_on["amiss"]) == ("the round is over", 1, [])
    assert [one["kind"] for one in went_on["events"]].count("cards_racked") == 1
    (over,) = went_on["rounds"]
    assert (over["round"], over["void"]) == (1, "")
    assert over["payouts"]
    journal = journal_in(kept)
    assert went_on["journal"] == str(journal)
    assert verify(journal).sound
    with Reader.look(journal) as reader:
        entries = list(reader.entries())
        (played,) = recalled(reader, 1, 1, LIBRARY)
    assert [one.kind for one in entries[:2]] == ["terms", CHECKPOINT]
    happened = [one.body for one in entries if one.kind == "event"]
    before = [one.body for one in found.past.entries if one.kind == "event" and one.seq <= seq]
    assert happened[: len(before)] == before
    assert len(happened) == len(before) + len(went_on["events"])
    now = [one.body.decode() for one in entries if one.kind == "decision"]
    assert now[len(before) - 1] == decided
    assert played["finished"]
    assert list(played["payouts"]) == over["payouts"]


def test_what_was_played_on_is_a_record_that_replays(
    table: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The kept folder is that of a table: its logs go with its journal."""
    _, book, method, rule, other, _ = DECIDING
    made, kept = changed(table(book, method), tmp_path / "cut.zip", rule, other), tmp_path / "kept"
    continued(capsys, str(made), "--keep", str(kept))
    assert main(["replay", str(kept / "state" / "logs"), "--exact"]) == 0
    assert "identical" in capsys.readouterr().out
    assert main(["verify", str(journal_in(kept))]) == 0
    assert main(["replay", str(made), FLAG, "--keep", str(kept)]) == 2
    assert "has a journal already" in capsys.readouterr().err


def test_it_is_said_what_is_of_the_record_and_what_is_not(
    table: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, book, method, rule, other, _ = DECIDING
    made = changed(table(book, method), tmp_path / "cut.zip", rule, other)
    assert main(["replay", str(made), "--exact"]) == 1
    alone = capsys.readouterr().out
    assert main(["replay", str(made), "--exact", FLAG]) == 1
    out = capsys.readouterr().out
    # The folder of a cut that is looked at has another name each time.
    *shown, ends = [line.partition(": entry")[2] or line for line in alone.splitlines()]
    assert [line.partition(": entry")[2] or line for line in out.splitlines()][
        : len(shown)
    ] == shown
    assert ends.startswith("The replay ends here")
    assert ends not in out
    # Five of the player and four of the dealer: one is up.
    assert "the 9 cards that lie face down and the rest of the deck" in out
    assert "from the record: the table and all events up to here" in out
    assert 'event    {"kind":"decided"' in out
    assert 'table    phase: "clearing" > "shuffling"' in out
    assert "seat 1: ante $25 " in out
    assert "\nRound 1 is over:\n" in out
    assert out.endswith(" events were played live.\n")


def test_faces_that_were_revealed_are_the_same(
    table: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, book, method, rule, other, _ = DECIDING
    found = table(book, method)
    shown = next(
        json.loads(one.body)["card"] for one in found.past.entries if b"up_card_shown" in one.body
    )
    made = changed(found, tmp_path / "cut.zip", rule, other)
    events = continued(capsys, str(made))["continued"]["events"]
    (dealer,) = [one for one in events if one["kind"] == "revealed" and one["where"] == "dealer"]
    assert dealer["cards"].startswith(shown)


def test_identical_is_all_that_there_is_to_say(
    table: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = table("pa-639a", "automated shoe")
    made = tmp_path / "cut.zip"
    cut.write(made, found.run, found.past, Span())
    kept = tmp_path / "kept"
    assert main(["replay", str(made), "--exact", FLAG, "--keep", str(kept)]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith("identical: ")
    assert "live" not in out
    assert not kept.exists()


@pytest.mark.parametrize(
    ("until", "ended"), [("7", "the time is over"), ("round:1", "the round is over")]
)
def test_it_ends_where_somebody_wants(
    table: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    until: str,
    ended: str,
) -> None:
    _, book, method, rule, other, _ = BETTING
    made = changed(table(book, method), tmp_path / "cut.zip", rule, other)
    went_on = continued(capsys, str(made), "--until", until)["continued"]
    assert went_on["ended"] == ended
    kinds = [one["kind"] for one in went_on["events"]]
    assert kinds
    assert ("cards_racked" in kinds) == (ended == "the round is over")


def test_one_event_at_a_time(
    table: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, book, method, rule, other, _ = DECIDING
    found = table(book, method)
    made = changed(found, tmp_path / "cut.zip", rule, other)
    place = next(one.seq for one in found.past.entries if b'"kind":"decided"' in one.body)
    monkeypatch.setattr("sys.stdin", io.StringIO("\nq\n"))
    words = ["replay", str(made), "--exact", FLAG, "--step", "--from", f"entry:{place}"]
    assert main(words) == 1
    out = capsys.readouterr().out
    assert out.count("\n  event ") == 2
    assert "Ended by the person at the keyboard in round 1, " in out


@pytest.fixture(scope="module")
def long_past(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three rounds, with places to begin in between."""
    folder = tmp_path_factory.mktemp("played")
    data = read_file(shipped("tables") / "pa-639a.toml")
    data["options"]["seats"] = 2
    options = Options(seed=1, pause=0.1, broker=False, starts_at=1_767_225_600.0)
    show = Show(data, folder, LIBRARY, options, rounds=3, view=View(io.StringIO()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(waypoints, "EVERY_S", 5.0)
        virtual_time.run(show.run)
    return folder / "state"


def test_a_record_that_begins_in_the_middle_is_gone_on_with_too(
    long_past: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is kept begins with the table as it stood there."""
    made, kept = tmp_path / "cut.zip", tmp_path / "kept"
    assert main(["log", "cut", str(long_past / "logs"), "--round", "3", "--out", str(made)]) == 0
    found = cut.read(made)
    assert found.start is not None
    assert found.past.table.round > 0
    _, _, _, rule, other, _ = BETTING
    capsys.readouterr()
    other_rule = changed(found, tmp_path / "changed.zip", rule, other)
    said = continued(capsys, str(other_rule), "--keep", str(kept))
    went_on = said["continued"]
    assert (went_on["ended"], went_on["amiss"]) == ("the round is over", [])
    assert went_on["round"] > 1
    assert verify(journal_in(kept)).sound


def whole_cut(state: Path, made: Path) -> Cut:
    """All rounds, from felt's start, in one file."""
    (run,) = logs.read([state / "logs"]).runs
    with Reader.look(state / "journal.db") as reader:
        cut.write(made, run, past.of_journal(reader, LIBRARY, run.after_entry), Span())
    return cut.read(made)


def test_of_many_rounds_only_the_one_it_is_in_is_written_again(
    long_past: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The rounds before it are in the checkpoint with which the kept journal begins."""
    found = whole_cut(long_past, tmp_path / "cut.zip")
    rule, other = '["pair or less", "1 to 1"]', '["pair or less", "2 to 1"]'
    made, kept = changed(found, tmp_path / "changed.zip", rule, other), tmp_path / "kept"
    said = continued(capsys, str(made), "--keep", str(kept))
    seq, _ = parts(said)
    went_on = said["continued"]
    assert went_on["ended"] == "the round is over"
    assert went_on["round"] > 1, "in the first round it would be no proof"
    before = [one for one in found.past.entries if one.kind == "event" and one.seq <= seq]
    with Reader.look(journal_in(kept)) as reader:
        written = [one for one in reader.entries() if one.kind == "event"]
    assert len(written) < len(before)
    assert written[0].round == went_on["round"] - 1
    assert verify(journal_in(kept)).sound


def test_it_goes_on_for_as_many_rounds_as_somebody_wants(
    long_past: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, _, _, rule, other, _ = BETTING
    found = whole_cut(long_past, tmp_path / "cut.zip")
    made = changed(found, tmp_path / "changed.zip", rule, other)
    assert main(["replay", str(made), "--exact", FLAG, "--until", "round:3"]) == 1
    out = capsys.readouterr().out
    for number in (1, 2, 3):
        assert f"\nRound {number} is over:\n" in out
    assert "Round 4" not in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--keep", "kept"], "--keep: goes with --continue-with-simulator"),
        ([FLAG, "--into", "bench"], "does not go with --into"),
    ],
)
def test_words_that_do_not_go_together(
    table: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    found = table("pa-639a", "automated shoe")
    made = tmp_path / "cut.zip"
    cut.write(made, found.run, found.past, Span())
    assert main(["replay", str(made), *words]) == 2
    assert said in capsys.readouterr().err


def test_without_a_journal_nobody_knows_how_the_table_stood(
    long_past: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = tmp_path / "logs"
    alone.mkdir()
    for one in (long_past / "logs").iterdir():
        (alone / one.name).write_bytes(one.read_bytes())
    assert main(["replay", str(alone), FLAG]) == 2
    assert "needs the journal: it says how the table stood" in capsys.readouterr().err


def test_a_closed_table_has_no_round_to_be_played(
    table: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever may open it is another one now: it stays closed, and nothing is made up."""
    found = table("pa-639a", "automated shoe")
    made = changed(found, tmp_path / "cut.zip", '"id": "floor-1"', '"id": "floor-2"')
    assert main(["replay", str(made), "--exact", FLAG]) == 1
    out = capsys.readouterr().out
    assert "decided otherwise" in out
    assert "Not gone on: the table is closed there" in out
    assert "live" not in out


def test_a_record_that_is_not_whole_is_not_gone_on_with(
    table: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The journal ends before the log: felt as it is now has no part in that."""
    found = table("pa-639a", "automated shoe")
    some = [one for one in found.past.entries if one.seq <= 40]
    made = tmp_path / "cut.zip"
    cut.write(made, found.run, replace(found.past, entries=some), Span())
    said = continued(capsys, str(made))
    assert "the journal ends before the log" in said["difference"]["what"]
    assert said["continued"]["ended"] == "not gone on"


def test_on_from_a_frame_that_felt_would_not_have_sent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No decision differs, but what a device heard: the table stands as the record has it."""
    recorded(Case("", "", "pa-639a", SHOE), tmp_path, LIBRARY)
    (log,) = (tmp_path / "state" / "logs").glob("shoe*.log")
    lines = unchecked(log.read_text(encoding="utf-8")).splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if " dispense round=1 number=2" in line)
    # The order for the second stack, as if the record had none.
    del lines[at]
    log.write_text("".join(lines), encoding="utf-8")
    capsys.readouterr()
    said = continued(capsys, str(log.parent))
    assert "decided otherwise" not in said["difference"]["what"]
    went_on = said["continued"]
    assert (went_on["phase"], went_on["round"]) == ("dealing", 1)
    assert (went_on["ended"], went_on["amiss"]) == ("the round is over", [])
    stacks = [one["number"] for one in went_on["events"] if one["kind"] == "stack_dispensed"]
    assert stacks == [2], "the first stack was given out before, and is not given out again"
