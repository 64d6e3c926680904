"""A broker keeps the head that felt said there: whoever turns this PC's disk back is shown by it.

The older disk is whole here: journal, head file and device logs as they lay at the same moment, so
that nothing on it speaks against anything else on it.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import aiomqtt
import pytest

from controller.daemon import secrets
from controller.daemon.assembly import assembled
from controller.daemon.configuration import read
from controller.daemon.heads import Signer
from controller.daemon.service import Service
from controller.daemon.wiring import BrokerWire
from controller.journal.entry import Head, Header
from controller.journal.notes import note_of, signed_by
from controller.library import Library
from tests.controller.daemon.house import table_file
from tests.controller.daemon.test_heads import happening
from tests.drivers.wire.mosquitto import Mosquitto
from tests.drivers.wire.over_mqtt import until

TOPIC = "felt/test-1/felt/head"


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    (tmp_path / "elsewhere").mkdir()
    broker = Mosquitto(tmp_path / "elsewhere")
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture
def disk(tmp_path: Path, broker: Mosquitto) -> Path:
    folder = tmp_path / "disk"
    folder.mkdir()
    wire = f'[wires.net]\nmqtt = "127.0.0.1:{broker.port}"\ndevices = ["sign"]\n'
    file = table_file(folder, more=wire)
    for name in (*read(file, Library()).proving, secrets.FACES, secrets.HEADS):
        secrets.make_key(folder / "secrets", name)
    return folder


@contextlib.asynccontextmanager
async def felt(disk: Path) -> AsyncIterator[Service]:
    library = Library()
    configuration = read(disk / "table.toml", library)
    service = assembled(configuration, library, said=lambda *_, **__: None)
    task = asyncio.create_task(service.run())
    try:
        yield service
    finally:
        service.stop()
        await task


def at_the_broker(service: Service) -> bool:
    (wire,) = (one for one in service.supervisor.wires() if isinstance(one, BrokerWire))
    return wire.state.status == "open"


@contextlib.asynccontextmanager
async def witness(broker: Mosquitto) -> AsyncIterator[list[int]]:
    """How many entries each head has that is said at the broker, the one that it keeps first."""
    said: list[int] = []

    async def listens(reader: aiomqtt.Client) -> None:
        async for message in reader.messages:
            note = note_of(bytes(message.payload).decode())
            said.append(note.size)

    async with aiomqtt.Client("127.0.0.1", broker.port) as reader:
        await reader.subscribe(TOPIC, qos=1)
        listening = asyncio.create_task(listens(reader))
        await until(lambda: bool(said))
        yield said
        listening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await listening


async def lives(disk: Path, broker: Mosquitto, some: int) -> int:
    """felt runs, something happens, felt ends, and the broker has the last word of it."""
    async with felt(disk) as service:
        await until(lambda: at_the_broker(service))
        for _ in range(some):
            await service.core.post(happening(service.clock.wall_ms()))
    head = service.journal.head.seq
    async with witness(broker) as said:
        await until(lambda: said[-1] >= head)
    return head


def holds(service: Service) -> list[str]:
    return [one.cause for one in service.core.table.holds if one.where == "record"]


@pytest.mark.parametrize("some", [1, 5])
async def test_a_whole_disk_that_was_turned_back_is_seen(
    tmp_path: Path, disk: Path, broker: Mosquitto, some: int
) -> None:
    await lives(disk, broker, 3)
    shutil.copytree(disk, tmp_path / "older")
    known = await lives(disk, broker, some)
    shutil.rmtree(disk)
    shutil.copytree(tmp_path / "older", disk)
    async with felt(disk) as service:
        assert service.heads.dispute == ""
        await until(lambda: bool(holds(service)))
        (cause,) = holds(service)
    assert f"the broker 127.0.0.1:{broker.port} has a head of entry {known}" in cause


async def test_what_speaks_against_it_stays_until_it_is_on_record(
    tmp_path: Path, disk: Path, broker: Mosquitto
) -> None:
    await lives(disk, broker, 1)
    shutil.copytree(disk, tmp_path / "older")
    known = await lives(disk, broker, 8)
    shutil.rmtree(disk)
    shutil.copytree(tmp_path / "older", disk)
    async with witness(broker) as said:
        async with felt(disk) as service:
            await until(lambda: bool(holds(service)))
            (at,) = (
                entry.seq
                for entry in service.journal.entries(1)
                if b"record_disputed" in entry.body and str(known).encode() in entry.body
            )
        await until(lambda: len(said) > 1)
    assert said[0] == known
    assert min(said) >= at
    async with felt(disk) as service:
        await until(lambda: at_the_broker(service))
        await service.core.ping()
        assert service.heads.dispute == ""
        assert holds(service), "a restart ends no hold"


async def test_a_journal_that_was_begun_anew_is_seen(disk: Path, broker: Mosquitto) -> None:
    """With its head file and its logs: nothing on the disk knows of the other one."""
    await lives(disk, broker, 2)
    shutil.rmtree(disk / "state")
    (disk / "state").mkdir()
    (disk / "secrets" / "test-1.head").unlink()
    async with felt(disk) as service:
        assert service.heads.dispute == ""
        await until(lambda: bool(holds(service)))
        assert "has a head of felt/test-1/" in service.heads.dispute


async def test_nobody_elses_word_counts_and_nothing_is_lost_by_it(
    disk: Path, broker: Mosquitto
) -> None:
    known = await lives(disk, broker, 2)
    async with felt(disk) as service:
        honest = service.heads.note()
        assert honest is not None
    forged = [
        b"",
        b"\xff\xfe no head",
        str(honest._replace(size=known + 100)).encode(),
        str(honest._replace(size=known + 100, signatures=())).encode(),
    ]
    name, made = honest.signatures[0]
    other = honest._replace(size=known + 1, signatures=((name, made[:4] + bytes(64)),))
    forged.append(str(other).encode())
    for payload in forged:
        async with aiomqtt.Client("127.0.0.1", broker.port) as stranger:
            await stranger.publish(TOPIC, payload, qos=1, retain=True)
        async with felt(disk) as service:
            await until(partial(at_the_broker, service))
            await service.core.ping()
            assert service.heads.dispute == ""
            assert not holds(service)


async def test_an_honest_restart_finds_its_own_head(disk: Path, broker: Mosquitto) -> None:
    for some in (1, 4, 0):
        await lives(disk, broker, some)
        broker.kill()
        broker.start()
    async with felt(disk) as service:
        await until(lambda: at_the_broker(service))
        await service.core.ping()
        assert not holds(service)


def test_two_signatures_of_which_one_is_wrong_are_none() -> None:
    signer = Signer(bytes(range(32)), Header("test-1", 7))
    note = signer.note(Head(3, bytes(32)))
    assert signer.of(str(note).encode()) == note
    assert signer.of(str(signed_by(signer.key, note, bytes(64))).encode()) is None
