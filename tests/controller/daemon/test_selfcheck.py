"""No play before the self-check has passed, and what fails is named."""

from __future__ import annotations

import asyncio
import shutil
import threading
import time
from pathlib import Path

import pytest

from controller.daemon import secrets, signature
from controller.daemon.selfcheck import WHERE, SelfCheck
from controller.daemon.signature import Part
from controller.journal.entry import Head
from controller.library import Library, shipped
from controller.rules.faults import Refused
from controller.table import events
from tests.controller.daemon.house import House, table_file
from tests.drivers.wire.plugs import until


def check_of(house: House) -> SelfCheck:
    service = house.service
    return SelfCheck(
        house.configuration,
        house.library,
        core=service.core,
        journal=service.journal,
        heads=service.heads,
        supervisor=service.supervisor,
        clock=service.clock,
        said=service.said,
    )


async def test_it_names_every_device_that_is_not_there(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).running() as house:
        report = await check_of(house).run()
        assert {one.what for one in report.failed} == {"panel", "shuffler", "shoe"}
        with pytest.raises(Refused, match="shuffler, shoe, panel: no wire carries it"):
            await check_of(house).must_pass()


async def test_who_asks_again_waits_for_the_same_look_at_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is so slow that the first one has no patience: the second sees the end of it."""
    begun: list[float] = []
    goes_on = threading.Event()
    program = signature.program

    def slowly() -> Part:
        begun.append(time.monotonic())
        goes_on.wait()
        return program()

    monkeypatch.setattr(signature, "program", slowly)
    async with House(table_file(tmp_path)).running() as house:
        check = check_of(house)
        try:
            first = asyncio.create_task(check.run())
            await until(lambda: len(begun) == 1)
            first.cancel()
            await asyncio.wait([first])
            second, third = (asyncio.create_task(check.run()) for _ in range(2))
            # Who would look by themselves would have begun to.
            await asyncio.to_thread(int)
        finally:
            goes_on.set()
        assert (await second).checked == (await third).checked
        assert len(begun) == 1
        # It is over: the next one looks anew.
        await check.run()
        assert len(begun) == 2


async def test_without_anything_to_compare_with_it_remarks(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).running() as house:
        report = await check_of(house).run()
        remarks = {one.what for one in report.checked if one.verdict == "remark"}
        assert remarks == {"program", "imports", "rulebooks", "configuration", "seals", "journal"}


async def test_the_journal_is_held_against_its_head_before_each_opening(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    secrets.make_key(tmp_path / "secrets", secrets.HEADS)
    async with House(file).running() as house:
        found = {one.what: one for one in (await check_of(house).run()).checked}
        assert found["journal"].verdict == "ok"
        kept = house.service.heads.file
        assert kept is not None
        kept.keep(Head(house.service.journal.head.seq, bytes(32)))
        found = {one.what: one for one in (await check_of(house).run()).checked}
        assert found["journal"].verdict == "failed"
        assert "is another one than was recorded" in found["journal"].found


@pytest.mark.rule("R34")
@pytest.mark.parametrize(
    "part", ["program", "imports", "rulebooks", "configuration", "packages", "python"]
)
async def test_what_differs_from_what_was_approved_fails_by_name(tmp_path: Path, part: str) -> None:
    file = table_file(tmp_path)
    house = House(file)
    found = signature.parts(house.library, file)
    signature.record(tmp_path / "secrets", {**found, part: Part("0" * 64, 1)})
    async with house.running():
        report = await check_of(house).run()
        failed = [one.what for one in report.failed if one.what in found]
        assert failed == [part]
        assert "approved" in str(next(one for one in report.failed if one.what == part))


@pytest.mark.rule("R34")
async def test_the_table_file_may_list_the_program(tmp_path: Path) -> None:
    digest = signature.program().digest
    for listed, failed in ((digest, False), ("0" * 64, True)):
        service = f'approved_program = ["{listed}"]'
        async with House(table_file(tmp_path, service=service)).running() as house:
            report = await check_of(house).run()
            assert ("program" in {one.what for one in report.failed}) is failed


@pytest.mark.rule("R34")
async def test_a_file_that_changes_while_felt_runs_fails_until_it_is_back(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    own = tmp_path / "own"
    shutil.copytree(shipped("rulebooks"), own)
    async with House(file, Library(own)).running() as house:
        check = check_of(house)
        await check.run()
        for changed, part in ((own / "ma.toml", "rulebooks"), (file, "configuration")):
            kept = changed.read_bytes()
            changed.write_bytes(kept + b"\n")
            assert part in {one.what for one in (await check.run()).failed}
            changed.write_bytes(kept)
            assert part not in {one.what for one in (await check.run()).failed}


@pytest.mark.rule("R34")
async def test_what_fails_at_the_start_holds_the_table(tmp_path: Path) -> None:
    file = table_file(tmp_path, service=f'approved_program = ["{"0" * 64}"]')
    async with House(file).running() as house:
        await check_of(house).at_start()
        table = house.service.recorder.table
        assert [hold.where for hold in table.holds if hold.where == WHERE] == [WHERE]
        assert house.recorded(events.DeviceFaulted)[0].device == WHERE
        assert ("self-check failed", "program") in {(e, f.get("what")) for e, f in house.said}
