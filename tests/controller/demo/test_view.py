"""The view of a demonstration: it fits a small window, says what happened and what came of it."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from controller.cli import main
from controller.daemon import client
from controller.demo.board import Board
from controller.demo.found import found_as
from controller.demo.show import Show
from controller.demo.stage import LINGERS_S
from controller.demo.table import Options
from controller.demo.view import Picture, View, lines
from controller.journal.reader import Reader
from controller.library import Library
from controller.recorder import Taken
from controller.replay import Replay
from controller.rules.faults import Refused
from controller.table import events
from controller.table.machine import new_table, step
from controller.table.state import Hold
from controller.tables import read_file
from drivers.contract import Health, Status
from simulators import virtual_time
from simulators.faults import MENU
from tests.controller.daemon.house import House, table_file
from tests.controller.table.playing import BOOKS, AtTheTable, terms_of

TABLES = Path(__file__).parents[3] / "config" / "tables"
STARTS_AT = 1_767_225_600.0
HEADING = ["Open http://127.0.0.1:8400/bench/table-1 in a browser: take any place.", "PINs: 1"]
JAM = Hold(number=1, cause="jam " * 30, where="shoe", since=0, blocks="deal", clears="floorperson")


class Terminal(io.StringIO):
    """Somebody looks, at a window of the usual size."""

    def isatty(self) -> bool:
        return True


def health(*statuses: Status) -> dict[str, Health]:
    return {f"acceptor {n}": Health(one, 0.0) for n, one in enumerate(statuses, 1)}


def pictures(book: str) -> Iterator[Picture]:
    """The table after each event of a round with all seats taken."""
    terms = terms_of(book)
    at = AtTheTable(terms).opens()
    seats = range(1, terms.seats + 1)
    at.sits(*seats).shuffles().antes(*seats).locks().deals().decides().reveals().pays().racks()
    table = new_table(terms)
    board = Board(terms, table)
    for seq, event in enumerate(at.taken, 1):
        done = step(terms, table, event)
        table = done.table
        board.told(event, Taken(seq, done))
        yield Picture(terms, table, health("ready", "absent"), board)


@pytest.mark.parametrize("book", BOOKS)
def test_every_moment_of_a_round_fits_a_small_window(book: str) -> None:
    for one in pictures(book):
        held = msgspec.structs.replace(one.table, holds=(JAM, JAM, JAM))
        for shown in (lines(one, HEADING), lines(one._replace(table=held), HEADING)):
            assert len(shown) == 24
            assert max(len(line.text) for line in shown) <= 80
            assert any(line.text.startswith("just now") for line in shown)
            assert any(line.text.startswith("next") for line in shown)
            assert shown[-1].text.endswith("Ctrl-C ends")


def test_a_line_says_what_just_happened_and_by_which_clause() -> None:
    for one in pictures("pa-639a"):
        if one.board.happened[-1].said == "no more bets":
            break
    (line,) = [line.text for line in lines(one) if line.text.startswith("just now")]
    assert line.startswith("just now no more bets  (dealer-1)  ")
    assert line.endswith(" PA-639a.10(a)(2)")


def test_a_seat_has_its_result_as_the_settlement_has_it() -> None:
    *_, last = pictures("pa-639a")
    for seat in last.table.seats:
        net = last.board.last[seat.number]
        assert net == last.board.so_far(seat.number)
        said = f"+${net // 100}" if net > 0 else f"-${-net // 100}" if net else "even"
        row = next(line.text for line in lines(last) if line.text.startswith(f" {seat.number} "))
        assert row.split()[-2:] == [said, said]


def test_before_the_table_is_opened_nothing_is_said_to_be_absent() -> None:
    out = Terminal()
    terms = terms_of("pa-639a")
    table = new_table(terms)
    view = View(out)
    view.show(Picture(terms, table, health("absent", "ready"), Board(terms, table)))
    assert "absent" not in out.getvalue()
    assert "Setting the table: 1 of 2 devices are there." in out.getvalue()
    view.end()


def test_where_nobody_looks_a_round_is_a_line_with_its_seats() -> None:
    out = io.StringIO()
    view = View(out)
    for one in pictures("pa-639a"):
        view.show(one)
    (line,) = out.getvalue().splitlines()
    assert re.fullmatch(r"round 1: staked \$\S+, returned \$\S+; by seat: 1 \S+, .*7 \S+", line)


# --- What is staged ---------------------------------------------------------------


@pytest.mark.parametrize("book", ["pa-639a", "s10"])
def test_a_hold_is_staged_once_and_stays_for_a_while(book: str, tmp_path: Path) -> None:
    data = read_file(TABLES / f"{book}.toml")
    # A small table: it is not about the rest.
    small = {"seats": 2, "adjacent_boxes": 1} if book == "pa-639a" else {"seats": 2}
    data["options"] = small
    options = Options(broker=False, pause=0.25, starts_at=STARTS_AT)
    view = View(io.StringIO())
    show = Show(data, tmp_path, Library(), options, rounds=3, view=view, staged_at=1.0)
    virtual_time.run(show.run)
    assert not show.differences()
    with Reader.look(show.simulated.configuration.journal) as reader:
        replay = Replay(reader, Library())
        happened = [event for _, event, step in replay.events() if not step.refused]
    jams = (events.DeviceFaulted, events.ShuffleFailed)
    (jam,) = [one for one in happened if isinstance(one, jams)]
    (cleared,) = [one for one in happened if isinstance(one, events.HoldCleared)]
    assert cleared.at - jam.at >= LINGERS_S * 1000


# --- Found without a word -----------------------------------------------------------


async def test_a_demonstration_is_found_while_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.delenv("FELT_SOCKET", raising=False)
    monkeypatch.setattr(client, "RUN", tmp_path / "none")
    async with House(table_file(tmp_path)).with_desk().running() as house:
        socket = house.configuration.socket
        with found_as("test-1", socket.parent):
            found = await asyncio.to_thread(client.find, None, None)
            assert found.resolve() == socket.resolve()
            assert "healthy" in await house.asks("health")
            # What others may write into is not looked at: it could be anybody's.
            (tmp_path / "felt").chmod(0o777)
            with pytest.raises(Refused, match="no felt demo of yours"):
                client.find(None, None)
            (tmp_path / "felt").chmod(0o700)
        with pytest.raises(Refused, match="no felt demo of yours"):
            client.find(None, None)


def test_one_that_was_killed_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.delenv("FELT_SOCKET", raising=False)
    monkeypatch.setattr(client, "RUN", tmp_path / "none")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / client.SOCKET).touch()
    with found_as("test-1", tmp_path / "run"), pytest.raises(Refused, match="no table runs"):
        client.find(None, None)


# --- What can go wrong --------------------------------------------------------------


def test_the_faults_of_one_device_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--faults", "acceptor 3:?"]) == 0
    said = capsys.readouterr().out
    assert "  late-wager" in said
    assert "  wrong-stack" not in said
    assert main(["demo", "--faults", "wheel:?"]) == 2
    assert "there is no 'wheel'; shuffler, shoe" in capsys.readouterr().err


def test_the_faults_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--faults", "?"]) == 0
    said = capsys.readouterr().out
    for one in MENU.values():
        assert re.search(rf"^  {one.name}(=\S+)? +{re.escape(one.what)}", said, re.M), one
