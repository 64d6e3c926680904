"""Where a replay can begin is written down in a quiet moment, and in no other."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from controller.daemon.service import Service
from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.library import Library, shipped
from controller.tables import read_file
from controller.technician import logs
from drivers.wire.devicelog import Remark
from simulators import virtual_time


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[str, bool]]]:
    """A round in which it is tried after every event."""
    folder = tmp_path_factory.mktemp("played")
    data = read_file(shipped("tables") / "pa-669a.toml")
    data["options"]["seats"] = 2
    options = Options(seed=3, pause=0.1, broker=False, starts_at=1_767_225_600.0)
    show = Show(data, folder, Library(), options, rounds=1, view=View(io.StringIO()))
    tried: list[tuple[str, bool]] = []

    def prepared(service: Service) -> None:
        service.listen(
            lambda event, taken: tried.append((taken.step.table.phase, service.waypoints.mark()))
        )

    show.prepared = prepared
    virtual_time.run(show.run)
    return folder, tried


def test_it_is_written_when_nothing_is_on_its_way(
    marked: tuple[Path, list[tuple[str, bool]]],
) -> None:
    folder, tried = marked
    # Right after an event the device that told it still waits for its acknowledgement, or others
    # have been told something: then nothing is written.
    assert not all(done for _, done in tried)
    (run,) = logs.read([folder / "state" / "logs"]).runs
    found = {
        name: [
            one.record.text
            for one in wire.records()
            if isinstance(one.record, Remark) and one.record.word == "state"
        ]
        for name, wire in run.wires.items()
    }
    assert {len(each) for each in found.values()} == {sum(done for _, done in tried)}
    keys = [file.read_text().strip() for file in (folder / "secrets").glob("*.key")]
    assert len(keys) > 5
    for each in found.values():
        for text in each:
            json.loads(text.split(" ", 2)[2])
            assert not any(key in text for key in keys)
