"""The reference of the table file: every key has a meaning, and every example is one."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from controller.cli import main
from controller.daemon import configuration
from controller.daemon.configuration import KINDS
from controller.library import Library, shipped
from controller.reference import keys
from controller.reference.meanings import DRIVERS, MEANINGS, OPTIONS, OWN_NAMES
from controller.rules.faults import Refused
from controller.tables import in_toml, read_file

LIBRARY = Library()
OF_MODELS = list(keys.of_models())
OF_RULEBOOKS = list(keys.of_rulebooks(LIBRARY))


def test_every_key_of_the_models_has_a_meaning_and_no_other_has() -> None:
    assert sorted(MEANINGS) == sorted(keys.paths())


def test_every_choice_of_a_rulebook_has_an_example_of_its_own() -> None:
    """Either a table file that felt comes with has it, or the reference does."""
    for one in OF_RULEBOOKS:
        name = one.path.removeprefix("options.")
        assert ((one.rulebook, name) in OPTIONS) != (name in table(one.rulebook)["options"]), one


@pytest.mark.parametrize("one", OF_MODELS, ids=lambda one: one.path)
def test_an_example_passes_the_check(one: keys.Key, tmp_path: Path) -> None:
    data = wired()
    for path, value in (*one.beside.items(), (one.path, one.example)):
        put(data, path, value)
    passes(data, tmp_path)


@pytest.mark.parametrize("one", list(keys.of_drivers()), ids=lambda one: one.path)
def test_an_example_of_a_drivers_option_passes_the_check(one: keys.Key, tmp_path: Path) -> None:
    kind = one.says.removeprefix("Of the ").partition(":")[0]
    name = one.path.rpartition(".")[2]
    assert DRIVERS[kind, name] == one.example
    data = wired()
    put(data, "wires.NAME.devices", [f"{kind} 1" if kind == "acceptor" else kind])
    put(data, "wires.NAME.options", {name: one.example})
    passes(data, tmp_path)


def test_every_option_of_a_driver_has_an_example_and_no_other_has() -> None:
    known = {(kind, name) for kind in KINDS for name in keys.options_of(kind)}
    assert set(DRIVERS) == known


@pytest.mark.parametrize("one", OF_RULEBOOKS, ids=lambda one: f"{one.rulebook} {one.name}")
def test_an_example_of_a_choice_passes_the_check(one: keys.Key, tmp_path: Path) -> None:
    data = copy.deepcopy(table(one.rulebook))
    for path, value in (*one.beside.items(), (one.path, one.example)):
        put(data, path, value)
    file = tmp_path / "table.toml"
    file.write_text(in_toml(data))
    assert main(["check", str(file)]) == 0


def test_what_is_no_example_does_not_pass(tmp_path: Path) -> None:
    data = wired()
    put(data, "wires.NAME.baud", 10)
    with pytest.raises(Refused, match=r"wires\.shoe\.baud"):
        passes(data, tmp_path)


@cache
def table(rulebook: str) -> dict[str, Any]:
    """The table file of a rulebook that felt comes with."""
    files = map(read_file, shipped("tables").glob("*.toml"))
    return next(one for one in files if one["rulebook"] == rulebook)


def wired() -> dict[str, Any]:
    """A table with each device on a wire, as the examples find it."""
    data = copy.deepcopy(table("pa-639a"))
    seats = [f"{kind} {seat}" for kind in ("acceptor", "terminal") for seat in range(1, 8)]
    data["wires"] = {
        "shoe": {"serial": "/dev/felt/shoe", "devices": ["shoe"]},
        "rest": {"serial": "/dev/felt/rest", "devices": ["shuffler", "panel"]},
        "seats": {"mqtt": "broker:1883", "devices": seats},
    }
    return data


def put(data: dict[str, Any], path: str, value: Any) -> None:
    """A value at its place; None takes what is there away."""
    *above, name = (OWN_NAMES.get(one, one) for one in path.split("."))
    at: Any = data
    for one in above:
        at = at[one.removesuffix("[]")][0] if one.endswith("[]") else at.setdefault(one, {})
    if value is None:
        at.pop(name, None)
    elif isinstance(value, dict):
        at[name] = {**at.get(name, {}), **value}
    else:
        at[name] = value


def passes(data: Mapping[str, Any], folder: Path) -> None:
    data = {**data, "wires": _each_once(data["wires"])}
    file = folder / "table.toml"
    file.write_text(in_toml(data))
    configuration.read(file, LIBRARY)


def _each_once(wires: dict[str, Any]) -> dict[str, Any]:
    """What an example has on its wire is on no other one, and what it leaves out is on one."""
    here = wires["shoe"]["devices"]
    rest = {name: dict(one) for name, one in wires.items() if name != "shoe"}
    for one in rest.values():
        one["devices"] = [device for device in one["devices"] if device not in here]
    found = {"shoe": wires["shoe"], **rest}
    if "rest" in found and "shoe" not in here:
        found["rest"]["devices"] = [*found["rest"]["devices"], "shoe"]
    return {name: one for name, one in found.items() if one["devices"]}


# --- At the terminal ------------------------------------------------------------


def test_one_key_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--explain", "ante.least"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "[ante]"
    assert "    e.g. least = 500" in said


@pytest.mark.parametrize("asked", ["baud", "wires.NAME.baud"])
def test_a_key_is_found_by_its_own_name_and_by_its_path(
    asked: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--explain", asked]) == 0
    assert "a whole number, 300 to 4000000; left out: 115200" in capsys.readouterr().out


def test_a_key_that_is_none_says_where_they_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--explain", "bauds"]) == 2
    assert "no key 'bauds'; felt check --explain lists them" in capsys.readouterr().err


def test_without_a_file_it_says_what_to_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 2
    assert "felt check FILE, or felt check --explain [KEY]" in capsys.readouterr().err
