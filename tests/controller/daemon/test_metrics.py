"""The numbers of a real service, in the format that a collector reads."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from controller.daemon.metrics import Histogram, Metrics
from controller.daemon.scrape import MAX_REQUEST, Scrape
from controller.recorder import Taken
from controller.table import events
from controller.table.machine import new_table, step
from controller.table.people import Person
from tests.controller.daemon.house import House, table_file
from tests.controller.table.playing import open_table

LINE = re.compile(r'^(?P<name>[a-z_]+)(\{(?P<labels>([a-z]+="[^"\n]*",?)*)\})? (?P<value>[\d.]+)$')


def parsed(text: str) -> dict[str, float]:
    """Every sample by its name with labels; the format is checked on the way."""
    found: dict[str, float] = {}
    typed: set[str] = set()
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            typed.add(line.split()[2])
        elif not line.startswith("# HELP "):
            match = LINE.match(line)
            assert match, line
            base = re.sub(r"_(bucket|sum|count)$", "", match["name"])
            assert typed & {base, match["name"]}, line
            name = line.rpartition(" ")[0]
            assert name not in found, line
            found[name] = float(match["value"])
    assert text.endswith("\n")
    return found


def test_a_histogram_counts_up_to_each_bound() -> None:
    one = Histogram((0.1, 0.2))
    for value in (0.05, 0.1, 0.15, 3.0):
        one.add(value)
    assert list(one.lines("x", "y"))[2:] == [
        'x_bucket{le="0.1"} 2',
        'x_bucket{le="0.2"} 3',
        'x_bucket{le="+Inf"} 4',
        "x_sum 3.300000",
        "x_count 4",
    ]


async def test_events_are_counted_by_kind_and_outcome(tmp_path: Path) -> None:
    house = House(table_file(tmp_path))
    metrics = Metrics(house.service, house.service.clock)
    house.service.listen(metrics.told)
    house.service.core.took = metrics.journal.add
    async with house.running():
        floorperson = Person("floor-1", "floorperson")
        await house.takes(events.TableOpened(at=1, by=floorperson))
        await house.takes(events.TableOpened(at=2, by=floorperson))
        found = parsed(metrics.text())
    assert found['felt_events_total{kind="table_opened",outcome="taken"}'] == 1
    assert found['felt_events_total{kind="table_opened",outcome="refused"}'] == 1
    assert found["felt_journal_seconds_count"] == 2
    assert found['felt_phase{is="opening"}'] == 1
    assert found['felt_queue_length{queue="events"}'] == 0


async def test_a_lock_is_measured_from_the_button_to_the_last_device(tmp_path: Path) -> None:
    at = open_table("pa-639a").shuffles().antes(1, 3, progressive=100).locks()
    house = House(table_file(tmp_path))
    metrics = Metrics(house.service, house.service.clock)
    table = new_table(at.terms)
    for seq, event in enumerate(at.taken):
        done = step(at.terms, table, event)
        table = done.table
        metrics.told(event, Taken(seq, done))
    pressed = next(one for one in at.taken if isinstance(one, events.LockOutPressed))
    confirmed = [one for one in at.taken if isinstance(one, events.LockConfirmed)]
    assert sum(metrics.lock.counts) == 1
    assert metrics.lock.sum * 1000 == confirmed[-1].at - pressed.at
    async with house.running():
        pass


async def get(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /metrics HTTP/1.1\r\n\r\n", b"200"),
        (b"GET /else HTTP/1.1\r\n\r\n", b"404"),
        (b"POST /metrics HTTP/1.1\r\n\r\n", b"404"),
        (b"\x00\xff\r\n\r\n", b"404"),
        (b"GET /metrics HTTP/1.1\r\n" + b"x" * 3 * MAX_REQUEST, b"431"),
    ],
)
async def test_http_answers_one_question(request_: bytes, status: bytes) -> None:
    said: list[str] = []
    scrape = Scrape(0, lambda: "felt_x 1\n", lambda event, **_: said.append(event))
    task = asyncio.create_task(scrape.run())
    await scrape.listens.wait()
    answer = await get(scrape.port, request_)
    assert answer.startswith(b"HTTP/1.1 " + status)
    assert answer.endswith(b"felt_x 1\n") is (status == b"200")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_port_that_is_taken_is_said_and_stops_nothing() -> None:
    said: list[dict[str, str]] = []
    taken = await asyncio.start_server(lambda _r, _w: None, "127.0.0.1", 0)
    port = taken.sockets[0].getsockname()[1]
    async with taken:
        await Scrape(port, str, lambda _event, **facts: said.append(facts)).run()
    assert str(port) in said[0]["why"]
    assert "metrics_port" in said[0]["next_step"]
