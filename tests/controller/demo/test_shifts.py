"""People are relieved when their shift is over, and play goes on with those who come."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from controller.demo import performer
from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.journal.reader import Reader
from controller.library import Library, shipped
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
