"""The broker that the daemon runs itself: what it turned away is said, and who has its port."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from controller.daemon import secrets, views
from controller.daemon.assembly import assembled
from controller.daemon.configuration import read
from controller.daemon.hints import hint
from controller.daemon.metrics import Metrics
from controller.daemon.service import Service
from controller.library import Library
from drivers.wire.broker_accounts import as_device
from drivers.wire.broker_client import Account
from drivers.wire.broker_turned import OFTEN, WORDS
from simulators.broker import BrokerPort
from simulators.sign import Sign
from tests.controller.daemon.house import table_file
from tests.drivers.wire import by_hand
from tests.drivers.wire.by_hand import BAD_LOGIN, calling
from tests.drivers.wire.mosquitto import free_port
from tests.drivers.wire.over_mqtt import until

Said = list[tuple[str, dict[str, Any]]]


def service_at(folder: Path, port: int, said: Said) -> Service:
    wire = f'[wires.net]\nmqtt = "embedded:{port}"\ndevices = ["sign"]\n'
    file = table_file(folder, more=wire)
    library = Library()
    configuration = read(file, library)
    for name in (*configuration.proving, secrets.FACES, secrets.HEADS):
        secrets.make_key(folder / "secrets", name)
    return assembled(configuration, library, said=lambda what, **facts: said.append((what, facts)))


@contextlib.asynccontextmanager
async def running(service: Service) -> AsyncIterator[None]:
    task = asyncio.create_task(service.run())
    try:
        yield
    finally:
        service.stop()
        await task


def status_of(service: Service) -> dict[str, Any]:
    return views.status(service, None, {})


def sign_of(service: Service) -> dict[str, Any]:
    return next(one for one in status_of(service)["devices"] if one["device"] == "sign")


async def test_what_it_turns_away_is_counted_and_said_as_long_as_it_goes_on(
    tmp_path: Path,
) -> None:
    said: Said = []
    port = free_port()
    service = service_at(tmp_path, port, said)
    metrics = Metrics(service, service.clock)
    key = secrets.key(tmp_path / "secrets", "sign")
    here = Account("127.0.0.1", port)
    sign = BrokerPort(as_device(here, "test-1", "sign", key), "test-1", Sign(name="sign", key=key))
    async with running(service):
        playing = asyncio.create_task(sign.run())
        await until(lambda: sign_of(service)["status"] in ("ready", "degraded"))
        assert status_of(service)["brokers"]["net"]["turned_away"] == {}
        for _ in range(OFTEN):
            async with calling(here) as one:
                assert await one.asks(by_hand.connect(here, "felt-test-1-felt")) == BAD_LOGIN
        standing = status_of(service)
        playing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await playing
    assert standing["brokers"]["net"]["port"] == port
    assert standing["brokers"]["net"]["turned_away"] == {"no account": OFTEN}
    (sentence,) = (one for one in standing["wrong"] if "the broker on port" in one)
    known = hint(sentence)
    assert known is not None
    assert "without an account" in known.cause
    text = metrics.text()
    assert f'felt_broker_turned_away_total{{wire="net",what="no account"}} {OFTEN}' in text
    assert 'felt_broker_turned_away_total{wire="net",what="held back"} 0' in text
    warned = [facts["warning"] for what, facts in said if what == "broker"]
    assert warned[0] == f"turned away, for the first time: {WORDS['no account']}"


def test_every_kind_has_its_remedy() -> None:
    for words in WORDS.values():
        assert hint(f"the broker on port 1883 turns away {words}: 5 times so far") is not None


async def test_whoever_has_its_port_is_told_nothing_of_felts(tmp_path: Path) -> None:
    said: Said = []
    squatter = socket.create_server(("127.0.0.1", 0))
    service = service_at(tmp_path, squatter.getsockname()[1], said)
    async with running(service):
        await until(lambda: sign_of(service)["status"] == "absent")
        found = sign_of(service)
        # felt's own broker has tried, and felt has not come to the one that is there.
        squatter.setblocking(False)
        came = True
        try:
            squatter.accept()[0].close()
        except BlockingIOError:
            came = False
    squatter.close()
    assert not came
    assert "felt's own broker can't listen on port" in found["reason"]
    assert found["next_step"] == "end what has the port, or name another one in the table file"


async def test_who_looks_on_needs_a_password_beside_the_keys(tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "secrets").mkdir(0o700)
    (tmp_path / "secrets" / "watch.password").write_text("looks on\n")
    service = service_at(tmp_path, port, [])
    here = Account("127.0.0.1", port)
    async with running(service):
        await until(lambda: status_of(service)["brokers"]["net"]["connections"] == 1)
        for password, answer in (("looks on", by_hand.IN), ("", BAD_LOGIN)):
            looker = replace(here, user="test-1/watch", password=password)
            async with calling(here) as one:
                assert await one.asks(by_hand.connect(looker)) == answer
