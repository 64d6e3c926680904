"""Devices that are there: what runs in them is on the list of what was approved, or they wait."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.daemon.selfcheck import Report, SelfCheck
from controller.daemon.service import Service
from controller.demo.table import Options, SimulatedTable
from controller.library import Library, shipped
from controller.rules.faults import Refused
from controller.table.state import Table
from controller.tables import read_file
from drivers.contract import Health
from simulators import virtual_time
from simulators.device import firmware_of

OTHER = "5a" * 32
#: Of virtual time: long enough for every device to say who it is.
SETTLED_S = 3.0


class Found:
    report: Report
    refused: str = ""
    table: Table
    shoe: Health


def found(folder: Path, approved: Callable[[str], list[str]]) -> Found:
    """A daemon with all its devices, and what its self-check says of them."""
    library = Library()
    options = Options(seed=2, broker=False, starts_at=1_767_225_600.0)
    file = shipped("tables") / "pa-639a.toml"
    # It is looked at on the disk, too.
    shutil.copy(file, folder / "table.toml")
    data = read_file(file)
    simulated = SimulatedTable(data, folder, library, options)
    listed = simulated.configuration.daemon.approved
    listed["shoe"] = approved(firmware_of("shoe").hex())
    seen = Found()

    async def run() -> None:
        service = simulated.service(lambda _what, **_facts: None)

        async def look() -> None:
            await asyncio.sleep(SETTLED_S)
            check = check_of(simulated, library, service)
            seen.report = await check.run()
            try:
                await check.must_pass()
            except Refused as refused:
                seen.refused = str(refused)
            seen.table = service.recorder.table
            seen.shoe = service.supervisor.health()["shoe"]
            service.stop()

        service.also("look", look)
        await service.run()

    virtual_time.run(run)
    return seen


def check_of(simulated: SimulatedTable, library: Library, service: Service) -> SelfCheck:
    return SelfCheck(
        simulated.configuration,
        library,
        core=service.core,
        heads=service.heads,
        journal=service.journal,
        supervisor=service.supervisor,
        clock=service.clock,
        said=service.said,
    )


@pytest.mark.rule("R34")
def test_a_device_whose_firmware_is_on_the_list_passes_with_its_digest(tmp_path: Path) -> None:
    seen = found(tmp_path, lambda its: [OTHER, its])
    assert seen.shoe.status == "ready"
    assert seen.refused == ""
    checked = {one.what: one for one in seen.report.checked}
    assert checked["shoe"].verdict == "ok"
    assert checked["shoe"].found == f"firmware {firmware_of('shoe').hex()[:16]}"
    assert checked["panel"].verdict == checked["shuffler"].verdict == "ok"
    assert not seen.table.holds


@pytest.mark.rule("R34")
def test_a_device_whose_firmware_is_not_on_the_list_holds_the_table(tmp_path: Path) -> None:
    seen = found(tmp_path, lambda _: [OTHER])
    assert seen.shoe.status == "faulted"
    [failed] = seen.report.failed
    assert failed.what == "shoe"
    # The one that it has is named, so that somebody can have it approved.
    assert firmware_of("shoe").hex()[:16] in failed.found
    assert failed.next_step
    assert "shoe" in seen.refused
    [hold] = seen.table.holds
    assert hold.where == "shoe"
    assert "turned away" in hold.cause
