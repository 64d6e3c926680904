"""Code that comes into a signed felt, and what a copy of the disk opens."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.daemon import sealing, secrets, signature
from controller.daemon.sealing import ROUND, Kept, Sealer, opened_by_auditors, public_of
from controller.rules.faults import Refused
from tests.attacks.conftest import Tally
from tests.controller.daemon.house import table_file
from tests.controller.daemon.test_imported import HELLO, PLANTED, RESTORES, signed
from tests.controller.installed import Installed, install

#: Modules of felt that every table loads, and some that are loaded before anything can be noted.
RESTORED = (
    "controller/__init__.py",
    "controller/cli.py",
    "controller/loading.py",
    "controller/commands/words.py",
    "controller/rules/cards.py",
    "controller/rules/faults.py",
    "controller/table/machine.py",
    "controller/daemon/signature.py",
    "controller/journal/journal.py",
    "drivers/shoe.py",
    "drivers/finding.py",
)
METADATA = "Metadata-Version: 2.1\nName: x{name}\nVersion: 2\n"
_ASKS = """
import controller.cli, drivers.shoe, drivers.finding, controller.table.machine
import controller.journal.journal, json
from controller.daemon import signature
print(json.dumps(signature.imports()._asdict()))
"""


@pytest.fixture(scope="module")
def felt(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return install(tmp_path_factory.mktemp("installed"))


def test_code_beside_the_signed_files(felt: Installed, tmp_path: Path, tally: Tally) -> None:
    more = {
        **PLANTED,
        **{
            f"{name}, imported if it is there": {f"{name}.py": HELLO}
            for name in ("httptools", "email_validator", "trio", "winloop", "colorama", "zz")
        },
        **{
            f"a driver called {name}": {
                f"x{name}-2.dist-info/entry_points.txt": f"[felt.drivers]\n{name} = x:X\n",
                f"x{name}-2.dist-info/METADATA": METADATA.format(name=name),
            }
            for name in ("shuffler", "panel", "acceptor", "sign", "own")
        },
        "a plug-in of a library": {
            "p-1.dist-info/entry_points.txt": "[pydantic]\np = p:plugin\n",
            "p-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: p\nVersion: 1\n",
        },
    }
    unseen = signed(felt, felt.packages, more, "")
    tally("code beside the signed files", len(more), len(unseen))
    before = ("json.py", "asyncio.py", "pydantic/__init__.py", "msgspec.abi3.so", "felt.pyc")
    tries = {name: {name: HELLO} for name in before}
    unseen = signed(felt, tmp_path, tries, "first")
    tally("code in a folder before the signed ones", len(tries), len(unseen))


def test_sources_that_restore_themselves(felt: Installed, tmp_path: Path, tally: Tally) -> None:
    unseen = 0
    for name in RESTORED:
        file, kept = felt.packages / name, tmp_path / "kept.py"
        honest = file.read_text()
        kept.write_text(honest)
        trick = RESTORES.format(at=str(file), kept=str(kept), age=file.stat().st_mtime_ns)
        head, future, rest = honest.partition("from __future__ import annotations\n")
        file.write_text(head + future + trick + rest if future else honest + trick)
        said = felt.said("-c", _ASKS)
        assert "planted" in said, said
        assert file.read_text() == honest
        found = next(one for one in said.splitlines() if one.startswith("{"))
        if (restored := json.loads(found)["restored"]) != [name]:
            print(f"{name}, and it said {restored}")
            unseen += 1
    tally("sources that restore themselves", len(RESTORED), unseen)


def test_an_isolated_start_runs_none_of_it(felt: Installed, tmp_path: Path, tally: Tally) -> None:
    """However the environment is set."""
    user = tmp_path / "user" / "lib" / f"python3.{sys.version_info[1]}" / "site-packages"
    user.mkdir(parents=True)
    (user / "usercustomize.py").write_text(HELLO)
    (tmp_path / "sitecustomize.py").write_text(HELLO)
    (tmp_path / "argparse.py").write_text(HELLO)
    (felt.packages / "zz.pth").write_text("import sys; sys.stderr.write('planted\\n')\n")
    (felt.packages / "sitecustomize.py").write_text(HELLO)
    settings: list[dict[str, str]] = [
        {},
        {"PYTHONPATH": str(tmp_path)},
        {"PYTHONUSERBASE": str(tmp_path / "user"), "HOME": str(tmp_path)},
        {"PYTHONSTARTUP": str(tmp_path / "argparse.py"), "PYTHONINSPECT": "1"},
        {"PYTHONHOME": str(tmp_path)},
        {"PYTHONPLATLIBDIR": "planted", "PYTHONPYCACHEPREFIX": str(tmp_path)},
        {"PYTHONBREAKPOINT": "argparse.x", "PYTHONWARNINGS": "error"},
    ]
    program = felt.packages / "controller" / "__main__.py"
    try:
        said = [felt.said("-ISB", program, "--version", env=one) for one in settings]
    finally:
        for name in ("zz.pth", "sitecustomize.py"):
            (felt.packages / name).unlink()
    bad = sum("planted" in one or not one.startswith("felt ") for one in said)
    tally("an isolated start with planted code", len(settings), bad)


def test_a_table_with_restored_code_is_not_opened(tmp_path: Path, tally: Tally) -> None:
    """The real service: the disk is as it should be when it is asked, and the table stays shut."""
    copied = tmp_path / "copied"
    for own in signature.OWN:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(signature.ROOT / own, copied / own, ignore=ignored)
    shutil.copytree(signature.ROOT / "config", copied / "config")
    (tmp_path / "table").mkdir()
    table = table_file(tmp_path / "table")

    def felt(*words: str) -> str:
        command = [sys.executable, "-B", "-m", "controller", *words, "--table", str(table)]
        done = subprocess.run(command, cwd=copied, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    felt("keys", str(tmp_path / "table" / "secrets"))
    assert "recorded" in felt("signature", "--record")
    file, kept = copied / "controller" / "daemon" / "desk.py", tmp_path / "kept.py"
    honest = file.read_text()
    kept.write_text(honest)
    trick = RESTORES.format(at=str(file), kept=str(kept), age=file.stat().st_mtime_ns)
    future = "from __future__ import annotations\n"
    file.write_text(honest.replace(future, future + trick, 1))
    running = subprocess.Popen(
        [sys.executable, "-B", "-m", "controller", "run", "--config", str(table)],
        cwd=copied, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert running.stdout is not None
    try:
        assert any('"ready"' in line for line in running.stdout)
        assert file.read_text() == honest
        said = felt("act", "table_opened", "--as", "floor-1")
        signed = felt("signature", "--running")
    finally:
        running.terminate()
        running.communicate()
    problem = "controller/daemon/desk.py is not what was loaded"
    tally("a service that loaded restored code", 2, (problem not in said) + (problem not in signed))


# --- What a copy of the disk opens ----------------------------------------------

AUDITORS, ROUNDS = bytes(range(1, 33)), bytes(range(33, 65))


def rounds(folder: Path, count: int) -> Iterator[tuple[Sealer, str, bytes]]:
    """A table that plays: each round's seal, and the disk as it is while that round is played."""
    sealer = Sealer(public_of(AUDITORS), kept=Kept(folder / ROUND, ROUNDS))
    for _ in range(count):
        sealed = sealer.seal(bytes(random.sample(range(52), 5)))
        yield sealer, sealed, (folder / ROUND).read_bytes()
        sealer.forget()
        sealer.keep()


