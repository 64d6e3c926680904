"""Hours at a table: people are relieved, decks are changed, and play goes on."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pytest

from controller.daemon.service import Service
from controller.demo import performer
from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.journal.reader import Reader
from controller.library import Library, shipped
from controller.recorder import Taken
from controller.table import events
from controller.table.events import Event
from controller.tables import read_file
from simulators import virtual_time


def test_a_dealer_is_relieved_between_two_rounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(performer, "SHIFT_S", 30)
    data = read_file(shipped("tables") / "pa-669a.toml")
    data["options"]["seats"] = 2
    options = Options(seed=1, pause=0.5, broker=False, starts_at=1_767_225_600.0)
    show = Show(data, tmp_path, Library(), options, rounds=3, view=View(io.StringIO()))
    virtual_time.run(show.run)
    assert show.differences() == []
    with Reader.look(tmp_path / "state" / "journal.db") as reader:
        bodies = [one.body.decode() for one in reader.entries() if one.kind == "event"]
    locked_out = [text for text in bodies if '"lock_out_pressed"' in text]
    assert any('"dealer-1"' in text for text in locked_out)
    assert any('"dealer-2"' in text for text in locked_out)


@pytest.mark.parametrize("hours", [3.9, 4.2], ids=["in time", "too late, with wagers down"])
def test_a_deck_is_changed_when_it_is_due(tmp_path: Path, hours: float) -> None:
    """Twice the clock jumps while wagers go down: a deck of this table may be dealt for 8 hours."""
    data = read_file(shipped("tables") / "pa-669a.toml")
    data["options"]["seats"] = 2
    options = Options(seed=4, pause=0.5, broker=False, starts_at=1_767_225_600.0)
    show = Show(data, tmp_path, Library(), options, rounds=6, view=View(io.StringIO()))
    jumps = [1, 2]

    def prepared(service: Service) -> None:
        def told(event: Event, taken: Taken) -> None:
            table = taken.step.table
            if isinstance(event, events.WagerPlaced) and jumps and table.round >= jumps[0]:
                jumps.pop(0)
                loop = asyncio.get_running_loop()
                assert isinstance(loop, virtual_time.VirtualTimeLoop)
                loop.advance(hours * 3600)

        service.listen(told)

    show.prepared = prepared
    virtual_time.run(show.run)
    assert show.differences() == []
    assert show.totals is not None
    assert show.totals.rounds == 6
    with Reader.look(tmp_path / "state" / "journal.db") as reader:
        bodies = [one.body.decode() for one in reader.entries() if one.kind == "event"]
    assert any('"deck_removed"' in text and "due for change" in text for text in bodies)
