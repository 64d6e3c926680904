"""Drivers are found by entry point; a package that is broken is named, and stops nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers import finding
from drivers.finding import NoDriver
from drivers.shoe import Shoe
from drivers.skeleton import Pedal
from tests.loaded import forgotten

__all__ = ["forgotten"]
pytestmark = pytest.mark.usefixtures("forgotten")

OURS = ["acceptor", "panel", "shoe", "shuffler", "sign", "skeleton", "terminal"]


class Packages:
    """Packages of other people, as an installer would leave them on the path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, name: str, source: str, *entry_points: str) -> None:
        (self.folder / f"{name}.py").write_text(source)
        info = self.folder / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("\n".join(["[felt.drivers]", *entry_points, ""]))


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Packages:
    monkeypatch.syspath_prepend(tmp_path)
    return Packages(tmp_path)


WORKS = """
from drivers.skeleton import Pedal

class Acme(Pedal):
    pass
"""


def test_felts_own_are_found() -> None:
    assert finding.names() == OURS
    assert finding.driver("shoe") is Shoe
    found = finding.find()
    assert sorted(found.drivers) == OURS
    assert not found.broken


def test_another_packages_driver_is_found(packages: Packages) -> None:
    packages.install("acme_works", WORKS, "acme = acme_works:Acme")
    assert issubclass(finding.driver("acme"), Pedal)
    assert finding.names() == ["acceptor", "acme", *OURS[1:]]


def test_an_unknown_one_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(NoDriver, match="no driver is called 'roulette'; there are: acceptor, pan"):
        finding.driver("roulette")


@pytest.mark.parametrize(
    ("name", "source", "why"),
    [
        ("acme_raises", "1 / 0", "of the package acme_raises can't be loaded: ZeroDivisionError"),
        ("acme_lacks", "import nowhere", "can't be loaded: ModuleNotFoundError: .*nowhere"),
        ("acme_empty", "", "can't be loaded: AttributeError"),
        ("acme_other", "class Acme: ...", "acme_other:Acme is not a subclass of Driver"),
        (
            "acme_half",
            "from drivers.contract import Driver\nclass Acme(Driver):\n    kind = 'panel'\n",
            "is not finished: it lacks heard, told",
        ),
        (
            "acme_nameless",
            "from drivers.contract import Driver\nclass Acme(Driver):\n"
            "    def heard(self, *given): ...\n    def told(self, *given): ...\n",
            "does not say what kind of device it drives",
        ),
    ],
)
def test_a_broken_package_is_named_and_skipped(
    packages: Packages, name: str, source: str, why: str
) -> None:
    packages.install(name, source, f"acme = {name}:Acme")
    with pytest.raises(NoDriver, match=why):
        finding.driver("acme")
    found = finding.find()
    assert sorted(found.drivers) == OURS
    assert list(found.broken) == ["acme"]
    assert name in found.broken["acme"]


def test_two_packages_with_one_name_are_both_named(packages: Packages) -> None:
    packages.install("acme_one", WORKS, "acme = acme_one:Acme")
    packages.install("acme_two", WORKS, "acme = acme_two:Acme")
    with pytest.raises(NoDriver, match="acme_one and acme_two both bring a driver called 'acme'"):
        finding.driver("acme")
