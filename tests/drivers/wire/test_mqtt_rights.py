"""The broker as config/broker sets it up: who gets in, and who may say and hear what."""

from __future__ import annotations

import asyncio
import os
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import aiomqtt
import pytest

from drivers.wire import messages
from drivers.wire.broker_client import Account, Nature, TlsFiles
from drivers.wire.notices import Answered
from tests.drivers.wire.mosquitto import Mosquitto
from tests.drivers.wire.over_mqtt import Device, Felt, next_publish, running, until, wagers

SET_UP = Path(__file__).resolve().parents[3] / "config" / "broker" / "set-up"
DEVICES = ("acceptor 3", "acceptor 4")


class Guarded(Mosquitto):
    """A broker made by ``set-up``, but for its port and its user."""

    def __init__(self, folder: Path, host: str = "127.0.0.1") -> None:
        super().__init__(folder)
        self.folder = folder / "felt"
        self.set_up("Table 12", *DEVICES, host=host)
        made = (self.folder / "mosquitto.conf").read_text()
        assert "listener 8883\n" in made
        made = made.replace("listener 8883", f"listener {self.port} 127.0.0.1")
        made = made.replace("log_dest stderr", f"log_dest file {self.log}")
        # As root it would become another user, who may not read a test's folder.
        self._file.write_text(made + ("user root\n" if os.geteuid() == 0 else ""))

    def set_up(self, *table_and_devices: str, host: str = "127.0.0.1") -> None:
        subprocess.run(
            [SET_UP, self.folder, host, *table_and_devices], check=True, capture_output=True
        )

    def of(self, device: str, table: str = "table-12") -> Account:
        password = (self.folder / "secrets" / table / f"{device}.password").read_text().strip()
        return self.account(f"{table}/{device}", password, TlsFiles(str(self.folder / "ca.pem")))


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Guarded]:
    broker = Guarded(tmp_path)
    broker.start()
    yield broker
    broker.kill()


@asynccontextmanager
async def _client(account: Account, name: str = "") -> AsyncIterator[aiomqtt.Client]:
    assert account.tls is not None
    async with aiomqtt.Client(
        account.host,
        account.port,
        username=account.user,
        password=account.password,
        identifier=name or None,
        tls_context=account.tls.context(),
    ) as client:
        yield client


def test_a_set_up_that_was_interrupted_is_finished_by_the_next(tmp_path: Path) -> None:
    """felt's password was made, and the broker never heard of it."""
    broker = Guarded(tmp_path)
    passwords = broker.folder / "passwords"
    before = passwords.read_text().splitlines()
    passwords.write_text("\n".join(one for one in before if "/felt:" not in one) + "\n")
    secret = (broker.folder / "secrets/table-12/felt.password").read_text()
    broker.set_up("Table 12", *DEVICES)
    after = passwords.read_text().splitlines()
    accounts = [one.partition(":")[0] for one in after]
    assert sorted(accounts) == sorted(one.partition(":")[0] for one in before)
    assert (broker.folder / "secrets/table-12/felt.password").read_text() == secret
    # Who was there keeps what they have.
    assert {one for one in before if "/felt:" not in one} <= set(after)


