"""Signing on by badge: a reader on a serial line, its vendor's driver, and a table that decides."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from controller.daemon import badges, pins, secrets
from controller.daemon.assembly import assembled
from controller.daemon.configuration import read
from controller.daemon.desk import Desk
from controller.daemon.service import Service
from controller.library import Library
from controller.rules.faults import Refused
from controller.table import events
from drivers.wire.keys import KEY_BYTES
from simulators.other import Other
from simulators.port import PtyPort
from tests.controller.daemon.house import House, felt, table_file
from tests.docs.test_adding_a_driver import files

#: Only so that a test ends, however busy the machine is.
AT_LAST_S = 300.0
DANA, FLOOR = "0004711", "04:A2:B9:12"
LATE = "was read while the table did not listen"
WIRE = """
[wires.badge]
serial = "{port}"
driver = "acme-badge"
devices = ["badge"]
"""


@pytest.fixture(autouse=True)
def reader_of_acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package of the page, as pip leaves it behind."""
    vendors = tmp_path / "vendors"
    info = vendors / "acme_badge-1.0.dist-info"
    info.mkdir(parents=True)
    (vendors / "acme_badge.py").write_text(files("acme-badge")["acme_badge.py"])
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-badge\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[felt.drivers]\nacme-badge = acme_badge:Reader\n")
    monkeypatch.syspath_prepend(vendors)
    monkeypatch.setenv("PYTHONPATH", str(vendors))


def is_late(event: Any) -> bool:
    return isinstance(event, events.AttemptRefused) and LATE in event.reason


class Place:
    """A table that runs, and the reader at it."""

    def __init__(self, service: Service, desk: Desk, reader: Other, port: PtyPort) -> None:
        self.service = service
        self.desk = desk
        self.reader = reader
        self.port = port
        self.held = ""
        self.late = 0

    def holds(self, number: str) -> None:
        """Somebody holds a badge to the reader."""
        self.held = number
        self.reader.read("badge", covered=number.encode())
        self.port.kick()

    def holds_again_if_it_was_late(self) -> None:
        """On a busy machine a reading is older than it may be; a person holds the badge again."""
        late = [one for one in self.recorded(events.AttemptRefused) if LATE in one.reason]
        if len(late) > self.late and self.held:
            self.late = len(late)
            self.holds(self.held)

    async def until(self, kind: type[Any], count: int = 1) -> Any:
        """The last event of a kind on record, once there are so many."""
        async with asyncio.timeout(AT_LAST_S):
            while True:
                self.holds_again_if_it_was_late()
                found = [one for one in self.recorded(kind) if not self.held or not is_late(one)]
                if len(found) >= count:
                    return found[-1]
                await asyncio.sleep(0.02)

    def recorded(self, kind: type[Any]) -> list[Any]:
        return House.recorded(self, kind)  # type: ignore[arg-type]

    @property
    def library(self) -> Library:
        return Library()

    @property
    def configuration(self) -> Any:
        return self.service.configuration

    @property
    def on_duty(self) -> dict[str, str]:
        return {one.role: one.id for one in self.service.duty.everyone()}


@contextlib.asynccontextmanager
async def place(folder: Path, service: str = "", before: str = "") -> AsyncIterator[Place]:
    """``before``: a badge that was held to the reader when no table listened."""
    port = folder / "port"
    file = table_file(folder, service=service, more=WIRE.format(port=port))
    configuration, library = read(file, Library()), Library()
    for name in configuration.devices:
        secrets.make_key(configuration.secrets, name)
    (configuration.secrets / "faces.key").write_text(bytes(range(KEY_BYTES)).hex())
    (configuration.secrets / "faces.key").chmod(0o400)
    key = secrets.key(configuration.secrets, "badge")
    reader = Other("badge", key=key)
    if before:
        reader.read("badge", covered=before.encode())
    plugged = PtyPort([reader], link=port)
    served = assembled(configuration, library, said=lambda *_, **__: None)
    desk = Desk(served, library)
    ready = asyncio.Event()
    tasks = [asyncio.create_task(served.run(ready.set)), asyncio.create_task(plugged.run())]
    try:
        await asyncio.wait_for(ready.wait(), AT_LAST_S)
        await _sooner_or_later(lambda: served.supervisor.attachments["badge"].is_present)
        yield Place(served, desk, reader, plugged)
    finally:
        served.stop()
        await tasks[0]
        tasks[1].cancel()
        await asyncio.wait(tasks)


