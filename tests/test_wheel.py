"""An installed felt, away from its checkout: the wheel carries all that it needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.controller.commands.wired import table_file

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def felt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of a felt that was built as a wheel and installed into an empty environment."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = [*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    # By the pip that is here, and nothing compiled that is not run: that takes most of the time.
    empty = [sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")]
    subprocess.run(empty, check=True)
    (wheel,) = folder.glob("felt_table-*.whl")
    installed = folder / "venv" / "bin"
    pip += ["--python", str(installed / "python")]
    install = [*pip, "install", "--no-compile", "-c", str(ROOT / "constraints.txt")]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True)
    return installed / "felt"


def run(felt: Path, folder: Path, *words: str) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        [felt, *words], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_an_installed_felt_finds_its_rulebooks_and_settles(felt: Path, tmp_path: Path) -> None:
    assert len(run(felt, tmp_path, "rulebooks").splitlines()) == 6
    given = {
        "rulebook": "s10",
        "dealer": "As Kd 9h 4c 2s",
        "seats": [{"seat": 3, "cards": "Qs Js Ts 9s 8s", "wagers": {"ante": 5, "bet": 10}}],
    }
    (tmp_path / "round.json").write_text(json.dumps(given))
    said = json.loads(run(felt, tmp_path, "settle", "round.json"))
    assert said["seats"][0]["lines"][1]["returns"] == 510
    odds = json.loads(run(felt, tmp_path, "odds", "pa-683a", "--wager", "pocket", "--json"))
    assert odds["wagers"]["pocket"]["A"]["edge"] == "60/1326"


def test_an_installed_felt_lays_a_table_out(felt: Path, tmp_path: Path) -> None:
    table = table_file(tmp_path)
    run(felt, tmp_path, "install", "--root", "root", str(table))
    unit = tmp_path / "root/etc/systemd/system/felt@.service"
    assert unit.read_bytes() == (ROOT / "systemd" / "felt@.service").read_bytes()


def test_an_installed_felt_has_every_page(felt: Path, tmp_path: Path) -> None:
    code = "from controller.console.assets import PAGES; print(PAGES)"
    python = [str(felt.with_name("python")), "-I", "-c", code]
    said = subprocess.run(python, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    pages = ROOT / "controller/console/pages"
    assert files(Path(said.strip())) == files(pages)
    assert "dealer.html" in files(pages)


def files(folder: Path) -> dict[str, bytes]:
    found = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in found}
