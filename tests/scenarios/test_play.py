"""Whole tables: daemon, wires, devices and people, in virtual time, and the sums at the end.

Everything is the real thing but the hardware and the clock: ptys, frames, drivers.
"""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from controller.demo.show import Show
from controller.demo.table import Options
from controller.demo.view import View
from controller.journal.reader import Reader
from controller.library import Library
from controller.tables import read_file
from simulators import virtual_time
from simulators.sign import Sign

TABLES = Path(__file__).parents[2] / "config" / "tables"
BOOKS = sorted(file.stem for file in TABLES.glob("*.toml"))
METHODS = ("automated shoe", "manual shoe", "hand")
STARTS_AT = 1_767_225_600.0


def table(book: str, method: str | None = None) -> dict[str, Any]:
    data = read_file(TABLES / f"{book}.toml")
    if method is not None:
        data["method"] = method
    if data["method"] == "hand":
        data["devices"].setdefault("shuffler", {"counts": True})
    return data


def show_of(
    folder: Path, data: dict[str, Any], rounds: int, seed: int, pause: float = 0.25
) -> Show:
    options = Options(seed=seed, pause=pause, broker=False, starts_at=STARTS_AT)
    return Show(data, folder, Library(), options, rounds=rounds, view=View(io.StringIO()))


def played(folder: Path, data: dict[str, Any], rounds: int, seed: int) -> Show:
    show = show_of(folder, data, rounds, seed)
    virtual_time.run(show.run)
    return show


def method_of(book: str) -> str:
    """Each way of dealing comes up, with another rulebook each."""
    return METHODS[BOOKS.index(book) % len(METHODS)]


@pytest.mark.parametrize("book", BOOKS)
def test_a_table_is_played_and_adds_up(book: str, tmp_path: Path) -> None:
    show = played(tmp_path, table(book, method_of(book)), rounds=3, seed=BOOKS.index(book))
    reconciled(show, rounds=3)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("book", BOOKS)
def test_two_hundred_rounds_add_up(book: str, method: str, tmp_path: Path) -> None:
    reconciled(played(tmp_path, table(book, method), rounds=200, seed=11), rounds=200)


def reconciled(show: Show, rounds: int) -> None:
    """Journal, meters, accounts and cards; ``differences`` counts all of them a second time."""
    assert show.differences() == []
    assert show.totals is not None
    assert show.totals.rounds == rounds
    assert show.totals.settled > 0
    assert show.table is not None
    journal = show.simulated.configuration.journal
    verified = subprocess.run(
        [sys.executable, "-m", "controller", "verify", str(journal)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr
    [sign] = [device for device in show.simulated.devices if isinstance(device, Sign)]
    on_the_sign = {
        (meter.name, level): cents
        for meter in show.table.meters.values()
        for level, cents in meter.shows().items()
    }
    assert {key: sign.meters.get(key) for key in on_the_sign} == on_the_sign


def entries(folder: Path) -> list[Any]:
    """The journal without its wall times."""
    with Reader.look(folder / "state" / "journal.db") as file:
        return [
            (entry.kind, entry.round, timeless(json.loads(entry.body)))
            for entry in file.entries()
            if entry.kind != "checkpoint"
        ]


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: timeless(one) for key, one in value.items() if key != "at"}
    if isinstance(value, list):
        return [timeless(one) for one in value]
    return value


def test_one_seed_is_one_journal_and_another_is_another(tmp_path: Path) -> None:
    data = table("pa-669a")
    for name, seed in (("one", 7), ("again", 7), ("other", 8)):
        played(tmp_path / name, data, rounds=2, seed=seed)
    assert entries(tmp_path / "one") == entries(tmp_path / "again")
    assert entries(tmp_path / "one") != entries(tmp_path / "other")


@pytest.mark.rule("R12")
def test_no_face_is_written_anywhere_before_the_rules_reveal_it(tmp_path: Path) -> None:
    """A shoe that reads: the journal, the device logs and all that was said, looked through.

    Stopped in the middle of the decisions, when the dealer's cards are out and only one of them is
    up, nothing on the disk tells any of the others.
    """
    show = show_of(tmp_path, table("pa-639a"), rounds=1, seed=5)
    faces: dict[str, list[int]] = {}

    def stops_in_the_decisions(service: Any) -> None:
        def told(event: Any, taken: Any) -> None:
            if taken.step.table.phase == "deciding" and not faces:
                top = show.simulated.world.top
                faces.update({place: top.at(place) for place in top.piles if top.at(place)})
                service.stop()

        service.listen(told)

    show.prepared = stops_in_the_decisions
    virtual_time.run(show.run)
    assert show.table is not None
    hidden = [face for place, some in faces.items() if place.startswith("seat") for face in some]
    hidden += [face for face in faces["dealer"] if face != show.table.up_card]
    assert len(hidden) > 8
    said = repr(show.said)
    written = {file: file.read_bytes() for file in sorted(tmp_path.rglob("*")) if file.is_file()}
    assert any(file.suffix == ".db" for file in written)
    assert any("log" in file.name for file in written)
    names = [name_of(face) for face in hidden]
    for hand in runs(hidden, faces):
        for file, data in written.items():
            assert bytes(hand) not in data, file
            assert bytes(hand).hex().encode() not in data, file
            assert " ".join(map(name_of, hand)).encode() not in data, file
    for name in names:
        for file, data in written.items():
            if file.suffix != ".key":
                assert f'"{name}"'.encode() not in data, (file, name)
        assert f"'{name}'" not in said


def runs(hidden: list[int], faces: dict[str, list[int]]) -> list[list[int]]:
    """Stacks as they came out, whole and in parts that are long enough not to occur by chance."""
    stacks = [some for place, some in faces.items() if place.startswith("seat")]
    return [stack[n : n + 4] for stack in stacks for n in range(len(stack) - 3)]


def name_of(face: int) -> str:
    return "23456789TJQKA"[face >> 2] + "cdhs"[face & 3]


def test_the_search_would_find_a_face(tmp_path: Path) -> None:
    """What the test above looks for is found where it is allowed to be: after the reveal."""
    played(tmp_path, table("pa-639a"), rounds=1, seed=5)
    journal = (tmp_path / "state" / "journal.db").read_bytes()
    with Reader.look(tmp_path / "state" / "journal.db") as file:
        turned = [
            json.loads(entry.body)["cards"]
            for entry in file.entries()
            if entry.kind == "event" and b"hand_turned" in entry.body
        ]
    assert turned
    chance = random.Random(1)
    assert chance.choice(turned).encode() in journal