async def _sooner_or_later(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(AT_LAST_S):
        while not condition():  # noqa: ASYNC110 - nobody tells of it
            await asyncio.sleep(0.02)


def gives(folder: Path, person: str, number: str) -> str:
    (folder / "secrets").mkdir(mode=0o700, exist_ok=True)
    return badges.named(badges.give(folder / "secrets", person, number)[1])


async def test_a_badge_alone_signs_on_where_the_operator_says_so(tmp_path: Path) -> None:
    called = gives(tmp_path, "dealer-1", DANA)
    gives(tmp_path, "floor-1", FLOOR)
    async with place(tmp_path, 'badge_alone = ["dealer"]') as at:
        at.holds(DANA)
        read_ = await at.until(events.BadgeRead)
        assert (read_.device, read_.badge, read_.who.id) == ("badge", called, "dealer-1")
        assert not read_.with_pin
        await _sooner_or_later(lambda: at.on_duty == {"dealer": "dealer-1"})
        # For a floorperson the PIN is asked for as well: at the page, which the table tells so.
        at.holds(FLOOR)
        assert (await at.until(events.BadgeRead, 2)).with_pin
        await _sooner_or_later(lambda: at.service.core.table.badge)
        await _sooner_or_later(lambda: at.on_duty == {"dealer": "dealer-1"})
        asked = await at.desk.actions.do("picture", _asked())
        assert (asked["badge"]["person"], asked["badge"]["role"]) == ("floor-1", "floorperson")


def _asked() -> Any:
    from controller.daemon.access import Caller  # noqa: PLC0415
    from controller.daemon.action import Asked  # noqa: PLC0415

    return Asked(Caller("test"), {})


def files_below(folder: Path) -> list[Path]:
    return [one for one in folder.rglob("*") if one.is_file() and one.suffix != ".py"]


async def test_no_number_is_in_any_file_of_the_table(tmp_path: Path) -> None:
    gives(tmp_path, "dealer-1", DANA)
    async with place(tmp_path, 'badge_alone = ["dealer"]') as at:
        at.holds(DANA)
        await at.until(events.BadgeRead)
        at.holds("0009999")
        await at.until(events.BadgeRefused)
    written = files_below(tmp_path)
    assert any("logs" in one.parts for one in written)
    for file in written:
        data = file.read_bytes()
        for number in (DANA, "0009999"):
            assert number.encode() not in data, file
            assert number.encode().hex().encode() not in data.replace(b" ", b""), file


async def test_unknown_badges_are_refused_and_stop_their_reader(tmp_path: Path) -> None:
    gives(tmp_path, "dealer-1", DANA)
    async with place(tmp_path, 'badge_alone = ["dealer"]') as at:
        for n in range(3):
            at.holds(f"000000{n}")
            refused = await at.until(events.BadgeRefused, n + 1)
            assert refused.reason == "it is nobody's badge"
        # Somebody goes through numbers: the reader rests, and not even a right one is looked at.
        at.holds(DANA)
        attempt = await at.until(events.AttemptRefused)
        assert attempt.device == "reader badge"
        assert "nobody signs on at reader badge" in attempt.reason
        assert not at.on_duty
        # The floor's page shows it, and a supervisor may let people sign on there again.
        [resting] = at.service.core.table.resting
        assert resting.place == "reader badge"


async def test_a_withdrawn_badge_signs_nobody_on_from_that_moment(tmp_path: Path) -> None:
    called = gives(tmp_path, "dealer-1", DANA)
    async with place(tmp_path, 'badge_alone = ["dealer"]') as at:
        at.holds(DANA)
        await at.until(events.BadgeRead)
        table = tmp_path / "table.toml"
        done = await felt("badge", "dealer-1", "--withdraw", "--table", table)
        assert "it is on record, and counts from now on" in done.out, done.err
        withdrawn = await at.until(events.BadgeWithdrawn)
        assert (withdrawn.person, withdrawn.badge) == ("dealer-1", called)
        await _sooner_or_later(lambda: not at.on_duty)
        at.holds(DANA)
        refused = await at.until(events.BadgeRefused)
        assert refused.reason == "the badge of dealer-1 was withdrawn"
        done = await felt("badge", "dealer-1", "--stdin", "--table", table, stdin="0005000\n")
        assert "dealer-1 has a badge" in done.out, done.err
        at.holds("0005000")
        await at.until(events.BadgeRead, 2)
        await _sooner_or_later(lambda: at.on_duty == {"dealer": "dealer-1"})


async def test_what_a_reader_kept_while_nobody_listened_signs_nobody_on(tmp_path: Path) -> None:
    gives(tmp_path, "dealer-1", DANA)
    async with place(tmp_path, 'badge_alone = ["dealer"]', before=DANA) as at:
        attempt = await at.until(events.AttemptRefused)
        assert "was read while the table did not listen" in attempt.reason
        assert not at.on_duty


async def test_a_locked_credential_is_not_opened_by_a_badge(tmp_path: Path) -> None:
    gives(tmp_path, "dealer-1", DANA)
    pins.keep(tmp_path / "secrets", "dealer-1", "1234")
    async with place(tmp_path, 'badge_alone = ["dealer"]') as at:
        for n in range(10):
            post = at.service.core.post
            now = at.service.clock.wall_ms()
            await post(
                events.CredentialRefused(
                    at=now, person="dealer-1", device=f"page {n}", by_place=True
                )
            )
        at.holds(DANA)
        await _sooner_or_later(lambda: at.service.core.seq > 10)
        assert not at.on_duty


# --- The file -------------------------------------------------------------------


def test_a_badge_is_one_persons_and_a_person_has_one(tmp_path: Path) -> None:
    badges.give(tmp_path, "dealer-1", DANA)
    with pytest.raises(Refused, match="is the badge of dealer-1; felt badge dealer-1 --withdraw"):
        badges.give(tmp_path, "dealer-2", f" {DANA}\n")
    known, digest = badges.give(tmp_path, "dealer-1", "0005000")
    assert known.of("dealer-1") == digest
    assert sorted(one.withdrawn for one in known.known.values()) == [False, True]
    # Found again, it is somebody else's from now on.
    known, digest = badges.give(tmp_path, "dealer-2", DANA)
    assert known.of("dealer-2") == digest
    text = (tmp_path / badges.FILE).read_text()
    assert DANA not in text
    assert (tmp_path / badges.FILE).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("number", ["", "123", "x" * 33, "00 47", "zahl-ß", "\x00\x01\x02\x03"])
def test_what_is_no_number_is_refused_and_not_repeated(tmp_path: Path, number: str) -> None:
    with pytest.raises(Refused, match="is no number of a badge; 4 to 32") as refused:
        badges.give(tmp_path, "dealer-1", number)
    assert not number or number not in str(refused.value)


@pytest.mark.parametrize("text", ["", "[]", '{"salt": "00"}', '{"salt": "' + "g" * 32 + '"}'])
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / badges.FILE).write_text(text)
    (tmp_path / badges.FILE).chmod(0o600)
    with pytest.raises(Refused, match="is not a file of badges; move it away"):
        badges.read(tmp_path)
    (tmp_path / badges.FILE).chmod(0o644)
    with pytest.raises(Refused, match="others may read or write it"):
        badges.read(tmp_path)
