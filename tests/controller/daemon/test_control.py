"""The control socket of a real service, over real connections."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.daemon import control, pins
from controller.daemon.client import Answered, Client, Unanswered, find
from controller.daemon.control import MAX_LINE, MAX_WRONG
from controller.daemon.peers import Peer, peer_of, roles_of
from controller.daemon.slots import EACH_TRUSTED, FOR_PAGES, FOR_ROOT, POOL
from controller.rules.faults import Refused
from controller.table import events
from controller.table.people import Person, Role
from tests.controller.daemon.house import House, table_file
from tests.drivers.wire.plugs import AT_LAST_S

#: As many connections as the user of the tests has room for: root, or the service's own.
ROOM = POOL + FOR_ROOT if os.getuid() == 0 else EACH_TRUSTED + FOR_PAGES


class Raw:
    """A client that says whatever it likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @staticmethod
    async def at(house: House) -> Raw:
        path = house.configuration.socket
        return Raw(*await asyncio.open_unix_connection(path, limit=1 << 24))

    async def says(self, line: bytes | dict[str, Any]) -> None:
        data = line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"
        self.writer.write(data)
        await self.writer.drain()

    async def hears(self) -> dict[str, Any]:
        line = await self.reader.readline()
        assert line, "the connection was closed"
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def leaves(self) -> None:
        self.writer.close()
        try:
            await self.writer.wait_closed()
        except OSError:
            return


