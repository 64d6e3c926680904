"""``felt driver``: wheels of vendors, looked through, unpacked whole or not at all."""

from __future__ import annotations

import base64
import hashlib
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.cli import main
from controller.commands import driver, wheels
from controller.rules.faults import Refused
from tests.loaded import forgotten

__all__ = ["forgotten"]
pytestmark = pytest.mark.usefixtures("forgotten")

WORKS = "from drivers.skeleton import Pedal\n\nclass Acme(Pedal):\n    pass\n"
POINT = "[felt.drivers]\nacme-{0} = acme_{0}:Acme\n"


def wheel(
    folder: Path,
    name: str = "one",
    source: str = WORKS,
    *,
    version: str = "1.0",
    tag: str = "py3-none-any",
    needs: tuple[str, ...] = ("felt-table",),
    points: str = POINT,
    more: dict[str, str] | None = None,
    forged: str = "",
) -> Path:
    """As a build makes it; ``forged`` is put in place of the source once that is listed."""
    info = f"acme_{name}-{version}.dist-info"
    about = f"Metadata-Version: 2.1\nName: acme-{name}\nVersion: {version}\n"
    files = {
        f"acme_{name}.py": source,
        f"{info}/METADATA": about + "".join(f"Requires-Dist: {one}\n" for one in needs),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nTag: {tag}\n",
        **({f"{info}/entry_points.txt": points.format(name)} if points else {}),
        **(more or {}),
    }
    record = "".join(f"{path},sha256={_digest(text)},{len(text)}\n" for path, text in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    if forged:
        files[f"acme_{name}.py"] = forged
    file = folder / f"acme_{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(file, "w") as opened:
        for path, text in files.items():
            opened.writestr(path, text)
    return file


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the launcher of the package would look."""
    vendors = tmp_path / "local" / "felt"
    monkeypatch.syspath_prepend(vendors)
    yield vendors
    for name in [one for one in sys.modules if one.startswith("acme_")]:
        del sys.modules[name]


def there(folder: Path) -> dict[str, str]:
    found = sorted(one for one in folder.rglob("*") if one.is_file())
    return {str(one.relative_to(folder)): one.read_text() for one in found}


def test_a_driver_is_added_and_taken_away_again(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    driver.add([wheel(tmp_path)], folder)
    said = capsys.readouterr().out
    assert f"acme-one 1.0 is in {folder}" in said
    assert 'in the table file: driver = "acme-one", devices = ["pedal"]' in said
    assert "felt signature --table" in said
    assert there(folder)["acme_one.py"] == WORKS
    assert {one.stat().st_mode & 0o777 for one in folder.rglob("*") if one.is_file()} == {0o644}
    driver.remove("acme_one", folder)
    assert f"acme-one 1.0 is gone from {folder}" in capsys.readouterr().out
    assert not there(folder)


def test_a_newer_one_takes_the_place_of_the_older(tmp_path: Path, folder: Path) -> None:
    driver.add([wheel(tmp_path, more={"acme_parts/old.py": ""})], folder)
    del sys.modules["acme_one"]
    newer = WORKS + "    NEWER = True\n"
    driver.add([wheel(tmp_path, source=newer, version="1.1")], folder)
    assert there(folder)["acme_one.py"] == newer
    assert not any("1.0" in path or "old" in path for path in there(folder))


def test_what_it_needs_comes_with_it_and_is_not_taken_from_under_it(
    tmp_path: Path, folder: Path
) -> None:
    needing = wheel(tmp_path, needs=("felt-table", "acme-two>=1", "hypothesis; extra == 'test'"))
    needed = wheel(tmp_path, "two", "X = 1\n", needs=(), points="")
    with pytest.raises(Refused, match="acme-one: needs acme-two; give their wheels with it"):
        driver.add([needing], folder)
    driver.add([needing, needed], folder)
    with pytest.raises(Refused, match="acme-one needs it; take that away first"):
        driver.remove("acme-two", folder)
    driver.remove("acme-one", folder)
    driver.remove("acme-two", folder)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"forged": "import os\n"}, "acme_one.py in it is not as its list has it"),
        ({"tag": "cp39-cp39-manylinux2014_x86_64"}, "is for cp39-cp39-manylinux2014_x86_64"),
        ({"more": {"acme.pth": "import acme"}}, "is not for a folder of packages"),
        ({"more": {"../acme.py": ""}}, "is not for a folder of packages"),
        ({"more": {"acme_one-1.0.data/scripts/felt": ""}}, "puts scripts elsewhere on the PC"),
        ({"more": {"controller/rules/cards.py": ""}}, "modules that felt has too: controller"),
        ({"more": {"json.py": ""}}, "modules that felt has too: json"),
        ({"points": ""}, "brings no driver"),
        ({"points": "felt.drivers"}, "its entry points can't be read"),
        ({"source": "1 / 0\n"}, "can't be loaded: ZeroDivisionError"),
        ({"source": "class Acme: ...\n"}, "is not a subclass of Driver"),
    ],
)
def test_what_is_not_a_drivers_is_refused_and_nothing_is_changed(
    tmp_path: Path, folder: Path, given: dict[str, str], why: str
) -> None:
    driver.add([wheel(tmp_path, "two")], folder)
    before = there(folder)
    with pytest.raises(Refused, match=why):
        driver.add([wheel(tmp_path, **given)], folder)  # type: ignore[arg-type]
    assert there(folder) == before
    assert [one.name for one in folder.parent.iterdir()] == ["felt"]


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"not a wheel"])
def test_what_is_no_wheel_is_refused(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "acme.whl"
    file.write_bytes(data)
    with pytest.raises(Refused, match=r"acme\.whl: is no wheel"):
        wheels.read(file)
    with pytest.raises(Refused, match="can't be read: No such file"):
        wheels.read(tmp_path / "nowhere.whl")


def test_two_packages_share_no_module_and_no_driver(tmp_path: Path, folder: Path) -> None:
    driver.add([wheel(tmp_path)], folder)
    same_file = wheel(tmp_path, "two", more={"acme_one.py": "X = 1\n"})
    with pytest.raises(Refused, match=r"acme-one has acme_one\.py too; remove one of them"):
        driver.add([same_file], folder)
    same_name = wheel(tmp_path, "two", points="[felt.drivers]\nacme-one = acme_two:Acme\n")
    with pytest.raises(Refused, match="both bring a driver called 'acme-one'"):
        driver.add([same_name], folder)


def test_a_felt_that_pip_installed_takes_them_by_pip(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["driver", "add", str(wheel(tmp_path))]) == 2
    assert "into the same environment: pip install WHEEL" in capsys.readouterr().err


def test_all_drivers_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["driver"]) == 0
    assert "shoe: drives shoe, felt's own\n" in capsys.readouterr().out
