"""docs/adding-a-driver.md, followed to the letter: packages are built, found, and drive devices."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from controller.commands import driver, wheels
from tests.loaded import forgotten

__all__ = ["forgotten"]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "adding-a-driver.md"
#: Only so that a test ends, however busy the machine is.
AT_LAST_S = 300.0
#: All that the page has somebody type, in its order; so nothing is added to it that is not tried.
TYPED = [
    "pip wheel --no-deps --wheel-dir dist ./acme-pedal",
    "pip install --no-deps dist/acme_pedal-1.0-py3-none-any.whl",
    "felt driver",
    "felt simulate other --kind pedal --port /tmp/pedal",
    '{"reading": {"what": "pressed", "value": "short"}}',
    "felt drive acme-pedal --port /tmp/pedal",
    '{"kind": "unlock", "seat": 1, "device": "acceptor"}',
    "pip wheel --no-deps --wheel-dir dist ./acme-badge",
    "pip install --no-deps dist/acme_badge-1.0-py3-none-any.whl",
    "felt simulate other --kind badge --port /tmp/badge",
    '{"reading": {"what": "badge", "covered": "0004711"}}',
    "felt drive acme-badge --port /tmp/badge",
    # These three in a Debian of their own: tests/debian/test_vendors.py.
    "sudo felt driver add acme_pedal-1.0-py3-none-any.whl",
    "felt driver",
    "sudo felt driver remove acme-pedal",
]


def files(package: str) -> dict[str, str]:
    """The files that the page has a reader write, by name."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.findall(rf"^`{package}/([\w.]+)`\n\n```\w+\n(.*?)^```", text, re.M | re.S)
    return dict(found)


def test_all_that_the_page_says_to_type_is_tried() -> None:
    lines = PAGE.read_text(encoding="utf-8").split("```")[::2]
    assert [one.strip() for part in lines for one in re.findall(r"^    \S.*", part, re.M)] == TYPED


def test_the_pages_pedal_is_the_skeleton() -> None:
    skeleton = (ROOT / "drivers" / "skeleton.py").read_text(encoding="utf-8")
    assert skeleton.split('"""\n\n', 1)[1] == files("acme-pedal")["acme_pedal.py"]


def test_the_page_names_what_there_is() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for file in re.findall(r"`((?:drivers|tests)/[\w/]+\.py)`", text):
        assert (ROOT / file).exists(), file
    for page in re.findall(r"\]\(([\w/-]+\.md)(?:#[\w-]+)?\)", text):
        assert (PAGE.parent / page).exists(), page


class Followed:
    """Somebody who does what the page says, in a folder and an environment of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.site = folder / "site"
        #: Where `pip install` puts a package: beside this felt, and away from its environment.
        self.environment = {**os.environ, "PYTHONPATH": str(self.site)}

    def write(self, package: str) -> None:
        (self.folder / package).mkdir()
        for name, text in files(package).items():
            (self.folder / package / name).write_text(text, encoding="utf-8")

    def types(self, line: str) -> str:
        assert line in TYPED
        words = line.split()
        if words[0] == "pip":
            words[0:1] = [sys.executable, "-m", "pip", "--quiet"]
        else:
            words[0:1] = [sys.executable, "-m", "controller"]
        if words[4:5] == ["install"]:
            words += ["--target", str(self.site)]
        done = subprocess.run(
            words, cwd=self.folder, env=self.environment | self._here(words), check=False,
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _here(self, words: list[str]) -> dict[str, str]:
        paths = [str(self.site), str(ROOT)] if "controller" in words else []
        return {"PYTHONPATH": os.pathsep.join(paths)}

    @contextlib.asynccontextmanager
    async def terminal(self, line: str) -> AsyncIterator[Terminal]:
        assert line in TYPED
        words = line.replace("/tmp/", f"{self.folder}/").split()[1:]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "controller", *words, cwd=self.folder,
            env=self.environment | self._here(["controller"]),
            stdin=PIPE, stdout=PIPE, stderr=DEVNULL,
        )  # fmt: skip
        try:
            yield Terminal(process)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


class Terminal:
    def __init__(self, process: Process) -> None:
        self._process = process

    async def shows(self, what: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        assert self._process.stdout is not None
        async with asyncio.timeout(AT_LAST_S):
            while line := await self._process.stdout.readline():
                said: dict[str, Any] = json.loads(line)
                assert "refused" not in said, said
                if what(said):
                    return said
        raise AssertionError("it has ended")

    async def types(self, line: str) -> None:
        assert line in TYPED
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        await self._process.stdin.drain()


def is_there(said: dict[str, Any]) -> bool:
    return said.get("is") == "degraded"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Followed:
    """Who has built and installed both packages: that takes longest."""
    one = Followed(tmp_path_factory.mktemp("followed"))
    for package, typed in (("acme-pedal", TYPED[:2]), ("acme-badge", TYPED[7:9])):
        one.write(package)
        for line in typed:
            one.types(line)
    return one


async def test_the_pedal_of_the_page(reader: Followed) -> None:
    assert "acme-pedal: drives pedal, of acme-pedal\n" in reader.types(TYPED[2])
    async with reader.terminal(TYPED[3]) as device:
        await device.shows(lambda said: "port" in said)
        async with reader.terminal(TYPED[5]) as drive:
            arrived = await drive.shows(lambda said: "arrived" in said)
            assert arrived["arrived"]["capabilities"] == "kind:pedal"
            await drive.shows(is_there)
            await device.types(TYPED[4])
            pressed = await drive.shows(lambda said: "event" in said)
            assert pressed["event"]["kind"] == "lock_out_pressed"
            await drive.types(TYPED[6])
            lit = await device.shows(lambda said: said.get("told", {}).get("value") == "on")
            assert lit["told"]["what"] == "lamp"
            assert lit["answer"] == "done"


async def test_the_badge_reader_of_the_page(reader: Followed) -> None:
    async with reader.terminal(TYPED[9]) as device:
        await device.shows(lambda said: "port" in said)
        async with reader.terminal(TYPED[11]) as drive:
            await drive.shows(is_there)
            await device.types(TYPED[10])
            assert await drive.shows(lambda said: "badge" in said) == {"badge": "0004711"}


@pytest.mark.usefixtures("forgotten")
def test_the_wheel_of_the_page_is_one_that_a_table_pc_takes(
    reader: Followed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = reader.folder / "dist" / "acme_badge-1.0-py3-none-any.whl"
    found = wheels.read(file)
    assert (found.name, found.drivers, found.needs) == (
        "acme-badge", ("acme-badge",), ("felt-table",),
    )  # fmt: skip
    monkeypatch.syspath_prepend(tmp_path / "vendors")
    driver.add([file], tmp_path / "vendors")
    assert (tmp_path / "vendors" / "acme_badge.py").is_file()
