"""The commands that ask a running table, as real processes against a real service."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from controller.daemon import pins, secrets
from controller.table import events
from controller.table.people import Person
from tests.controller import inside
from tests.controller.commands import wired
from tests.controller.daemon.house import House, felt, table_file

# --- status -------------------------------------------------------------------


async def test_status_for_people_and_for_programs(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    async with House(file).with_desk().running() as house:
        await house.takes(events.DeviceFaulted(at=1, device="shoe", nature="its door is open"))
        for way in (("--table", file), ("--socket", house.configuration.socket)):
            done = await felt("status", *way)
            assert done.code == 1
            assert "test-1 (pa-639a): closed, round 0" in done.out
            assert "HOLD 1, shoe: its door is open" in done.out
            assert "See who did and why" in done.out
        said = json.loads((await felt("status", "--table", file, "--json")).out)
        assert said["holds"][0]["where"] == "shoe"


async def test_without_a_service_it_says_how_to_start_one(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    for words in (("status",), ("act",), ("watch",), ("signature", "--running")):
        done = await felt(*words, "--table", file)
        assert (done.code, done.out) == (2, "")
        assert "nobody answers at" in done.err
        assert done.err.count("\n") == 1


# --- act and watch ------------------------------------------------------------


async def test_act_lists_and_does(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    async with House(file).with_desk().running() as house:
        listed = await felt("act", "--all", "--table", file)
        assert listed.code == 0
        assert "lock_out_pressed" in listed.out
        await house.takes(events.TableOpened(at=1, by=Person("floor-1", "floorperson")))
        deck = ("deck=A", "colour=red", "design=bee")
        done = await felt("act", "deck_received", *deck, "--as", "dealer-1", "--table", file)
        assert done.code == 0, done.err
        assert "opening" in done.out
        refused = await felt("act", "seat_paid", "seat=1", "--as", "dealer-1", "--table", file)
        assert (refused.code, refused.out) == (1, "")
        assert "not for the phase opening" in refused.err


async def test_act_takes_what_the_table_offers(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    async with House(file).with_desk().running() as house:
        await house.takes(events.TableOpened(at=1, by=Person("floor-1", "floorperson")))
        shown = await felt("act", "--table", file)
        assert shown.code == 0, shown.err
        assert "lock_out_pressed" not in shown.out
        (line,) = [one for one in shown.out.splitlines() if "  Receive a deck  " in one]
        assert "dealer" in line
        assert "colour=...  the colour of its back" in shown.out
        offer = line.split()[0]
        assert offer in (await felt("status", "--table", file)).out
        words = ("deck=A", "colour=red", "design=bee", "--as", "dealer-1", "--table", file)
        done = await felt("act", "take", offer, *words)
        assert done.code == 0, done.err
        assert "opening, round 0" in done.out
        (received,) = house.recorded(events.DeckReceived)
        assert (received.deck, received.by.id) == ("A", "dealer-1")
        gone = await felt("act", "take", offer, *words)
        assert gone.code == 2
        assert "is not offered now" in gone.err
        listed = json.loads((await felt("act", "--json", "--table", file)).out)
        assert listed["offers"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("act", "take"), "take which offer?"),
        (("act", "take", "no-such"), "is not offered now"),
        (("act", "no_such"), "there is no action"),
        (("act", "seat_paid", "seat"), "is not NAME=VALUE"),
        (("act", "seat_paid", "chair=1"), "does not take it"),
        (("act", "seat_paid", "seat=one", "--as", "dealer-1"), "seat"),
        (("act", "seat_paid", "seat=1"), "say who"),
        (("act", "seat_paid", "seat=1", "--as", "dealer-1:king"), "is no role"),
        (("act", "exposure_decided", "reason=x", "void=perhaps"), "neither yes nor no"),
    ],
)
async def test_what_act_does_not_understand(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    file = table_file(tmp_path)
    async with House(file).with_desk().running():
        done = await felt(*words, "--table", file)
        assert done.code in (1, 2)
        assert done.out == ""
        assert said in done.err


async def test_an_act_for_two_with_both_pins(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    for person, pin in (("technician-1", "1111"), ("floor-1", "2222")):
        pins.keep(tmp_path / "secrets", person, pin)
    words = ("act", "maintenance_entered", "second=floor-1:floorperson", "reason=new lamp")
    async with House(file).with_desk().running() as house:
        who = ("--as", "technician-1", "--table", file)
        asked = await felt(*words, *who)
        assert asked.code == 2
        assert "technician-1 must give a PIN" in asked.err
        done = await felt(*words, *who, "--pin-stdin", stdin="1111\n2222\n")
        assert done.code == 0, done.err
        assert house.service.recorder.table.holds


async def test_watch_prints_what_happens(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    async with House(file).with_desk().running() as house:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "controller", "watch", "--table", str(file),
            stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        assert (await process.stdout.readline()).startswith(b"after entry")
        await house.takes(events.TableOpened(at=1, by=Person("floor-1", "floorperson")))
        while b"the table is opened  (floor-1)" not in (line := await process.stdout.readline()):
            assert line
        assert b"-- opening, round 0" in await process.stdout.readline()
        process.terminate()
        await process.wait()


# --- signature ----------------------------------------------------------------


@pytest.mark.rule("R35")
async def test_the_command_line_and_the_table_give_the_same_signature(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    key = tmp_path / "lab.key"
    key.write_text("0123456789abcdef" * 4 + "\n")
    async with House(file).with_desk().running():
        words = ("signature", "--table", file, "--key", key, "--json")
        here, there = await felt(*words), await felt(*words, "--running")
        assert here.code == 0, here.err
        assert json.loads(here.out) == json.loads(there.out)
        assert "hmac" in json.loads(here.out)


def test_what_is_recorded_is_compared(tmp_path: Path) -> None:
    """In this process, as no service is asked: a new one compiles every package again."""
    file = table_file(tmp_path)
    assert inside.felt("signature", "--table", file, "--record").returncode == 0
    shown = inside.felt("doctor", "--table", file).stdout
    assert (
        "approval: program, packages, python, imports, rulebooks, configuration as approved"
        in shown
    )
    file.write_text(file.read_text() + "\n")
    shown = inside.felt("doctor", "--table", file).stdout
    assert "configuration is not the approved one" in shown
    bad = inside.felt("signature", "--key", tmp_path / "none")
    assert (bad.returncode, bad.stdout) == (2, "")


# --- keys and pin -------------------------------------------------------------


async def test_keys_are_made_once(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    folder = tmp_path / "new" / "secrets"
    first = await felt("keys", folder, "--table", file)
    assert first.code == 0
    assert "5 made, 0 were there" in first.out
    assert "the heads of its journal are signed by felt/test-1+" in first.out
    before = secrets.key(folder, "shoe")
    assert "0 made, 5 were there" in (await felt("keys", folder, "--table", file)).out
    assert secrets.key(folder, "shoe") == before
    assert folder.stat().st_mode & 0o777 == 0o700


def test_devices_off_the_shelf_get_no_key_and_none_is_missed(tmp_path: Path) -> None:
    service = f'secrets = "{tmp_path}/secrets"'
    file = wired.table_file(tmp_path, service=service)
    made = inside.felt("keys", tmp_path / "secrets", "--table", file)
    assert made.returncode == 0
    assert "who they are: panel\n" in made.stdout
    kept = {one.name for one in (tmp_path / "secrets").iterdir()}
    assert kept >= {"shoe.key", "shuffler.key", "acceptor-1.key", "faces.key"}
    assert "panel.key" not in kept
    shown = inside.felt("doctor", "--table", file).stdout
    assert "secrets is private" in shown
    assert "panel.key" not in shown
    assert "is missing" not in shown


async def test_a_pin_is_set_for_people_of_the_table(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    done = await felt("pin", "dealer-1", "--table", file, "--stdin", stdin="4711\n")
    assert done.code == 0, done.err
    assert pins.is_right(pins.read(tmp_path / "secrets")["dealer-1"], "4711")
    assert "4711" not in done.out
    for person, pin, said in (("eve", "4711", "not among"), ("dealer-1", "x", "digits")):
        bad = await felt("pin", person, "--table", file, "--stdin", stdin=f"{pin}\n")
        assert bad.code == 2
        assert said in bad.err


# --- run ----------------------------------------------------------------------


async def test_a_second_felt_leaves_the_first_alone_and_does_not_say_it_is_stopped(
    tmp_path: Path,
) -> None:
    file = table_file(tmp_path)
    await felt("keys", tmp_path / "secrets", "--table", file)
    async with House(file).with_desk().running() as house:
        second = await felt("run", "--config", file)
        assert second.code == 3
        assert "the table is not started: " in second.err
        assert f"is in use by process {os.getpid()}" in second.err
        taken = await house.takes(events.DeviceFaulted(at=1, device="shoe", nature="jam"))
        assert not taken.step.refused


async def test_a_key_that_is_missing_is_named_with_what_makes_it(tmp_path: Path) -> None:
    file = table_file(tmp_path)
    await felt("keys", tmp_path / "secrets", "--table", file)
    (tmp_path / "secrets" / "shoe.key").unlink()
    done = await felt("run", "--config", file)
    assert done.code == 2
    step = f"felt keys {tmp_path}/secrets --table TABLE.toml makes it"
    assert done.err == f"felt run: {file}: {tmp_path}/secrets/shoe.key: is missing; {step}\n"
    assert not [one for one in (tmp_path / "state").iterdir() if "lock" in one.name]


async def test_felt_alone_lists_what_it_can_do() -> None:
    done = await felt()
    assert done.code == 2
    for command in ("run", "status", "doctor", "install"):
        assert f"\n    {command} " in done.err