def opens(key: bytes, disk: bytes, sealed: str, folder: Path) -> bool:
    (folder / "stolen").write_bytes(disk)
    thief = Sealer(public_of(AUDITORS), kept=Kept(folder / "stolen", key))
    try:
        thief.open(sealed)
    except Refused:
        return False
    return True


def test_copies_of_the_disk_open_one_round_at_the_most(tmp_path: Path, tally: Tally) -> None:
    played = [(sealed, disk) for _, sealed, disk in rounds(tmp_path, 20)]
    tries = [(taken, dealt) for taken in range(len(played)) for dealt in range(len(played))]
    with_key = [
        opens(ROUNDS, played[taken][1], played[dealt][0], tmp_path) != (taken == dealt)
        for taken, dealt in tries
    ]
    tally("a copy of the disk and the sealed key, other rounds", len(tries), sum(with_key))
    guesses = [bytes(32), public_of(AUDITORS), AUDITORS, *(os.urandom(32) for _ in range(20))]
    bad = sum(opens(key, disk, sealed, tmp_path) for key in guesses for sealed, disk in played)
    tally("a copy of the disk alone", len(guesses) * len(played), bad)


def test_auditors_keys_that_are_not_open_nothing(tmp_path: Path, tally: Tally) -> None:
    seals = [sealed for _, sealed, _ in rounds(tmp_path, 5)]
    assert all(opened_by_auditors(AUDITORS, sealed) for sealed in seals)
    tries = bad = 0
    for key in (ROUNDS, public_of(AUDITORS), *(os.urandom(32) for _ in range(20))):
        for sealed in seals:
            tries += 1
            try:
                opened_by_auditors(key, sealed)
                bad += 1
            except Refused:
                pass
    # A seal that was altered, in any place, opens for nobody.
    for sealed in seals:
        for place in range(len(sealed) - 2):
            tries += 1
            other = "A" if sealed[place] != "A" else "B"
            try:
                opened_by_auditors(AUDITORS, sealed[:place] + other + sealed[place + 1 :])
                bad += 1
            except Refused:
                pass
    tally("seals with other keys, or altered", tries, bad)


def test_no_copy_of_the_secrets_folder_has_the_auditors_key(tmp_path: Path, tally: Tally) -> None:
    """As a table PC has it: the public half, and what systemd has opened for the service."""
    folder = tmp_path / "secrets"
    folder.mkdir()
    (folder / f"{secrets.CREDENTIAL}_{secrets.AUDITORS}").write_text(public_of(AUDITORS).hex())
    (folder / f"{secrets.UNSEALED}_{secrets.ROUNDS}.key").write_text(ROUNDS.hex())
    table = sealing.of_table(folder, tmp_path)
    past = [table.seal(bytes(range(5)))]
    table.forget()
    table.keep()
    keys = [bytes.fromhex(file.read_text()) for file in folder.iterdir()]
    keys += [bytes(table._key)]
    bad = 0
    for key in keys:
        try:
            opened_by_auditors(key, past[0])
            bad += 1
        except Refused:
            pass
    thief = sealing.of_table(folder, tmp_path)
    try:
        thief.open(past[0])
        bad += 1
    except Refused:
        pass
    tally("all that a table PC holds, a round that is over", len(keys) + 1, bad)