async def test_status_comes_over_the_socket(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        said = await house.asks("status")
        assert (said["table"], said["phase"], said["round"]) == ("test-1", "closed", 0)
        (prompt,) = said["prompts"]
        assert (prompt["who"], prompt["text"]) == ("floorperson", "open the table")
        assert (prompt["answer"], prompt["seat"], prompt["clause"]) == ("table_opened", None, "")
        assert said["healthy"] is (said["wrong"] == [])


async def test_an_act_is_taken_and_says_what_is_next(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        open_ = events.TableOpened(at=1, by=Person("floor-1", "floorperson"))
        await house.takes(open_)
        deck = {"deck": "A", "colour": "red", "design": "bee"}
        done = await house.asks("deck_received", deck, as_="dealer-1")
        assert (done["phase"], done["repeated"]) == ("opening", False)
        assert "inspect" in done["prompts"][0]["text"]
        (received,) = house.recorded(events.DeckReceived)
        assert received.by.id == "dealer-1"


async def test_the_same_id_is_taken_once(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        open_ = events.TableOpened(at=1, by=Person("floor-1", "floorperson"))
        await house.takes(open_)
        deck = {"deck": "A", "colour": "red", "design": "bee", "id": "try-7"}
        first = await house.asks("deck_received", deck, as_="dealer-1")
        again = await house.asks("deck_received", deck, as_="dealer-1")
        assert (first["repeated"], again["repeated"]) == (False, True)
        assert len(house.service.recorder.table.decks) == 1


@pytest.mark.rule("R36", "R40")
async def test_a_wrong_role_is_refused_and_recorded(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        reason = {"person": "dealer-2", "reason": "he asked me to"}
        with pytest.raises(Answered, match="is for a supervisor, not for dealer-1") as refused:
            await house.asks("credential_unlocked", reason, as_="dealer-1")
        assert refused.value.code == "refused"
        (tried,) = house.recorded(events.CredentialUnlocked)
        assert tried.by == Person("dealer-1", "dealer")


@pytest.mark.rule("R36")
async def test_what_the_table_refuses_is_an_entry(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        with pytest.raises(Answered, match="not for the phase closed") as refused:
            await house.asks("seat_paid", {"seat": 1}, as_="dealer-1")
        assert refused.value.code == "refused"
        assert len(house.recorded(events.SeatPaid)) == 1
        with pytest.raises(Answered, match="stop is not for a dealer"):
            await house.asks("stop", as_="dealer-1")
        (attempt,) = house.recorded(events.AttemptRefused)
        assert (attempt.person, attempt.attempt) == ("dealer-1", "stop")


@pytest.mark.rule("R40")
async def test_wrong_pins_lock_over_any_number_of_connections(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    pins.keep(tmp_path / "secrets", "dealer-1", "1234")
    async with House(file).with_desk().running() as house:
        with pytest.raises(Answered, match="must give a PIN") as asked:
            await house.asks("seat_paid", {"seat": 1}, as_="dealer-1")
        assert asked.value.code == "pin"
        guesses = [house.asks("sign_on", as_="dealer-1", pin=f"{n:04}") for n in range(8)]
        done = await asyncio.gather(*guesses, return_exceptions=True)
        assert all(isinstance(one, Answered) for one in done)
        # Tried at the same time, and still only two of them were looked at before the wait.
        assert len(house.recorded(events.CredentialRefused)) == 2
        with pytest.raises(Answered, match="try again in 2 s"):
            await house.asks("sign_on", as_="dealer-1", pin="1234")


async def test_both_people_of_an_act_for_two_prove_themselves(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    for person, pin in (("technician-1", "5000"), ("floor-1", "4000")):
        pins.keep(tmp_path / "secrets", person, pin)
    async with House(file).with_desk().running() as house:
        given = {"second": {"id": "floor-1", "role": "floorperson"}, "reason": "new lamp"}
        with pytest.raises(Answered) as asked:
            await house.asks("maintenance_entered", given, as_="technician-1", pin="5000")
        assert asked.value.code == "pin"
        with pytest.raises(Answered, match="wrong"):
            await house.asks(
                "maintenance_entered", given, as_="technician-1", pin="5000", second_pin="0000"
            )
        done = await house.asks(
            "maintenance_entered", given, as_="technician-1", pin="5000", second_pin="4000"
        )
        assert "maintenance" in done["prompts"][0]["text"]


async def test_the_second_persons_word_is_for_one_act(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    for person, pin in (("technician-1", "5000"), ("floor-1", "4000")):
        pins.keep(tmp_path / "secrets", person, pin)
    second = {"second": {"id": "floor-1", "role": "floorperson"}, "reason": "new lamp"}

    def acts(path: Path) -> None:
        with Client(path) as client:
            who = {"as_": "technician-1", "pin": "5000", "second_pin": "4000"}
            client.ask("maintenance_entered", second, **who)
            # On the same connection, where the technician has proved already.
            for action, given, person in (
                ("maintenance_entered", second, "technician-1"), ("sign_on", {}, "floor-1"),
            ):  # fmt: skip
                with pytest.raises(Answered) as asked:
                    client.ask(action, given, as_=person)
                assert asked.value.code == "pin"

    async with House(file).with_desk().running() as house:
        await asyncio.to_thread(acts, house.configuration.socket)


@pytest.mark.rule("R34")
async def test_the_table_is_not_opened_before_the_self_check_passes(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        with pytest.raises(Answered, match=r"self-check: .*shoe, panel: no wire carries it"):
            await house.asks("table_opened", as_="floor-1")
        assert house.service.recorder.table.phase == "closed"
        assert [one.attempt for one in house.recorded(events.AttemptRefused)] == ["table_opened"]


async def test_watching_tells_every_event(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        raw = await Raw.at(house)
        await raw.says({"id": "w", "action": "watch"})
        assert (await raw.hears())["ok"]
        await house.takes(events.TableOpened(at=1, by=Person("floor-1", "floorperson")))
        told = await raw.hears()
        assert told["id"] == "w"
        change = told["change"]
        while change["event"] != "table_opened":
            change = (await raw.hears())["change"]
        assert (change["phase"], change["refused"]) == ("opening", None)
        assert change["prompts"]
        assert change["by"] == {"id": "floor-1", "role": "floorperson"}
        assert (change["said"], change["with"]) == ("the table is opened", {})
        # The connection still answers.
        await raw.says({"id": 2, "action": "health"})
        while (answer := await raw.hears()).get("id") != 2:
            pass
        assert answer["ok"]
        await raw.leaves()


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"nonsense\n",
        b"{}\n",
        b"[]\n",
        b'{"action": 7}\n',
        b'{"action": "status", "more": 1}\n',
        b'{"action": "no such thing"}\n',
        b'{"action": "seat_paid", "with": {"seat": 1}}\n',
        b'{"action": "seat_paid", "as": "dealer-1", "with": {"seat": "one"}}\n',
        b'{"action": "seat_paid", "as": "dealer-1", "with": {"seat": 1, "by": "me"}}\n',
        b'{"action": "seat_paid", "as": "dealer-1", "with": {"seat": 99}}\n',
        b"\xff\xfe\x00\n",
        b"[" * 20_000 + b"\n",
        b'{"action": "status", "with": ' + b'{"a":' * 5000 + b"1" + b"}" * 5001 + b"\n",
    ],
)
async def test_garbage_is_answered_and_harms_nothing(tmp_path: Path, line: bytes) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        raw = await Raw.at(house)
        await raw.says(line)
        if line.strip():
            answer = await raw.hears()
            assert not answer["ok"]
            assert answer["code"] == "bad request", answer
            assert "Traceback" not in answer["error"]
        await raw.says({"id": 1, "action": "who"})
        assert (await raw.hears())["ok"]
        await raw.leaves()


async def test_random_bytes_never_end_the_service(tmp_path: Path) -> None:
    chance = random.Random(7)
    async with House(table_file(tmp_path)).with_desk().running() as house:
        for _ in range(50):
            raw = await Raw.at(house)
            await raw.says(chance.randbytes(chance.randrange(1, 2000)) + b"\n")
            await raw.leaves()
        assert (await house.asks("who")) == {"on_duty": {}}


async def test_a_line_without_end_is_cut_off(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        raw = await Raw.at(house)
        await raw.says(b"x" * (4 * MAX_LINE))
        answer = await raw.hears()
        assert (answer["code"], str(MAX_LINE) in answer["error"]) == ("bad request", True)
        # What it has not read is thrown away, which the system tells as a reset.
        with contextlib.suppress(ConnectionResetError):
            assert await raw.reader.read() == b""
        await raw.leaves()


async def test_who_only_talks_nonsense_is_let_go(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        raw = await Raw.at(house)
        await raw.says(b"nonsense\n" * (2 * MAX_WRONG))
        answers = (await raw.reader.read()).splitlines()
        assert len(answers) == MAX_WRONG
        await raw.leaves()


async def test_more_clients_than_there_is_room_for_are_told(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        some = [await Raw.at(house) for _ in range(ROOM)]
        for raw in some:
            await raw.says({"id": 1, "action": "who"})
            assert (await raw.hears())["ok"]
        late = await Raw.at(house)
        assert (await late.hears())["code"] == "busy"
        await late.leaves()
        await some.pop().leaves()
        for _ in range(100):
            again = await Raw.at(house)
            await again.says({"id": 1, "action": "who"})
            answer = await again.hears()
            await again.leaves()
            if answer["ok"]:
                break
        assert answer["ok"]
        for raw in some:
            await raw.leaves()


async def test_a_client_that_does_not_read_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "SEND_S", 0.05)
    async with House(table_file(tmp_path)).with_desk().running() as house:
        raw = await Raw.at(house)
        transport = raw.writer.transport
        assert isinstance(transport, asyncio.Transport)
        transport.pause_reading()
        async with asyncio.timeout(AT_LAST_S):
            while not house.said or house.said[-1][0] != "control client let go":
                await raw.says({"id": 1, "action": "actions"})
                await asyncio.sleep(0.005)
        await raw.leaves()


# --- The socket's file --------------------------------------------------------


async def test_the_socket_is_for_its_group_and_goes_with_the_service(tmp_path: Path) -> None:
    house = House(table_file(tmp_path)).with_desk()
    path = house.configuration.socket
    async with house.running():
        mode = path.lstat().st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o660
    assert not path.exists()


async def test_a_stale_socket_is_replaced(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    path = tmp_path / "run" / "control.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left:
        left.bind(str(path))
    async with House(file).with_desk().running() as house:
        assert (await house.asks("health"))["wrong"] is not None


async def test_what_is_no_socket_is_not_removed(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    path = tmp_path / "run" / "control.sock"
    path.write_text("somebody's")
    house = House(file)
    with pytest.raises(Refused, match="is no socket"):
        house.with_desk()
    assert path.read_text() == "somebody's"


async def test_a_second_one_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    async with House(table_file(tmp_path)).with_desk().running() as house:
        assert house.desk is not None
        path = house.configuration.socket
        with pytest.raises(Refused, match="another felt"):
            control.Control(
                path, house.desk.actions, operators={}, group="", said=house.service.said
            )
        assert (await house.asks("who")) == {"on_duty": {}}


@pytest.mark.parametrize("service", ['control_group = "no-such-group"', 'runtime_x = ""'])
async def test_a_group_that_is_not_there_is_named(tmp_path: Path, service: str) -> None:
    with pytest.raises(Refused, match=r"no-such-group|runtime_x"):
        House(table_file(tmp_path, service=service)).with_desk()


# --- Peers --------------------------------------------------------------------


def test_the_system_tells_who_is_at_the_other_end() -> None:
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        peer = peer_of(one)
    assert (peer.pid, peer.uid) == (os.getpid(), os.getuid())
    assert os.getgid() in peer.gids
    assert set(os.getgroups()) <= peer.gids


def test_roles_follow_users_and_groups() -> None:
    operators: dict[str, list[Role]] = {
        "daemon": ["dealer"],
        "nobody": ["technician"],
        "no-such": ["floorperson"],
    }
    nobody, daemon = 65534, 1
    assert roles_of(Peer(1, nobody, frozenset()), operators) == {"technician"}
    assert roles_of(Peer(1, nobody, frozenset({daemon})), operators) == {"technician", "dealer"}
    assert roles_of(Peer(1, 12345, frozenset()), operators) == frozenset()
    assert len(roles_of(Peer(1, 0, frozenset()), {})) == 5
    assert len(roles_of(Peer(1, os.geteuid(), frozenset()), {})) == 5


@pytest.fixture
def anybodys() -> Iterator[Path]:
    """A folder that every user can look into; those that pytest makes are its own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
@pytest.mark.rule("R36")
async def test_another_user_may_look_and_not_act(anybodys: Path) -> None:
    async with House(table_file(anybodys)).with_desk().running() as house:
        path = house.configuration.socket
        path.chmod(0o666)
        script = (
            "import socket, sys\n"
            "s = socket.socket(socket.AF_UNIX)\n"
            "s.connect(sys.argv[1])\n"
            "f = s.makefile('rwb')\n"
            "for line in sys.argv[2:]:\n"
            "    f.write(line.encode() + b'\\n'); f.flush()\n"
            "    print(f.readline().decode(), end='')\n"
        )
        asked = (
            '{"action": "who"}',
            '{"action": "seat_paid", "with": {"seat": 1}, "as": "dealer-1"}',
        )
        process = await asyncio.create_subprocess_exec(
            "/usr/bin/env", "python3", "-c", script, str(path), *asked,
            stdout=asyncio.subprocess.PIPE, user=65534, group=65534, extra_groups=[], cwd="/",
        )  # fmt: skip
        out, _ = await process.communicate()
        looked, acted = (json.loads(line) for line in out.splitlines())
        assert looked["ok"]
        assert acted["code"] == "not allowed"
        (attempt,) = house.recorded(events.AttemptRefused)
        assert attempt.device.startswith("control socket, user nobody")


# --- The other end ------------------------------------------------------------


def test_nobody_there_is_said_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(Unanswered, match=r"nobody answers at .*start it"):
        Client(tmp_path / "control.sock")


def test_the_socket_is_found_by_the_table_file_even_if_it_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text('id = "x-1"\nrulebook = 7\n[service]\nruntime = "/run/here"\n')
    assert find(file, None) == Path("/run/here/control.sock")
    file.write_text('id = "x-1"\n')
    assert find(file, None) == Path("/run/felt/x-1/control.sock")
    for text in ("", "[", "id = 7\nservice = 3\n"):
        file.write_text(text)
        with pytest.raises(Refused, match="not a table file"):
            find(file, None)