def test_without_a_broker_nothing_is_made_and_it_is_said(tmp_path: Path) -> None:
    few = tmp_path / "bin"
    few.mkdir()
    for name in ("bash", "dirname", "openssl"):
        (few / name).symlink_to(shutil.which(name) or "")
    done = subprocess.run(
        ["/bin/bash", SET_UP, tmp_path / "felt", "127.0.0.1", "Table 12", "sign"],
        env={"PATH": str(few)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "there is no mosquitto_passwd here" in done.stderr
    assert "apt install mosquitto" in done.stderr
    assert not (tmp_path / "felt").exists()


async def test_a_table_plays_over_tls_with_an_account_each(guarded: Guarded) -> None:
    felt = Felt(guarded.of("felt"), *DEVICES)
    devices = [Device(guarded.of(name.replace(" ", "-")), name) for name in DEVICES]
    async with running(felt.wire, *(device.end for device in devices)):
        await felt.meets()
        for device in devices:
            device.tell(*wagers(range(10)))
        number = felt.tell(messages.Lock(), "acceptor 4")
        assert isinstance(await felt.answer_to(number), Answered)
        await until(lambda: len(felt.journal) == 20)
        devices[0].end.show("here")
    assert [device.done for device in devices] == [[], [messages.Lock()]]


async def test_a_device_can_not_speak_for_another(guarded: Guarded) -> None:
    whats = ("info", "ack", "event", "state", "status", "cmd")
    async with _client(guarded.of("acceptor-3")) as thief, _client(guarded.of("felt")) as felt:
        await felt.subscribe("felt/table-12/#", qos=1)
        for what in whats:
            await thief.publish(f"felt/table-12/acceptor-4/{what}", b"forged", qos=1)
            await thief.publish(f"felt/table-13/acceptor-3/{what}", b"forged", qos=1)
        await thief.publish("felt/table-12/felt/state", b"forged", qos=1)
        # Not even a command to itself.
        await thief.publish("felt/table-12/acceptor-3/cmd", b"forged", qos=1)
        await thief.publish("felt/table-12/acceptor-3/event", b"its own", qos=1)
        assert await next_publish(felt) == ("felt/table-12/acceptor-3/event", b"its own")


async def test_a_device_can_not_hear_anothers_commands(guarded: Guarded) -> None:
    async with _client(guarded.of("acceptor-3")) as thief, _client(guarded.of("felt")) as felt:
        for topic in ("#", "felt/#", "felt/table-12/acceptor-4/cmd", "felt/table-12/+/cmd"):
            await thief.subscribe(topic, qos=1)
        for device in ("acceptor-4", "acceptor-3"):
            await felt.publish(f"felt/table-12/{device}/cmd", device.encode(), qos=1)
        assert await next_publish(thief) == ("felt/table-12/acceptor-3/cmd", b"acceptor-3")


async def test_felt_of_one_table_has_no_say_at_another(guarded: Guarded) -> None:
    guarded.stop()
    guarded.set_up("Table 13", "acceptor 3")
    guarded.start()
    other = guarded.of("acceptor-3", "table-13")
    async with _client(other) as device, _client(guarded.of("felt")) as felt:
        await device.subscribe("felt/table-13/acceptor-3/cmd", qos=1)
        await felt.publish("felt/table-13/acceptor-3/cmd", b"from table 12", qos=1)
        async with _client(guarded.of("felt", "table-13")) as right:
            await right.publish("felt/table-13/acceptor-3/cmd", b"from table 13", qos=1)
        assert await next_publish(device) == ("felt/table-13/acceptor-3/cmd", b"from table 13")


async def test_nobody_takes_another_ones_place_by_its_name(guarded: Guarded) -> None:
    felt, device = Felt(guarded.of("felt")), Device(guarded.of("acceptor-3"))
    async with running(felt.wire, device.end):
        await felt.meets()
        for name in ("felt-table-12-felt", "table-12/felt", "felt-table-12-acceptor-3"):
            async with _client(guarded.of("acceptor-4"), name) as thief:
                await thief.subscribe("felt/#", qos=1)
        number = felt.tell(messages.Lock())
        assert isinstance(await felt.answer_to(number), Answered)
        assert felt.losses() == []


async def test_a_technician_looks_on_and_is_not_heard(guarded: Guarded) -> None:
    felt, device = Felt(guarded.of("felt")), Device(guarded.of("acceptor-3"))
    async with running(felt.wire, device.end), _client(guarded.of("watch")) as technician:
        await technician.subscribe("felt/table-12/#", qos=1)
        await felt.meets()
        await technician.publish("felt/table-12/acceptor-3/cmd", b"forged", qos=1)
        number = felt.tell(messages.Lock())
        assert isinstance(await felt.answer_to(number), Answered)
        seen: list[tuple[str, bytes]] = []
        while not any(topic.endswith("/ack") for topic, _ in seen):
            seen.append(await next_publish(technician))
    assert b"forged" not in [payload for _, payload in seen]


async def test_running_set_up_again_changes_nothing(guarded: Guarded) -> None:
    kept = {path: path.read_bytes() for path in guarded.folder.rglob("*") if path.is_file()}
    guarded.set_up("Table 12", *DEVICES)
    assert {path: path.read_bytes() for path in kept} == kept


# --- Not let in ---------------------------------------------------------------


async def _turned_away(account: Account, nature: Nature) -> str:
    felt = Felt(account)
    async with running(felt.wire):
        await until(lambda: felt.wire.state.trouble)
        trouble = felt.wire.state.trouble
        assert trouble is not None
        assert trouble.nature == nature
        assert str(account) in trouble.reason
        assert str(account) in trouble.next_step
        assert not account.password or account.password not in f"{trouble}{account!r}"
        return trouble.reason


async def test_a_wrong_password(guarded: Guarded) -> None:
    account = replace(guarded.of("felt"), password="guessed")
    reason = await _turned_away(account, "not authorised")
    assert reason == f"the broker at {account} does not let us in as 'table-12/felt'"


async def test_no_account_at_all(guarded: Guarded) -> None:
    await _turned_away(replace(guarded.of("felt"), user="", password=""), "not authorised")


async def test_the_account_of_somebody_else(guarded: Guarded) -> None:
    """It gets in, and what it says is not handed on: that is no connection either."""
    account = guarded.of("acceptor-3")
    reason = await _turned_away(account, "not authorised")
    assert "does not allow us to write and read felt/table-12/felt/state" in reason


async def test_an_authority_that_we_do_not_know(guarded: Guarded, tmp_path: Path) -> None:
    other = tmp_path / "other"
    await asyncio.to_thread(_set_up, other, "127.0.0.1")
    account = replace(guarded.of("felt"), tls=TlsFiles(str(other / "ca.pem")))
    reason = await _turned_away(account, "tls")
    assert f"the certificate of {account} is not to be trusted" in reason


async def test_a_certificate_for_another_host(guarded: Guarded) -> None:
    account = replace(guarded.of("felt"), host="localhost")
    reason = await _turned_away(account, "tls")
    assert "localhost" in reason


async def test_a_broker_that_wants_tls_and_a_client_that_does_not(guarded: Guarded) -> None:
    await _turned_away(replace(guarded.of("felt"), tls=None), "lost")


async def test_a_client_that_wants_tls_and_a_broker_that_does_not(
    guarded: Guarded, tmp_path: Path
) -> None:
    plain = Mosquitto(tmp_path)
    plain.start()
    try:
        await _turned_away(replace(guarded.of("felt"), port=plain.port), "tls")
    finally:
        plain.kill()


async def test_a_file_that_is_not_there(guarded: Guarded) -> None:
    await _turned_away(replace(guarded.of("felt"), tls=TlsFiles("/nowhere/ca.pem")), "files")


async def test_a_publish_that_is_too_long_does_not_reach_felt(guarded: Guarded) -> None:
    felt, device = Felt(guarded.of("felt")), Device(guarded.of("acceptor-3"))
    async with running(felt.wire, device.end):
        await felt.meets()
        before = felt.wire.counts.bytes_in
        big = guarded.of("acceptor-4")
        assert big.tls is not None
        publish = await asyncio.create_subprocess_exec(
            *("mosquitto_pub", "-h", big.host, "-p", str(big.port), "--cafile", big.tls.ca),
            *("-u", big.user, "-P", big.password, "-t", "felt/table-12/acceptor-4/event", "-s"),
            stdin=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        await publish.communicate(bytes(100_000))
        number = felt.tell(messages.Lock())
        assert isinstance(await felt.answer_to(number), Answered)
        assert felt.wire.counts.bytes_in - before < 100_000


def test_the_certificate_is_for_the_host(tmp_path: Path) -> None:
    _set_up(tmp_path / "b", "broker.local")
    told = ssl._ssl._test_decode_cert(str(tmp_path / "b" / "server.pem"))  # type: ignore[attr-defined]
    assert told["subjectAltName"] == (("DNS", "broker.local"),)


async def test_a_certificate_of_our_own_where_the_broker_wants_one(tmp_path: Path) -> None:
    broker = Guarded(tmp_path)
    made = broker.folder
    lines = broker._file.read_text()
    broker._file.write_text(
        lines.replace("allow_anonymous", "require_certificate true\nallow_anonymous")
    )
    await asyncio.to_thread(_sign, made)
    broker.start()
    try:
        account = broker.of("felt")
        tls = TlsFiles(str(made / "ca.pem"), str(made / "felt.pem"), str(made / "felt.key"))
        felt = Felt(replace(account, tls=tls))
        async with running(felt.wire):
            await until(lambda: felt.wire.state.status == "open")
        without = Felt(account)
        async with running(without.wire):
            await until(lambda: without.wire.state.trouble)
            assert without.wire.state.status == "absent"
    finally:
        broker.kill()


def _set_up(folder: Path, host: str) -> None:
    subprocess.run([SET_UP, folder, host, "t", "d"], check=True, capture_output=True)


def _sign(folder: Path) -> None:
    def openssl(*args: str) -> None:
        subprocess.run(["openssl", *args], check=True, capture_output=True, cwd=folder)

    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl("req", *curve, "-subj", "/CN=felt", "-keyout", "felt.key", "-out", "felt.csr")
    authority = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial")
    openssl("x509", "-req", "-in", "felt.csr", *authority, "-days", "9", "-out", "felt.pem")
